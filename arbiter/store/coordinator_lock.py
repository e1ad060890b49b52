"""The coordinator's lock on a store file: a file lock, and an abstract socket address that cannot be deleted.

The lock is on a file beside the database that names the holder. It works between containers, but not once
that file is deleted. The socket address is made of the database's device and inode number, so it is the same
through every link, but only within a network namespace. Before each write the coordinator therefore checks
that its lock is still on the file of that name, and takes it again or stops. The kernel frees both when the
process ends. The database itself is not opened here: closing it would drop SQLite's own locks. Another user
of the machine could bind the address first and so keep a season from being played, but nothing else.
"""

from __future__ import annotations

import errno
import os
import platform
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.errors import StoreError

try:
    import fcntl
except ImportError:
    # Windows: no season can be played there.
    CAN_HOLD = False
else:
    CAN_HOLD = True

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterable, Iterator

LOOK_SECONDS = 0.2
"""How long to wait for lock and address: `holder`, too, takes the lock for an instant."""
UNKNOWN_HOLDER = "another process"


@contextmanager
def hold(name: str) -> Iterator[Callable[[], None]]:
    """Hold the lock on the database of this name; StoreError names the present holder.

    Yield a check to call before each write: it raises StoreError once another process may have the lock.
    """
    if not CAN_HOLD:
        raise StoreError(f"cannot lock {name}: this system has no file locks")
    with ExitStack() as stack:
        lock = _Lock(name)
        stack.callback(lock.close)
        lock.take()
        own = stack.enter_context(_make_socket())
        address = _socket_address(name)
        if not _retry(lambda: _bind(own, address)):
            how = f"through another path, or {_lock_file(name)} was removed"
            raise StoreError(f"{name} is being played on by {UNKNOWN_HOLDER} ({how})")
        lock.sign()
        yield lock.keep
        lock.keep()
        os.truncate(lock.descriptor, 0)


@contextmanager
def lock_paths(places: Iterable[Path], why_not: str) -> Iterator[None]:
    """Lock folders and files, which are created if missing; the locks end with the process.

    StoreError if one cannot be locked, with `why_not` if another process has locked it.
    """
    with ExitStack() as stack:
        for place in dict.fromkeys(places):
            flags = os.O_RDONLY if place.is_dir() else os.O_RDWR | os.O_CREAT
            try:
                descriptor = os.open(place, flags | os.O_CLOEXEC, 0o600)
                stack.callback(os.close, descriptor)
                is_ours = _try_lock(descriptor)
            except OSError as error:
                raise StoreError(f"{place}: cannot be locked: {error.strerror}") from None
            if not is_ours:
                raise StoreError(f"{place}: {why_not}")
        yield


class _Lock:
    """The lock on the file beside a store; its descriptor holds the lock while it is open."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.descriptor = -1
        self._since = datetime.now(UTC).isoformat(timespec="seconds")

    def take(self) -> None:
        """Lock the file that has the name now, not an earlier one; StoreError if another process has."""
        self.close()
        self.descriptor = _open_lock_file(self._name, os.O_RDWR | os.O_CREAT)
        if not _retry(lambda: _try_lock(self.descriptor)):
            raise StoreError(f"{self._name} is being played on by {_read_holder(self.descriptor)}")

    def sign(self) -> None:
        """Write this process, its host and its start into the file; StoreError if that fails."""
        try:
            os.truncate(self.descriptor, 0)
            who = f"process {os.getpid()} on {platform.node()} since {self._since}"
            os.write(self.descriptor, who.encode())
        except OSError as error:
            raise _lock_error(self._name, error) from None

    def keep(self) -> None:
        """Lock again if the file was removed; StoreError if another process was faster."""
        with suppress(OSError):
            if os.path.samestat(os.fstat(self.descriptor), os.stat(_lock_file(self._name))):
                return
        self.take()
        self.sign()

    def close(self) -> None:
        """Close the file, which frees the lock; do nothing if it is closed."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


def replacement_check(name: str) -> Callable[[], None]:
    """Look which file has this name; return a check that raises StoreError once it is removed or replaced."""
    try:
        before = os.stat(name)
    except OSError:
        before = None

    def check_not_replaced() -> None:
        """Raise StoreError unless the name is of the same file as at first."""
        try:
            now = os.stat(name)
            if before is not None and os.path.samestat(before, now):
                return
            what = "replaced by another file"
        except OSError as error:
            what = f"removed ({error.strerror})"
        raise StoreError(
            f"{name} was {what} while in use; nothing more is stored:"
            " restore it or a backup and run the same command again"
        )

    return check_not_replaced


def holder(name: str) -> str | None:
    """Test the lock on the database of this name; return who holds it, None if it is free."""
    if not CAN_HOLD:
        return None
    if _lock_file(name).exists():
        descriptor = _open_lock_file(name, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _read_holder(descriptor)
        finally:
            os.close(descriptor)
    address = _socket_address(name)
    with _make_socket() as asking:
        return UNKNOWN_HOLDER if address is not None and _answers(asking, address) else None


def _lock_file(name: str) -> Path:
    return Path(name + "-lock")


def _open_lock_file(name: str, flags: int) -> int:
    """Open the lock file with these flags; StoreError if the system refuses."""
    try:
        return os.open(_lock_file(name), flags | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise _lock_error(name, error) from None


def _lock_error(name: str, error: OSError) -> StoreError:
    return StoreError(f"cannot lock {name}: {error.strerror}: {_lock_file(name)}")


def _retry(take: Callable[[], bool]) -> bool:
    """Call `take` until it returns True or `LOOK_SECONDS` have passed; return its last result."""
    until = time.monotonic() + LOOK_SECONDS
    while not take():
        if time.monotonic() >= until:
            return False
        time.sleep(LOOK_SECONDS / 20)
    return True


def _try_lock(descriptor: int) -> bool:
    """Take an exclusive lock on the file without waiting; False if another process has a lock."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read_holder(descriptor: int) -> str:
    """Return the holder as `sign` wrote it into the file, or `UNKNOWN_HOLDER` if that is empty."""
    return os.pread(descriptor, 200, 0).decode(errors="replace") or UNKNOWN_HOLDER


def _make_socket() -> socket.socket:
    """Return a socket that child processes do not inherit."""
    # Imported here: most users of a store need no lock.
    import socket

    return socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)


def _socket_address(name: str) -> str | None:
    """Return a database's socket address, None outside Linux; StoreError if its file cannot be read."""
    if sys.platform != "linux":
        return None
    try:
        there = os.stat(name)
    except OSError as error:
        raise StoreError(f"cannot lock {name}: {error.strerror}") from None
    return f"\0arbiter-hold-{there.st_dev:x}-{there.st_ino:x}"


def _bind(own: socket.socket, address: str | None) -> bool:
    """Bind the address until the socket is closed; False if it is in use."""
    try:
        if address is not None:
            own.bind(address)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        return False
    return True


def _answers(asking: socket.socket, address: str) -> bool:
    """Return True if a socket is bound to the address; nothing is sent to it."""
    try:
        asking.connect(address)
    except ConnectionRefusedError:
        return False
    return True
