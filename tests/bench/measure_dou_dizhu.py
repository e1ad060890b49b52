"""Measures how strong the Dou Dizhu bots are, all in this one process.

    python -m tests.bench.measure_dou_dizhu --deals 2000 smallest random

Both ways round: the first bot as landlord against two of the second, and the other way about. Printed are the
share of deals that the first one's side won with its standard error, and CPU milliseconds for a deal.
"""

from __future__ import annotations

import argparse
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bots" / "python"), str(ROOT)]

from arbiter.games.cards import Stream  # noqa: E402 -- found through the line above
from arbiter.games.dou_dizhu import DouDizhu  # noqa: E402

NAMES = ("random", "sides", "lowest", "longest", "smallest", "fewest_turns")
LANDLORDS = 3
"""The landlord of one deal in turn."""


class Share(NamedTuple):
    """What part of some deals was won."""

    won: int
    deals: int
    cpu_ms: float

    @property
    def part(self) -> float:
        """Between 0 and 1."""
        return self.won / self.deals

    @property
    def error(self) -> float:
        """One standard error."""
        return (self.part * (1 - self.part) / self.deals) ** 0.5


def bot(name: str, seed: int) -> Any:
    """A player of this name."""
    return import_module(f"dou_dizhu_{name}").Bot(seed)


def play(game: DouDizhu, number: int, names: tuple[str, ...], deal_seed: object) -> tuple[int, ...]:
    """One deal between bots by seat, which hear what they would hear in a match; its points."""
    deal = game.next_deal(0, Stream("measure", deal_seed, number), None)
    assert deal is not None
    # Seeds of their own: two random bots must not be one.
    bots = [bot(name, 3 * number + seat) for seat, name in enumerate(names)]

    def tell(seat: int, command: str) -> str:
        name, *words = command.split()
        reply = bots[seat].answer(name, words)
        assert reply is not None, (names[seat], command)
        return str(reply)

    for wording in (*game.greeting(), *game.dealt(deal)):
        for seat, command in enumerate(wording):
            tell(seat, command)
    state = game.start(deal)
    while state.to_act:
        (seat,) = state.to_act
        action = game.parse(state, seat, tell(seat, "gen_move"))
        after = state.apply(seat, action)
        for seats, command in game.news(state, seat, action, after):
            for hearer in seats:
                tell(hearer, command)
        state = after
    return state.points()


def measure(landlord: str, peasants: str, deals: int, seed: object = 1) -> Share:
    """How often the landlord wins."""
    won, start = 0, time.process_time()
    for number in range(deals):
        seat = number % LANDLORDS
        names = tuple(landlord if s == seat else peasants for s in range(3))
        won += play(DouDizhu([seat]), number, names, seed)[seat] > 0
    return Share(won, deals, (time.process_time() - start) * 1000 / deals)


def main() -> None:
    """Command line."""
    line = argparse.ArgumentParser(description="Measures how strong the bots are.")
    line.add_argument("first", choices=NAMES)
    line.add_argument("second", choices=NAMES)
    line.add_argument("--deals", type=int, default=1000)
    line.add_argument("--seed", default="1")
    options = line.parse_args()
    for landlord, peasants in ((options.first, options.second), (options.second, options.first)):
        share = measure(landlord, peasants, options.deals, options.seed)
        part = share.part if landlord == options.first else 1 - share.part
        side = "landlord" if landlord == options.first else "peasants"
        print(
            f"{options.first} as {side} against {options.second}: {part:.1%} +- {share.error:.1%}, "
            f"{share.cpu_ms:.1f} ms a deal"
        )


if __name__ == "__main__":
    main()
