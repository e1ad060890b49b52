"""The hold on a store that is a file: a lock of the operating system, and a name that nobody can delete.

The lock is on a file beside the database, which says who has it; it holds between containers too, but not
once somebody deletes that file. The name stands in the kernel's list of sockets and is made of the database's
device and number there, so it is the same by whatever link the store is opened, but each network namespace
has a list of its own. So before each write the coordinator looks if its lock is still on the file of that
name, and takes it again or stops. Both end with the process, however that ends. The database itself is not
opened here: closing it would drop SQLite's own locks. Another user of the machine could take the name first,
and so keep a season from being played; no more.
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
    # Where nobody can play, as on Windows, nobody does.
    CAN_HOLD = False
else:
    CAN_HOLD = True

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterable, Iterator

LOOK_SECONDS = 0.2
"""The seconds that lock and name are waited for: `holder`, too, has the lock for a moment."""
SOMEBODY = "another process"


@contextmanager
def held(name: str) -> Iterator[Callable[[], None]]:
    """Play alone on the database of this name; StoreError names who already does.

    What is yielded raises StoreError once somebody else may play, and is to be called before each write.
    """
    if not CAN_HOLD:
        raise StoreError(f"{name} cannot be held: this system has no locks for it")
    with ExitStack() as stack:
        lock = _Lock(name)
        stack.callback(lock.close)
        lock.take()
        own = stack.enter_context(_socket())
        address = _address(name)
        if not _patiently(lambda: _bind(own, address)):
            how = f"by another path, or {_lock_file(name)} was removed"
            raise StoreError(f"{name} is being played on by {SOMEBODY} ({how})")
        lock.sign()
        yield lock.keep
        lock.keep()
        os.truncate(lock.descriptor, 0)


@contextmanager
def locked(places: Iterable[Path], why_not: str) -> Iterator[None]:
    """Have folders, and files that are made if need be, to oneself; the locks end with the process.

    StoreError where one cannot be had, which says `why_not` where another process has it.
    """
    with ExitStack() as stack:
        for place in dict.fromkeys(places):
            flags = os.O_RDONLY if place.is_dir() else os.O_RDWR | os.O_CREAT
            try:
                descriptor = os.open(place, flags | os.O_CLOEXEC, 0o600)
                stack.callback(os.close, descriptor)
                is_ours = _lock(descriptor)
            except OSError as error:
                raise StoreError(f"{place}: {error.strerror}") from None
            if not is_ours:
                raise StoreError(f"{place}: {why_not}")
        yield


class _Lock:
    def __init__(self, name: str) -> None:
        self._name = name
        self.descriptor = -1
        self._since = datetime.now(UTC).isoformat(timespec="seconds")

    def take(self) -> None:
        """Lock the file that has the name now; StoreError if somebody else has."""
        self.close()
        self.descriptor = _open(self._name, os.O_RDWR | os.O_CREAT)
        if not _patiently(lambda: _lock(self.descriptor)):
            raise StoreError(f"{self._name} is being played on by {_read(self.descriptor)}")

    def sign(self) -> None:
        """Write who has it."""
        try:
            os.truncate(self.descriptor, 0)
            who = f"process {os.getpid()} on {platform.node()} since {self._since}"
            os.write(self.descriptor, who.encode())
        except OSError as error:
            raise _unheld(self._name, error) from None

    def keep(self) -> None:
        """Take it again where the file was removed; StoreError if somebody else was faster."""
        with suppress(OSError):
            if os.path.samestat(os.fstat(self.descriptor), os.stat(_lock_file(self._name))):
                return
        self.take()
        self.sign()

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


def staying(name: str) -> Callable[[], None]:
    """A check that a file is still the one that has this name now: StoreError once it is not."""
    try:
        before = os.stat(name)
    except OSError:
        before = None

    def check() -> None:
        try:
            now = os.stat(name)
            if before is not None and os.path.samestat(before, now):
                return
            what = "replaced by another file"
        except OSError as error:
            what = f"removed ({error.strerror})"
        raise StoreError(
            f"{name} was {what} while it was in use, so nothing more is stored:"
            " put it back, or a backup of it, and run the same command again"
        )

    return check


def holder(name: str) -> str | None:
    """Return who plays on the database of this name now; None if nobody does."""
    if not CAN_HOLD:
        return None
    if _lock_file(name).exists():
        descriptor = _open(name, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _read(descriptor)
        finally:
            os.close(descriptor)
    address = _address(name)
    with _socket() as asking:
        return SOMEBODY if address is not None and _answers(asking, address) else None


def _lock_file(name: str) -> Path:
    return Path(name + "-lock")


def _open(name: str, flags: int) -> int:
    try:
        return os.open(_lock_file(name), flags | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise _unheld(name, error) from None


def _unheld(name: str, error: OSError) -> StoreError:
    return StoreError(f"{name} cannot be held: {error.strerror}: {_lock_file(name)}")


def _patiently(take: Callable[[], bool]) -> bool:
    """Try until it succeeds or `LOOK_SECONDS` are over."""
    until = time.monotonic() + LOOK_SECONDS
    while not take():
        if time.monotonic() >= until:
            return False
        time.sleep(LOOK_SECONDS / 20)
    return True


def _lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read(descriptor: int) -> str:
    return os.pread(descriptor, 200, 0).decode(errors="replace") or SOMEBODY


def _socket() -> socket.socket:
    """A socket that no program started later inherits."""
    # Loaded by those who play or ask who does; the store's other users do without.
    import socket

    return socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)


def _address(name: str) -> str | None:
    """The name in the kernel's list; None on systems other than Linux, which have no such list."""
    if sys.platform != "linux":
        return None
    try:
        there = os.stat(name)
    except OSError as error:
        raise StoreError(f"{name} cannot be held: {error.strerror}") from None
    return f"\0arbiter-hold-{there.st_dev:x}-{there.st_ino:x}"


def _bind(own: socket.socket, address: str | None) -> bool:
    """Take the name until the socket is closed, by us or by the kernel."""
    try:
        if address is not None:
            own.bind(address)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        return False
    return True


def _answers(asking: socket.socket, address: str) -> bool:
    """True if a socket has the name; it hears nothing of this."""
    try:
        asking.connect(address)
    except ConnectionRefusedError:
        return False
    return True
