"""What helps a program, by the words that it ended with."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from arbiter.sandbox.failure_hints import (
    NO_STAGE,
    NO_STREAM,
    READ,
    exceeded_limit,
    reports_no_memory,
    tier_hint,
    wrong_folder_hint,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("said", "tells"),
    [
        (b'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space', True),
        (b"Error occurred during initialization of VM\nCould not reserve enough space for 2097152KB object heap", True),
        (b"Could not allocate compressed class space: 1073741824 bytes", True),
        (b"os::commit_memory(0x7f, 6193152, 0) failed; error='Not enough space' (errno=12)", True),
        (b"# There is insufficient memory for the Java Runtime Environment to continue.", True),
        (b"FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory", True),
        (b"fatal error: runtime: out of memory", True),
        (b"fatal error: runtime: cannot allocate memory", True),
        (b"MemoryError", True),
        (b"numpy._core._exceptions._ArrayMemoryError: Unable to allocate 7.45 GiB for an array", True),
        (b"DefaultCPUAllocator: can't allocate memory: you tried to allocate 4000000000 bytes", True),
        (b"terminate called after throwing an instance of 'std::bad_alloc'", True),
        (b"memory allocation of 800000000 bytes failed", True),
        (b"lua5.4: not enough memory", True),
        (b"Out of memory!", True),
        (b"bash: xrealloc: cannot allocate 18446744071562067968 bytes", True),
        *((said, False) for said in (b"= TD", b"KeyError: 'memory'", b"allocated 3 cards", b"No space left on device")),
    ],
)  # fmt: skip
def test_the_words_of_runtimes_that_lack_memory_are_known(said: bytes, tells: bool) -> None:
    assert reports_no_memory(said) == tells


@pytest.mark.parametrize(
    ("exit_code", "said", "limit", "unconfined"),
    [
        (1, b"OSError: [Errno 27] File too large", "its files may have at most 32 MB each", False),
        (-signal.SIGXFSZ, b"", "its files may have at most 32 MB each", False),
        (1, b"OSError: [Errno 28] No space left on device", "16 MB and 1,024 files", False),
        (1, b"RuntimeError: can't start new thread", "256 threads", False),
        (1, b"BlockingIOError: [Errno 11] Resource temporarily unavailable", "256 threads", False),
        (1, b"java.lang.OutOfMemoryError: unable to create native thread", "256 threads", False),
        (1, b"OSError: [Errno 24] Too many open files: 'x'", "255 files open", True),
        (1, b"ValueError: no such card", "", False),
    ],
)
def test_a_limit_that_ended_a_program_is_named_where_the_machines_own_is_not_meant(
    exit_code: int, said: bytes, limit: str, unconfined: bool
) -> None:
    found = exceeded_limit(exit_code, said, confined=True)
    assert limit in found
    assert bool(found) == bool(limit)
    assert bool(exceeded_limit(exit_code, said, confined=False)) == unconfined


HIDES = (
    "the tier landlock refuses processes after the first reply, sockets, writing but in TMPDIR, and reading outside"
    " the bot's folder (docs/howto/sandbox.md)"
)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (b"ModuleNotFoundError: No module named 'cards'", f"{HIDES}; {READ}"),
        (b"Caused by: java.lang.ClassNotFoundException: com.google.gson.Gson", f"{HIDES}; {READ}"),
        (b"Error: Unable to access jarfile /srv/bot.jar", f"{HIDES}; {READ}"),
        (b"Error: Cannot find module '/srv/lib/cards.js'", f"{HIDES}; {READ}"),
        (b"error while loading shared libraries: libcards.so: cannot open shared object file", f"{HIDES}; {READ}"),
        (b"Can't locate Cards.pm in @INC", f"{HIDES}; {READ}"),
        (b"bot.lua:1: module 'cards' not found:", f"{HIDES}; {READ}"),
        (b"FileNotFoundError: '/usr/share/dict/words'", f"{HIDES}; {READ}"),
        (b"No such file or directory: '/dev/stdin'", NO_STREAM),
        (b"sh: cannot create /dev/stderr", NO_STREAM),
        (b"PermissionError: [Errno 13] Permission denied", HIDES),
        (b"FileNotFoundError: [Errno 2] No usable temporary directory found in ['/tmp', '/var/tmp']", NO_STAGE),
        (b"IndexError: list index out of range", ""),
    ],
)  # fmt: skip
def test_what_a_tier_may_hide_or_refuse_has_advice(said: bytes, told: str) -> None:
    assert tier_hint(said, "landlock") == told
    assert tier_hint(said, "plain") == ""


@pytest.mark.parametrize(
    "said",
    [
        b"FileNotFoundError: [Errno 2] No such file or directory: 'bots/ann/cards.txt'",
        b"Error: ENOENT: no such file or directory, open 'bots/ann/cards.txt'",
        b"java.io.FileNotFoundException: bots/ann/cards.txt (No such file or directory)",
        b"java.nio.file.NoSuchFileException: bots/ann/cards.txt\n\tat Main.main",
        b"No such file or directory @ rb_sysopen - bots/ann/cards.txt (Errno::ENOENT)",
        b"bots/ann/cards.txt: No such file or directory",
        b"panic: open bots/ann/cards.txt: no such file or directory",
        b"lua: bot.lua:1: bots/ann/cards.txt: No such file or directory",
    ],
)
def test_a_path_from_another_folder_is_told_where_a_bot_starts(said: bytes, tmp_path: Path) -> None:
    starts = "a bot starts in the folder of its program, which has no 'bots/ann/cards.txt': "
    assert (
        wrong_folder_hint(said, str(tmp_path))
        == f"{starts}put the file there, and name it relative to that folder"
    )
    (tmp_path / "cards.txt").touch()
    assert wrong_folder_hint(said, str(tmp_path)) == f"{starts}name it 'cards.txt'"


@pytest.mark.parametrize(
    "name", ["/usr/share/dict/words", "../rival/cards.txt", "a/../../cards.txt", "cards.txt"]
)
def test_what_is_elsewhere_or_there_is_no_misplaced_file(name: str, tmp_path: Path) -> None:
    (tmp_path / "cards.txt").touch()
    assert wrong_folder_hint(f"{name}: No such file or directory".encode(), str(tmp_path)) == ""
