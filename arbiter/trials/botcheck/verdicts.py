"""The steps of the check, and the step and cause of a match's fault."""

from __future__ import annotations

import re
import signal
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.errors import ArbiterError, MalformedReply
from arbiter.match.protocol import Answer, Connection, words_of
from arbiter.match.record import Fault
from arbiter.replay.frame import decision_text
from arbiter.sandbox.failure_hints import PLAIN, STACK, tier_hint, wrong_folder_hint
from arbiter.sandbox.program_files import (
    NAME_TARGET,
    bundle_problem,
    first_words,
    link_problem,
    script_problem,
)
from arbiter.sandbox.stderr import FULL
from arbiter.sandbox.syscall_numbers import call_name, is_process_start
from arbiter.table.crash_faults import NO_MEMORY
from arbiter.trials.botcheck.cures import (
    CALLS,
    CRLF,
    ENDED,
    EXEC,
    FIXES,
    FIXES_OF_SENT,
    HASH_BANG,
    ID,
    NO_ANSWER,
    NO_ID,
    NO_SIGN,
    ONE_LINE_LATE,
    SLOW_START,
    SLOW_START_OF_SENT,
    fix_of_illegal,
    flush_advice,
)
from arbiter.trials.botcheck.whole_match import ANSWERS, LATE_NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.match.record import Forfeit
    from arbiter.trials.botcheck.whole_match import BotMatch, Subject


NO_FORK = re.compile(rb"(can ?no?'?t fork|fork: |fork failed|cannot fork)", re.IGNORECASE)
"""The message of a shell that may not start a process."""
BLOCK = re.compile(rb"[^\n]*\S[^\n]*\n[ \t\r]*\n")
"""A line and an empty line."""
NOT_FOUND = 127
"""The exit code of ``env`` and shells for a missing program."""
QUIT_SECONDS = 3.0
"""Time for a bot to start, and to end on ``quit``."""
SHOWN = 200
"""Bytes shown of a command and of a reply."""
FIRST_LINES, LAST_LINES = 4, 16
"""Lines shown of standard error: with fewer last ones, a library's inner calls hide the bot's."""


def failed_step(subject: Subject, played: BotMatch, opening: Sequence[str]) -> Step | None:
    """Return the step that failed, None if the match was played to its end.

    New processes may be started to find a cause. `opening` are the names of the greeting's commands.
    """
    forfeit = played.record.forfeit
    if forfeit is None:
        return None
    name, detail, fix = _step_of_fault(subject, played, forfeit, opening)
    ending, shown = played.process.ending, shown_lines(played.process.stderr)
    fix = fix or (FIXES_OF_SENT if subject.sent else FIXES)[name]
    if forfeit.fault is Fault.OUTPUT or FULL in forfeit.reason:
        fix = FIXES["output"]
    elif forfeit.fault is Fault.CRASH and played.process.end.exit == -signal.SIGSEGV:
        fix += f"; {STACK}"
    tier, player = subject.limits.isolation, subject.player
    refused_process = any(map(is_process_start, played.process.end.refused))
    refused_calls = [call_name(number) for number in played.process.end.refused]
    if NO_FORK.search(ending):
        fix = EXEC
    elif unstarted := _script_problem(subject, played):
        detail, fix, shown = *unstarted, ()
    elif name == "starts" and tier != PLAIN and (bundle := bundle_problem(player.command, player.folder)):
        fix = bundle
    elif forfeit.fault is Fault.CRASH and (advice := next(filter(None, map(CALLS.get, refused_calls)), "")):
        fix = advice
    elif forfeit.fault is Fault.CRASH and (wrong := wrong_folder_hint(ending, player.folder)):
        fix = wrong
    elif forfeit.fault is Fault.CRASH and (refused := tier_hint(ending, tier, subject.sent)):
        fix += f"; {refused}" + ("" if subject.sent else "; --isolation plain allows everything")
        if refused_calls:
            fix += f"; refused here: {', '.join(refused_calls)}"
            fix += "" if subject.sent else f" (arbiter isolation --explain {refused_calls[0]})"
    elif refused_process and forfeit.fault in (Fault.CRASH, Fault.MALFORMED):
        fix = EXEC
    elif forfeit.fault is Fault.CRASH and played.process.end.exit == 0:
        fix = ENDED
    # Unread output belongs to an earlier exchange.
    got = played.raw + played.late + played.surplus or forfeit.reply.encode(errors="replace")
    if forfeit.fault is Fault.ILLEGAL:
        detail += f"; {decision_text(played.position.game, played.position.state)}"
    if played.refused is not None:
        command, refusing = played.refused
        detail += f"; before that it refused {command.split(' ')[0]}: '{escaped(refusing)}'"
    moves = len(played.own_moves)
    where = f"seat {forfeit.seat}, after {moves} decision{'s' * (moves != 1)}: " if moves else ""
    public = where + forfeit.reason
    return Step(name, False, forfeit.command, escaped(got), fix, where + detail, shown, public=public)


def _script_problem(subject: Subject, played: BotMatch) -> tuple[str, str] | None:
    """Read a script's first line; return what happened and the fix if it prevented the start, else None.

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
    if end.not_started and (linked := link_problem(program, subject.player.folder)):
        return linked, NAME_TARGET
    carriage = first.endswith(b"\r\n")
    words = first_words(first)
    if words and Path(words[0]).name == "env" and not carriage:
        problem = script_problem(program, subject.player.folder, subject.player.env.get("PATH"))
        return (escaped(problem.encode(errors="backslashreplace")), HASH_BANG) if problem else None
    if not words or not (carriage or (end.not_started and not Path(words[0]).is_file())):
        return None
    named = escaped(first[2:].strip(b" \t\n"))
    what = f"{program} exists, but the program named in its first line does not: '{named}'"
    return what, CRLF if carriage else HASH_BANG


def _lacks_sign(played: BotMatch, text: bytes) -> bool:
    """True if a reply lacks only its sign: it is a legal answer, a line and an empty line, or blank lines."""
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


def _find_held_back(subject: Subject, played: BotMatch) -> bytes:
    """Return what a bot wrote unflushed; unless a reply, start a process: b"" if it writes that unasked."""
    late = played.late
    if late[:1] in (b"=", b"?") or not late:
        return late
    with subject.run(played.seat) as bot:
        bot.end_input()
        return b"" if bot.read_for(LATE_NS) == late else late


def _reads_by_line(subject: Subject, played: BotMatch, forfeit: Forfeit) -> bool:
    """True if an unflushed bot reads by line: it answered, or a process started here ends at quit."""
    if played.first_ns:
        return True
    with subject.run(played.seat) as bot:
        bot.write(f"{forfeit.command}\nquit\n".encode())
        return bot.wait(QUIT_SECONDS) is not None


def _diagnose_unflushed(played: BotMatch, held: bytes) -> tuple[str, str]:
    """Return what else is wrong with an unflushed reply, and the fix; "" and "" for nothing."""
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


def _step_of_fault(
    subject: Subject, played: BotMatch, forfeit: Forfeit, opening: Sequence[str]
) -> tuple[str, str, str]:
    """Return the step of a fault, what happened, and the fix, "" for the general one; see `failed_step`."""
    fault, reply, said = forfeit.fault, forfeit.reply, forfeit.detail
    surplus = played.surplus.lstrip()[:1] in (b"=", b"?") and played.surplus != b""
    if fault is Fault.MEMORY or NO_MEMORY in said:
        return "memory", said, ""
    if fault is Fault.TIMEOUT:
        return _step_of_timeout(subject, played, forfeit, opening)
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


def _step_of_timeout(
    subject: Subject, played: BotMatch, forfeit: Forfeit, opening: Sequence[str]
) -> tuple[str, str, str]:
    """As `_step_of_fault`, for a timeout: new processes show whether the bot flushes."""
    reply, command = forfeit.reply, forfeit.command.split(" ")[0]
    flush = flush_advice(subject.player)
    if reply and reply[:1] in ("=", "?"):
        if played.late.lstrip(b" \t\r").startswith(b"\n"):
            came = "the reply's line came at once, its empty line when the input was closed"
            return "flushes", f"{came}: output to a pipe is held back from the second line on", flush
        end = "" if "\n" in reply else "the end of its line and without "
        return "empty-line", f"a reply without {end}the empty line", ""
    if held := _find_held_back(subject, played):
        what, fix = _diagnose_unflushed(played, held)
        came = f"the reply came when the input was closed{what and ', ' + what}"
        if not _reads_by_line(subject, played, forfeit):
            flush += f"; and {FIXES['flushes']}"
        fix = f"{flush}; and {fix}" if fix else flush
        return "flushes", f"no reply while the input was open; {came}", fix
    if played.raw and not played.raw.strip() and not played.first_ns:
        return "only-replies", "a reply without =: an empty line alone", NO_SIGN
    if played.behind:
        return "flushes", "the reply came when the next line was sent", ONE_LINE_LATE
    if played.waited:
        has_read = f"it read {command} and waits for the next command without replying"
        if played.first_ns:
            return "opening" if command in opening else "matches", has_read, NO_ANSWER
        why = f"{has_read}: perhaps it does not flush its output, even at its end"
        return "flushes", why, f"{flush}; and answer every command"
    said = forfeit.detail if reply else forfeit.detail.replace("no reply:", "no reply at all:", 1)
    if not played.first_ns:
        limit_ns = subject.limits.start_ns
        computes = limit_ns is not None and played.process.end.cpu_ns > limit_ns / 2
        return "starts", said, (SLOW_START_OF_SENT if subject.sent else SLOW_START) if computes else ""
    return "opening" if command in opening else "time", said, ""


@dataclass(frozen=True, slots=True)
class Step:
    """One named step. `ok` is None if it was left out; `detail` then has the reason.

    `sent` is one command or several; `got` the raw bytes, escaped; `fix` one line of advice; `stderr` the
    first and last lines of the bot's standard error, if the step failed; `public` the part of `detail` that
    others than the author may read. A step that is not `required` is advice: no match of the season can fail
    by it.
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
        """Return all fields but `public`."""
        shape = asdict(self)
        del shape["public"]
        return shape

    def text(self, advice: str = "FAIL {}: (advisory)") -> str:
        """Return the step as one line: ``ok NAME``, ``FAIL NAME: ...`` or ``left out NAME: why``.

        Below a failed step follow the first and last lines of standard error. `advice` begins the line of a
        step that is not required.
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
    """Return raw bytes as one line without control characters, cut after `SHOWN` bytes."""
    text = repr(raw[:SHOWN])[2:-1]
    return text if len(raw) <= SHOWN else f"{text}... ({len(raw)} bytes)"


def shown_lines(stderr: bytes) -> tuple[str, ...]:
    """Return the first and last lines of standard error."""
    lines = stderr.decode(errors="replace").splitlines()
    if len(lines) > FIRST_LINES + LAST_LINES + 1:
        lines[FIRST_LINES:-LAST_LINES] = ["..."]
    return tuple(lines)


def passed(name: str, detail: str = "") -> Step:
    return Step(name, True, detail=detail)


def left_out(name: str, why: str) -> Step:
    return Step(name, None, detail=why)
