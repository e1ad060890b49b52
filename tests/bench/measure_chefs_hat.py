"""Measures how strong the Chef's Hat bots are, in this one process.

    python -m tests.bench.measure_chefs_hat --games 500 keep_jokers larger_value

Two bots of each kind sit at a table. A game of three matches is played in all four rotations with the same
shuffles, and is one sample. Printed is the share of places that the first kind takes from the second one: of
all pairs of one bot of each kind, how many the first kind won (half a point for equal points), by the points of
whole games as a tournament counts them, and by the finishing order of single matches. The error is one standard
error over games.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "bots" / "python")]

import chefs_hat_keep_jokers  # noqa: E402 -- found through the lines above
import chefs_hat_larger_value  # noqa: E402
import chefs_hat_most_cards  # noqa: E402
import chefs_hat_one_by_one  # noqa: E402
import chefs_hat_random  # noqa: E402

from arbiter.games.chefs_hat import ChefsHat  # noqa: E402
from arbiter.testing import Bot, Said, match_spec, play_in_memory  # noqa: E402

BOTS: dict[str, Any] = {
    "random": chefs_hat_random.Bot,
    "one_by_one": chefs_hat_one_by_one.Bot,
    "most_cards": chefs_hat_most_cards.Bot,
    "larger_value": chefs_hat_larger_value.Bot,
    "keep_jokers": chefs_hat_keep_jokers.Bot,
}


class Share(NamedTuple):
    """The first kind's share of places with its standard error, by games and by single matches."""

    games: float
    games_error: float
    matches: float
    matches_error: float


def seated(player: Any) -> Bot:
    """A bot's object as the bytes that its program would write."""

    def say(command: str) -> bytes:
        name, *words = command.split()
        reply = player.answer(name, words)
        assert reply is not None, command
        return f"= {reply}".rstrip().encode() + b"\n\n"

    return say


def share(first: str, second: str, games: int, start: int = 0, rules: str = "book") -> Share:
    """What `first` takes from `second` in so many games of four rotations."""
    game = ChefsHat(rules)
    by_games, by_matches = [], []
    for number in range(start, start + games):
        whole, single = [], []
        for shift in range(4):
            order = [(place - shift) % 4 for place in range(4)]
            # Opposite or neighbouring seats in turn; a seed of its own for each player.
            kinds = [first, second, first, second] if number % 2 else [first, first, second, second]
            players = [BOTS[kinds[place]](1000 * number + place) for place in order]
            ours = [kinds[place] == first for place in order]
            said: list[Said] = []
            spec = match_spec(game, seed=f"measure {number}", rotation=shift)
            record = play_in_memory(game, [seated(player) for player in players], spec, transcript=said)
            assert record.points is not None, record.forfeit
            whole += pairs(record.points, ours)
            for seat, command, _ in said:
                if seat == 0 and command.startswith("end_deal"):
                    single += pairs([int(word) for word in command.split()[1:]], ours)
        by_games.append(statistics.mean(whole))
        by_matches.append(statistics.mean(single))
    root = games**0.5
    return Share(
        statistics.mean(by_games),
        statistics.stdev(by_games) / root,
        statistics.mean(by_matches),
        statistics.stdev(by_matches) / root,
    )


def pairs(points: Sequence[int], ours: Sequence[bool]) -> list[float]:
    """A result for each pair of one of ours and one of theirs."""
    return [
        (points[one] > points[other]) + (points[one] == points[other]) / 2
        for one in range(4)
        if ours[one]
        for other in range(4)
        if not ours[other]
    ]


def main() -> None:
    """Command line."""
    line = argparse.ArgumentParser(description="Measures how strong the Chef's Hat bots are.")
    line.add_argument("first", choices=sorted(BOTS))
    line.add_argument("second", choices=sorted(BOTS))
    line.add_argument("--games", type=int, default=100)
    line.add_argument("--rules", choices=("book", "gym2"), default="book")
    options = line.parse_args()
    found = share(options.first, options.second, options.games, rules=options.rules)
    print(f"{options.first} takes from {options.second}, in per cent of the places:")
    print(f"  by games   {100 * found.games:5.1f} +- {100 * found.games_error:.1f}")
    print(f"  by matches {100 * found.matches:5.1f} +- {100 * found.matches_error:.1f}")


if __name__ == "__main__":
    main()
