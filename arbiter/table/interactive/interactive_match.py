"""An interactive match: stepped, undone, fed from a record, decided by its user.

Theory of operation. The referee conducts the match; the machine stops before each of its exchanges,
does it with the seat's occupant, and passes on the reply. A bad reply is not passed on but becomes
`trouble`; the user then asks again, skips the command, or decides for the bot. The machine also
has the `Position`, and a log of all commands sent to each seat.

Undo restarts the referee with the replies up to an earlier decision, cuts the log there, restarts every
occupant and sends it its part of the log; a new occupant is started in the same way. Replies to the log are
ignored. Processes get ``quit`` then, and after the end of the match.
Undone decisions are kept as long as nothing else happens; redo sends the rest of that log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.errors import IllegalAction, VoidMatch
from arbiter.match.position import Position
from arbiter.match.record import Move
from arbiter.table.interactive.occupants import Occupant, RandomPlayer, SeatCommand, call_in_parallel, dismiss
from arbiter.table.interactive.referee_stepper import (
    LEAST_NS,
    Mark,
    RefereeStepper,
    Whole,
    judge_answer,
    replay_marks,
)
from arbiter.table.interactive.setup import Stop, TranscriptEntry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from arbiter.games.game import Command, Seat
    from arbiter.match.exchange import Reply
    from arbiter.table.interactive.setup import Setup


class InteractiveMatch:
    """One match; `listen` is called with every entry. Call `close` at the end.

    VoidMatch if the first processes cannot be started; later that is trouble, like a bad reply.
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
        self._referee = RefereeStepper(setup)
        self._restart_all()
        if self.trouble is not None:
            raise VoidMatch(self.trouble.problem)

    def close(self) -> list[tuple[Seat, str]]:
        """End all occupants at the same time. Return how each ended."""
        return list(enumerate(call_in_parallel(lambda occupant: occupant.end(), self.occupants)))

    @property
    def left(self) -> list[int]:
        """The time that each seat may still use, in ns."""
        return self._referee.left

    @property
    def moves(self) -> list[Move]:
        """The decisions so far, as in a match record."""
        return [mark.move for mark in self._marks if mark.move is not None]

    def received(self, seat: Seat) -> Iterator[tuple[Command, Position]]:
        """Yield the commands to a seat so far, each with the position in which it was sent."""
        ends = [*(mark.heard for mark in self._marks[1:]), len(self._log)]
        start = 0
        for mark, end in zip(self._marks, ends, strict=True):
            yield from ((command, mark.position) for of, command in self._log[start:end] if of == seat)
            start = end

    @property
    def by_hand(self) -> bool:
        """True once the user sent, skipped, decided or dealt something that a referee would not."""
        return self._hands > 0

    @property
    def redoable(self) -> int:
        """The number of undone decisions that can be made again: nothing else has happened since."""
        return len(self._whole.marks) - len(self._marks) if self._whole and self._is_beginning else 0

    @property
    def pending_news(self) -> int:
        """The number of commands to send before the next decision."""
        return len(self.position.news) - self._told

    def send_news(self, most: int | None = None) -> Stop | None:
        """Send pending commands, at most `most`; return TROUBLE at a bad reply, else None."""
        for _ in range(min(self.pending_news, most or self.pending_news)):
            if self._exchange_news().problem:
                return Stop.TROUBLE
        if self.position.to_act is None and not self.pending_news:
            dismiss(self.occupants)
        return None

    def step(self) -> Stop:
        """Send the news and the next request, and apply the answer; at a person's turn only the news."""
        self.trouble = None
        if self.send_news() is not None:
            return Stop.TROUBLE
        seat = self.position.to_act
        if seat is None:
            return Stop.OVER
        if self.occupants[seat].person:
            return Stop.PERSON
        if not (word := self._ask_occupant(seat)):
            return Stop.TROUBLE
        self._apply_word(word)
        return Stop.DECIDED

    def decide(self, word: str) -> Stop:
        """Send the news, then decide for the seat to act, with any occupant; IllegalAction."""
        if self.send_news() is not None:
            return Stop.TROUBLE
        seat = self.position.to_act
        if seat is None:
            return Stop.OVER
        self.position.parse(word)
        # A later occupant must get the commands of a request.
        request = self.position.request
        asked = self.trouble is not None and (self.trouble.seat, self.trouble.command) == (seat, request)
        if self.trouble is None or not self.trouble.in_step:
            self._log += [(seat, self._referee.time_left_command(seat))] * (not asked) + [(seat, request)]
        self.trouble = None
        self._hands += not self.occupants[seat].person
        self._apply_word(word)
        return Stop.DECIDED

    def retry(self) -> Stop:
        """After trouble, `step` again, with the process restarted if it has not answered properly."""
        self._hands += 1
        if self.trouble is not None and self._out_of_step:
            self._restart_occupant(self.trouble.seat)
        return self.step()

    def skip_news(self) -> None:
        """After trouble with news, continue as after a good reply."""
        self._hands += 1
        self._accept_news_reply()
        self.trouble = None

    def send_line(self, seat: Seat, command: Command) -> TranscriptEntry:
        """Send any line to one seat, which counts as by hand; log it, and return its entry."""
        self._hands += 1
        self._whole = None
        return self._log_entry(self._send_command(seat, command)[0]._replace(by_hand=True))

    def replace_occupant(self, seat: Seat, occupant: Occupant) -> str:
        """Replace an occupant, and send the new one the seat's log. Return how the old one ended."""
        said = self.occupants[seat].end()
        self.occupants[seat] = occupant
        self.trouble = None
        self._restart_occupant(seat)
        return said

    def undo(self, decisions: int) -> int:
        """Undo `decisions`, or as many as were made. Return their number."""
        taken = min(decisions, len(self._marks) - 1)
        if self._whole is None or not self._is_beginning:
            given, trouble = self._referee.given, self.trouble
            self._whole = Whole(self._marks[:], self._log[:], given[:], self._told, self._hands, trouble)
        self._rewind(len(self._marks) - taken)
        return taken

    def redo(self, decisions: int) -> int:
        """Redo `decisions` that were undone, or as many as possible. Return their number."""
        count = min(decisions, self.redoable)
        if self._whole is None or not count:
            return 0
        whole = self._whole.up_to(len(self._marks) + count)
        for reply in whole.given[len(self._referee.given) :]:
            self._referee.pass_reply(reply)
        self._marks, self.position = whole.marks, whole.marks[-1].position
        self._told, self._hands, self.trouble = whole.told, whole.hands, whole.trouble
        rest = whole.log[len(self._log) :]
        self._log += rest
        for seat in range(self.setup.game.seats):
            self._resend_log(seat, rest)
        if not self.pending_news and self.trouble is None:
            self.send_news()
        return count

    def branch(self, setup: Setup, decisions: int) -> None:
        """Go back to `decisions` decisions, and continue from there under another setup.

        IllegalAction if they are illegal under that; then nothing is changed.
        """
        opening = Position.opening(setup.game, setup.seed, setup.round_number)
        marks = replay_marks(opening, self._marks[: decisions + 1])
        # User-defined cards count as done by hand, and undo does not change that.
        self._marks = [mark._replace(hands=mark.hands + 1) for mark in marks]
        self.setup, self._whole = setup, None
        self._rewind(len(marks))

    @property
    def _is_beginning(self) -> bool:
        """True if the present match is a beginning of the one before undo."""
        return self._whole is not None and self._whole.begins(self._marks, self._log, self._referee.given)

    def _rewind(self, marks: int) -> None:
        """Restart the match up to `marks` marks, with restarted occupants."""
        del self._marks[marks:]
        mark = self._marks[-1]
        self.position, self._told, self.trouble, self._hands = mark.position, 0, None, mark.hands
        self._referee = RefereeStepper(self.setup, self._referee.given[: mark.given])
        del self._log[mark.heard :]
        self._restart_all()

    def feed(self, moves: Iterable[Move]) -> Iterable[str]:
        """Play recorded decisions with their recorded charges; the bots are asked, but the record decides.

        Yields a line for each bot's answer that differs from the record; ends early at trouble.
        """
        self._free = True
        try:
            yield from self._play_recorded(moves)
        finally:
            self._free = False

    def _play_recorded(self, moves: Iterable[Move]) -> Iterable[str]:
        """Play the decisions and yield the lines of `feed`."""
        for number, move in enumerate(moves, 1):
            self.trouble = None
            seat = self.position.to_act
            if self.send_news() is not None:
                return
            if seat != move.seat or self.position.request != move.request:
                yield f"move {number}: the record has {move.request} of seat {move.seat}, which is not to act"
                return
            if self.occupants[seat].person:
                self._log += [(seat, self._referee.time_left_command(seat)), (seat, self.position.request)]
            else:
                word = self._ask_occupant(seat)
                # Trouble with an answer does not matter here if the bot can continue.
                if self._out_of_step:
                    return
                if word != move.action and not isinstance(self.occupants[seat], RandomPlayer):
                    now = word or "nothing good"
                    yield f"move {number}: seat {seat} now answers {now}, not {move.action}"
                self.trouble = None
            self._referee.owed[move.seat] = move.charged_ns
            try:
                self._apply_word(move.action)
            except IllegalAction as error:
                yield f"move {number}: {move.action} of seat {seat}: {error}"
                return

    @property
    def _out_of_step(self) -> bool:
        """True if the bot in trouble must be restarted before its next request."""
        return self.trouble is not None and not self.trouble.in_step

    def _accept_news_reply(self) -> None:
        """Pass the referee a good reply to the pending news."""
        if self.pending_news:
            self._told += 1
        self._referee.pass_good_reply()

    def _exchange_news(self) -> TranscriptEntry:
        """Do the exchange that the referee waits for, which is news."""
        seat, send = self._referee.next
        entry = self._log_entry(self._send_command(seat, send.command)[0])
        if not entry.problem:
            self._accept_news_reply()
        return entry

    def _ask_occupant(self, seat: Seat) -> str:
        """Send ``time_left`` and the request. Return the legal word of the answer, "" at trouble."""
        if self._referee.next[1].asks:  # not for the first time
            exchanged = self._log_entry(self._send_command(seat, self._referee.time_left_command(seat))[0])
        else:
            exchanged = self._exchange_news()
        if exchanged.problem:
            return ""
        entry, reply = self._send_command(seat, self.position.request)
        if reply is not None and not entry.problem:
            entry = judge_answer(self.position, entry, reply)
        return self._log_entry(entry).word

    def _apply_word(self, word: str) -> None:
        """Pass the referee a word as the answer to the request; IllegalAction with the reason."""
        before, referee = self.position, self._referee
        action = before.parse(word)
        seat, send = referee.next
        if not send.asks:
            self._accept_news_reply()
        wall = referee.owed[seat]
        referee.pass_good_reply(word)
        self.position = before.apply(action)
        self._told = 0
        deal, word = len(before.deals) - 1, before.game.action_text(before.state, seat, action)
        move = Move(deal, seat, before.request, word, wall, 0, 0, referee.charged, self.left[seat])
        self._marks.append(Mark(self.position, len(self._log), len(referee.given), self._hands, move))

    def _log_entry(self, entry: TranscriptEntry) -> TranscriptEntry:
        """Store an exchange, its cost and any trouble, and call `listen`; return it."""
        self.transcript.append(entry)
        self.listen(entry)
        if entry.problem:
            self.trouble = entry
        if entry.in_step:
            self._log.append((entry.seat, entry.command))
        if not self._free:
            self._referee.owed[entry.seat] += entry.charged_ns
        return entry

    def _send_command(self, seat: Seat, command: Command) -> tuple[TranscriptEntry, Reply | None]:
        """Send a line to a seat, restarted if it has left. Return the entry, and the reply if judgeable."""
        if self.occupants[seat].has_left:
            self._restart_occupant(seat)
        start_ns = self.setup.limits.start_ns if seat in self._fresh else None
        self._fresh.discard(seat)
        allowed = max(self.left[seat], LEAST_NS) if start_ns is None else start_ns
        try:
            raw, reply = self.occupants[seat].reply_to(SeatCommand(seat, command, allowed, self.position))
        except VoidMatch as void:
            return TranscriptEntry(seat, command, b"", 0, kind="void", problem=str(void)), None
        except KeyboardInterrupt:
            return TranscriptEntry(seat, command, b"", 0, kind="interrupted", problem="interrupted"), None
        charged = reply.charged_ns if start_ns is None else 0
        entry = TranscriptEntry(seat, command, raw, reply.wall_ns, charged)
        if reply.fault is not None:
            entry = entry._replace(kind=reply.fault.kind, problem=reply.fault.detail)
        return entry, reply

    def _restart_all(self) -> None:
        """Make all occupants leave, then restart each and send it its log."""
        dismiss(self.occupants)
        for seat in range(self.setup.game.seats):
            self._restart_occupant(seat)

    def _restart_occupant(self, seat: Seat) -> None:
        """Restart an occupant and send it the seat's log; a VoidMatch becomes trouble."""
        try:
            self.occupants[seat].begin(seat)
        except VoidMatch as void:
            self.trouble = TranscriptEntry(seat, "", b"", 0, kind="void", problem=str(void))
            self.listen(self.trouble)
            return
        self._fresh.add(seat)
        self._resend_log(seat, self._log)

    def _resend_log(self, seat: Seat, log: Iterable[tuple[Seat, Command]]) -> None:
        """Send an occupant its seat's part of a log, up to the first bad reply."""
        for hearer, command in log:
            if hearer != seat:
                continue
            entry, _ = self._send_command(seat, command)
            if entry.problem:
                self.trouble = entry
                self.listen(entry)
                return
