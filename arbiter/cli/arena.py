"""`arena`: the loop of a coding agent, each step a command that prints one JSON object.

`mcp` and `sit`: an arena, and a seat at a visitors' table, as tools of the Model Context Protocol.
"""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arbiter.cli import ENDING
from arbiter.cli.options import needing, together, workers_option
from arbiter.cli.output import print_json
from arbiter.errors import BotCheckFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.contest.agents.arena import AgentArena

MOST_ROUNDS, MOST_SECONDS = 100, 3600
USUAL_SECONDS = 45
"""Clients of the Model Context Protocol often wait for a minute."""


def _heed(_context: click.Context, _option: click.Parameter, parent: int | None) -> None:
    if parent is not None:
        from arbiter.cli.inspect import end_with

        end_with(parent)


folder_argument = click.argument("folder", type=click.Path(path_type=Path))
path_argument = click.argument("path", type=click.Path(path_type=Path))
name_option = click.option(
    "--name", default="agent", show_default=True, help="Whose bots: an author of the season."
)
parent_option = click.option("--parent", type=int, hidden=True, expose_value=False, callback=_heed)
version_option = click.option(
    "--version", type=click.IntRange(min=1), help="Of its own.  [default: the last]"
)
page_option = click.option("--page", type=click.IntRange(min=1), default=1, show_default=True)
of_all = together(folder_argument, name_option, parent_option)
of_program = together(folder_argument, path_argument, name_option, parent_option)


@click.group()
def arena() -> None:
    """Improve a bot against the players of a season, as a program does: each command prints one JSON object.

    FOLDER is what `arbiter init FOLDER --ladder` has written. No answer has more than 20 kB; longer texts and
    lists come in pages.

    Example: arbiter arena check ladder mybot.py
    """


@arena.command()
@of_all
@page_option
def rules(folder: Path, name: str, page: int) -> None:
    """What there is to read: the arena's terms, the rules and commands of the game, the protocol.

    Example: arbiter arena rules ladder --page 2
    """
    from arbiter.contest.agents.manual import rules as read

    print_json(read(_arena(folder, name), page))


@arena.command()
@of_program
def check(folder: Path, path: Path, name: str) -> None:
    """Try a program, a file, a folder or a ZIP file, as `submit` does, and keep nothing; exit 3 if it fails.

    Example: arbiter arena check ladder mybot.py
    """
    from arbiter.contest.agents.agent_programs import check as checked

    _print_verdict(checked(_arena(folder, name), path))


@arena.command()
@of_program
def submit(folder: Path, path: Path, name: str) -> None:
    """Make a program the next version, if it passes all checks; exit 3 if it is refused.

    Example: arbiter arena submit ladder mybot.py
    """
    from arbiter.contest.agents.agent_programs import submit as submitted

    _print_verdict(submitted(_arena(folder, name), path))


@arena.command()
@of_all
@version_option
@click.option(
    "--rounds", type=click.IntRange(1, MOST_ROUNDS), default=1, show_default=True, help="So many more."
)
@click.option(
    "--seconds",
    type=click.IntRange(1, MOST_SECONDS),
    default=USUAL_SECONDS,
    show_default=True,
    help="After so many no match is begun.",
)
@workers_option
def play(
    folder: Path, name: str, version: int | None, rounds: int, seconds: int, workers: int | None
) -> None:
    """Play rounds against all rungs: in each everybody is met in all seats on the same deals.

    Prints the standings, how many matches were played now, and which of them went worst.

    Example: arbiter arena play ladder --rounds 3
    """
    from arbiter.contest.agents.gauntlet_rounds import play as played
    from arbiter.table.executors import processes, slots

    found = _arena(folder, name)
    with processes(slots(workers or found.config.workers)) as executor:
        shape = played(found, executor, rounds, seconds, version)
    print_json(shape)


@arena.command()
@of_all
@version_option
def standings(folder: Path, name: str, version: int | None) -> None:
    """Where a version stands against each rung, with intervals that hold however often one looks.

    Example: arbiter arena standings ladder
    """
    from arbiter.contest.agents.gauntlet_rounds import standings as stands

    print_json(stands(_arena(folder, name), version))


@arena.command("match")
@of_all
@click.argument("match_id", required=False)
@version_option
@page_option
def match_(folder: Path, name: str, match_id: str | None, version: int | None, page: int) -> None:
    """One match as the bot's seat knew it; without an id all matches, those that went worst first.

    Example: arbiter arena match ladder r001/t01/m0
    """
    from arbiter.contest.agents.version_matches import list_matches, show_match

    found = _arena(folder, name)
    print_json(
        list_matches(found, version, page) if match_id is None else show_match(found, match_id, version, page)
    )


@arena.command()
@of_all
@click.argument("match_id")
@version_option
@page_option
def log(folder: Path, name: str, match_id: str, version: int | None, page: int) -> None:
    """What the bot was sent in a match, its answers, their times, and the end of its standard error.

    Example: arbiter arena log ladder r001/t01/m0
    """
    from arbiter.contest.agents.version_matches import show_log

    print_json(show_log(_arena(folder, name), match_id, version, page))


def _arena(folder: Path, name: str) -> AgentArena:
    from arbiter.contest.agents.arena import AgentArena

    return AgentArena.read(folder, name)


def _print_verdict(shape: dict[str, Any]) -> None:
    print_json(shape)
    if shape["state"] != "accepted":
        last = shape["steps"][-1]
        raise BotCheckFailed(f"{shape['state']}: {last['name']}: {last['detail']}")


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
