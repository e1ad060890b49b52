"""A regression test played into a store: until its verdict, as a slice, or merged from parts."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from arbiter.errors import ConfigError, StoreError
from arbiter.regress.blocks import block_specs
from arbiter.regress.experiment import from_settings
from arbiter.regress.identity import PREFIX, last_attempt, what_changed
from arbiter.regress.trial import Trial
from arbiter.season.events import MatchStored
from arbiter.season.matches import play_matches
from arbiter.season.orders import force, now_text
from arbiter.season.plan import draw_seed
from arbiter.store import Order, Verb

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from concurrent.futures import Executor

    from arbiter.match import MatchSpec
    from arbiter.packing import PackedMatch
    from arbiter.regress.experiment import Experiment
    from arbiter.regress.trial import Slice
    from arbiter.season.events import MatchVoid, Stopped
    from arbiter.store import SeasonStore, Store


def attempt(experiment: Experiment, store: Store, fresh: bool = False) -> Experiment:
    """The experiment under the name of its last attempt in the store, or of a `fresh` one."""
    return replace(experiment, name=last_attempt(experiment.name, store.seasons(), fresh))


def changed_since(experiment: Experiment, store: Store) -> tuple[str, list[str]] | None:
    """The last test in the store that differs in its programs alone, and what of them is another now.

    None where there is no such test, or the experiment itself is there.
    """
    names = store.seasons()
    for name in reversed([] if experiment.name in names else names):
        season = store.season(name) if name.startswith(PREFIX) else None
        settings = season.settings(name) if season is not None else None
        if settings is not None and (paths := what_changed(experiment.settings, settings)):
            return name, paths
    return None


def open_experiment(experiment: Experiment, store: Store) -> SeasonStore:
    """Find the test in the store, or make it, with a seed drawn for `auto`."""
    season = store.season(experiment.name)
    if season is None:
        season = store.make_season(experiment.name, experiment.game.name, draw_seed(experiment.seed))
    season.keep_settings(experiment.name, experiment.settings)
    return season


def resume(experiment: Experiment, season: SeasonStore, own: Slice | None = None) -> Trial:
    """The test as far as it was played; matches that were annulled are played again.

    A slice `own` has its blocks alone, up to the test's most: the verdict falls when all slices are merged,
    and only a fault that fails the test ends the slice.
    """
    trial = Trial(experiment, own)
    for summary in force(season.orders.read().given).counted(season.summaries()):
        trial.add(summary)
        trial.from_store += 1
    return trial


def play_on(
    trial: Trial, season: SeasonStore, executor: Executor, at_once: int
) -> Iterator[MatchStored | MatchVoid | Stopped]:
    """Play until there is a verdict, `at_once` matches at a time; stored matches are not played again.

    Each event comes after the trial has been told. Matches under way at the verdict are given up. VoidMatch
    after two voids of a match in a row.
    """
    experiment = trial.experiment

    def blocks() -> Iterator[int]:
        block, most = trial.after(0), experiment.test.most_blocks
        while trial.verdict is None and (most is None or block <= most):
            yield block
            block = trial.after(block)

    specs = partial(block_specs, experiment)
    with closing(play_blocks(season, specs, blocks(), executor, at_once)) as events:
        for event in events:
            if isinstance(event, MatchStored):
                trial.add(event.match.summary)
            yield event
            if trial.verdict is not None:
                return


def play_blocks(
    season: SeasonStore,
    specs: Callable[[str, int], Iterable[MatchSpec]],
    blocks: Iterable[int],
    executor: Executor,
    at_once: int | None = None,
) -> Generator[MatchStored | MatchVoid | Stopped]:
    """Play what is not stored, or annulled, of blocks whose matches `specs` tells from seed and number.

    `blocks` is asked for the next one as late as `at_once` allows; the rest as in `play_matches`.
    """

    def planned() -> Iterator[MatchSpec]:
        for block in blocks:
            there = season.match_ids(block) - force(season.orders.read().given).annulled.keys()
            yield from (spec for spec in specs(season.seed, block) if spec.id not in there)

    def keep(match: PackedMatch) -> None:
        orders = season.orders.read()
        if match.summary.id in force(orders.given).annulled:
            order = Order(Verb.REPLAYED, match.summary.id, "", now_text(), 0, 0)
            season.orders.replace_match(match, order, orders.revision, None)
        else:
            season.add_packed(match)

    return play_matches(season, planned(), executor, at_once, keep)


class MergedTrial(NamedTuple):
    """A merged test: its end, the seed of its deals, and the blocks that no part has whole."""

    trial: Trial
    seed: str
    missing: list[int]


def merge_parts(
    parts: Sequence[Store], faults: str | None = None, max_blocks: int | None = None
) -> MergedTrial:
    """Merge the regression test whose parts these stores hold; `faults` and `max_blocks` replace its own.

    Blocks are taken in order, so the verdict is that of one machine; blocks that no part has whole are passed
    over. ConfigError where the parts have no test in common or several, StoreError where their seeds differ.
    """
    names = [[name for name in part.seasons() if name.startswith(PREFIX)] for part in parts]
    shared = set(names[0]).intersection(*names)
    if len(shared) != 1:
        if shared:
            message, hint = "several regression tests in common", "give each test stores of its own"
        else:
            message = "no regression test in common"
            hint = "slices are of one test with the same programs, options, --seed and --max-blocks"
        raise ConfigError(f"{', '.join(part.name for part in parts)} have {message}", hint=hint)
    name = shared.pop()
    seasons = [season for part in parts if (season := part.season(name)) is not None]
    seeds = {season.seed for season in seasons}
    if len(seeds) > 1:
        raise StoreError("these parts were played with different seeds: give all slices one --seed")
    settings = seasons[0].settings(name)
    if settings is None:
        raise StoreError(f"{parts[0].name} does not say what {name} was")
    # By the stored name: here the programs may be missing, or others.
    trial = Trial(replace(from_settings(settings, faults, max_blocks), name=name))
    matches = {
        summary.id: summary
        for season in seasons
        for summary in force(season.orders.read().given).counted(season.summaries())
    }
    # In the order of one machine.
    for summary in sorted(matches.values(), key=lambda match: (match.round or 0, match.rotation)):
        trial.add(summary)
        if trial.verdict is not None:
            break
    return MergedTrial(trial, seeds.pop(), trial.close())
