"""`archive`: a season with everything that verifies it, as one file."""

from __future__ import annotations

import os
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from arbiter.cli.options import config_argument, store_option
from arbiter.cli.output import note, say
from arbiter.errors import ConfigError
from arbiter.replay.export.atomic_files import AtomicFile
from arbiter.season.settings import open_to_read
from arbiter.text import counted, first_few

if TYPE_CHECKING:
    from collections.abc import Callable

ENDINGS = (".tar.gz", ".zip")


@click.command()
@config_argument
@click.argument("file")
@click.option("--public", is_flag=True, help="Leave out all that only organisers and authors may see.")
@store_option
def archive(config: str, file: str, public: bool, store_url: str | None) -> None:
    """Write a season with all that verifies it to one archive.

    FILE is a new .tar.gz or .zip file. It has a copy of the season's store, also while it is played, the
    programs, the settings, versions, digests, and a README with the commands that verify it. With --public,
    for a season that is over, it has no people, tokens, audit log, standard error, private notes or programs.

    Example: arbiter archive configs/demo.yaml demo.tar.gz
    """
    from arbiter.season.archive_folder import write_archive

    ending = next((one for one in ENDINGS if file.endswith(one)), None)
    if ending is None:
        raise ConfigError("expected a name that ends in .tar.gz or .zip", file)
    if os.path.lexists(file):
        raise ConfigError("exists already: name a new file", file)
    settled, season, store = open_to_read(config, store_url)
    settled = replace(settled, store=store_url or settled.store)
    name = Path(file).name.removesuffix(ending)
    whole = AtomicFile(file)
    try:
        with TemporaryDirectory(prefix=".arbiter-archive-", dir=whole.path.parent) as folder:
            into = Path(folder) / name
            into.mkdir()
            made = write_archive(settled, store, season, into, public)
            _PACK[ending](into, whole.part)
        whole.complete()
    except OSError as error:
        raise whole.unwritable(error) from None
    finally:
        whole.discard()
    if made.missing:
        note(f"not in the archive, since missing: {first_few(made.missing)}")
    what = f"{counted(made.rounds, 'round')}, {counted(made.matches, 'match')}"
    say(f"{file}: {season.name}, {what}, {whole.path.stat().st_size / 1e6:.1f} MB")


def _pack_tar(folder: Path, target: Path) -> None:
    """Write a folder to a gzipped tar file, under its name and without owners."""
    with tarfile.open(target, "w:gz") as packed:
        packed.add(folder, folder.name, filter=_anonymous)


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Remove the user of this machine."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def _pack_zip(folder: Path, target: Path) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as packed:
        for path in sorted(folder.rglob("*")):
            packed.write(path, path.relative_to(folder.parent))


_PACK: dict[str, Callable[[Path, Path], None]] = {".tar.gz": _pack_tar, ".zip": _pack_zip}
