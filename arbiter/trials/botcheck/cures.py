"""Advice to a bot's author, one line for each fault and known cause."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from arbiter.errors import IllegalAction, MalformedReply
from arbiter.match.position import Dealt, Moved, retrace
from arbiter.match.protocol import Answer
from arbiter.match.record import Fault
from arbiter.match.referee import judge
from arbiter.sandbox.failure_hints import tier_hint, wrong_folder_hint

if TYPE_CHECKING:
    from arbiter.games.game import AnyGame, State
    from arbiter.match.record import Forfeit, MatchRecord

FIXES = {
    "starts": "make the program run and answer the first command in time; read its standard error",
    "empty-line": "end every reply with an empty line: the reply's line, then one more newline",
    "flushes": "flush standard output after every reply, and read the input line by line, not to its end"
    " (mawk: -W interactive)",
    "opening": "answer every opening command with = and an empty line, however long its list is",
    "only-replies": "write one reply to each command to stdout, and nothing else; debug text goes to stderr",
    "rules": "answer a gen_ command with one legal word in the protocol's spelling, = and the word",
    "matches": "read its standard error; arbiter console plays the match by hand",
    "time": "read time_left and answer earlier, or check it with a longer --time",
    "memory": "use less memory, or check it with a larger --memory",
    "output": "write less, to standard error too: a match has 1 MiB of output and 16 MiB of standard error",
}
FIXES_OF_SENT = FIXES | {
    "matches": "read its standard error; at home arbiter console plays the match by hand",
    "time": "read time_left and answer earlier",
    "memory": "use less memory",
}
"""For programs sent to a site, where the season sets the limits."""
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
"""The steps whose fix applies to a fault of unknown cause."""
FLUSH = (
    "flush standard output after every reply: writer.Flush() in Go, fflush(stdout) in C, flush=True in Python"
    "; start mawk as mawk -W interactive"
)
NO_FLUSH = f"{FLUSH}; and answer every command"
NO_ANSWER = "answer every command, and flush the answer; answer an unknown command with ?"
NO_SIGN = "begin every reply with =, then the word if one is requested, as in '= TD'; then an empty line"
ONE_LINE_LATE = (
    "read each line without waiting for the one after it: input ('', 's') in place of fgetl in Octave, "
    "mawk -W interactive"
)
LINE_END = "remove the line end before you split a line: line.split(), or line.strip().split(' ')"
READ_MORE = (
    "its program reads files of the system that it does not see; with these it starts: read: [{}] "
    "(--read for check-bot)"
)
EXEC = (
    "this tier allows 64 processes, all before the first reply, and on a stage alone (arbiter isolation): "
    "after it use no $(...), no pipes and no programs in a script; "
    'a script that starts a bot ends with exec, as in: cd "${0%/*}"; exec python3 bot.py'
)
CRLF = "save the script with line ends of newlines only, without carriage returns"
HASH_BANG = "name an existing program in the script's first line, after #!"
ENDED = "read commands in a loop, until quit comes or the input ends: the program ended by itself"
NO_ID = "write no number after the =: commands have no numbers here, and a reply is as in '= TD'"
BATCHES = "read line by line and never mix select() with buffered reading"
UNBATCHED = "leave batched: false"
SEED = "seed random numbers with the commands that came, and let no clock and no order of a set decide"
SURVIVE = "read its standard error; answer every command, an unknown one with ?"
ID = re.compile(rb"=\d+ +\S+\s*")
"""An answer with a command number, as in GTP."""


def fix_of_illegal(game: AnyGame, state: State, forfeit: Forfeit) -> str:
    """Return the advice of the rules about an illegal answer in this state, "" if they have none."""
    first = forfeit.reply.partition("\n")[0].encode(errors="replace")
    try:
        judge(game, state, forfeit.seat, forfeit.command, Answer(True, first[1:].strip(), first))
    except IllegalAction as error:
        return error.fix
    except MalformedReply:
        pass
    return ""


def fix_of_record(record: MatchRecord, game: AnyGame, folder: str, tier: str) -> str:
    """Return advice to the author about the forfeit of a recorded match; the program was sent to a site."""
    forfeit = record.forfeit
    assert forfeit is not None, "the match has no forfeit"
    fix = ""
    if forfeit.fault is Fault.ILLEGAL:
        states = [
            event.after if isinstance(event, Moved) else event.state
            for event in retrace(record, game)
            if isinstance(event, Dealt | Moved)
        ]
        fix = fix_of_illegal(game, states[-1], forfeit)
    elif forfeit.fault is Fault.CRASH:
        said = record.bots[forfeit.seat].stderr_tail.encode(errors="replace")
        fix = wrong_folder_hint(said, folder) or tier_hint(said, tier, sent=True)
    return fix or FIXES_OF_SENT[STEPS_OF[forfeit.fault]]


def fix_of(kind: str, command: str, reply: bytes) -> str:
    """Return the advice about a fault in one reply to a command, or ""."""
    begun = reply[:1] in (b"=", b"?")
    match kind:
        case Fault.TIMEOUT:
            return FIXES["empty-line"] if begun else NO_ANSWER
        case Fault.MALFORMED:
            return FIXES["rules"] if begun else NO_SIGN
        case Fault.REFUSED:
            return FIXES["rules" if command.startswith("gen_") else "opening"]
        case Fault.CRASH:
            return "read its standard error"
        case Fault.OUTPUT:
            return FIXES["output"]
        case Fault.MEMORY | Fault.ILLEGAL | Fault.OUT_OF_TURN:
            return FIXES[STEPS_OF[Fault(kind)]]
    return ""
