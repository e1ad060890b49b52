"""Files that appear under their names when they are complete and not before."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator


class WholeFile:
    """A file on its way: write to `part`, then `complete` or `discard` it.

    What is no ordinary file, such as a pipe, is written to as it is, and so is one in a folder where
    none can be made. ConfigError for a folder.
    """

    def __init__(self, file: str) -> None:
        self._file = file
        # Through a link to the file itself: the link stays.
        self.path = Path(os.path.realpath(file))
        if self.path.is_dir():
            raise ConfigError("is a folder: name a file", file)
        ordinary = self.path.is_file() or not self.path.exists()
        apart = ordinary and os.access(self.path.parent, os.W_OK)
        self.part = self.path.with_name(f".{self.path.name}.{os.getpid()}.part") if apart else self.path

    def complete(self) -> None:
        """Give it its name; OSError where that cannot be."""
        if self.part != self.path:
            self.part.replace(self.path)

    def discard(self) -> None:
        if self.part != self.path:
            with suppress(OSError):
                self.part.unlink()

    def unwritable(self, error: OSError) -> Exception:
        """Return the exception for an error while it is written: the error itself if a reader went away."""
        if isinstance(error, BrokenPipeError):
            return error
        return ConfigError(f"cannot be written: {error.strerror or error}", self._file)


@contextmanager
def replacing(file: str) -> Iterator[Path]:
    """Yield a path to write to, so that `file` appears at the end; ConfigError where it cannot be written."""
    whole = WholeFile(file)
    try:
        yield whole.part
        whole.complete()
    except OSError as error:
        raise whole.unwritable(error) from None
    finally:
        whole.discard()


def write_whole(file: str, text: str) -> None:
    """A text as a whole file; ConfigError where it cannot be written."""
    with replacing(file) as path:
        path.write_text(text, encoding="utf-8", newline="")
