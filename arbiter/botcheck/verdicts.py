"""The steps of the check, which of them a fault of a match belongs to, and the fix in one line."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.botcheck.matches import ANSWERS
from arbiter.errors import ArbiterError
from arbiter.frame import frame_at, hand_line, table_line
from arbiter.protocol import Answer, words_of
from arbiter.record import Fault
from arbiter.table.complaints import advice
from arbiter.table.files import first_words
from arbiter.table.sandbox.calls import call_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.botcheck.matches import BotMatch, Subject
    from arbiter.course import Position
    from arbiter.record import Forfeit


NO_FORK = re.compile(rb"(can ?no?'?t fork|fork: |fork failed|cannot fork)", re.IGNORECASE)
"""The complaint of a shell that may not start a process."""
BLOCK = re.compile(rb"[^\n]*\S[^\n]*\n[ \t\r]*\n")
"""A line and an empty line."""
LEGAL = 20
"""Legal answers that are listed."""
NOT_FOUND = 127
"""The exit of ``env``, and of a shell, for a program that is not there."""

FIXES = {
    "starts": "make the program run and answer the first command in time; look at its standard error",
    "empty-line": "end every reply with an empty line: the reply's line, then one more newline",
    "flushes": "flush standard output after every reply, and read the input line by line, not to its end",
    "opening": "answer every opening command with = and an empty line, however long its list is",
    "only-replies": "write to standard output one reply a command and no more; debug text goes to stderr",
    "rules": "answer a gen_ command with one legal word in the protocol's spelling, = and the word",
    "matches": "see its standard error; arbiter console plays the match by hand",
    "time": "look at time_left and answer earlier, or check it with a longer --time",
    "memory": "use less memory, or check it with a larger --memory",
}
FIXES_OF_SENT = FIXES | {
    "matches": "look at its standard error; at home arbiter console plays the match by hand",
    "time": "look at time_left and answer earlier",
    "memory": "use less memory",
}
"""For what an author sends to a site, whose limits are the season's."""
STEPS_OF = {
    Fault.ILLEGAL: "rules",
    Fault.MALFORMED: "only-replies",
    Fault.REFUSED: "matches",
    Fault.OUT_OF_TURN: "only-replies",
    Fault.TIMEOUT: "time",
    Fault.CRASH: "matches",
    Fault.MEMORY: "memory",
    Fault.OUTPUT: "only-replies",
}
"""The steps whose fix helps against a fault of which nothing else is known."""
NO_FLUSH = (
    "flush standard output after every reply: writer.Flush() in Go, fflush(stdout) in C, flush=True in "
    "Python; and answer every command"
)
NO_ANSWER = "answer every command, and flush the answer; a command that you do not know is answered with ?"
NO_SIGN = "begin every reply with =, then the word where one is asked for, as in '= TD'; then an empty line"
LINE_END = "take the line end off before you split a line: line.split(), or line.strip().split(' ')"
EXEC = (
    "nothing may be forked in this tier: let the script end with exec, and before it use no $(...), no pipes "
    'and no programs, as in: cd "${0%/*}"; exec python3 bot.py'
)
CRLF = "save the script with newlines alone at the ends of its lines, without carriage returns"
HASH_BANG = "name a program that is there in the script's first line, after #!"
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
    name, detail = _place(played, forfeit, opening)
    stderr, fix = played.process.stderr, (FIXES_OF_SENT if subject.sent else FIXES)[name]
    if played.waited:
        fix = NO_ANSWER if played.first_ns else NO_FLUSH
    elif forfeit.fault is Fault.MALFORMED and _lacks_sign(played):
        fix = NO_SIGN
    tier = subject.limits.isolation
    if NO_FORK.search(stderr):
        fix = EXEC
    elif unstarted := _unstarted(subject, played):
        detail, fix, stderr = *unstarted, b""
    elif forfeit.fault is Fault.CRASH and (refused := advice(stderr, tier, subject.sent)):
        fix += f"; {refused}" + ("" if subject.sent else ", --isolation plain nothing")
        if calls := played.process.end.refused:
            names = [call_name(number) for number in calls]
            fix += f"; refused here: {', '.join(names)}"
            fix += "" if subject.sent else f" (arbiter isolation --explain {names[0]})"
    # Unread output came with an earlier exchange.
    got = played.raw + played.late + played.surplus or forfeit.reply.encode(errors="replace")
    if played.late:
        detail += "; the reply came when the input was closed"
    if forfeit.fault is Fault.ILLEGAL:
        detail += f"; {_scene(played.position)}"
    if played.refused is not None:
        command, refusal = played.refused
        detail += f"; before that it refused {command.split(' ')[0]}: '{escaped(refusal)}'"
    moves = len(played.own_moves)
    where = f"seat {forfeit.seat}, after {moves} decision{'s' * (moves != 1)}: " if moves else ""
    public = where + forfeit.reason
    return Step(
        name, False, forfeit.command, escaped(got), fix, where + detail, last_lines(stderr), public=public
    )


def fix_of(kind: str, command: str, reply: bytes) -> str:
    """Return what mends a fault in one reply to a command; "" where nothing is known."""
    begun = reply[:1] in (b"=", b"?")
    match kind:
        case Fault.TIMEOUT:
            return FIXES["empty-line"] if begun else NO_ANSWER
        case Fault.MALFORMED:
            return FIXES["rules"] if begun else NO_SIGN
        case Fault.REFUSED:
            return FIXES["rules" if command.startswith("gen_") else "opening"]
        case Fault.CRASH:
            return "look at its standard error"
        case Fault.MEMORY | Fault.ILLEGAL | Fault.OUT_OF_TURN | Fault.OUTPUT:
            return FIXES[STEPS_OF[Fault(kind)]]
    return ""


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


def _lacks_sign(played: BotMatch) -> bool:
    """True if a reply is one but for the sign in front: a legal answer, or a line and an empty line."""
    text, position, forfeit = played.raw + played.surplus, played.position, played.record.forfeit
    if text[:1] in (b"=", b"?"):
        return False
    if BLOCK.fullmatch(text):
        return True
    if forfeit is None or position.to_act != played.seat or forfeit.command != position.request:
        return False
    first = text.partition(b"\n")[0].strip()
    try:
        position.parse(words_of(Answer(True, first, first), position.answer_words))
    except ArbiterError:
        return False
    return True


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


def with_line_end(fault: Step) -> Step:
    """The fault of a bot that plays on where a blank stands before each line end."""
    cause = (
        "with a blank before each line end it plays on, so it takes the line end for a part of the last word"
    )
    return replace(fault, detail=f"{fault.detail}; {cause}", fix=LINE_END)


def _place(played: BotMatch, forfeit: Forfeit, opening: Sequence[str]) -> tuple[str, str]:
    fault, reply, said = forfeit.fault, forfeit.reply, forfeit.detail
    if fault is Fault.MEMORY:
        return "memory", said
    if fault is Fault.TIMEOUT and reply[:1] in ("=", "?") and reply:
        if "\n" in reply:
            return "empty-line", "a reply without the empty line"
        return "empty-line", "a reply without the end of its line and without the empty line"
    if fault is Fault.TIMEOUT and played.late[:1] in (b"=", b"?") and played.late:
        return "flushes", "no reply while the input was open"
    if played.waited:
        has_read = (
            f"it has read {forfeit.command.split(' ')[0]} and waits for the next command, without a reply"
        )
        if played.first_ns:
            return "opening" if forfeit.command.split(" ")[0] in opening else "matches", has_read
        return "flushes", f"{has_read}: it may not flush its output, not at its end either"
    if reply[:1] == "=" and (fault is Fault.OUT_OF_TURN or (played.surplus and fault in ANSWERS)):
        return "only-replies", "more replies than commands"
    if fault in (Fault.OUT_OF_TURN, Fault.OUTPUT):
        return "only-replies", said
    if fault is Fault.MALFORMED:
        if played.replied:
            return "rules", said
        if _lacks_sign(played):
            return "only-replies", f"a reply without =: {said}"
        return "only-replies", f"text that is no reply: {said}"
    if fault is Fault.ILLEGAL:
        return "rules", said
    if fault is Fault.TIMEOUT and not reply:
        said = said.replace("no reply:", "no reply at all:", 1)
    if not played.first_ns:
        return "starts", said
    if forfeit.command.split(" ")[0] in opening:
        return "opening", said
    return "time" if fault is Fault.TIMEOUT else "matches", said


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
        """True for a required step that failed."""
        return self.required and self.ok is False

    def to_json(self) -> dict[str, Any]:
        """JSON values only, for the author."""
        shape = asdict(self)
        del shape["public"]
        return shape

    def text(self) -> str:
        """The step as one line: ``ok NAME``, ``FAIL NAME: ...`` or ``left out NAME: why``.

        Below a failed one stand the last lines of standard error, where there are any.
        """
        if self.ok:
            return f"ok {self.name}" + (f": {self.detail}" if self.detail else "")
        if self.ok is None:
            return f"left out {self.name}: {self.detail}"
        came = f"'{self.got}'" if self.got else "nothing"
        advice = "" if self.required else "(advisory) "
        line = f"FAIL {self.name}: {advice}{self.detail}; sent '{self.sent}', got {came}; fix: {self.fix}"
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
