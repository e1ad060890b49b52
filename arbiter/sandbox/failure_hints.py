"""Recognise error messages of programs that met a limit or a refusal of their tier, and give hints.

The patterns match messages of common runtimes on either stream. A bot that fakes one gains nothing: it has
failed already, and a lack of memory is accepted only if it used much (`ending`).
"""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from arbiter.sandbox.forkserver import MOST_DESCRIPTORS, SCRATCH_BYTES
from arbiter.sandbox.syscall_numbers import call_name, is_process_start

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

PLAIN = "plain"
"""The tier that refuses nothing."""
MEMORY = re.compile(
    rb"MemoryError|bad_alloc|out ?of ?memory|(?:insufficient|not enough) memory|not enough space"
    rb"|allocate memory|(?:cannot|could not|unable to) (?:allocate|reserve)|memory allocation of",
    re.IGNORECASE,
)
FORBIDDEN = re.compile(
    rb"PermissionError|Operation not permitted|Permission denied|Read-only file system"
    rb"|\b(?:EPERM|EACCES|EROFS)\b",
    re.IGNORECASE,
)
NOT_FOUND = re.compile(
    rb"ModuleNotFoundError|No module named|ClassNotFoundException|NoClassDefFoundError"
    rb"|Could not find or load main class|Unable to access jarfile|Cannot find (?:module|package)"
    rb"|ERR_MODULE_NOT_FOUND|module '\S+' not found"
    rb"|cannot open shared object file|Can't locate \S+ in @INC"
)
"""Missing modules, classes and libraries: runtimes skip folders that they may not read."""
ABSENT = re.compile(
    rb"No such file or directory|FileNotFoundError|NoSuchFileException|\bENOENT\b", re.IGNORECASE
)
"""Missing files: a hidden file looks missing."""
ABSENT_FILE = re.compile(
    rb"no such file or directory(?:, \w+)?:? '(?P<quoted>[^'\n]+)'"
    rb"|(?:FileNotFoundException|NoSuchFileException): (?P<java>[^\n(]*[^\n( ])"
    rb"|no such file or directory @ \w+ - (?P<ruby>[^\s(]+)"
    rb"|(?P<before>[^\s:'\"]+)['\"]?: no such file or directory(?!, )",
    re.IGNORECASE,
)
"""The name of a missing file, as Python, Node, Java, Ruby, C, Go, Lua and shells write it."""
LONGEST_NAME = 100
FILE_TOO_LARGE = re.compile(rb"File too large|File size limit exceeded|\bEFBIG\b", re.IGNORECASE)
STREAM = re.compile(rb"/dev/(?:std(?:in|out|err)|fd)\b|/proc/self/fd\b")
NO_TEMPORARY = re.compile(
    rb"No usable temporary directory|(?:create|make) (?:a )?temporary (?:directory|file)", re.IGNORECASE
)
LIMITS = (
    (
        re.compile(rb"Too many open files|\bEMFILE\b", re.IGNORECASE),
        f"it may have {MOST_DESCRIPTORS} files open, and make 64 pipes, one for each (...) of a shell",
    ),
    (FILE_TOO_LARGE, f"its files may have at most {2 * SCRATCH_BYTES >> 20} MB each"),
    (
        re.compile(rb"No space left on device|\bENOSPC\b", re.IGNORECASE),
        f"its temporary folder has {SCRATCH_BYTES >> 20} MB and 1,024 files and folders",
    ),
    (
        re.compile(
            rb"can't start new thread|Resource temporarily unavailable|\bEAGAIN\b"
            rb"|pthread_create|native thread",
            re.IGNORECASE,
        ),
        "it may have 256 threads, with those of processes that it starts",
    ),
)
"""Messages of programs that met a limit, and the limit. All but the first are for confined bots only."""
STACK = "signal 11 also ends a program whose stack outgrows its 64 MB"
REFUSED = (
    "processes after the first reply, sockets, writing but in TMPDIR, and reading outside the bot's folder"
)
NO_PROCESS = "a bot may start 64 processes before its first reply, on a stage, and none later"
READ, SEND = "name files elsewhere in read:", "put all files that it needs into the archive"
NO_STAGE = (
    "a temporary folder exists only on a stage (arbiter isolation); without one, name an existing folder "
    "as the program's cache in env: TORCHINDUCTOR_CACHE_DIR for torch"
)
NO_STREAM = "/dev/stdin does not exist here: use the standard streams, which are open"
NO_TEMPORARY_HERE = "no temporary folder exists here: the program must do without one"


def reports_no_memory(output: bytes | bytearray) -> bool:
    """True if a program reported that it got no memory."""
    return MEMORY.search(output) is not None


def exceeded_limit(exit_code: int, output: bytes, confined: bool) -> str:
    """Return the limit that ended a program with this exit code and output; "" if unknown."""
    if confined and exit_code == -signal.SIGXFSZ:
        return LIMITS[1][1]
    known = LIMITS if confined else LIMITS[:1]
    return next((limit for words, limit in known if words.search(output)), "")


def refused_note(calls: Collection[int]) -> str:
    """Return the note that names refused calls, given by number, and the limit if one starts a process."""
    note = f"system calls refused: {', '.join(map(call_name, calls))}"
    return f"{note}; {NO_PROCESS}" if any(map(is_process_start, calls)) else note


def reports_missing_module(output: bytes) -> bool:
    """True if a program reported a missing module, class or library."""
    return NOT_FOUND.search(output) is not None


def wrong_folder_hint(output: bytes, folder: str) -> str:
    """Return a hint for a program that started in `folder` and missed a file because its path is relative to
    another folder; "" if its last error message is no such case.

    Only paths within the folder are checked, so that authors learn nothing about other files.
    """
    found = [match[match.lastgroup or 0] for match in ABSENT_FILE.finditer(output)]
    name = os.fsdecode(found[-1]) if found else ""
    parts = PurePosixPath(os.path.normpath(name)).parts
    if not name or parts[:1] in ((), ("/",), ("..",)) or _is_in_folder(folder, parts):
        return ""
    nearer = (parts[number:] for number in range(1, len(parts)))
    near = "/".join(next((one for one in nearer if _is_in_folder(folder, one)), ()))
    mend = (
        f"name it {near[:LONGEST_NAME]!a}"
        if near
        else "put the file there, and name it relative to that folder"
    )
    return f"a bot starts in the folder of its program, which has no {name[:LONGEST_NAME]!a}: {mend}"


def _is_in_folder(folder: str, parts: Sequence[str]) -> bool:
    return os.path.lexists(Path(folder, *parts))


def tier_hint(output: bytes, tier: str, sent: bool = False) -> str:
    """Return a hint for a program that ended with this output under a tier; "" if the tier is not the reason.

    `sent` is true for submitted programs, whose authors can only change the archive.
    """
    if tier == PLAIN:
        return ""
    if NO_TEMPORARY.search(output):
        return NO_TEMPORARY_HERE if sent else NO_STAGE
    if STREAM.search(output):
        return NO_STREAM
    missing = reports_missing_module(output) or ABSENT.search(output) is not None
    if not missing and not FORBIDDEN.search(output):
        return ""
    if sent:
        return f"this season refuses {REFUSED}" + (f"; {SEND}" if missing else "")
    refusal = f"the tier {tier} refuses {REFUSED} (docs/howto/sandbox.md)"
    return f"{refusal}; {READ}" if missing else refusal
