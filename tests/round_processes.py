"""Commands of a season: run here, or in processes that are watched until they and all they started have ended."""

from __future__ import annotations

import io
import json
import os
import select
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from arbiter.cli import exit_code
from tests.commands import BOTS, RANDOM
from tests.table.sandbox.attacks import descendants

GONE_WITHIN_MS = 20_000
ROUND_1 = {f"r001/t{table:02d}/m{rotation}" for table in (1, 2) for rotation in range(4)}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Eight players, so eight matches a round, of bots slow enough to be caught at it."""
    return write_config(tmp_path, f"{sys.executable} -I -S {BOTS / 'planning_random.py'}")


@pytest.fixture
def quick_config(tmp_path: Path) -> Path:
    """The same with bots that start and play as quickly as any, for rounds that nobody disturbs."""
    return write_config(tmp_path, RANDOM)


def write_config(folder: Path, bot: str) -> Path:
    """A season of eight `bot`s with seeds of their own."""
    path = folder / "season.yaml"
    lines = [
        "game: {name: planning, deals: [[1, 0], [3, 1]]}",
        "rounds: 2",
        f"seed: {'s' * 32}",
        "isolation: plain",
        "time: 60s",
    ]
    lines += ["start_time: 60s", "players:"]
    for number in range(8):
        command = [*bot.split(), "--seed", str(number)]
        lines.append(f"  - {{name: p{number}, command: {json.dumps(command)}}}")
    path.write_text("\n".join(lines))
    return path


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    """The command, in a process group of its own, as a terminal would run it."""
    return subprocess.Popen(
        [sys.executable, "-m", "arbiter", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def run(*arguments: str | Path) -> tuple[int, str, str]:
    """Run the command in this process: exit code, standard output, standard error."""
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        code = exit_code([str(argument) for argument in arguments])
    assert "Traceback" not in err.getvalue()
    return code, out.getvalue(), err.getvalue()


def watched(pid: int) -> list[int]:
    """Descriptors that tell the end of every descendant of a process."""
    watching = []
    for child in descendants(pid):
        try:
            watching.append(os.pidfd_open(child))
        except ProcessLookupError:
            continue
    return watching


def assert_all_end(watching: list[int]) -> None:
    """Every watched process ends, without anything being sent to it."""
    assert watching
    for descriptor in watching:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        assert poll.poll(GONE_WITHIN_MS), "a process was left behind"
        os.close(descriptor)


def until_a_match_is_stored(process: subprocess.Popen[str]) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("r001/"):
            return
    raise AssertionError("no match was played")


def stored(config: Path) -> dict[str, Any]:
    code, out, err = run("matches", config, "--format", "json")
    assert code == 0, err
    return {match["id"]: match["points"] for match in json.loads(out)}
