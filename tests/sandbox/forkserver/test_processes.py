"""Processes of a confined bot: started before its first reply, metered as the bot's, ended with it."""

from __future__ import annotations

import errno
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.match.record import Fault
from arbiter.sandbox.bot_family import BotFamily
from arbiter.sandbox.failure_hints import NO_PROCESS
from arbiter.sandbox.forkserver import supervised
from arbiter.sandbox.forkserver.board import Board, new_file, replied_cell, started_cell
from arbiter.sandbox.forkserver.questions import Question
from arbiter.sandbox.forkserver.supervised import MOST_PROCESSES, Supervised, check_clone, check_process_start
from arbiter.sandbox.player_command import register
from tests.fixtures.bot_template import spec_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.match.record import MatchRecord
    from arbiter.table import Conductor

AS_FORK, AS_VFORK = signal.SIGCHLD | 0x120_0000, signal.SIGCHLD | 0x4100
CLONE, NO_LISTENER = 56, -1
on_a_stage = pytest.mark.usefixtures("landlock", "a_stage")
HELPER = """
to, of = os.pipe(), os.pipe()
if os.fork() == 0:
    while os.read(to[0], 1):
        until = time.process_time() + 0.03
        while time.process_time() < until:
            pass
        os.write(of[1], b".")
"""
ASK_HELPER = "os.write(to[1], b'.'); os.read(of[0], 1)"


def supervised_bot(forks: bool = True) -> Supervised:
    bot = Supervised(os.getpid(), 0, {}, [], 0, forks=forks)
    bot.cells = Board(new_file()).cells
    return bot


def clone(flags: int) -> Question:
    return Question(NO_LISTENER, 0, 0, CLONE, (flags, 0, 0, 0, 0, 0))


def test_a_bot_starts_as_many_processes_as_it_may_and_no_more() -> None:
    bot = supervised_bot()
    asked = [check_clone(bot, clone(AS_FORK if number % 2 else AS_VFORK)) for number in range(MOST_PROCESSES)]
    assert (set(asked), check_clone(bot, clone(AS_FORK)), [*bot.refused]) == ({0}, errno.EPERM, [CLONE])


def test_no_process_is_started_after_the_first_reply() -> None:
    bot = supervised_bot()
    assert bot.cells is not None
    bot.cells[replied_cell(0)] = 1
    assert check_process_start(bot, clone(AS_FORK)) == errno.EPERM


def test_no_process_is_started_where_no_namespace_ends_it() -> None:
    assert check_clone(supervised_bot(forks=False), clone(AS_FORK)) == errno.EPERM


@given(st.integers(0, 2**64 - 1))
def test_only_plain_processes_and_plain_threads_are_started(flags: int) -> None:
    plain = {flags & ~supervised.ALSO_OF_A_PROCESS, flags & ~supervised.ALSO_OF_A_THREAD}
    known = {signal.SIGCHLD, AS_VFORK, supervised.OF_A_THREAD}
    assert (check_clone(supervised_bot(), clone(flags)) == 0) == bool(plain & known)


def test_the_time_of_a_child_counts_when_nobody_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    # A bot leads its group; these tests need not lead theirs.
    monkeypatch.setattr("os.getpgid", lambda _: os.getpid())
    board = Board(new_file())
    board.cells[started_cell(0)] = 1
    family = BotFamily(os.getpid(), board, 0)
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(theirs)
        os.read(ours, 1)
        os._exit(0)
    before = family.cpu_ns()
    os.close(ours)
    os.close(theirs)
    os.waitpid(child, 0)
    assert (family.cpu_ns() > before, child in family.living()) == (True, False)


def record_of(
    table: Conductor, bot: Callable[..., Path], early: str = "", each: str = "", **keys: Any
) -> MatchRecord:
    """A match under `landlock` of a bot that misbehaves, against a good one."""
    players = [
        register(name, ("/usr/bin/python3", str(bot(name=name, **parts))), Path("/"))
        for name, parts in (("own", {"early": early, "each": each}), ("other", {}))
    ]
    return table.play(spec_for(tuple(players), deals=[[3, 0]], isolation="landlock", **keys))


@on_a_stage
def test_the_time_of_a_helper_is_charged_to_the_bot(table: Conductor, bot: Callable[..., Path]) -> None:
    record = record_of(table, bot, HELPER, f"if words[0] == 'gen_move': {ASK_HELPER}", clock="cpu")
    charged = [move.charged_ns for move in record.moves if move.seat == 0 and move.request == "gen_move"]
    assert (record.forfeit, min(charged) >= 30_000_000) == (None, True)


@on_a_stage
def test_a_bot_may_signal_its_own_processes_and_no_others(table: Conductor, bot: Callable[..., Path]) -> None:
    early = """
import ctypes
child = os.fork()
if child == 0:
    print("timer", ctypes.CDLL(None).timer_create(1, None, ctypes.byref(ctypes.c_void_p())), file=sys.stderr)
    os.kill(os.getpid(), signal.SIGTERM)
print("child", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), file=sys.stderr)
for other in (1, -1, os.getpid() + 50):
    try:
        os.kill(other, 0)
        print("others: allowed", file=sys.stderr)
    except PermissionError:
        pass
"""
    assert record_of(table, bot, early).bots[0].stderr_tail == "timer -1\nchild -15\n"


@on_a_stage
def test_a_process_that_is_asked_for_during_a_match_is_refused_and_named(
    table: Conductor, bot: Callable[..., Path]
) -> None:
    record = record_of(table, bot, each="if words[0] == 'gen_move': os.fork()")
    assert record.forfeit is not None
    assert (record.forfeit.fault, record.bots[0].notes[-1]) == (
        Fault.CRASH,
        f"system calls refused: clone; {NO_PROCESS}",
    )


@on_a_stage
def test_a_process_that_outlives_its_bot_does_not_outlive_the_match(
    table: Conductor, bot: Callable[..., Path], tmp_path: Path
) -> None:
    name = f"left-{os.getpid()}"
    early = f"""
if os.fork() == 0:
    os.execv("/bin/sleep", ["{name}", "600"])
time.sleep(0.1)
os._exit(0)
"""
    record = record_of(table, bot, early)
    left = [one for one in Path("/proc").glob("[0-9]*/cmdline") if name.encode() in _content(one)]
    assert (record.forfeit is not None, left) == (True, [])


@on_a_stage
@pytest.mark.parametrize("last", ["exec /usr/bin/python3", "/usr/bin/python3"])
def test_a_start_script_may_use_programs_and_pipes(
    table: Conductor, bot: Callable[..., Path], tmp_path: Path, last: str
) -> None:
    started = bot()
    script = tmp_path / "start.sh"
    script.write_text(
        f'#!/bin/sh\ncd "$(dirname "$0" | cat)"\nreadlink /proc/self/exe >&2\n{last} {started}\n'
    )
    script.chmod(0o755)
    players = (
        register("own", (str(script),), tmp_path),
        register("other", ("/usr/bin/python3", str(started)), tmp_path),
    )
    record = table.play(spec_for(players, deals=[[1, 0]], isolation="landlock"))
    assert (record.forfeit, record.bots[0].stderr_tail) == (None, "/usr/bin/readlink\n")


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
