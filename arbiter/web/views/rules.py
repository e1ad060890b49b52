"""The rules of a season for its bots: game, limits, submissions, languages, the starter kit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from arbiter.contest.submissions.build_recipe import KNOWN, MAKES_PROGRAMS, MEANT, WRITTEN
from arbiter.contest.submissions.languages import languages
from arbiter.errors import ArbiterError
from arbiter.games import make
from arbiter.games.samples import GAMES, PROTOCOL, manual_of
from arbiter.games.samples.sample_languages import LANGUAGES, languages_of
from arbiter.games.samples.starter import check_command, starter_kit
from arbiter.match.clock import time_limit_text
from arbiter.match.limits import AT_HOME, limits_text, options_of
from arbiter.sandbox.failure_hints import REFUSED
from arbiter.sandbox.landlock import search_path
from arbiter.sandbox.tiers import choose
from arbiter.season.config.keys import Submissions
from arbiter.season.fault_streaks import ROUNDS
from arbiter.season.settings import with_begun_settings
from arbiter.web.rendering.template_filters import part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.games.game import AnyGame
    from arbiter.season.config import Config
    from arbiter.season.snapshot.season_state import SeasonState
    from arbiter.web.api import schema
    from arbiter.web.api.schema import GameRules, Manuals, Rules, SubmissionTerms


def rules(state: SeasonState) -> Rules:
    """Return the rules as JSON values, with this machine's languages; `manual`, `protocol` are Markdown."""
    config = with_begun_settings(state.config, state.stored)
    # The paths of languages are left out.
    found = [] if config.submissions is None else languages(config)
    return {
        "season": state.name,
        "game": _game_rules(config.game),
        "limits": _season_limits(config),
        "calendar": {
            "rounds": config.rounds,
            "opens": None if config.opens is None else config.opens.isoformat(),
            "every_s": None if config.every is None else config.every.total_seconds(),
            "missed": config.missed,
            "until": None if config.until is None else config.until.isoformat(),
        },
        "submissions": _submission_terms(config),
        "publish_notes": config.publish_notes,
        "languages": [
            {"word": one.word, "version": one.version, "libraries": dict(one.libraries)} for one in found
        ],
        "starter": _starter_address(state) if config.game.name in GAMES else None,
        "kits": [
            {
                "language": LANGUAGES[language].title,
                "address": f"{_starter_address(state)}?language={part(language)}",
            }
            for language in kit_languages(config)
        ],
        "check": check_command(config.game.name, list(_check_bot_options(config))),
        **manuals(config.game),
    }


def manuals(game: AnyGame) -> Manuals:
    """Read the manuals of a game, its own or the shipped one, and of the protocol."""
    return {"manual": game.manual or manual_of(game.name), "protocol": manual_of(PROTOCOL)}


def _starter_address(state: SeasonState) -> str:
    return f"/seasons/{part(state.name)}/rules/starter.zip"


def kit_languages(config: Config) -> list[str]:
    """Return the languages of starter kits: those of the game's smallest bots that this machine has."""
    terms = config.submissions
    if terms is None or config.game.name not in GAMES:
        return []
    path = search_path((one.program,) for one in config.languages.values())
    return [
        language
        for language in languages_of(config.game.name)
        if (terms.builds or not LANGUAGES[language].build) and not LANGUAGES[language].missing(path)
    ]


def starter(state: SeasonState, language: str | None) -> bytes | None:
    """Return the starter kit as a ZIP archive, by default in Python; None if the game has none."""
    game, terms = state.config.game, state.config.submissions or Submissions()
    words = list(_check_bot_options(state.config))
    return starter_kit(game.name, game.title, state.name, words, terms.max_bytes, language)


def _game_rules(game: AnyGame) -> GameRules:
    return {
        "name": game.name,
        "title": game.title,
        "seats": game.seats,
        "table": game.table_size,
        "seatings": len(game.seatings),
        "options": [
            {"option": key, "value": game.options.get(key), "says": says}
            for key, says in game.option_help.items()
        ],
    }


def _season_limits(config: Config) -> schema.SeasonLimits:
    """Return the limits as in a season's file, with their effect on this machine."""
    limits, text = config.limits, limits_text(config.limits)
    try:
        tier, _ = choose(limits.isolation, config.require_isolation)
    except ArbiterError:
        # The coordinator reports the error.
        tier = limits.isolation
    return {
        "time": text.time,
        "time_says": limits.time.description(),
        "start_time": text.start_time,
        "start_says": None if limits.start_ns is None else time_limit_text(limits.start_ns),
        "memory": text.memory,
        "memory_bytes": limits.memory_bytes,
        "clock": limits.clock,
        "delivery": limits.delivery,
        "end": limits.end,
        "isolation": tier,
        "refused": REFUSED if tier == "landlock" else None,
        "suspend_after": config.suspend_after,
        "suspend_share": config.suspend_share,
        "suspend_rounds": ROUNDS,
        "after_fault": config.after_fault,
    }


def _submission_terms(config: Config) -> SubmissionTerms | None:
    terms = config.submissions
    if terms is None:
        return None
    return {
        "until": None if terms.until is None else terms.until.isoformat(),
        "max_bytes": terms.max_bytes,
        "per_day": terms.per_day,
        "builds": terms.builds,
        "written": WRITTEN,
        "meant": list(MEANT),
        "endings": sorted(MAKES_PROGRAMS),
        "files": [
            {"name": name, "build": list(recipe.build), "command": list(recipe.command)}
            for name, recipe in KNOWN.items()
        ],
    }


def _check_bot_options(config: Config) -> Iterator[str]:
    """Yield the options of `check-bot` for settings that differ from the defaults, and for a kit's Python."""
    game = config.game
    yield from options_of(config.limits, AT_HOME)
    usual = make(game.name, {}).options
    for key, value in game.options.items():
        if value is not None and value != usual.get(key):
            yield from ("--option", f"{key}={json.dumps(value)}")
    for one in [] if config.submissions is None else languages(config):
        if one.word == "python3" and one.version:
            yield from ("--site-version", f"{one.word}={one.version}")
