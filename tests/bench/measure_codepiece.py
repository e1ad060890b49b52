"""Measures how strong the Codepiece bots are: duplicate pairs, all bots in this one process.

    python -m tests.bench.measure_codepiece --pairs 200 pimc rules

Every match of four deals is played twice, each bot holding both seats of a side and then of the other. A pair
of matches is won by who has more points in both together. Printed are the share of pairs won (a draw is
half), its standard error, points a deal, and CPU seconds a deal and bot.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bots" / "python"))

import codepiece_aces
import codepiece_high
import codepiece_pimc
import codepiece_random
import codepiece_rules
import codepiece_small_bids

from arbiter.games.codepiece import Codepiece
from arbiter.testing import match_spec, play_in_memory

BOTS = {
    "random": codepiece_random.Bot,
    "small bids": codepiece_small_bids.Bot,
    "aces": codepiece_aces.Bot,
    "high": codepiece_high.Bot,
    "rules": codepiece_rules.Bot,
    "pimc": lambda seed: codepiece_pimc.Bot(seed, clock=False),
}


class Spoken:
    """A bot as the referee hears it, with the CPU time that it has used."""

    seconds = 0.0

    def __init__(self, bot):
        self.bot = bot

    def __call__(self, line):
        start = time.process_time()
        text = self.bot.reply(line)
        self.seconds += time.process_time() - start
        return b"?\n\n" if text is None else f"= {text}\n\n".encode()


def pairs(first: str, second: str, number: int, start: int = 0) -> tuple[list[int], list[float]]:
    """What the first gained in each pair; and CPU seconds that a bot of either used for a deal."""
    outcomes, seconds = [], [0.0, 0.0]
    game = Codepiece(partners="same")
    for pair in range(start, start + number):
        gained = 0
        for places in game.seatings:
            bots = [Spoken(BOTS[(first, second)[place]](1 + seat // 2)) for seat, place in enumerate(places)]
            spec = match_spec(game, seed=f"measure-{pair}", names=[str(place) for place in places])
            record = play_in_memory(game, bots, spec)
            assert record.points is not None, record.forfeit
            gained += record.points[places.index(0)]
            for bot, place in zip(bots, places, strict=True):
                seconds[place] += bot.seconds / number / 16
        outcomes.append(gained)
    return outcomes, seconds


def share(outcomes: list[int]) -> tuple[float, float]:
    """The share of pairs won, and its standard error."""
    scores = [0.5 if gained == 0 else float(gained > 0) for gained in outcomes]
    mean = sum(scores) / len(scores)
    spread = sum((score - mean) ** 2 for score in scores) / max(len(scores) - 1, 1)
    return mean, math.sqrt(spread / len(scores))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--pairs", type=int, default=100)
    options.add_argument("--start", type=int, default=0)
    options.add_argument("bots", nargs=2, choices=sorted(BOTS))
    chosen = options.parse_args()
    first, second = chosen.bots
    outcomes, seconds = pairs(first, second, chosen.pairs, chosen.start)
    mean, error = share(outcomes)
    print(f"{first} wins {mean:.1%} ± {error:.1%} of {chosen.pairs} pairs against {second},")
    print(
        f"{sum(outcomes) / len(outcomes) / 8:+.2f} points a deal; CPU s a deal {seconds[0]:.3f}, {seconds[1]:.3f}"
    )


if __name__ == "__main__":
    main()
