"""What a bot's environment says of its limits, and what a Java virtual machine makes of it."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbiter.match.record import Fault
from arbiter.match.spec import Player
from arbiter.sandbox.player_command import register
from arbiter.sandbox.runtimes import settings
from arbiter.table import play_match
from arbiter.table.conductor import close_table, start_request
from tests.fixtures.bot_template import spec_for
from tests.fixtures.commands import BOTS, RANDOM
from tests.fixtures.tiers import need

if TYPE_CHECKING:
    from collections.abc import Iterator

MB = 1_000_000
HUNGRY = """
import java.util.ArrayList;

public class Hungry {
    public static void main(String[] arguments) {
        var kept = new ArrayList<long[]>();
        try {
            while (true) kept.add(new long[1 << 15]);
        } catch (OutOfMemoryError error) {
            kept.clear();
            System.err.println("heap " + Runtime.getRuntime().maxMemory() / 1000000);
        }
        System.exit(3);
    }
}
"""


def test_heaps_are_part_of_the_memory_and_a_bot_has_one_core() -> None:
    told = settings(400 * MB, knows_memory=False, temporary="")
    assert "-XX:MaxRAM=400000000 -XX:MaxRAMPercentage=60" in told.pop("JAVA_TOOL_OPTIONS")
    assert told == {
        "GOMEMLIMIT": "240000000", "OMP_NUM_THREADS": "1", "NODE_OPTIONS": "--max-old-space-size=228",
    }  # fmt: skip


def test_node_is_told_nothing_where_it_sees_the_limit_itself() -> None:
    assert "NODE_OPTIONS" not in settings(400 * MB, knows_memory=True, temporary="")


@pytest.mark.parametrize(("temporary", "named"), [("/tmp", False), ("/dev/shm", True)])
def test_java_is_told_of_a_temporary_folder_where_it_would_not_look(temporary: str, named: bool) -> None:
    found = settings(400 * MB, knows_memory=True, temporary=temporary)
    assert found["TMPDIR"] == temporary
    assert (f"-Djava.io.tmpdir={temporary}" in found["JAVA_TOOL_OPTIONS"]) == named


def test_a_players_own_environment_wins(tmp_path: Path) -> None:
    player = Player("p", ("true",), str(tmp_path), env={"GOMEMLIMIT": "off", "OMP_NUM_THREADS": "4"})
    env = start_request(player, spec_for((player,), isolation="plain").limits)["env"]
    assert (env["GOMEMLIMIT"], env["OMP_NUM_THREADS"]) == ("off", "4")


@pytest.fixture(scope="module")
def hungry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A Java program that takes memory until it gets none."""
    if shutil.which("javac") is None:
        pytest.skip("no Java compiler")
    folder = tmp_path_factory.mktemp("hungry")
    (folder / "Hungry.java").write_text(HUNGRY)
    subprocess.run(["javac", "Hungry.java"], cwd=folder, check=True)
    subprocess.run(["jar", "cfe", "hungry.jar", "Hungry", "Hungry.class"], cwd=folder, check=True)
    yield folder / "hungry.jar"
    close_table()


@pytest.mark.process
@pytest.mark.parametrize("memory", [100, 400])
@pytest.mark.parametrize("tier", ["plain", "landlock"])
def test_java_starts_and_its_heap_ends_before_the_bots_memory_does(
    tier: str, memory: int, hungry: Path
) -> None:
    need(tier)
    java = register("java", ("java", "-jar", str(hungry)), hungry.parent)
    other = register("other", tuple(RANDOM.split()), BOTS)
    record = play_match(
        spec_for(
            (java, replace(other, name="other")), "20s", [[1, 0]], memory_bytes=memory * MB, isolation=tier
        )
    )
    heap = int(record.bots[0].stderr_tail.rpartition("heap ")[2])
    assert (0.35 if memory == 100 else 0.55) < heap / memory < 0.65
    # Its output ends before the process does, which on a busy machine is not waited for.
    assert record.bots[0].exit in (3, None)
    assert record.forfeit is not None
    assert record.forfeit.fault is Fault.CRASH


@pytest.mark.process
@pytest.mark.skipif(not shutil.which("java"), reason="no java")
def test_warnings_of_java_do_not_reach_standard_output() -> None:
    env = settings(400 * MB, knows_memory=True, temporary="") | {"PATH": os.environ["PATH"]}
    done = subprocess.run(
        ["java", "-XX:+UseLargePages", "-version"],
        env=env,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"")
