"""What authors' files name and the keeper, who reads as the organiser, must not do for them."""

from __future__ import annotations

import os
import struct
from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from arbiter.errors import VoidMatch
from arbiter.sandbox import rootfs_client as system_module
from arbiter.sandbox.files_needed import KeeperRequest
from arbiter.sandbox.forkserver.file_contents import inspect_source
from arbiter.sandbox.forkserver.keeper import Keeper
from arbiter.sandbox.forkserver.libraries import MAGIC, Looks, files_for, find_library, needs_of
from arbiter.sandbox.forkserver.view_plan import Plan
from arbiter.sandbox.player_command import register
from arbiter.sandbox.rootfs_client import SYSTEM
from arbiter.table import Conductor
from arbiter.trials.sandboxcheck.attack_folder import IN_A_SHELL
from tests.fixtures.bot_template import spec_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import Player
    from arbiter.sandbox.forkserver.system import System

pytestmark = [
    pytest.mark.process,
    pytest.mark.usefixtures("a_stage"),
]


def program_that_needs(*names: str, looked_for_in: str = "") -> bytes:
    """A file that looks like a program: its header, its segments, the names of what it loads."""
    strings = b"\0" + b"\0".join(name.encode() for name in (*names, looked_for_in)) + b"\0"
    places = [strings.index(name.encode()) for name in names]
    at = 64 + 2 * 56
    entries = [(1, place) for place in places] + [(29, strings.index(looked_for_in.encode()))] * bool(
        looked_for_in
    )
    size = 16 * (len(entries) + 3)
    entries += [(5, at + size), (10, len(strings)), (0, 0)]
    shell = needs_of("/bin/sh")
    assert shell is not None
    header = MAGIC.ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 3, shell.machine, 1, 0, 64, 0, 0, 64, 56, 2, 0, 0, 0
    )
    whole = at + size + len(strings)
    segments = struct.pack("<IIQQQQQQ", 1, 4, 0, 0, 0, whole, whole, 1) + struct.pack(
        "<IIQQQQQQ", 2, 4, at, at, at, size, size, 1
    )
    return header + segments + b"".join(struct.pack("<QQ", *entry) for entry in entries) + strings


def play_match(folder: Path, *arguments: str) -> MatchRecord:
    """A match of two bots in a shell, under a keeper of its own; the first reads `folder` too."""
    first = replace(in_a_shell(folder, "bot", "#!/bin/sh"), read=(str(folder),))
    return played_by(
        replace(first, command=(*first.command, *arguments)), in_a_shell(folder, "other", "#!/bin/sh")
    )


def played_by(*players: Player) -> MatchRecord:
    """A match of two players, under a keeper of its own."""
    SYSTEM.close()
    with closing(Conductor()) as table:
        try:
            return table.play(
                spec_for(players, deals=[[1, 0]], memory_bytes=100_000_000, isolation="landlock")
            )
        finally:
            SYSTEM.close()


@pytest.mark.parametrize("name", ["/usr", "/proc/sys", "/root", "../../../usr"])
def test_what_an_authors_file_names_is_never_read_where_it_is(name: str, tmp_path: Path) -> None:
    (tmp_path / "decoy").write_bytes(program_that_needs(name, looked_for_in="/usr/lib"))
    needs = needs_of(str(tmp_path / "decoy"))
    assert needs is not None and needs.libraries == (name,)
    record = play_match(tmp_path)
    assert record.forfeit is None
    assert record.isolation["system"] == "in memory, at most 1024 MB"


def test_a_pipe_where_a_library_is_looked_for_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "libq.so")
    (tmp_path / "decoy").write_bytes(program_that_needs("libq.so", looked_for_in="$ORIGIN"))
    assert play_match(tmp_path).forfeit is None


def test_a_word_that_leads_through_the_kernels_folders_starts_a_bot_all_the_same(tmp_path: Path) -> None:
    assert play_match(tmp_path, "/dev/stdin").forfeit is None


def test_a_path_through_the_kernels_folders_takes_none_of_them() -> None:
    plan = Plan(inspect_source, 1 << 20, 1 << 20)
    plan.add("/proc/self/exe")
    assert not any(way.startswith("/proc") for way in plan.ways)


def test_a_first_line_tells_an_author_nothing_of_the_organisers_links(tmp_path: Path) -> None:
    (tmp_path / "hidden").write_text("")
    (tmp_path / "private").symlink_to("hidden")
    seeing = in_a_shell(tmp_path, "bot", f"#!{tmp_path}/private")
    with pytest.raises(VoidMatch, match="No such file"):
        played_by(seeing, in_a_shell(tmp_path, "other", "#!/bin/sh"))


def test_a_folder_deeper_than_any_is_looked_through_as_far_as_it_goes(tmp_path: Path) -> None:
    place = os.open(tmp_path, os.O_RDONLY)
    for _ in range(300):
        os.mkdir("d", dir_fd=place)
        inner = os.open("d", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = inner
    os.close(place)
    assert play_match(tmp_path).forfeit is None


def in_a_shell(folder: Path, name: str, first: str) -> Player:
    """A bot in a shell, with these first lines."""
    (folder / name).mkdir()
    script = folder / name / "bot"
    script.write_text(first + IN_A_SHELL)
    script.chmod(0o755)
    return register(name, (str(script),), folder / name)


def test_the_words_of_one_players_script_take_nothing_of_anothers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_module, "PLAYER_BYTES", 4 << 20)
    greedy = in_a_shell(tmp_path, "greedy", "#!/bin/sh\n# perl python3 openssl gcc git")
    record = played_by(greedy, in_a_shell(tmp_path, "modest", "#!/bin/bash"))
    assert record.forfeit is None
    assert [any("no room in its share" in note for note in bot.notes) for bot in record.bots] == [True, False]
    assert record.isolation["system"] == "in memory, at most 1024 MB"


def test_what_a_first_line_names_is_there_even_where_no_room_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_module, "PLAYER_BYTES", 4096)
    record = played_by(*(in_a_shell(tmp_path, name, "#!/bin/bash") for name in ("one", "other")))
    assert record.forfeit is None
    assert os.path.realpath("/bin/bash") in str(record.isolation["system"])


@pytest.fixture
def keeper() -> Iterator[Callable[..., Sequence[str]]]:
    """Asks a keeper of its own for a player's view; what of it is read where it is."""

    def ask(player: str, *needed: Path) -> Sequence[str]:
        (view,), new = SYSTEM.request_views([KeeperRequest(player, (), tuple(map(str, needed)), (), ())], ())
        (descriptor,) = new.values()
        assert all(os.stat(f".{file}", dir_fd=descriptor).st_size == file.stat().st_size for file in needed)
        os.close(descriptor)
        return view.in_place

    SYSTEM.close()
    yield ask
    SYSTEM.close()


def two_files(folder: Path, size: int = 1 << 20) -> tuple[Path, Path]:
    first, second = folder / "first", folder / "second"
    for file in (first, second):
        file.write_bytes(bytes(size))
    return first, second


def test_what_one_player_has_no_room_for_is_copied_for_another(
    keeper: Callable[..., Sequence[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_module, "PLAYER_BYTES", 3 << 19)
    first, second = two_files(tmp_path)
    assert keeper("a", first, second) == [str(second)]
    assert keeper("b", second) == []


def test_what_others_need_makes_no_room_for_a_player_that_it_would_not_have_alone(
    keeper: Callable[..., Sequence[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_module, "PLAYER_BYTES", 3 << 19)
    first, second = two_files(tmp_path)
    assert keeper("a", first) == []
    assert keeper("b", first, second) == [str(second)]


def test_versions_of_a_player_take_the_room_of_one(
    keeper: Callable[..., Sequence[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_module, "SYSTEM_BYTES", 8 << 20)
    first, second = two_files(tmp_path, 1 << 19)
    for _ in range(20):
        assert keeper("a", first) == keeper("a", first, second) == []


def test_copies_are_renewed_before_and_during_their_use_alone() -> None:
    renewed: list[set[int]] = []
    keeper = Keeper(cast("System", SimpleNamespace(renew=lambda views, *_: renewed.append({*views}))))
    keeper.asker = 1
    keeper.begin_use([5, 6, 6])
    keeper.asker = 2
    keeper.begin_use([6])
    keeper.asker = 1
    keeper.end_use([5, 6])
    keeper.renew_views()
    keeper.end_use([6])
    keeper.renew_views()
    keeper.end_uses_of(2)
    keeper.renew_views()
    assert renewed == [{5, 6}, {6}, {6}, {6}, set()]


def test_a_bot_that_starts_sees_copies_that_were_just_changed() -> None:
    with closing(SYSTEM):
        (view,), new = SYSTEM.request_views([KeeperRequest("bot", (), ("/bin/sh",), (), ())], [])
        copied = os.fstat(new[view.number]).st_ctime_ns
        SYSTEM.begin_use([view.number])
        assert os.fstat(new[view.number]).st_ctime_ns > copied
    os.close(new[view.number])


def test_what_was_looked_for_before_takes_as_many_looks_as_the_first_time(tmp_path: Path) -> None:
    (tmp_path / "libq.so").write_bytes(program_that_needs())
    left = []
    for _ in range(2):
        looks = Looks(1000)
        assert find_library("libq.so", (str(tmp_path / "none"), str(tmp_path)), looks) == str(
            tmp_path / "libq.so"
        )
        left.append(looks.left)
    assert left == [998, 998]


def test_what_authors_write_makes_us_look_at_so_much_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []

    def isfile(path: str) -> bool:
        looked.append(path)
        return False

    monkeypatch.setattr(os.path, "isfile", isfile)
    looks = Looks(1000)
    for number in range(5):
        names = [f"lib{number}-{name}.so" for name in range(200)]
        decoy = tmp_path / f"decoy{number}"
        decoy.write_bytes(
            program_that_needs(*names, looked_for_in=":".join(f"/usr/lib/{n}" for n in range(200)))
        )
        needs = needs_of(str(decoy))
        assert needs is not None
        list(files_for(needs, looks))
    assert 0 < len(looked) < 1000


def test_a_folder_that_is_named_twice_is_looked_in_once(tmp_path: Path) -> None:
    (tmp_path / "decoy").write_bytes(program_that_needs("a.so", looked_for_in="/usr/lib:/usr/./lib/:" * 90))
    needs = needs_of(str(tmp_path / "decoy"))
    assert needs is not None and needs.folders == ("/usr/lib",)


def test_what_another_machines_program_loads_is_not_looked_for(tmp_path: Path) -> None:
    code = bytearray(program_that_needs("libc.so.6"))
    code[18] ^= 1
    (tmp_path / "decoy").write_bytes(code)
    needs = needs_of(str(tmp_path / "decoy"))
    assert needs is not None and needs.libraries == ("libc.so.6",)
    looks = Looks(1000)
    assert not [*files_for(needs, looks)]
    assert looks.left == 1000
