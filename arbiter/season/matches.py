"""Matches played by an executor: stored as they end, repeated when void, stopped when asked."""

from __future__ import annotations

import time
from collections import Counter
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from arbiter.errors import VoidMatch
from arbiter.season.events import MatchStored, MatchVoid, Stopped
from arbiter.season.programs import PUT_BACK, missing
from arbiter.season.suspects import Suspects, is_trial
from arbiter.table import play_packed

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from concurrent.futures import Executor, Future

    from arbiter.match import MatchSpec, MatchSummary
    from arbiter.packing import PackedMatch
    from arbiter.store import SeasonStore

MOST_VOIDS = 2
"""Voids of one match in a row that stop the run."""
STOP_SECONDS = 1.0
"""Seconds between two looks for a wish to stop."""


def play_matches(
    store: SeasonStore,
    specs: Iterable[MatchSpec],
    executor: Executor,
    ahead: int | None = None,
    keep: Callable[[PackedMatch], object] | None = None,
    enough: Callable[[MatchSummary], bool] = lambda _: False,
) -> Generator[MatchStored | MatchVoid | Stopped]:
    """Play matches, storing each as it ends, by `keep` if given; VoidMatch after two voids of one in a row,
    unless they are one player's: then it loses without a program started (see `suspects`).

    `specs` is asked for the next one when fewer than `ahead` are under way, so it may depend on the events
    so far; without `ahead` it is asked for all at once. Where somebody asks to stop, or a match is `enough`,
    matches in flight are still played and stored, and `Stopped` comes last if any was left out. Closing the
    generator cancels what has not begun. A void stops the run at once where a program of the match is missing
    here, and so do more voids in a row, of whatever matches, than are played at once: the same would befall
    all others.
    """
    keep = keep or store.add_packed
    window = _Window(iter(specs), executor, ahead, closed=store.asked_to_stop())
    voids: Counter[str] = Counter()
    in_a_row = most = 0
    suspects = Suspects()
    looked = time.monotonic()
    try:
        window.fill()
        while window.running:
            ended = window.wait(STOP_SECONDS)
            if not window.closed and time.monotonic() - looked >= STOP_SECONDS:
                looked = time.monotonic()
                if store.asked_to_stop():
                    window.close()
            if ended is None or (future := ended[1]).cancelled():
                continue
            spec = ended[0]
            # Slots may go while matches are under way on them.
            most = max(most, getattr(executor, "size", 1))
            try:
                match = future.result()
            except VoidMatch as void:
                if what := missing(spec.players):
                    raise VoidMatch(f"match {spec.id} was void: {what}; {PUT_BACK}") from None
                if is_trial(spec):
                    window.submit_first(suspects.learn(spec, is_void=True))
                    continue
                voids[spec.id] += 1
                in_a_row += 1
                if voids[spec.id] >= MOST_VOIDS:
                    end = VoidMatch(f"match {spec.id} was void twice in a row: {void}")
                elif in_a_row > most and not suspects:
                    end = VoidMatch(f"{in_a_row} matches in a row were void, the last {spec.id}: {void}")
                else:
                    yield MatchVoid(spec.id, str(void))
                    window.submit(spec)
                    continue
                plays = suspects.doubt(spec, end)
                tries = any(is_trial(play) for play in plays)
                yield MatchVoid(spec.id, f"{void}{'; now without each player in turn' if tries else ''}")
                window.submit_first(plays)
                in_a_row = 0
                continue
            if is_trial(spec):
                window.submit_first(suspects.learn(spec, is_void=False))
                continue
            in_a_row = 0
            keep(match)
            if enough(match.summary):
                window.close()
            yield MatchStored(match)
            window.fill()
    finally:
        window.close()
    if window.left_out:
        yield Stopped()


class _Window:
    """The matches under way: at most `ahead`, none added once it is closed."""

    def __init__(
        self, waiting: Iterator[MatchSpec], executor: Executor, ahead: int | None, closed: bool
    ) -> None:
        self._waiting, self._executor, self._ahead = waiting, executor, ahead
        self._ended: SimpleQueue[Future[PackedMatch]] = SimpleQueue()
        self.running: dict[Future[PackedMatch], MatchSpec] = {}
        self.closed = closed
        self.left_out = False
        """True when a match was not played because the window was closed."""

    def fill(self) -> None:
        """Submit as many more as may be under way."""
        while not self.left_out and (self._ahead is None or len(self.running) < self._ahead):
            spec = next(self._waiting, None)
            if spec is None:
                return
            self.submit(spec)

    def submit(self, spec: MatchSpec) -> None:
        """Submit one, however many are under way."""
        if self.closed:
            self.left_out = True
            return
        future = self._executor.submit(play_packed, spec)
        self.running[future] = spec
        future.add_done_callback(self._ended.put)

    def submit_first(self, specs: Sequence[MatchSpec]) -> None:
        """Submit these before all that has not begun."""
        after = [future for future in self.running if specs and future.cancel()]
        for spec in (*specs, *map(self.running.pop, after)):
            self.submit(spec)

    def wait(self, seconds: float) -> tuple[MatchSpec, Future[PackedMatch]] | None:
        """Take the next one to end out of `running`; None if none of them ends in time."""
        try:
            future = self._ended.get(timeout=seconds)
        except Empty:
            return None
        if (spec := self.running.pop(future, None)) is None:
            return None
        self.left_out |= future.cancelled()
        return spec, future

    def close(self) -> None:
        """Cancel what has not begun."""
        self.closed = True
        for future in list(self.running):
            future.cancel()
