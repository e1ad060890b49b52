"""The arena as a Model Context Protocol server over standard input and output, by the official SDK.

Tools that start programs run the command in a child process that ends with the call or with this process;
others read here. Each answer is the JSON object that the command prints.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from mcp.server.mcpserver.exceptions import ToolError

from arbiter import __version__
from arbiter.contest.agents.agent_programs import FILES
from arbiter.contest.agents.answer_limits import LONGEST_ERROR
from arbiter.contest.agents.arena import AgentArena
from arbiter.contest.agents.manual import rules
from arbiter.contest.agents.strict_server import StrictServer
from arbiter.contest.agents.version_matches import list_matches, show_log, show_match
from arbiter.errors import ArbiterError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

INSTRUCTIONS = """\
Write a program that plays a card game well. Read `rules`; `check` a program until it passes; `submit` it;
`play` rounds against the rungs; look at `standings`, at the worst matches (`match` without an id), at one of
them (`match`, `log`); then submit a better one. The verdict "undecided" asks for more rounds."""


def server(folder: Path, name: str) -> StrictServer:
    """Return an MCP server with the tools of the arena in a folder."""
    made = StrictServer("arbiter", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING")
    tools = ArenaTools(folder.resolve(), name)
    for tool in (tools.rules, tools.check, tools.submit, tools.play, tools.standings, tools.match, tools.log):
        made.add_tool(tool, structured_output=False)
    return made


class ArenaTools:
    """The tools; their docstrings are the descriptions that the agent reads."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self._one = anyio.Lock()

    async def rules(self, page: int = 1) -> str:
        """The arena's terms, the rules and commands of the game, the protocol of bots: read all pages."""
        return await self._read_in_thread(rules, page)

    async def check(self, path: str = "", source: str = "", language: str = "python") -> str:
        """Try a program as `submit` does, and store nothing: what failed, why, and how to fix it.

        `path` is a file, a folder or a ZIP file within the arena's folder; or `source` is the text of a
        one-file program in this `language`: python, javascript, shell, c++, c, rust, go or java.
        """
        return await self._run_on_program("check", path, source, language)

    async def submit(self, path: str = "", source: str = "", language: str = "python") -> str:
        """Submit a program as your next version, if it passes all checks; arguments as for `check`."""
        return await self._run_on_program("submit", path, source, language)

    async def play(self, rounds: int = 1, seconds: int = 45, version: int | None = None) -> str:
        """Play rounds against all rungs, by default with your last version; no match starts after `seconds`.

        Returns the standings and the worst matches of these rounds.
        """
        options = ["--rounds", str(rounds), "--seconds", str(seconds)]
        options += [] if version is None else ["--version", str(version)]
        return await self._command("play", options=options)

    async def standings(self, version: int | None = None) -> str:
        """The results of a version against each rung, with intervals, and a summary of all versions."""
        # Imported here: loading ratings is slow.
        from arbiter.contest.agents.gauntlet_rounds import standings

        return await self._read_in_thread(standings, version)

    async def match(self, id: str = "", version: int | None = None, page: int = 1) -> str:
        """One match as your bot knew it; without `id` the list of all matches, worst first."""
        if id:
            return await self._read_in_thread(show_match, id, version, page)
        return await self._read_in_thread(list_matches, version, page)

    async def log(self, id: str, version: int | None = None, page: int = 1) -> str:
        """What your bot received in a match, its answers, their times, the end of its standard error."""
        return await self._read_in_thread(show_log, id, version, page)

    async def _read_in_thread(self, read: Callable[..., dict[str, Any]], *arguments: object) -> str:
        """Call `read` with the arena in a thread; return its result as JSON, ToolError if it fails."""

        def read_as_json() -> str:
            try:
                return json.dumps(read(AgentArena.read(self._folder, self._name), *arguments))
            except ArbiterError as error:
                raise ToolError(str(error)[:LONGEST_ERROR]) from None

        return await anyio.to_thread.run_sync(read_as_json, abandon_on_cancel=True)

    async def _run_on_program(self, verb: str, path: str, source: str, language: str) -> str:
        """Run the command `verb` on a path, or a source in a temporary file; ToolError unless given one."""
        if bool(path) == bool(source):
            raise ToolError("give either a path or a source")
        if path:
            place = (self._folder / path).resolve()
            if not place.is_relative_to(self._folder):
                raise ToolError(f"path: expected one within {self._folder}; or give the source")
            return await self._command(verb, str(place))
        if language not in FILES:
            raise ToolError(f"language: expected one of {', '.join(FILES)}; for others give a path")
        with TemporaryDirectory() as folder:
            file = Path(folder, FILES[language])
            file.write_text(source, encoding="utf-8", errors="replace")
            return await self._command(verb, str(file))

    async def _command(self, verb: str, *words: str, options: Sequence[str] = ()) -> str:
        """Run an `arena` command as a subprocess, one at a time; return its JSON, ToolError without any."""
        own = ["--name", self._name, "--parent", str(os.getpid()), *options, "--", str(self._folder), *words]
        async with self._one:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "arbiter", "arena", verb, *own),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
            try:
                told, said = await process.communicate()
            finally:
                if process.returncode is None:
                    process.terminate()
                    with anyio.CancelScope(shield=True):
                        await process.wait()
        if not told:
            raise ToolError(said.decode(errors="replace")[-LONGEST_ERROR:].strip() or f"{verb} was ended")
        # Without indentation, like the answers above.
        return json.dumps(json.loads(told))
