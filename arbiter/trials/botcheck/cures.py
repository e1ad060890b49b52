"""What mends a bot, in one line, by its fault and by what is known of its cause."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from arbiter.errors import IllegalAction, MalformedReply
from arbiter.match.position import Dealt, Moved, retrace
from arbiter.match.protocol import Answer
from arbiter.match.record import Fault
from arbiter.match.referee import judge
from arbiter.sandbox.failure_hints import advice, misplaced

if TYPE_CHECKING:
    from arbiter.games.game import AnyGame, State
    from arbiter.match.record import Forfeit, MatchRecord

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
    "output": "write less, to standard error too: a match has 1 MiB of output and 16 MiB of standard error",
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
FLUSH = (
    "flush standard output after every reply: writer.Flush() in Go, fflush(stdout) in C, flush=True in Python"
)
NO_FLUSH = f"{FLUSH}; and answer every command"
NO_ANSWER = "answer every command, and flush the answer; a command that you do not know is answered with ?"
NO_SIGN = "begin every reply with =, then the word where one is asked for, as in '= TD'; then an empty line"
LINE_END = "take the line end off before you split a line: line.split(), or line.strip().split(' ')"
EXEC = (
    "nothing may be forked in this tier: let the script end with exec, and before it use no $(...), no pipes "
    'and no programs, as in: cd "${0%/*}"; exec python3 bot.py'
)
CRLF = "save the script with newlines alone at the ends of its lines, without carriage returns"
HASH_BANG = "name a program that is there in the script's first line, after #!"
ENDED = "read commands in a loop, until quit comes or the input ends: the program ended by itself"
NO_ID = "write no number behind the =: commands have none here, and a reply is as in '= TD'"
BATCHES = "read line by line and never mix select() with buffered reading"
UNBATCHED = "leave batched: false"
SEED = "let what the bot has heard seed its random numbers, and let no clock and no order of a set decide"
SURVIVE = "look at its standard error; answer every command, one that you do not know with ?"
ID = re.compile(rb"=\d+ +\S+\s*")
"""An answer with a number, as other protocols have it."""


def fix_of_illegal(game: AnyGame, state: State, forfeit: Forfeit) -> str:
    """Return what the rules advise a bot whose answer in this state was illegal; "" where they do not say."""
    first = forfeit.reply.partition("\n")[0].encode(errors="replace")
    try:
        judge(game, state, forfeit.seat, forfeit.command, Answer(True, first[1:].strip(), first))
    except IllegalAction as error:
        return error.fix
    except MalformedReply:
        pass
    return ""


def fix_of_record(record: MatchRecord, game: AnyGame, folder: str, tier: str) -> str:
    """Return what its author can do about the forfeit of a recorded match, sent to a site."""
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
        fix = misplaced(said, folder) or advice(said, tier, sent=True)
    return fix or FIXES_OF_SENT[STEPS_OF[forfeit.fault]]


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
        case Fault.OUTPUT:
            return FIXES["output"]
        case Fault.MEMORY | Fault.ILLEGAL | Fault.OUT_OF_TURN:
            return FIXES[STEPS_OF[Fault(kind)]]
    return ""
