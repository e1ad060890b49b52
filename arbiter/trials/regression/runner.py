"""Play a regression test into a store until its verdict, and read it again from its stored settings.

The maximum number of blocks is not stored: a continued test may have another. So a test read again is
undecided even if its command reported that the budget is spent.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from arbiter.errors import ArbiterError, StoreError
from arbiter.match.limits import WrittenLimits
from arbiter.match.spec import ModelEntry, Player
from arbiter.season.config.game_option import game_of
from arbiter.season.events import MatchStored, Stopped
from arbiter.season.order_effects import effective_orders
from arbiter.trials.regression.best_of_n import ChoiceTrial
from arbiter.trials.regression.experiment import Experiment, stop_rule
from arbiter.trials.regression.own_season import find_name, open_season, play_blocks
from arbiter.trials.regression.program_identity import BASE, CANDIDATE, CANDIDATES
from arbiter.trials.regression.trial_state import Trial
from rating.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from concurrent.futures import Executor

    from arbiter.season.events import MatchVoid
    from arbiter.store import SeasonStore, Store

AnyTrial = TypeVar("AnyTrial", bound="Trial | ChoiceTrial")


def find_attempt(
    experiment: Experiment,
    store: Store,
    fresh: bool = False,
    accept: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> Experiment:
    """Find the experiment's name in the store, by `find_name`, and return the experiment under it.

    A stored test continues under its first rule. `tell` is called with a line about changed programs.
    """

    def is_over(name: str) -> bool:
        """True if the stored matches give a verdict."""
        there, season = _with_stored_rule(replace(experiment, name=name), store), store.season(name)
        assert season is not None
        return resume(trial_of(there), season).verdict is not None

    name = find_name(experiment.name, experiment.settings, store, is_over, fresh, accept, tell)
    return _with_stored_rule(replace(experiment, name=name), store)


def _with_stored_rule(experiment: Experiment, store: Store) -> Experiment:
    """Load the settings of a stored test, and return it under its first rule; a new one stays the same."""
    season = store.season(experiment.name)
    begun = None if season is None else season.settings(experiment.name)
    if begun is None:
        return experiment
    test = stop_rule(experiment.game, begun, bool(experiment.field), experiment.test.most_blocks)
    return replace(experiment, test=test, settings=begun)


def open_experiment(experiment: Experiment, store: Store) -> SeasonStore:
    """Find the test in the store, or create it, with a random seed for `auto`."""
    return open_season(store, experiment.name, experiment.game.name, experiment.settings, experiment.seed)


def trial_of(experiment: Experiment) -> Trial | ChoiceTrial:
    """Return a trial or a choice of the experiment, before its first match."""
    return ChoiceTrial(experiment) if experiment.candidates else Trial(experiment)


def resume(trial: AnyTrial, season: SeasonStore) -> AnyTrial:
    """Load the stored matches into a new trial and return it, without annulled ones, to be played again."""
    trial.from_store = add_stored_matches(trial, season)
    return trial


def add_stored_matches(trial: Trial | ChoiceTrial, season: SeasonStore) -> int:
    """Load the stored matches from the trial's next block on, add them, and return their number.

    Matches that the trial already has stay, even if they were annulled since.
    """
    matches = season.summaries(first_round=trial.next_block)
    counted = list(effective_orders(season.orders.read().given).counted(matches))
    for summary in counted:
        trial.add(summary)
    return len(counted)


def play_until_verdict(
    trial: Trial | ChoiceTrial, season: SeasonStore, executor: Executor, at_once: int
) -> Generator[MatchStored | MatchVoid | Stopped]:
    """Play until the verdict, `at_once` matches at a time; stored matches are not played again.

    Each event is yielded after the trial has taken it. Matches in progress at the verdict are cancelled.
    VoidMatch after two voids of a match in a row.
    """
    new = True
    # Once for a test; a choice that starts again without a faulty candidate needs earlier blocks too.
    while trial.verdict is None and new:
        new = False
        with closing(play_blocks(season, trial.matches_to_play(season.seed), executor, at_once)) as events:
            for event in events:
                if isinstance(event, MatchStored):
                    trial.add(event.match.summary)
                    new = True
                yield event
                if trial.verdict is not None or isinstance(event, Stopped):
                    return


def stored_trial(season: SeasonStore) -> Trial | ChoiceTrial:
    """Load the test as far as it was played; StoreError if its settings are missing or describe no test."""
    settings = season.settings(season.name)
    if settings is None:
        raise StoreError(f"the store has no settings of {season.name}")
    return resume(trial_of(experiment_from(season.name, settings)), season)


def experiment_from(name: str, settings: Mapping[str, Any]) -> Experiment:
    """Return the test with this name and these settings; StoreError if they describe none."""
    try:
        game, players = game_of(settings["game"]), settings["players"]
        field = tuple(map(_restore_player, players["field"]))
        several = CANDIDATES in players
        tried = tuple(map(_restore_player, players[CANDIDATES] if several else [players[CANDIDATE]]))
        limits = {key.name: settings[key.name] for key in fields(WrittenLimits) if key.name in settings}
        return Experiment(
            name=name,
            game=game,
            base=_restore_player(players[BASE]),
            candidate=tried[0],
            candidates=tried if several else (),
            field=field,
            limits=WrittenLimits(**limits).limits(),
            test=stop_rule(game, settings, bool(field)),
            non_regression=settings["non_regression"],
            fail_at_once=settings["faults"] == "fail",
            seed=settings["seed"],
            settings=settings,
        )
    except (ArbiterError, OptionError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreError(
            f"the settings of {name} describe no test: {type(error).__name__}: {error}"
        ) from None


def _restore_player(kept: Mapping[str, Any]) -> Player:
    """Return a player from the values of `program_identity.player_settings`."""
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
