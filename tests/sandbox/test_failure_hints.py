"""What helps a program, by the words that it ended with."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from arbiter.sandbox.failure_hints import (
    NO_STAGE,
    NO_STREAM,
    READ,
    advice,
    limit_met,
    misplaced,
    tells_of_memory,
)

if TYPE_CHECKING:
    from pathlib import Path


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
    ("exit_code", "said", "limit"),
    [
        (1, b"OSError: [Errno 27] File too large", "no file of its own may be longer than 32 MB"),
        (-signal.SIGXFSZ, b"", "no file of its own may be longer than 32 MB"),
        (1, b"OSError: [Errno 28] No space left on device", "16 MB and 1,024 files"),
        (1, b"RuntimeError: can't start new thread", "256 threads"),
        (1, b"BlockingIOError: [Errno 11] Resource temporarily unavailable", "256 threads"),
        (1, b"java.lang.OutOfMemoryError: unable to create native thread", "256 threads"),
        (1, b"OSError: [Errno 24] Too many open files: 'x'", "255 files open"),
        (1, b"ValueError: no such card", ""),
    ],
)
def test_a_limit_that_ended_a_program_is_named(exit_code: int, said: bytes, limit: str) -> None:
    found = limit_met(exit_code, said, confined=True)
    assert limit in found
    assert bool(found) == bool(limit)


def test_what_is_not_confined_meets_the_machines_limits() -> None:
    assert limit_met(1, b"No space left on device", confined=False) == ""
    assert limit_met(-signal.SIGXFSZ, b"", confined=False) == ""
    assert limit_met(1, b"Too many open files", confined=False)


@pytest.mark.parametrize(
    "said", [b"= TD", b"KeyError: 'memory'", b"allocated 3 cards", b"No space left on device"]
)
def test_other_words_are_none(said: bytes) -> None:
    assert not tells_of_memory(said)


@pytest.mark.parametrize(
    "said",
    [
        b"ModuleNotFoundError: No module named 'cards'",
        b"Caused by: java.lang.ClassNotFoundException: com.google.gson.Gson",
        b"Error: Unable to access jarfile /srv/bot.jar",
        b"Error: Cannot find module '/srv/lib/cards.js'",
        b"error while loading shared libraries: libcards.so: cannot open shared object file",
        b"Can't locate Cards.pm in @INC",
        b"bot.lua:1: module 'cards' not found:",
    ],
)
def test_what_a_tier_may_hide_is_to_be_named(said: bytes) -> None:
    assert advice(said, "landlock").endswith(READ)
    assert advice(said, "plain") == ""


@pytest.mark.parametrize(
    "said", [b"No such file or directory: '/dev/stdin'", b"sh: cannot create /dev/stderr"]
)
def test_who_wants_a_standard_stream_by_name_is_told_that_it_is_open(said: bytes) -> None:
    assert advice(said, "landlock") == NO_STREAM


def test_a_file_that_is_not_there_may_be_hidden() -> None:
    assert advice(b"FileNotFoundError: '/usr/share/dict/words'", "landlock").endswith(READ)


def test_a_refusal_is_told_what_is_refused() -> None:
    assert advice(b"PermissionError: [Errno 13] Permission denied", "landlock") == (
        "the tier landlock refuses processes, sockets, writing but in TMPDIR, and reading outside the bot's folder"
        " (docs/howto/sandbox.md)"
    )


def test_want_of_a_temporary_folder_is_told_its_cure() -> None:
    said = b"FileNotFoundError: [Errno 2] No usable temporary directory found in ['/tmp', '/var/tmp']"
    assert advice(said, "landlock") == NO_STAGE


def test_other_ends_need_no_advice() -> None:
    assert advice(b"IndexError: list index out of range", "landlock") == ""


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
    assert misplaced(said, str(tmp_path)) == f"{starts}put the file there, and name it from that folder on"
    (tmp_path / "cards.txt").touch()
    assert misplaced(said, str(tmp_path)) == f"{starts}name it 'cards.txt'"


@pytest.mark.parametrize(
    "name", ["/usr/share/dict/words", "../rival/cards.txt", "a/../../cards.txt", "cards.txt"]
)
def test_what_is_elsewhere_or_there_is_no_misplaced_file(name: str, tmp_path: Path) -> None:
    (tmp_path / "cards.txt").touch()
    assert misplaced(f"{name}: No such file or directory".encode(), str(tmp_path)) == ""
