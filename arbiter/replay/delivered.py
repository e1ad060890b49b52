"""The commands that a seat had received when a fault ended the match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.match.record import Fault

if TYPE_CHECKING:
    from arbiter.games.game import Command, Seat
    from arbiter.match.record import Forfeit, MatchRecord


class DeliveryTracker:
    """Follows a record up to its fault for the seat `own`, None for a reader without a seat."""

    def __init__(self, record: MatchRecord, own: Seat | None) -> None:
        self._own, self._begun, forfeit = own, bool(record.moves), record.forfeit
        self._batched = record.delivery == "batched"
        self.unsent = forfeit is not None and forfeit.fault is Fault.OUT_OF_TURN and forfeit.seat == own
        """True when the own seat did not get its last command, as it had sent unrequested output before."""
        self._sent = 0
        self._waiting: list[tuple[Seat, Command, int]] = []

    def record_decision(self, seat: Seat, events: int) -> None:
        """Record a seat's decision after `events` events: everything sent before was delivered."""
        if not self._batched or seat == self._own:
            self._sent = events
            self._waiting.clear()

    def record_news(self, seat: Seat, command: Command, events: int) -> None:
        """Record news to a seat; the own seat then has `events` events."""
        self._waiting.append((seat, command, events))

    def delivered_events(self, forfeit: Forfeit, own: Seat, asked: bool) -> int:
        """Return the number of events delivered to the own seat; `asked` is True for a faulty answer."""
        every = self._waiting[-1][2] if self._waiting else self._sent
        if self._batched:
            # The first command is sent at once, the others with a request or after the last deal.
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
