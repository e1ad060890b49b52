"""The season that a test, a tuning, a gauntlet or a suite has in a store: found, opened, played in blocks."""

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
from arbiter.trials.regression.program_identity import CONTENTS, first_attempt, last_attempt, what_changed

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor

    from arbiter.match.packing import PackedMatch
    from arbiter.match.spec import MatchSpec
    from arbiter.season.events import MatchStored, MatchVoid, Stopped
    from arbiter.store import SeasonStore, Store
    from arbiter.trials.regression.program_identity import Changed

_ACCEPTED = "accepted-"
"""Begins the keys of the contents of changed programs that a user accepted."""


def find_name(
    name: str,
    settings: Mapping[str, Any],
    store: Store,
    is_over: Callable[[str], bool],
    fresh: bool = False,
    accept: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> str:
    """Return the name under which what `settings` describe continues or begins; `name` is made of them.

    What was begun with the same programs continues, whatever files have come since. ConfigError where a file
    of theirs has changed and the matches of something that is not over would be left behind, unless it is to
    be `fresh`, or to continue all the same: `accept`. `tell` gets a line where the programs have changed.
    """
    names = store.seasons()
    found = None if first_attempt(name) in names else _earlier(name, settings, store)
    if found is None:
        return last_attempt(name, names, fresh)
    season, changed = found
    files = first_few(changed.files)
    if not changed.files:
        if fresh:
            return last_attempt(first_attempt(season.name), names, fresh)
        if changed.new:
            came = f"{first_few(changed.new)} came since {season.name} was begun"
            tell(f"{came}: no part of it, unless with --fresh")
        return season.name
    if accept and not fresh:
        season.keep_settings(f"{_ACCEPTED}{digest_of(settings[CONTENTS])[:16]}", settings[CONTENTS])
        tell(f"accepted: {files} changed since {season.name} was begun")
        return season.name
    matches = len(season.summaries())
    if not (fresh or not matches or is_over(season.name)):
        raise ConfigError(
            f"{files} changed since {season.name} was begun, which has {counted(matches, 'match')}",
            hint="--accept-changes goes on with them, --fresh leaves them in the store and begins anew",
        )
    tell(f"begun anew: {files} changed since {season.name}, which stays in the store")
    return name


def _earlier(name: str, settings: Mapping[str, Any], store: Store) -> tuple[SeasonStore, Changed] | None:
    """The last season that differs in its programs alone; one without changed files comes first."""
    kind, found = name.partition("-")[0], None
    for other in reversed(store.seasons()):
        season = store.season(other) if other.partition("-")[0] == kind else None
        then = None if season is None else season.settings(other)
        if season is None or then is None:
            continue
        accepted = [season.settings(key) or {} for key in season.digests() if key.startswith(_ACCEPTED)]
        changed = what_changed(settings, then, accepted)
        if changed is not None and not changed.files:
            return season, changed
        if changed is not None and found is None:
            found = season, changed
    return found


def open_season(
    store: Store, name: str, game: str, settings: Mapping[str, Any] | None = None, seed: str = "auto"
) -> SeasonStore:
    """Find the season in the store, or make it, with a seed drawn for ``auto``; keep its settings."""
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
    """Play what is not stored, or annulled, of blocks, each of matches of one round.

    `blocks` is asked for the next one as late as `at_once` allows; no match is begun once the monotonic clock
    is at `ends` seconds; the rest as in `play_matches`.
    """

    def planned() -> Iterator[MatchSpec]:
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

    def keep(match: PackedMatch) -> None:
        orders = season.orders.read()
        if match.summary.id in effective_orders(orders.given).annulled:
            order = Order(OrderKind.REPLAYED, match.summary.id, "", now_text(), 0, 0)
            season.orders.replace_match(match, order, orders.revision, None)
        else:
            season.add_packed(match)

    return play_matches(season, planned(), executor, at_once, keep)
