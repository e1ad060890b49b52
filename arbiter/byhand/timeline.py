"""Where a match by hand stood after each decision, and all that was there before some were taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.byhand.setup import TranscriptEntry
    from arbiter.course import Position
    from arbiter.exchange import Reply
    from arbiter.match import Move
    from arbiter.rules import Command, Seat


class Mark(NamedTuple):
    """Where everything stood after a decision, before its news; `move` is None before the first.

    `heard` is the length of the log, `given` the number of replies to the referee, `hands` how often was
    done what a referee would not have.
    """

    position: Position
    heard: int
    given: int
    hands: int = 0
    move: Move | None = None


class Whole(NamedTuple):
    """All that had happened when a decision was first taken back."""

    marks: list[Mark]
    log: list[tuple[Seat, Command]]
    given: list[Reply | int]
    told: int
    hands: int
    trouble: TranscriptEntry | None

    def begins(
        self, marks: Sequence[Mark], log: list[tuple[Seat, Command]], given: list[Reply | int]
    ) -> bool:
        """True if it begins with just these."""
        return (
            len(marks) <= len(self.marks)
            and marks[-1] is self.marks[len(marks) - 1]
            and log == self.log[: len(log)]
            and given == self.given[: len(given)]
        )

    def up_to(self, marks: int) -> Whole:
        """The beginning with so many marks, before any news of the last one; all of it for all of them."""
        if marks == len(self.marks):
            return self._replace(marks=self.marks[:])
        last = self.marks[marks - 1]
        log, given = self.log[: last.heard], self.given[: last.given]
        return Whole(self.marks[:marks], log, given, 0, last.hands, None)


def replayed(opening: Position, marks: Sequence[Mark]) -> list[Mark]:
    """The same decisions from another opening; IllegalAction where one cannot be made there."""
    found = [marks[0]._replace(position=opening)]
    for mark in marks[1:]:
        assert mark.move is not None
        before = found[-1].position
        found.append(mark._replace(position=before.apply(before.parse(mark.move.action))))
    return found
