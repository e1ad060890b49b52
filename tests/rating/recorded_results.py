"""Results recorded from published programs, and small makers of tables."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from rating import Match, PairTable
from rating.errors import MalformedGame
from rating.reading.gathering import GameColumns, NumberedGames

RECORDED = Path(__file__).parent.parent / "data" / "rating"

VARIANTS: dict[str, dict[str, Any]] = {
    "default": {"advantage": 32.8, "drawelo": 97.3},
    "nocolour": {"drawelo": 97.3},
    "nocolour_fit": {},
    "fit_both": {"advantage": "fit"},
    "prior8": {"prior": 8.0},
    "prior0": {"prior": 0.0},
}


@lru_cache
def recorded(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(gzip.decompress((RECORDED / f"{name}.json.gz").read_bytes()))
    return loaded


def from_pairs(counts: Iterable[tuple[str, str, int, int, int]], players: Iterable[str] = ()) -> PairTable:
    """The table of (first, second, wins, draws, losses of first); each result is a match of its own."""
    rows = list(counts)
    names = list(dict.fromkeys([*players, *(name for row in rows for name in row[:2])]))
    found = [
        (names.index(a), names.index(b), outcome)
        for a, b, *numbers in rows
        for outcome, number in zip((1, 0, -1), numbers, strict=True)
        for _ in range(number)
    ]
    first, second, outcome = np.array(found, np.int64).reshape(-1, 3).T
    return PairTable.from_results(names, first, second, outcome)


@lru_cache
def recorded_table(name: str) -> PairTable:
    record = recorded(name)
    names = [f"p{k}" for k in range(record["players"])]
    if not record.get("matches"):
        rows = [(names[a], names[b], *counts) for a, b, *counts in record["condensed"]]
        return from_pairs(rows, players=names)
    matches = [
        Match([names[k] for k in seats], points, faulty=None if faulty < 0 else faulty, round=number)
        for number, seats, points, faulty in record["matches"]
    ]
    return PairTable.from_matches(matches, players=names)


def simulate_season(players: int, rounds: int, seed: int = 0) -> list[Match]:
    """Matches of four: a round is a random draw, four rotations, scores around a fixed strength."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0.0, 20.0, players)
    matches = []
    for number in range(1, rounds + 1):
        drawn = rng.permutation(players)[: players // 4 * 4].reshape(-1, 4)
        for table, seats in enumerate(drawn, start=1):
            for shift in range(4):
                turned = np.roll(seats, shift)
                points = np.round(strength[turned] + rng.normal(0.0, 30.0, 4)).tolist()
                names = [f"p{k}" for k in turned]
                matches.append(Match(names, points, round=number, table=table))
    return matches


def split(
    found: Iterable[GameColumns | NumberedGames | MalformedGame],
) -> tuple[list[tuple[str, ...]], list[MalformedGame]]:
    """Games, each as its cells, and problems."""
    games: list[tuple[str, ...]] = []
    problems = []
    for item in found:
        if isinstance(item, MalformedGame):
            problems.append(item)
        elif isinstance(item, NumberedGames):
            names, events = list(item.players), list(item.events)
            for white, black, result, *numbers, event in zip(*(c.tolist() for c in item[2:]), strict=True):
                score = ("1/2-1/2", "1-0", "0-1")[result]
                cells = ("" if number < 0 else str(number) for number in numbers)
                games.append((names[white], names[black], score, *cells, events[event], ""))
        else:
            games += zip(*item, strict=True)
    return games, problems
