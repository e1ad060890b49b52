"""The roster: the players of a season's file, and the active accepted version of each author.

A version is stored with the settings of every round that it plays in, by its archive's SHA-256, and its files
never change: a round is finished, verified and replayed with the same files.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from arbiter.sandbox.program_files import digest_of_file, is_by_product
from arbiter.season.config.settings_diff import rated_name
from arbiter.season.config.submission_settings import SOURCE, folder_beside

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from arbiter.season.config import Config
    from arbiter.store import SeasonStore
    from arbiter.store.versions import Submission


def folder_of(config: Config) -> Path:
    """Return the folder of archives and programs."""
    return folder_beside(config.store, config.file)


def with_active_versions(config: Config, stored: SeasonStore) -> Config:
    """Load the versions that play in the next planned round; return the config with them."""
    if config.submissions is None:
        return config
    # Imported here: commands that read a season without versions need no checks.
    from arbiter.season.config.loader import with_players

    return with_players(config, [_settings(config, version) for version in stored.submissions.active()])


def with_versions(config: Config, versions: Iterable[Submission]) -> Config:
    """Return the config with any accepted versions, for matches outside the season."""
    from arbiter.season.config.loader import with_players

    return with_players(config, [_settings(config, version) for version in versions])


def _settings(config: Config, version: Submission) -> dict[str, Any]:
    """Return a version as a player of the settings, its files relative to the config's folder."""
    program = version.program or {}
    place = os.path.relpath(folder_of(config) / version.file / SOURCE, config.folder)
    files = set(program["files"])

    def joined(word: str) -> str:
        return os.path.normpath(f"{place}/{word}")

    command = [
        joined(word) if os.path.normpath(f"{SOURCE}/{word}") in files else word for word in program["command"]
    ]
    return {
        "name": version.author,
        "version": version.version,
        "command": command,
        "read": [joined(path) for path in program["read"]],
        "sha256": version.sha256,
        "publish_notes": program.get("publish_notes"),
    }


def missing_files(config: Config, stored: SeasonStore) -> dict[str, str]:
    """Look up the files of accepted versions; return the first missing one of each, by rated name."""
    found: dict[str, str] = {}
    for name, _file, path, _digest in _accepted_files(config, stored):
        if name not in found and not path.is_file():
            found[name] = f"there is no file {path}"
    return found


def altered_files(config: Config, stored: SeasonStore) -> Iterator[tuple[str, str]]:
    """Read accepted versions' files; yield rated name and file for each readable file that was changed."""
    for name, file, path, digest in _accepted_files(config, stored):
        if is_by_product(file):
            continue
        try:
            now = digest_of_file(path)
        except OSError:
            continue
        if now != digest:
            yield name, file


def _accepted_files(config: Config, stored: SeasonStore) -> Iterator[tuple[str, str, Path, str]]:
    """Yield all files of accepted versions: rated name, name within the version, path, accepted SHA-256."""
    if config.submissions is None:
        return
    folder = folder_of(config)
    for version in stored.submissions.accepted():
        for file, digest in (version.program or {})["files"].items():
            yield rated_name(version.author, version.version), file, folder / version.file / file, digest
