"""A seat at a visitors' table, played from home over the Model Context Protocol."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client

from arbiter.contest.agents import table_tools
from arbiter.contest.agents.table_tools import RemoteSeat, frame_of, seat_server
from arbiter.errors import ConfigError
from arbiter.games import make
from arbiter.games.samples import GAMES
from arbiter.replay.visibility import Reader, replay_of
from tests.contest.agents.test_mcp_server import call_tool, refused
from tests.fixtures.commands import RANDOM, arbiter
from tests.fixtures.folding import folded
from tests.fixtures.receiving import answer, receiving
from tests.fixtures.served_site import serving
from tests.replay.test_frame import play_match

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.fixtures.commands import Run

__all__ = ["arbiter"]

SEASON = f"""\
season: small
game: {{name: planning, deals: [[2, 0], [1, 1]]}}
isolation: plain
house_bots: [random]
players:
  - {{name: random, command: {json.dumps(RANDOM.split())}}}
"""
AT_ONCE = "from arbiter.web.pages import visitor_tables; visitor_tables.START_SECONDS = 0; visitor_tables.Session.patience = 60.0"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    (folder / "season.yaml").write_text(SEASON)
    return folder


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that was left is free once its bots have ended, however busy the machine is."""
    monkeypatch.setattr(table_tools, "TRIES", 200)


@pytest.fixture(scope="module")
def table(folder: Path) -> Iterator[str]:
    """The address of a season's table, at a site that has room for one."""
    with serving(folder / "season.yaml", "--tables", "1", folder=folder, code=AT_ONCE) as site:
        yield f"{site.address}seasons/small/table"


async def play_on(client: Client) -> dict[str, Any]:
    """Play the first legal word at each turn; the last state."""
    state = await call_tool(client, "state")
    while not state["over"]:
        assert state["your_turn"]
        state = await call_tool(client, "play", word=state["legal"][0])
    return state


@pytest.mark.process
def test_a_model_plays_matches_to_their_end_and_leaves_the_table_to_others(table: str) -> None:
    async def play() -> None:
        async with Client(seat_server(table)) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == [
                "rules",
                "state",
                "play",
                "history",
            ]
            assert "a visitor five minutes" in (await call_tool(client, "rules"))["text"]
            begun = await call_tool(client, "state")
            assert (len(begun["hand"]), begun["legal_in_all"]) == (2, 3)
            assert await refused(client, "play", word="9") == "a declaration is an integer from 0 to 2"
            over = await play_on(client)
            assert len(over["result"]["points"]) == 4
            text = (await call_tool(client, "history"))["text"]
            assert (text.count("hand:"), text.count("points")) == (2, 2)
            assert (await call_tool(client, "state", new=True))["made"] < over["made"]
        # There is one table, and its visitor went away in the middle of a match.
        async with Client(seat_server(table)) as client:
            assert (await play_on(client))["over"]

    asyncio.run(play())


@pytest.mark.process
def test_a_table_that_was_given_up_is_said_and_another_begins(table: str) -> None:
    home = RemoteSeat(table)
    with pytest.raises(ConfigError, match="there is no table yet"):
        home.play("0")
    first = home.state()
    at_the_door = RemoteSeat(table)
    at_the_door._key = home._key
    at_the_door.leave()
    with pytest.raises(ConfigError, match="the site closed the table"):
        home.play(first["legal"][0])
    assert home.state()["made"] < len(first["players"])
    home.leave()


@pytest.mark.parametrize("name", list(GAMES))
def test_what_lies_where_is_folded_as_the_form_of_replays_says(name: str) -> None:
    told = json.loads(json.dumps(replay_of(play_match(make(name, {})), Reader("seat", 1), complete=False)))
    frames = json.loads(json.dumps(folded(told)))
    for number in [*frames][:: len(frames) // 10]:
        assert frame_of(event for event in told["events"] if event["i"] <= int(number)) == frames[number]


@pytest.mark.process
def test_nothing_that_is_played_there_is_kept(table: str, folder: Path) -> None:
    home = RemoteSeat(table)
    home.play(home.state()["legal"][0])
    home.leave()
    assert not list(folder.glob("*.sqlite"))


@pytest.mark.parametrize(
    "body", [b"{}", b'{"key": 1}', b"[" * 100_000, b'{"error": 5}', b"<title>Elsewhere</title>"]
)
def test_what_is_no_table_is_said_in_a_line(body: bytes) -> None:
    with receiving() as there:
        there.answer = lambda _: answer(200, body=body)

        async def ask() -> None:
            async with Client(seat_server(f"{there.url}seasons/s/table")) as client:
                why = await refused(client, "state")
                assert "\n" not in why
                assert "the server is not an arbiter site" in why or "is not that of a table" in why

        asyncio.run(ask())


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1/", "http://127.0.0.1:1/seasons/s/rules", "ftp://x/seasons/s/table"]
)
def test_an_address_that_names_no_table_is_one_line(url: str, arbiter: Run) -> None:
    code, out, err = arbiter("sit", url)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert url in err
