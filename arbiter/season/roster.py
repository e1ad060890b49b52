"""Who plays: the players of a season's file, and of each author the accepted version that is active.

A version is kept with the settings of every round that it plays in, by its archive's SHA-256, and its files
never change: so a round is finished, verified and played again with those very files.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.config.enrolling import enrolled
from arbiter.store.address import file_of

if TYPE_CHECKING:
    from arbiter.config import Config
    from arbiter.store import SeasonStore
    from arbiter.store.submissions import Submission

SOURCE = "source"
"""The folder of a version that holds what was sent, and what was built of it."""


def folder_of(config: Config) -> Path:
    """Where archives and programs lie: beside the store, or the season's file where that is a server's."""
    store = file_of(config.store)
    place = config.file if store is None else store
    return place.resolve().with_name(f"{place.stem}.submissions")


def rostered(config: Config, stored: SeasonStore) -> Config:
    """The config with the versions that play in the next round to be planned."""
    if config.submissions is None:
        return config
    return enrolled(config, [_settings(config, version) for version in stored.submissions.active()])


def _settings(config: Config, version: Submission) -> dict[str, Any]:
    """A version as a player of the settings, its files named from the config's folder on."""
    program = version.program or {}
    place = os.path.relpath(folder_of(config) / version.file / SOURCE, config.folder)
    files = set(program["files"])

    def placed(word: str) -> str:
        return os.path.normpath(f"{place}/{word}")

    command = [
        placed(word) if os.path.normpath(f"{SOURCE}/{word}") in files else word for word in program["command"]
    ]
    return {
        "name": version.author,
        "version": version.version,
        "command": command,
        "read": [placed(path) for path in program["read"]],
        "sha256": version.sha256,
    }
