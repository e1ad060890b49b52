"""What several tests build: records, executors that play nothing, rounds played with them."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING, Any

from arbiter.executors import SizedExecutor
from arbiter.packing import pack_match
from arbiter.record import MatchRecord, Move
from arbiter.regress.run import play_on, resume
from arbiter.regress.trial import Trial
from arbiter.season.events import Stopped
from arbiter.season.matches import play_matches

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arbiter.match import MatchSpec
    from arbiter.regress.experiment import Experiment
    from arbiter.season.plan import RoundPlan
    from arbiter.store import SeasonStore


def record(match_id: str = "r001/t01/m0", round_number: int = 1, **changes: object) -> MatchRecord:
    fields: dict[str, object] = {
        "id": match_id,
        "season": "s",
        "round": round_number,
        "table": 1,
        "rotation": 0,
        "game": "planning",
        "options": {"seats": 4},
        "seed": "1",
        "deal_hash": "0" * 64,
        "players": ("a", "b", "c", "d"),
        "deals": ({"hands": [["2C"]], "starter": 0},),
        "moves": (Move(0, 0, "gen_move", "2C", 1000, 0, 0, 1000, 5000),),
        "points": (3, 2, 1, 0),
        "forfeit": None,
    }
    return MatchRecord(**(fields | changes))  # type: ignore[arg-type]


class Scripted(SizedExecutor):
    """Answers each match from a function, in place of playing it."""

    size = 1

    def __init__(self, outcome: Callable[[MatchSpec], MatchRecord]) -> None:
        self.played: list[str] = []
        self._outcome = outcome

    def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
        (spec,) = args
        self.played.append(spec.id)
        future: Future[Any] = Future()
        try:
            future.set_result(pack_match(self._outcome(spec)))
        except Exception as error:
            future.set_exception(error)
        return future


def standings(number: int) -> dict[str, object]:
    """Standings after a round, of one player."""
    figures = dict.fromkeys(("matches", "results", "wins", "draws", "losses", "points"), 0)
    row: dict[str, Any] = {
        "rank": 1,
        "player": "a",
        "elo": 0.0,
        "low": None,
        "high": None,
        **figures,
        "faults": {},
    }
    return {"season": "s", "game": "planning", "rounds_played": number, "warnings": [], "players": [row]}


def by_name(spec: MatchSpec, others: Mapping[str, int] | None = None) -> MatchRecord:
    """The higher number wins."""
    names = tuple(player.name for player in spec.players)
    known = others or {}
    points = tuple(known[name] if name in known else int(name[1:]) for name in names)
    return record(
        spec.id, spec.round or 0, players=names, points=points, table=spec.table, rotation=spec.rotation
    )


def play_round(season: SeasonStore, plan: RoundPlan, executor: Executor) -> bool:
    """Play what is missing of a round; False where it was stopped."""
    return not any(isinstance(event, Stopped) for event in play_matches(season, plan.missing, executor))


def play_trial(experiment: Experiment, season: SeasonStore, executor: Executor, at_once: int) -> Trial:
    """A regression test played until its verdict."""
    trial = resume(Trial(experiment), season)
    for _ in play_on(trial, season, executor, at_once):
        pass
    return trial
