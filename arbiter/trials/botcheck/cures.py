"""Advice to a bot's author, one line for each fault and known cause."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.errors import IllegalAction, MalformedReply
from arbiter.match.position import Dealt, Moved, retrace
from arbiter.match.protocol import Answer
from arbiter.match.record import Fault
from arbiter.match.referee import judge
from arbiter.sandbox.failure_hints import tier_hint, wrong_folder_hint
from arbiter.sandbox.program_files import LONGEST_LINE, first_words

if TYPE_CHECKING:
    from arbiter.games.game import AnyGame, State
    from arbiter.match.record import Forfeit, MatchRecord
    from arbiter.match.spec import Player

FIXES = {
    "starts": "make the program run and answer the first command in time; read its standard error",
    "empty-line": "end every reply with an empty line: the reply's line, then one more newline",
    "flushes": "read the input line by line, not to its end",
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
FLUSH = "flush standard output after every reply"
FLUSHES = {
    "clisp": "(finish-output)",
    "csi": "(flush-output)",
    "expect": "flush stdout",
    "gawk": "fflush()",
    "gforth": "stdout flush-file throw",
    "gsi": "(force-output), or start gsi -:fu",
    "guile": "(force-output)",
    "hy": "print with :flush True",
    "jimsh": "flush stdout",
    "jruby": "$stdout.sync = true",
    "jython": "sys.stdout.flush()",
    "lua": "io.flush()",
    "luajit": "io.flush()",
    "mawk": "start mawk -W interactive, no flush suffices",
    "mujs": "MuJS has no flush, choose another JavaScript",
    "ocaml": "%! at the end of a format",
    "octave-cli": "fflush(stdout)",
    "original-awk": "fflush()",
    "perl": "$| = 1",
    "pypy": "print(..., flush=True)",
    "python": "print(..., flush=True)",
    "racket": "(flush-output)",
    "raku": "$*OUT.out-buffer = False",
    "ruby": "$stdout.sync = true",
    "runghc": "hFlush stdout",
    "tcc": "fflush(stdout)",
    "tclsh": "flush stdout",
}
"""The flush of languages, by the letters of their programs' names."""
FLUSHES_OF_COMPILED = (
    "fflush(stdout) in C, std::flush in C++, writer.Flush() in Go, Flush(Output) in Pascal, hFlush stdout in "
    "Haskell, flush stdout in OCaml, stdout.flush() in D, Rust and Vala"
)
NAME_OF_PROGRAM = re.compile(r"[a-z]+(?:-[a-z]+)*")
NO_ANSWER = "answer every command, and flush the answer; answer an unknown command with ?"
NO_SIGN = "begin every reply with =, then the word if one is requested, as in '= TD'; then an empty line"
ONE_LINE_LATE = (
    "read each line without waiting for the one after it: input ('', 's') in place of fgetl in Octave, "
    "mawk -W interactive"
)
SLOW_START = (
    "it was still computing: start faster, or check it with a longer --start-time, such as 30s for JRuby, "
    "Jython and ABCL; a season's file has start_time"
)
SLOW_START_OF_SENT = "it was still computing: start faster, in less than the season's start_time"
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
CALLS = {
    "memfd_create": "its memory may not be a file (memfd_create is refused): java -XX:+UseSerialGC or "
    "-XX:+UseG1GC in place of ZGC"
}
"""The advice to a program that ended after this call was refused."""
ID = re.compile(rb"=\d+ +\S+\s*")
"""An answer with a command number, as in GTP."""


def flush_advice(player: Player) -> str:
    """Return the advice to flush, in the language of a player's program if its interpreter is known."""
    words, program = list(player.command[:1]), player.command[0]
    with suppress(OSError), open(program, "rb") as file:
        words += first_words(file.readline(LONGEST_LINE))
    names = (NAME_OF_PROGRAM.match(Path(word).name) for word in words)
    known = (FLUSHES[name[0]] for name in names if name and name[0] in FLUSHES)
    return f"{FLUSH}: {next(known, FLUSHES_OF_COMPILED)}"


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
        said = f"{forfeit.private}\n{record.bots[forfeit.seat].stderr_tail}".encode(errors="replace")
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
