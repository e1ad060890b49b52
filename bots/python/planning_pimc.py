#!/usr/bin/env python3
"""A bot that plays Planning by perfect-information Monte Carlo. For every decision it deals the unseen
cards at random into worlds that agree with what is known, tries each choice in each world, lets simple
players play the rest of the deal, and takes the choice with the most points on average.

It spreads the time left over the decisions to come and stops sampling when its share is used up.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable

sys.dont_write_bytecode = True  # a bot writes no files, not even those of the import system

import planning_kit as kit  # noqa: E402 -- after the line above, which must come first
from planning_worlds import Deck, Position, bits, deck_of, first  # noqa: E402

# Of values, found by 120 matches of the bot with itself: the variance of a player's points in a later deal,
# by its cards squared, and how much better than simple players the others are, in logits of a chance to win.
LATER, STRONGER = 0.24, 0.7
SAFETY = 0.7  # the part of the time left that is given out at all: the machine may be slow later
OVERHEAD = 0.001  # seconds kept back for each decision to come: reading, replying, setting up a position


class Pimc(kit.Bot):
    """Tries each choice in up to ``worlds`` worlds; ``clock`` tells seconds, None for fixed work.

    With ``noting`` it notes the points that it expects, and where it had no time to sample.
    """

    def __init__(
        self,
        seed: int = 1,
        worlds: int = 30,
        clock: Callable[[], float] | None = time.monotonic,
        noting: bool = False,
    ) -> None:
        super().__init__(seed)
        self.noting = noting
        self.worlds = worlds
        self.clock = clock
        self.sampled = 0  # worlds finished for the last decision
        self._deadline: float | None = None

    def declare(self, table: kit.Table) -> int:
        self._start(table, declaring=True)
        deck = deck_of(table.values, table.suits)
        position = Position(deck, table)
        size, players = table.size, table.seats
        totals = [0] * (size + 1)
        for _ in range(self.worlds):
            if self._late():
                break
            world = position.world(self.rng)
            # Unknown declarations: what each takes when everybody wants everything is a fair guess.
            wishes = [size] * players
            deck.play_out(world[:], wishes, position.turn, tricks=size)
            points = []
            for tricks in range(size + 1):
                need = [size - wish for wish in wishes]
                need[0] = tricks
                deck.play_out(world[:], need, position.turn, tricks=size)
                points.append(tricks - need[0] + (0 if need[0] else size))
                if self._late():
                    break
            else:
                self.sampled += 1
                totals = [total + more for total, more in zip(totals, points)]  # noqa: B905 -- Python 3.9
        self._note(totals)
        if not self.sampled:
            # A trick for every card among the top fourth of the deck will do when there is no time at all.
            strong = deck.mask(deck.cards[-(len(deck.cards) // players) :])
            return min(size, len(bits(position.hand & strong)))
        return totals.index(max(totals))

    def move(self, table: kit.Table) -> str:
        self._start(table, declaring=False)
        deck = deck_of(table.values, table.suits)
        position = Position(deck, table)
        need = [(wish or 0) - taken for wish, taken in zip(table.declared, table.taken)]  # noqa: B905 -- Python 3.9
        need = need[table.me :] + need[: table.me]
        choices = self._choices(deck, position)
        totals = [0] * len(choices)
        taken = table.taken[table.me]
        for _ in range(self.worlds if len(choices) > 1 else 0):
            if self._late():
                break
            world = position.world(self.rng)
            points = []
            for card in choices:
                points.append(taken + self._try(deck, position, card, world[:], need[:], table.size))
                if self._late():
                    break
            else:
                self.sampled += 1
                totals = [total + more for total, more in zip(totals, points)]  # noqa: B905 -- Python 3.9
        if len(choices) > 1:
            self._note(totals)
        if not self.sampled:
            return deck.name(deck.choose(position, need[0]))
        return deck.name(choices[totals.index(max(totals))])

    def values(self, table: kit.Table) -> dict[int | str, tuple[float, float | None]]:
        """Mean points over worlds, and how often they come to the most of the match, luck in later ones."""
        self._start(table, declaring=table.declaring)
        deck, size, me = deck_of(table.values, table.suits), table.size, table.me
        position = Position(deck, table)
        later = math.sqrt(LATER * sum(cards * cards for cards, _ in table.deals[table.deal + 1 :]))
        luck = math.sqrt(LATER) * size
        part = 0 if table.declaring else (1 - 1 / table.tricks_left) * luck / math.hypot(luck, later)
        odds = math.exp(-STRONGER * part)  # none at the last trick, where all is known
        around = [(me + i) % table.seats for i in range(table.seats)]
        wanted = [(table.declared[seat] or 0) - table.taken[seat] for seat in around]
        before = [table.points[seat] + table.taken[seat] for seat in around]
        options: list[int | str] = list(range(size + 1)) if table.declaring else list(table.legal())
        sums = {option: [0.0, 0.0] for option in options}
        worlds = 0
        while worlds < self.worlds and not (worlds and self._late()):
            worlds += 1
            world = position.world(self.rng)
            if table.declaring:
                wishes = [size] * table.seats
                deck.play_out(world[:], wishes, position.turn, tricks=size)
                wanted = [size - wish for wish in wishes]
            for option, sum_ in sums.items():
                start, need = wanted[:], wanted[:]
                if isinstance(option, int):
                    start[0] = need[0] = option
                    deck.play_out(world[:], need, position.turn, tricks=size)
                else:
                    self._try(deck, position, deck.bit[option], world[:], need, size)
                made = [s - n + (0 if n else size) for s, n in zip(start, need)]  # noqa: B905 -- Python 3.9
                ends = [b + m for b, m in zip(before, made)]  # noqa: B905 -- Python 3.9
                sum_[0] += table.taken[me] + made[0]
                sum_[1] += first([ends[0] - end for end in ends[1:]], later)
        return {
            option: (points / worlds, won * odds / (won * odds + worlds - won))
            for option, (points, won) in sums.items()
        }

    def _try(
        self, deck: Deck, position: Position, card: int, hands: list[int], need: list[int], size: int
    ) -> int:
        """Points still to come in one world if this card is played."""
        players, wanted = position.players, need[0]
        number = card.bit_length()
        hands[0] ^= card
        led, top, taker, waiting = position.led, position.top, position.taker, position.waiting
        if not led:
            led, top, taker, waiting = deck.suit_of[number], number, 0, players
        elif card & deck.above[top]:
            top, taker = number, 0
        deck.play_out(hands, need, 1, led, top, taker, waiting - 1, position.tricks)
        return wanted - need[0] + (0 if need[0] else size)

    def _choices(self, deck: Deck, position: Position) -> list[int]:
        """Legal cards, weakest first, one of each run of neighbours that nothing in play can tell apart."""
        choices: list[int] = []
        last: dict[int, int] = {}  # by suit: the card met last
        between = sum(position.unseen) | position.on_table
        for card in bits(position.legal):
            suit = deck.suit_of[card.bit_length()]
            below = last.get(suit)
            if below is None or (card - below) & suit & between:
                choices.append(card)
            last[suit] = card
        return choices

    def _start(self, table: kit.Table, declaring: bool) -> None:
        """Give this decision its share of the time left."""
        self.sampled = 0
        self._deadline = None
        if self.clock is None or table.time_left is None:
            return
        # The work of a decision grows with the cards held twice over: more choices, and longer play after
        # each.
        held = len(table.hand)
        work = held * (held + 1)
        later = table.deals[table.deal + 1 :]
        decisions = held + declaring + sum(size + 1 for size, _ in later)
        total = declaring * work + _playing(held)
        total += sum(size * (size + 1) + _playing(size) for size, _ in later)
        seconds = table.time_left / 1000 - OVERHEAD * decisions
        self._deadline = self.clock() + SAFETY * seconds * work / max(total, 1)

    def _note(self, totals: list[int]) -> None:
        """What the best choice is worth in points of the deal, the mean over the worlds."""
        if self.noting:
            best = (
                f"value {max(totals) / self.sampled:.3f} {self.sampled} worlds"
                if self.sampled
                else "tag no-time"
            )
            self.notes.append(best)

    def _late(self) -> bool:
        return self._deadline is not None and self.clock is not None and self.clock() >= self._deadline


def _playing(held: int) -> int:
    """The work of playing a hand of this many cards: the sum of k (k + 1)."""
    return held * (held + 1) * (held + 2) // 3


def main() -> None:
    """Command line."""
    line = kit.parser(__doc__)
    line.add_argument("--worlds", type=int, default=30, metavar="N", help="worlds per decision (default 30)")
    line.add_argument("--no-clock", action="store_true", help="fixed work, however little time is left")
    line.add_argument("--notes", action="store_true", help="note the points expected before each answer")
    options = line.parse_args()
    clock = None if options.no_clock else time.monotonic
    kit.serve(Pimc(options.seed, options.worlds, clock, options.notes))


if __name__ == "__main__":
    main()
