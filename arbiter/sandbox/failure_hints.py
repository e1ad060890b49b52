"""The complaints of programs that get no memory, or that their tier hides or refuses something, and advice.

Recognised by the words of common runtimes on either stream. A bot that writes them without need gains
nothing: it has failed already, and is believed of memory only if it had much (`ending`).
"""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from arbiter.sandbox.forkserver import MOST_DESCRIPTORS, SCRATCH_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

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
"""Modules, classes and libraries: runtimes pass over folders that they may not read."""
ABSENT = re.compile(
    rb"No such file or directory|FileNotFoundError|NoSuchFileException|\bENOENT\b", re.IGNORECASE
)
"""Files: what a tier hides is not there."""
ABSENT_FILE = re.compile(
    rb"no such file or directory(?:, \w+)?:? '(?P<quoted>[^'\n]+)'"
    rb"|(?:FileNotFoundException|NoSuchFileException): (?P<java>[^\n(]*[^\n( ])"
    rb"|no such file or directory @ \w+ - (?P<ruby>[^\s(]+)"
    rb"|(?P<before>[^\s:'\"]+)['\"]?: no such file or directory(?!, )",
    re.IGNORECASE,
)
"""Its name, as Python, Node, Java and Ruby write it, and C, Go, Lua and shells."""
LONGEST_NAME = 100
FILE_TOO_LARGE = re.compile(rb"File too large|File size limit exceeded|\bEFBIG\b", re.IGNORECASE)
STREAM = re.compile(rb"/dev/(?:std(?:in|out|err)|fd)\b|/proc/self/fd\b")
NO_TEMPORARY = re.compile(
    rb"No usable temporary directory|(?:create|make) (?:a )?temporary (?:directory|file)", re.IGNORECASE
)
LIMITS = (
    (
        re.compile(rb"Too many open files|\bEMFILE\b", re.IGNORECASE),
        f"it may have {MOST_DESCRIPTORS} files open, and make 64 pipes",
    ),
    (FILE_TOO_LARGE, f"no file of its own may be longer than {2 * SCRATCH_BYTES >> 20} MB"),
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
        "it may have 256 threads",
    ),
)
"""The words of a program that met a limit, and the limit. All but the first are of confined bots alone."""
STACK = "signal 11 also ends a program whose stack outgrows its 64 MB"
REFUSED = "processes, sockets, writing but in TMPDIR, and reading outside the bot's folder"
READ, SEND = "what lies elsewhere has to be named in read:", "what it needs has to lie in the archive"
NO_STAGE = (
    "there is a temporary folder only on a stage (arbiter isolation); without one name a folder that is "
    "there as the program's cache, in env: TORCHINDUCTOR_CACHE_DIR for torch"
)
NO_STREAM = "there is no /dev/stdin here: read and write the standard streams, which are open"
NO_TEMPORARY_HERE = "there is no temporary folder here: let the program do without one"


def tells_of_memory(said: bytes | bytearray) -> bool:
    """True if a program wrote that it could get no memory."""
    return MEMORY.search(said) is not None


def limit_met(exit_code: int, said: bytes, confined: bool) -> str:
    """Return which limit a program met that ended so with these words; "" if none is known to be why."""
    if confined and exit_code == -signal.SIGXFSZ:
        return LIMITS[1][1]
    known = LIMITS if confined else LIMITS[:1]
    return next((limit for words, limit in known if words.search(said)), "")


def tells_of_module(said: bytes) -> bool:
    """True if a program wrote that a module, a class or a library of it is not there."""
    return NOT_FOUND.search(said) is not None


def misplaced(said: bytes, folder: str) -> str:
    """Return advice for a program that started in `folder` and missed a file that it names from elsewhere; ""
    where its last words are no complaint about that.

    Only what would lie in the folder is looked for, so that no author learns what there is besides.
    """
    found = [match[match.lastgroup or 0] for match in ABSENT_FILE.finditer(said)]
    name = os.fsdecode(found[-1]) if found else ""
    parts = PurePosixPath(os.path.normpath(name)).parts
    if not name or parts[:1] in ((), ("/",), ("..",)) or _is_in(folder, parts):
        return ""
    nearer = (parts[number:] for number in range(1, len(parts)))
    near = "/".join(next((one for one in nearer if _is_in(folder, one)), ()))
    mend = (
        f"name it {near[:LONGEST_NAME]!a}" if near else "put the file there, and name it from that folder on"
    )
    return f"a bot starts in the folder of its program, which has no {name[:LONGEST_NAME]!a}: {mend}"


def _is_in(folder: str, parts: Sequence[str]) -> bool:
    return os.path.lexists(Path(folder, *parts))


def advice(said: bytes, tier: str, sent: bool = False) -> str:
    """Return advice for a program that ended with these words under a tier; "" if that is no reason to fail.

    `sent` is true of what an author sends to a site, who has the archive alone to change.
    """
    if tier == PLAIN:
        return ""
    if NO_TEMPORARY.search(said):
        return NO_TEMPORARY_HERE if sent else NO_STAGE
    if STREAM.search(said):
        return NO_STREAM
    missing = tells_of_module(said) or ABSENT.search(said) is not None
    if not missing and not FORBIDDEN.search(said):
        return ""
    if sent:
        return f"this season refuses {REFUSED}" + (f"; {SEND}" if missing else "")
    refusal = f"the tier {tier} refuses {REFUSED} (docs/howto/sandbox.md)"
    return f"{refusal}; {READ}" if missing else refusal
