"""Find, open and play the season that a test, tuning, gauntlet or suite has in a store."""

from __future__ import annotations

import math
from time import monotonic
from typing import TYPE_CHECKING, Any

from arbiter.errors import ConfigError
from arbiter.season.config import digest_of
from arbiter.season.match_runner import play_matches
from arbiter.season.order_effects import effective_orders, now_text
from arbiter.season.round_plan import draw_seed
from arbiter.store import Order, OrderKind
from arbiter.text import counted, first_few
from arbiter.trials.regression.program_identity import (
    CONTENTS,
    attempt_name,
    compare_programs,
    name_without_attempt,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor

    from arbiter.match.packing import PackedMatch
    from arbiter.match.spec import MatchSpec
    from arbiter.season.events import MatchStored, MatchVoid, Stopped
    from arbiter.store import SeasonStore, Store
    from arbiter.trials.regression.program_identity import ProgramChanges

_ACCEPTED = "accepted-"
"""Prefix of the keys under which accepted contents of changed programs are kept."""


def find_name(
    name: str,
    settings: Mapping[str, Any],
    store: Store,
    is_over: Callable[[str], bool],
    fresh: bool = False,
    accept: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> str:
    """Find the store's name for the season of these `settings`, or return a new one; `name` has the digest.

    A season begun with the same programs continues, even if files were added since. ConfigError if a file of
    the programs changed and an unfinished season with matches would be abandoned, unless `fresh` begins
    again or `accept` stores and plays the changed files. `tell` is called with a line about changed programs.
    """
    names = store.seasons()
    found = None if name_without_attempt(name) in names else _find_earlier(name, settings, store)
    if found is None:
        return attempt_name(name, names, fresh)
    season, changed = found
    files = first_few(changed.files)
    if not changed.files:
        if fresh:
            return attempt_name(name_without_attempt(season.name), names, fresh)
        if changed.new:
            came = f"{first_few(changed.new)} added since {season.name} was begun"
            tell(f"{came}: ignored unless --fresh is given")
        return season.name
    if accept and not fresh:
        season.keep_settings(f"{_ACCEPTED}{digest_of(settings[CONTENTS])[:16]}", settings[CONTENTS])
        tell(f"accepted: {files} changed since {season.name} was begun")
        return season.name
    matches = len(season.summaries())
    if not (fresh or not matches or is_over(season.name)):
        raise ConfigError(
            f"{files} changed since {season.name} was begun, which has {counted(matches, 'match')}",
            hint="--accept-changes continues with them, --fresh keeps them in the store and starts again",
        )
    tell(f"started again: {files} changed since {season.name}, which stays in the store")
    return name


def _find_earlier(
    name: str, settings: Mapping[str, Any], store: Store
) -> tuple[SeasonStore, ProgramChanges] | None:
    """Find the last season in the store with only other programs, preferably one without changed files."""
    kind, found = name.partition("-")[0], None
    for other in reversed(store.seasons()):
        season = store.season(other) if other.partition("-")[0] == kind else None
        then = None if season is None else season.settings(other)
        if season is None or then is None:
            continue
        accepted = [season.settings(key) or {} for key in season.digests() if key.startswith(_ACCEPTED)]
        changed = compare_programs(settings, then, accepted)
        if changed is not None and not changed.files:
            return season, changed
        if changed is not None and found is None:
            found = season, changed
    return found


def open_season(
    store: Store, name: str, game: str, settings: Mapping[str, Any] | None = None, seed: str = "auto"
) -> SeasonStore:
    """Find the season in the store, or create it, with a random seed for ``auto``; keep its settings."""
    season = store.season(name) or store.make_season(name, game, draw_seed(seed))
    if settings is not None:
        season.keep_settings(name, settings)
    return season


def play_blocks(
    season: SeasonStore,
    blocks: Iterable[Sequence[MatchSpec]],
    executor: Executor,
    at_once: int | None = None,
    ends: float = math.inf,
) -> Generator[MatchStored | MatchVoid | Stopped]:
    """Play the matches of blocks that are not stored, or are annulled; a block has matches of one round.

    The next block is taken from `blocks` as late as `at_once` allows; no match begins once the monotonic
    clock is at `ends` seconds; the rest as in `play_matches`.
    """

    def missing_specs() -> Iterator[MatchSpec]:
        """Read the stored matches of each block; yield the missing and the annulled ones, until `ends`."""
        for block in blocks:
            there = (
                season.match_ids(block[0].round or 0)
                - effective_orders(season.orders.read().given).annulled.keys()
            )
            for spec in block:
                if monotonic() >= ends:
                    return
                if spec.id not in there:
                    yield spec

    def store_match(match: PackedMatch) -> None:
        """Store a match; in place of an annulled match, with the order that it was replayed."""
        orders = season.orders.read()
        if match.summary.id in effective_orders(orders.given).annulled:
            order = Order(OrderKind.REPLAYED, match.summary.id, "", now_text(), 0, 0)
            season.orders.replace_match(match, order, orders.revision, None)
        else:
            season.add_packed(match)

    return play_matches(season, missing_specs(), executor, at_once, store_match)
