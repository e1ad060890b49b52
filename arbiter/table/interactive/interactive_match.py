"""A match by hand: stepped, undone, fed from a record, decided by its user.

Theory of operation. The referee conducts the match; the machine stops before each of its exchanges,
has it with the seat's occupant, and passes on the reply. A bad one is kept from the referee and is
`trouble`; the user then asks again, skips the command, or decides in the bot's place. The machine also
holds the `Position`, and a log of every command that each seat has heard.

Undo conducts the match anew with the replies up to an earlier decision, cuts the log there, starts every
occupant anew and sends it its part of the log; so is a later occupant. Replies to the log are ignored.
Processes leave by ``quit``: then, and once they have heard the end of the match.
What was taken back is kept as long as nothing else happens; redo sends the rest of that log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.errors import IllegalAction, VoidMatch
from arbiter.match.position import Position
from arbiter.match.record import Move
from arbiter.table.interactive.occupants import Occupant, RandomPlayer, SeatCommand, at_once, dismiss
from arbiter.table.interactive.referee_stepper import LEAST_NS, Conducting, Mark, Whole, judged, replayed
from arbiter.table.interactive.setup import Stop, TranscriptEntry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from arbiter.games.game import Command, Seat
    from arbiter.match.exchange import Reply
    from arbiter.table.interactive.setup import Setup


class ByHand:
    """One match; `listen` is called with every entry. Call `close` at the end.

    VoidMatch if our machine fails to start the first processes; later that is trouble, as a bad reply is.
    """

    def __init__(
        self, setup: Setup, occupants: list[Occupant], listen: Callable[[TranscriptEntry], None]
    ) -> None:
        self.setup, self.occupants, self.listen = setup, occupants, listen
        self.position = Position.opening(setup.game, setup.seed, setup.round_number)
        self.transcript: list[TranscriptEntry] = []
        self.trouble: TranscriptEntry | None = None
        self._told = 0
        self._log: list[tuple[Seat, Command]] = []
        self._fresh: set[Seat] = set()
        self._free = False
        self._marks = [Mark(self.position, 0, 0)]
        self._hands = 0
        self._whole: Whole | None = None
        self._referee = Conducting(setup)
        self._begin_all()
        if self.trouble is not None:
            raise VoidMatch(self.trouble.problem)

    def close(self) -> list[tuple[Seat, str]]:
        """End every occupant, all at once; how each one ended."""
        return list(enumerate(at_once(lambda occupant: occupant.end(), self.occupants)))

    @property
    def left(self) -> list[int]:
        """The time that each seat may still use, in ns."""
        return self._referee.left

    @property
    def moves(self) -> list[Move]:
        """The decisions up to now, as a match record has them."""
        return [mark.move for mark in self._marks if mark.move is not None]

    @property
    def by_hand(self) -> bool:
        """True once something was sent, skipped, decided or dealt that a referee would not have."""
        return self._hands > 0

    @property
    def redoable(self) -> int:
        """Number of decisions that were taken back, nothing else having happened since."""
        return len(self._whole.marks) - len(self._marks) if self._whole and self._is_part else 0

    @property
    def untold(self) -> int:
        """Number of commands to tell before the next decision."""
        return len(self.position.news) - self._told

    def tell(self, most: int | None = None) -> Stop | None:
        """Tell the seats what they have yet to hear, at most `most` commands; TROUBLE at a bad reply."""
        for _ in range(min(self.untold, most or self.untold)):
            if self._exchange().problem:
                return Stop.TROUBLE
        if self.position.to_act is None and not self.untold:
            dismiss(self.occupants)
        return None

    def step(self) -> Stop:
        """Tell the news, then ask for the next decision."""
        self.trouble = None
        if self.tell() is not None:
            return Stop.TROUBLE
        seat = self.position.to_act
        if seat is None:
            return Stop.OVER
        if self.occupants[seat].person:
            return Stop.PERSON
        if not (word := self._ask(seat)):
            return Stop.TROUBLE
        self._decide(word)
        return Stop.DECIDED

    def decide(self, word: str) -> Stop:
        """Decide for the seat to act, whatever its occupant; IllegalAction with the reason."""
        if self.tell() is not None:
            return Stop.TROUBLE
        seat = self.position.to_act
        if seat is None:
            return Stop.OVER
        self.position.parse(word)
        # A later occupant is to hear what a bot hears that is asked.
        request = self.position.request
        asked = self.trouble is not None and (self.trouble.seat, self.trouble.command) == (seat, request)
        if self.trouble is None or not self.trouble.in_step:
            self._log += [(seat, self._referee.time_left(seat))] * (not asked) + [(seat, request)]
        self.trouble = None
        self._hands += not self.occupants[seat].person
        self._decide(word)
        return Stop.DECIDED

    def again(self) -> Stop:
        """After trouble: try again, with a new process that has heard the same if need be."""
        self._hands += 1
        if self.trouble is not None and self._out_of_step:
            self._begin(self.trouble.seat)
        return self.step()

    def skip(self) -> None:
        """After trouble with news: go on as if it had been answered well."""
        self._hands += 1
        self._give()
        self.trouble = None

    def raw(self, seat: Seat, command: Command) -> TranscriptEntry:
        """Send any line to one seat; it counts as heard there."""
        self._hands += 1
        self._whole = None
        return self._note(self._say(seat, command)[0]._replace(by_hand=True))

    def seat(self, seat: Seat, occupant: Occupant) -> str:
        """Replace an occupant, tell the new one what was heard there; how the old one ended."""
        said = self.occupants[seat].end()
        self.occupants[seat] = occupant
        self.trouble = None
        self._begin(seat)
        return said

    def undo(self, decisions: int) -> int:
        """Take `decisions` back, or as many as there are; their number."""
        taken = min(decisions, len(self._marks) - 1)
        if self._whole is None or not self._is_part:
            given, trouble = self._referee.given, self.trouble
            self._whole = Whole(self._marks[:], self._log[:], given[:], self._told, self._hands, trouble)
        self._go_back(len(self._marks) - taken)
        return taken

    def redo(self, decisions: int) -> int:
        """Make `decisions` again that were taken back, or as many as there are; their number."""
        count = min(decisions, self.redoable)
        if self._whole is None or not count:
            return 0
        whole = self._whole.up_to(len(self._marks) + count)
        for reply in whole.given[len(self._referee.given) :]:
            self._referee.take(reply)
        self._marks, self.position = whole.marks, whole.marks[-1].position
        self._told, self._hands, self.trouble = whole.told, whole.hands, whole.trouble
        rest = whole.log[len(self._log) :]
        self._log += rest
        for seat in range(self.setup.game.seats):
            self._retell(seat, rest)
        if not self.untold and self.trouble is None:
            self.tell()
        return count

    def branch(self, setup: Setup, decisions: int) -> None:
        """Go back to where so many decisions were made, and on from there under another setup.

        IllegalAction where they could not have been made under that; then nothing has changed.
        """
        opening = Position.opening(setup.game, setup.seed, setup.round_number)
        marks = replayed(opening, self._marks[: decisions + 1])
        # That the cards are the user's is never taken back.
        self._marks = [mark._replace(hands=mark.hands + 1) for mark in marks]
        self.setup, self._whole = setup, None
        self._go_back(len(marks))

    @property
    def _is_part(self) -> bool:
        """True if all that has happened is the beginning of what was taken back."""
        return self._whole is not None and self._whole.begins(self._marks, self._log, self._referee.given)

    def _go_back(self, marks: int) -> None:
        """Conduct the match anew up to where there were so many marks, with new occupants."""
        del self._marks[marks:]
        mark = self._marks[-1]
        self.position, self._told, self.trouble, self._hands = mark.position, 0, None, mark.hands
        self._referee = Conducting(self.setup, self._referee.given[: mark.given])
        del self._log[mark.heard :]
        self._begin_all()

    def feed(self, moves: Iterable[Move]) -> Iterable[str]:
        """Play recorded decisions: the bots answer, but the record decides, what was charged included.

        Yields a line for every answer of a bot that is not the record's; ends early at trouble.
        """
        self._free = True
        try:
            yield from self._feed(moves)
        finally:
            self._free = False

    def _feed(self, moves: Iterable[Move]) -> Iterable[str]:
        for number, move in enumerate(moves, 1):
            self.trouble = None
            seat = self.position.to_act
            if self.tell() is not None:
                return
            if seat != move.seat or self.position.request != move.request:
                yield f"move {number}: the record has {move.request} of seat {move.seat}, which is not to act"
                return
            if self.occupants[seat].person:
                self._log += [(seat, self._referee.time_left(seat)), (seat, self.position.request)]
            else:
                word = self._ask(seat)
                # Trouble with an answer that the record does not need: the bot goes on.
                if self._out_of_step:
                    return
                if word != move.action and not isinstance(self.occupants[seat], RandomPlayer):
                    now = word or "nothing good"
                    yield f"move {number}: seat {seat} now answers {now}, not {move.action}"
                self.trouble = None
            self._referee.owed[move.seat] = move.charged_ns
            try:
                self._decide(move.action)
            except IllegalAction as error:
                yield f"move {number}: {move.action} of seat {seat}: {error}"
                return

    @property
    def _out_of_step(self) -> bool:
        """True when the bot in trouble must be started anew before it can be asked again."""
        return self.trouble is not None and not self.trouble.in_step

    def _give(self) -> None:
        """Pass on a good reply to what is no request."""
        if self.untold:
            self._told += 1
        self._referee.give()

    def _exchange(self) -> TranscriptEntry:
        """Have the exchange that the referee waits for, which is no request."""
        seat, send = self._referee.next
        entry = self._note(self._say(seat, send.command)[0])
        if not entry.problem:
            self._give()
        return entry

    def _ask(self, seat: Seat) -> str:
        """Send ``time_left`` and the request; the legal word answered, "" at trouble."""
        if self._referee.next[1].asks:  # not for the first time
            exchanged = self._note(self._say(seat, self._referee.time_left(seat))[0])
        else:
            exchanged = self._exchange()
        if exchanged.problem:
            return ""
        entry, reply = self._say(seat, self.position.request)
        if reply is not None and not entry.problem:
            entry = judged(self.position, entry, reply)
        return self._note(entry).word

    def _decide(self, word: str) -> None:
        """Answer the request, which may not have been sent, by a word; IllegalAction with the reason."""
        before, referee = self.position, self._referee
        action = before.parse(word)
        seat, send = referee.next
        if not send.asks:
            self._give()
        wall = referee.owed[seat]
        referee.give(word)
        self.position = before.apply(action)
        self._told = 0
        deal, word = len(before.deals) - 1, before.game.action_text(before.state, seat, action)
        move = Move(deal, seat, before.request, word, wall, 0, 0, referee.charged, self.left[seat])
        self._marks.append(Mark(self.position, len(self._log), len(referee.given), self._hands, move))

    def _note(self, entry: TranscriptEntry) -> TranscriptEntry:
        """Log what was said, what it cost and any trouble."""
        self.transcript.append(entry)
        self.listen(entry)
        if entry.problem:
            self.trouble = entry
        if entry.in_step:
            self._log.append((entry.seat, entry.command))
        if not self._free:
            self._referee.owed[entry.seat] += entry.charged_ns
        return entry

    def _say(self, seat: Seat, command: Command) -> tuple[TranscriptEntry, Reply | None]:
        """Send a line to a seat; the reply, or None where nothing can be said of the bot."""
        if self.occupants[seat].has_left:
            self._begin(seat)
        start_ns = self.setup.limits.start_ns if seat in self._fresh else None
        self._fresh.discard(seat)
        allowed = max(self.left[seat], LEAST_NS) if start_ns is None else start_ns
        try:
            raw, reply = self.occupants[seat].hear(SeatCommand(seat, command, allowed, self.position))
        except VoidMatch as void:
            return TranscriptEntry(seat, command, b"", 0, kind="void", problem=str(void)), None
        except KeyboardInterrupt:
            return TranscriptEntry(seat, command, b"", 0, kind="interrupted", problem="interrupted"), None
        charged = reply.charged_ns if start_ns is None else 0
        entry = TranscriptEntry(seat, command, raw, reply.wall_ns, charged)
        if reply.fault is not None:
            entry = entry._replace(kind=reply.fault.kind, problem=reply.fault.detail)
        return entry, reply

    def _begin_all(self) -> None:
        dismiss(self.occupants)
        for seat in range(self.setup.game.seats):
            self._begin(seat)

    def _begin(self, seat: Seat) -> None:
        """Start an occupant anew and send it what was heard in its seat."""
        try:
            self.occupants[seat].begin(seat)
        except VoidMatch as void:
            self.trouble = TranscriptEntry(seat, "", b"", 0, kind="void", problem=str(void))
            self.listen(self.trouble)
            return
        self._fresh.add(seat)
        self._retell(seat, self._log)

    def _retell(self, seat: Seat, log: Iterable[tuple[Seat, Command]]) -> None:
        """Send an occupant what was heard in its seat, up to the first bad reply."""
        for hearer, command in log:
            if hearer != seat:
                continue
            entry, _ = self._say(seat, command)
            if entry.problem:
                self.trouble = entry
                self.listen(entry)
                return
