"""The organiser's consent before a season continues: to changes of its file, to a published seed."""

from __future__ import annotations

import json
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from arbiter.errors import ConfigError, Problem
from arbiter.season.config.settings_diff import changes, in_one_line, organiser_settings
from arbiter.store.audit import CONSOLE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.season.config import Config
    from arbiter.store import SeasonStore, StoredRound

MARK_DIGITS = 12
DEADLINE = "deadline"
MOST_DEADLINES = 100
"""Entries of the log in which the last ones of both keys are looked for."""


def require_consent(
    config: Config,
    season: SeasonStore,
    last: StoredRound | None,
    number: int | None,
    shown_after: int | None,
    accepted: bool,
) -> str:
    """Check the consent to a new round; return what is accepted, on one line, "" if nothing needs consent.

    `last` is the round planned before it, whose settings `season` keeps; `number` is the new round's, None
    without a new round; `shown_after` is the number of rounds covered by the published seed, None while it is
    secret. ConfigError lists everything that is not accepted; `season` then keeps the question, and an
    organiser's answer lets the next call pass.
    """
    asked: list[tuple[Problem, str]] = []
    if last is not None and not is_as_before(config, season, last):
        what = describe_changes(config, season, last)
        asked += [(problem, what) for problem in change_error(config, season, last).problems]
    if number is not None and shown_after is not None and number > shown_after:
        told = f"the seed was published after round {shown_after}: all later cards can be computed from it"
        hint = "begin another season, or give --accept-changes, or arbiter accept, to go on all the same"
        what = f"round {number} is played although the seed was published after round {shown_after}"
        asked.append((Problem((), told, hint), what))
    what = "; ".join(phrase for _, phrase in asked)
    if asked and not accepted:
        before = None if last is None else season.settings(last.digest)
        mark = _question_digest(before, config.settings, what)
        if not season.running.was_accepted(mark):
            season.running.ask(mark, what)
            raise ConfigError([problem for problem, _ in asked], str(config.file))
    return what


def require_consent_now(config: Config, season: SeasonStore) -> None:
    """Store the question of the season's next round; ConfigError if it has one."""
    # Commands that ask for no consent load no checks.
    from arbiter.season.settings import with_begun_settings

    config, rounds = with_begun_settings(config, season), season.rounds()
    last = rounds[-1] if rounds else None
    begun = last is not None and not last.complete and not season.match_ids(last.number)
    number = len(rounds) if begun else len(rounds) + 1
    over = number > config.rounds and config.until is None
    require_consent(config, season, last, None if over else number, season.seed_told(), accepted=False)


def record_deadlines(config: Config, season: SeasonStore, known: bool = True) -> list[str]:
    """Record the deadlines of the file in the audit log; return a phrase for each that has moved.

    They change freely, so the log alone has the earlier ones. Without `known` only those are recorded that
    were not before.
    """
    moved = []
    log = season.audit.last(MOST_DEADLINES, verb=DEADLINE)
    for key, moment in deadlines_of(config).items():
        now = "none" if moment is None else moment.isoformat(timespec="seconds")
        before = next((entry.because for entry in log if entry.subject == key), None)
        if now == before or (before is None and moment is None) or (before is not None and not known):
            continue
        season.audit.add(CONSOLE, DEADLINE, key, now)
        moved.append(f"{key}: {_local_text(before or 'not recorded')} -> {_local_text(now)}")
    return moved


def deadlines_of(config: Config) -> dict[str, datetime | None]:
    """Return the end of the season and of submissions, by their keys."""
    sent = config.submissions
    return {"until": config.until, "submissions.until": None if sent is None else sent.until}


def _local_text(written: str) -> str:
    """Return a recorded deadline in the local time zone; words unchanged."""
    try:
        return f"{datetime.fromisoformat(written).astimezone():%Y-%m-%d %H:%M:%S}"
    except (ValueError, OverflowError):
        return written


def change_error(config: Config, season: SeasonStore, last: StoredRound) -> ConfigError:
    """Load the last round's settings; return the error for a config that differs from them."""
    what = describe_changes(config, season, last)
    lost = not last.complete and season.match_ids(last.number) and season.settings(last.digest) is None
    hint = (
        "finish it with the old config first"
        if lost
        else "give --accept-changes, or arbiter accept, to go on with the new one"
    )
    state = "complete" if last.complete else "begun"
    message = f"the config has changed since round {last.number}, which is {state}: {what}"
    return ConfigError(message, str(config.file), hint)


def is_as_before(config: Config, season: SeasonStore, last: StoredRound) -> bool:
    """Load the last round's settings; True if the config's are these, apart from authors' versions."""
    if last.digest == config.digest:
        return True
    before = season.settings(last.digest)
    return before is not None and organiser_settings(before) == organiser_settings(config.settings)


def describe_changes(config: Config, season: SeasonStore, last: StoredRound) -> str:
    """Load the last round's settings; return how the config differs, apart from authors' versions."""
    before = season.settings(last.digest)
    if before is None:
        return "what it was is not known"
    return in_one_line(changes(organiser_settings(before), organiser_settings(config.settings)))


def _question_digest(before: Mapping[str, Any] | None, now: Mapping[str, Any], what: str) -> str:
    """Return a digest of a question: the settings before and after, without submissions, and its text."""
    both = [None if before is None else organiser_settings(before), organiser_settings(now), what]
    return sha256(json.dumps(both, sort_keys=True).encode()).hexdigest()[:MARK_DIGITS]
