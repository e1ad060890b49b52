"""Matches played by an executor: stored as they end, repeated when void, stopped on request.

A void match is a failure of the machine, unless a bot has found a way to cause one. These look alike; but
the machine fails for all, and a bot only where it plays. So a match that was void too often is played
without each player in turn, in several sweeps, until only the plays without one of them succeed, beyond
chance. That player then sits out all matches of this run that are void too often, and loses them.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from dataclasses import replace
from math import comb
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from arbiter.errors import NotPrepared, ProviderOutage, VoidMatch, WorkerLost
from arbiter.match.spec import Absence, original
from arbiter.season.events import MatchStored, MatchVoid, Stopped
from arbiter.season.program_digests import PUT_BACK, missing_programs
from arbiter.table import play_packed

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from concurrent.futures import Executor, Future

    from arbiter.games.game import Seat
    from arbiter.match.packing import PackedMatch
    from arbiter.match.record import MatchSummary
    from arbiter.match.spec import MatchSpec
    from arbiter.store import SeasonStore


MOST_VOIDS = 2
"""Voids of one match in a row that stop the run."""
STOP_SECONDS = 1.0
"""Seconds between two polls for a stop request."""


def play_matches(
    store: SeasonStore,
    specs: Iterable[MatchSpec],
    executor: Executor,
    ahead: int | None = None,
    keep: Callable[[PackedMatch], object] | None = None,
    enough: Callable[[MatchSummary | None], bool] = lambda _: False,
) -> Generator[MatchStored | MatchVoid | Stopped]:
    """Play matches, storing each as it ends, by `keep` if given; VoidMatch after two voids of one in a row,
    unless one player causes them: then it loses without a program started (see `Suspects`).

    The next of `specs` is taken when fewer than `ahead` are running, so it may depend on earlier events;
    without `ahead` all are taken at once. After a stop request, or when a match is `enough` (None for a play
    that is not stored), running matches are still played and stored, and `Stopped` comes last if any was left
    out. Tokens used in plays that are not stored are kept, too. Closing the generator cancels matches not
    begun. A void stops the run at once if a program of the match is missing here, and so do more voids in a
    row, of any matches, than are played at once: all others would fail too. After the loss of a cluster's
    worker the match is played again first instead. An outage of a model's provider makes no player suspect.
    """
    keep = keep or store.add_packed
    window = _Window(iter(specs), executor, ahead, closed=store.is_asked_to_stop())
    voids: Counter[str] = Counter()
    in_a_row, most = 0, getattr(executor, "at_once", 1)
    suspects = Suspects()
    looked = time.monotonic()
    try:
        window.fill()
        while window.running:
            ended = window.wait(STOP_SECONDS)
            if not window.closed and time.monotonic() - looked >= STOP_SECONDS:
                looked = time.monotonic()
                if store.is_asked_to_stop():
                    window.close()
            if ended is None or (future := ended[1]).cancelled():
                continue
            spec = ended[0]
            # Slots may be lost while matches run on them.
            most = max(most, getattr(executor, "at_once", 1))
            try:
                match = future.result()
            except VoidMatch as void:
                if void.billed:
                    store.unstored_tokens.add(void.billed)
                    if enough(None):
                        window.close()
                if isinstance(void, ProviderOutage) and void.question:
                    store.outages.add(spec.id, void.question)
                blameless = isinstance(void, ProviderOutage | NotPrepared)
                if what := missing_programs(spec.players):
                    raise VoidMatch(f"match {spec.id} was void: {what}; {PUT_BACK}") from None
                if is_trial(spec):
                    if blameless:
                        # During a failure of the provider or of ours the culprit cannot be found.
                        raise VoidMatch(f"match {spec.id} was void: {void}") from None
                    window.submit_first(suspects.record_trial(spec, is_void=True))
                    continue
                if not blameless:
                    store.voids.add(spec.id, str(void), [original(player.name) for player in spec.players])
                voids[spec.id] += 1
                in_a_row += 1
                if voids[spec.id] >= MOST_VOIDS:
                    end = VoidMatch(f"match {spec.id} was void twice in a row: {void}")
                elif in_a_row > most and not suspects and isinstance(void, WorkerLost):
                    yield MatchVoid(spec.id, str(void))
                    # Workers come and go; if the match ends them, its next void follows.
                    window.submit_first([spec])
                    continue
                elif in_a_row > most and not suspects:
                    end = VoidMatch(f"{in_a_row} matches in a row were void, the last {spec.id}: {void}")
                else:
                    yield MatchVoid(spec.id, str(void))
                    window.submit(spec)
                    continue
                if blameless:
                    raise end from None
                plays = suspects.add(spec, end)
                tries = any(is_trial(play) for play in plays)
                yield MatchVoid(spec.id, f"{void}{'; now without each player in turn' if tries else ''}")
                window.submit_first(plays)
                in_a_row = 0
                continue
            if is_trial(spec):
                if billed := match.summary.billed():
                    store.unstored_tokens.add(billed)
                    if enough(None):
                        window.close()
                window.submit_first(suspects.record_trial(spec, is_void=False))
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
    """The running matches: at most `ahead`, none added once it is closed."""

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
        """Submit waiting matches until `ahead` are running, or the window is closed."""
        while not self.left_out and (self._ahead is None or len(self.running) < self._ahead):
            spec = next(self._waiting, None)
            if spec is None:
                return
            self.submit(spec)

    def submit(self, spec: MatchSpec) -> None:
        """Submit one to the executor, regardless of `ahead`; once closed, only note that one is left out."""
        if self.closed:
            self.left_out = True
            return
        future = self._executor.submit(play_packed, spec)
        self.running[future] = spec
        future.add_done_callback(self._ended.put)

    def submit_first(self, specs: Sequence[MatchSpec]) -> None:
        """Submit these first: matches not begun are cancelled and submitted again after them."""
        after = [future for future in self.running if specs and future.cancel()]
        for spec in (*specs, *map(self.running.pop, after)):
            self.submit(spec)

    def wait(self, seconds: float) -> tuple[MatchSpec, Future[PackedMatch]] | None:
        """Wait for a match to end and take it out of `running`; None if none ends within `seconds`."""
        try:
            future = self._ended.get(timeout=seconds)
        except Empty:
            return None
        if (spec := self.running.pop(future, None)) is None:
            return None
        self.left_out |= future.cancelled()
        return spec, future

    def close(self) -> None:
        """Cancel matches not begun and submit no others; running ones continue."""
        self.closed = True
        for future in list(self.running):
            future.cancel()


SWEEPS = 8
"""Most times that a match is played without each player."""
CHANCE = 0.05
"""Upper bound of the probability that a player is blamed if the machine fails at random."""


class Suspects:
    """Finds players that make matches void, by plays of these matches with one player left out."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._doubted: deque[tuple[MatchSpec, VoidMatch]] = deque()
        """Matches with the error that ends the run without a culprit; the first is searched."""
        self._voids: list[int] = []
        """Voids of the first match by absent seat."""
        self._sweeps = self._awaited = 0

    def __bool__(self) -> bool:
        """True during a search."""
        return bool(self._doubted)

    def add(self, spec: MatchSpec, end: VoidMatch) -> list[MatchSpec]:
        """Queue a match void too often; return plays to search with. Raise `end` if its culprit was out."""
        if spec.absence is not None:
            raise end
        self._doubted.append((spec, end))
        return self._next_plays() if len(self._doubted) == 1 else []

    def record_trial(self, spec: MatchSpec, is_void: bool) -> list[MatchSpec]:
        """Record a play without one player, and if it `is_void`; return the matches to play next.

        [] while other plays are awaited; VoidMatch if no culprit can be found.
        """
        assert spec.absence is not None
        self._voids[spec.absence.seat] += is_void
        self._awaited -= 1
        if self._awaited:
            return []
        searched, end = self._doubted[0]
        found = find_culprit(self._voids, self._sweeps)
        if found is not None:
            self._known.add(original(searched.players[found].name))
            return self._next_plays()
        if all(self._voids) or not any(self._voids) or self._sweeps == SWEEPS:
            raise end
        return self._begin_sweep(searched)

    def _next_plays(self) -> list[MatchSpec]:
        """Remove solved matches; return them without their culprits, and a sweep of the next match."""
        plays: list[MatchSpec] = []
        while self._doubted:
            spec, _ = self._doubted[0]
            at_fault = [n for n, player in enumerate(spec.players) if original(player.name) in self._known]
            if len(at_fault) != 1:
                self._voids, self._sweeps = [0] * len(spec.players), 0
                return plays + self._begin_sweep(spec)
            plays.append(replace(spec, absence=Absence(at_fault[0], at_fault=True)))
            self._doubted.popleft()
        return plays

    def _begin_sweep(self, spec: MatchSpec) -> list[MatchSpec]:
        """Count a sweep; return a play of the match without each seat."""
        self._sweeps += 1
        self._awaited = len(spec.players)
        return [replace(spec, absence=Absence(seat)) for seat in range(len(spec.players))]


def is_trial(spec: MatchSpec) -> bool:
    """True for a play without one player, of which only its voidness is recorded."""
    return spec.absence is not None and not spec.absence.at_fault


def find_culprit(voids: Sequence[int], sweeps: int) -> Seat | None:
    """Return the only seat without which no play was void, beyond chance; `voids` are by absent seat.

    With n players and V random voids, the plays without one of them are spared with a probability of at most
    n C(n s - s, V) / C(n s, V), after s sweeps.
    """
    spared = [seat for seat, number in enumerate(voids) if not number]
    played, total = len(voids) * sweeps, sum(voids)
    chance = len(voids) * comb(played - sweeps, total) / comb(played, total)
    return spared[0] if len(spared) == 1 and chance <= CHANCE else None
