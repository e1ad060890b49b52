"""The bots of bots/languages, built and started as its README says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbiter.clock import TimeControl
from arbiter.match import Limits, MatchSpec, Player
from arbiter.players import registered
from arbiter.table import play_match
from arbiter.table.conduct import close_table
from arbiter.table.sandbox.isolation import probe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.process

FOLDER = Path(__file__).parents[2] / "bots" / "languages"
RANDOM = FOLDER.parent / "python" / "planning_random.py"
MEMORY_BYTES = 400_000_000
START_NS = 20_000_000_000
NAMES = {
    "cc": "C compiler", "c++": "C++ compiler", "rustc": "Rust compiler", "go": "Go compiler",
    "javac": "Java compiler",
}  # fmt: skip
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


def table() -> dict[str, tuple[Path, list[str], list[str]]]:
    """Language to (file, commands that build, command that starts), from the README."""
    lines = (FOLDER / "README.md").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("|")]
    return {
        language.lower(): (
            FOLDER / file.partition("](")[2].rstrip(")"),
            [command for command in build.strip("`").split(" && ") if command],
            start.strip("`").split(),
        )
        for language, file, build, start, _ in cells[2:]
    }


TABLE = table()
MINIMAL = [language for language, (file, *_) in TABLE.items() if file.parent == FOLDER]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[list[str], Path]]:
    """Builds a language's bot, once, in a folder of its own: the command that starts it, and the folder."""
    folders: dict[str, Path] = {}
    settings = {"CGO_ENABLED": "0", "GO111MODULE": "off", "GOCACHE": str(tmp_path_factory.mktemp("cache"))}

    def build(language: str) -> tuple[list[str], Path]:
        file, commands, start = TABLE[language]
        for program in [command.split()[0] for command in commands] + start[:1]:
            if not program.startswith("./") and shutil.which(program) is None:
                pytest.skip(f"no {NAMES.get(program, program)}")
        if language not in folders:
            folder = folders[language] = tmp_path_factory.mktemp("bot")
            shutil.copy(file, folder)
            for command in commands:
                subprocess.run(command, shell=True, cwd=folder, env={**os.environ, **settings}, check=True)
        return start, folders[language]

    return build


@pytest.fixture(scope="module", autouse=True)
def _no_table_left() -> Iterator[None]:
    yield
    close_table()


def each(languages: list[str]) -> pytest.MarkDecorator:
    """One worker has all tests of a language, so that it is built once."""
    marked = [pytest.param(name, marks=pytest.mark.xdist_group(f"bot in {name}")) for name in languages]
    return pytest.mark.parametrize("language", marked)


def test_every_file_is_in_the_table() -> None:
    files = {
        path for path in FOLDER.iterdir() if path.suffix in {".c", ".rs", ".go", ".mjs", ".lua", ".pl", ".sh"}
    }
    assert files | {FOLDER / "Bot.java"} == {TABLE[language][0] for language in MINIMAL}


@each(list(TABLE))
def test_plays_a_match_under_landlock(language: str, built: Callable[[str], tuple[list[str], Path]]) -> None:
    if not probe()["landlock"].available:
        pytest.skip(f"landlock: {probe()['landlock'].reason}")
    players: list[Player] = []
    for seat in range(4):
        start, folder = built(language) if seat % 2 else ([sys.executable, "-I", "-S", str(RANDOM)], FOLDER)
        players.append(registered(f"player {seat}", start, folder))
    limits = Limits(TimeControl.parse("30s"), START_NS, MEMORY_BYTES, isolation="landlock")
    record = play_match(
        MatchSpec(
            id="match", season="languages", round=1, table=1, rotation=0, game="planning",
            options={"deals": [[3, 0], [5, 1]]}, seed="1", players=tuple(players), limits=limits,
        )
    )  # fmt: skip
    assert record.forfeit is None, [bot.stderr_tail for bot in record.bots]
    notes = [note for bot in record.bots for note in bot.notes if "of CPU beyond" not in note]
    assert notes == []


@each(MINIMAL)
def test_replies_to_each_line_of_a_dialogue(
    language: str, built: Callable[[str], tuple[list[str], Path]]
) -> None:
    start, folder = built(language)
    said = b"".join(line for line, _ in DIALOGUE)
    done = subprocess.run(start, cwd=folder, input=said, capture_output=True, check=False, timeout=60)
    *replies, rest = done.stdout.decode().split("\n\n")
    heard = ["?" if reply.startswith("?") else reply for reply in replies]
    assert heard == [reply for _, reply in DIALOGUE if reply is not None], done.stderr
    assert (rest, done.returncode) == ("", 0)


@each(MINIMAL)
def test_ends_at_quit_while_the_input_is_open(
    language: str, built: Callable[[str], tuple[list[str], Path]]
) -> None:
    start, folder = built(language)
    with subprocess.Popen(start, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(b"quit\n")
        process.stdin.flush()
        assert process.wait(60) == 0
        assert process.stdout.read() == b"=\n\n"
