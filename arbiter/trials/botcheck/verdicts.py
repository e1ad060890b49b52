"""The steps of the check, which of them a fault of a match belongs to, and its cause."""

from __future__ import annotations

import re
import signal
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.errors import ArbiterError, MalformedReply
from arbiter.match.protocol import Answer, Connection, words_of
from arbiter.match.record import Fault
from arbiter.replay.frame import frame_at, hand_line, table_line
from arbiter.sandbox.failure_hints import STACK, advice, misplaced
from arbiter.sandbox.program_files import first_words
from arbiter.sandbox.stderr import FULL
from arbiter.sandbox.syscall_numbers import call_name
from arbiter.table.crash_faults import NO_MEMORY
from arbiter.trials.botcheck.cures import (
    CRLF,
    ENDED,
    EXEC,
    FIXES,
    FIXES_OF_SENT,
    FLUSH,
    HASH_BANG,
    ID,
    NO_ANSWER,
    NO_FLUSH,
    NO_ID,
    NO_SIGN,
    fix_of_illegal,
)
from arbiter.trials.botcheck.whole_match import ANSWERS, LATE_NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.match.position import Position
    from arbiter.match.record import Forfeit
    from arbiter.trials.botcheck.whole_match import BotMatch, Subject


NO_FORK = re.compile(rb"(can ?no?'?t fork|fork: |fork failed|cannot fork)", re.IGNORECASE)
"""The complaint of a shell that may not start a process."""
BLOCK = re.compile(rb"[^\n]*\S[^\n]*\n[ \t\r]*\n")
"""A line and an empty line."""
LEGAL = 20
"""Legal answers that are listed."""
NOT_FOUND = 127
"""The exit of ``env``, and of a shell, for a program that is not there."""
QUIT_SECONDS = 3.0
"""For a bot to start, and to end on ``quit``."""
SHOWN = 200
"""Bytes that are shown of what was sent, and of what came back."""
LAST_LINES = 16
"""Lines of standard error: with fewer, a library's innermost calls hide the bot's own."""


def verdict(subject: Subject, played: BotMatch, opening: Sequence[str]) -> Step | None:
    """The step that failed, None if the match was played to its end.

    `opening` are the names of the commands of the greeting.
    """
    forfeit = played.record.forfeit
    if forfeit is None:
        return None
    name, detail, fix = _place(subject, played, forfeit, opening)
    stderr, fix = played.process.stderr, fix or (FIXES_OF_SENT if subject.sent else FIXES)[name]
    if forfeit.fault is Fault.OUTPUT or FULL in forfeit.reason:
        fix = FIXES["output"]
    elif forfeit.fault is Fault.CRASH and played.process.end.exit == -signal.SIGSEGV:
        fix += f"; {STACK}"
    tier = subject.limits.isolation
    if NO_FORK.search(stderr):
        fix = EXEC
    elif unstarted := _unstarted(subject, played):
        detail, fix, stderr = *unstarted, b""
    elif forfeit.fault is Fault.CRASH and (wrong := misplaced(stderr, subject.player.folder)):
        fix = wrong
    elif forfeit.fault is Fault.CRASH and (refused := advice(stderr, tier, subject.sent)):
        fix += f"; {refused}" + ("" if subject.sent else ", --isolation plain nothing")
        if calls := played.process.end.refused:
            names = [call_name(number) for number in calls]
            fix += f"; refused here: {', '.join(names)}"
            fix += "" if subject.sent else f" (arbiter isolation --explain {names[0]})"
    elif forfeit.fault is Fault.CRASH and played.process.end.exit == 0:
        fix = ENDED
    # Unread output came with an earlier exchange.
    got = played.raw + played.late + played.surplus or forfeit.reply.encode(errors="replace")
    if forfeit.fault is Fault.ILLEGAL:
        detail += f"; {_scene(played.position)}"
    if played.refused is not None:
        command, refusing = played.refused
        detail += f"; before that it refused {command.split(' ')[0]}: '{escaped(refusing)}'"
    moves = len(played.own_moves)
    where = f"seat {forfeit.seat}, after {moves} decision{'s' * (moves != 1)}: " if moves else ""
    public = where + forfeit.reason
    return Step(
        name, False, forfeit.command, escaped(got), fix, where + detail, last_lines(stderr), public=public
    )


def _unstarted(subject: Subject, played: BotMatch) -> tuple[str, str] | None:
    """Return what happened, and the fix, where a script's first line kept it from starting.

    The kernel then reports the script itself as missing.
    """
    program, end = subject.player.command[0], played.process.end
    if played.first_ns or not (end.not_started or end.exit == NOT_FOUND):
        return None
    try:
        with open(program, "rb") as file:
            first = file.readline(SHOWN)
    except OSError:
        return None
    carriage = first.endswith(b"\r\n")
    words = first_words(first)
    if not words or not (carriage or (end.not_started and not Path(words[0]).is_file())):
        return None
    named = escaped(first[2:].strip(b" \t\n"))
    what = f"{program} is there, but the program that its first line names is not: '{named}'"
    return what, CRLF if carriage else HASH_BANG


def _lacks_sign(played: BotMatch, text: bytes) -> bool:
    """True if a reply is one but for the sign in front: a legal answer, or a line and an empty line.

    The answer to news may then be the empty line alone.
    """
    position, forfeit = played.position, played.record.forfeit
    if text[:1] in (b"=", b"?"):
        return False
    if BLOCK.fullmatch(text) or (text and not text.strip()):
        return True
    if forfeit is None or position.to_act != played.seat or forfeit.command != position.request:
        return False
    first = text.partition(b"\n")[0].strip()
    try:
        position.parse(words_of(Answer(True, first, first), position.answer_words))
    except ArbiterError:
        return False
    return True


def _held_back(subject: Subject, played: BotMatch) -> bytes:
    """Return what a bot had written and not flushed; nothing if it says the same when it is asked nothing."""
    late = played.late
    if late[:1] in (b"=", b"?") or not late:
        return late
    with subject.run(played.seat) as bot:
        bot.end_input()
        return b"" if bot.listen(LATE_NS) == late else late


def _reads_by_line(subject: Subject, played: BotMatch, forfeit: Forfeit) -> bool:
    """True if a bot that holds its replies back reads its input by line: it has answered, or quit ends it."""
    if played.first_ns:
        return True
    with subject.run(played.seat) as bot:
        bot.write(f"{forfeit.command}\nquit\n".encode())
        return bot.wait(QUIT_SECONDS) is not None


def _besides(played: BotMatch, held: bytes) -> tuple[str, str]:
    """Return what else is wrong with a reply that was not flushed, and the fix; "" and "" for nothing."""
    connection = Connection()
    try:
        connection.feed(held)
        if _lacks_sign(played, held):
            return "without =", NO_SIGN
        if connection.reply() is None:
            return "without the empty line", FIXES["empty-line"]
    except MalformedReply as error:
        return f"with text that is no reply: {error}", FIXES["only-replies"]
    return "", ""


def _scene(position: Position) -> str:
    """Return what the bot to act has and sees: ``hand 2C 3S, table 0:2D, legal 2C 3S``."""
    frame = frame_at(position)
    assert frame.to_act is not None
    words = frame.legal
    parts = {
        "hand": " ".join(hand_line(position.game, frame.hands[frame.to_act]).split()),
        "table": " ".join(table_line(frame).split()),
        "legal": " ".join(words[:LEGAL]) + (f" ... ({len(words)} in all)" if len(words) > LEGAL else ""),
    }
    return ", ".join(f"{name} {text}" for name, text in parts.items() if text)


def _place(
    subject: Subject, played: BotMatch, forfeit: Forfeit, opening: Sequence[str]
) -> tuple[str, str, str]:
    """Return the step of a fault, what happened, and the fix, "" where it is the step's own."""
    fault, reply, said = forfeit.fault, forfeit.reply, forfeit.detail
    surplus = played.surplus.lstrip()[:1] in (b"=", b"?") and played.surplus != b""
    if fault is Fault.MEMORY or NO_MEMORY in said:
        return "memory", said, ""
    if fault is Fault.TIMEOUT:
        return _place_timeout(subject, played, forfeit, opening)
    if reply[:1] == "=" and (fault is Fault.OUT_OF_TURN or (surplus and fault in ANSWERS)):
        return "only-replies", "more replies than commands", ""
    if fault in (Fault.OUT_OF_TURN, Fault.OUTPUT):
        return "only-replies", said, ""
    if fault is Fault.MALFORMED:
        if played.replied:
            return "rules", said, NO_ID if ID.fullmatch(reply.encode(errors="replace")) else ""
        if _lacks_sign(played, played.raw + played.surplus):
            return "only-replies", f"a reply without =: {said}", NO_SIGN
        return "only-replies", f"text that is no reply: {said}", ""
    if fault is Fault.ILLEGAL:
        return "rules", said, fix_of_illegal(subject.game, played.position.state, forfeit)
    if not played.first_ns:
        return "starts", said, ""
    return "opening" if forfeit.command.split(" ")[0] in opening else "matches", said, ""


def _place_timeout(
    subject: Subject, played: BotMatch, forfeit: Forfeit, opening: Sequence[str]
) -> tuple[str, str, str]:
    reply, command = forfeit.reply, forfeit.command.split(" ")[0]
    if reply and reply[:1] in ("=", "?"):
        end = "" if "\n" in reply else "the end of its line and without "
        return "empty-line", f"a reply without {end}the empty line", ""
    if held := _held_back(subject, played):
        what, fix = _besides(played, held)
        came = f"the reply came when the input was closed{what and ', ' + what}"
        flush = FLUSH if _reads_by_line(subject, played, forfeit) else FIXES["flushes"]
        fix = f"{flush}; and {fix}" if fix else flush
        return "flushes", f"no reply while the input was open; {came}", fix
    if played.raw and not played.raw.strip() and not played.first_ns:
        return "only-replies", "a reply without =: an empty line alone", NO_SIGN
    if played.waited:
        has_read = f"it has read {command} and waits for the next command, without a reply"
        if played.first_ns:
            return "opening" if command in opening else "matches", has_read, NO_ANSWER
        return "flushes", f"{has_read}: it may not flush its output, not at its end either", NO_FLUSH
    said = forfeit.detail if reply else forfeit.detail.replace("no reply:", "no reply at all:", 1)
    if not played.first_ns:
        return "starts", said, ""
    return "opening" if command in opening else "time", said, ""


@dataclass(frozen=True, slots=True)
class Step:
    """One named step. `ok` is None where it was left out, `detail` then says why.

    `sent` is the command, or several; `got` the raw bytes, escaped; `fix` one line; `stderr` the
    last lines of the bot's standard error, with a failed step; `public` what of the detail is for all, not
    its author alone. One that is not `required` is advice: no
    match of the season comes to what it asks.
    """

    name: str
    ok: bool | None
    sent: str = ""
    got: str = ""
    fix: str = ""
    detail: str = ""
    stderr: tuple[str, ...] = ()
    required: bool = True
    public: str = ""

    @property
    def fails(self) -> bool:
        return self.required and self.ok is False

    def to_json(self) -> dict[str, Any]:
        """JSON values only, for the author."""
        shape = asdict(self)
        del shape["public"]
        return shape

    def text(self, advice: str = "FAIL {}: (advisory)") -> str:
        """The step as one line: ``ok NAME``, ``FAIL NAME: ...`` or ``left out NAME: why``.

        Below a failed one stand the last lines of standard error, where there are any. `advice` begins the
        line of one that is not required.
        """
        if self.ok:
            return f"ok {self.name}" + (f": {self.detail}" if self.detail else "")
        if self.ok is None:
            return f"left out {self.name}: {self.detail}"
        came = f"'{self.got}'" if self.got else "nothing"
        head = ("FAIL {}:" if self.required else advice).format(self.name)
        line = f"{head} {self.detail}; sent '{self.sent}', got {came}; fix: {self.fix}"
        return "\n".join((line, *(f"  stderr: {text}" for text in self.stderr)))


def escaped(raw: bytes) -> str:
    """Raw bytes on one line that steers no terminal, cut where they are many."""
    text = repr(raw[:SHOWN])[2:-1]
    return text if len(raw) <= SHOWN else f"{text}... ({len(raw)} bytes)"


def last_lines(stderr: bytes) -> tuple[str, ...]:
    """The end of what a bot wrote to standard error."""
    return tuple(stderr.decode(errors="replace").splitlines()[-LAST_LINES:])


def passed(name: str, detail: str = "") -> Step:
    """A step without a fault."""
    return Step(name, True, detail=detail)


def left_out(name: str, why: str) -> Step:
    """A step that makes no sense after what was seen before."""
    return Step(name, None, detail=why)
