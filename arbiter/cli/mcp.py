"""`mcp` and `sit`: an arena, and a seat at a visitors' table, as tools of the Model Context Protocol."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arbiter.cli import ENDING
from arbiter.cli.arena import folder_argument, name_option
from arbiter.cli.options import needing

if TYPE_CHECKING:
    from collections.abc import Callable


@click.command()
@folder_argument
@name_option
def mcp(folder: Path, name: str) -> None:
    """The commands of `arena` as tools of the Model Context Protocol, over standard input and output.

    A coding agent starts it by itself. Programs are source texts, or paths within FOLDER.

    Example: arbiter mcp ladder
    """
    with needing("arbiter mcp", "agents"):
        from arbiter.contest.agents.mcp_server import server
    from arbiter.contest.agents.arena import AgentArena

    # What is wrong with the folder is said at once, and not at the first call of a tool.
    AgentArena.read(folder, name)
    _serve(server(folder, name).run)


@click.command()
@click.argument("url")
def sit(url: str) -> None:
    """A seat at a visitors' table, as tools of the Model Context Protocol over standard input and output.

    URL is that of the page on which visitors of a site play. Nothing there is rated.

    Example: arbiter sit http://127.0.0.1:8000/seasons/demo/table
    """
    with needing("arbiter sit", "agents"):
        from arbiter.contest.agents.table_tools import seat_server

    _serve(seat_server(url).run)


def _serve(run: Callable[[], None]) -> None:
    for number in ENDING:
        # Whoever waits for a line hears no exception; what it has begun ends with it.
        signal.signal(number, signal.SIG_DFL)
    run()
