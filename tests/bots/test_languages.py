"""The bots of bots/languages, built as its README says, and started as the page "Languages" says."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from arbiter.cli import exit_code
from arbiter.match.clock import TimeControl
from arbiter.match.spec import Limits, MatchSpec
from arbiter.sandbox.player_command import registered
from arbiter.table import play_match
from arbiter.table.conductor import close_table
from tests.bots.languages import FOLDER, TABLE, build, entries, missing
from tests.docs.pages import ROOT
from tests.fixtures.tiers import need

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.process

RANDOM = ROOT / "bots" / "python" / "planning_random.py"
MEMORY_BYTES = 400_000_000
START_NS = 20_000_000_000
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
        if language not in done:
            done.add(language)
            build(language, season)
        return season

    return built_in


@pytest.fixture(scope="module", autouse=True)
def _no_table_left() -> Iterator[None]:
    yield
    close_table()


each_language = pytest.mark.parametrize("language", TABLE)
"""One worker has all tests of a language, so that it is built once."""


def test_every_file_is_in_the_table_and_on_the_page() -> None:
    suffixes = {".c", ".cpp", ".rs", ".go", ".java", ".mjs", ".py", ".lua", ".pl", ".sh"}
    files = {path for path in FOLDER.iterdir() if path.suffix in suffixes}
    assert files == {file for file, _, _ in TABLE.values()}
    assert list(entries(ROOT)) == list(TABLE)


@each_language
def test_plays_a_match_under_landlock(language: str, built: Callable[[str], Path]) -> None:
    need("landlock")
    player = entries(built(language))[language]
    lots = registered("lots", [sys.executable, "-I", "-S", str(RANDOM)], ROOT)
    players = tuple(replace(player if seat % 2 else lots, name=f"player {seat}") for seat in range(4))
    limits = Limits(TimeControl.parse("30s"), START_NS, MEMORY_BYTES, isolation="landlock")
    record = play_match(
        MatchSpec(
            id="match", season="languages", round=1, table=1, rotation=0, game="planning",
            options={"deals": [[3, 0], [5, 1]]}, seed="1", players=players, limits=limits,
        )
    )  # fmt: skip
    assert record.forfeit is None, [bot.stderr_tail for bot in record.bots]
    # What the machine did meanwhile is no fault of theirs.
    machines = ("of CPU beyond", "the referee was stopped", "it computed while others")
    notes = [note for bot in record.bots for note in bot.notes if not any(part in note for part in machines)]
    assert notes == []


@each_language
def test_passes_check_bot(
    language: str,
    built: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(built(language) / "bots" / language)
    words = [
        "check-bot",
        "--game",
        "planning",
        "--isolation",
        "plain",
        "--start-time",
        "20s",
        "--format",
        "json",
    ]
    assert exit_code([*words, "--", *TABLE[language][2]]) == 0, capsys.readouterr().out
    assert [
        step["name"] for step in json.loads(capsys.readouterr().out)["steps"] if step["ok"] is False
    ] == []


@each_language
def test_replies_to_each_line_of_a_dialogue(language: str, built: Callable[[str], Path]) -> None:
    folder = built(language) / "bots" / language
    said = b"".join(line for line, _ in DIALOGUE)
    start = TABLE[language][2]
    done = subprocess.run(start, cwd=folder, input=said, capture_output=True, check=False, timeout=60)
    *replies, rest = done.stdout.decode().split("\n\n")
    heard = ["?" if reply.startswith("?") else reply for reply in replies]
    assert heard == [reply for _, reply in DIALOGUE if reply is not None], done.stderr
    assert (rest, done.returncode) == ("", 0)


@each_language
def test_ends_at_quit_while_the_input_is_open(language: str, built: Callable[[str], Path]) -> None:
    folder = built(language) / "bots" / language
    start = TABLE[language][2]
    with subprocess.Popen(start, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(b"quit\n")
        process.stdin.flush()
        assert process.wait(60) == 0
        assert process.stdout.read() == b"=\n\n"
