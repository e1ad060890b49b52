"""Every policy at the table of every other one, on the same deals: who beats whom, and how surely.

    found = crossplay({"now": policy, "past": past, "greedy": greedy}, "planning", rounds=50)
    print(found)

Ratings say one number of each; a cycle, or a policy that is good against its own kind alone, shows in the
cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import rating
from arbiter.envs.argument_checks import checked_number, checked_seed
from arbiter.envs.evaluation import in_columns, played
from arbiter.envs.pettingzoo_base import arena_of
from arbiter.envs.policies import policy_of
from arbiter.envs.single_env import SingleEnv
from arbiter.errors import ConfigError
from arbiter.games.game import AnyGame


class Encounter(NamedTuple):
    """One policy against another, over the matches of either alone among copies of the other.

    `points` are its own a match, alone among copies; `elo` is how much better it is, `low` and `high` the
    ends of the 95 % interval, by round.
    """

    points: float
    elo: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Crossplay:
    """`cells` by the names of both, of two that differ; `elo`, `low`, `high` by name over all results."""

    game: str
    rounds: int
    names: tuple[str, ...]
    cells: Mapping[tuple[str, str], Encounter]
    elo: Mapping[str, float]
    low: Mapping[str, float]
    high: Mapping[str, float]

    def __str__(self) -> str:
        """A line for each policy, the best first: Elo, then how much better it is than each."""
        order = sorted(self.names, key=lambda name: -self.elo[name])
        rows = [["", "Elo", *order]]
        rows += [
            [row, _interval(*self._of(row)), *(self._cell(row, column) for column in order)] for row in order
        ]
        return in_columns(rows)

    def _of(self, name: str) -> tuple[float, float, float]:
        return self.elo[name], self.low[name], self.high[name]

    def _cell(self, row: str, column: str) -> str:
        return "" if row == column else _interval(*self.cells[row, column][1:])


def crossplay(
    policies: Mapping[str, Any], game: str | AnyGame, *, rounds: int = 50, seed: int | str = 0, **options: Any
) -> Crossplay:
    """Play each of `policies`, by their names, alone among copies of each other one.

    Each pair has a match from every seat in each of so many rounds, both ways round, all on the deals of the
    round; results of a round are one cluster. `game` and its `options` as of `single`. ConfigError for fewer
    than two policies or what no game can be, TypeError or ValueError as of `evaluate`, and for a policy that
    does what is illegal.
    """
    if not isinstance(policies, Mapping) or len(policies) < 2:
        raise ConfigError("policies are a mapping of names to two or more policies")
    names = tuple(map(str, policies))
    able = dict(zip(names, map(policy_of, policies.values()), strict=True))
    rounds = checked_number(rounds, "a number of rounds is an integer from 1", least=1)
    seed = checked_seed(seed) or 0
    play, observer, _ = arena_of(game, options)
    points: dict[tuple[str, str], float] = {}
    matches: dict[frozenset[str], list[rating.Match]] = {}
    for column in names:
        with SingleEnv(play.game, observer, [able[column]] * (play.game.seats - 1)) as env:
            for row in names:
                if row == column:
                    continue
                found = played(able[row], env, (row, column), rounds, seed)
                points[row, column] = sum(won for _, won in found) / len(found)
                matches.setdefault(frozenset((row, column)), []).extend(match for match, _ in found)
    every = [match for of_pair in matches.values() for match in of_pair]
    of = rating.intervals(rating.bayeselo(rating.PairTable.from_matches(every, players=names)), "round")
    elo, low, high = (
        dict(zip(names, column.tolist(), strict=True)) for column in (of.fit.elo, of.low, of.high)
    )
    cells = {pair: Encounter(points[pair], *_apart(matches[frozenset(pair)], pair)) for pair in points}
    return Crossplay(play.game.name, rounds, names, cells, elo, low, high)


def _apart(matches: Iterable[rating.Match], pair: Sequence[str]) -> tuple[float, float, float]:
    """How much better the first of two is."""
    table = rating.PairTable.from_matches(matches, players=tuple(pair))
    found = rating.rate_one(table, pair[0], np.zeros(2), rating.bayeselo(table).drawelo)
    assert found is not None
    return found.elo, found.low, found.high


def _interval(elo: float, low: float, high: float) -> str:
    return f"{elo:+.0f} ± {(high - low) / 2:.0f}"
