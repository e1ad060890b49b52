"""`arena`: the steps of a coding agent as commands that print JSON; `mcp`, `sit`: MCP tools."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arbiter.cli import ENDING_SIGNALS
from arbiter.cli.options import CommandGroup, combine_options, require_extra, workers_option
from arbiter.cli.output import print_json
from arbiter.errors import BotCheckFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.contest.agents.arena import AgentArena

MOST_ROUNDS, MOST_SECONDS = 100, 3600
USUAL_SECONDS = 45
"""Clients of the Model Context Protocol often time out after a minute."""


def _end_with_parent(_context: click.Context, _option: click.Parameter, parent: int | None) -> None:
    """Click's callback of an option: let the kernel end this process when `parent` ends."""
    if parent is not None:
        from arbiter.cli.inspect import end_with_parent

        end_with_parent(parent)


folder_argument = click.argument("folder", type=click.Path(path_type=Path))
path_argument = click.argument("path", type=click.Path(path_type=Path))
name_option = click.option(
    "--name", default="agent", show_default=True, help="The author whose bots are meant."
)
parent_option = click.option("--parent", type=int, hidden=True, expose_value=False, callback=_end_with_parent)
version_option = click.option(
    "--version", type=click.IntRange(min=1), help="The bot's version.  [default: the last]"
)
page_option = click.option("--page", type=click.IntRange(min=1), default=1, show_default=True)
arena_options = combine_options(folder_argument, name_option, parent_option)
program_options = combine_options(folder_argument, path_argument, name_option, parent_option)


@click.group(cls=CommandGroup)
def arena() -> None:
    """Let a coding agent improve a bot, in JSON.

    Each command prints one JSON object of at most 20 kB; longer texts and lists are paginated. FOLDER is
    written by `arbiter init FOLDER --ladder`.

    Example: arbiter arena check ladder mybot.py
    """


@arena.command()
@arena_options
@page_option
def rules(folder: Path, name: str, page: int) -> None:
    """Print the arena's terms, the game's rules and commands, and the protocol.

    Example: arbiter arena rules ladder --page 2
    """
    from arbiter.contest.agents.manual import rules as read

    print_json(read(_load_arena(folder, name), page))


@arena.command()
@program_options
def check(folder: Path, path: Path, name: str) -> None:
    """Check a program (file, folder or ZIP file) as `submit` does, and store nothing; exit 3 if it fails.

    Example: arbiter arena check ladder mybot.py
    """
    from arbiter.contest.agents.agent_programs import check as checked

    _print_verdict(checked(_load_arena(folder, name), path))


@arena.command()
@program_options
def submit(folder: Path, path: Path, name: str) -> None:
    """Check a program and store it as the next version; exit 3 if it is refused.

    Example: arbiter arena submit ladder mybot.py
    """
    from arbiter.contest.agents.agent_programs import submit as submitted

    _print_verdict(submitted(_load_arena(folder, name), path))


@arena.command()
@arena_options
@version_option
@click.option(
    "--rounds", type=click.IntRange(1, MOST_ROUNDS), default=1, show_default=True, help="Rounds to add."
)
@click.option(
    "--seconds",
    type=click.IntRange(1, MOST_SECONDS),
    default=USUAL_SECONDS,
    show_default=True,
    help="Start no match after this time.",
)
@workers_option
def play(
    folder: Path, name: str, version: int | None, rounds: int, seconds: int, workers: int | None
) -> None:
    """Play rounds against all rungs: each rung in all seats, on the same deals.

    Prints the standings, the number of matches played now, and the worst of them.

    Example: arbiter arena play ladder --rounds 3
    """
    from arbiter.contest.agents.gauntlet_rounds import play as played
    from arbiter.table.executors import processes, slots

    found = _load_arena(folder, name)
    with processes(slots(workers or found.config.workers)) as executor:
        shape = played(found, executor, rounds, seconds, version)
    print_json(shape)


@arena.command()
@arena_options
@version_option
def standings(folder: Path, name: str, version: int | None) -> None:
    """Show a version's results against each rung, with intervals valid however often they are read.

    Example: arbiter arena standings ladder
    """
    from arbiter.contest.agents.gauntlet_rounds import standings as stands

    print_json(stands(_load_arena(folder, name), version))


@arena.command("match")
@arena_options
@click.argument("match_id", required=False)
@version_option
@page_option
def match_(folder: Path, name: str, match_id: str | None, version: int | None, page: int) -> None:
    """Show one match as the bot's seat knew it; without an id, list all matches, worst first.

    Example: arbiter arena match ladder r001/t01/m0
    """
    from arbiter.contest.agents.version_matches import list_matches, show_match

    found = _load_arena(folder, name)
    print_json(
        list_matches(found, version, page) if match_id is None else show_match(found, match_id, version, page)
    )


@arena.command()
@arena_options
@click.argument("match_id")
@version_option
@page_option
def log(folder: Path, name: str, match_id: str, version: int | None, page: int) -> None:
    """Show a match's messages to the bot, its answers and times, and the end of its standard error.

    Example: arbiter arena log ladder r001/t01/m0
    """
    from arbiter.contest.agents.version_matches import show_log

    print_json(show_log(_load_arena(folder, name), match_id, version, page))


def _load_arena(folder: Path, name: str) -> AgentArena:
    """Read the arena in `folder` for the agent `name`, and probe this machine's isolation.

    Players without programs are in its `missing`; ConfigError if bots could read the season's files.
    """
    from arbiter.contest.agents.arena import AgentArena

    return AgentArena.read(folder, name)


def _print_verdict(shape: dict[str, Any]) -> None:
    """Print a verdict as JSON; BotCheckFailed unless the program is accepted."""
    print_json(shape)
    if shape["state"] != "accepted":
        last = shape["steps"][-1]
        raise BotCheckFailed(f"{shape['state']}: {last['name']}: {last['detail']}")


@click.command()
@folder_argument
@name_option
def mcp(folder: Path, name: str) -> None:
    """Serve the arena as tools of the Model Context Protocol.

    A coding agent starts this command and talks over standard input and output; a signal ends it at once.
    Programs are paths within FOLDER, or source texts, which go to temporary files.

    Example: arbiter mcp ladder
    """
    with require_extra("arbiter mcp", "agents"):
        from arbiter.contest.agents.mcp_server import server
    from arbiter.contest.agents.arena import AgentArena

    # An invalid folder is reported now, not at the first call of a tool.
    AgentArena.read(folder, name)
    _run_with_default_signals(server(folder, name).run)


@click.command()
@click.argument("url")
def sit(url: str) -> None:
    """Take a seat at a site's visitors' table, as MCP tools.

    URL is the address of the page on which visitors play. Nothing is rated. An agent starts this command and
    talks over standard input and output.

    Example: arbiter sit http://127.0.0.1:8000/seasons/demo/table
    """
    with require_extra("arbiter sit", "agents"):
        from arbiter.contest.agents.table_tools import seat_server

    _run_with_default_signals(seat_server(url).run)


def _run_with_default_signals(run: Callable[[], None]) -> None:
    """Let SIGINT, SIGTERM and SIGHUP end this process at once, as before arbiter's handlers, and run."""
    for number in ENDING_SIGNALS:
        # A read from stdin does not return on an exception; child processes end with this one.
        signal.signal(number, signal.SIG_DFL)
    run()
