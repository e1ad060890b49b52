"""What a confined bot may read and run: its own, the system's, the interpreter's, and nothing else."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from arbiter.match.limits import WrittenLimits
from arbiter.sandbox import landlock
from arbiter.sandbox.files_needed import confinement, scratch_place
from arbiter.sandbox.player_command import register
from arbiter.sandbox.program_files import SYSTEM_PATH
from arbiter.season.config.programs import submitted_player
from arbiter.table.conductor import start_request


@pytest.mark.parametrize(
    ("abi", "numbers"),
    [(1, 1), (2, 1), (3, 1), (4, 2), (5, 2), (6, 3), (7, 3)],
)
def test_what_is_handled_grows_with_the_kernel(abi: int, numbers: int) -> None:
    found = landlock.handled(abi)
    assert len(found) == numbers
    assert bool(found[0] & landlock.REFER) == (abi >= 2)
    assert bool(found[0] & landlock.TRUNCATE) == (abi >= 3)
    assert bool(found[0] & landlock.IOCTL_DEV) == (abi >= 5)


def rules_of(folder: Path, *command: str, read: tuple[str, ...] = ()) -> dict[str, int]:
    player = register("p", command, folder, read=read)
    own = confinement(player, landlock.real_program(player))["confine"]
    return {**dict(landlock.common_rules()["rules"]), **dict(own)}


def test_own_folder_and_what_is_named_beside_it_may_be_read(tmp_path: Path) -> None:
    for name in ("bot", "data", "rival"):
        (tmp_path / name).mkdir()
    (tmp_path / "bot" / "bot.py").write_text("")
    rules = rules_of(tmp_path, sys.executable, "bot/bot.py", read=("data",))
    assert rules[str(tmp_path / "bot")] == rules[str(tmp_path / "data")] == landlock.RUN
    assert not {str(tmp_path), str(tmp_path / "rival"), "/", "/etc", "/proc", "/tmp", "/home", "/root"} & set(
        rules
    )


def test_nothing_may_be_written_to_but_the_null_device(tmp_path: Path) -> None:
    rules = rules_of(tmp_path, sys.executable)
    reading = landlock.RUN
    assert {path for path, rights in rules.items() if rights & ~reading} == {"/dev/null"}


@pytest.mark.parametrize(
    ("own", "place"), [("/srv/bob", "/tmp"), ("/tmp/bob", "/var/tmp"), ("/tmpfs/bob", "/tmp")]
)
def test_a_temporary_folder_lies_where_the_bot_has_nothing_else(own: str, place: str) -> None:
    assert scratch_place(own, "/opt/python/lib") == place


def test_a_temporary_folder_takes_files_and_folders_and_runs_nothing(tmp_path: Path) -> None:
    player = register("p", (sys.executable,), tmp_path)
    rights = confinement(player, landlock.real_program(player))["root"]["rights"]
    # EXECUTE, MAKE_CHAR, MAKE_SOCK, MAKE_FIFO, MAKE_BLOCK, MAKE_SYM, IOCTL_DEV.
    assert not rights & (0b1 | 1 << 6 | 0b1111 << 9 | 1 << 15)


def test_a_command_that_names_no_file_gives_no_folder_to_read(tmp_path: Path) -> None:
    assert str(tmp_path) not in rules_of(tmp_path, "cat")


def opened_for(folder: Path, program: str) -> set[str]:
    """What a command that begins with a program opens of a folder, from there on."""
    rules = rules_of(folder, str(folder / program), "-x")
    return {str(Path(rule).relative_to(folder)) for rule in rules if Path(rule).is_relative_to(folder)}


def test_of_an_interpreters_prefix_that_is_readable_which_an_interpreter_needs(tmp_path: Path) -> None:
    for prefix in ("python", "home", "season", "other/.local"):
        for part in ("bin", "lib/python3.11", "share", "work"):
            (tmp_path / prefix / part).mkdir(parents=True)
        (tmp_path / prefix / "bin" / "tool").write_text("")
        (tmp_path / prefix / "season.sqlite").write_text("")
    (tmp_path / "python" / "lib" / "python3.11" / "os.py").write_text("")
    (tmp_path / "other" / ".local" / "lib" / "python3.11" / "os.py").write_text("")
    (tmp_path / "home" / ".ssh").mkdir()
    assert opened_for(tmp_path, "python/bin/tool") == {"python/bin", "python/lib", "python/share"}
    # A bot's own program is no interpreter because something beside its folder is called lib.
    assert opened_for(tmp_path, "season/bin/tool") == {"season/bin"}
    assert opened_for(tmp_path, "home/bin/tool") == {"home/bin"}
    # Where all programs of a user keep what they know.
    assert opened_for(tmp_path, "other/.local/bin/tool") == {"other/.local/bin", "other/.local/lib"}


def test_a_virtual_environment_in_the_own_folder_opens_the_python_that_it_was_made_from(
    tmp_path: Path,
) -> None:
    base, own = tmp_path / "python", tmp_path / "own"
    for name in ("bin/python3.12", "lib/python3.12/os.py", "private"):
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_text("")
    (own / "venv" / "bin").mkdir(parents=True)
    (own / "venv" / "pyvenv.cfg").write_text("")
    (own / "venv" / "bin" / "python").symlink_to(base / "bin" / "python3.12")
    (own / "bot").write_text("")
    assert {f"{base}/bin", f"{base}/lib"} <= set(rules_of(tmp_path, "/bin/sh", "own/bot"))
    assert str(base) not in rules_of(tmp_path, "/bin/sh", "own/bot")
    # Not what any other link leads to.
    (base / "lib" / "python3.12" / "os.py").unlink()
    (own / "bot2").write_text("")
    assert not [path for path in rules_of(tmp_path, "/bin/sh", "own/bot2") if path.startswith(str(base))]


def test_of_what_a_link_in_path_leads_to_the_file_alone_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("tools", "home", "lua/bin", "lua/lib"):
        (tmp_path / place).mkdir(parents=True)
    for target in ("home/backup.sh", "lua/bin/lua"):
        (tmp_path / target).write_text("")
        (tmp_path / target).chmod(0o755)
        (tmp_path / "tools" / Path(target).name).symlink_to(tmp_path / target)
    monkeypatch.setenv("PATH", str(tmp_path / "tools"))

    def opened(word: str) -> set[str]:
        rules = map(Path, rules_of(tmp_path, word, "-x"))
        return {str(rule.relative_to(tmp_path)) for rule in rules if rule.is_relative_to(tmp_path)}

    assert opened("backup.sh") == {"tools", "home/backup.sh"}
    assert opened("lua") == {"tools", "lua/bin", "lua/lib"}


def test_settings_and_sources_below_usr_stay_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for part in ("bin", "local/bin", "local/etc", "local/share", "elsewhere"):
        (tmp_path / "usr" / part).mkdir(parents=True)
    (tmp_path / "home").mkdir()
    (tmp_path / "usr" / "local" / "link").symlink_to(tmp_path / "home")
    system = str(tmp_path / "usr")
    monkeypatch.setattr(landlock, "SYSTEM", (system,))
    monkeypatch.setattr(landlock, "HIDDEN", (f"{system}/local/etc",))
    landlock.system_rules.cache_clear()
    try:
        opened = {path for path in landlock.system_rules() if path.startswith(str(tmp_path))}
    finally:
        landlock.system_rules.cache_clear()
    assert opened == {f"{system}/{part}" for part in ("bin", "elsewhere", "local/bin", "local/share")}


def test_a_program_of_an_authors_is_not_found_by_our_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "venv" / "bin"
    tools.mkdir(parents=True)
    (tools / "sh").write_text("")
    (tools / "sh").chmod(0o755)
    monkeypatch.setenv("PATH", str(tools))
    mine = register("p", ("sh",), tmp_path)
    theirs = submitted_player("p", ("sh",), tmp_path, (), {}, tmp_path)
    assert landlock.real_program(mine) == str(tools / "sh")
    assert landlock.real_program(theirs) == shutil.which("sh", path=SYSTEM_PATH)


def shims_of(folder: Path) -> Path:
    """A folder with a version manager's script that says, by a file beside it, that it was run."""
    shims = folder / "shims"
    shims.mkdir(parents=True)
    (shims / "python3").write_text(f'#!/bin/sh\ntouch {folder}/was-run\nexec {sys.executable} "$@"\n')
    (shims / "python3").chmod(0o755)
    return shims


@pytest.mark.process
def test_a_version_managers_script_is_replaced_by_the_program_that_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"{shims_of(tmp_path)}{os.pathsep}/usr/bin:/bin"
    monkeypatch.setenv("PATH", path)
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "bot.py").write_text("")
    player = register("p", ("python3", "bot/bot.py"), tmp_path)
    assert landlock.real_program(player) == sys.executable
    other = register("p", ("sh", "bot/bot.py"), tmp_path)
    assert landlock.real_program(other) == shutil.which("sh", path=path)


@pytest.mark.parametrize("how", ["named by its path", "found by a PATH of the player's", "on our PATH"])
def test_a_script_in_a_players_folder_is_not_run_by_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    shims = shims_of(tmp_path / "theirs")
    (tmp_path / "theirs" / "bot.py").write_text("")
    word = "theirs/shims/python3" if how == "named by its path" else "python3"
    path = f"{shims}{os.pathsep}{os.environ['PATH']}"
    if how == "on our PATH":
        monkeypatch.setenv("PATH", path)
    player = register("p", (word, "theirs/bot.py"), tmp_path, env={"PATH": path})
    assert landlock.real_program(player) == str(shims / "python3")
    assert start_request(player, WrittenLimits(isolation="landlock").limits())["argv"][0] == str(
        shims / "python3"
    )
    assert not (tmp_path / "theirs" / "was-run").exists()
