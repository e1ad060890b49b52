"""Child processes of `serve`: with --play a coordinator per season, an inspector, a webhook notifier.

A child ends with its parent, even if the parent is killed. A child that the store refused or a signal killed
is restarted after a delay; a child that ended for a reason an organiser must resolve is restarted on request.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from arbiter.errors import StoreError
from arbiter.store.controls import NO_ORDER, RunOrder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from arbiter.web.http.traffic import Log

RETRY_DELAYS = (5.0, 30.0, 120.0, 600.0)
"""Seconds before each restart; the last one repeats."""
HEALTHY_AFTER = 600.0
"""Seconds of running after which the count of failures starts over."""
PR_SET_PDEATHSIG = 1
KEPT_LINES = 100
REFUSED, STOPPED = 2, 130
AGAIN = "arbiter resume, or an organiser on the site, starts it again"
MEANINGS = {
    0: "all rounds of the season's file are played; a match to be played again starts it again",
    REFUSED: f"correct its file, or accept its changes (arbiter accept); {AGAIN}",
    4: f"an organiser must resolve this; {AGAIN}",
    STOPPED: "it was asked to stop; it starts again once the season is resumed or its changes are accepted",
}
HELPERS = {"inspect": ("submissions", "inspector"), "notify": ("webhooks", "notifier")}
"""By command: what it serves, and its name in the log."""
HELPER_MEANINGS = {
    REFUSED: "correct a season's file, then start this again",
    STOPPED: "it was asked to stop; start this again to continue",
}
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
HELPER_NICE = 15
"""Helpers share a core with the pages, which come first."""
_libc = ctypes.CDLL(None)


@contextmanager
def _defer_signals() -> Iterator[None]:
    """Deliver termination signals after the block: an exception raised while Python forks is lost."""
    came: list[int] = []
    before = {number: signal.signal(number, lambda one, _: came.append(one)) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


@dataclass(eq=False)
class Coordinator:
    """A child process that plays one season or runs another command, with its restarts.

    `meanings` lists the exit codes after which it is not restarted.
    """

    name: str
    words: Sequence[str]
    cores: Sequence[int]
    log: Log
    what: str = "coordinator"
    meanings: Mapping[int, str] = field(default_factory=lambda: MEANINGS)
    nice: int = 0
    exit_code: int | None = None
    said: deque[str] = field(default_factory=lambda: deque(maxlen=KEPT_LINES))
    _process: subprocess.Popen[str] | None = None
    _failures: int = 0
    _began: float = 0.0
    _next: float | None = None

    @property
    def runs(self) -> bool:
        """True while the process exists or a restart is scheduled."""
        return self._process is not None or self._next is not None

    def start(self) -> None:
        """Start the process. Only in the main thread: the kernel ends it with the thread that started it."""
        self._began, self._next = time.monotonic(), None
        with _defer_signals():
            self._process = subprocess.Popen(
                [sys.executable, "-m", "arbiter", *self.words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                # Ctrl-C reaches the parent alone, which ends its children.
                process_group=0,
                preexec_fn=partial(_set_up_child, os.getpid(), self.cores, self.nice),
            )
        threading.Thread(target=self._copy_stderr, args=(self._process,), daemon=True).start()

    def poll(self) -> None:
        """Record the exit of the process, and restart it when its delay has passed."""
        if self._process is not None:
            code = self._process.poll()
            if code is not None:
                self._record_exit(code)
        if self._next is not None and time.monotonic() >= self._next:
            self.start()

    def ask_to_end(self) -> None:
        """Send SIGTERM and schedule no restart: stored matches stay, those in flight are void."""
        self._next = None
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()

    def end(self, until: float) -> None:
        """Wait for the exit until `until`, a time of `time.monotonic`; then kill the process."""
        if self._process is None:
            return
        try:
            self._process.wait(max(until - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _copy_stderr(self, process: subprocess.Popen[str]) -> None:
        """Write the child's lines of standard error to the log, and keep the last ones in `said`."""
        assert process.stderr is not None
        for line in process.stderr:
            self.said.append(line.rstrip("\n"))
            self.log.write(f"{self.name}: {self.said[-1]}")

    def _record_exit(self, code: int) -> None:
        """Record and log an exit; schedule a restart unless the code has one of the `meanings`."""
        lasted = time.monotonic() - self._began
        self._process, self.exit_code = None, code
        if code in self.meanings:
            self.log.write(f"{self.name}: its {self.what} ended with {code}: {self.meanings[code]}")
            return
        self._failures = 0 if lasted > HEALTHY_AFTER else self._failures
        wait = RETRY_DELAYS[min(self._failures, len(RETRY_DELAYS) - 1)]
        self._failures += 1
        self._next = time.monotonic() + wait
        how = f"was killed by signal {-code}" if code < 0 else f"ended with {code}"
        self.log.write(f"{self.name}: its {self.what} {how}: restart in {wait:.0f} s")


class Coordinators:
    """The children of all seasons, which share the cores; each has a separate one while cores last."""

    def __init__(
        self,
        files: Mapping[str, Path],
        cores: Sequence[int],
        log: Log,
        wish: Callable[[str], tuple[bool, RunOrder]] = lambda _: (False, NO_ORDER),
    ) -> None:
        """`wish` returns whether a season is paused, and its last order."""
        names = list(files)
        shares = [list(cores[k :: len(names)]) or [cores[k % len(cores)]] for k in range(len(names))]
        self._players = [
            Coordinator(name, ["run-season", str(files[name])], share, log)
            for name, share in zip(names, shares, strict=True)
        ]
        self._all = list(self._players)
        self.ended: dict[str, int] = {}
        self._wish, self._done = wish, dict[str, int]()

    def add_helper(
        self, command: str, files: Iterable[Path], cores: Sequence[int], log: Log, *options: str
    ) -> None:
        """Add one of `HELPERS` for the seasons of these files, if any."""
        if words := [str(file) for file in files]:
            name, what = HELPERS[command]
            more = cores, log, what, HELPER_MEANINGS, HELPER_NICE
            self._all.append(Coordinator(name, [command, *words, *options], *more))

    def start(self) -> None:
        """Start the children, but no coordinator of a paused season."""
        for coordinator in self._all:
            paused, wish = self._wish(coordinator.name) if coordinator in self._players else (False, NO_ORDER)
            self._done[coordinator.name] = wish.number
            if not paused:
                coordinator.start()

    def poll(self) -> None:
        """Poll all children, note exit codes, and start again what an organiser has resumed."""
        for coordinator in self._all:
            ran = coordinator.runs
            coordinator.poll()
            if coordinator not in self._players:
                continue
            if coordinator.exit_code is not None:
                self.ended[coordinator.name] = coordinator.exit_code
            if not coordinator.runs:
                self._resume(coordinator, ran)

    def _resume(self, coordinator: Coordinator, ended: bool) -> None:
        """Restart a stopped coordinator if an organiser resumed its season, or ordered a replay, since then.

        If it has just `ended` for a reason an organiser must resolve, only a later order counts.
        """
        name = coordinator.name
        paused, wish = self._wish(name)
        if ended and coordinator.exit_code not in (0, REFUSED, STOPPED):
            self._done[name] = wish.number
        elif wish.goes_on and wish.number > self._done[name] and not paused:
            self._done[name] = wish.number
            coordinator.start()

    def ask_to_end(self) -> None:
        for coordinator in self._all:
            coordinator.ask_to_end()

    def end(self, until: float) -> None:
        """Wait for the exit of all children; kill those still running at `until`."""
        for coordinator in self._all:
            coordinator.end(until)


def check_separate_stores(files: Iterable[tuple[str, Path | None]]) -> None:
    """Raise StoreError if two seasons (name, store's file) share a file: only one can be played at a time."""
    seen: dict[Path, str] = {}
    for name, file in files:
        if file is None:
            continue
        other = seen.setdefault(file.resolve(), name)
        if other != name:
            raise StoreError(
                f"{other} and {name} share the store {file}, which can play one season at a time:"
                " give each a separate store, or use PostgreSQL"
            )


def _set_up_child(parent: int, cores: Sequence[int], nice: int) -> None:
    """Prepare the child before exec: end it with its parent, pin it to `cores`, add `nice`."""
    for number in ENDING:
        # The parent's handlers would be inherited.
        signal.signal(number, signal.SIG_DFL)
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
    os.sched_setaffinity(0, cores)
    os.nice(nice)
