"""Words by which other tools of the field call our commands and options, for hints after a mistake.

fastchess and cutechess-cli, Kaggle, DOMjudge and CI tools name what users type first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

PAGE = "docs/howto/coming-from-fastchess.md"
_TOOLS = {"cutechess", "cutechess-cli", "fastchess"}
_COMMANDS = {
    "adjudicate": ("annul",),
    "analyse": ("review",),
    "analysis": ("review",),
    "analyze": ("review",),
    "appeal": ("evidence",),
    "appeals": ("evidence",),
    "ban": ("suspend",),
    "bayeselo": ("standings",),
    "bots": ("games",),
    "cheating": ("integrity",),
    "choose": ("regress",),
    "clarifications": ("questions",),
    "collusion": ("integrity",),
    "compare": ("regress",),
    "cutechess": ("play", "regress"),
    "cutechess-cli": ("play", "regress"),
    "deadline": ("plan", "config"),
    "disqualify": ("suspend",),
    "download": ("show",),
    "duel": ("play", "regress"),
    "elo": ("standings", "play"),
    "engines": ("games",),
    "evaluate": ("check-bot", "review"),
    "fastchess": ("play", "regress"),
    "fishtest": ("regress",),
    "game": ("play", "games"),
    "gui": ("applet",),
    "jplag": ("integrity", "export"),
    "judge": ("inspect", "check-bot"),
    "leaderboard": ("standings",),
    "league": ("run-season",),
    "lint": ("check-config",),
    "match": ("play", "show"),
    "moss": ("integrity", "export"),
    "new": ("init",),
    "opponents": ("games", "init"),
    "ordo": ("standings",),
    "pgn": ("export",),
    "plagiarism": ("integrity",),
    "players": ("games", "standings"),
    "rank": ("standings",),
    "ranking": ("standings",),
    "rate": ("standings",),
    "rating": ("standings",),
    "ratings": ("standings",),
    "rejudge": ("annul",),
    "replay": ("show", "console"),
    "results": ("standings", "matches"),
    "run": ("run-season", "run-round", "play"),
    "schedule": ("plan",),
    "selfplay": ("play",),
    "sprt": ("regress",),
    "spsa": ("tune",),
    "start": ("init", "run-season"),
    "teams": ("authors",),
    "test": ("check-bot", "regress"),
    "tournament": ("run-season",),
    "unban": ("reinstate",),
    "upload": ("submit",),
    "users": ("authors",),
    "validate": ("check-config", "check-bot"),
    "version": ("--version",),
    "view": ("show",),
    "watch": ("serve", "show"),
    "web": ("serve",),
}
_OPTIONS = {
    "--book": ("--deals",),
    "--bots": ("--bot",),
    "--cmd": ("--bot", "--base"),
    "--concurrency": ("--workers",),
    "--draw": (),
    "--each": ("--time", "--memory"),
    "--engine": ("--bot", "--base", "play", "regress"),
    "--event": (),
    "--games": ("--matches", "--rounds", "--max-blocks"),
    "--hash": ("--memory",),
    "--jobs": ("--workers",),
    "--json": ("--format",),
    "--maxmoves": (),
    "--movetime": ("--time",),
    "--new": ("--candidate",),
    "--old": ("--base",),
    "--openings": ("--deals",),
    "--opponent": ("--against", "--bot"),
    "--out": ("--output", "--records", "--record"),
    "--parallel": ("--workers",),
    "--pgn": ("--records", "--as"),
    "--pgnout": ("--records",),
    "--recover": (),
    "--repeat": ("--matches",),
    "--resign": (),
    "--rounds": ("--matches", "--max-blocks"),
    "--sprt": ("--elo1", "regress"),
    "--srand": ("--seed",),
    "--st": ("--time",),
    "--tc": ("--time",),
    "--team": ("--player",),
    "--threads": ("--workers",),
    "--timeout": ("--time",),
    "--tournament": ("run-season",),
    "--variant": ("--game",),
    "-v": ("--version",),
}


def command_hint(word: str, commands: Collection[str]) -> str:
    """Return a hint for an unknown command: by the words of the field, by spelling, or all commands."""
    meant = _COMMANDS.get(word.lower(), ())
    hint = _question(meant) if meant else did_you_mean(word, commands)
    return f"{hint} See {PAGE}" if word.lower() in _TOOLS else hint


def written_option(option: str, arguments: Sequence[str]) -> str:
    """Return the option that was written, ``-engine``, of which click names the first letter, ``-e``."""
    return (
        next((word for word in arguments if word.startswith(option)), option)
        if option[1:2] != "-"
        else option
    )


def option_hint(word: str, options: Collection[str]) -> list[str]:
    """Return those of a command's `options` that the field calls by an unknown `word`, also ``-engine``."""
    return [option for option in _OPTIONS.get(_with_two_dashes(word), ()) if option in options]


def elsewhere_hint(word: str) -> str:
    """Return which command an option of other tools is for, or the page on those without one here, or ""."""
    meant = _OPTIONS.get(_with_two_dashes(word))
    if meant == ():
        return f"no such thing here; see {PAGE}"
    commands = tuple(name for name in meant or () if not name.startswith("-"))
    return _question(commands) if commands else ""


def _with_two_dashes(word: str) -> str:
    return f"-{word}" if len(word) > 2 and word[1] != "-" else word


def _question(words: tuple[str, ...]) -> str:
    return f"did you mean {', '.join(words[:-1])}{' or ' if words[1:] else ''}{words[-1]}?"
