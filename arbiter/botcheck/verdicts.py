"""Which step a fault of a match belongs to, and the fix in one line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from arbiter.botcheck.matches import ANSWERS
from arbiter.botcheck.report import Step, escaped
from arbiter.match import Fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.botcheck.matches import Played
    from arbiter.match import Forfeit

NO_FORK = re.compile(rb"(can ?no?'?t fork|fork: |fork failed|cannot fork)", re.IGNORECASE)
"""What a shell says where it may not start a process."""

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
EXEC = "nothing may be forked in this tier: let the script end with exec, as in: exec python3 bot.py"


def verdict(played: Played, opening: Sequence[str]) -> Step | None:
    """The step that failed, None if the match was played to its end.

    `opening` are the names of the commands of the greeting.
    """
    forfeit = played.record.forfeit
    if forfeit is None:
        return None
    name, detail = _place(played, forfeit, opening)
    fix = EXEC if NO_FORK.search(played.process.stderr) else FIXES[name]
    # What stood unread was read with an exchange before.
    got = played.raw + played.late + played.surplus or forfeit.reply.encode(errors="replace")
    if played.late:
        detail += "; the reply came when the input was closed"
    moves = len(played.own_moves)
    where = f"seat {forfeit.seat}, after {moves} decision{'s' * (moves != 1)}: " if moves else ""
    return Step(name, False, forfeit.command, escaped(got), fix, where + detail)


def _place(played: Played, forfeit: Forfeit, opening: Sequence[str]) -> tuple[str, str]:
    """The step and what happened, in words."""
    fault, reply, said = forfeit.fault, forfeit.reply, forfeit.detail
    if fault is Fault.MEMORY:
        return "memory", said
    if fault is Fault.TIMEOUT and reply[:1] in ("=", "?") and reply:
        if "\n" in reply:
            return "empty-line", "a reply without the empty line"
        return "empty-line", "a reply without the end of its line and without the empty line"
    if fault is Fault.TIMEOUT and played.late[:1] in (b"=", b"?") and played.late:
        return "flushes", "no reply while the input was open"
    if reply[:1] == "=" and (fault is Fault.OUT_OF_TURN or (played.surplus and fault in ANSWERS)):
        return "only-replies", "more replies than commands"
    if fault in (Fault.OUT_OF_TURN, Fault.OUTPUT):
        return "only-replies", said
    if fault is Fault.MALFORMED:
        if reply[:1] == "=" and "\0" not in reply and "longer" not in said:
            return "rules", said
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
