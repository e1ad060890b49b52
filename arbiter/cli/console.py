"""`console`: the interactive referee, in a terminal or from a script of its commands."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from arbiter.cli.bot_arguments import read_options
from arbiter.cli.output import say
from arbiter.cli.table_setup import load_deals, make_occupant, set_up_table, table_options
from arbiter.table.interactive.console import ConsoleSession, Tools
from arbiter.table.interactive.verbs import command_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.table.interactive.setup import LaidTable


@click.command()
@table_options
def console(**given: Any) -> None:
    """Referee a match by hand: bots, people, raw commands and replies.

    Seats that are not given get random players. --config and --player seat players of a season, under its
    game and limits. `help` lists the console's commands.

    Example: arbiter console --game planning --seat human --seat "bot:python3 bots/python/planning_greedy.py"
    """
    run_session(set_up_table(**given))


def run_session(laid: LaidTable) -> None:
    """Feed recorded moves, if any, then read commands until `quit` or the end of input; end the bots."""
    read_occupant = partial(make_occupant, limits=laid.setup.limits, game=laid.setup.game.name)
    tools = Tools(read_occupant, partial(read_options, given_by="set"), load_deals)
    try:
        face = ConsoleSession(laid.setup, laid.occupants, tools, say)
        face.introduce()
        if laid.moves is not None:
            face.feed(laid.moves)
        for line in _read_commands():
            face.command(line)
            if face.done:
                break
    except BaseException:
        for occupant in laid.occupants:
            occupant.end()
        raise
    face.close()


def _read_commands() -> Iterator[str]:
    """Yield commands, with a prompt in a terminal; commands from a script are echoed."""
    if sys.stdin.isatty():
        import readline

        def completed(text: str, number: int) -> str | None:
            fitting = [
                word for word in command_words() if word.startswith(text) and not readline.get_begidx()
            ]
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
