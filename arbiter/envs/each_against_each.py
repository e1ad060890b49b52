"""The strength of policies against each other, with intervals as in season ratings.

    print(crossplay({"now": policy, "past": past, "greedy": greedy}, "planning", rounds=50))

The deals of a round are played from all seats, the same by all pairs: this balances their luck. A rating is
one number; a cycle, or a policy that is only good against similar ones, shows in the cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict, cast

import numpy as np

import rating
from arbiter.envs.evaluation import check_rounds, merge_options
from arbiter.envs.mixed_pairs import MixedPairing
from arbiter.envs.opponents import Opponent, OpponentLike, PolicyOpponent, check_opponents
from arbiter.envs.pairings import Pairing, play_rounds
from arbiter.envs.pettingzoo_base import arena_of
from arbiter.envs.policy_pairing import PolicyPairing
from arbiter.envs.single_env import SingleEnv, limits_of
from arbiter.errors import ConfigError
from arbiter.games.game import AnyGame
from arbiter.match.spec import Limits
from arbiter.table.match_progress import ProgressLike
from arbiter.text import counted, html_table, in_columns, signed


class Encounter(NamedTuple):
    """One policy against another, over matches of one copy of either against copies of the other.

    `points_a_match` are its points as the single copy; `elo` is its Elo above the other, `low` and `high`
    the ends of the 95 % interval, clustered by round.
    """

    points_a_match: float
    elo: float
    low: float
    high: float


class CrossplayTable(TypedDict):
    """A row for each ordered pair of policies."""

    player: list[str]
    opponent: list[str]
    points_a_match: list[float]
    elo: list[float]
    low: list[float]
    high: list[float]


@dataclass(frozen=True, slots=True, repr=False)
class Crossplay:
    """`cells` by the names of two different policies; `elo`, `low`, `high` by name over all results.

    A cell has the `points_a_match` of the first, and its `elo` above the second with `low` and `high`.
    """

    game: str
    rounds: int
    names: tuple[str, ...]
    cells: Mapping[tuple[str, str], Encounter]
    elo: Mapping[str, float]
    low: Mapping[str, float]
    high: Mapping[str, float]

    def __repr__(self) -> str:
        return f"<Crossplay: {self.game}, {counted(self.rounds, 'round')} between {', '.join(self.names)}>"

    def _repr_html_(self) -> str:
        header, *rows = self._rows()
        return html_table(header, rows)

    def __str__(self) -> str:
        """Return a line for each policy, the best first: its Elo, then its Elo above each other."""
        return in_columns(self._rows())

    def table(self) -> CrossplayTable:
        """Return the cells as columns that a data frame takes: `player`, `opponent`, `points_a_match`, `elo`,
        `low`, `high`.
        """
        rows = [(*pair, *cell) for pair, cell in self.cells.items()]
        names = ("player", "opponent", *Encounter._fields)
        columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
        return cast("CrossplayTable", columns)

    def _rows(self) -> list[list[str]]:
        order = sorted(self.names, key=lambda name: -self.elo[name])
        return [["", "Elo", *order]] + [
            [row, _interval_text(*self._elo_of(row)), *(self._cell_text(row, column) for column in order)]
            for row in order
        ]

    def _elo_of(self, name: str) -> tuple[float, float, float]:
        return self.elo[name], self.low[name], self.high[name]

    def _cell_text(self, row: str, column: str) -> str:
        return "" if row == column else _interval_text(*self.cells[row, column][1:])


def crossplay(
    policies: Mapping[str, OpponentLike],
    game: str | AnyGame,
    *,
    rounds: int = 50,
    seed: int | str = 0,
    limits: Limits | Mapping[str, str] | None = None,
    options: Mapping[str, Any] | None = None,
    workers: int | None = 1,
    progress: ProgressLike = False,
    **more: Any,
) -> Crossplay:
    """Play each of `policies`, given by name, against copies of each other one.

    Each is what `evaluate` takes: a policy, ``"random"``, a shipped bot's name, a command, or a pool. Each
    pair has a match from every seat in each of `rounds` rounds, both ways round, all on the deals of the
    round; results of a round are one cluster. `game`, `options`, `limits`, `workers` and `progress` as in
    `evaluate`. A program's fault loses its match. Errors as in `evaluate`; ConfigError for fewer than two
    policies, ArbiterError for any policy's illegal action.
    """
    if not isinstance(policies, Mapping) or len(policies) < 2:
        got = len(policies) if isinstance(policies, Mapping) else type(policies).__name__
        raise ConfigError(f"policies: expected a mapping of names to two or more policies, got {got}")
    policies = {str(name): policy for name, policy in policies.items()}
    names = tuple(policies)
    if not all(names):
        raise ConfigError("policies: expected a name for each, got ''")
    rounds, seed = check_rounds(rounds, seed)
    play, observer, _ = arena_of(game, merge_options(options, more, game))
    game, limits = play.game, limits_of(limits)
    able = {name: _check_policy(name, one, game.name) for name, one in policies.items()}
    pairs = [(row, column) for column in names for row in names if row != column]

    def pairing(row: str, column: str) -> Pairing:
        one = able[row]
        if not isinstance(one, PolicyOpponent):
            return MixedPairing(game, (one, able[column]), (row, column), seed, limits)
        env = SingleEnv(game, observer, [policies[column]] * (game.seats - 1), limits=limits)
        for opponent in env.opponents:
            if isinstance(opponent, PolicyOpponent):
                opponent.name, opponent.role = column, "policy"
        return PolicyPairing(one.policy, env, (row, column), seed, row, env.limits, strict=True)

    points: dict[tuple[str, str], float] = {}
    matches: dict[frozenset[str], list[rating.Match]] = {}
    played = play_rounds([pairing(*pair) for pair in pairs], rounds, workers, progress)
    for pair, found in zip(pairs, played, strict=True):
        points[pair] = sum(won for _, won in found) / len(found)
        matches.setdefault(frozenset(pair), []).extend(match for match, _ in found)
    every = [match for of_pair in matches.values() for match in of_pair]
    of = rating.intervals(rating.bayeselo(rating.PairTable.from_matches(every, players=names)), "round")
    elo, low, high = (
        dict(zip(names, column.tolist(), strict=True)) for column in (of.fit.elo, of.low, of.high)
    )
    cells = {pair: Encounter(points[pair], *_elo_apart(matches[frozenset(pair)], pair)) for pair in points}
    return Crossplay(game.name, rounds, names, cells, elo, low, high)


def _check_policy(name: str, one: object, game: str) -> Opponent:
    """Return a policy as an opponent; ConfigError, which names it."""
    try:
        return check_opponents([one], 1, game)[0]
    except ConfigError as error:
        raise error.in_one_line(f"policies: {name}") from None


def _elo_apart(matches: Iterable[rating.Match], pair: Sequence[str]) -> tuple[float, float, float]:
    """Return the first policy's Elo above the second, with its interval."""
    table = rating.PairTable.from_matches(matches, players=tuple(pair))
    found = rating.rate_one(table, pair[0], np.zeros(2), rating.bayeselo(table).drawelo)
    assert found is not None
    return found.elo, found.low, found.high


def _interval_text(elo: float, low: float, high: float) -> str:
    return f"{signed(elo)} ± {(high - low) / 2:.0f}"
