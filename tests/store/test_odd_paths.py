"""A season whose path holds what addresses give a meaning to: it is played and read as any other."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arbiter.errors import ConfigError
from arbiter.store import Store
from arbiter.store.address import check_no_query
from tests.fixtures.commands import RANDOM
from tests.fixtures.records import record
from tests.fixtures.round_processes import run

ODD = "50% of? it #1 & co+"


@pytest.mark.process
def test_a_season_of_an_odd_path_is_played_and_read(tmp_path: Path) -> None:
    folder = tmp_path / ODD
    folder.mkdir()
    config = folder / f"{ODD}.yaml"
    players = "\n".join(
        f"  - {{name: p{number}, command: [{', '.join(RANDOM.split())}]}}" for number in range(4)
    )
    config.write_text(
        f"season: s\ngame: {{name: planning, deals: [[1, 0]]}}\nrounds: 1\nisolation: plain\nworkers: 1\n"
        f"seed: {'s' * 32}\nplayers:\n{players}\n"
    )
    code, _, err = run("run-round", config)
    assert code == 0, err
    copy = folder / f"copy {ODD}.sqlite"
    assert run("backup", config, copy)[0] == 0
    table = run("standings", config)
    assert table[0] == 0
    assert run("standings", config, "--store", f"sqlite:///{copy}") == table
    assert run("verify", config)[0] == 0
    assert {file.name for file in tmp_path.iterdir()} == {ODD}


READ = """
import sys
from arbiter.store import Store
print(Store(sys.argv[1], create=False).seasons())
"""


@pytest.mark.process
def test_a_store_in_a_folder_that_is_only_read_has_any_path(tmp_path: Path) -> None:
    folder = tmp_path / ODD
    folder.mkdir()
    file = folder / f"{ODD}.sqlite"
    store = Store(f"sqlite:///{file}")
    store.make_season("s", "planning", "1").add_match(record())
    store.close()
    command = [sys.executable, "-c", READ, store.url]
    if os.geteuid() == 0:
        # Root may write anywhere that is not mounted read-only.
        if not shutil.which("bwrap"):
            pytest.skip("no bwrap to show root a folder that it may not write to")
        command = ["bwrap", "--ro-bind", "/", "/", *command]
    else:
        folder.chmod(0o555)
    told = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert (told.returncode, told.stdout) == (0, "['s']\n"), told.stderr


def test_parameters_of_an_address_are_no_part_of_a_file_s_name() -> None:
    check_no_query("sqlite:///season?.sqlite")
    with pytest.raises(ConfigError, match="has parameters"):
        check_no_query("sqlite:///season.sqlite?mode=ro")
