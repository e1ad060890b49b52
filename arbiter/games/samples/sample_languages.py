"""The smallest bots of each game in several languages: their files, how they are built and started."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from arbiter.games.samples import PLACES, folder_of_samples

if TYPE_CHECKING:
    from pathlib import Path

MINE = "mine"
"""The name of the player whose program you change, and of its folder."""


class SampleLanguage(NamedTuple):
    """A language's file, and the commands that build ("" for none) and start it in its folder."""

    file: str
    build: str
    start: tuple[str, ...]


LANGUAGES = {
    "c": SampleLanguage("bot.c", "cc -std=c11 -O2 -o bot bot.c", ("./bot",)),
    "c++": SampleLanguage("bot.cpp", "c++ -std=c++17 -O2 -o bot bot.cpp", ("./bot",)),
    "rust": SampleLanguage("bot.rs", "rustc -O bot.rs", ("./bot",)),
    "go": SampleLanguage("bot.go", "go build -o bot bot.go", ("./bot",)),
    "java": SampleLanguage(
        "Bot.java", "javac Bot.java && jar cfe bot.jar Bot *.class", ("java", "-jar", "bot.jar")
    ),
    "javascript": SampleLanguage("bot.mjs", "", ("node", "bot.mjs")),
    "python": SampleLanguage("bot.py", "", ("python3", "bot.py")),
    "lua": SampleLanguage("bot.lua", "", ("lua5.4", "bot.lua")),
    "perl": SampleLanguage("bot.pl", "", ("perl", "bot.pl")),
    "bash": SampleLanguage("bot.sh", "", ("bash", "bot.sh")),
}
ALIASES = {"cpp": "c++", "js": "javascript", "node": "javascript", "golang": "go", "py": "python"}


def language_bot(game: str, language: str) -> Path:
    """Return the file of a game's smallest bot in one of `languages_of`."""
    place = f"bots/languages/{game}"
    return folder_of_samples(place if place in PLACES else "bots/languages") / LANGUAGES[language].file


def languages_of(game: str) -> list[str]:
    """Return the languages in which a game has a bot."""
    return [language for language in LANGUAGES if language_bot(game, language).is_file()]


def language_entry(language: str, name: str = MINE) -> str:
    """Return the player's lines in a season's file, its program being in ``bots/NAME``."""
    *words, program = LANGUAGES[language].start
    command = ", ".join([*words, f"bots/{name}/{program.removeprefix('./')}"])
    return f"  - name: {name}\n    command: [{command}]"
