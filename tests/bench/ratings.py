"""Figures of `rating` for `make bench`: CPU seconds of one thread on made input, and peak memory.

    python -m tests.bench.ratings            # prints one JSON object
    figures()                                # the same as a dict

The input has the shape of a season: every round all players are drawn to tables of four, a table plays four
rotations of six results each; scores are strength plus Gumbel noise, equal after rounding in about 2 %.
Every figure is the smallest of a few runs, since whatever else a machine does only ever adds.
"""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from arbiter.trials.regression.test_series import level_of
from rating.choose import Choice
from rating.crosstable import PairTable
from rating.fit.bayeselo import bayeselo
from rating.fit.intervals import intervals
from rating.pairing.rounds import next_round
from rating.pairing.rules import Rule
from rating.sequential.gsprt import Gsprt
from rating.simulation import simulate
from rating.threads import one_thread
from tests.fixtures.simulated_blocks import evidence_of, rare_losses, stops
from tests.fixtures.simulated_choices import drawn, equal_blocks, play_choices

__all__ = ["figures", "made_season"]

Found = TypeVar("Found")

BARS = {
    "fit_1000": 0.10,
    "covariance_los_1000": 0.15,
    "round_sandwich_1000": 0.4,
    "fit_10000": 0.8,
    "round_sandwich_10000": 3.0,
    "peak_bytes_10000": 1_000_000_000,
}
"""The most that each figure may be; seconds of CPU, and bytes."""

# Shares of blocks that win and lose, and how much above 1/2 they score: half in the mean.
WITHOUT_GAIN = (
    ((0.2, 1 / 16), (0.1, -1 / 8)),
    ((0.4, 1 / 24), (0.1, -1 / 6)),
    ((0.2, 1 / 16), (0.025, -1 / 2)),
    ((0.4, 1 / 8), (0.4, -1 / 8)),
)
MOST_BLOCKS, RUNS_AT_ONCE = 1500, 500


def made_season(players: int, results: int, seed: int = 1) -> dict[str, Any]:
    """Arguments of `PairTable.from_results`: at least `results` results in whole rounds."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0.0, 1.0, players)
    tables = players // 4
    rounds = -(-results // (tables * 24))
    columns: list[list[np.ndarray[Any, Any]]] = [[], [], [], [], [], []]
    for number in range(rounds):
        seats = rng.permutation(players)[: tables * 4].reshape(tables, 4)
        for rotation in range(4):
            turned = np.roll(seats, rotation, axis=1)
            score = np.round(20.0 * (strength[turned] + rng.gumbel(size=turned.shape)))
            match = (number * 4 + rotation) * tables + np.arange(tables)
            for a, b in combinations(range(4), 2):
                outcome = np.sign(score[:, a] - score[:, b]).astype(np.int64)
                place = np.full(tables, number), np.arange(tables)
                rows = (turned[:, a], turned[:, b], outcome, match, *place)
                for column, row in zip(columns, rows, strict=True):
                    column.append(row)
    first, second, outcome, match, in_round, table = (np.concatenate(column) for column in columns)
    names = [f"p{k}" for k in range(players)]
    return {
        "players": names,
        "first": first,
        "second": second,
        "outcome": outcome,
        "match": match,
        "round": in_round,
        "table": table,
    }


def timed(work: Callable[[], Found], runs: int) -> tuple[float, Found]:
    """The smallest CPU time of `runs` runs, and what the last returned."""
    best = float("inf")
    for _ in range(runs):
        before = time.process_time()
        found = work()
        best = min(best, time.process_time() - before)
    return best, found


def season_figures(players: int, results: int, runs: int) -> dict[str, float]:
    """Seconds for one size; keys end in the number of players."""
    made = made_season(players, results)
    found: dict[str, float] = {}
    found["read_arrays"], table = timed(partial(PairTable.from_results, **made), 2)
    del made
    _forget_peak()
    # A copy shares the arrays, not the counts.
    found["aggregate"], _ = timed(lambda: replace(table, _kept={}).pairs(), runs)
    table.pairs()
    only_fit, fit = timed(lambda: bayeselo(table), runs)
    found["fit_alone"] = only_fit
    found["fit"] = found["aggregate"] + only_fit
    found["round_sandwich"], _ = timed(lambda: intervals(fit, "round"), runs)
    found["peak_bytes"] = _peak_bytes()
    if players <= 2000:
        found["covariance_los"], _ = timed(lambda: intervals(fit, "model").los(), runs)
        found["round_los"], _ = timed(lambda: intervals(fit, "round").los(), runs)
    return {f"{name}_{players}": round(figure, 4) for name, figure in found.items()}


def _forget_peak() -> None:
    """Start the process's peak of memory anew, where the kernel allows it."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak_bytes() -> int:
    """The most memory that the process has held since then (or since it started)."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def figures() -> dict[str, float]:
    """All figures; names end in the number of players (1000 with 1e6 results, 10000 with 5e6).

    `peak_bytes` is the process's memory while aggregating, fitting and computing intervals, table included.
    """
    with one_thread():
        found = season_figures(1000, 1_000_000, 5)
        found |= season_figures(10_000, 5_000_000, 3)
        found |= pairing_figures(200) | pairing_figures(1000)
    return found | evidence_figures() | choice_figures()


def evidence_figures(runs: int = 4000) -> dict[str, float]:
    """How often a candidate that is no better is ever evidently better (e >= 20) and how often called so, in the
    worst of several kinds of blocks, at 5 % both; with the seconds that it took.

    Who stops where the e-value is highest has the worst of all rules.
    """
    before, test, ever, called = time.process_time(), Gsprt(0.0, 10.0), [], []
    for wins, losses in WITHOUT_GAIN:
        highest, sides = [], []
        for start in range(0, runs, RUNS_AT_ONCE):
            made = rare_losses(min(RUNS_AT_ONCE, runs - start), MOST_BLOCKS, wins, losses, seed=start)
            evidence, number = evidence_of(test, made), np.arange(1, MOST_BLOCKS + 1)
            level = (made == 0.5).cumsum(axis=1)
            sums = made.cumsum(axis=1), (made**2).cumsum(axis=1)
            sides.append(stops(test, number, *sums, level, evidence)[0])
            highest.append(evidence.max(axis=1))
        ever.append(np.mean(np.concatenate(highest) >= np.log(20.0)))
        called.append(np.mean(np.concatenate(sides) == 1))
    families = _families_with_a_false_better(1000)
    seconds = time.process_time() - before
    return {
        "family_of_20_false_better": families,
        "evidence_ever_20": round(float(max(ever)), 4),
        "false_better": round(float(max(called)), 4),
        "evidence_simulations": runs * len(WITHOUT_GAIN),
        "evidence_seconds": round(seconds, 2),
    }


def _families_with_a_false_better(families: int, size: int = 20, blocks: int = 400) -> float:
    """The share of families of idle changes in which any test is ever evidently better at its own level."""
    enough = -np.log([level_of(number + 1, 0.05) for number in range(size)])
    found = 0
    for seed in range(families):
        made = rare_losses(size, blocks, (0.4, 1 / 8), (0.4, -1 / 8), seed=seed)
        found += bool((evidence_of(Gsprt(0.0, 30.0), made).max(axis=1) >= enough).any())
    return found / families


def pairing_figures(players: int) -> dict[str, float]:
    """CPU seconds of one round's tables under each rule, after twenty rounds; the fit apart."""
    matches = simulate(players, 20, seed=1).matches
    fit = bayeselo(PairTable.from_matches(matches))
    names = list(fit.table.players)
    rules: tuple[Rule, ...] = ("variance", "variance-sequential", "a-optimal", "d-optimal", "swiss")
    return {
        f"pairing_{rule}_{players}": timed(partial(next_round, fit, names, rule=rule), 3)[0] for rule in rules
    }


def choice_figures(runs: int = 4000) -> dict[str, float]:
    """Of choices among equal candidates the share in which one was called best, which is to be at most 0.05
    and two standard errors (0.007); what one of 8, 30 Elo better, costs in matches of separate tests.

    elo1 is 40 for the errors, so that it takes seconds, and 10 for the cost.
    """
    found, quick = {}, Choice(elo1=40.0)
    for many in (2, 5, 10, 20):
        ended = play_choices(quick, equal_blocks(many, 4000), [0.0] * many, runs)
        found[f"choice_error_{many}"] = float(np.mean(ended.verdict == 1))
    pool, elos, few, longest = equal_blocks(8, 4000), [30.0, *[0.0] * 7], 200, 3000
    matches = float(play_choices(Choice(), pool, elos, few).played_blocks.mean())
    test, rng, separate = Gsprt(alpha=0.05 / len(elos)), np.random.default_rng(3), 0.0
    for elo in elos:
        scores = drawn(pool[:, :1], [elo], few * longest, rng).reshape(few, longest)
        _, step = stops(test, np.arange(1, longest + 1), scores.cumsum(axis=1), (scores**2).cumsum(axis=1))
        separate += float(step.mean()) + 1.0
    return found | {"choice_of_separate_8": matches / separate}


if __name__ == "__main__":
    print(json.dumps(figures(), indent=2))
