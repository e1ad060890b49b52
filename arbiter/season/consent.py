"""The consent of an organiser before a season goes on: to changes of its file, to a seed that is known."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from arbiter.errors import ConfigError, Problem
from arbiter.season.config.settings_diff import changes, in_one_line, organiser_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.season.config import Config
    from arbiter.store import SeasonStore, StoredRound

MARK_DIGITS = 12


def require_consent(
    config: Config,
    season: SeasonStore,
    last: StoredRound | None,
    number: int | None,
    shown_after: int | None,
    accepted: bool,
) -> str:
    """Return what is accepted with a new round, on one line; "" where nothing has to be.

    `last` is the round planned before it, whose settings `season` keeps; `number` is the new one's, None
    if there is to be none; `shown_after` how many rounds may be played although the seed was published,
    None while it is secret. ConfigError with everything that has to be accepted and is not; `season` then
    keeps the question, and an organiser's answer to it lets the next one pass.
    """
    asked: list[tuple[Problem, str]] = []
    if last is not None and not is_as_before(config, season, last):
        what = describe_changes(config, season, last)
        asked += [(problem, what) for problem in change_error(config, season, last).problems]
    if number is not None and shown_after is not None and number > shown_after:
        told = f"the seed was shown after round {shown_after}: those who know it know every further card"
        hint = "begin another season, or give --accept-changes, or arbiter accept, to go on all the same"
        what = f"round {number} is played though the seed was shown after round {shown_after}"
        asked.append((Problem((), told, hint), what))
    what = "; ".join(phrase for _, phrase in asked)
    if asked and not accepted:
        before = None if last is None else season.settings(last.digest)
        mark = _mark(before, config.settings, what)
        if not season.running.accepts(mark):
            season.running.ask(mark, what)
            raise ConfigError([problem for problem, _ in asked], str(config.file))
    return what


def require_consent_now(config: Config, season: SeasonStore) -> None:
    """Ask for what the season's next round needs accepted; ConfigError where that is something."""
    # Commands that ask for no consent load no checks.
    from arbiter.season.settings import with_begun_settings

    config, rounds = with_begun_settings(config, season), season.rounds()
    last = rounds[-1] if rounds else None
    begun = last is not None and not last.complete and not season.match_ids(last.number)
    number = len(rounds) if begun else len(rounds) + 1
    over = number > config.rounds and config.until is None
    require_consent(config, season, last, None if over else number, season.seed_told(), accepted=False)


def change_error(config: Config, season: SeasonStore, last: StoredRound) -> ConfigError:
    """The error for a config that is not the one of the round before."""
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
    """True if the config is that of the round before, but for what authors sent."""
    if last.digest == config.digest:
        return True
    before = season.settings(last.digest)
    return before is not None and organiser_settings(before) == organiser_settings(config.settings)


def describe_changes(config: Config, season: SeasonStore, last: StoredRound) -> str:
    """Return how the config differs from that of the round before, on one line, but for what authors sent."""
    before = season.settings(last.digest)
    if before is None:
        return "what it was is not known"
    return in_one_line(changes(organiser_settings(before), organiser_settings(config.settings)))


def _mark(before: Mapping[str, Any] | None, now: Mapping[str, Any], what: str) -> str:
    """Tells one question from another: the settings before and after, but for what authors sent."""
    both = [None if before is None else organiser_settings(before), organiser_settings(now), what]
    return sha256(json.dumps(both, sort_keys=True).encode()).hexdigest()[:MARK_DIGITS]
