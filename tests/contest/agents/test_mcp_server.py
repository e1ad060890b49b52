"""The arena's tools over the Model Context Protocol, as a coding agent uses them."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from arbiter.contest.agents.answer_limits import MOST
from arbiter.contest.agents.mcp_server import ArenaTools, server
from tests.contest.agents.standing_in import arena_of
from tests.fixtures.commands import BOTS, RANDOM, arbiter
from tests.trials.botcheck.beginners import source_of

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path
    from typing import TypeAlias

    from tests.fixtures.commands import Run

    Ask: TypeAlias = Callable[..., Coroutine[Any, Any, dict[str, Any]]]

__all__ = ["arbiter"]

SEASON = f"""\
game: {{name: planning, seats: 2, deals: [[2, 0], [1, 1]]}}
isolation: plain
workers: 1
players:
  - {{name: random, command: {json.dumps(RANDOM.split())}}}
  - {{name: gone, command: [bots/gone]}}
house_bots: [random]
"""
LOUD = 'import sys\nsys.stderr.write("loud " * 200_000)\n' + (BOTS / "planning_random.py").read_text()
TOOLS = ["rules", "check", "submit", "play", "standings", "match", "log"]


async def call_tool(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The answer of a tool, within the bounds."""
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    assert content.type == "text"
    assert not result.is_error, content.text
    assert len(content.text.encode()) <= MOST
    found: dict[str, Any] = json.loads(content.text)
    return found


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """Why a tool does not answer."""
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    assert content.type == "text"
    assert result.is_error
    return content.text.removeprefix(f"Error executing tool {tool}: ")


@pytest.mark.process
def test_an_agent_mends_a_bot_with_nothing_but_the_tools(tmp_path: Path) -> None:
    (tmp_path / "season.yaml").write_text(SEASON)
    words = ["-m", "arbiter", "mcp", str(tmp_path)]

    async def improve() -> None:
        started = StdioServerParameters(command=sys.executable, args=words)
        with (tmp_path / "stderr").open("w") as errors:
            async with Client(stdio_client(started, errors)) as client:
                assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
                assert "gen_declare" in (await call_tool(client, "rules"))["text"]
                verdict = await call_tool(client, "check", source=source_of("planning", "bid too high"))
                assert verdict["state"] == "refused"
                assert verdict["steps"][-1]["fix"].startswith("declare no more tricks than")
                (tmp_path / "mine.py").write_text(LOUD)
                assert (await call_tool(client, "submit", path="mine.py"))["player"] == "agent@1"
                stands = await call_tool(client, "play", rounds=1, seconds=3600)
                assert (stands["played"], stands["rounds"], stands["faults"]) == (2, 1, {})
                assert list(stands["missing"]) == ["gone"]
                (listed, _) = (await call_tool(client, "match"))["matches"]
                shown = await call_tool(client, "match", id=listed["id"])
                assert f"as seat {listed['seats'][0]} (agent@1) knew it" in shown["text"]
                log = await call_tool(client, "log", id=listed["id"])
                assert "> gen_declare" in log["text"]
                assert log["text"].count("loud") > 100

    asyncio.run(improve())


def test_only_programs_within_the_folder_are_taken(tmp_path: Path) -> None:
    folder = tmp_path / "arena"
    folder.mkdir()
    arena_of(folder)
    (tmp_path / "other.py").touch()
    (folder / "link.py").symlink_to(tmp_path / "other.py")

    async def ask() -> None:
        async with Client(server(folder, "agent")) as client:
            for path in ("../other.py", str(tmp_path / "other.py"), "link.py"):
                why = await refused(client, "submit", path=path)
                assert why == f"path: expected one within {folder}; or give the source"

    asyncio.run(ask())


def test_what_cannot_be_done_is_said_to_the_agent(tmp_path: Path) -> None:
    arena_of(tmp_path)

    async def ask() -> None:
        async with Client(server(tmp_path, "agent")) as client:
            assert await refused(client, "check") == "give either a path or a source"
            assert (await refused(client, "check", source="x", language="cobol")).startswith(
                "language: expected one of"
            )
            assert (
                await refused(client, "standings", version=3)
                == "version 3 is not accepted (accepted versions: 1)"
            )
            assert await refused(client, "log", id="r001/t01/m0") == "agent@1 has not played a match yet"

    asyncio.run(ask())


def test_arguments_as_models_write_them_are_taken_or_refused_in_one_line(tmp_path: Path) -> None:
    arena_of(tmp_path)

    async def ask() -> None:
        async with Client(server(tmp_path, "agent")) as client:
            first = await call_tool(client, "rules", page=1)
            for page in ("1", 1.0, None):
                assert await call_tool(client, "rules", page=page) == first
            for arguments, why in (
                ({"round": 5}, "unknown argument 'round'; expected rounds, seconds, version"),
                (
                    {"rounds": 2.5},
                    "rounds: Input should be a valid integer, got a number with a fractional part, got 2.5",
                ),
                (
                    {"rounds": "two"},
                    "rounds: Input should be a valid integer, unable to parse string as an integer, got 'two'",
                ),
            ):
                assert await refused(client, "play", **arguments) == f"play: {why}"
            assert await refused(client, "log") == "log: id is missing"

    asyncio.run(ask())


def test_a_long_call_reports_its_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arbiter.contest.agents.strict_server.PROGRESS_S", 0.0)
    arena_of(tmp_path)
    reported = asyncio.Event()

    async def until_reported(*_: object) -> str:
        await reported.wait()
        return "{}"

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        assert (progress, total, message) == (0, None, "rules: 0 s")
        reported.set()

    monkeypatch.setattr(ArenaTools, "_read_in_thread", until_reported)

    async def ask() -> None:
        async with Client(server(tmp_path, "agent")) as client:
            await client.call_tool("rules", {}, progress_callback=hear)

    asyncio.run(ask())


def test_without_its_packages_it_says_what_to_install(
    tmp_path: Path, arbiter: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    for module in ("mcp_server", "strict_server"):
        monkeypatch.delitem(sys.modules, f"arbiter.contest.agents.{module}")
    arena_of(tmp_path)
    code, out, err = arbiter("mcp", tmp_path)
    assert (code, out) == (2, "")
    assert err == "arbiter: arbiter mcp needs the package mcp.server (pip install 'arbiter-cards[agents]')\n"
