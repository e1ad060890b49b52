"""A table for several readers: one worker thread owns the machine, any thread may call.

Theory of operation. The worker executes one verb at a time; another one meanwhile raises `Busy`. After each
decision, and when a verb is done, the worker publishes an immutable snapshot in `seen`; so a bot that hangs
does not block readers.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from concurrent.futures import Future
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from arbiter.errors import ArbiterError, ConfigError
from arbiter.table.interactive.exchange_log import Exchanges
from arbiter.table.interactive.interactive_match import InteractiveMatch
from arbiter.table.interactive.occupants import RandomPlayer
from arbiter.table.interactive.setup import Setup, TranscriptEntry
from arbiter.table.interactive.verbs import VerbHost, play

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arbiter.games.game import Seat
    from arbiter.match.position import Position
    from arbiter.match.record import Move
    from arbiter.table.interactive.occupants import Occupant

GRACE = 0.5
"""Seconds from `stop` until the exchange in progress is interrupted."""
END_SECONDS = 8.0
MOST_STOPS = 8
"""The most hanging bots that `close` interrupts before it gives up."""
MOST_NOTES = 20


class Busy(ArbiterError):
    """A verb is in progress, or the worker has ended."""


class TableSnapshot(NamedTuple):
    """A snapshot of a table for readers; `left` in ns."""

    setup: Setup
    position: Position
    moves: Sequence[Move]
    trouble: TranscriptEntry | None
    left: Sequence[int]
    pending_news: int
    undoable: int
    redoable: int
    by_hand: bool
    titles: tuple[str, ...]
    who: tuple[str, ...]
    people: tuple[bool, ...]

    @property
    def out_of_step(self) -> bool:
        """True if the bot in trouble must be restarted before its next request."""
        return self.trouble is not None and not self.trouble.in_step


class Session(VerbHost):
    """A table and its worker; call `close` at the end.

    A verb raises its errors (ArbiterError), Busy while another one is in progress, and returns when it is
    done, after `patience` seconds at the latest.
    """

    patience = 2.0
    """The seconds after which a verb continues in the background."""

    def __init__(
        self,
        explain: Callable[[TranscriptEntry], str] = lambda _: "",
        prepare: Callable[[], None] = lambda: None,
    ) -> None:
        """`explain` returns advice after a bad reply; the worker's thread first calls `prepare`."""
        self.exchanges = Exchanges()
        self.seen: TableSnapshot | None = None
        self.revision = 0
        """Grows with every change."""
        self.notes: deque[str] = deque(maxlen=MOST_NOTES)
        """Remarks on fed records, and errors of verbs in the background."""
        self.note = self.notes.append
        self.ended: list[tuple[Seat, str]] = []
        """How each occupant ended, once the table is closed."""
        self.closed = threading.Event()
        self.explain = explain
        self._machine: InteractiveMatch | None = None
        self._listeners: set[Callable[[], None]] = set()
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._under_way: Future[None] | None = None
        self._given: queue.SimpleQueue[tuple[Future[None], Callable[[], object]] | None] = queue.SimpleQueue()
        threading.Thread(target=self._serve_verbs, args=(prepare,), name="table", daemon=True).start()

    @property
    def running(self) -> bool:
        """True while a verb is in progress."""
        return self._under_way is not None

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` in the worker's thread at every change. Return a function that removes it."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    def begin(self, setup: Setup, occupants: list[Occupant], moves: Sequence[Move] = ()) -> None:
        """Begin another match with new occupants, feed it `moves`, and end the old occupants."""
        self._run_in_worker(lambda: self._begin_match(setup, occupants, moves))

    def do(self, verb: Callable[..., object], **given: object) -> None:
        """Do one of `verbs`; `play` runs in the background."""
        self._run_in_worker(lambda: verb(self, **given), 0 if verb is play else None)

    def stop(self) -> None:
        """End the verb in progress soon: a bot that does not answer in `GRACE` is interrupted."""
        self._stopping.set()
        if self.wait(GRACE):
            return
        machine = self._machine
        for occupant in [] if machine is None else list(machine.occupants):
            occupant.interrupt()
        self.wait(self.patience)

    def wait(self, seconds: float) -> bool:
        """Wait for the verb in progress. Return True once there is no more."""
        under_way = self._under_way
        return under_way is None or _is_done(under_way, seconds)

    def close(self) -> None:
        """End all occupants by ``quit``; `ended` has the results. Later verbs raise Busy."""
        if self.closed.is_set():
            return
        for _ in range(MOST_STOPS):
            self.stop()
            try:
                self._run_in_worker(self._end_match, END_SECONDS)
            except Busy:
                continue
            except ArbiterError as error:
                self.notes.append(str(error))
            break
        with self._lock:
            self.closed.set()
        self._given.put(None)
        self._call_listeners()

    def _run_in_worker(self, verb: Callable[[], object], seconds: float | None = None) -> None:
        """Run a verb in the worker; raise its error within `seconds`, note a later one. Busy at once."""
        done: Future[None] = Future()
        with self._lock:
            if self._under_way is not None:
                raise Busy("the table is busy: stop what runs, or wait for it")
            if self.closed.is_set():
                raise Busy("the table is closed")
            self._under_way = done
            self._stopping.clear()
        self._given.put((done, verb))
        if _is_done(done, self.patience if seconds is None else seconds):
            done.result()
        else:
            done.add_done_callback(self._note_late_error)

    def _serve_verbs(self, prepare: Callable[[], None]) -> None:
        """Run the worker's thread: call `prepare`, then verbs until None, with a snapshot after each."""
        prepare()
        while (given := self._given.get()) is not None:
            done, verb = given
            wrong: BaseException | None = None
            try:
                self._call_listeners()
                verb()
            except BaseException as error:
                wrong = error
            # Before the verb is done: a reader in between would take the old snapshot for its result.
            self._take_snapshot()
            self._under_way = None
            self._call_listeners()
            if wrong is None:
                done.set_result(None)
            else:
                done.set_exception(wrong)

    def _note_late_error(self, done: Future[None]) -> None:
        """Add the error of a verb in the background to the notes."""
        error = done.exception()
        if error is None:
            return
        text = str(error) if isinstance(error, ArbiterError) else f"{type(error).__name__}: {error}"
        self.notes.append(" ".join(text.split()))
        self._call_listeners()

    def _begin_match(self, setup: Setup, occupants: list[Occupant], moves: Sequence[Move]) -> None:
        """Begin a match, end the last one's occupants, feed it `moves`; on failure end the new occupants."""
        before, last = self._machine, self.exchanges.number
        self.notes.clear()
        occupants = [*occupants, *(RandomPlayer() for _ in range(setup.game.seats - len(occupants)))]
        try:
            machine = InteractiveMatch(setup, occupants, self._log_entry)
        except BaseException:
            for occupant in occupants:
                occupant.end()
            raise
        if before is not None:
            before.close()
        self.exchanges.forget(last)
        self._machine = machine
        self._publish_snapshot()
        for remark in machine.feed(takewhile(lambda _: not self._stopping.is_set(), moves)):
            self.notes.append(remark)

    def _end_match(self) -> None:
        """End all occupants, and store how each ended in `ended`."""
        if self._machine is not None:
            self.ended = self._machine.close()

    @property
    def machine(self) -> InteractiveMatch:  # type: ignore[override]
        """The match; ConfigError before the first `begin`."""
        if self._machine is None:
            raise ConfigError("no table is set yet")
        return self._machine

    def may_continue(self) -> bool:
        """Publish a snapshot; return False once `stop` was called."""
        self._publish_snapshot()
        return not self._stopping.is_set()

    def _log_entry(self, entry: TranscriptEntry) -> None:
        """Add an exchange, with standard error since the last one, to `exchanges`, and call the listeners."""
        machine = self._machine
        position, stderr = None, b""
        if machine is not None:
            position = machine.position
            stderr = machine.occupants[entry.seat].new_errors()
            machine.transcript.clear()
        explanation = self.explain(entry) if entry.problem else ""
        self.exchanges.add(entry, stderr, explanation, position)
        self._call_listeners()

    def _publish_snapshot(self) -> None:
        """Publish a snapshot and call the listeners."""
        self._take_snapshot()
        self._call_listeners()

    def _take_snapshot(self) -> None:
        """Store a snapshot of the match in `seen`."""
        machine = self._machine
        if machine is None:
            return
        self.seen = TableSnapshot(
            setup=machine.setup,
            position=machine.position,
            moves=machine.moves,
            trouble=machine.trouble,
            left=machine.left,
            pending_news=machine.pending_news,
            undoable=machine.position.made,
            redoable=machine.redoable,
            by_hand=machine.by_hand,
            titles=tuple(_escaped_words(occupant.title) for occupant in machine.occupants),
            who=tuple(_escaped_words(occupant.who) for occupant in machine.occupants),
            people=tuple(occupant.person for occupant in machine.occupants),
        )

    def _call_listeners(self) -> None:
        """Increase `revision`, then call the listeners."""
        self.revision += 1
        for listener in list(self._listeners):
            listener()


def _escaped_words(words: str) -> str:
    """Return words of a command line, with escapes for bytes that are not UTF-8."""
    return words.encode(errors="backslashreplace").decode()


def _is_done(future: Future[None], seconds: float) -> bool:
    """Return True once it is done, even with an error; False after `seconds`."""
    try:
        future.exception(seconds)
    except TimeoutError:
        return False
    return True
