"""A season as a folder that can be verified without anything else: store, programs, versions, digests.

Everything beside the season's file is under `TREE` in its place relative to the others, so that the commands
of the settings, which are relative to the season's folder, still name their programs.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
from contextlib import closing, suppress
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.errors import ConfigError
from arbiter.games.cards import commitment
from arbiter.sandbox.landlock import OF_THE_SYSTEM
from arbiter.sandbox.program_files import digest_of_file
from arbiter.season.archive_readme import ArchivedSeason, readme
from arbiter.season.config import as_it_was
from arbiter.season.config.writer import config_text
from arbiter.season.package_wheel import DISTRIBUTION, NAME, wheel
from arbiter.season.program_digests import own_files
from arbiter.season.public_copy import PublicCopy, files_of, public_settings
from arbiter.season.roster import folder_of
from arbiter.store import Store
from arbiter.store.address import SCHEME, address_of, file_of
from arbiter.store.backup import copy_season

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from arbiter.season.config import Config
    from arbiter.store import SeasonStore

TREE = "tree"
REQUIRED = re.compile(r"[\w.-]+")
MADE = ("__pycache__",)
"""Folders that programs make of their sources."""


def write_archive(
    config: Config, store: Store, season: SeasonStore, into: Path, public: bool
) -> ArchivedSeason:
    """Write the season into an empty folder; ConfigError without a round, or if `public` and not over."""
    rounds = season.rounds()
    settings = season.last_settings()
    if not rounds or settings is None:
        raise ConfigError(f"{season.name} has no rounds yet", str(config.file), "play a round first")
    if public and season.seed_told() is None:
        message = f"{season.name} is not over: its seed would reveal every deal to come"
        raise ConfigError(message, str(config.file), "archive it without --public, or end the season first")
    then = as_it_was(config, public_settings(settings) if public else settings) or config
    places = _Places(config, public)
    (into / places.store).parent.mkdir(parents=True, exist_ok=True)
    copy_season(store, season.name, into / places.store, PublicCopy(config, season) if public else None)
    missing = [] if public else _copy_programs(config, places, into)
    with closing(Store(address_of(into / places.store), create=False)) as made:
        copied = made.season(season.name)
        assert copied is not None
        rounds = copied.rounds()
        matches = sum(len(copied.match_ids(stored.number)) for stored in rounds)
        programs = {name: files_of(found) for name, found in copied.programs().get(len(rounds), {}).items()}
    _write(into / "programs.json", json.dumps(programs, indent=2))
    _write(into / "season.yaml", _season_text(then, places, public))
    if not public:
        shutil.copyfile(config.file, into / "original.yaml")
    _write(into / "versions.txt", "\n".join(_versions()))
    (into / NAME).write_bytes(wheel())
    archived = ArchivedSeason(season.name, public, len(rounds), matches, tuple(missing))
    seed = season.seed if season.seed_told() is not None else None
    text = readme(config, archived, places.store, seed, commitment(season.seed))
    _write(into / "README.md", text)
    _write(into / "SHA256SUMS", "\n".join(_sums(into)))
    return archived


class _Places:
    """The paths in the archive of the season's folder, its store, and files beside them."""

    def __init__(self, config: Config, public: bool) -> None:
        # Of a server's store the copy is beside the season's file, where its programs are.
        store = (file_of(config.store) or config.file.with_suffix(".sqlite")).resolve()
        folder = config.folder.resolve()
        own = [Path(path).resolve() for path in _own_paths(config)]
        self.root = Path(os.path.commonpath([store.parent, folder, *(path.parent for path in own)]))
        self.own = own
        self.store = Path("store.sqlite") if public else self.of(store)
        self.folder = Path() if public else self.of(folder)

    def of(self, path: Path) -> Path:
        """Return the path in the archive."""
        return Path(TREE) / path.relative_to(self.root)


def _own_paths(config: Config) -> Iterator[str]:
    """Yield the files and folders of the file's own programs, but no folder that has files of the season."""
    store = file_of(config.store)
    private = [path.resolve() for path in (config.file, folder_of(config), store) if path is not None]
    folder = str(config.folder.resolve())
    for entry in config.entries:
        if entry.is_sent or entry.player.model is not None:
            continue
        yield from (os.path.join(folder, path) for path in own_files(entry.player, folder))  # noqa: PTH118
        for path in entry.player.read:
            place = Path(os.path.join(folder, path)).resolve()  # noqa: PTH118
            holds_private = any(one.is_relative_to(place) for one in private)
            if not (holds_private or str(place).startswith(OF_THE_SYSTEM)):
                yield str(place)


def _copy_programs(config: Config, places: _Places, into: Path) -> list[str]:
    """Copy the programs, the file's own and the authors', and return the missing paths."""
    missing = []
    sent = folder_of(config).resolve()
    paths = dict.fromkeys([*places.own, *([sent] if sent.is_dir() else [])])
    for path in paths:
        target = into / places.of(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            shutil.copytree(path, target, ignore=_unwanted, dirs_exist_ok=True)
        elif path.is_file():
            shutil.copy2(path, target)
        else:
            missing.append(str(path))
    return missing


def _unwanted(folder: str, names: list[str]) -> list[str]:
    """Return what is not copied: by-products, links, which may lead anywhere, uploads under way."""
    paths = {name: Path(folder) / name for name in names}
    return [
        name
        for name, path in paths.items()
        if name in MADE
        or path.suffix == ".part"
        or path.is_symlink()
        or not (path.is_dir() or path.is_file())
    ]


def _season_text(config: Config, places: _Places, public: bool) -> str:
    """Return the season's file of the archive, with the settings of the last round."""
    changes: dict[str, Any] = {"webhooks": (), "ship": (), "store": f"{SCHEME}{places.store}"}
    if public:
        changes |= {"submissions": None, "requests": None, "review_by": None, "languages": {}}
    text = config_text(replace(config, **changes))
    return re.sub(
        r"^folder: .*(?:\n .*)*$",
        lambda _: f"folder: {json.dumps(str(places.folder))}",
        text,
        flags=re.MULTILINE,
    )


def _versions() -> Iterator[str]:
    """Yield the wheel in the archive and the installed versions of all that it needs, as pip reads them."""
    yield f"# Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    names, known = [DISTRIBUTION], dict[str, str]()
    while names:
        name = names.pop().lower().replace("_", "-")
        if name in known:
            continue
        with suppress(metadata.PackageNotFoundError):
            found = metadata.distribution(name)
            known[name] = found.version
            needed = [words for words in found.requires or () if _is_needed(words, name)]
            names += [match[0] for words in needed if (match := REQUIRED.match(words))]
    yield f"./{NAME}"
    yield from (f"{name}=={version}" for name, version in sorted(known.items()) if name != DISTRIBUTION)


def _is_needed(requirement: str, name: str) -> bool:
    """True for a requirement without an extra, or of the package's own extra `web`."""
    own = name == DISTRIBUTION and re.search(r"== .web\b", requirement) is not None
    return own or "extra ==" not in requirement


def _sums(folder: Path) -> Iterable[str]:
    """Read all files below a folder; yield a line for each: its SHA-256 and its path."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return (f"{digest_of_file(path)}  {path.relative_to(folder)}" for path in files)


def _write(path: Path, text: str) -> None:
    path.write_text(f"{text.rstrip()}\n", encoding="utf-8", newline="")
