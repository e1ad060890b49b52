"""The children of `serve`: with --play a coordinator for each season, an inspector of what authors send, and
one who tells webhooks.

A child ends with its parent, however that ends. One that the store refused, or that was killed, is started
again after a while; one that ended for a reason that somebody must look at is when an organiser says so.
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

AGAIN_AFTER = (5.0, 30.0, 120.0, 600.0)
"""Seconds before one is tried again; the last of them from then on."""
WELL_AFTER = 600.0
"""Seconds that a coordinator has run without trouble when the next one counts as the first."""
PR_SET_PDEATHSIG = 1
KEPT_LINES = 100
REFUSED, STOPPED = 2, 130
AGAIN = "arbiter resume, or an organiser on the site, starts it again"
MEANINGS = {
    0: "all is played that the season's file asks for",
    REFUSED: f"its file must be put right, or its changes accepted (arbiter accept); {AGAIN}",
    4: f"somebody must look at it; {AGAIN}",
    STOPPED: f"it was asked to stop; {AGAIN}",
}
HELPERS = {"inspect": ("submissions", "inspector"), "notify": ("webhooks", "notifier")}
"""By command what it is for, and what it is called in the log."""
HELPER_MEANINGS = {
    REFUSED: "a season's file must be put right; then start this again",
    STOPPED: "it was asked to stop; start this again to go on",
}
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
HELPER_NICE = 15
"""Beside the pages, and less urgent."""
_libc = ctypes.CDLL(None)


@contextmanager
def _signals_after() -> Iterator[None]:
    """Hear signals to end when it is over: what is raised while Python forks is lost, with a traceback."""
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
    """A process that plays one season, or another command of ours, and those that follow it.

    `meanings` are by exit code the ends after which it is not started again.
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
        """True while there is a process, or there is soon to be one again."""
        return self._process is not None or self._next is not None

    def start(self) -> None:
        """Start the process. Only in the main thread: the kernel ends it with the thread that started it."""
        self._began, self._next = time.monotonic(), None
        with _signals_after():
            self._process = subprocess.Popen(
                [sys.executable, "-m", "arbiter", *self.words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                # Ctrl-C is for us; we tell the children.
                process_group=0,
                preexec_fn=partial(_be_born, os.getpid(), self.cores, self.nice),
            )
        threading.Thread(target=self._listen, args=(self._process,), daemon=True).start()

    def look(self) -> None:
        """See whether it has ended, and start it again when it is time."""
        if self._process is not None:
            code = self._process.poll()
            if code is not None:
                self._ended(code)
        if self._next is not None and time.monotonic() >= self._next:
            self.start()

    def ask_to_end(self) -> None:
        """Send SIGTERM: what is stored stays, what is in flight is void."""
        self._next = None
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()

    def end(self, until: float) -> None:
        """Wait for the end until a moment of `time.monotonic`; kill it then."""
        if self._process is None:
            return
        try:
            self._process.wait(max(until - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        for line in process.stderr:
            self.said.append(line.rstrip("\n"))
            self.log.write(f"{self.name}: {self.said[-1]}")

    def _ended(self, code: int) -> None:
        lasted = time.monotonic() - self._began
        self._process, self.exit_code = None, code
        if code in self.meanings:
            self.log.write(f"{self.name}: its {self.what} ended with {code}: {self.meanings[code]}")
            return
        self._failures = 0 if lasted > WELL_AFTER else self._failures
        wait = AGAIN_AFTER[min(self._failures, len(AGAIN_AFTER) - 1)]
        self._failures += 1
        self._next = time.monotonic() + wait
        how = f"was killed by signal {-code}" if code < 0 else f"ended with {code}"
        self.log.write(f"{self.name}: its {self.what} {how}: tried again in {wait:.0f} s")


class Coordinators:
    """Those of all seasons; the cores are dealt out among them, each its own as far as they go."""

    def __init__(
        self,
        files: Mapping[str, Path],
        cores: Sequence[int],
        log: Log,
        wish: Callable[[str], tuple[bool, RunOrder]] = lambda _: (False, NO_ORDER),
    ) -> None:
        """`wish` says of a season whether it is paused, and what was ordered last."""
        names = list(files)
        shares = [list(cores[k :: len(names)]) or [cores[k % len(cores)]] for k in range(len(names))]
        self._players = [
            Coordinator(name, ["run-season", str(files[name])], share, log)
            for name, share in zip(names, shares, strict=True)
        ]
        self._all = list(self._players)
        self.ended: dict[str, int] = {}
        self._wish, self._done = wish, dict[str, int]()

    def help_with(
        self, command: str, files: Iterable[Path], cores: Sequence[int], log: Log, *options: str
    ) -> None:
        """Have one of `HELPERS`, too, for these seasons; none if there are none."""
        if words := [str(file) for file in files]:
            name, what = HELPERS[command]
            more = cores, log, what, HELPER_MEANINGS, HELPER_NICE
            self._all.append(Coordinator(name, [command, *words, *options], *more))

    def start(self) -> None:
        for coordinator in self._all:
            paused, wish = self._wish(coordinator.name) if coordinator in self._players else (False, NO_ORDER)
            self._done[coordinator.name] = wish.number
            if not paused:
                coordinator.start()

    def look(self) -> None:
        for coordinator in self._all:
            ran = coordinator.runs
            coordinator.look()
            if coordinator not in self._players:
                continue
            if coordinator.exit_code is not None:
                self.ended[coordinator.name] = coordinator.exit_code
            if not coordinator.runs:
                self._resume(coordinator, ran)

    def _resume(self, coordinator: Coordinator, ended: bool) -> None:
        """Start one again that does not run, if it was ordered to go on since it was started.

        Where one has just `ended` because somebody must look at it, only a later order counts.
        """
        name = coordinator.name
        paused, wish = self._wish(name)
        if ended and coordinator.exit_code not in (REFUSED, STOPPED):
            self._done[name] = wish.number
        elif wish.goes_on and wish.number > self._done[name] and not paused:
            self._done[name] = wish.number
            coordinator.start()

    def ask_to_end(self) -> None:
        for coordinator in self._all:
            coordinator.ask_to_end()

    def end(self, until: float) -> None:
        """Wait until all have ended, or kill them."""
        for coordinator in self._all:
            coordinator.end(until)


def refuse_shared_files(files: Iterable[tuple[str, Path | None]]) -> None:
    """StoreError where two seasons (name and store's file) share a file: one at a time plays on it."""
    seen: dict[Path, str] = {}
    for name, file in files:
        if file is None:
            continue
        other = seen.setdefault(file.resolve(), name)
        if other != name:
            raise StoreError(
                f"{other} and {name} are kept in one file, {file}, on which one at a time can be played:"
                " give each a store of its own, or take PostgreSQL"
            )


def _be_born(parent: int, cores: Sequence[int], nice: int) -> None:
    """Runs in the child before the program: ended with its parent, on its cores, not as nice as the web."""
    for number in ENDING:
        # The parent's handlers are not ours.
        signal.signal(number, signal.SIG_DFL)
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
    os.sched_setaffinity(0, cores)
    os.nice(nice)
