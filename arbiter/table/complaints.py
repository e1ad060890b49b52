"""What programs write when they get no memory.

Told by the words of common runtimes on either stream. A bot that writes them without need gains nothing: it
has failed already.
"""

from __future__ import annotations

import re

MEMORY = re.compile(
    rb"MemoryError|bad_alloc|out ?of ?memory|(?:insufficient|not enough) memory|not enough space"
    rb"|allocate memory|(?:cannot|could not|unable to) (?:allocate|reserve)|memory allocation of",
    re.IGNORECASE,
)


def tells_of_memory(said: bytes | bytearray) -> bool:
    """True if a program wrote that it could get no memory."""
    return MEMORY.search(said) is not None
