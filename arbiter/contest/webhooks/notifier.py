"""All webhooks of some seasons, each in a thread of its own, so that none waits for another.

A season's file is read again when it changes; one with a mistake in it changes nothing.
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
from arbiter.store.coordinator_lock import CAN_HOLD, locked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from arbiter.season.config import Config

FAILED_SECONDS = 5.0
"""After the store failed, until it is looked into again."""
LOCK = "-notify"


class SenderThread(threading.Thread):
    """A sender at work until it is asked to end; `once` until nothing can be sent any more now."""

    def __init__(self, sender: Sender, say: Callable[[str], None], once: bool) -> None:
        super().__init__(daemon=True)
        self._sender, self._say, self._once = sender, say, once
        self._end = threading.Event()
        self.waits = False
        """True where it ended and something is still to be sent."""
        self.failure: ArbiterError | None = None
        """What went wrong last, of what cannot be the receiver's fault."""

    def ask_to_end(self) -> None:
        """Let the delivery under way be the last one."""
        self._end.set()

    def run(self) -> None:
        try:
            while not self._end.is_set():
                wait = self._step()
                if self._once and wait != 0:
                    self.waits = wait is not None
                    return
                # Not longer than a look: somebody may want to hurry.
                self._end.wait(LOOK_SECONDS if wait is None else min(wait, LOOK_SECONDS))
        finally:
            self._sender.close()

    def _step(self) -> float | None:
        try:
            wait = self._sender.step()
        except Exception as error:
            # Whatever it is, the others go on, and so does this one.
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


class Notified:
    """A season's file, and those who tell its webhooks."""

    def __init__(self, config: Config, say: Callable[[str], None], public: str | None) -> None:
        self.config, self._say, self._public = config, say, public
        self._written = _mtime(config.file)
        self.working: list[SenderThread] = []

    def start(self, once: bool = False) -> None:
        """Begin to tell all webhooks; StoreError where the store cannot be had."""
        try:
            with closing(Store(self.config.store, create=False)) as store:
                season = store.season(self.config.season)
                if season is not None:
                    season.deliveries.forget_all_but([webhook.digest for webhook in self.config.webhooks])
        except NoStore:
            # It is looked for again.
            pass
        for webhook in self.config.webhooks:
            sender = Sender(self.config, webhook, self._say, self._public)
            self.working.append(SenderThread(sender, self._say, once))
            self.working[-1].start()

    def end(self) -> None:
        """End them, each after the delivery that is under way."""
        for each in self.working:
            each.ask_to_end()
        for each in self.working:
            each.join()
        self.working.clear()

    def renew(self) -> None:
        """Go on by the file as it is now, if it has changed and is in order."""
        written = _mtime(self.config.file)
        if written == self._written:
            return
        self._written = written
        try:
            config = load(self.config.file, check_secrets=True)
        except ArbiterError as error:
            self._say(f"{self.config.season}: webhooks stay as they were: {str(error).splitlines()[0]}")
            return
        if (config.season, config.store) != (self.config.season, self.config.store):
            self._say(f"{self.config.season}: its file names another season or store: start this again")
            return
        self.end()
        self.config = config
        self.start()


def notify(configs: Sequence[Config], say: Callable[[str], None], public: str | None, once: bool) -> bool:
    """Tell the webhooks of some seasons what happens, until this process ends.

    With `once` until nothing can be sent any more now: then return True if nothing waits. StoreError where a
    store cannot be had.
    """
    seasons = [Notified(config, say, public) for config in configs]
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
def alone(configs: Sequence[Config]) -> Iterator[None]:
    """Tell these webhooks alone; the hold ends with the process. StoreError where somebody does already."""
    if not CAN_HOLD:
        # Where nobody can play, as on Windows, nobody sends.
        raise StoreError("webhooks are told by one process at a time, and this system has no locks for that")
    with locked(map(lock_of, configs), "somebody tells these webhooks already"):
        yield


def lock_of(config: Config) -> Path:
    """The file that is locked: beside the store or, for a server's, the season's file."""
    place = (file_of(config.store) or config.file).resolve()
    return place.with_name(place.name + LOCK)


def _mtime(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0
