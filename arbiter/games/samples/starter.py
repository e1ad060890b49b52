"""Starter kits for authors: an archive with a working bot of a game, a better one, a README.

It can be submitted unchanged. The same season always gives the same bytes.
"""

from __future__ import annotations

import io
import shlex
import zipfile
from string import Template
from typing import TYPE_CHECKING

from arbiter.games.samples import BOTS, GAMES, HERE, bots_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

README, PROGRAM, BETTER = "README.md", "bot.py", "better"
TEMPLATE = "starter.md"
EARLIEST = (1980, 1, 1, 0, 0, 0)


def starter_kit(game: str, title: str, season: str, options: Sequence[str], most: int) -> bytes | None:
    """Return the ZIP archive for a season of a game; None for a game without sample bots.

    `options` are the arguments of `check-bot` for the season's terms; if the archive would exceed `most`
    bytes, the better bot is left out.
    """
    if game not in GAMES:
        return None
    # The best bots come first; a bot with arguments is a copy of another.
    *_, better, simple = (bot for bot in bots_of(game) if not bot.words)
    words = {
        "title": title,
        "season": season,
        "word": shlex.quote(season),
        "check": check_command(game, options),
    }
    bot = {PROGRAM: (BOTS / simple.files[0]).read_bytes()}
    more = {f"{BETTER}/{file}": (BOTS / file).read_bytes() for file in better.files}
    shows = f"plays better, as an example. It runs only if `{PROGRAM}` uses it."
    line = f"\n- `{next(iter(more))}` {shows}"
    whole = _zip({README: _fill_readme(words, line), **bot, **more})
    return whole if len(whole) <= most else _zip({README: _fill_readme(words, ""), **bot})


def check_command(game: str, options: Sequence[str]) -> str:
    """Return the command that checks a bot locally, with these arguments of `check-bot`."""
    return shlex.join(["arbiter", "check-bot", "--game", game, *options, "--", "python3", PROGRAM])


def _fill_readme(words: Mapping[str, str], better: str) -> bytes:
    text = (HERE / TEMPLATE).read_text(encoding="utf-8")
    return Template(text).substitute(words, better=better).encode()


def _zip(files: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, held in files.items():
            entry = zipfile.ZipInfo(name, EARLIEST)
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, held)
    return made.getvalue()
