"""Files and folders that appear under their names only when they are complete."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator


class AtomicFile:
    """A file being written: write to `part`, then `complete` or `discard` it.

    A special file, such as a pipe, and a file in a read-only folder are written in place. ConfigError
    for a folder.
    """

    def __init__(self, file: str) -> None:
        self._file = file
        # Links are followed, so that they stay links.
        self.path = Path(os.path.realpath(file))
        if self.path.is_dir():
            raise ConfigError("is a folder: name a file", file)
        ordinary = self.path.is_file() or not self.path.exists()
        apart = ordinary and os.access(self.path.parent, os.W_OK)
        self.part = self.path.with_name(f".{self.path.name}.{os.getpid()}.part") if apart else self.path

    def complete(self) -> None:
        """Move it to its name; OSError if that fails."""
        if self.part != self.path:
            self.part.replace(self.path)

    def discard(self) -> None:
        """Delete the unfinished file; an error is ignored."""
        if self.part != self.path:
            with suppress(OSError):
                self.part.unlink()

    def unwritable(self, error: OSError) -> Exception:
        """Return the exception for a write error: the error itself if a pipe's reader has closed it."""
        if isinstance(error, BrokenPipeError):
            return error
        return ConfigError(f"cannot be written: {error.strerror or error}", self._file)


@contextmanager
def atomic_path(file: str) -> Iterator[Path]:
    """Yield a path to write to; `file` appears at the end without an exception. ConfigError if unwritable."""
    whole = AtomicFile(file)
    try:
        yield whole.part
        whole.complete()
    except OSError as error:
        raise whole.unwritable(error) from None
    finally:
        whole.discard()


def write_atomically(file: str, text: str) -> None:
    """Write a text so that the file appears complete; ConfigError if it cannot be written."""
    with atomic_path(file) as path:
        path.write_text(text, encoding="utf-8", newline="")


@contextmanager
def new_folder(folder: str) -> Iterator[Path]:
    """Yield a folder, renamed to `folder` at the end, deleted at an exception; ConfigError on failure."""
    place = Path(folder)
    part = place.parent / f".{place.name}.part"
    for path in (place, part):
        if os.path.exists(path):  # noqa: PTH110 -- the other fails where a name is too long
            raise ConfigError("exists already: name a new folder", str(path))
    try:
        part.mkdir()
        yield part
        part.rename(place)
    except OSError as error:
        raise ConfigError(f"cannot be written: {error.strerror or error}", folder) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
