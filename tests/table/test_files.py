"""What a player needs to start is there, or is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arbiter.players import registered
from arbiter.table.files import lack

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A season's folder with a blank in its name, and a bot in it."""
    made = tmp_path / "my season"
    (made / "bots").mkdir(parents=True)
    (made / "bots" / "bot.py").write_text("")
    (made / "bots" / "bot").write_text("")
    (made / "bots" / "bot").chmod(0o755)
    return made


def test_a_player_whose_files_are_there_lacks_nothing(folder: Path) -> None:
    for command in (["sh", "bots/bot.py"], ["bots/bot"], ["sh"], ["sh", "-c", "/nowhere -x"]):
        assert lack(registered("p", command, folder)) == ""


def test_what_is_missing_is_named(folder: Path) -> None:
    script, program = (registered("p", command, folder) for command in (["sh", "bots/bot.py"], ["bots/bot"]))
    reading = registered("p", ["sh"], folder, read=["bots"])
    (folder / "bots" / "bot").chmod(0o644)
    assert lack(program).startswith(f"{folder}/bots/bot is not executable")
    (folder / "bots").rename(folder / "moved")
    assert lack(script) == f"there is no file {folder}/bots/bot.py"
    assert lack(program) == f"there is no program {folder}/bots/bot"
    assert lack(reading) == f"there is no file {folder}/bots"


def test_a_program_is_looked_for_on_the_path_that_the_bot_gets(folder: Path) -> None:
    env = {"PATH": str(folder / "bots")}
    assert lack(registered("p", ["bot"], folder, env=env)) == ""
    assert lack(registered("p", ["sh"], folder, env=env)) == "there is no program sh in PATH"
