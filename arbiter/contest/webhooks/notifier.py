"""All webhooks of some seasons, each in its thread, so that they do not wait for each other.

A season's file is read again when it changes; an invalid file changes nothing.
"""

from __future__ import annotations

import threading
import time
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from arbiter.contest.webhooks.sender import LOOK_SECONDS, Sender
from arbiter.errors import ArbiterError, NoStore, StoreError
from arbiter.season.config import load
from arbiter.store import Store
from arbiter.store.address import file_of
from arbiter.store.coordinator_lock import CAN_HOLD, lock_paths

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from arbiter.season.config import Config

FAILED_SECONDS = 5.0
"""The pause after the store failed."""
LOCK = "-notify"


class SenderThread(threading.Thread):
    """Runs a sender until it is asked to end, or with `once` until nothing can be sent now."""

    def __init__(self, sender: Sender, say: Callable[[str], None], once: bool) -> None:
        super().__init__(daemon=True)
        self._sender, self._say, self._once = sender, say, once
        self._end = threading.Event()
        self.waits = False
        """True if it ended with something left to send."""
        self.failure: ArbiterError | None = None
        """The last error that was not the receiver's."""

    def ask_to_end(self) -> None:
        """Ask the thread to end after the delivery in progress."""
        self._end.set()

    def run(self) -> None:
        """Send until asked to end, or with `once` until nothing can be sent; then close the sender."""
        try:
            while not self._end.is_set():
                wait = self._send_step()
                if self._once and wait != 0:
                    self.waits = wait is not None
                    return
                # At most one polling interval: an organiser may request a retry.
                self._end.wait(LOOK_SECONDS if wait is None else min(wait, LOOK_SECONDS))
        finally:
            self._sender.close()

    def _send_step(self) -> float | None:
        """Run a step; after an error close the sender, report a new one, pause. Return seconds to wait."""
        try:
            wait = self._sender.step()
        except Exception as error:
            # Any error: the thread continues after a pause.
            failure = ArbiterError(f"failed: {type(error).__name__}: {error}")
            if isinstance(error, ArbiterError):
                failure = error
            if str(failure) != str(self.failure) and not self._once:
                self._say(f"{self._sender.called}: {failure}")
            self.failure = failure
            self._sender.close()
            self._end.wait(0 if self._once else FAILED_SECONDS)
            return LOOK_SECONDS
        self.failure = None
        return wait


class SeasonNotifier:
    """A season's file and the threads of its webhooks."""

    def __init__(self, config: Config, say: Callable[[str], None], public: str | None) -> None:
        self.config, self._say, self._public = config, say, public
        self._written = _mtime(config.file)
        self.working: list[SenderThread] = []

    def start(self, once: bool = False) -> None:
        """Forget the state of webhooks not in the file, and start a thread for each one in it.

        With `once` a thread ends when nothing can be sent now. StoreError if the state cannot be changed.
        """
        try:
            with closing(Store(self.config.store, create=False)) as store:
                season = store.season(self.config.season)
                if season is not None:
                    season.deliveries.forget_all_but([webhook.digest for webhook in self.config.webhooks])
        except NoStore:
            # The senders wait for it.
            pass
        for webhook in self.config.webhooks:
            sender = Sender(self.config, webhook, self._say, self._public)
            self.working.append(SenderThread(sender, self._say, once))
            self.working[-1].start()

    def end(self) -> None:
        """End all threads, each after the delivery in progress."""
        for each in self.working:
            each.ask_to_end()
        for each in self.working:
            each.join()
        self.working.clear()

    def renew(self) -> None:
        """Restart with the file as it is now, if it has changed and is valid; report an invalid one.

        Another season or store in it is reported, too, and changes nothing.
        """
        written = _mtime(self.config.file)
        if written == self._written:
            return
        self._written = written
        try:
            config = load(self.config.file, check_secrets=True)
        except ArbiterError as error:
            self._say(f"{self.config.season}: webhooks unchanged: {str(error).splitlines()[0]}")
            return
        if (config.season, config.store) != (self.config.season, self.config.store):
            self._say(f"{self.config.season}: its file names another season or store: restart this command")
            return
        self.end()
        self.config = config
        self.start()


def notify(configs: Sequence[Config], say: Callable[[str], None], public: str | None, once: bool) -> bool:
    """Send the events of some seasons to their webhooks until this process ends.

    With `once` until nothing can be sent now: then return True if nothing is waiting. ArbiterError if a store
    or a sender fails.
    """
    seasons = [SeasonNotifier(config, say, public) for config in configs]
    for season in seasons:
        season.start(once)
    if once:
        working = [each for season in seasons for each in season.working]
        for each in working:
            each.join()
        for each in working:
            if each.failure is not None:
                raise each.failure
        return not any(each.waits for each in working)
    while True:
        time.sleep(LOOK_SECONDS)
        for season in seasons:
            season.renew()


@contextmanager
def hold_webhook_lock(configs: Sequence[Config]) -> Iterator[None]:
    """Hold the lock on the webhooks of these seasons; StoreError if another process has it."""
    if not CAN_HOLD:
        # Windows, where no season can be played either.
        raise StoreError("cannot send to webhooks: this system has no file locks")
    with lock_paths(map(lock_of, configs), "another process sends to these webhooks"):
        yield


def lock_of(config: Config) -> Path:
    """Return the lock file: beside the store's file or, for a server, the season's file."""
    place = (file_of(config.store) or config.file).resolve()
    return place.with_name(place.name + LOCK)


def _mtime(file: Path) -> int:
    """Return when the file was last written, in ns; 0 if that cannot be read."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0
