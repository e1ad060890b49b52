"""What a bot needs of the machine's files, found without running anything."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.match.spec import Player
from arbiter.sandbox.files_needed import _mentioned_programs, needs_of_bot
from arbiter.sandbox.forkserver.libraries import Looks, files_for, needs_of
from arbiter.sandbox.forkserver.ways import steps
from arbiter.sandbox.landlock import own_folders
from arbiter.sandbox.program_files import SYSTEM_PATH

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not needs_of("/bin/sh"), reason="no programs of 64 bits here")
SHELL = "/bin/sh"


def needed(folder: Path, text: str, name: str = "bot") -> tuple[str, ...]:
    """What is taken for a script in an own folder."""
    script = folder / name
    script.write_text(text)
    script.chmod(0o755)
    player = Player("p", (str(script),), str(folder), read=(str(folder),), files=(str(script),))
    needs = needs_of_bot(player, str(script))
    return (*needs.asked.common, *needs.asked.needed, *needs.asked.mentioned)


def test_a_program_names_its_loader_and_libraries() -> None:
    needs = needs_of(os.path.realpath(sys.executable))
    assert needs is not None and needs.loader.startswith("/lib")
    assert any("libc.so" in path or "libpython" in path for path in files_for(needs, Looks(1000)))


def test_a_script_needs_its_interpreter_and_that_what_env_starts(tmp_path: Path) -> None:
    assert "/bin/sh" in needed(tmp_path, "#!/bin/sh\n")
    assert any(path.endswith("/sort") for path in needed(tmp_path, "#!/usr/bin/env sort\n"))


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("#!/bin/s\0h", "/bin/s"), ("#!/usr/bin/env so\0rt", "/usr/bin/env"), ("#!\t/bin/sh\0 x", "/bin/sh"),
        ("#!/bin/sh\x0c", ""), ("#!\0", ""), ("#!", ""), ("#!" + "\xff" * 300, ""), ("#!/\0\0/sh", ""),
    ],
)  # fmt: skip
def test_a_first_line_is_read_as_the_kernel_does(line: str, named: str, tmp_path: Path) -> None:
    script = tmp_path / "bot"
    script.write_bytes(line.encode("latin-1"))
    player = Player("p", (str(script),), str(tmp_path), read=(str(tmp_path),), files=(str(script),))
    needs = needs_of_bot(player, str(script))
    assert set(needs.asked.needed) == ({named} if os.path.isfile(named) else set())


def test_a_shell_script_needs_the_programs_that_it_names(tmp_path: Path) -> None:
    found = needed(tmp_path, "#!/bin/sh\nexec sort bot\n")
    assert any(path.endswith("/sort") for path in found)


def test_words_of_a_shell_script_bring_folders_only_as_commands(tmp_path: Path) -> None:
    perl = shutil.which("perl", path=SYSTEM_PATH)
    if perl is None:
        pytest.skip("no perl")

    def brings_folders(text: str) -> bool:
        found = needed(tmp_path, f"#!/bin/sh\n{text}\n", text.replace("/", ""))
        return any("/share/perl" in path for path in found)

    started = (
        "exec perl bot",
        "P=perl; exec $P bot",
        'exec "${P:-perl}" bot',
        "exec env -i A=b perl bot",
        "exec \\\n perl bot",
    )
    assert [text for text in started if not brings_folders(text)] == []
    assert [
        text for text in ("exec ./bot --mode perl", "exec ./bot --mode=perl") if brings_folders(text)
    ] == []


def test_a_start_script_brings_what_the_scripts_that_it_starts_start(tmp_path: Path) -> None:
    for name, text in (("first", "exec second"), ("second", "x=`sort`\nthird"), ("third", "first")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    shown = [str(tmp_path / "first"), SHELL]
    found, _ = _mentioned_programs(shown, (), f"{tmp_path}:{SYSTEM_PATH}", "/", lambda _: True)
    assert {path.rpartition("/")[2] for path in found} == {"sh", "first", "second", "third", "sort"}


@pytest.mark.parametrize("place", ["/usr/share/zoneinfo", "/usr/lib", "/etc"])
def test_a_folder_of_the_system_to_read_is_part_of_the_system_in_memory(place: str, tmp_path: Path) -> None:
    needs = needs_of_bot(Player("p", (SHELL,), str(tmp_path), read=(str(tmp_path), place)), SHELL)
    assert place in needs.asked.needed and place in needs.places
    assert [*needs.root["places"]] == needs.root["own"] == [str(tmp_path)]
    assert own_folders((str(tmp_path), place)) == (str(tmp_path),)


def test_a_script_of_an_authors_has_nothing_taken_that_is_not_the_systems(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("")
    own = tmp_path / "own"
    own.mkdir()
    assert str(secret) not in needed(own, f"#!{secret}\n{secret}\n")


def test_an_interpreter_of_the_system_brings_its_library(tmp_path: Path) -> None:
    perl = shutil.which("perl", path=SYSTEM_PATH)
    if perl is None:
        pytest.skip("no perl")
    assert any("/share/perl" in path for path in needed(tmp_path, f"#!{perl}\n"))


def test_the_root_shows_the_own_folder_by_the_name_that_the_command_has(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    own = str(tmp_path / "link")
    root = needs_of_bot(Player("p", (SHELL,), own, read=(own,)), SHELL).root
    assert str(tmp_path / "real") in root["places"]
    assert (own, "real") in root["links"]


def test_a_bot_without_a_folder_finds_an_empty_one_where_it_starts(tmp_path: Path) -> None:
    root = needs_of_bot(Player("p", (SHELL,), str(tmp_path)), SHELL).root
    assert root["folders"] == [str(tmp_path)]
    assert not any(path.startswith(str(tmp_path)) for path in root["places"])


def test_the_way_to_a_file_ends_where_it_really_is(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "up").symlink_to("../a/b")
    (tmp_path / "round").symlink_to(tmp_path / "round")
    assert list(steps(str(tmp_path / "a" / "up" / "file")))[-1] == (str(tmp_path / "a" / "b" / "file"), "")
    with pytest.raises(OSError, match="Too many levels"):
        list(steps(str(tmp_path / "round")))


@given(st.data())
def test_a_file_that_only_looks_like_a_program_is_none(data: st.DataObject) -> None:
    with open(os.path.realpath(SHELL), "rb") as file:
        code = bytearray(file.read(4096))
    for _ in range(data.draw(st.integers(1, 20))):
        code[data.draw(st.integers(0, 1023))] = data.draw(st.integers(0, 255))
    # A pipe of a test's own would do, but what is read is read at places.
    reading = os.memfd_create("program")
    os.write(reading, bytes(code))
    try:
        needs = needs_of(f"/proc/self/fd/{reading}")
        assert needs is None or all(isinstance(path, str) for path in files_for(needs, Looks(1000)))
    finally:
        os.close(reading)
