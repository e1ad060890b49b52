"""Rounds with real processes, interrupted and gone on with by the same command."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
from pathlib import Path

import pytest

from tests.fixtures.commands import RANDOM
from tests.fixtures.round_processes import (
    GONE_WITHIN_MS,
    ROUND_1,
    assert_all_end,
    config,
    gate_opened,
    quick_config,
    run,
    start,
    stored,
    until_a_match_is_stored,
    watched,
)

__all__ = ["config", "quick_config"]

pytestmark = pytest.mark.process


def test_a_moved_folder_of_bots_stops_the_run_without_a_forfeit_and_moved_back_it_goes_on(
    config: Path, tmp_path: Path
) -> None:
    program, bots = Path(RANDOM.split()[-1]), tmp_path / "bots"
    bots.mkdir()
    shutil.copy(program, bots)
    config.write_text(config.read_text().replace(str(program), str(bots / program.name)))
    process = start("run-round", config)
    until_a_match_is_stored(process)
    bots.rename(tmp_path / "moved")
    with gate_opened(config):
        _, err = process.communicate()
    assert process.returncode == 4
    last = err.splitlines()[-1]
    assert re.match(r"arbiter: match r001/t0\d/m\d was void: player p\d: there is no (program|file) /", last)
    assert err.count("there is no") <= 4
    kept = json.loads(run("matches", config, "--format", "json")[1])["matches"]
    assert [match["fault"] for match in kept] == [None] * len(kept)
    code, _, err = run("run-round", config)
    assert (code, "p1: there is no" in err) == (2, True)
    (tmp_path / "moved").rename(bots)
    assert run("run-round", config)[0] == 0
    assert set(stored(config)) == ROUND_1


def test_several_signals_at_once_end_it_once_and_leave_no_process(config: Path) -> None:
    process = start("run-round", config, "--workers", "2")
    until_a_match_is_stored(process)
    watching = watched(process.pid)
    # Stopped, it gets them together, and none when it has ended but for its interpreter.
    os.kill(process.pid, signal.SIGSTOP)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        os.killpg(process.pid, number)
    os.kill(process.pid, signal.SIGCONT)
    _, err = process.communicate(timeout=GONE_WITHIN_MS / 1000)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "arbiter: interrupted: run the same command again to continue"
    assert "Traceback" not in err
    assert_all_end(watching)
    with gate_opened(config):
        assert run("run-round", config)[0] == 0
    assert set(stored(config)) == ROUND_1


def test_stop_ends_a_season_in_good_order_and_the_same_command_goes_on(quick_config: Path) -> None:
    config = quick_config
    config.write_text(config.read_text().replace("rounds: 2", "rounds: 500"))
    process = start("run-season", config, "--workers", "2")
    assert process.stderr is not None
    next(line for line in process.stderr if "round 1:" in line and "leads" in line)
    code, _, err = run("stop", config, "--wait")
    assert (code, f"asked process {process.pid} on " in err) == (0, True)
    _, err = process.communicate()
    assert process.returncode == 130
    assert err.splitlines()[-1] == "arbiter: stopped as asked: run the same command again to continue"
    kept = stored(config)
    assert 8 <= len(kept) < 500 * 8
    code, _, err = run("stop", config)
    assert (code, err) == (0, "arbiter: season is not being played\n")
    assert run("run-round", config)[0] == 0
    assert len(stored(config)) % 8 == 0
    assert kept.items() <= stored(config).items()
