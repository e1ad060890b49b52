#!/usr/bin/env python3
"""A bot that plays Dou Dizhu at random, in one file without a kit: start your own from it.
It picks a type of play first, then one of that type, so that it leads chains as gladly as single cards.
"""

import argparse
import random
import sys

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
        self.rng = random.Random(seed)

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
            # Luck depends on nothing but the seed, the deal and my cards, so a match can be played again.
            self.rng = random.Random(f"{self.seed}|{self.deal}|{words[1]}")
            return ""
        if command in ("show_cards", "time_left", "end_deal"):
            return ""

        # 3. "gen_move" asks me when it is my turn, "play" tells who played what; my cards leave my hand then.
        if command == "gen_move" and any(self.held):
            return self.choose()
        if command == "gen_values" and any(self.held) and (worth := self.values()):
            parts = [(word, points, win) for word, (points, win) in worth.items()]
            return " ".join(
                f"{word}:{points:.3f}" + ("" if win is None else f":{win:.4f}") for word, points, win in parts
            )
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

    def values(self):
        """What each play would be worth, for whoever reviews a match; None: this bot cannot tell.

        {cards or "pass": (points that I expect in this deal, my chance to win the match or None)}
        """

    def choose(self):
        """Any type of play that is legal, or a pass; any play of it."""
        order = spread(self.held)
        self.rng.shuffle(order)  # so kickers are random too
        kinds = [*plays(self.held, self.best, order).values()]
        if self.best:
            kinds.append(["pass"])
        return self.rng.choice(self.rng.choice(kinds))


def main(player=Bot, about=__doc__):
    """Command line: read commands, one a line, and answer each."""
    options = argparse.ArgumentParser(description=about.splitlines()[0])
    options.add_argument("--seed", type=int, default=1, metavar="N", help="seed of every choice (default 1)")
    bot = player(options.parse_args().seed)
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
