"""The bots of bots/languages, built as its README says, and started as a season names them."""

from __future__ import annotations

import json
import shlex
import subprocess
from typing import TYPE_CHECKING

import pytest

from arbiter.cli import exit_code
from arbiter.games import find
from arbiter.games.samples.sample_languages import LANGUAGES, languages_of
from tests.bots.languages import FOLDER, build, missing, player_of
from tests.fixtures.profiles import PROFILE
from tests.fixtures.tiers import need

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.process

# What is said to a bot on seat 1 of 3, and the reply; None for none.
DIALOGUE: list[tuple[bytes, str | None]] = [
    (b"set_deck 789* A[?\n", "="),
    (b"set_players 3 1\n", "="),
    (b"set_game 2 3 0 1 1\n", "="),
    (b"hello\n", "?"),
    (b"\xff\xfe there\n", "?"),
    (b"gen_move\n", "?"),
    (b"set_cards 3 *A 7[ *?\r\n", "="),
    (b"\r\n", None),
    (b"\n", None),
    (b"set_cards 2 7A\n", "?"),
    (b"set_players x 1\n", "?"),
    (b"time_left 5000\n", "="),
    (b"gen_declare\n", "= 2"),
    (b"declare 0 1\n", "="),
    (b"play 0 8?\n", "="),
    (b"gen_move\n", "= *?"),
    (b"gen_move\n", "= *?"),
    (b"play 1 *?\n", "="),
    (b"play 2 7A\n", "="),
    (b"play 2 9?\n", "="),
    (b"play 0 7?\n", "="),
    (b"gen_move\n", "= *A"),
    (b"play 1 *A\n", "="),
    (b"gen_move\n", "= 7["),
    (b"play 1 7[\n", "="),
    (b"gen_move\n", "?"),
    (b"set_cards 1 8A\n", "="),
    (b"gen_declare\n", "= 0"),
    (b"gen_move", "= 8A"),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Builds a language's bot, once, in its folder below a season's: the season's folder."""
    season = tmp_path_factory.mktemp("season")
    done = set()

    def built_in(language: str) -> Path:
        if lacks := missing(language):
            pytest.skip(lacks)
        if language in SLOW and PROFILE != "thorough":
            pytest.skip(f"{language}: a compiler or a start of 5 s and more, in the profile thorough alone")
        if language not in done:
            done.add(language)
            build(language, season)
        return season

    return built_in


each_language = pytest.mark.parametrize("language", LANGUAGES)
"""One worker has all tests of a language, so that it is built once."""
SLOW = {"elixir", "kotlin", "scala", "clojure", "racket", "ada", "zig"}


OTHERS = {
    "codepiece": ("c++", "java", "javascript"),
    "dou_dizhu": ("c++", "java", "javascript"),
    "chefs_hat": ("c++", "java", "javascript"),
}
SHORT = {"codepiece": "dealers=[0]", "dou_dizhu": "landlords=[0, 1]", "chefs_hat": "matches=2"}


@pytest.mark.parametrize("game", OTHERS)
def test_a_games_languages_are_those_of_its_folder(game: str) -> None:
    assert tuple(languages_of(game)) == OTHERS[game]


@pytest.fixture(scope="module", params=OTHERS)
def of_a_game(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A game, and a season's folder with its bots in all languages that this machine has."""
    game, season = request.param, tmp_path_factory.mktemp("season")
    for language in OTHERS[game]:
        if not missing(language):
            build(language, season, game)
    return game, season


@pytest.mark.parametrize("language", ["c++", "java", "javascript"])
def test_the_bot_of_another_game_passes_check_bot(
    of_a_game: tuple[str, Path],
    language: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    game, season = of_a_game
    if lacks := missing(language):
        pytest.skip(lacks)
    if language != "c++" and PROFILE != "thorough":
        pytest.skip(
            f"{language}: decides as C++, as the next test shows; checked in the profile thorough alone"
        )
    monkeypatch.chdir(season)
    words = ["check-bot", "--game", game, "--option", SHORT[game], "--start-time", "20s", "--format", "json"]
    assert exit_code([*words, "--", *player_of(language, season).command]) == 0, capsys.readouterr().out
    steps = json.loads(capsys.readouterr().out)["steps"]
    assert [step["name"] for step in steps if step["ok"] is False] == []


@pytest.mark.parametrize("rules", ["", *(["rules=gym2"] if PROFILE == "thorough" else [])])
def test_the_bots_of_a_game_decide_alike_in_all_languages(
    of_a_game: tuple[str, Path],
    rules: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    game, season = of_a_game
    if rules and game != "chefs_hat":
        pytest.skip("rules of Chef's Hat")
    monkeypatch.chdir(season)
    options = [word for option in (SHORT[game], rules) if option for word in ("--option", option)]
    played = {}
    for language in OTHERS[game]:
        if not missing(language):
            bot = f"--bot={shlex.join(player_of(language, season).command)}"
            words = ["play", "--strict", "--game", game, *options, "--seed", "7", "--start-time", "20s"]
            assert exit_code([*words, *[bot] * find(game)().seats, "--format", "json"]) == 0
            moves = json.loads(capsys.readouterr().out)["moves"]
            played[language] = [(move["seat"], move["request"], move["action"]) for move in moves]
    if len(played) < 2:
        pytest.skip("one language or none here")
    first, *others = played.values()
    assert all(moves == first for moves in others)


def test_every_file_is_in_the_table() -> None:
    sources = {path.name for path in FOLDER.glob("[Bb]ot.*") if path.suffix not in (".jar", ".class")}
    assert sources == {language.file for language in LANGUAGES.values()}


@each_language
def test_passes_check_bot_under_landlock(
    language: str,
    built: Callable[[str], Path],
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    need("landlock")
    monkeypatch.chdir(season := built(language))
    limits = ["--isolation", "landlock", "--memory", "400MB", "--start-time", "20s", "--format", "json"]
    words = ["check-bot", "--game", "planning", "--option", "deals=[[1, 0], [2, 1]]", *limits]
    assert exit_code([*words, "--", *player_of(language, season).command]) == 0, capsys.readouterr().out
    steps = json.loads(capsys.readouterr().out)["steps"]
    assert [step["name"] for step in steps if step["ok"] is False] == []


@each_language
def test_replies_to_each_line_of_a_dialogue(language: str, built: Callable[[str], Path]) -> None:
    folder = built(language) / "bots" / language
    said = b"".join(line for line, _ in DIALOGUE)
    start = LANGUAGES[language].start
    done = subprocess.run(start, cwd=folder, input=said, capture_output=True, check=False, timeout=60)
    *replies, rest = done.stdout.decode().split("\n\n")
    heard = ["?" if reply.startswith("?") else reply for reply in replies]
    assert heard == [reply for _, reply in DIALOGUE if reply is not None], done.stderr
    assert (rest, done.returncode) == ("", 0)
