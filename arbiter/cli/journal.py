"""A log of what happened in a season, match by match, for whoever looks later."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from arbiter.cli.output import note
from arbiter.errors import ConfigError, came_of_a_signal
from arbiter.text import printable

if TYPE_CHECKING:
    from typing import Self

journal_option = click.option(
    "--log", type=click.Path(dir_okay=False), help="Append what happens, match by match, to this file."
)


class Journal:
    """Appends each line to a file at once; without a path it keeps nothing.

    The last line says what ended the run. ConfigError if the file cannot be opened.
    """

    def __init__(self, path: str | None) -> None:
        try:
            self._file = None if path is None else open(path, "a", encoding="utf-8", buffering=1)  # noqa: SIM115
        except OSError as error:
            raise ConfigError(f"--log {path}: {error.strerror}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, error: BaseException | None, __: object) -> None:
        if error is not None:
            what = str(error) or type(error).__name__
            self.write("interrupted" if came_of_a_signal(error) else f"ended: {what}")
        if self._file is not None:
            self._file.close()

    def tell(self, text: str) -> None:
        """A line here and on standard error."""
        self.write(text)
        note(text)

    def write(self, text: str) -> None:
        """One line, ``2026-11-20T13:00:00+00:00 r001/t01/m0: ...``."""
        if self._file is None:
            return
        moment = datetime.now(UTC).isoformat(timespec="seconds")
        try:
            self._file.write(f"{moment} {printable(' '.join(text.split()))}\n")
        except OSError as error:
            # A match that can be stored is worth more than a line about it.
            note(f"--log {self._file.name}: {error.strerror}: nothing more is written to it")
            self._file = None
