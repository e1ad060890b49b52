#!/usr/bin/env bash
# mcp 2.3.0 (PyPI, the Model Context Protocol's SDK), seen 2026-11-29.
#
# Behaviour: a tool of `MCPServer` is called without its unknown arguments, and the call succeeds. The schema that
# clients get does not forbid them either (no `additionalProperties`), while values of a wrong type are refused.
# Output seen: "round=5: played 1, is_error False", "rounds='five': is_error True", "additionalProperties: None".
# Who meets it: tools with optional arguments, called by models: a misspelt name silently means the default, here one round
# instead of five. A server has to compare the names itself, such as in an override of `MCPServer.call_tool`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check mcp==2.3.0
"$folder/venv/bin/python" - <<'PYTHON'
import asyncio

from mcp import Client
from mcp.server import MCPServer

server = MCPServer("one", log_level="ERROR")


def play(rounds: int = 1) -> str:
    return f"played {rounds}"


server.add_tool(play)


async def main():
    async with Client(server) as client:
        (tool,) = (await client.list_tools()).tools
        misspelt = await client.call_tool("play", {"round": 5})
        wrong = await client.call_tool("play", {"rounds": "five"})
        print(f"round=5: {misspelt.content[0].text}, is_error {misspelt.is_error}")
        print(f"rounds='five': is_error {wrong.is_error}")
        print("additionalProperties:", tool.input_schema.get("additionalProperties"))
        assert misspelt.content[0].text == "played 1"
        assert not misspelt.is_error
        assert wrong.is_error
        assert "additionalProperties" not in tool.input_schema


asyncio.run(main())
PYTHON
