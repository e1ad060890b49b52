"""A visitors' table as tools of the Model Context Protocol: `rules`, `state`, `play`, `history`."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from arbiter import __version__
from arbiter.contest.agents.answer_limits import LONGEST_ERROR, MOST
from arbiter.contest.agents.table_client import HomeSeat
from arbiter.errors import ArbiterError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

INSTRUCTIONS = """\
You sit at a card table with programs. Read `rules`; look at `state`, which waits for your turn; `play` one of
the legal words, until the match is over. `history` is what happened so far."""
ASK_SECONDS = 30.0
"""Between two signs of life: the site gives up a table that nobody has asked for in 90 s."""


def seat_server(url: str) -> MCPServer[Any]:
    """The tools of a seat at the table of a page; ConfigError for an address that names none."""
    home = HomeSeat(url)

    @asynccontextmanager
    async def living(_: MCPServer[Any]) -> AsyncIterator[None]:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_keep, home)
            try:
                yield None
            finally:
                tasks.cancel_scope.cancel()
                with anyio.CancelScope(shield=True), suppress(ArbiterError):
                    await anyio.to_thread.run_sync(home.leave)

    made: MCPServer[Any] = MCPServer(
        "arbiter-table", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING", lifespan=living
    )
    tools = SeatTools(home)
    for tool in (tools.rules, tools.state, tools.play, tools.history):
        made.add_tool(tool, structured_output=False)
    return made


class SeatTools:
    """The tools; a docstring is what the model is told of each."""

    def __init__(self, home: HomeSeat) -> None:
        self._home = home

    async def rules(self, page: int = 1) -> str:
        """The rules of the game and the words of its answers: read all pages."""
        return await _answer(self._home.rules, page)

    async def state(self, new: bool = False) -> str:
        """Your hand, the table, the legal answers, at your turn; `new` begins another match."""
        return await _answer(self._home.state, new)

    async def play(self, word: str) -> str:
        """Answer with one of the legal words; then the state at your next turn."""
        return await _answer(self._home.play, word)

    async def history(self, page: int = 1) -> str:
        """All that you have seen of this match, in order."""
        return await _answer(self._home.history, page)


async def _answer(ask: Callable[..., dict[str, Any]], *arguments: object) -> str:
    def told() -> str:
        try:
            text = json.dumps(ask(*arguments))
        except ArbiterError as error:
            raise ToolError(str(error)[:LONGEST_ERROR]) from None
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            raise ToolError("what the site answers is not what a table answers") from None
        if len(text) > MOST:
            raise ToolError(f"the site's answer has {len(text)} bytes; {MOST} are taken")
        return text

    return await anyio.to_thread.run_sync(told, abandon_on_cancel=True)


async def _keep(home: HomeSeat) -> None:
    while True:
        await anyio.sleep(ASK_SECONDS)
        with suppress(ArbiterError):
            await anyio.to_thread.run_sync(home.keep, abandon_on_cancel=True)
