#!/usr/bin/env python3
"""Plays Codepiece by trying what it might do in random deals of the unseen cards. Each deal that fits what
was played is played out by rules of thumb, for every bid, trump and card that the bot could choose, and it
takes what earned most points.

Time is shared out by `time_left`.
"""

import argparse
import functools
import math
import random
import sys
import time

VALUES, SUITS, TRUMPS = "23456789TJQKA", "CDHS", "SHDC"
SUIT = [0x1FFF << 13 * suit for suit in range(4)]  # the cards of a suit, as bits
OF = [card // 13 for card in range(52)]
HIGHER = [SUIT[OF[card]] & ~((2 << card) - 1) for card in range(52)]  # cards of its suit that beat a card
NAMES = [value + suit for suit in SUITS for value in VALUES]
# Of values: the deviation of a deal's points; bids made though they could be beaten, and lost though safe.
SPREAD, LET, LOST = 10.6, 0.3, 0.02
# How often a deal ends with so many points for the bidders.
OUTCOMES = {7: 0.26, 8: 0.365, 9: 0.085, -14: 0.12, -16: 0.13, -18: 0.04}
NUMBER = {name: card for card, name in enumerate(NAMES)}


def allowed(hand, trick, best, ahead, seat, trump):
    """The cards of a hand that may be played: follow suit, then overtake an opponent if you can."""
    if not trick:
        return hand
    cards = hand & SUIT[OF[trick[0]]] or hand
    if (ahead ^ seat) & 1:
        over = HIGHER[best] if OF[best] == trump else HIGHER[best] | SUIT[trump]
        return cards & over or cards
    return cards


def lowest(cards, trump):
    """The card that is missed least: the smallest, and no trump where there is another."""
    cards = cards & ~SUIT[trump] or cards
    least, worth = -1, 99
    for suit in range(4):
        part = cards & SUIT[suit]
        if part:
            card = (part & -part).bit_length() - 1
            if card - 13 * suit < worth:
                least, worth = card, card - 13 * suit
    return least


def thumb(cards, trick, best, ahead, seat, trump, unseen, bidding):
    """What to play by rules of thumb; `unseen` are the cards in the others' hands."""
    if cards & (cards - 1) == 0:
        return cards.bit_length() - 1
    if trick:
        if not (ahead ^ seat) & 1 or len(trick) == 3:
            return lowest(cards, trump)
        # Either every card overtakes, or none does: a card that nothing unseen beats, or the smallest.
        for suit in range(4):
            part = cards & SUIT[suit]
            if part:
                top = part.bit_length() - 1
                beats = top > best if suit == OF[best] else suit == trump
                if beats and not HIGHER[top] & unseen:
                    return top
        return lowest(cards, trump)
    mine = cards & SUIT[trump]
    if bidding and mine and unseen & SUIT[trump]:
        top = mine.bit_length() - 1
        if not HIGHER[top] & unseen:
            return top  # draw trumps
    for suit in range(4):
        part = cards & SUIT[suit]
        if part and suit != trump:
            top = part.bit_length() - 1
            if not HIGHER[top] & unseen:
                return top
    # From the longest suit beside trumps, so that small cards of it win in the end.
    longest = max(range(4), key=lambda suit: -1 if suit == trump else (cards & SUIT[suit]).bit_count())
    part = cards & SUIT[longest] or cards
    return (part & -part).bit_length() - 1


def play_out(hands, turn, trick, best, ahead, won, trump, leader, bid=0):
    """Tricks of the bidders and the defenders when all play by rules of thumb, until the bid is decided or,
    without one, to the end.
    """
    enough, spoilt = (bid, 14 - bid) if bid else (14, 14)
    hands, won, trick = list(hands), list(won), list(trick)
    unseen = hands[0] | hands[1] | hands[2] | hands[3]
    while won[0] < enough and won[1] < spoilt:
        hand = hands[turn]
        cards = allowed(hand, trick, best, ahead, turn, trump)
        card = thumb(cards, trick, best, ahead, turn, trump, unseen & ~hand, not (turn ^ leader) & 1)
        hands[turn] = hand ^ 1 << card
        unseen ^= 1 << card
        if not trick or (card > best if OF[card] == OF[best] else OF[card] == trump):
            best, ahead = card, turn
        trick.append(card)
        turn = turn + 1 & 3
        if len(trick) == 4:
            won[(ahead ^ leader) & 1] += 1
            turn, trick = ahead, []
            if not hands[turn]:
                break
    return won


def gain(won, bid):
    """Points of the bidders."""
    return bid if won[0] >= bid else -2 * bid


def promising(hand):
    """The two trumps that look best: long and high."""

    def worth(trump):
        mine = hand & SUIT[trump]
        return 3 * mine.bit_count() + sum(c % 13 > 8 for c in range(52) if mine >> c & 1)

    return sorted(range(4), key=worth)[2:]


def likely(tricks, bid):
    """How likely a bid is made for which a play-out takes so many tricks."""
    return math.erfc((bid - tricks - 0.95) / 1.7) / 2


@functools.lru_cache(maxsize=10000)
def winning(total, deals):
    """The chance to win a match with so many points before its last deals."""
    if not deals:
        return (total > 0) + (total == 0) / 2
    if deals > 3:
        return math.erfc(-total / (SPREAD * math.sqrt(2 * deals))) / 2
    return sum(
        part / 2 * (winning(total + points, deals - 1) + winning(total - points, deals - 1))
        for points, part in OUTCOMES.items()
    )


def mean(worth):
    """The mean of points, and of chances to win."""
    return [sum(part) / len(worth) for part in zip(*worth, strict=True)]


class Bot:
    """Plays one match after the other; `reply` gives the text behind "=", or None to refuse."""

    def __init__(self, seed=1, worlds=60, clock=True):
        self.seed, self.worlds, self.clock = seed, worlds, clock
        self.me, self.deals, self.deal, self.left = 0, 1, -1, 1e9
        self.points = 0  # of the deals that are over
        self.commands = {name[3:]: getattr(self, name) for name in dir(self) if name.startswith("on_")}

    def reply(self, line):
        command, *words = line.split()
        done = self.commands.get(command)
        return done(words) if done else None

    def on_set_rules(self, words):
        return "" if words[:2] == ["codepiece", "1"] else None

    def on_set_deck(self, words):
        return "" if words == [VALUES, SUITS] else None

    def on_set_players(self, words):
        self.me = int(words[1])
        return ""

    def on_set_game(self, words):
        self.deals, self.deal, self.points = int(words[0]), -1, 0
        self.dealers = [int(word) for word in words[1:]]
        return ""

    def on_set_cards(self, words):
        self.deal += 1
        self.hand = sum(1 << NUMBER[name] for name in words[1:])
        self.rng = random.Random(f"{self.seed}|{self.deal}|{self.hand}")
        self.luck = random.Random(f"values|{self.seed}|{self.deal}|{self.hand}")
        self.bids, self.bid, self.leader, self.trump = {}, 0, None, 0
        self.trick, self.best, self.ahead = [], 0, 0
        self.turn, self.won, self.gone = 0, [0, 0], 0
        self.named = False  # the trump
        self.void = [0, 0, 0, 0]  # suits that a seat has shown not to have, as cards
        return ""

    def on_time_left(self, words):
        self.left = int(words[0])
        return ""

    def on_bid(self, words):
        seat = int(words[0])
        if words[1] != "pass":
            self.bid, self.leader = int(words[1][4:]), seat
        self.bids[seat] = self.bid if words[1] != "pass" else 0
        return ""

    def on_trump(self, words):
        self.turn, self.trump = int(words[0]), SUITS.index(words[1][-1])
        self.leader, self.named = self.turn, True
        return ""

    def on_play(self, words):
        seat, card = int(words[0]), NUMBER[words[1]]
        if self.trick and OF[card] != OF[self.trick[0]]:
            self.void[seat] |= SUIT[OF[self.trick[0]]]
        if not self.trick or (card > self.best if OF[card] == OF[self.best] else OF[card] == self.trump):
            self.best, self.ahead = card, seat
        self.trick.append(card)
        self.gone |= 1 << card
        self.hand &= ~(1 << card)
        self.turn = seat + 1 & 3
        if len(self.trick) == 4:
            self.won[(self.ahead ^ self.leader) & 1] += 1
            self.turn, self.trick = self.ahead, []
        return ""

    def on_end_deal(self, words):
        self.points += int(words[self.me])
        self.hand = 0
        return ""

    def on_quit(self, _):
        return ""

    def worlds_within(self, share):
        """Random deals of the unseen cards, as many as are wanted or as time allows."""
        until = time.perf_counter() + self.left / 1000 * share if self.clock else float("inf")
        for number in range(self.worlds):
            if number and time.perf_counter() > until:
                return
            yield self.world()

    def world(self):
        """The unseen cards dealt at random, each to somebody who may still have its suit."""
        unseen = [card for card in range(52) if not (self.hand | self.gone) >> card & 1]
        size = self.hand.bit_count()
        room = {}
        for place in range(1, 4):
            seat = self.me + place & 3
            played = (seat - (self.me - len(self.trick))) & 3 < len(self.trick)
            room[seat] = size - played
        for attempt in range(20):
            self.rng.shuffle(unseen)
            hands, left = [0, 0, 0, 0], dict(room)
            hands[self.me] = self.hand
            # Who may have fewest seats first; the last attempts ignore what was shown.
            strict = attempt < 15
            order = (
                sorted(unseen, key=lambda card: sum(not v >> card & 1 for v in self.void))
                if strict
                else unseen
            )
            for card in order:
                free = [s for s, n in left.items() if n and not (strict and self.void[s] >> card & 1)]
                if not free:
                    break
                seat = self.rng.choices(free, [left[s] for s in free])[0]
                hands[seat] |= 1 << card
                left[seat] -= 1
            else:
                return hands
        return hands

    def takers(self, card):
        """How many seats may have a card, by what they have shown."""
        return sum(not void >> card & 1 for void in self.void)

    def share(self):
        """The part of the time left for one decision."""
        deals = self.deals - self.deal
        return 0.8 / (deals * 15 - 13 + self.hand.bit_count())

    def chances(self, trumps):
        """For each trump: tricks of my side in each world, when it leads."""
        tricks = {trump: [] for trump in trumps}
        for hands in self.worlds_within(self.share() * 2):
            for trump in trumps:
                tricks[trump].append(play_out(hands, self.me, [], 0, 0, [0, 0], trump, self.me)[0])
        return tricks

    def on_gen_bid(self, _):
        tricks = self.chances(promising(self.hand))
        best, bid = 0.0, 0
        if self.leader is not None:
            # What stands: the bid of my partner, or of an opponent, is rather made than not.
            standing = 0.25 * self.bid
            best = standing if not (self.leader ^ self.me) & 1 else -standing
        elif len(self.bids) == 3:
            best = -2.0  # the forced bid of seven goes to an opponent or to my partner
        for value in range(max(self.bid, 7) + 1, 14):
            for counts in tricks.values():
                made = sum(n >= value for n in counts) / len(counts)
                # Who bids low may be outbid; who bids high risks more than these playouts show.
                points = value * (3 * made - 2)
                if points > best:
                    best, bid = points, value
        return f"bid_{bid}" if bid else "pass"

    def on_gen_trump(self, _):
        tricks = self.chances(range(4))
        trump = max(tricks, key=lambda t: (sum(n >= self.bid for n in tricks[t]), sum(tricks[t])))
        return f"trump_{SUITS[trump]}"

    def on_gen_move(self, _):
        cards = allowed(self.hand, self.trick, self.best, self.ahead, self.me, self.trump)
        choices = [card for card in range(52) if cards >> card & 1]
        if len(choices) == 1:
            return NAMES[choices[0]]
        points = dict.fromkeys(choices, 0.0)
        mine = 1 if not (self.leader ^ self.me) & 1 else -1
        for hands in self.worlds_within(self.share()):
            for card in choices:
                points[card] += mine * self.tried(hands, card)
        return NAMES[max(choices, key=lambda card: (points[card], -(card % 13), -card))]

    def on_gen_values(self, _):
        """What each answer is worth, in worlds of a luck of its own."""
        self.rng, self.luck = self.luck, self.rng
        found = self.values()
        self.rng, self.luck = self.luck, self.rng
        if not found:
            return None
        return " ".join(f"{option}:{points:.3f}:{won:.4f}" for option, (points, won) in found.items())

    def values(self):
        """By answer that may be given now: points of my side, and its chance to win; {} where none is due."""
        first = self.dealers[self.deal] + 1
        if not self.hand:
            return {}
        if self.named:
            return self.values_of_cards() if self.turn == self.me else {}
        if len(self.bids) < 4:
            return self.values_of_bids(first) if not (first + len(self.bids) - self.me) & 3 else {}
        if self.leader != self.me:
            return {}
        worth = self.chances(range(4))
        return {
            f"trump_{SUITS[trump]}": mean([self.contract(likely(n, self.bid), self.bid) for n in counts])
            for trump, counts in worth.items()
        }

    def values_of_bids(self, first):
        """Each bid, and a pass: whoever bids after me bids a trick less than a play-out makes."""
        later = [seat & 3 for seat in range(self.me + 1, first + 4)]
        later = later[: 3 - len(self.bids)]
        found = {bid: [] for bid in (0, *range(max(self.bid, 7) + 1, 14))}
        for hands in self.worlds_within(self.share() * 2):
            tricks = [self.made_by(hands, seat) for seat in range(4)]
            for bid, worth in found.items():
                standing, leader = (bid, self.me) if bid else (self.bid, self.leader)
                for seat in later:
                    if tricks[seat] - 1 > max(standing, 7):
                        standing, leader = tricks[seat] - 1, seat
                if leader is None:
                    standing, leader = 7, first & 3
                worth.append(self.contract(likely(tricks[leader], standing), standing, leader))
        return {f"bid_{bid}" if bid else "pass": mean(worth) for bid, worth in found.items()}

    def made_by(self, hands, seat):
        """The tricks of a seat's side when it leads with the trump that looks best."""
        return play_out(hands, seat, [], 0, 0, [0, 0], promising(hands[seat])[-1], seat)[0]

    def values_of_cards(self):
        cards = allowed(self.hand, self.trick, self.best, self.ahead, self.me, self.trump)
        found = {card: [] for card in range(52) if cards >> card & 1}
        left = self.hand.bit_count()
        # Defenders who do not see all cards let many a bid be made: by as much, found for the search in C++.
        least, most = LET * (1 - math.exp((1 - left) / 8)), 1 - LOST * (left - 1) / 12
        decided = self.won[0] >= self.bid
        for hands in self.worlds_within(self.share()):
            for card, worth in found.items():
                made = self.tried(hands, card) > 0
                worth.append(self.contract(made if decided else most if made else least, self.bid))
        return {NAMES[card]: mean(worth) for card, worth in found.items()}

    def contract(self, made, bid, leader=None):
        """A bid made with this chance: the points of my side, and its chance to win the match."""
        leader = self.leader if leader is None else leader
        sign = -1 if (leader ^ self.me) & 1 else 1
        later = self.deals - self.deal - 1
        won = made * winning(self.points + sign * bid, later)
        won += (1 - made) * winning(self.points - 2 * sign * bid, later)
        return sign * bid * (3 * made - 2), won

    def tried(self, hands, card):
        """What the bidders get when a card is played in one of the worlds."""
        hands, trick, won = list(hands), [*self.trick, card], list(self.won)
        hands[self.me] ^= 1 << card
        best, ahead = self.best, self.ahead
        if len(trick) == 1 or (card > best if OF[card] == OF[best] else OF[card] == self.trump):
            best, ahead = card, self.me
        turn = self.me + 1 & 3
        if len(trick) == 4:
            won[(ahead ^ self.leader) & 1] += 1
            turn, trick = ahead, []
        if not hands[turn]:
            return gain(won, self.bid)
        won = play_out(hands, turn, trick, best, ahead, won, self.trump, self.leader, self.bid)
        # A trick more is worth a little even where it changes nothing in this world.
        return gain(won, self.bid) + 0.1 * (won[0] - won[1])


def main():
    options = argparse.ArgumentParser(description="Plays Codepiece by trying.")
    options.add_argument("--seed", type=int, default=1, metavar="N", help="seed of every choice (default 1)")
    options.add_argument("--worlds", type=int, default=60, metavar="N", help="deals tried a decision (60)")
    options.add_argument("--no-clock", action="store_true", help="try them all, whatever the time")
    chosen = options.parse_args()
    bot = Bot(chosen.seed, chosen.worlds, not chosen.no_clock)
    for line in sys.stdin:
        if not line.strip():
            continue
        try:
            text = bot.reply(line)
        except (ValueError, IndexError, KeyError, AttributeError, TypeError):
            text = None
        print("?\n" if text is None else f"= {text}\n" if text else "=\n", flush=True)
        if line.split()[0] == "quit":
            return


if __name__ == "__main__":
    main()
