"""A season of more players than a page has rows: each part is there once, and no page is large."""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.season.config import load
from arbiter.season.snapshot import season_figures
from arbiter.season.snapshot.reader import read_state
from arbiter.store import Store
from tests.bench.big_season import make_big_season
from tests.fixtures.site import visiting

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from starlette.testclient import TestClient

    from arbiter.season.snapshot.season_state import SeasonState

pytestmark = pytest.mark.slow

PLAYERS, ROUNDS, BEGUN = 208, 3, 30
API, PAGE = "/api/v1/seasons/big", "/seasons/big"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_big_season(tmp_path_factory.mktemp("big"), PLAYERS, ROUNDS, BEGUN)


@pytest.fixture(scope="module")
def client(file: Path) -> Iterator[TestClient]:
    with visiting(file) as client:
        yield client


@pytest.fixture(scope="module")
def state(file: Path) -> Iterator[SeasonState]:
    config = load(file)
    with closing(Store(config.store)) as store:
        season = store.season("big")
        assert season is not None
        yield read_state(config, season)


def pages(client: TestClient, address: str, key: str) -> list[Any]:
    """The rows of all pages, each of at most a hundred."""
    found: list[Any] = []
    page: int | None = 1
    while page is not None:
        shape = client.get(f"{API}{address}{'&' if '?' in address else '?'}page={page}").json()
        assert 0 < len(shape[key]) <= 100
        assert shape["page"] == page
        found += shape[key]
        page = shape["next"]
    return found


@pytest.mark.parametrize("query", ["", "?after_round=2"])
def test_pages_of_standings_are_all_standings(client: TestClient, state: SeasonState, query: str) -> None:
    whole = season_figures.standings(state, 2 if query else None)
    assert pages(client, f"/standings{query}", "players") == whole["players"]
    assert client.get(f"{API}/standings").json()["first"] == season_figures.standings(state)["first"]


def test_a_player_is_found_on_its_page_of_the_standings(client: TestClient, state: SeasonState) -> None:
    names = [row["player"] for row in season_figures.standings(state)["players"]]
    for place in (0, 99, 100, 207):
        shape = client.get(f"{API}/standings?player={names[place]}").json()
        assert shape["page"] == place // 100 + 1
        assert names[place] in [row["player"] for row in shape["players"]]
    assert client.get(f"{API}/standings?player=nobody").json()["page"] == 1


def test_windows_of_the_crosstable_are_parts_of_all_of_it(client: TestClient, state: SeasonState) -> None:
    whole = season_figures.crosstable(state)
    assert whole is not None
    for row, column in ((1, 1), (2, 1), (1, 3), (3, 2)):
        shape = client.get(f"{API}/crosstable?page={row}&columns={column}").json()
        rows, columns = slice(100 * row - 100, 100 * row), slice(100 * column - 100, 100 * column)
        assert shape["players"] == whole["players"][rows]
        assert shape["against"] == whole["players"][columns]
        for found, wanted in zip(shape["cells"], whole["cells"][rows], strict=True):
            for one, other in zip(found, wanted[columns], strict=True):
                assert one == (other and pytest.approx(other))
    assert client.get(f"{API}/crosstable?page=4").status_code == 404


def test_blocks_lead_to_every_window_of_the_crosstable(client: TestClient, state: SeasonState) -> None:
    text = client.get(f"{PAGE}/crosstable?page=2&columns=3").text
    leads = set(re.findall(r'href="([^"]*crosstable\?page=\d&amp;columns=\d)"', text))
    assert len(leads) == 9
    assert text.count(" here") == 1
    assert "<td" in text
    played = sum(
        block["wins"] + block["draws"] + block["losses"]
        for row in season_figures.blocks(state)
        for block in row
    )
    assert played == sum(row["results"] for row in season_figures.standings(state)["players"])


@pytest.mark.parametrize("number", [2, ROUNDS + 1])
def test_pages_of_a_round_have_every_match_once(client: TestClient, state: SeasonState, number: int) -> None:
    tables = pages(client, f"/rounds/{number}", "tables")
    assert [table["table"] for table in tables] == list(range(1, PLAYERS // 4 + 1))
    if number <= ROUNDS:
        boards = pages(client, f"/boards/{number}", "tables")
        assert [table["table"] for table in boards] == list(range(1, PLAYERS // 4 + 1))
    ids = [match["id"] for table in tables for match in table["matches"]]
    assert ids == [match.id for match in state.matches if match.round == number]
    assert len(client.get(f"{API}/rounds/{number}").json()["tables"]) == 25


def test_matches_come_in_the_order_of_the_plan_page_by_page(client: TestClient, state: SeasonState) -> None:
    found: list[str] = []
    cursor: int | None = 0
    while cursor is not None:
        shape = client.get(f"{API}/matches?limit=1000&cursor={cursor}").json()
        assert len(shape["matches"]) <= 100
        found += [match["id"] for match in shape["matches"]]
        cursor = shape["next"]
    assert found == [match.id for match in state.matches]


def test_matches_of_players_are_theirs(client: TestClient, state: SeasonState) -> None:
    one = state.matches[0].players[0]
    for query, names in (
        (f"player={one}", {one}),
        (f"player={one}&against={state.matches[0].players[2]}", {*state.matches[0].players[::2]}),
    ):
        found = [match["id"] for match in client.get(f"{API}/matches?{query}").json()["matches"]]
        assert found == [match.id for match in state.matches if names <= set(match.players)]
        told = [match["id"] for match in client.get(f"{API}/matches?{query}&round=2").json()["matches"]]
        assert told == [match_id for match_id in found if match_id.startswith("r002/")]


def test_ratings_by_round_come_in_pages_of_players(client: TestClient, state: SeasonState) -> None:
    whole = {entry["round"]: entry["players"] for entry in season_figures.history(state)["history"]}
    names = [row["player"] for row in season_figures.standings(state, official=False)["players"]]
    shape = client.get(f"{API}/history?page=2").json()
    assert [entry["round"] for entry in shape["history"]] == [1, 2, 3]
    for entry in shape["history"]:
        assert entry["players"] == [row for row in whole[entry["round"]] if row["player"] in names[100:200]]
    before = client.get(f"{API}/history?page=3&before=3").json()
    assert [entry["round"] for entry in before["history"]] == [1, 2]
    assert before["earlier"] is None


def test_the_live_page_begins_where_matches_are_to_be_played(client: TestClient) -> None:
    text = client.get(f"{PAGE}/live").text
    assert f"r004/t{BEGUN // 4 + 1:02d}/m3" in text
    assert "page 1 of 3" in text
    assert "<h3>Table 26</h3>" in client.get(f"{PAGE}/live?page=2").text


def test_a_form_asks_for_a_name_where_there_are_many(client: TestClient) -> None:
    text = client.get(f"{PAGE}/matches").text
    assert '<input name="player"' in text
    assert text.count("<option") < 10


@pytest.mark.parametrize(
    "address",
    ["", "/standings", "/crosstable", "/crosstable?show=los", "/history", "/live", "/live?wall=1", "/matches", "/rounds/1",
     "/boards/1", "/players/player-0003", "/feed.atom"],
)  # fmt: skip
def test_no_page_is_large(client: TestClient, address: str) -> None:
    assert len(client.get(f"{PAGE}{address}").content) <= 300_000
