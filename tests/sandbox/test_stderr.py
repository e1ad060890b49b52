"""Standard error, and when what was written to it was written."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from arbiter.match.record import Fault
from arbiter.sandbox import stderr
from arbiter.sandbox.stderr import DURING, LOOKED_AT, SINCE, STDERR_HEAD, STDERR_TAIL, StandardError
from tests.fixtures.bot_template import against

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from arbiter.table import Conductor


class Pipe:
    """A bot's end of standard error, and ours."""

    def __init__(self, ends: tuple[int, int]) -> None:
        self.read, self.write = ends
        os.set_blocking(self.read, False)
        self.error = StandardError(self.read)

    def written(self, text: str, when: str, *, requested: bool = False) -> None:
        os.write(self.write, text.encode())
        if requested:
            self.error.begin_request()
        self.error.mark_output(when)


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    ends = os.pipe()
    yield Pipe(ends)
    for end in ends:
        os.close(end)


def test_each_piece_is_marked_with_the_move_that_it_belongs_to(pipe: Pipe) -> None:
    pipe.written("starting\n", SINCE)
    pipe.written("hm\n", DURING, requested=True)
    pipe.written("heard\n", SINCE)
    pipe.written("", DURING, requested=True)
    pipe.written("at last\n", DURING, requested=True)
    assert list(pipe.error.marks([3, 7, 11], 12)) == [(9, DURING, 3), (12, SINCE, 3), (18, DURING, 11)]


def test_a_line_from_before_the_last_request_is_named_as_such(pipe: Pipe) -> None:
    pipe.written("dealt\n", DURING, requested=True)
    assert pipe.error.explanation == "dealt"
    pipe.written("", DURING, requested=True)
    assert pipe.error.explanation == "last line of standard error, from before this request: dealt"
    pipe.written("boom\n", DURING)
    assert pipe.error.explanation == "boom"


def test_many_writes_in_one_place_are_one_mark(pipe: Pipe) -> None:
    pipe.error.requests = 1
    for _ in range(100):
        pipe.written("x", DURING)
    assert len(pipe.error._marks) == 1
    assert list(pipe.error.marks([7], 8)) == [(0, DURING, 7)]


def test_a_request_without_an_answer_is_the_one_that_the_fault_ended(pipe: Pipe) -> None:
    pipe.written("hm\n", DURING, requested=True)
    pipe.written("alas\n", SINCE, requested=True)
    assert list(pipe.error.marks([3], 9)) == [(0, DURING, 3), (3, DURING, 9)]


def test_offsets_count_characters_of_the_tail_that_is_kept(pipe: Pipe) -> None:
    pipe.written("x" * 100, DURING, requested=True)
    pipe.written("é" * (STDERR_TAIL // 2 - 10), DURING, requested=True)
    pipe.written("end", DURING, requested=True)
    tail = pipe.error.tail.decode()
    (first, second, third) = pipe.error.marks([1, 2, 3], 4)
    assert (first, second[1:], third[1:]) == ((0, DURING, 1), (DURING, 2), (DURING, 3))
    assert tail[second[0] : third[0]] == "é" * (STDERR_TAIL // 2 - 10)
    pipe.written("y" * STDERR_TAIL, SINCE)
    assert list(pipe.error.marks([1, 2, 3], 4)) == [(0, SINCE, 3)]


def test_the_beginning_is_kept_beside_the_end_and_what_is_left_out_is_counted(pipe: Pipe) -> None:
    pipe.written("a" * 100 + "b" * (STDERR_TAIL - 100), SINCE)
    assert pipe.error.head == b""
    pipe.written("c" * 100, SINCE)
    assert (pipe.error.head, pipe.error.tail[:1]) == (b"a" * 100, b"b")
    pipe.written("d" * STDERR_TAIL, SINCE)
    first = b"a" * 100 + b"b" * (STDERR_HEAD - 100)
    assert pipe.error.head == first + b"\n[%d bytes left out]\n" % (STDERR_TAIL + 100 - STDERR_HEAD)


def test_no_more_is_read_than_a_match_may_have(pipe: Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stderr, "STDERR_LIMIT", 100)
    pipe.written("x" * 99, SINCE)
    assert not pipe.error.is_full
    pipe.written("y", DURING, requested=True)
    assert pipe.error.is_full
    assert not pipe.error.drain()


@pytest.mark.process
def test_a_bot_that_waits_for_its_standard_error_to_be_read_hears_why(
    table: Conductor, bot: Callable[..., Path]
) -> None:
    record = table.play(
        against(bot("", "while words[0] == 'gen_move': sys.stderr.write('x' * 65536)"), "200ms")
    )
    assert record.forfeit is not None
    assert record.forfeit.fault is Fault.TIMEOUT
    assert record.forfeit.reason.endswith(f"; {stderr.FULL}")
    assert stderr.FULL in record.bots[1].notes


@pytest.mark.process
def test_a_record_tells_during_which_move_its_bot_wrote(table: Conductor, bot: Callable[..., Path]) -> None:
    each = (
        # So that its replies to news are waited for on the long path.
        "if words[0] == 'declare': time.sleep(0.001)\n"
        "hold = globals().setdefault('hold', [0])\n"
        "if words[0].startswith('gen_'):\n"
        "    hold[0] += 1\n"
        "    print(f'request {hold[0]}', file=sys.stderr, flush=True)\n"
        "    if hold[0] == 4: sys.exit(3)"
    )
    record = table.play(against(bot("print('hello', file=sys.stderr, flush=True)", each)))
    report = record.bots[1]
    own = [number for number, move in enumerate(record.moves, 1) if move.seat == 1]
    assert report.stderr_tail == "hello\n" + "".join(f"request {number}\n" for number in range(1, 5))
    # Only a bot that has written before is watched closely enough to tell an answer from what follows it.
    (first, *others) = report.stderr_at
    assert first[0] == 6
    assert first[2] == own[0]
    assert others == [(16, "during", own[1]), (26, "during", own[2]), (36, "during", len(record.moves) + 1)]
    assert record.bots[0].stderr_at == ()


def test_of_a_python_that_died_as_it_started_the_error_is_the_last_line(pipe: Pipe) -> None:
    died = (
        "Fatal Python error: init_fs_encoding: no codec\nModuleNotFoundError: No module named 'encodings'\n\n"
    )
    pipe.written(f"{died}Current thread 0x1 (most recent call first):\n  <no Python frame>\n", DURING)
    hint = "name its interpreter in command, or the interpreter's folder in read"
    assert pipe.error.error_line == (
        f"Fatal Python error: init_fs_encoding: no codec; its Python finds no library: {hint}"
    )


TRACES = {
    "Node": ("x.js:1\nthrow new Error('boom')\n^\n\nError: boom\n    at f (x.js:1:7) {\n  code: 'X'\n}\n\nNode.js v20.20.2\n", "Error: boom"),
    "Bun": ("1 | throw x\n    ^\nerror: boom\n      at x.js:1:7\n\nBun v1.4.5 (Linux x64)\n", "error: boom"),
    "Java": ('Exception in thread "main" A: a\n\tat Bot.main(Bot.java:3)\nCaused by: B: b\n\t... 1 more\n', "Caused by: B: b"),
    "Java's start": ("Unrecognized VM option 'UseXGC'\nError: Could not create the Java Virtual Machine.\nError: A fatal exception has occurred. Program will exit.\n", "Unrecognized VM option 'UseXGC'"),
    "Go": ("panic: boom\n\ngoroutine 1 [running]:\nmain.f(...)\n\t/b.go:3\nmain.main()\n\t/b.go:3 +0x125\nexit status 2\n", "panic: boom"),
    "Rust": ("\nthread 'main' panicked at a.rs:2:5:\nboom\nnote: run with `RUST_BACKTRACE=1`\n", "thread 'main' panicked at a.rs:2:5: boom"),
    ".NET": ("Unhandled exception. System.Exception: boom\n   at Program.Main() in /p.cs:line 3\n", "Unhandled exception. System.Exception: boom"),
    "Ruby": ("bot.rb:1:in `f': boom (RuntimeError)\n\tfrom bot.rb:3:in `<main>'\n", "bot.rb:1:in `f': boom (RuntimeError)"),
    "Haskell": ("bot: boom\nCallStack (from HasCallStack):\n  error, called at bot.hs:1:8 in main:Main\n", "bot: boom"),
    "Python": ("Traceback (most recent call last):\n  File x\nKeyError: 1\n\nDuring handling:\n\nmine.Bad: 2\n", "mine.Bad: 2"),
    "Lua": ("lua: b.lua:1: boom\nstack traceback:\n\t[C]: in function 'error'\n", "lua: b.lua:1: boom"),
    "a trace alone": ("   at a\n   at b\n", "at b"),
}  # fmt: skip


@pytest.mark.parametrize("runtime", TRACES)
def test_the_line_of_an_error_is_found_in_the_trace_of_a_runtime(runtime: str, pipe: Pipe) -> None:
    text, line = TRACES[runtime]
    pipe.written(text, SINCE)
    assert pipe.error.error_line == line


def test_an_error_before_a_trace_longer_than_the_tail_is_found(pipe: Pipe) -> None:
    pipe.written("java.lang.StackOverflowError\n" + "\tat Bot.f(Bot.java:3)\n" * 1024, SINCE)
    assert pipe.error.error_line == "java.lang.StackOverflowError"


CALLS = "".join(
    f"\tat bot.Engine$$anonfun$search${call}.apply(Engine.scala:3)\n" for call in range(3 * LOOKED_AT // 50)
)


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("loaded\njava.lang.StackOverflowError\n", "java.lang.StackOverflowError"),
        ("x\n" * STDERR_HEAD, "at end()"),
    ],
)
def test_an_error_before_a_trace_of_any_length_is_found_at_the_beginning(
    before: str, line: str, pipe: Pipe
) -> None:
    for part in (before, *(CALLS[at : at + 4096] for at in range(0, len(CALLS), 4096)), "\tat end()\n"):
        pipe.written(part, SINCE)
    assert pipe.error.error_line == line
