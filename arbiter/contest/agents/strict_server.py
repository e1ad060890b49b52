"""A Model Context Protocol server that is strict about arguments, and reports progress of long calls.

The SDK ignores unknown arguments, so that a misspelt `round` would play one round, and it describes invalid
ones in several lines. Here models read one line. Clients wait for a call for 5 s to some minutes, some of
them longer while progress is reported.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import ValidationError

from arbiter.text import printable

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context

PROGRESS_S = 2.0
"""The interval of progress reports."""
LONGEST_VALUE = 60


class StrictServer(MCPServer[Any]):
    """Refuses unknown arguments, takes null as absent, and reports progress while a tool runs."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> Any:
        """Call a tool as `MCPServer` does; ToolError in one line for invalid arguments."""
        known = {tool.name: list(tool.input_schema.get("properties", ())) for tool in await self.list_tools()}
        if unknown := [word for word in arguments if word not in known.get(name, arguments)]:
            raise ToolError(
                f"{name}: unknown argument {_shown(unknown[0])}; expected {', '.join(known[name]) or 'none'}"
            )
        given = {word: value for word, value in arguments.items() if value is not None}
        failed = None
        async with anyio.create_task_group() as tasks:
            if context is not None:
                tasks.start_soon(_report_progress, name, context)
            # Not out of the group, which would wrap it.
            try:
                result = await super().call_tool(name, given, context)
            except Exception as error:
                failed = error
            tasks.cancel_scope.cancel()
        if failed is None:
            return result
        if isinstance(failed.__cause__, ValidationError):
            raise ToolError(f"{name}: {_invalid_text(failed.__cause__)}") from None
        raise failed


def _invalid_text(error: ValidationError) -> str:
    """Return what is wrong with arguments, in one line."""
    return "; ".join(
        f"{'.'.join(map(str, one['loc']))}: {one['msg']}, got {_shown(one['input'])}"
        if one["type"] != "missing"
        else f"{'.'.join(map(str, one['loc']))} is missing"
        for one in error.errors()
    )


def _shown(value: object) -> str:
    return printable(repr(value)[:LONGEST_VALUE])


async def _report_progress(name: str, context: Context[Any, Any]) -> None:
    """Report the seconds since now, which clients without interest do not get."""
    begun = time.monotonic()
    while True:
        await anyio.sleep(PROGRESS_S)
        seconds = round(time.monotonic() - begun)
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            await context.report_progress(seconds, None, f"{name}: {seconds} s")
