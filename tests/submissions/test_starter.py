"""The starter kit of each game is accepted as it is, and its README says how to try it at home."""

from __future__ import annotations

import io
import shlex
import zipfile
from typing import TYPE_CHECKING

import pytest

from arbiter.config import load
from arbiter.samples import GAMES, bot_words
from arbiter.samples.starter import BETTER, PROGRAM, README, starter_kit
from arbiter.submissions.inspection import inspect
from tests.commands import arbiter

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["arbiter"]

MOST = 10**7
SHORT = {
    "planning": "{name: planning, deals: [[1, 0]]}",
    "codepiece": "{name: codepiece, dealers: [0]}",
    "dou_dizhu": "{name: dou_dizhu, landlords: [0]}",
    "chefs_hat": "{name: chefs_hat, matches: 1}",
}


@pytest.mark.process
@pytest.mark.parametrize("game", GAMES)
def test_a_starter_kit_is_accepted_as_it_is(game: str, tmp_path: Path) -> None:
    words = ["python3", "-S", *bot_words(game, "random")]
    file = tmp_path / "season.yaml"
    file.write_text(
        f"game: {SHORT[game]}\nsubmissions: {{}}\nevery: 24h\nhouse_bots: [random]\n"
        f"players: [{{name: random, command: {words}, house: true}}]\n"
    )
    sent = tmp_path / "starter.zip"
    sent.write_bytes(starter_kit(game, game, "season", [], MOST) or b"")
    verdict = inspect(sent, tmp_path / "season.submissions" / "ann-1", load(file), "ann@1", lambda _: None)
    assert [step for step in verdict.steps if not step.ok] == []
    assert verdict.state == "accepted"


@pytest.mark.process
def test_its_readme_has_the_command_that_tries_it_under_the_seasons_terms(
    tmp_path: Path, arbiter: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = starter_kit(
        "planning", "Planning", "it's small", ["--time", "9s", "--option", "deals=[[1, 0]]"], MOST
    )
    with zipfile.ZipFile(io.BytesIO(made or b"")) as archive:
        archive.extractall(tmp_path)
        assert {name.partition("/")[0] for name in archive.namelist()} == {README, PROGRAM, BETTER}
    text = (tmp_path / README).read_text()
    line = next(line for line in text.splitlines() if line.startswith("arbiter check-bot"))
    monkeypatch.chdir(tmp_path)
    status, said, _ = arbiter(*shlex.split(line)[1:])
    assert (status, "ok matches" in said) == (0, True)
    assert "--season 'it'\"'\"'s small'" in text


def test_a_starter_kit_is_the_same_each_time_and_none_for_other_games() -> None:
    assert starter_kit("planning", "Planning", "s", [], MOST) == starter_kit(
        "planning", "Planning", "s", [], MOST
    )
    assert starter_kit("whist", "Whist", "s", [], MOST) is None


def test_where_an_archive_may_have_few_bytes_the_kit_has_only_what_is_started() -> None:
    made = starter_kit("planning", "Planning", "s", [], 10_000) or b""
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        assert archive.namelist() == [README, PROGRAM]
        assert BETTER not in archive.read(README).decode()
    assert len(made) <= 10_000
