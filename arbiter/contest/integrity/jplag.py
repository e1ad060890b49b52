"""Export of a season's sources for JPlag: a folder for each program, and the distributed samples.

The files of a program are in one folder, with their paths in their names: a sanitised name could be that of a
file and of a folder.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from arbiter.contest.integrity.program_sources import (
    programs_of_others,
    programs_of_season,
    samples,
    to_build_on,
)
from arbiter.contest.integrity.schema import in_words
from arbiter.replay.export.atomic_files import new_folder
from arbiter.text import markdown, markdown_code

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from arbiter.contest.integrity.program_sources import Sources
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore

NEW, OLD, BASE = "new", "old", "base"
"""The folders of the season's programs, of what they are compared with, and of what was handed out."""
README = "README.md"
LANGUAGES = {
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp"), "cpp"),
    **dict.fromkeys((".js", ".mjs", ".cjs"), "javascript"),
    ".c": "c", ".cs": "csharp", ".go": "golang", ".java": "java", ".kt": "kotlin", ".py": "python3",
    ".r": "rlang", ".rs": "rust", ".scala": "scala", ".swift": "swift", ".ts": "typescript",
}  # fmt: skip
"""JPlag's language names, by file suffix."""
UNSAFE = re.compile(r"[^\w@.+-]|^[.-]")
LONGEST = 60


def write_jplag(config: Config, stored: SeasonStore, folder: str) -> list[str]:
    """Write a new folder and return the JPlag command for each language in it; ConfigError on failure."""
    with new_folder(folder) as part:
        return _write_folder(config, stored, part, Path(folder))


def _write_folder(config: Config, stored: SeasonStore, part: Path, place: Path) -> list[str]:
    """Write the sources and a README into `part`, and return the JPlag command for each language."""
    shipped = list(samples(config))
    parts = {
        NEW: programs_of_season(config, stored),
        OLD: [
            *programs_of_others(config, stored),
            *(one for one in shipped if one.side["name"] not in to_build_on()),
        ],
        BASE: [one for one in shipped if one.side["name"] in to_build_on()],
    }
    rows: list[str] = []
    languages: set[str] = set()
    for name, programs in parts.items():
        taken: set[str] = set()
        (part / name).mkdir()
        for sources in (one.read() for one in programs):
            if sources.files:
                home = part / name / _unused_name(_portable_name(sources.side["key"]), taken)
                _write_sources(sources, home)
                rows.append(f"- {markdown_code(f'{name}/{home.name}')}: {markdown(in_words(sources.side))}")
                languages |= _jplag_languages(sources) if name == NEW else set()
    base, new, old = (shlex.quote(str(place / name)) for name in (BASE, NEW, OLD))
    command = f"java -jar jplag.jar -bc {base} -new {new} -old {old}"
    commands = [f"{command} -l {language}" for language in sorted(languages)]
    (part / README).write_text("\n".join(_readme_lines(commands, rows)) + "\n", encoding="utf-8")
    return commands


def _jplag_languages(sources: Sources) -> set[str]:
    endings = (PurePath(file.name).suffix.lower() for file in sources.files)
    return {LANGUAGES[ending] for ending in endings if ending in LANGUAGES}


def _readme_lines(commands: Iterable[str], rows: Iterable[str]) -> Iterator[str]:
    yield from ("# Sources of a season, for JPlag", "")
    yield f"`{NEW}` has the programs of the season; `{OLD}` has those of other seasons and samples to compare"
    yield from (f"them with; `{BASE}` has what was handed out.", "")
    yield from ("```sh", *commands, "```", "", *rows)


def _write_sources(sources: Sources, home: Path) -> None:
    home.mkdir()
    taken: set[str] = set()
    for file in sources.files:
        (home / _unused_name(_portable_name(file.name), taken)).write_text(file.text, encoding="utf-8")


def _portable_name(name: str) -> str:
    """Return a portable file name with the same suffix."""
    stem, dot, ending = UNSAFE.sub("_", name).rpartition(".")
    return f"{stem[:LONGEST]}{dot}{ending[:LONGEST]}"


def _unused_name(name: str, taken: set[str]) -> str:
    """Return the name, with a number before the suffix if it is taken, ignoring case."""
    path, number = PurePath(name), 1
    while name.casefold() in taken:
        number += 1
        name = str(path.with_name(f"{path.stem}~{number}{path.suffix}"))
    taken.add(name.casefold())
    return name
