"""The regression tests of a store, cached and read again only when they change.

A test is read as a whole, since its verdict depends on all its matches. The one being played is kept and
extended by its new matches; if that is impossible, it is read again after a delay that grows with the cost.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING, Generic, TypeVar

from arbiter.errors import NoStore, StoreError
from arbiter.replay.result_text import say_match, winners
from arbiter.replay.visibility import Reader, replay_of
from arbiter.season.snapshot.pagination import page_fields, window
from arbiter.store import Store
from arbiter.store.address import address_of, file_of
from arbiter.trials.regression import choice_text
from arbiter.trials.regression.best_of_n import ChoiceTrial
from arbiter.trials.regression.figures import figures, ratio_line
from arbiter.trials.regression.program_identity import PREFIXES
from arbiter.trials.regression.report_text import headline, rows
from arbiter.trials.regression.runner import add_stored_matches, stored_trial

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arbiter.replay.schema import Replay
    from arbiter.store import SeasonStore
    from arbiter.trials.regression.trial_state import ScoredMatch, Trial
    from arbiter.web.api.schema import (
        ChoiceInFull,
        TrialInFull,
        TrialList,
        TrialRow,
        TrialState,
        WorstMatch,
    )

LOG = logging.getLogger("arbiter.web")
POLL_SECONDS = 1.0
"""Between two polls of the store, which all requests share."""
PATIENCE = 20
"""How long a test is shown without reading it again, as a multiple of the time that reading took."""
MOST_ROWS, MOST_FULL = 2000, 20
"""Cached rows of tests, and cached tests with all figures."""


Made = TypeVar("Made")


class _TrialCache(Generic[Made]):
    """Caches what `make` returns for a test, for the `most` tests that were requested last."""

    def __init__(self, make: Callable[[Trial | ChoiceTrial, SeasonStore], Made], most: int) -> None:
        self._make, self._most = make, most
        self._kept: dict[str, tuple[tuple[int, int], float, Made]] = {}

    def of(
        self, read: Callable[[], tuple[Trial | ChoiceTrial, SeasonStore]], name: str, change: tuple[int, int]
    ) -> Made:
        """Return the cached value if it is of this change or recent enough; else make and cache it."""
        kept = self._kept.pop(name, None)
        begun = time.monotonic()
        if kept is None or not (kept[0] == change or begun < kept[1]):
            made = self._make(*read())
            now = time.monotonic()
            kept = change, now + PATIENCE * (now - begun), made
        self._kept[name] = kept
        if len(self._kept) > self._most:
            del self._kept[next(iter(self._kept))]
        return kept[2]


class Trials:
    """The regression tests of a store, named by URL or file and read on demand; StoreError without one."""

    def __init__(self, place: str) -> None:
        url = address_of(place)
        self._by_season = file_of(url) is None
        try:
            self._store = Store(url, create=False)
        except NoStore:
            hint = "arbiter regress --store creates one"
            raise StoreError(f"--tests: there is no store {place} yet ({hint})") from None
        self._lock = threading.Lock()
        self._polled = float("-inf")
        self._changes: dict[str, tuple[int, int]] = {}
        self._active = ""
        self._followed: tuple[str, int, Trial | ChoiceTrial] | None = None
        self._logged: dict[str, str] = {}
        self._rows, self._full = _TrialCache(_row_of, MOST_ROWS), _TrialCache(_test_in_full, MOST_FULL)

    def close(self) -> None:
        self._store.close()

    def page(self, number: int) -> TrialList | None:
        """Return a page of all tests, the last begun first; None if there is no such page."""
        with self._lock:
            self._poll()
            names = list(reversed(self._changes))
            shown = window(len(names), number)
            if shown is None:
                return None
            return {
                "tests": [self._current_row(name) for name in names[shown.first : shown.end]],
                "total": len(names),
                **page_fields(shown),
            }

    def test(self, name: str) -> TrialInFull | ChoiceInFull | None:
        """Return one test with all figures; None for an unknown name. StoreError if it cannot be read."""
        with self._lock:
            self._poll()
            if name not in self._changes:
                return None
            full = self._cached(self._full, name).copy()
            full["state"] = self._current_state(name, full["state"])
            return full

    def replay(self, name: str, match_id: str) -> Replay | None:
        """Return the replay of one of a test's worst matches; None before its seed is shown.

        A match reveals its deals, which a test that is being played, or one with the same seed, still uses.
        """
        full = self.test(name)
        if full is None or full["seed"] is None or match_id not in {one["match"] for one in full["worst"]}:
            return None
        with self._lock:
            season = self._store.season(name)
            record = None if season is None else season.match(match_id)
        return None if record is None else replay_of(record, Reader("public"))

    def _poll(self) -> None:
        """Read which tests exist and which have changed, at most once in `POLL_SECONDS`."""
        now = time.monotonic()
        if now - self._polled < POLL_SECONDS:
            return
        changes = {
            name: change for name, change in self._store.changes().items() if name.startswith(PREFIXES)
        }
        if changes:
            # A file is locked as a whole, so only one of its tests is played, the last changed.
            moved = [name for name in changes if changes[name] != self._changes.get(name)]
            self._active = moved[-1] if moved else self._active
        self._changes, self._polled = changes, now

    def _current_state(self, name: str, state: TrialState) -> TrialState:
        """Return "playing" for an undecided test that is being played; else `state`."""
        if state != "undecided" or not (self._by_season or name == self._active):
            return state
        return "playing" if self._store.holder(name) else state

    def _current_row(self, name: str) -> TrialRow:
        """Return a test's row, cached; an unreadable test has a row without figures."""
        try:
            row = self._cached(self._rows, name).copy()
        except StoreError:
            return _unreadable_row(name)
        row["state"] = self._current_state(name, row["state"])
        return row

    def _read_test(self, name: str) -> tuple[Trial | ChoiceTrial, SeasonStore]:
        """Load a test; of the active one only the matches since the last time. StoreError if it is gone."""
        season, (_, revision) = self._store.season(name), self._changes[name]
        if season is None:
            raise StoreError(f"{name} is gone from the store")
        if self._followed is not None and self._followed[:2] == (name, revision):
            trial = self._followed[2]
            add_stored_matches(trial, season)
        else:
            trial = stored_trial(season)
        if name == self._active:
            self._followed = name, revision, trial
        return trial, season

    def _cached(self, cache: _TrialCache[Made], name: str) -> Made:
        """Return a test's cached or new value; log why a test cannot be read, once."""
        try:
            return cache.of(lambda: self._read_test(name), name, self._changes[name])
        except StoreError as error:
            if self._logged.get(name) != str(error):
                self._logged[name] = str(error)
                LOG.error("%s cannot be read: %s", name, error)
            raise


def _row_of(trial: Trial | ChoiceTrial, season: SeasonStore) -> TrialRow:
    """Return a test as a row of a list, without its interval, which takes some 20 ms to compute."""
    if isinstance(trial, ChoiceTrial):
        return {
            **_unreadable_row(season.name),
            "state": _state_of(trial),
            "say": choice_text.headline(trial),
            "game": trial.experiment.game.name,
            "verdict": trial.verdict,
            "blocks": trial.blocks,
            "matches": choice_text.matches_played(trial),
        }
    run, test = trial.run, trial.experiment.test
    return {
        "name": season.name,
        "state": _state_of(trial),
        "say": headline(trial, detail=False),
        "game": trial.experiment.game.name,
        "verdict": trial.verdict,
        "llr": None if trial.verdict == "identical_play" else test.ratio(run),
        "bounds": list(test.bounds),
        "blocks": run.blocks,
        "matches": run.blocks * test.matches,
    }


def _unreadable_row(name: str) -> TrialRow:
    return {
        "name": name,
        "state": "unreadable",
        "say": "it cannot be read: the organiser's log has the reason",
        "game": "",
        "verdict": None,
        "llr": None,
        "bounds": None,
        "blocks": 0,
        "matches": 0,
    }


def _test_in_full(trial: Trial | ChoiceTrial, season: SeasonStore) -> TrialInFull | ChoiceInFull:
    """Return a test as JSON values, with its figures, its LLR by block and its worst matches."""
    # A given seed may be shared with a test that is still being played.
    seed = season.seed if trial.verdict is not None and trial.experiment.seed == "auto" else None
    state, worst = _state_of(trial), worst_matches(trial.worst())
    if isinstance(trial, ChoiceTrial):
        return {
            **choice_text.figures(trial),
            "state": state,
            "say": choice_text.headline(trial),
            "rows": [list(row) for row in choice_text.rows(trial)],
            "worst": worst,
            "seed": seed,
        }
    return {
        **figures(trial),
        "state": state,
        "say": headline(trial, detail=False),
        "rows": [list(row) for row in rows(trial)],
        "line": ratio_line(trial),
        "worst": worst,
        "seed": seed,
    }


def _state_of(trial: Trial | ChoiceTrial) -> TrialState:
    return "undecided" if trial.verdict is None else "decided"


def worst_matches(found: Sequence[ScoredMatch]) -> list[WorstMatch]:
    """Return matches with their results in words."""
    return [
        {
            "match": match.id,
            "score": score,
            "players": list(match.players),
            "points": None if match.points is None else list(match.points),
            "winners": list(winners(match.points)),
            "fault": None if match.faulty is None else {"seat": match.faulty, "kind": str(match.fault)},
            "say": say_match(match),
        }
        for match, score in found
    ]
