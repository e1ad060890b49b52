"""The commands that a seat had heard when a fault ended the match, news being on its way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.match.record import Fault

if TYPE_CHECKING:
    from arbiter.games.game import Command, Seat
    from arbiter.match.record import Forfeit, MatchRecord


class Cut:
    """Follows a record up to its fault; `own` is the seat, None for a reader who has none."""

    def __init__(self, record: MatchRecord, own: Seat | None) -> None:
        self._own, self._begun, forfeit = own, bool(record.moves), record.forfeit
        self._batched = record.delivery == "batched"
        self.unsent = forfeit is not None and forfeit.fault is Fault.OUT_OF_TURN and forfeit.seat == own
        """True when the own seat never got its last command: it had spoken unasked before."""
        self._sent = 0
        self._waiting: list[tuple[Seat, Command, int]] = []

    def decided(self, seat: Seat, events: int) -> None:
        """A seat has decided after `events` events: what was sent before has reached it."""
        if not self._batched or seat == self._own:
            self._sent = events
            self._waiting.clear()

    def hears(self, seat: Seat, command: Command, events: int) -> None:
        """A seat hears something; the own seat then has `events` events."""
        self._waiting.append((seat, command, events))

    def end(self, forfeit: Forfeit, own: Seat, asked: bool) -> int:
        """The number of events that the own seat had; `asked` is True when the fault was an answer."""
        every = self._waiting[-1][2] if self._waiting else self._sent
        if self._batched:
            # The first command is sent at once, the others with a request, or when all deals are over.
            if not self._begun and not asked:
                return int(own <= forfeit.seat)
            reached = (own == forfeit.seat if asked else own <= forfeit.seat) and not self.unsent
            return every if reached else max(self._sent, 1)
        reached_events = self._sent
        for seat, command, events in self._waiting:
            last = (seat, command) == (forfeit.seat, forfeit.command)
            if seat == own and not (last and self.unsent):
                reached_events = events
            if last:
                return reached_events
        return every
