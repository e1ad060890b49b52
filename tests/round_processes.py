"""Commands of a season: run here, or in processes that are watched until they and all they started have ended."""

from __future__ import annotations

import io
import json
import os
import re
import select
import subprocess
import sys
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.cli import exit_code
from arbiter.table.meter import descendants_of
from tests.commands import RANDOM

if TYPE_CHECKING:
    from collections.abc import Iterator

GONE_WITHIN_MS = 20_000
ROUND_1 = {f"r001/t{table:02d}/m{rotation}" for table in (1, 2) for rotation in range(4)}


GATE = """
for match in {matches}; do mkdir "{folder}/match-$match" 2>/dev/null && exec "$@"; done
[ -p "{folder}/gate" ] && read -r _ <"{folder}/gate"
exec "$@"
"""
"""Starts a bot; but while there is a gate, only for so many matches, and stands still in the next."""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Eight players, so eight matches a round, of which one stands still at a gate until that is opened."""
    return with_gate(write_config(tmp_path), matches=1)


@pytest.fixture
def quick_config(tmp_path: Path) -> Path:
    """The same for rounds that nobody disturbs."""
    return write_config(tmp_path)


def with_gate(config: Path, matches: int) -> Path:
    """A season whose player p0 stands still after so many matches."""
    os.mkfifo(config.parent / "gate")
    script = GATE.format(matches=" ".join(map(str, range(matches))), folder=config.parent)
    command = [*RANDOM.split(), "--seed", "0"]
    text = config.read_text()
    config.write_text(text.replace(json.dumps(command), json.dumps(["sh", "-c", script, "p0", *command])))
    return config


@contextmanager
def gate_opened(config: Path) -> Iterator[None]:
    """Let through who stands at the gate, and whoever comes."""
    gate = config.parent / "gate"
    # Opened so, it waits for nobody, and nobody waits for another writer.
    descriptor = os.open(gate, os.O_RDWR)
    os.write(descriptor, b"\n" * 8)
    gate.unlink()
    yield
    os.close(descriptor)


def write_config(folder: Path) -> Path:
    """A season of eight bots with seeds of their own, played by one worker if the command does not say otherwise."""
    path = folder / "season.yaml"
    lines = [
        "game: {name: planning, deals: [[1, 0], [3, 1]]}",
        "rounds: 2",
        f"seed: {'s' * 32}",
        "isolation: plain",
        "workers: 1",
        "time: 60s",
    ]
    lines += ["start_time: 60s", "players:"]
    for number in range(8):
        command = [*RANDOM.split(), "--seed", str(number)]
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
    for child in descendants_of(pid):
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
        if re.match(r"r\d\d\d/", line):
            return
    raise AssertionError("no match was played")


def stored(config: Path) -> dict[str, Any]:
    code, out, err = run("matches", config, "--format", "json")
    assert code == 0, err
    return {match["id"]: match["points"] for match in json.loads(out)["matches"]}
