"""A regression test played into a store until its verdict."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from arbiter.season.events import MatchStored, Stopped
from arbiter.season.match_runner import play_matches
from arbiter.season.order_effects import force, now_text
from arbiter.season.round_plan import draw_seed
from arbiter.store import Order, OrderKind
from arbiter.trials.regression.best_of_n import ChoiceTrial
from arbiter.trials.regression.continuation import find_continuation
from arbiter.trials.regression.experiment import stop_rule
from arbiter.trials.regression.trial_state import Trial

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from concurrent.futures import Executor

    from arbiter.match.packing import PackedMatch
    from arbiter.match.spec import MatchSpec
    from arbiter.season.events import MatchVoid
    from arbiter.store import SeasonStore, Store
    from arbiter.trials.regression.experiment import Experiment

AnyTrial = TypeVar("AnyTrial", bound="Trial | ChoiceTrial")


def attempt(
    experiment: Experiment,
    store: Store,
    fresh: bool = False,
    accept: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> Experiment:
    """The experiment where it stands in the store, or begins, by `find_continuation`; `tell` gets why.

    One that is there goes on by the rule that it was begun under.
    """

    def is_over(name: str) -> bool:
        there, season = _as_begun(replace(experiment, name=name), store), store.season(name)
        assert season is not None
        return resume(trial_of(there), season).verdict is not None

    found = find_continuation(experiment.name, experiment.settings, store, is_over, fresh, accept)
    for text in found.notes:
        tell(text)
    return _as_begun(replace(experiment, name=found.name), store)


def _as_begun(experiment: Experiment, store: Store) -> Experiment:
    season = store.season(experiment.name)
    begun = None if season is None else season.settings(experiment.name)
    if begun is None:
        return experiment
    test = stop_rule(experiment.game, begun, bool(experiment.field), experiment.test.most_blocks)
    return replace(experiment, test=test, settings=begun)


def open_experiment(experiment: Experiment, store: Store) -> SeasonStore:
    """Find the test in the store, or make it, with a seed drawn for `auto`."""
    season = store.season(experiment.name)
    if season is None:
        season = store.make_season(experiment.name, experiment.game.name, draw_seed(experiment.seed))
    season.keep_settings(experiment.name, experiment.settings)
    return season


def trial_of(experiment: Experiment) -> Trial | ChoiceTrial:
    """A trial of the experiment, or of its candidates, before its first match."""
    return ChoiceTrial(experiment) if experiment.candidates else Trial(experiment)


def resume(trial: AnyTrial, season: SeasonStore) -> AnyTrial:
    """A new trial as far as it was played; matches that were annulled are played again."""
    trial.from_store = read_on(trial, season)
    return trial


def read_on(trial: Trial | ChoiceTrial, season: SeasonStore) -> int:
    """Take what is stored from the trial's next block on, and return how many matches that is.

    What the trial has stays in it, whatever was annulled since.
    """
    matches = season.summaries(first_round=trial.next_block)
    counted = list(force(season.orders.read().given).counted(matches))
    for summary in counted:
        trial.add(summary)
    return len(counted)


def play_on(
    trial: Trial | ChoiceTrial, season: SeasonStore, executor: Executor, at_once: int
) -> Generator[MatchStored | MatchVoid | Stopped]:
    """Play until there is a verdict, `at_once` matches at a time; stored matches are not played again.

    Each event comes after the trial has got it. Matches under way at the verdict are given up. VoidMatch
    after two voids of a match in a row.
    """
    new = True
    # Once for a test; where a choice begins anew without a faulty candidate, earlier blocks are wanted again.
    while trial.verdict is None and new:
        new = False
        with closing(play_blocks(season, trial.wanted(season.seed), executor, at_once)) as events:
            for event in events:
                if isinstance(event, MatchStored):
                    trial.add(event.match.summary)
                    new = True
                yield event
                if trial.verdict is not None or isinstance(event, Stopped):
                    return


def play_blocks(
    season: SeasonStore,
    blocks: Iterable[Sequence[MatchSpec]],
    executor: Executor,
    at_once: int | None = None,
) -> Generator[MatchStored | MatchVoid | Stopped]:
    """Play what is not stored, or annulled, of blocks, each of matches of one round.

    `blocks` is asked for the next one as late as `at_once` allows; the rest as in `play_matches`.
    """

    def planned() -> Iterator[MatchSpec]:
        for block in blocks:
            there = season.match_ids(block[0].round or 0) - force(season.orders.read().given).annulled.keys()
            yield from (spec for spec in block if spec.id not in there)

    def keep(match: PackedMatch) -> None:
        orders = season.orders.read()
        if match.summary.id in force(orders.given).annulled:
            order = Order(OrderKind.REPLAYED, match.summary.id, "", now_text(), 0, 0)
            season.orders.replace_match(match, order, orders.revision, None)
        else:
            season.add_packed(match)

    return play_matches(season, planned(), executor, at_once, keep)
