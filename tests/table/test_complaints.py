"""What helps a program, by the words that it ended with."""

from __future__ import annotations

import pytest

from arbiter.table.complaints import tells_of_memory


@pytest.mark.parametrize(
    "said",
    [
        b'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space',
        b"Error occurred during initialization of VM\nCould not reserve enough space for 2097152KB object heap",
        b"Could not allocate compressed class space: 1073741824 bytes",
        b"os::commit_memory(0x7f, 6193152, 0) failed; error='Not enough space' (errno=12)",
        b"# There is insufficient memory for the Java Runtime Environment to continue.",
        b"FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
        b"fatal error: runtime: out of memory",
        b"fatal error: runtime: cannot allocate memory",
        b"MemoryError",
        b"numpy._core._exceptions._ArrayMemoryError: Unable to allocate 7.45 GiB for an array",
        b"DefaultCPUAllocator: can't allocate memory: you tried to allocate 4000000000 bytes",
        b"terminate called after throwing an instance of 'std::bad_alloc'",
        b"memory allocation of 800000000 bytes failed",
        b"lua5.4: not enough memory",
        b"Out of memory!",
        b"bash: xrealloc: cannot allocate 18446744071562067968 bytes",
    ],
)
def test_runtimes_words_for_want_of_memory_are_known(said: bytes) -> None:
    assert tells_of_memory(said)


@pytest.mark.parametrize(
    "said", [b"= TD", b"KeyError: 'memory'", b"allocated 3 cards", b"No space left on device"]
)
def test_other_words_are_none(said: bytes) -> None:
    assert not tells_of_memory(said)
