"""Check a program, or submit it as a version: the same inspection, with or without storing the result."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TYPE_CHECKING, Any

from arbiter.contest.agents.answer_limits import cut
from arbiter.contest.submissions.archive import CHUNK
from arbiter.contest.submissions.archive_storage import (
    ArchiveTooLarge,
    Upload,
    archive_of,
    program_folder,
    remove,
)
from arbiter.contest.submissions.build_recipe import KNOWN, MAKES_PROGRAMS
from arbiter.contest.submissions.client import pack
from arbiter.contest.submissions.inspection import inspect
from arbiter.contest.submissions.inspector import hold_inspection_lock, inspect_one
from arbiter.errors import ConfigError
from arbiter.season.config.settings_diff import rated_name
from arbiter.season.roster import folder_of
from arbiter.store.submissions import QuotaExceeded, RateLimited

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import IO

    from arbiter.contest.agents.arena import AgentArena

FILES = {
    "python": "bot.py", "javascript": "bot.js", "shell": "bot.sh", "c++": "main.cpp", "c": "main.c",
    "rust": "main.rs", "go": "main.go", "java": "Main.java",
}  # fmt: skip
"""The file name of a one-file program, by language."""
DETAIL, FIX, OUTPUT = 1_000, 500, 3_000
"""The most bytes of each part of a step; there are four steps."""
assert set(FILES.values()) <= KNOWN.keys()


def check(arena: AgentArena, path: Path) -> dict[str, Any]:
    """Unpack, build and try a program as `submit` does, and store nothing; return `state` and `steps`.

    ConfigError if there is no program at the path.
    """
    config = arena.config
    with arena.open() as (_, stored), _pack_upload(arena, path) as arriving:
        author = stored.authors.find(arena.name)
        assert author is not None
        name = rated_name(arena.name, author.versions + 1)
        room = arena.terms.total - stored.submission_files.taken(arena.name)
        arriving.keep()
        try:
            archive, folder = archive_of(config, arriving.name), program_folder(config, arriving.name)
            verdict = inspect(archive, folder, config, name, lambda _: None, room)
        finally:
            remove(config, arriving.name)
    return {"state": verdict.state, "steps": list(_truncate_steps(asdict(step) for step in verdict.steps))}


def submit(arena: AgentArena, path: Path) -> dict[str, Any]:
    """Submit a program as the agent's next version; return `player`, `version`, `state`, `steps`.

    The same files again give their earlier version. ConfigError as for `check`, and if the agent has reached
    a limit.
    """
    config, terms = arena.config, arena.terms
    with arena.open() as (_, stored), hold_inspection_lock([config]), _pack_upload(arena, path) as arriving:
        arriving.keep()
        new = False
        try:
            sent = arena.name, arriving.sha256, arriving.name, terms.per_day, arriving.size, terms.total
            made, new = stored.submissions.add(*sent)
        except RateLimited as error:
            what = f"at most {terms.per_day} new programs in 24 hours"
            raise ConfigError(what, str(config.file), f"try again in {error.seconds} s") from None
        except QuotaExceeded as error:
            what = f"your versions take {error.taken:,} of {terms.total:,} bytes; this one does not fit"
            raise ConfigError(what, str(config.file), "submissions: max_total allows more") from None
        finally:
            if not new:
                arriving.drop()
        # An earlier version whose inspection was interrupted is inspected now.
        inspect_one(config, made.id)
        found = stored.submissions.one(made.id)
        assert found is not None
    player = rated_name(arena.name, found.version)
    shape = {"player": player, "version": found.version, "state": found.state}
    return {**shape, "steps": list(_truncate_steps(found.steps))}


def _truncate_steps(steps: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the name, `ok`, detail, fix and output of each step, these three cut to their limits."""
    for step in steps:
        said = {
            key: cut(step[key], most) for key, most in (("detail", DETAIL), ("fix", FIX), ("output", OUTPUT))
        }
        yield {"name": step["name"], "ok": step["ok"], **said}


@contextmanager
def _pack_upload(arena: AgentArena, path: Path) -> Iterator[Upload]:
    """Yield a packed program as an upload, which the caller keeps or drops; ConfigError if too large."""
    most = arena.terms.max_bytes
    with TemporaryFile() as archive:
        _pack(path, archive)
        archive.seek(0)
        arriving = Upload(folder_of(arena.config), most)
        try:
            while data := archive.read(CHUNK):
                arriving.write(data)
        except ArchiveTooLarge:
            arriving.drop()
            what = f"expected at most {most:,} bytes when packed, got more"
            raise ConfigError(what, str(path), "leave files out") from None
    yield arriving


def _pack(path: Path, into: IO[bytes]) -> None:
    """Pack a folder or a one-file program, copy a ZIP file unchanged; ConfigError for anything else."""
    if not path.is_file() or path.suffix.lower() not in MAKES_PROGRAMS:
        pack(path, into)
        return
    with TemporaryDirectory() as folder:
        try:
            shutil.copy(path, folder)
        except OSError as error:
            raise ConfigError(f"cannot be read: {error.strerror}", str(path)) from None
        pack(Path(folder), into)
