"""What a season's machine has for authors: the organiser's programs, else the system's, as they tell it."""

from __future__ import annotations

import platform
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

from arbiter.cli.rerun_command import unavailable_players
from arbiter.contest.submissions import languages as module
from arbiter.contest.submissions.languages import Language, inspection_digest, languages
from arbiter.errors import ConfigError
from arbiter.season.config import Config, load

if TYPE_CHECKING:
    from arbiter.match.record import MatchRecord

pytestmark = pytest.mark.process
SEASON = (
    "game: planning\nhouse_bots: [h]\nplayers:\n  - {name: h, command: [python3, -c, pass], house: true}\n"
)


def load_config(folder: Path, languages: str, submissions: str = "{builds: false}") -> Config:
    file = folder / "season.yaml"
    file.write_text(f"{SEASON}submissions: {submissions}\nlanguages: {languages}\n")
    return load(file, check_commands=True)


def program(folder: Path, name: str, script: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_programs_say_their_version_and_python_its_libraries(tmp_path: Path) -> None:
    node = program(tmp_path, "mynode", "echo v99.1.2 of node")
    mute = program(tmp_path, "mute", "exit 1")
    config = load_config(tmp_path, f"{{python3: {sys.executable}, node: ./mynode, mute: {mute}}}")
    found = {language.word: language for language in languages(config)}
    python = found["python3"]
    assert (python.path, python.version) == (sys.executable, platform.python_version())
    assert python.libraries["numpy"] == np.__version__
    assert found["node"] == Language("node", str(node), "99.1.2", {})
    assert found["mute"].version == ""


def test_what_the_season_does_not_name_is_looked_for_in_the_systems_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, "ruby", "echo 9.9.9")
    config = load_config(tmp_path, "{}")
    monkeypatch.setenv("PATH", str(tmp_path))
    found = {language.word: language.path for language in languages(config)}
    assert found["bash"] in ("/usr/local/bin/bash", "/usr/bin/bash", "/bin/bash")
    assert str(tmp_path / "ruby") not in found.values()


@pytest.mark.parametrize("builds", [True, False])
def test_compilers_are_there_where_something_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, builds: bool
) -> None:
    monkeypatch.setattr(module, "problem", lambda: "")
    rustc = program(tmp_path, "rustc", "echo rustc 1.95.0")
    config = load_config(tmp_path, f"{{rustc: {rustc}}}", f"{{builds: {str(builds).lower()}}}")
    monkeypatch.setattr(module, "BUILDING", ("rustc", "gcc"))
    words = [language.word for language in languages(config)]
    assert "rustc" in words
    assert ("gcc" in words) <= builds


def test_a_machine_without_a_python_for_authors_is_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arbiter.season.config.programs.SYSTEM_PATH", str(tmp_path))
    warning = "the system's folders have no program python3 for authors: name one in `languages`"
    assert warning in load_config(tmp_path, "{}").warnings
    assert warning not in load_config(tmp_path, f"{{python3: {sys.executable}}}").warnings


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{python3: /no/such/python3}", "6:13: languages.python3: there is no program /no/such/python3"),
        ("{python3: python3.12}", "languages.python3: python3.12 is not a path (write the program's whole path)"),
        ("{bin/python3: /bin/sh}", "not the name of a program: 'bin/python3'"),
        ("{sh: {program: /bin/sh, read: [nothing]}}", "languages.sh: there is no "),
        ("{sh: {read: [/usr]}}", "languages.sh.program: is required"),
        ("{python3: shims/python3}", "/shims/python3 is a version manager's script"),
        ("[sh]", "languages: should be a mapping of keys"),
    ],
)  # fmt: skip
def test_a_mistake_in_languages_is_pointed_at(written: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "shims").mkdir()
    program(tmp_path / "shims", "python3", "")
    with pytest.raises(ConfigError) as caught:
        load_config(tmp_path, written)
    assert said in str(caught.value)


def test_a_sent_program_of_an_earlier_round_is_looked_for_where_it_was_started(tmp_path: Path) -> None:
    (tmp_path / "opt").mkdir()
    program(tmp_path / "opt", "mypython", "exit 0")
    program(tmp_path / "opt", "beside", "exit 0")
    settings: dict[str, Any] = {"languages": {"python3": {"program": "opt/mypython", "read": []}}}
    record = cast("MatchRecord", SimpleNamespace(bots=(), players=["a@1", "b@1", "c@1"]))
    settings["players"] = [
        {"name": name, "version": "1", "sha256": "", "command": [word]}
        for name, word in (("a", "python3"), ("b", "beside"), ("c", "mynode"))
    ]
    assert [seat for seat, _ in unavailable_players(record, settings, tmp_path)] == [2]


@pytest.fixture
def asked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT_SECONDS", -1.0)


@pytest.mark.usefixtures("asked_anew")
def test_the_terms_of_an_inspection_change_with_what_is_installed_and_with_the_rules(tmp_path: Path) -> None:
    said = tmp_path / "installed"
    said.write_text("[]")
    python = program(tmp_path, "mypython", f"cat {said}")
    config = load_config(tmp_path, f"{{python3: {python}}}")
    before = inspection_digest(config)
    assert inspection_digest(load_config(tmp_path, f"{{python3: {python}}}")) == before
    said.write_text("[('a-library', '1.0')]")
    mended = inspection_digest(config)
    assert mended != before
    assert (
        inspection_digest(load_config(tmp_path, f"{{python3: {python}}}", "{builds: false, max_size: 3MB}"))
        != mended
    )
    (tmp_path / "node").mkdir()
    node = program(tmp_path / "node", "node", "echo v99.1.2")
    assert inspection_digest(load_config(tmp_path, f"{{python3: {python}, node: {node}}}")) != mended


def test_who_sends_again_and_again_has_programs_asked_once(tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    python = program(tmp_path, "mypython", f"echo x >> {asked}")
    config = load_config(tmp_path, f"{{python3: {python}}}")
    inspection_digest(config)
    once = asked.read_text()
    inspection_digest(config)
    assert asked.read_text() == once != ""
