"""What authors' files name and the keeper, who reads as the organiser, must not do for them."""

from __future__ import annotations

import os
import struct
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from arbiter.clock import TimeControl
from arbiter.match import Limits, MatchSpec
from arbiter.players import registered
from arbiter.table import Table
from arbiter.table.forkserver.libraries import MAGIC, needs_of
from arbiter.table.sandbox.isolation import stage
from arbiter.table.system import SYSTEM

if TYPE_CHECKING:
    from pathlib import Path

    from arbiter.match import MatchRecord

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(not stage().available, reason=f"no stage: {stage().reason}"),
]
PYTHON = "/usr/bin/python3"
PLAY = """
import sys
for line in sys.stdin:
    words = line.split()
    if words[0] == "set_cards":
        card = words[2]
    print({"gen_declare": "= 0", "gen_move": "= " + card}.get(words[0], "=") if "card" in dir() else "=", end="\\n\\n", flush=True)
"""


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


def played(folder: Path, *command: str) -> MatchRecord:
    """A match of a bot against itself, under a keeper of its own."""
    (folder / "bot.py").write_text(PLAY)
    player = registered("bot", command or (PYTHON, str(folder / "bot.py")), folder)
    rival = registered("other", (PYTHON, str(folder / "bot.py")), folder)
    limits = Limits(TimeControl.parse("10s"), 10_000_000_000, 100_000_000, isolation="landlock")
    SYSTEM.close()
    with closing(Table()) as table:
        try:
            return table.play(
                MatchSpec(
                    "m",
                    "s",
                    None,
                    None,
                    0,
                    "planning",
                    {"seats": 2, "deals": [[1, 0]]},
                    "1",
                    (player, rival),
                    limits,
                )
            )
        finally:
            SYSTEM.close()


@pytest.mark.parametrize("name", ["/usr", "/proc/sys", "/root", "../../../usr"])
def test_what_an_authors_file_names_is_never_read_where_it_is(name: str, tmp_path: Path) -> None:
    (tmp_path / "decoy").write_bytes(program_that_needs(name, looked_for_in="/usr/lib"))
    needs = needs_of(str(tmp_path / "decoy"))
    assert needs is not None and needs.libraries == (name,)
    record = played(tmp_path)
    assert record.forfeit is None
    assert record.isolation["system"] == "in memory, at most 512 MB"


def test_a_pipe_where_a_library_is_looked_for_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "libq.so")
    (tmp_path / "decoy").write_bytes(program_that_needs("libq.so", looked_for_in="$ORIGIN"))
    assert played(tmp_path).forfeit is None


def test_a_word_that_leads_through_the_kernels_folders_starts_a_bot_all_the_same(tmp_path: Path) -> None:
    assert played(tmp_path, PYTHON, str(tmp_path / "bot.py"), "/dev/stdin").forfeit is None


def test_a_first_line_tells_an_author_nothing_of_the_organisers_links(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "hidden").write_text("")
    (tmp_path / "private").symlink_to("hidden")
    script = tmp_path / "own" / "start"
    script.write_text(f"#!{tmp_path}/private\nif [ -L {tmp_path}/private ]; then echo seen >&2; fi\n")
    script.chmod(0o755)
    with pytest.raises(Exception, match="No such file"):
        played(tmp_path / "own", str(script))


def test_a_folder_deeper_than_any_is_looked_through_as_far_as_it_goes(tmp_path: Path) -> None:
    place = os.open(tmp_path, os.O_RDONLY)
    for _ in range(300):
        os.mkdir("d", dir_fd=place)
        inner = os.open("d", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = inner
    os.close(place)
    assert played(tmp_path).forfeit is None
