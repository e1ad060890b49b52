#!/usr/bin/env python3
"""A bot that plays Dou Dizhu to be rid of its cards in as few turns as it can.
It divides its hand into chains, trios with kickers, pairs and single cards, and makes the play after which
the rest needs the fewest turns.

It keeps what wins the lead back, leaves its fellow peasant's plays alone
unless it gains by beating them, and blocks opponents who are short of cards.
"""

import argparse
import functools
import sys

BLOCK, BOMBED = 4, 5  # opponents with so few cards are blocked at any price, and bombed
STRONG = 0.5  # what each 2, joker and bomb counts against the turns
EARLY = 0.1  # what each rank of a lead's smallest card costs: small cards must go while there is time

RANKS = "3456789TJQKA2BR"  # the weakest first; B and R are the jokers
SOLO, PAIR, BOMB = (1, 1, 0, 0), (2, 1, 0, 0), (4, 1, 0, 0)
# Every type of play: copies of each main rank, main ranks in a row, kickers, cards of each kicker.
FORMS = [SOLO, PAIR, (3, 1, 0, 0), BOMB]
FORMS += [(1, row, 0, 0) for row in range(5, 13)]
FORMS += [(2, row, 0, 0) for row in range(3, 11)]
FORMS += [(3, row, 0, 0) for row in range(2, 7)]
FORMS += [(3, row, row, 1) for row in range(1, 6)]
FORMS += [(3, row, row, 2) for row in range(1, 5)]
FORMS += [(4, 1, 2, 1), (4, 1, 2, 2)]


def build(held, form, start, order):
    """The play of main ranks from `start` on, with the first kickers in `order` that fit; else "".

    `held` is how many cards of each rank there are, `order` is cards as numbers of ranks.
    """
    copies, row, kickers, each = form
    if min(held[start : start + row]) < copies:
        return ""
    used = [copies if start <= rank < start + row else 0 for rank in range(15)]
    for rank in order:
        if not kickers:
            break
        if start <= rank < start + row or used[rank] + each > held[rank] or (each == 2 and used[rank]):
            continue
        # Three kickers alike must not make the row longer, and only one joker may go along.
        if used[rank] == (2 if row > 1 and rank != 12 and rank in (start - 1, start + row) else 3):
            continue
        if rank > 12 and used[13] + used[14]:
            continue
        used[rank] += each
        kickers -= 1
    return "" if kickers else "".join(RANKS[rank] * used[rank] for rank in range(15))


def plays(held, best, order):
    """What may be played on `best` (None: to lead), by form; one choice of kickers for each main part."""
    found = {}
    for form in FORMS:
        if best is None or form in (best[0], BOMB):
            copies, row = form[:2]
            first = best[1] + 1 if best and form == best[0] else 0
            starts = range(first, (15 if row == 1 else 12) - row + 1)
            words = [
                word
                for start in starts
                if held[start] >= copies and (word := build(held, form, start, order))
            ]
            if words:
                found[form] = words
    if held[13] and held[14] and best != (BOMB, 13):
        found[BOMB] = [*found.get(BOMB, []), "BR"]
    return found


def shape(word):
    """The form of a play and its lowest main rank; the rocket is the highest bomb."""
    if word == "BR":
        return BOMB, 13
    held = count(word)
    cards = spread(held)
    for form in FORMS:
        copies, row, kickers, each = form
        if copies * row + kickers * each == len(word):
            for start in range((15 if row == 1 else 12) - row + 1):
                if build(held, form, start, cards):
                    return form, start
    raise ValueError(word)


def count(word):
    """How many cards of each rank."""
    return [word.count(name) for name in RANKS]


def spread(held):
    """The cards one by one, the weakest first, as numbers of ranks."""
    return [rank for rank, n in enumerate(held) for _ in range(n)]


@functools.lru_cache(maxsize=50_000)
def turns(held, slots=0):
    """How many turns it takes to play these cards if nobody interferes; `slots` is for kickers of chains."""
    ones, twos, trios, fours = (held.count(n) for n in (1, 2, 3, 4))
    if held[13] and held[14]:
        ones, fours = ones - 2, fours + 1  # the rocket is one turn
    fewest = trios + fours + max(0, ones + twos - trios - slots)
    for copies, least in ((1, 5), (2, 3), (3, 2)):
        for start in range(13 - least):
            end = start
            while end < 12 and held[end] >= copies:
                end += 1
                if end - start >= least:
                    rest = held[:start] + tuple(n - copies for n in held[start:end]) + held[end:]
                    more = end - start if copies == 3 else 0
                    fewest = min(fewest, 1 + turns(rest, slots + more))
    return fewest


class Bot:
    """Follows one match from its seat; `choose` decides."""

    def __init__(self, seed=1):
        self.seed = seed
        self.me = self.deal = self.landlord = 0
        self.landlords = []  # of each deal
        self.held = [0] * 15
        self.best = None  # form and main rank of the play to beat; None: whoever is to play leads
        self.owner = 0  # who made that play
        self.left = [0, 0, 0]  # cards of each player

    def answer(self, command, words):
        """The reply to one command: what stands after "=", or None to refuse."""
        # 1. At the start of a match: the rules, who sits where, who is landlord in each deal.
        if command == "set_rules":  # dou_dizhu 1, perhaps with the word "double"
            return "" if words[0] == "dou_dizhu" else None
        if command == "set_players":  # n i: there are n players, I am number i
            if words[0] != "3":
                return None
            self.me = int(words[1])
            return ""
        if command == "set_game":  # d L1 ... Ld: d deals, and the landlord of each
            self.deal, self.landlords = -1, [int(word) for word in words[1:]]
            return ""

        # 2. In every deal: my cards, the landlord's with three more; those three are shown to all.
        if command == "set_cards":  # c CARDS
            if len(words[1]) != int(words[0]) or set(words[1]) - set(RANKS):
                return None
            self.landlord = self.landlords[self.deal + 1]
            self.deal += 1
            self.held, self.best = count(words[1]), None
            self.left = [20 if seat == self.landlord else 17 for seat in range(3)]
            return ""
        if command in ("show_cards", "time_left", "end_deal"):
            return ""

        # 3. "gen_move" asks me when it is my turn, "play" tells who played what; my cards leave my hand then.
        if command == "gen_move" and any(self.held):
            return self.choose()
        if command == "play":  # i CARDS, or i pass
            seat, word = int(words[0]), words[1]
            if word != "pass":
                self.best, self.owner = shape(word), seat
                self.left[seat] -= len(word)
                if seat == self.me:
                    gone = count(word)
                    self.held = [self.held[rank] - gone[rank] for rank in range(15)]
            elif self.best and (seat + 1) % 3 == self.owner:  # both others passed
                self.best = None
            return ""

        # 4. "quit" wants a reply, too. Anything else is refused.
        return "" if command == "quit" else None

    def choose(self):
        """What leaves the best hand, if it is worth its price."""
        cards = spread(self.held)
        # Kickers: what shortens the hand, then cards without a like, then small ones; strong cards last.
        loose = {rank: (rank > 11, self.cost(RANKS[rank]), self.held[rank], rank) for rank in cards}
        found = plays(self.held, self.best, sorted(cards, key=loose.__getitem__))
        words = [word for words in found.values() for word in words]
        for word in words:
            if len(word) == len(cards):
                return word
        bombs = found.get(BOMB, [])
        others = [word for word in words if word not in bombs]
        enemies = [seat for seat in range(3) if (seat == self.landlord) != (self.me == self.landlord)]
        fewest = min(self.left[seat] for seat in enemies)
        if self.best is None:
            return self.lead(others or bombs, fewest)
        now = self.cost("")
        if others:
            word = min(others, key=lambda word: (self.cost(word), shape(word)[1]))
            if self.owner in enemies:
                # The landlord stands alone against two: it lets nothing pass.
                if self.me == self.landlord or fewest <= BLOCK or self.cost(word) <= now:
                    return word
            elif self.cost(word) < now and shape(word)[1] < 8 and self.left[self.owner] > 4:
                return word
        if bombs and self.owner in enemies and (fewest <= BOMBED or self.cost(bombs[0]) <= 1):
            return bombs[0]
        return "pass"

    def lead(self, words, fewest):
        """What leaves the best hand, small cards rather than large ones."""
        mate = (self.me + 1) % 3
        if self.landlord not in (self.me, mate) and self.left[mate] == 1 and len(words[0]) == 1:
            return words[0]  # lets my fellow peasant out
        # Not what an opponent with one or two cards waits for.
        safe = [word for word in words if len(word) != fewest] if fewest < 3 else words
        if not safe:
            return max(words, key=lambda word: RANKS.index(word[0]))
        return min(safe, key=lambda word: (self.cost(word) + EARLY * RANKS.index(word[0]), -len(word)))

    def cost(self, word):
        """The turns that the hand takes after a play, less something for what wins the lead back."""
        gone = count(word)
        left = tuple(self.held[rank] - gone[rank] for rank in range(15))
        return turns(left) - STRONG * (left[12] % 4 + left[13] + left[14] + left.count(4))


def main():
    """Command line: read commands, one a line, and answer each."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seed", type=int, default=1, metavar="N", help="seed of every choice (default 1)")
    bot = Bot(options.parse_args().seed)
    sys.stdin.reconfigure(errors="replace")  # whatever bytes come: refuse, do not crash
    for line in sys.stdin:
        words = line.split()
        if not words:  # blank lines are ignored: they get no reply
            continue
        try:
            reply = bot.answer(words[0], words[1:])
        except (ValueError, IndexError):
            reply = None
        text = f"? cannot do {words[0][:40]}" if reply is None else f"= {reply}".rstrip()
        # The second "\n" makes the empty line. Without flush the reply would wait in a buffer.
        print(text + "\n", flush=True)
        if words[0] == "quit":
            break


if __name__ == "__main__":
    main()
