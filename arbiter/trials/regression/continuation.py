"""Where a test, a tuning or a gauntlet continues that may have begun with other files of its programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.errors import ConfigError
from arbiter.season.config import digest_of
from arbiter.text import counted, first_few
from arbiter.trials.regression.program_identity import CONTENTS, first_attempt, last_attempt, what_changed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arbiter.store import SeasonStore, Store
    from arbiter.trials.regression.program_identity import Changed

_ACCEPTED = "accepted-"
"""Begins the keys under which contents of programs are kept with which something went on."""


class Continuation(NamedTuple):
    """The name under which something continues or begins, and notes for its user."""

    name: str
    notes: tuple[str, ...] = ()


def find_continuation(
    name: str,
    settings: Mapping[str, Any],
    store: Store,
    is_over: Callable[[str], bool],
    fresh: bool = False,
    accept: bool = False,
) -> Continuation:
    """Return under which name what `settings` describe continues or begins; `name` is made of them.

    What was begun with the same programs continues, whatever files have come since. ConfigError where a file
    of theirs has changed and the matches of something that is not over would be left behind, unless it is to
    be `fresh`, or to continue all the same: `accept`.
    """
    names = store.seasons()
    found = None if first_attempt(name) in names else _earlier(name, settings, store)
    if found is None:
        return Continuation(last_attempt(name, names, fresh))
    season, changed = found
    files, first = first_few(changed.files), first_attempt(season.name)
    if not changed.files:
        came = (
            f"{first_few(changed.new)} came since {season.name} was begun: no part of it, unless with --fresh"
        )
        goes_on = last_attempt(first, names, fresh) if fresh else season.name
        return Continuation(goes_on, (came,) if changed.new and not fresh else ())
    if accept and not fresh:
        season.keep_settings(f"{_ACCEPTED}{digest_of(settings[CONTENTS])[:16]}", settings[CONTENTS])
        return Continuation(season.name, (f"accepted: {files} changed since {season.name} was begun",))
    matches = len(season.summaries())
    if not (fresh or not matches or is_over(season.name)):
        raise ConfigError(
            f"{files} changed since {season.name} was begun, which has {counted(matches, 'match')}",
            hint="--accept-changes goes on with them, --fresh leaves them in the store and begins anew",
        )
    return Continuation(name, (f"begun anew: {files} changed since {season.name}, which stays in the store",))


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
