"""The strength of a policy on a ladder, with intervals as in season ratings.

    print(evaluate(policy, "planning", against=["random", "greedy"], rounds=50))

The deals of a round are played from all seats, the same against every opponent: this balances their luck.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict, cast

import numpy as np

import rating
from arbiter.envs.argument_checks import check_parameter
from arbiter.envs.opponents import OpponentLike
from arbiter.envs.pairings import Tried, play_rounds
from arbiter.envs.pettingzoo_base import arena_of
from arbiter.envs.policies import policy_of
from arbiter.envs.policy_pairing import PolicyPairing
from arbiter.envs.single_env import SingleEnv, limits_of
from arbiter.errors import ConfigError, slip_of
from arbiter.games import find
from arbiter.games.game import AnyGame
from arbiter.match.follower import PolicyLike
from arbiter.match.spec import Limits
from arbiter.table.match_progress import ProgressLike
from arbiter.text import counted, html_table, in_columns, signed

POLICY, OPPONENT = "policy", "opponent"
PARAMETERS = ("rounds", "seed", "limits", "options", "workers", "progress")
NO_PARAMETERS = ("matches", "strict")
"""Those of `arbiter.play` alone."""
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


class LadderTable(TypedDict):
    """A row for each rung."""

    opponent: list[str]
    matches: list[int]
    points_a_match: list[float]
    wins: list[int]
    draws: list[int]
    losses: list[int]
    elo: list[float | None]
    low: list[float | None]
    high: list[float | None]
    illegal: list[int]
    opponent_faults: list[int]


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

    def table(self) -> LadderTable:
        """Return the rungs as columns that a data frame takes, with a row for each opponent."""
        columns = {name: [getattr(rung, name) for rung in self.rungs] for name in Rung._fields}
        return cast("LadderTable", columns)

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
    workers: int | None = 1,
    progress: ProgressLike = False,
    **more: Any,
) -> Evaluation:
    """Play `policy` against each of `against`, opponents as in `arbiter.envs.single`.

    Each rung has a match from every seat in each of `rounds` rounds, with deals from `seed`. The results
    of a round are one cluster of the interval. `game` and `limits` as in `single`; the game's `options` as in
    `arbiter.play`, or as keywords, each in one of the two. `workers` and `progress` as in `arbiter.play`;
    what a worker learns, such as a pool's ratings, stays there.

    ConfigError for values that do not fit; for a policy, a seed and a number of rounds it is also a TypeError
    or ValueError. An answer that is no id and an opponent's illegal action raise ArbiterError, which is one
    of these too; a policy's exception raises BotCheckFailed, with one worker from it. Both name player, seat,
    round, deal and decision.
    """
    given: object = policy
    if isinstance(given, str | list | tuple):
        hint = "arbiter.play and arbiter.compare take commands and shipped bots"
        raise ConfigError(f"policy: expected a function or an object with predict, got {given!r}", hint=hint)
    ours = policy_of(policy)
    rounds, seed = check_rounds(rounds, seed)
    if isinstance(against, str | bytes) or not isinstance(against, Sequence) or not against:
        raise ConfigError(f"against: expected a list of one or more opponents, got {against!r}")
    play, observer, _ = arena_of(game, merge_options(options, more, game))
    game = play.game
    limits, whose = limits_of(limits), getattr(ours, "__name__", type(ours).__name__)
    tables = [SingleEnv(game, observer, [one] * (game.seats - 1), limits=limits) for one in against]
    pairings = [PolicyPairing(ours, env, (POLICY, OPPONENT), seed, whose, env.limits) for env in tables]
    # A pool that plays has the name of its member.
    names = [env.opponents[0].name for env in tables]
    found = play_rounds(pairings, rounds, workers, progress)
    return Evaluation(game.name, rounds, tuple(map(_rung, names, found)))


def check_rounds(rounds: object, seed: object) -> tuple[int, int | str]:
    """Return the number of rounds and the seed of their deals, 0 for None; WrongType, WrongValue."""
    found = check_parameter("seed", 0 if seed is None else seed, texts=True)
    number = check_parameter("rounds", rounds, least=1)
    assert isinstance(number, int)
    return number, found


def merge_options(options: Mapping[str, Any] | None, more: Mapping[str, Any], game: object) -> dict[str, Any]:
    """Return the options of a mapping and of keywords; ConfigError for one in both, or a wrong parameter."""
    if options is not None and not isinstance(options, Mapping):
        raise ConfigError(f"options: expected a mapping of names to values, got {options!r}")
    if twice := sorted({*(options or ())} & {*more}):
        raise ConfigError(f"{twice[0]} is given twice: in options, and as a keyword", hint="give one of them")
    known = find(game).option_help if isinstance(game, str) else ()
    for name in {*more}.difference(known):
        if name in NO_PARAMETERS:
            raise ConfigError(f"{name} is no parameter here", hint="arbiter.play and arbiter.compare have it")
        if not slip_of(name, known) and (hint := slip_of(name, PARAMETERS)):
            raise ConfigError(f"{name} is no parameter here", hint=hint)
    return {**(options or {}), **more}


def _rung(opponent: str, tried: Sequence[Tried]) -> Rung:
    """Return the results against an opponent, with the policy's Elo above it."""
    table = rating.PairTable.from_matches([match for match, _ in tried], players=(POLICY, OPPONENT))
    found = rating.rate_one(table, POLICY, np.zeros(2), rating.bayeselo(table).drawelo)
    outcome = np.where(table.first == 0, table.outcome, -table.outcome)
    wins, draws, losses = (int((outcome == what).sum()) for what in (1, 0, -1))
    faulty = [match.players[match.faulty] for match, _ in tried if match.faulty is not None]
    return Rung(
        opponent=opponent,
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


def _rung_cells(rung: Rung) -> tuple[str, ...]:
    elo, interval = "-", "-"
    if rung.elo is not None:
        elo, interval = signed(rung.elo), f"{signed(rung.low)} .. {signed(rung.high)}"
    counts = map(str, (rung.wins, rung.draws, rung.losses))
    points, faults = f"{rung.points_a_match:.2f}", f"{rung.illegal}+{rung.opponent_faults}"
    return rung.opponent, str(rung.matches), points, *counts, elo, interval, faults
