"""One coordinator a store: whoever plays holds it, and whoever comes second is told who that is.

For SQLite the hold is a lock of the operating system on a file beside the database. It ends with
the process that has it, however that ends, so nobody waits for a lease to run out after a crash.
"""

from __future__ import annotations

import fcntl
import os
import platform
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.store.store import Store


@contextmanager
def held(store: Store) -> Iterator[None]:
    """Play alone on this store; StoreError names whoever does already."""
    path = lock_file(store)
    if path is None:
        yield
        return
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StoreError(f"{store.name} cannot be held: {error.strerror}: {path}") from None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreError(f"{store.name} is being played on by {_read(descriptor)}") from None
        since = datetime.now(UTC).isoformat(timespec="seconds")
        os.truncate(descriptor, 0)
        os.write(descriptor, f"process {os.getpid()} on {platform.node()} since {since}".encode())
        yield
        os.truncate(descriptor, 0)
    finally:
        os.close(descriptor)


def holder(store: Store) -> str | None:
    """Who plays on this store now, None if nobody does."""
    path = lock_file(store)
    if path is None or not path.exists():
        return None
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read(descriptor)
    finally:
        os.close(descriptor)
    return None


def lock_file(store: Store) -> Path | None:
    """The file whose lock is the hold; None for a database without a file."""
    if not store.url.startswith("sqlite") or store.name == ":memory:":
        return None
    return Path(store.name + "-lock")


def _read(descriptor: int) -> str:
    return os.pread(descriptor, 200, 0).decode(errors="replace") or "another process"
