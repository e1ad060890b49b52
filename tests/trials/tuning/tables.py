"""Tunings without processes: a bot in memory that plays as its numbers say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from arbiter.store import Store
from arbiter.trials.tuning.tuning_file import load_tuning
from arbiter.trials.tuning.tuning_run import Course, open_tuning
from tests.trials.regression.tables import COMMAND, InMemory, by_lot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from arbiter.games.game import Action, Seat, State
    from arbiter.match.in_memory import Policy
    from arbiter.match.spec import MatchSpec
    from arbiter.trials.tuning.tuning_file import Tuning

SKILL = {"name": "skill", "start": 1, "min": 0, "max": 8, "integer": True}


def tuning(folder: Path, **keys: Any) -> Tuning:
    """A tuning of a bot that nobody starts; keys that are None are left out of its file."""
    shape: dict[str, Any] = {
        "game": {"name": "planning", "deals": [[2, 1], [1, 0]]},
        "base": [*COMMAND, "{skill}"],
        "parameters": [SKILL],
        "iterations": 12,
        "seed": "s",
        "isolation": "plain",
        **keys,
    }
    file = folder / "tune.yaml"
    kept = {key: value for key, value in shape.items() if value is not None}
    file.write_text(yaml.safe_dump(kept, sort_keys=False))
    return load_tuning(str(file), {})


def skill_of(spec: MatchSpec, seat: Seat) -> int:
    return int(spec.players[seat].command[-1])


def by_skill(spec: MatchSpec) -> Policy:
    """The higher the skill, the more often the lowest action, which is good play; else any."""
    chance = by_lot(spec)

    def choose(state: State, seat: Seat) -> Action:
        lot = hash((spec.round, spec.rotation, len(state.legal(seat)), seat)) % 8
        return state.legal(seat)[0] if lot < skill_of(spec, seat) else chance(state, seat)

    return choose


def weak(number: int) -> Callable[[MatchSpec], list[int]]:
    """The seats of who has less skill than this, as those who fault."""
    return lambda spec: [seat for seat in range(len(spec.players)) if skill_of(spec, seat) < number]


def course(of: Tuning) -> Course:
    """A tuning at its beginning, its store's matches not yet read."""
    return Course(of, open_tuning(of, Store(of.store)))


def played(of: Tuning, executor: InMemory | None = None, iterations: int | None = None) -> Course:
    """The tuning after all iterations, or so many."""
    executor = executor or InMemory(by_skill)
    found = course(of)
    while not found.over and found.descent.iteration != iterations:
        for _ in found.play_iteration(executor):
            pass
    return found
