"""Words by which other tools of the field call our commands and options, for hints after a mistake.

fastchess and cutechess-cli, Kaggle, DOMjudge and CI tools name what users type first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection

_COMMANDS = {
    "choose": ("regress",),
    "compare": ("regress",),
    "download": ("show",),
    "duel": ("play", "regress"),
    "elo": ("standings", "play"),
    "evaluate": ("check-bot", "review"),
    "game": ("play", "games"),
    "judge": ("inspect", "check-bot"),
    "leaderboard": ("standings",),
    "league": ("run-season",),
    "lint": ("check-config",),
    "match": ("play", "show"),
    "new": ("init",),
    "rank": ("standings",),
    "ranking": ("standings",),
    "rate": ("standings",),
    "rating": ("standings",),
    "ratings": ("standings",),
    "replay": ("show", "console"),
    "results": ("standings", "matches"),
    "run": ("run-season", "run-round", "play"),
    "sprt": ("regress",),
    "start": ("init", "run-season"),
    "test": ("check-bot", "regress"),
    "tournament": ("run-season",),
    "upload": ("submit",),
    "validate": ("check-config", "check-bot"),
    "view": ("show",),
    "watch": ("serve", "show"),
    "web": ("serve",),
}
_OPTIONS = {
    "--bots": ("--bot",),
    "--cmd": ("--bot", "--base"),
    "--concurrency": ("--workers",),
    "--engine": ("--bot", "--base"),
    "--games": ("--matches", "--rounds", "--max-blocks"),
    "--jobs": ("--workers",),
    "--new": ("--candidate",),
    "--old": ("--base",),
    "--opponent": ("--against", "--bot"),
    "--openings": ("--deals",),
    "--out": ("--output", "--records", "--record"),
    "--parallel": ("--workers",),
    "--pgnout": ("--records",),
    "--repeat": ("--matches",),
    "--rounds": ("--matches", "--max-blocks"),
    "--tc": ("--time",),
    "--threads": ("--workers",),
    "--timeout": ("--time",),
}


def command_hint(word: str, commands: Collection[str]) -> str:
    """Return a hint for an unknown command: by the words of the field, by spelling, or all commands."""
    meant = _COMMANDS.get(word.lower(), ())
    return _question(meant) if meant else did_you_mean(word, commands)


def option_hint(word: str, options: Collection[str]) -> list[str]:
    """Return those of a command's `options` that the field calls by an unknown `word`."""
    return [option for option in _OPTIONS.get(word, ()) if option in options]


def _question(words: tuple[str, ...]) -> str:
    return f"did you mean {', '.join(words[:-1])}{' or ' if words[1:] else ''}{words[-1]}?"
