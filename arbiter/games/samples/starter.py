"""Starter kits for authors: an archive with a working bot of a game, a better one, a README.

It can be submitted unchanged. The same season always gives the same bytes.
"""

from __future__ import annotations

import io
import json
import shlex
import zipfile
from string import Template
from typing import TYPE_CHECKING

from arbiter.games.samples import BOTS, GAMES, HERE, bots_of
from arbiter.games.samples.sample_languages import AND, LANGUAGES, language_bot, languages_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

README, PROGRAM, BETTER, RECIPE = "README.md", "bot.py", "better", "bot.yaml"
TEMPLATE = "starter.md"
EARLIEST = (1980, 1, 1, 0, 0, 0)


def starter_kit(
    game: str, title: str, season: str, options: Sequence[str], most: int, language: str | None = None
) -> bytes | None:
    """Return the ZIP archive for a season of a game; None for a game without sample bots.

    `options` are the arguments of `check-bot` for the season's terms; if the archive would exceed `most`
    bytes, the better bot is left out. With a `language` the archive has the game's smallest bot in it, and
    the recipe that builds and starts it; None for a language without one.
    """
    if game not in GAMES or language not in (None, *languages_of(game)):
        return None
    # The best bots come first; a bot with arguments is a copy of another.
    *_, better, simple = (bot for bot in bots_of(game) if not bot.words)
    words = {"title": title, "season": season, "word": shlex.quote(season)}
    if language is not None:
        return _zip(_language_kit(game, language, words, options))
    words["check"] = check_command(game, options)
    bot = {PROGRAM: (BOTS / simple.files[0]).read_bytes()}
    more = {f"{BETTER}/{file}": (BOTS / file).read_bytes() for file in better.files}
    shows = f"plays better, as an example. It runs only if `{PROGRAM}` uses it."
    plays = "It plays at random, and its comments explain every command."
    line = f"- `{PROGRAM}` is the program that is started. {plays}"
    better_line = f"\n- `{next(iter(more))}` {shows}"
    whole = _zip({README: _fill_readme(words, line + better_line), **bot, **more})
    return whole if len(whole) <= most else _zip({README: _fill_readme(words, line), **bot})


def _language_kit(
    game: str, language: str, words: Mapping[str, str], options: Sequence[str]
) -> dict[str, bytes]:
    """Return the files of a kit by name: README, the language's program, and the recipe that starts it."""
    found = LANGUAGES[language]
    recipe = {"build": ["sh", "-ec", found.build]} if found.build else {}
    recipe["command"] = list(found.start)
    lines = [f"{key}: {json.dumps(value)}\n" for key, value in recipe.items()]
    program = (
        f"- `{found.file}` is the program, in {found.title}. It plays the first card that it may.\n"
        f"- `{RECIPE}` has the commands that {'build and start' if found.build else 'start'} it."
    )
    check = [*(found.build.split(AND) if found.build else ()), check_command(game, options, found.start)]
    return {
        README: _fill_readme({**words, "check": "\n".join(check)}, program),
        found.file: language_bot(game, language).read_bytes(),
        RECIPE: "".join(lines).encode(),
    }


def check_command(game: str, options: Sequence[str], start: Sequence[str] = ("python3", PROGRAM)) -> str:
    """Return the command that checks a bot locally, with these arguments of `check-bot`."""
    return shlex.join(["arbiter", "check-bot", "--game", game, *options, "--", *start])


def _fill_readme(words: Mapping[str, str], program: str) -> bytes:
    """Read the template of the README, and fill in `words` and the lines on its programs."""
    text = (HERE / TEMPLATE).read_text(encoding="utf-8")
    return Template(text).substitute(words, program=program).encode()


def _zip(files: Mapping[str, bytes]) -> bytes:
    """Return an archive of the files, in order; equal files give equal bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, held in files.items():
            entry = zipfile.ZipInfo(name, EARLIEST)
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, held)
    return made.getvalue()
