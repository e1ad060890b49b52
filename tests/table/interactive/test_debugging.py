"""A bot under a debugger: gdb and pdb can stop it, and no clock runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbiter.cli import exit_code
from arbiter.games.planning import Planning
from arbiter.match.clock import MS, TimeControl
from arbiter.match.position import Position
from arbiter.match.spec import Limits
from arbiter.sandbox.player_command import register
from arbiter.table.interactive.debugging import DebuggedBot
from arbiter.table.interactive.occupants import SeatCommand

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.process

BOT = """
import sys
for line in sys.stdin:
    if line.startswith("gen_"):
        answer = 42
        breakpoint()
        print(f"= {answer}\\n", flush=True)
    else:
        print("=\\n", flush=True)
"""
# Within a millisecond no program starts.
LIMITS = Limits(TimeControl(MS), MS, 400_000_000, isolation="landlock")
POSITION = Position.opening(Planning(deals=[[1, 0]]), "1", 1)


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def bot(tmp_path: Path, said: list[str]) -> Iterator[DebuggedBot]:
    (tmp_path / "bot.py").write_text(BOT)
    command = (sys.executable, "-S", "bot.py")
    made = DebuggedBot("bot", register("bot", command, tmp_path), LIMITS, said.append)
    made.begin(2)
    yield made
    made.end()


def process_id(said: list[str]) -> int:
    found = re.fullmatch(r"seat 2 has process (\d+), in plain isolation and without a clock", said[0])
    assert found is not None
    return int(found[1])


def hear(bot: DebuggedBot, command: str) -> tuple[bytes, object]:
    raw, reply = bot.reply_to(SeatCommand(2, command, MS, POSITION))
    assert reply.charged_ns == 0
    return raw, reply.fault


def test_gdb_attaches_to_the_process_that_is_told_and_the_bot_goes_on(
    bot: DebuggedBot, said: list[str]
) -> None:
    if shutil.which("gdb") is None:
        pytest.skip("no gdb")
    assert hear(bot, "set_players 4 2") == (b"=\n\n", None)
    words = ["gdb", "-nx", "--batch", "-p", str(process_id(said)), "-ex", "info inferiors"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert f"process {process_id(said)}" in done.stdout, done.stderr
    assert f"[Inferior 1 (process {process_id(said)}) detached]" in done.stdout
    assert hear(bot, "time_left 5000") == (b"=\n\n", None)


def test_pdb_stops_the_bot_at_its_breakpoint_and_its_answer_is_awaited(
    bot: DebuggedBot, said: list[str]
) -> None:
    _, _, words = said[2].partition("python3 ")
    terminal = subprocess.Popen(
        [sys.executable, *words.split()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert terminal.stdin is not None
    # The end of input lets the bot go on.
    terminal.stdin.write("answer + 1\nanswer = 7\nwhere\n")
    terminal.stdin.close()
    assert hear(bot, "gen_declare") == (b"= 7\n\n", None)
    bot.end()
    assert terminal.stdout is not None
    with terminal.stdout:
        shown = terminal.stdout.read()
    assert "(Pdb) 43\n" in shown
    assert "bot.py(7)<module>()" in shown
    assert terminal.wait(60) == 0


def test_each_new_process_is_told_and_nothing_is_left_at_the_end(bot: DebuggedBot, said: list[str]) -> None:
    first = process_id(said)
    folder = Path(said[2].split()[-1]).parent
    assert os.stat(folder).st_mode & 0o777 == 0o700
    bot.begin(2)
    assert [line.partition(" has")[0] for line in said if "process" in line] == ["seat 2", "seat 2"]
    assert f"process {first}," not in said[-1]
    bot.end()
    assert not folder.exists()


@pytest.mark.parametrize(("seat", "who"), [("1", "random"), ("1", "human"), ("7", "random")])
def test_a_seat_without_a_program_cannot_be_debugged(
    seat: str, who: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["console", "--game", "planning", "--isolation", "plain", "--seat", f"1={who}", "--debug", seat]
    assert exit_code(words) == 2
    assert f"--debug {seat}: no bot in this seat" in capsys.readouterr().err
