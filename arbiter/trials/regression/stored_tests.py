"""Regression tests in a store, read again from the settings that were kept with them.

The number of blocks after which a test is given up is no part of what is kept for it: who goes on may give
another. So a test read here is undecided where its command says that the budget is spent.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from arbiter.errors import ArbiterError, StoreError
from arbiter.match.limits import WrittenLimits
from arbiter.match.spec import ModelEntry, Player
from arbiter.season.config.game_option import game_of
from arbiter.trials.regression.experiment import Experiment, stop_rule
from arbiter.trials.regression.program_identity import BASE, CANDIDATE
from arbiter.trials.regression.runner import resume
from arbiter.trials.regression.trial_state import Trial
from rating.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.store import SeasonStore


def stored_trial(season: SeasonStore) -> Trial:
    """The test as far as it was played; StoreError where its settings were not kept, or say no test."""
    settings = season.settings(season.name)
    if settings is None:
        raise StoreError(f"the settings of {season.name} are not kept")
    return resume(Trial(experiment_from(season.name, settings)), season)


def experiment_from(name: str, settings: Mapping[str, Any]) -> Experiment:
    """The test that has this name and these settings; StoreError where they say none."""
    try:
        game, players = game_of(settings["game"]), settings["players"]
        field = tuple(map(_player, players["field"]))
        limits = {key.name: settings[key.name] for key in fields(WrittenLimits) if key.name in settings}
        return Experiment(
            name=name,
            game=game,
            base=_player(players[BASE]),
            candidate=_player(players[CANDIDATE]),
            field=field,
            limits=WrittenLimits(**limits).limits(),
            test=stop_rule(game, settings, bool(field)),
            non_regression=settings["non_regression"],
            fail_at_once=settings["faults"] == "fail",
            seed=settings["seed"],
            settings=settings,
        )
    except (ArbiterError, OptionError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreError(f"the settings of {name} say no test: {type(error).__name__}: {error}") from None


def _player(kept: Mapping[str, Any]) -> Player:
    """A player as `identity.kept` wrote it."""
    return Player(
        name=kept["name"],
        command=tuple(kept["command"]),
        folder=kept["folder"],
        env=kept["env"],
        batched=kept["batched"],
        read=tuple(kept.get("read", ())),
        files=tuple(kept["files"]),
        languages=tuple(map(tuple, kept.get("languages", ()))),
        model=ModelEntry(**kept["model"]) if kept.get("model") else None,
    )
