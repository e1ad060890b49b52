"""Which sources are compared: what lies on a season's shelf, within bounds, whatever a build has left there."""

from __future__ import annotations

import os
import shutil
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbiter.contest.integrity.program_sources import (
    LARGEST,
    MOST_BYTES,
    MOST_FILES,
    UnreadProgram,
    programs_of_season,
    shipped,
)
from arbiter.contest.integrity.similar_sources import FingerprintedProgram, find_copies, outlying_pairs
from arbiter.contest.integrity.tokens import is_source
from arbiter.games.samples import season_files
from arbiter.season.config import load
from tests.contest.integrity.disguise import disguised
from tests.contest.integrity.seasons import SETTINGS, Shelved, folder, present_season, seasons
from tests.docs.pages import ROOT

if TYPE_CHECKING:
    from arbiter.contest.integrity.program_sources import Sources
    from arbiter.contest.integrity.schema import Side

__all__ = ["folder", "present_season", "seasons"]

PIMC = (ROOT / "bots" / "python" / "planning_pimc.py").read_text()
OF_LANGUAGES = [
    path
    for of in ("js", "languages")
    for path in sorted((ROOT / "bots" / of).iterdir())
    if path.is_file() and is_source(path.name)
]
OTHERS = [(ROOT / "bots" / "cpp" / f"{name}_search.cpp").read_text() for name in ("planning", "codepiece")]


@lru_cache(maxsize=1)
def shipped_prints() -> list[FingerprintedProgram]:
    return [FingerprintedProgram.of(one.read()) for one in shipped()]


def only(present_season: Shelved) -> Sources:
    (found,) = programs_of_season(present_season.config, present_season.stored)
    return found.read()


def test_the_active_version_alone_is_read(present_season: Shelved) -> None:
    present_season.take("ann", bot__py="first = 1")
    present_season.take("ann", bot__py="second = 2", README__md="no source")
    found = only(present_season)
    assert [(file.name, file.text) for file in found.files] == [("bot.py", "second = 2")]
    assert found.side == {"name": "ann", "version": 2, "key": "ann@2"}


def test_a_copy_of_a_sample_is_asked_about_in_its_season(present_season: Shelved) -> None:
    present_season.take("eve", bot__py=disguised(PIMC))
    present_season.take("ben", main__cpp=OTHERS[0].replace("x", "y"))
    rows, _ = find_copies(present_season.stored, present_season.config)
    assert [
        [side["key"] for side in row["players"]] for row in rows if row["players"][0]["name"] == "eve"
    ] == [["eve@1", "@planning_pimc.py"]]


@pytest.mark.parametrize("sample", OF_LANGUAGES, ids=lambda path: path.name)
def test_a_copy_of_a_sample_is_named_in_every_language(sample: Path) -> None:
    side: Side = {"name": "eve", "version": 1, "key": "eve@1"}
    mine, other = (
        FingerprintedProgram.of(UnreadProgram({**side, "name": name}, [(path.name, path)]).read())
        for name, path in (("eve", sample), ("ben", Path(__file__)))
    )
    rows = outlying_pairs([mine, other], [], shipped_prints())
    assert [row["players"][1]["key"] for row in rows] == [f"@{sample.name}"]


def test_a_program_without_sources_is_said_to_be_uncompared(present_season: Shelved) -> None:
    present_season.take("ann", bot__py=PIMC)
    present_season.take("eve", bot="compiled")
    _, reach = find_copies(present_season.stored, present_season.config)
    assert (reach["programs"], reach["able"], reach["lacking"]) == (2, 1, ["eve@1"])
    assert reach["say"] == "1 of 2 programs could be compared; too little source to compare: eve@1"


def test_earlier_seasons_and_those_of_other_stores_are_compared_with(
    seasons: tuple[Shelved, Shelved], folder: Path
) -> None:
    earlier, now = seasons
    own = disguised((ROOT / "tests" / "season" / "test_roster.py").read_text())
    earlier.take("ann", bot__py=own)
    shutil.copytree(folder, folder / "backup")
    now.take("ann", bot__py=own)
    now.take("eve", bot__py=own)

    def copies_in(*against: str) -> list[list[str]]:
        rows, _ = find_copies(now.stored, now.config, against)
        return [[side["key"] for side in row["players"]] for row in rows]

    # Nobody is asked about what is one's own.
    before = ["eve@1", "ann@1@spring"]
    assert copies_in() == [["ann@1", "eve@1"], before]
    assert copies_in(str(folder / "backup" / "all.sqlite")) == [["ann@1", "eve@1"], before, before]


def test_what_a_build_may_leave_is_not_followed(present_season: Shelved, tmp_path: Path) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("secret = 1")
    place = present_season.take("eve", bot__py="own = 1", zeros__py="a\0b")
    (place / "link.py").symlink_to(secret)
    (place / "folder").symlink_to(tmp_path)
    os.mkfifo(place / "pipe.py")
    found = only(present_season)
    assert [file.name for file in found.files] == ["bot.py"]
    assert {one["file"]: one["why"] for one in found.left_out} == {
        "link.py": "it is a link",
        "pipe.py": "it is not a regular file",
        "zeros.py": "it is not text",
    }


def test_sizes_and_numbers_are_bounded_and_what_is_left_out_is_named(present_season: Shelved) -> None:
    most = {f"f{number:03}__py": "x\n" for number in range(MOST_FILES)}
    place = present_season.take("eve", **most)
    (place / "a.py").write_text("x" * (LARGEST + 1))
    found = only(present_season)
    assert len(found.files) == MOST_FILES - 1
    assert [one["file"] for one in found.left_out] == ["a.py", f"f{MOST_FILES - 1:03}.py"]


def test_the_sources_of_a_program_are_bounded_together(present_season: Shelved) -> None:
    text = "# " + "x" * (LARGEST - 2)
    present_season.take("eve", **{f"f{number}__py": text for number in range(MOST_BYTES // LARGEST + 1)})
    found = only(present_season)
    assert len(found.files) == MOST_BYTES // LARGEST
    assert "more than" in found.left_out[0]["why"]


def test_players_with_commands_are_read_with_their_folders(tmp_path: Path, present_season: Shelved) -> None:
    for name in ("ann", "ben"):
        (tmp_path / "own" / name).mkdir(parents=True)
        (tmp_path / "own" / name / "bot.py").write_text(f"{name} = 1")
        (tmp_path / "own" / name / "more.py").write_text(f"{name} = 2")
    file = tmp_path / "autumn.yaml"
    file.write_text(
        f"season: autumn\n{SETTINGS}"
        + "".join(f"  - {{name: {name}, command: [python3, own/{name}/bot.py]}}\n" for name in ("ann", "ben"))
        + "  - {name: cleo, command: [python3, own/ann/bot.py]}\n"
    )
    found = [one.read() for one in programs_of_season(load(file), present_season.stored)]
    # Whose folder is another one's too has but what the command names.
    assert [(one.side["key"], [file.name for file in one.files]) for one in found] == [
        ("ann", ["bot.py"]),
        ("ben", ["bot.py", "more.py"]),
        ("cleo", ["bot.py"]),
    ]


def test_players_that_are_samples_as_they_were_shipped_are_no_copies(
    tmp_path: Path, present_season: Shelved
) -> None:
    for name, held in season_files("planning", "autumn").items():
        (tmp_path / "made" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "made" / name).write_bytes(held)
    config = load(tmp_path / "made" / "season.yaml")
    assert not {"pimc", "greedy"} & {
        one.side["name"] for one in programs_of_season(config, present_season.stored)
    }
    assert find_copies(present_season.stored, config)[0] == []


def test_the_better_bot_of_the_starter_is_nobodys(present_season: Shelved) -> None:
    place = present_season.take("ann", bot__py="own = 1")
    (place / "better").mkdir()
    (place / "better" / "planning_pimc.py").write_text(PIMC)
    assert [file.name for file in only(present_season).files] == ["bot.py"]
    (place / "better" / "planning_pimc.py").write_text(PIMC + "x = 1\n")
    assert [file.name for file in only(present_season).files] == ["bot.py", "better/planning_pimc.py"]
