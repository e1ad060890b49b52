"""Measures how right the values of a search bot in C++ are: what `gen_values` says, and what comes of it.

    make -C bots/cpp && python -m tests.bench.measure_values --matches 100 planning

The search holds all seats. At one decision in four it is asked for values five times, and the means are kept.
Printed are, by the chance to win of the best option, the share of matches won, with one standard error over
matches; the line of the points of deals by the values of what was played; and the bots' CPU seconds a match.
"""

from __future__ import annotations

import argparse
import random
import resource
from collections import defaultdict

import numpy as np

from arbiter.games import make
from arbiter.testing import match_spec, play_in_memory
from tests.fixtures.bot_programs import BOTS, Process

BUILT = BOTS / "cpp" / "build"
TIMES, ONE_IN = 5, 4


class Asked(Process):
    """A search bot in a seat; `said` has (deal, request, value of what it played, chance of the best option)."""

    def __init__(self, game: str, budget_ms: int, seed: int, luck: random.Random) -> None:
        command = [str(BUILT / f"{game}_search"), "--budget-ms", str(budget_ms), "--seed", str(seed)]
        super().__init__(command)
        self.luck, self.deal = luck, -1
        self.said: list[tuple[int, str, float, float]] = []

    def __call__(self, line: str) -> bytes:
        self.deal += line.startswith("set_cards")
        if not line.startswith("gen_") or self.luck.randrange(ONE_IN):
            return super().__call__(line)
        sums: defaultdict[str, np.ndarray] = defaultdict(lambda: np.zeros(2))
        for _ in range(TIMES):
            for word in self.ask(["gen_values"])[0][2:].split():
                option, *numbers = word.split(":")
                sums[option] += np.array(numbers, float) / TIMES
        reply = super().__call__(line)
        value = float(sums[reply[2:].decode().strip().replace(" ", "_")][0])
        self.said.append((self.deal, line.strip(), value, max(float(win) for _, win in sums.values())))
        return reply


def rows(name: str, budget_ms: int, matches: range) -> np.ndarray:
    """(decisions, 6): match, is it a card, value, best chance to win; points of the deal, share of the match won."""
    found = []
    game = make(name, {})
    for match in matches:
        luck = random.Random(match)
        bots = [Asked(name, budget_ms, seat + 1, luck) for seat in range(game.seats)]
        record = play_in_memory(game, bots, match_spec(game, seed=f"values-{match}"))
        assert record.points is not None, record.forfeit
        scores = np.diff(np.array(record.scores), axis=0, prepend=0)
        first = np.array(record.points) == max(record.points)
        sides = len(set(game.sides)) if game.sides else game.seats
        won = first / (first.sum() * sides / game.seats)
        for seat, bot in enumerate(bots):
            bot.close()
            found += [
                (match, request == "gen_move", value, win, scores[deal, seat], won[seat])
                for deal, request, value, win in bot.said
            ]
    return np.array(found, float)


def by_match(match: np.ndarray, won: np.ndarray) -> tuple[float, float]:
    """The mean, and its standard error, decisions of a match hanging together."""
    mean = float(won.mean())
    sums = [float((won[match == number] - mean).sum()) for number in np.unique(match)]
    return mean, float(np.sqrt(np.square(sums).sum()) / len(won))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    options.add_argument("--matches", type=int, default=100)
    options.add_argument("--start", type=int, default=0, help="number of the first match")
    options.add_argument("--told", type=int, default=600, help="milliseconds that each bot plans for")
    options.add_argument("game", choices=["planning", "codepiece", "dou_dizhu", "chefs_hat"])
    chosen = options.parse_args()
    found = rows(chosen.game, chosen.told, range(chosen.start, chosen.start + chosen.matches))
    match, card, value, chance, points, won = found.T
    for tenth in range(10):
        part = np.minimum(chance * 10, 9).astype(int) == tenth
        if part.any():
            mean, error = by_match(match[part], won[part])
            print(f"valued {chance[part].mean():.3f}, won {mean:.3f} ± {error:.3f} of {part.sum()}")
    for name, part in (("cards", card == 1), ("declarations, bids, trumps, gifts", card == 0)):
        if part.any():
            slope, intercept = np.polyfit(value[part], points[part], 1)
            print(f"{name}: points = {slope:.3f} value {intercept:+.2f}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{(used.ru_utime + used.ru_stime) / chosen.matches:.2f} CPU seconds a match")


if __name__ == "__main__":
    main()
