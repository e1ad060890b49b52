"""A bot whose program reads more of the system than it sees is told which folder to add."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbiter.games import make
from arbiter.match.limits import USUAL, override_limits
from arbiter.sandbox.launcher import Launcher
from arbiter.sandbox.player_command import register
from arbiter.trials.botcheck import Subject, check_bot, hidden_folders
from arbiter.trials.botcheck.hidden_folders import PLACES
from arbiter.trials.sandboxcheck.attack_folder import IN_A_SHELL

if TYPE_CHECKING:
    from arbiter.trials.botcheck import Step

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("landlock", "a_stage")]
LIMITS = override_limits(USUAL.limits(), time="10s", start_time="10s", memory=None, isolation="landlock")


def file_that_no_shell_needs() -> Path:
    """A file of the system in a folder that only this test's bot names."""
    for folder in ("common-licenses", "dict", "misc", "pam", "base-files"):
        if files := [file for file in Path("/usr/share", folder).glob("*") if file.is_file()]:
            return files[0]
    pytest.skip("no known folder below /usr/share")


def start_step(folder: Path, text: str, sent: bool = False) -> Step:
    (folder / "bot").write_text(f"#!/bin/sh\n{text}\n{IN_A_SHELL}")
    (folder / "bot").chmod(0o755)
    player = register("bot", (str(folder / "bot"),), folder)
    with closing(Launcher()) as launcher:
        return next(iter(check_bot(Subject(make("planning", {}), player, LIMITS, launcher, sent))))


@pytest.fixture(autouse=True)
def few_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only one of the places is watched, which takes less time."""
    assert "/usr/share" in PLACES
    monkeypatch.setattr(hidden_folders, "PLACES", ("/usr/share",))


def test_a_folder_that_its_program_misses_is_named(tmp_path: Path) -> None:
    file = file_that_no_shell_needs()
    step = start_step(tmp_path, f"set -- /usr/share/*\nread -r line < {file} || exit 3")
    assert (step.name, step.ok) == ("starts", False)
    assert f"read: [{file.parent}]" in step.fix


@pytest.mark.parametrize(("text", "sent"), [("exit 3", False), ("read -r line < FILE || exit 3", True)])
def test_no_folder_is_named_for_another_cause_or_to_the_author_of_an_upload(
    text: str, sent: bool, tmp_path: Path
) -> None:
    step = start_step(tmp_path, text.replace("FILE", str(file_that_no_shell_needs())), sent)
    assert (step.name, step.ok) == ("starts", False)
    assert "read: [" not in step.fix
