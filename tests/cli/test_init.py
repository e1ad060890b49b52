"""`arbiter init`: a season to start from; the kit that an author starts from, accepted as it is."""

from __future__ import annotations

import errno
import io
import os
import re
import shlex
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from arbiter.contest.submissions.inspection import inspect
from arbiter.games import find
from arbiter.games.samples import BOTS, GAMES, bot_words
from arbiter.games.samples.sample_languages import LANGUAGES
from arbiter.games.samples.starter import BETTER, PROGRAM, README, starter_kit
from arbiter.season.config import load

if TYPE_CHECKING:
    from tests.fixtures.commands import Run


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, outside of any clone."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def all_files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, and every folder as empty bytes."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
    }


def refused(result: tuple[int, str, str], line: str) -> None:
    assert result == (2, "", f"{line}\n")


@pytest.mark.parametrize("game", GAMES)
def test_the_season_of_a_game_passes_the_check(arbiter: Run, place: Path, game: str) -> None:
    code, out, err = arbiter("init", "spring", "--game", game)
    assert (code, err) == (0, "")
    assert out.splitlines()[-1].endswith(": cd spring && arbiter run-round season.yaml")
    assert "for a course with teams: spring/README.md has the checklist" in out
    assert (
        "authors add season.yaml --csv"
        in (place / "spring" / "README.md").read_text().partition("## A course")[2]
    )
    code, out, err = arbiter("check-config", "spring/season.yaml")
    assert (code, err) == (0, "")
    assert "ok" in out
    season = yaml.safe_load((place / "spring" / "season.yaml").read_text())
    assert season["season"] == "spring"
    assert season["house_bots"] == [player["name"] for player in season["players"] if player.get("house")]


@pytest.mark.parametrize("game", GAMES)
def test_a_ladder_is_written_with_all_that_its_bots_are_made_of(arbiter: Run, place: Path, game: str) -> None:
    code, out, err = arbiter("init", "steps", "--game", game, "--ladder")
    assert (code, err) == (0, "")
    assert "make -C bots/cpp" in out
    season = yaml.safe_load((place / "steps" / "season.yaml").read_text())
    assert (season["season"], season["store"]) == ("steps", "sqlite:///season.sqlite")
    files = [word for player in season["players"] for word in player["command"] if word.startswith("bots/")]
    sources = [re.sub(r"/build/(\w+)$", r"/\1.cpp", file) for file in files]
    assert [file for file in sources if not (place / "steps" / file).is_file()] == []
    assert len(sources) == len(season["players"])
    written = [place / "steps" / file for file in sources if file.endswith(".cpp")]
    headers = [
        path.with_name(name) for path in written for name in re.findall('include "(.*)"', path.read_text())
    ]
    assert [path for path in headers if not path.is_file()] == []
    read = [path for player in season["players"] for path in player.get("read", ())]
    assert [path for path in read if not (place / "steps" / path).is_dir()] == []
    assert (place / "steps" / "bots" / "cpp" / "Makefile").is_file()


@pytest.mark.parametrize("game", GAMES)
def test_a_bot_in_another_language_plays_along(arbiter: Run, place: Path, game: str) -> None:
    code, out, _ = arbiter("init", "spring", "--game", game, "--language", "cpp")
    assert code == 0
    assert "build the bot mine: (cd spring/bots/mine && c++ " in out
    first = yaml.safe_load((place / "spring" / "season.yaml").read_text())["players"][0]
    assert first == {"name": "mine", "command": ["bots/mine/bot"]}
    assert f"A minimal bot for {find(game).title}" in (place / "spring/bots/mine/bot.cpp").read_text()
    readme = (place / "spring" / "README.md").read_text()
    assert readme.count("(cd bots/mine && c++ ") == 2
    assert f"arbiter check-bot --game {game} -- bots/mine/bot\n" in readme
    assert "python3" not in readme


@pytest.mark.parametrize(
    ("language", "command"),
    [
        ("clojure", ["java", "-jar", "bots/mine/bot.jar", "bots/mine/bot.clj"]),
        ("sbcl", ["sbcl", "--script", "bots/mine/bot.lisp"]),
        ("haskell", ["bots/mine/bot"]),
    ],
)
def test_an_entry_names_each_of_the_bots_files_by_its_path(
    arbiter: Run, place: Path, language: str, command: list[str]
) -> None:
    assert arbiter("init", "spring", "--language", language)[0] == 0
    assert yaml.safe_load((place / "spring" / "season.yaml").read_text())["players"][0]["command"] == command


def test_a_language_without_a_bot_is_one_line_with_the_known_ones(arbiter: Run, place: Path) -> None:
    line = "arbiter: --language lua: no bot of chefs_hat (expected one of c++, java, javascript; the other bots are in Python)"
    refused(arbiter("init", "spring", "--game", "chefs_hat", "--language", "lua"), line)
    assert all_files(place) == {}
    assert arbiter("init", "spring", "--ladder", "--language", "lua")[0] == 2


def test_planning_is_the_game_where_none_is_named(arbiter: Run, place: Path) -> None:
    assert arbiter("init", "spring")[0] == 0
    assert yaml.safe_load((place / "spring" / "season.yaml").read_text())["game"] == "planning"


@pytest.mark.parametrize("game", GAMES)
def test_each_bot_has_a_folder_with_all_that_it_imports(arbiter: Run, place: Path, game: str) -> None:
    arbiter("init", "spring", "--game", game)
    shipped = {path.stem for path in BOTS.glob("*.py")}
    for folder in (place / "spring" / "bots").iterdir():
        there = {path.stem for path in folder.iterdir()}
        texts = [path.read_text() for path in folder.iterdir()]
        imported = {
            name for text in texts for name in re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)
        }
        assert imported & shipped <= there
        assert all((BOTS / path.name).read_bytes() == path.read_bytes() for path in folder.iterdir())


@pytest.mark.process
def test_the_commands_of_the_readme_work(arbiter: Run, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arbiter("init", "spring", "--game", "chefs_hat")
    monkeypatch.chdir(place / "spring")
    lines = re.findall(r"^\$ arbiter (.*)", Path("README.md").read_text(), re.MULTILINE)
    assert [line.split()[0] for line in lines] == [
        "check-config",
        "run-round",
        "standings",
        "show",
        "check-bot",
    ]
    for line in lines:
        code, _, err = arbiter(*shlex.split(line))
        assert code == 0, err
        assert "can read the files of" not in err


def test_a_folder_with_other_files_keeps_them(arbiter: Run, place: Path) -> None:
    (place / "bots" / "mine").mkdir(parents=True)
    (place / "bots" / "mine" / "bot.py").write_text("mine")
    code, out, _ = arbiter("init", ".")
    assert code == 0
    assert out.splitlines()[-1].endswith(": arbiter run-round season.yaml")
    assert (place / "bots" / "mine" / "bot.py").read_text() == "mine"
    assert (place / "season.yaml").is_file()


@pytest.mark.parametrize("name", ["season.yaml", "README.md", "bots/random/planning_random.py"])
def test_where_a_file_is_there_already_nothing_is_written(arbiter: Run, place: Path, name: str) -> None:
    file = place / "spring" / name
    file.parent.mkdir(parents=True)
    file.write_text("mine")
    before = all_files(place)
    line = f"spring/{name}: already exists (nothing was written; name another folder)"
    refused(arbiter("init", "spring"), line)
    assert all_files(place) == before


def test_a_link_to_nowhere_is_not_written_through(arbiter: Run, place: Path) -> None:
    (place / "season.yaml").symlink_to(place / "elsewhere")
    line = "season.yaml: already exists (nothing was written; name another folder)"
    refused(arbiter("init", "."), line)
    assert not (place / "elsewhere").exists()


def test_nothing_is_left_where_the_disk_is_full(
    arbiter: Run, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Path.open

    def full(self: Path, mode: str = "r", **options: Any) -> Any:
        if self.parent.name == "random" and mode == "xb":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return opened(self, mode, **options)

    monkeypatch.setattr(Path, "open", full)
    line = "cannot be written: No space left on device (nothing was written)"
    refused(arbiter("init", "spring"), f"spring/bots/random/planning_random.py: {line}")
    assert all_files(place) == {}


def test_a_place_where_no_folder_can_be_is_one_line(arbiter: Run, place: Path) -> None:
    (place / "file").write_text("")
    refused(arbiter("init", "file"), "file: already exists (nothing was written; name another folder)")
    refused(arbiter("init", "file/x"), "file/x: cannot be written: Not a directory (nothing was written)")
    refused(
        arbiter("init", "no/x"), "no/x: cannot be written: No such file or directory (nothing was written)"
    )


def test_an_unknown_game_is_one_line_with_the_known_ones(arbiter: Run, place: Path) -> None:
    line = (
        "arbiter: --game bridge: no sample season (expected one of planning, codepiece, dou_dizhu, chefs_hat)"
    )
    refused(arbiter("init", "spring", "--game", "bridge"), line)
    assert all_files(place) == {}


def test_a_folder_whose_name_is_no_season_s_gets_the_game_s(arbiter: Run, place: Path) -> None:
    assert arbiter("init", 'a "b": #1')[0] == 0
    assert arbiter("check-config", 'a "b": #1/season.yaml')[0] == 0
    assert yaml.safe_load((place / 'a "b": #1' / "season.yaml").read_text())["season"] == "planning"


def test_a_folder_whose_name_is_none_for_a_season_is_told(arbiter: Run, place: Path) -> None:
    code, _, err = arbiter("init", "my season")
    said = (
        "'my season' is not a valid season name: the season is called planning; change season: in season.yaml"
    )
    assert (code, err) == (0, f"arbiter: {said}\n")
    assert yaml.safe_load((place / "my season" / "season.yaml").read_text())["season"] == "planning"


def test_a_folder_without_a_name_is_refused(arbiter: Run, place: Path) -> None:
    line = "arbiter: empty folder name (arbiter init . writes into the current folder)"
    refused(arbiter("init", ""), line)
    assert all_files(place) == {}


def test_the_next_command_enters_a_folder_that_looks_like_an_option(arbiter: Run) -> None:
    assert ": cd -- -x && arbiter run-round season.yaml\n" in arbiter("init", "--", "-x")[1]


MOST = 10**7
SHORT = {
    "planning": "{name: planning, deals: [[1, 0]]}",
    "codepiece": "{name: codepiece, dealers: [0]}",
    "dou_dizhu": "{name: dou_dizhu, landlords: [0]}",
    "chefs_hat": "{name: chefs_hat, matches: 1}",
}


@pytest.mark.process
@pytest.mark.parametrize(
    ("game", "language"),
    [
        *((game, None) for game in GAMES),
        *(("planning", language) for language in ("c", "perl", "haskell", "pascal")),
        ("dou_dizhu", "javascript"),
    ],
)
def test_a_starter_kit_is_accepted_as_it_is(game: str, language: str | None, tmp_path: Path) -> None:
    if language is not None and (lacks := LANGUAGES[language].missing()):
        pytest.skip(f"no {lacks}")
    words = ["python3", "-S", *bot_words(game, "random")]
    file = tmp_path / "season.yaml"
    file.write_text(
        f"game: {SHORT[game]}\nsubmissions: {{}}\nevery: 24h\nhouse_bots: [random]\n"
        f"players: [{{name: random, command: {words}, house: true}}]\n"
    )
    sent = tmp_path / "starter.zip"
    sent.write_bytes(starter_kit(game, game, "season", [], MOST, language) or b"")
    verdict = inspect(sent, tmp_path / "season.submissions" / "ann-1", load(file), "ann@1", lambda _: None)
    assert [step for step in verdict.steps if not step.ok] == []
    assert verdict.state == "accepted"


def test_the_readme_of_a_kit_in_another_language_has_its_commands() -> None:
    made = starter_kit("planning", "Planning", "s", ["--time", "9s"], MOST, "java") or b""
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        assert archive.namelist() == [README, "Bot.java", "bot.yaml"]
        lines = archive.read(README).decode().splitlines()
    first = lines.index("javac Bot.java")
    assert lines[first + 1 : first + 3] == [
        "jar cfe bot.jar Bot *.class",
        "arbiter check-bot --game planning --time 9s -- java -jar bot.jar",
    ]


@pytest.mark.process
def test_its_readme_has_the_command_that_tries_it_under_the_seasons_terms(
    tmp_path: Path, arbiter: Run, monkeypatch: pytest.MonkeyPatch
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
    assert starter_kit("chefs_hat", "Chef's Hat", "s", [], MOST, "lua") is None


def test_where_an_archive_may_have_few_bytes_the_kit_has_only_what_is_started() -> None:
    made = starter_kit("planning", "Planning", "s", [], 10_000) or b""
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        assert archive.namelist() == [README, PROGRAM]
        assert BETTER not in archive.read(README).decode()
    assert len(made) <= 10_000
