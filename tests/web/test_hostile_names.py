"""A season of players whose names are formulas, links and tags, in every form in which it leaves."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any, get_args

import pytest
import yaml
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from pydantic import TypeAdapter, ValidationError

from arbiter.cli import exit_code
from arbiter.cli.standings import show_history
from arbiter.replay.export import TextForm, text
from arbiter.replay.export.columns import Column
from arbiter.replay.export.row_files import RowFile
from arbiter.season.config import load
from arbiter.season.config.value_types import Name
from arbiter.season.season import Season
from arbiter.store import Store
from arbiter.testing import play_by_policy, random_policy
from rating import read_results
from rating.cli import main as rating
from tests.fixtures.records import record

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from markdown_it.token import Token

    from arbiter.season.snapshot.schema import Rated

NAMES = ("=1+1", "](http://x)<b>", "a|b\\|`c`", ":smile: [red]x[/red]")
FORMS: tuple[TextForm, ...] = get_args(TextForm)


@pytest.fixture(scope="session")
def season_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A season with one complete round."""
    file = tmp_path_factory.mktemp("hostile") / "s.yaml"
    players = [{"name": name, "command": ["python3"]} for name in NAMES]
    shape = {"game": {"name": "planning", "deals": [[1, 0]]}, "seed": "s", "rounds": 1, "players": players}
    file.write_text(yaml.safe_dump(shape))
    config = load(file)
    store = Store(config.store)
    season = Season.open(config, store).stored
    going = Season(config, season)
    plan = going.rounds.plan()
    assert plan is not None
    for spec in plan.missing:
        season.add_match(play_by_policy(config.game, random_policy(spec.id), spec))
    going.rounds.finish(1)
    store.close()
    return file


@pytest.fixture
def said(season_file: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """What a command says of that season."""

    def call(command: str, *words: str) -> str:
        assert exit_code([command, str(season_file), *words]) == 0
        return capsys.readouterr().out

    return call


def tokens_of(document: str) -> list[Token]:
    tokens = MarkdownIt("commonmark").enable("table").parse(document)
    return [token for outer in tokens for token in (outer, *(outer.children or []))]


def cells_of(document: str) -> list[list[str]]:
    """The rows of a Markdown table as they are rendered."""
    rows: list[list[str]] = []
    for token in MarkdownIt("commonmark").enable("table").parse(document):
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append("".join(child.content for child in token.children or []))
    return rows


MARKDOWN = [("standings",), ("standings", "--history"), ("crosstable",)]


@pytest.mark.parametrize("command", [*MARKDOWN, ("marks",)])
def test_markdown_has_neither_links_nor_tags(command: tuple[str, ...], said: Callable[..., str]) -> None:
    kinds = {token.type for token in tokens_of(said(*command, "--format", "markdown"))}
    assert not kinds & {"link_open", "html_inline", "html_block", "code_inline", "image"}


@pytest.mark.parametrize("command", MARKDOWN)
def test_markdown_shows_names_as_they_are_in_cells_of_their_own(
    command: tuple[str, ...], said: Callable[..., str]
) -> None:
    heading, *rows = cells_of(said(*command, "--format", "markdown"))
    assert {len(row) for row in rows} == {len(heading)}
    assert {row[heading.index("player")] for row in rows} == set(NAMES)


@pytest.mark.parametrize(
    "command",
    [
        ("standings",),
        ("marks", "--format", "text"),
        ("crosstable",),
        ("matches",),
        ("show", "r001/t01/m0"),
    ],
)
def test_tables_for_people_show_names_as_they_are(command: tuple[str, ...], said: Callable[..., str]) -> None:
    name, *words = command
    shown = said(name, *words)
    assert [player for player in NAMES if player not in shown] == []


@pytest.mark.parametrize(
    ("command", "column"), [(("standings", "--format", "csv"), "player"), (("marks",), "author")]
)
def test_tables_for_a_spreadsheet_have_no_formula_and_figures_of_either_sign(
    said: Callable[..., str], command: tuple[str, ...], column: str
) -> None:
    rows = list(csv.DictReader(io.StringIO(said(*command))))
    assert {row[column] for row in rows} == {"'=1+1", *NAMES[1:]}
    assert column == "author" or any(float(row["low"]) < 0 for row in rows)


def test_names_among_the_headings_of_csv_are_no_formulas() -> None:
    found = CliRunner().invoke(rating, ["los", "-", "--format", "csv"], input="'=1+1,ann,1-0\n")
    assert found.stdout.splitlines()[0] == "player,'=1+1,ann"


def test_history_for_a_spreadsheet_has_no_formula(capsys: pytest.CaptureFixture[str]) -> None:
    player: Rated = {"rank": 1, "player": "@x", "elo": -1.5, "low": None, "high": 2.0}
    show_history({"season": "s", "history": [{"round": 1, "players": [player]}]}, "csv")
    assert capsys.readouterr().out.splitlines()[1] == "1,1,'@x,-1.5,,2.0"


def test_data_sets_have_no_formula(tmp_path: Path) -> None:
    columns = {"player": Column("text", "who"), "points": Column("int", "its points")}
    with RowFile(str(tmp_path / "a.csv"), columns) as out:
        out.write([{"player": "=1+1", "points": -3}])
    assert (tmp_path / "a.csv").read_text() == "player,points\n'=1+1,-3\n"


def test_an_error_cannot_steer_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(["check-config", str(tmp_path / "\x1b[2J\u202e.yaml")]) == 2
    err = capsys.readouterr().err
    assert "\\x1b[2J\\u202e.yaml" in err


# What `rating` reads back


def accepted(name: str) -> bool:
    try:
        TypeAdapter(Name).validate_python(name)
    except ValidationError:
        return False
    return True


NAME = (
    st.text(st.characters(exclude_categories=("C", "Z"), exclude_characters='#@"'), min_size=1, max_size=64)
    | st.lists(st.sampled_from([*"'=+-－1e.,;|\\{}[]%?\u3164 ", "1-0", "white"]), max_size=8).map("".join)
).filter(accepted)


@pytest.mark.parametrize("form", FORMS)
@given(names=st.lists(NAME, min_size=4, max_size=4, unique=True))
def test_rating_names_the_players_of_a_season_as_the_season_does(form: TextForm, names: list[str]) -> None:
    document = "".join(text(form, [record(players=tuple(names))]))
    read = read_results(["-"], form=form, stdin=io.BytesIO(document.encode()))
    assert set(read.table.players) == set(names)


@pytest.mark.parametrize("form", FORMS)
def test_the_command_rating_fit_names_the_players(form: TextForm, said: Callable[..., str]) -> None:
    found = CliRunner().invoke(
        rating, ["fit", "-", "--format", "json"], input=said("export", "--as", form, "--output", "-")
    )
    document: dict[str, Any] = json.loads(found.stdout)
    assert {player["player"] for player in document["players"]} == set(NAMES)


def test_a_line_end_in_a_name_makes_no_tag_of_its_own() -> None:
    lines = "".join(text("pgn", [record(season='s"]\n[White "x')])).splitlines()
    count = {tag: sum(line.startswith(f"[{tag} ") for line in lines) for tag in ("Event", "White")}
    assert count["Event"] == count["White"]


@pytest.mark.parametrize("name", ["Zoë O'Brien", "d'Artagnan", "'"])
def test_a_name_may_have_an_apostrophe(name: str) -> None:
    assert TypeAdapter(Name).validate_python(name) == name
