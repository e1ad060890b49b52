"""`console`: a referee by hand, in a terminal or from a script of its commands."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from arbiter.cli.bot_arguments import read_options
from arbiter.cli.output import say
from arbiter.cli.table_setup import deals_of, lay, laying_options, occupant_of
from arbiter.table.interactive.console import ConsoleFace, Tools
from arbiter.table.interactive.verbs import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.table.interactive.setup import LaidTable


@click.command()
@laying_options
def console(**given: Any) -> None:
    """Conduct a match by hand: bots and people in the seats, any command to any bot, raw replies.

    Seats that are not given are filled with random players. With --config and --player, players of a season
    sit down as they stand there, under the season's game and limits. `help` lists the console's commands.

    Example: arbiter console --game planning --seat human --seat "bot:python3 bots/python/planning_greedy.py"
    """
    session(lay(**given))


def session(laid: LaidTable) -> None:
    """Feed recorded moves, if there are any, then read commands until `quit` or the end of input.

    The bots are ended whatever happens.
    """
    read_occupant = partial(occupant_of, limits=laid.setup.limits)
    tools = Tools(read_occupant, partial(read_options, given_by="set"), deals_of)
    try:
        face = ConsoleFace(laid.setup, laid.occupants, tools, say)
        face.introduce()
        if laid.moves is not None:
            face.feed(laid.moves)
        for line in _lines():
            face.command(line)
            if face.done:
                break
    except BaseException:
        for occupant in laid.occupants:
            occupant.end()
        raise
    face.close()


def _lines() -> Iterator[str]:
    """Commands: prompted for in a terminal, echoed where they come from a script."""
    if sys.stdin.isatty():
        import readline

        def completed(text: str, number: int) -> str | None:
            fitting = [word for word in words() if word.startswith(text) and not readline.get_begidx()]
            return fitting[number] if number < len(fitting) else None

        readline.set_completer(completed)
        readline.parse_and_bind("tab: complete")
        while True:
            try:
                yield input("> ")
            except EOFError:
                click.echo()
                return
    for line in sys.stdin:
        text = line.rstrip("\n")
        say(f"> {text}")
        yield text
