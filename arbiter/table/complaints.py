"""The complaints of programs that get no memory, or that their tier hides or refuses something, and advice.

Recognised by the words of common runtimes on either stream. A bot that writes them without need gains
nothing: it has failed already.
"""

from __future__ import annotations

import re

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
ABSENT = re.compile(rb"No such file or directory|FileNotFoundError|NoSuchFileException|\bENOENT\b")
"""Files: what a tier hides is not there."""
STREAM = re.compile(rb"/dev/(?:std(?:in|out|err)|fd)\b|/proc/self/fd\b")
NO_TEMPORARY = re.compile(
    rb"No usable temporary directory|(?:create|make) (?:a )?temporary (?:directory|file)", re.IGNORECASE
)
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


def tells_of_module(said: bytes) -> bool:
    """True if a program wrote that a module, a class or a library of it is not there."""
    return NOT_FOUND.search(said) is not None


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
