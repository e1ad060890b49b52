"""The strength of policies, with intervals as in season ratings: on a ladder, or in crossplay.

    print(evaluate(policy, "planning", against=["random", "greedy"], rounds=50))
    print(crossplay({"now": policy, "past": past, "greedy": greedy}, "planning", rounds=50))

The deals of a round are played from all seats, the same against every opponent: this balances their luck.
A rating is one number; a cycle, or a policy that is only good against similar ones, shows in the cells of a
`Crossplay`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import rating
from arbiter.envs.argument_checks import check_number, check_seed
from arbiter.envs.mixed_pairs import play_pair
from arbiter.envs.opponents import OpponentLike, PolicyOpponent, check_opponents
from arbiter.envs.pettingzoo_base import arena_of
from arbiter.envs.policies import Policy, begin, policy_of
from arbiter.envs.single_env import SingleEnv, limits_of
from arbiter.errors import ConfigError
from arbiter.games.game import AnyGame, Seat
from arbiter.match.follower import PolicyLike
from arbiter.match.spec import Limits
from arbiter.text import counted, html_table, in_columns

POLICY, OPPONENT = "policy", "opponent"
HEADER = ("opponent", "matches", "points", "won", "drawn", "lost", "Elo", "95 % interval", "illegal+faults")


class Rung(NamedTuple):
    """The results against one opponent, which had all other seats.

    `points_a_match` are the policy's; `wins`, `draws` and `losses` count each opponent's seat; `elo` is the
    policy's Elo above the opponent, `low` and `high` the ends of its interval, None without results.
    `illegal` counts matches ended by the policy's illegal moves, `opponent_faults` matches ended by the
    opponent's faults: the author of either loses.
    """

    opponent: str
    matches: int
    points_a_match: float
    wins: int
    draws: int
    losses: int
    elo: float | None
    low: float | None
    high: float | None
    illegal: int
    opponent_faults: int


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation:
    """The rungs of a ladder, in the given order; as text, a table.

    Each of `rungs` has `opponent`, `matches`, `points_a_match` (the policy's), `wins`, `draws`, `losses`
    (against single opponents), `elo` (the policy's above the opponent) with the interval's `low` and `high`,
    `illegal` and `opponent_faults` (matches ended by the policy's illegal moves, by the opponent's faults).
    """

    game: str
    rounds: int
    rungs: tuple[Rung, ...]

    def __repr__(self) -> str:
        opponents = ", ".join(rung.opponent for rung in self.rungs)
        return f"<Evaluation: {self.game}, {counted(self.rounds, 'round')} against {opponents}>"

    def _repr_html_(self) -> str:
        return html_table(HEADER, map(_rung_cells, self.rungs))

    def __str__(self) -> str:
        """Return a table with a line for each rung; Elo is the policy's above the opponent's."""
        return in_columns([HEADER, *map(_rung_cells, self.rungs)])

    def table(self) -> dict[str, list[Any]]:
        """Return the rungs as columns that a data frame takes, with a row for each opponent."""
        return {name: [getattr(rung, name) for rung in self.rungs] for name in Rung._fields}

    def log(self, writer: Any, step: int) -> None:
        """Add a point to the curves of each rung: `writer` is TensorBoard's ``SummaryWriter``, or has its
        ``add_scalar(tag, value, step)``.
        """
        for rung in self.rungs:
            for name in ("points_a_match", "elo", "low", "high"):
                if (value := getattr(rung, name)) is not None:
                    writer.add_scalar(f"{self.game}/{rung.opponent}/{name}", value, step)


def evaluate(
    policy: PolicyLike,
    game: str | AnyGame,
    against: Sequence[OpponentLike],
    *,
    rounds: int = 100,
    seed: int | str = 0,
    limits: Limits | Mapping[str, str] | None = None,
    options: Mapping[str, Any] | None = None,
    **more: Any,
) -> Evaluation:
    """Play `policy` against each of `against`, opponents as in `arbiter.envs.single`.

    Each rung has a match from every seat in each of `rounds` rounds, with deals from `seed`. The results
    of a round are one cluster of the interval. `game` and `limits` as in `single`; the game's `options` as in
    `arbiter.play`, or as keywords, each in one of the two.
    ConfigError for invalid options, TypeError or ValueError for an invalid policy, seed or number of rounds,
    and for a policy's answer that is not an id.
    """
    given: object = policy
    if isinstance(given, str | list | tuple):
        hint = "arbiter.play and arbiter.compare take commands and shipped bots"
        raise ConfigError(f"policy: expected a function or an object with predict, got {given!r}", hint=hint)
    ours = policy_of(policy)
    rounds = check_number(rounds, "a number of rounds is an integer from 1", least=1)
    seed = check_seed(seed) or 0
    if isinstance(against, str | bytes) or not isinstance(against, Sequence) or not against:
        raise ConfigError(f"against is {against!r}, not a list of one or more opponents")
    play, observer, _ = arena_of(game, _merge_options(options, more))
    game = play.game
    tables = [SingleEnv(game, observer, [one] * (game.seats - 1), limits=limits) for one in against]
    try:
        return Evaluation(game.name, rounds, tuple(_play_rung(ours, env, rounds, seed) for env in tables))
    finally:
        for env in tables:
            env.close()


def _merge_options(options: Mapping[str, Any] | None, more: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a mapping and of keywords; ConfigError for one in both."""
    if options is not None and not isinstance(options, Mapping):
        raise ConfigError(f"options: expected a mapping of names to values, got {options!r}")
    if twice := sorted({*(options or ())} & {*more}):
        raise ConfigError(f"{twice[0]} is given twice: in options, and as a keyword", hint="give one of them")
    return {**(options or {}), **more}


def _play_rung(policy: Policy, env: SingleEnv, rounds: int, seed: int | str) -> Rung:
    """Play all matches of a rung, and return their results with the policy's Elo above the opponent."""
    tried = play_matches(policy, env, (POLICY, OPPONENT), rounds, seed)
    table = rating.PairTable.from_matches([match for match, _ in tried], players=(POLICY, OPPONENT))
    found = rating.rate_one(table, POLICY, np.zeros(2), rating.bayeselo(table).drawelo)
    outcome = np.where(table.first == 0, table.outcome, -table.outcome)
    wins, draws, losses = (int((outcome == what).sum()) for what in (1, 0, -1))
    faulty = [match.players[match.faulty] for match, _ in tried if match.faulty is not None]
    return Rung(
        opponent=env.opponents[0].name,
        matches=len(tried),
        points_a_match=sum(points for _, points in tried) / len(tried),
        wins=wins,
        draws=draws,
        losses=losses,
        elo=None if found is None else found.elo,
        low=None if found is None else found.low,
        high=None if found is None else found.high,
        illegal=faulty.count(POLICY),
        opponent_faults=faulty.count(OPPONENT),
    )


def play_matches(
    policy: Policy, env: SingleEnv, names: tuple[str, str], rounds: int, seed: int | str
) -> list[tuple[rating.Match, float]]:
    """Play a match from every seat in each round. Return them with the policy's points.

    `names` are the policy's and the opponents'.
    """
    return [
        _play_match(policy, env, names, f"{seed}/{number}", seat, number)
        for number in range(1, rounds + 1)
        for seat in range(env.play.game.seats)
    ]


def _play_match(
    policy: Policy, env: SingleEnv, names: tuple[str, str], seed: str, seat: Seat, number: int
) -> tuple[rating.Match, float]:
    """Play a match with the policy in this seat. Return it and the policy's points, 0 after a fault."""
    observation, info = env.reset(seed=seed, options={"seat": seat})
    begin(policy)
    over = False
    while not over:
        # A match may be over before the policy's first decision: then a step with any id returns its end.
        action = policy(observation, info["action_mask"]) if info["legal_ids"] else 0
        observation, _, terminated, truncated, info = env.step(action)
        over = terminated or truncated
    game, play = env.play.game, env.play
    players = [names[place != seat] for place in range(game.seats)]
    faulty = seat if "illegal" in info else env.faulty
    points = None if faulty is not None else play.totals
    match = rating.Match(players, points=points, faulty=faulty, sides=game.sides, round=number)
    return match, 0.0 if points is None else float(points[seat])


def _rung_cells(rung: Rung) -> tuple[str, ...]:
    elo, interval = "-", "-"
    if rung.elo is not None:
        elo, interval = f"{rung.elo:+.0f}", f"{rung.low:+.0f} .. {rung.high:+.0f}"
    counts = map(str, (rung.wins, rung.draws, rung.losses))
    points, faults = f"{rung.points_a_match:.2f}", f"{rung.illegal}+{rung.opponent_faults}"
    return rung.opponent, str(rung.matches), points, *counts, elo, interval, faults


class Encounter(NamedTuple):
    """One policy against another, over matches of one copy of either against copies of the other.

    `points_a_match` are its points as the single copy; `elo` is its Elo above the other, `low` and `high`
    the ends of the 95 % interval, clustered by round.
    """

    points_a_match: float
    elo: float
    low: float
    high: float


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

    def table(self) -> dict[str, list[Any]]:
        """Return the cells as columns that a data frame takes: `player`, `opponent`, `points_a_match`, `elo`,
        `low`, `high`.
        """
        rows = [(*pair, *cell) for pair, cell in self.cells.items()]
        names = ("player", "opponent", *Encounter._fields)
        return {name: [row[place] for row in rows] for place, name in enumerate(names)}

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
    **more: Any,
) -> Crossplay:
    """Play each of `policies`, given by name, against copies of each other one.

    Each is what `evaluate` takes: a policy, ``"random"``, a shipped bot's name, a command, or a pool. Each
    pair has a match from every seat in each of `rounds` rounds, both ways round, all on the deals of the
    round; results of a round are one cluster. `game`, `options` and `limits` as in `evaluate`. A program's
    fault loses its match. ConfigError for fewer than two policies or an invalid game, TypeError or ValueError
    as in `evaluate`, and for policies' illegal moves.
    """
    if not isinstance(policies, Mapping) or len(policies) < 2:
        got = len(policies) if isinstance(policies, Mapping) else type(policies).__name__
        raise ConfigError(f"policies: expected a mapping of names to two or more policies, got {got}")
    names = tuple(map(str, policies))
    rounds = check_number(rounds, "a number of rounds is an integer from 1", least=1)
    seed = check_seed(seed) or 0
    play, observer, _ = arena_of(game, _merge_options(options, more))
    game, limits = play.game, limits_of(limits)
    able = dict(zip(names, check_opponents(list(policies.values()), len(policies), game.name), strict=True))
    points: dict[tuple[str, str], float] = {}
    matches: dict[frozenset[str], list[rating.Match]] = {}
    for column in names:
        others = [policies[column]] * (game.seats - 1)
        with SingleEnv(game, observer, others, limits=limits) as env:
            for row in names:
                if row == column:
                    continue
                one = able[row]
                if isinstance(one, PolicyOpponent):
                    found = play_matches(one.policy, env, (row, column), rounds, seed)
                else:
                    found = play_pair(game, (one, able[column]), (row, column), rounds, seed, limits)
                points[row, column] = sum(won for _, won in found) / len(found)
                matches.setdefault(frozenset((row, column)), []).extend(match for match, _ in found)
    every = [match for of_pair in matches.values() for match in of_pair]
    of = rating.intervals(rating.bayeselo(rating.PairTable.from_matches(every, players=names)), "round")
    elo, low, high = (
        dict(zip(names, column.tolist(), strict=True)) for column in (of.fit.elo, of.low, of.high)
    )
    cells = {pair: Encounter(points[pair], *_elo_apart(matches[frozenset(pair)], pair)) for pair in points}
    return Crossplay(game.name, rounds, names, cells, elo, low, high)


def _elo_apart(matches: Iterable[rating.Match], pair: Sequence[str]) -> tuple[float, float, float]:
    """Return the first policy's Elo above the second, with its interval."""
    table = rating.PairTable.from_matches(matches, players=tuple(pair))
    found = rating.rate_one(table, pair[0], np.zeros(2), rating.bayeselo(table).drawelo)
    assert found is not None
    return found.elo, found.low, found.high


def _interval_text(elo: float, low: float, high: float) -> str:
    return f"{elo:+.0f} ± {(high - low) / 2:.0f}"
