"""A season's sources as JPlag reads them: where what lies, under names that every system takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arbiter.cli import exit_code
from arbiter.contest.integrity.jplag import write_jplag
from arbiter.errors import ConfigError
from tests.contest.integrity.seasons import Shelved, folder, present_season, seasons

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["folder", "present_season", "seasons"]


def names(place: Path) -> set[str]:
    return {path.name for path in place.iterdir()}


def test_every_program_has_a_folder_of_its_own(seasons: tuple[Shelved, Shelved], folder: Path) -> None:
    earlier, now = seasons
    earlier.take("ann", bot__py="a = 0")
    now.take("ann", bot__py="a = 1", notes__txt="none")
    now.take("ben", main__cpp="int b;")
    commands = write_jplag(now.config, now.stored, str(folder / "out"))
    assert names(folder / "out") == {"new", "old", "base", "README.md"}
    assert names(folder / "out" / "new") == {"ann@1", "ben@1"}
    assert names(folder / "out" / "new" / "ann@1") == {"bot.py"}
    assert {"ann@1@spring", "@planning_pimc.py"} <= names(folder / "out" / "old")
    assert "@planning_kit.py" in names(folder / "out" / "base")
    assert not names(folder / "out" / "base") & names(folder / "out" / "old")
    parts = f"-bc {folder}/out/base -new {folder}/out/new -old {folder}/out/old"
    assert commands == [f"java -jar jplag.jar {parts} -l {language}" for language in ("cpp", "python3")]


def test_names_lead_nowhere_else_and_meet_nowhere(present_season: Shelved, folder: Path) -> None:
    hostile = ["../../x", "A b", "a_b", ".hidden", "a" * 64, "ann|`$(x)`"]
    for number, name in enumerate(hostile):
        present_season.take(name, bot__py=f"a = {number}")
    write_jplag(present_season.config, present_season.stored, str(folder / "out"))
    found = names(folder / "out" / "new")
    assert len(found) == len(hostile)
    assert len({name.casefold() for name in found}) == len(hostile)
    assert {(path / "bot.py").read_text() for path in (folder / "out" / "new").iterdir()} == {
        f"a = {n}" for n in range(len(hostile))
    }
    assert all(name.replace("~", "").replace("@", "").replace(".", "").isidentifier() for name in found)


def test_a_file_and_a_folder_that_get_the_same_name_are_both_written(
    present_season: Shelved, folder: Path
) -> None:
    place = present_season.take("ann", **{"a*__py": "a = 0"})
    (place / "a?.py").mkdir()
    (place / "a?.py" / "b.py").write_text("b = 0")
    write_jplag(present_season.config, present_season.stored, str(folder / "out"))
    assert names(folder / "out" / "new" / "ann@1") == {"a_.py", "a_.py_b.py"}


def test_what_is_there_is_never_written_over(present_season: Shelved, folder: Path) -> None:
    (folder / "out").mkdir()
    with pytest.raises(ConfigError, match="exists already"):
        write_jplag(present_season.config, present_season.stored, str(folder / "out"))
    with pytest.raises(ConfigError, match="cannot be written"):
        write_jplag(present_season.config, present_season.stored, str(folder / "none" / "out"))
    assert names(folder / "out") == set()


@pytest.mark.parametrize(("name", "said"), [("", "exists already"), ("l" * 250, "File name too long")])
def test_a_name_of_no_folder_is_refused(present_season: Shelved, name: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        write_jplag(present_season.config, present_season.stored, name)


def test_the_command_says_what_to_run(
    present_season: Shelved, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    present_season.take("ann", bot__py="a = 1")
    words = ["export", str(folder / "autumn.yaml"), "--as", "jplag", "--output"]
    assert exit_code([*words, str(folder / "out")]) == 0
    said = capsys.readouterr().out
    assert said.startswith("java -jar jplag.jar -bc ")
    assert said in (folder / "out" / "README.md").read_text()
    assert exit_code([*words, str(folder / "again"), "--round", "1"]) == 2
    assert exit_code([*words, str(folder / "out")]) == 2
