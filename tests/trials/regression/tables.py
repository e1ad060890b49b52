"""Regression tests without processes: versions that play in memory, and an executor that has them play."""

from __future__ import annotations

import json
from concurrent.futures import Executor, Future
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.errors import VoidMatch
from arbiter.games import make
from arbiter.match.packing import pack_match
from arbiter.match.spec import original
from arbiter.testing import ScriptedBot, play_by_policy, play_in_memory, random_policy
from arbiter.trials.regression.experiment import Experiment, experiment_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from arbiter.games.game import Action, AnyGame, Seat, State
    from arbiter.match.in_memory import Policy
    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec

SMALL = {"name": "planning", "deals": [[2, 1], [1, 0]]}
COMMAND = ["/bin/sh", "-c", "exit"]
RECORDS: dict[object, MatchRecord] = {}
"""By policy and spec: many tests play the same matches, which nothing else goes into."""


def experiment(game: object = SMALL, folder: Path | None = None, **keys: Any) -> Experiment:
    """A test of two versions that nobody starts."""
    store = {} if folder is None else {"store": f"sqlite:///{folder / 'test.sqlite'}"}
    given = {"game": game, "base": COMMAND, "candidate": [*COMMAND, "new"], "seed": "s", **store, **keys}
    return experiment_of(None, {key: value for key, value in given.items() if value is not None})


@cache
def game_of(name: str, options: str) -> AnyGame:
    return make(name, json.loads(options))


class InMemory(Executor):
    """Plays each match at once: by lot, or as `policy` of it says; who is in `faulty` never answers."""

    def __init__(
        self,
        policy: Callable[[MatchSpec], Policy] | None = None,
        faulty: Callable[[MatchSpec], Collection[Seat]] = lambda _spec: (),
        void: Collection[str] = (),
    ) -> None:
        self._policy, self._faulty, self._void = policy or by_lot, faulty, list(void)
        self.played: list[str] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        (spec,) = args
        future: Future[Any] = Future()
        self.played.append(spec.id)
        if spec.id in self._void:
            self._void.remove(spec.id)
            future.set_exception(VoidMatch("its worker died"))
        else:
            future.set_result(pack_match(self.record(spec)))
        return future

    def record(self, spec: MatchSpec) -> MatchRecord:
        played = self._policy, repr(spec)
        record = RECORDS.get(played)
        game = game_of(spec.game, json.dumps(spec.options))
        if record is None:
            record = RECORDS[played] = play_by_policy(game, self._policy(spec), spec)
        faulty = self._faulty(spec)
        if not faulty:
            return record
        bots = [ScriptedBot.replaying(record, seat) for seat in range(game.seats)]
        for seat in faulty:
            bots[seat] = ScriptedBot()
        return play_in_memory(game, bots, spec)


def seats_of(version: str) -> Callable[[MatchSpec], list[int]]:
    """The seats of a version, as those who fault."""
    return lambda spec: [seat for seat, player in enumerate(spec.players) if original(player.name) == version]


def by_lot(spec: MatchSpec) -> Policy:
    """Any legal action."""
    return random_policy(f"{spec.seed}{spec.id}")


def alike(_spec: MatchSpec) -> Policy:
    """Everybody plays the lowest action."""
    return lambda state, seat: state.legal(seat)[0]


@cache
def skilled(version: str) -> Callable[[MatchSpec], Policy]:
    """The version declares no trick and gives away its lowest cards; the others play by lot."""

    def policy(spec: MatchSpec) -> Policy:
        chance = by_lot(spec)

        def choose(state: State, seat: Seat) -> Action:
            mine = original(spec.players[seat].name) == version
            return state.legal(seat)[0] if mine else chance(state, seat)

        return choose

    return policy
