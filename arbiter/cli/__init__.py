"""The command line: each command has options, one call and one presentation.

A command's module is imported when the command is called. Only `__main__` imports this package.
"""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

import click

from arbiter import __version__
from arbiter.errors import ArbiterError, came_of_a_signal

if TYPE_CHECKING:
    from types import FrameType

INTERRUPTED = 130
USAGE = 2
INTERNAL_ERROR = 4
ENDING_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
START_OVER = frozenset({"attack", "check-bot", "evidence", "export", "integrity", "play", "report", "verify"})
"""Commands that keep no partial results when interrupted."""
_BOTS = frozenset({"--bot", "--base", "--candidate"})
"""Options with a command, which a shell splits at blanks."""
RETRY_SECONDS = 0.01
"""The delay before a dropped interrupt is raised again: enough to leave the code that dropped it."""
_COLLECTED = 30_000
"""New objects until Python looks for garbage; a command that only looks makes fewer."""

SECTIONS = {
    # heading: {name: (module, function, one line of help)}
    "Play": {
        "init": ("init", "init", "Write a season file and sample bots to start from."),
        "play": ("play", "play", "Play one match between programs."),
        "console": ("console", "console", "Referee a match by hand: bots, people, raw commands and replies."),
        "applet": ("applet", "applet", "The console in a browser, with cards to click."),
        "check-bot": ("check_bot", "check_bot", "Test a bot for everything a tournament requires."),
        "games": ("check_config", "games", "List the games, their options and their bots."),
    },
    "Seasons": {
        "check-config": ("check_config", "check_config", "Check a season file without playing."),
        "config": ("check_config", "config", "Print a season's settings, current or of a past round."),
        "plan": ("plan", "plan", "Estimate how long a season takes."),
        "qualify": ("check_bot", "qualify", "Run check-bot for every player of a season."),
        "run-round": ("run", "run_round", "Play the next round, or finish an interrupted one."),
        "run-season": ("run", "run_season", "Play all rounds of a season."),
        "status": ("season_control", "status", "Show the progress of a season and who plays it."),
        "stop": ("season_control", "stop", "Stop a season after the matches in flight."),
        "pause": ("season_control", "pause", "Pause a season until it is resumed."),
        "resume": ("season_control", "resume", "Resume a paused or stopped season."),
        "accept": ("season_control", "accept", "Accept the changes in a season file."),
        "annul": ("orders", "annul", "Stop counting matches, or replay them."),
        "suspend": ("orders", "suspend", "Suspend a player from the next round on."),
        "reinstate": ("orders", "reinstate", "End a player's suspension."),
        "gauntlet": ("gauntlet", "gauntlet", "Play one player against all others, unrated."),
    },
    "Results": {
        "standings": ("standings", "standings", "Show ratings with their intervals."),
        "crosstable": ("standings", "crosstable", "Show pairwise results."),
        "marks": ("marks", "marks", "Print a course's marks as CSV."),
        "matches": ("standings", "matches", "List the matches of a season."),
        "show": ("show", "show", "Show one match: seats, moves, result and its reason."),
        "evidence": ("evidence", "evidence", "Write what a bot did in a match, for an appeal."),
        "report": ("export", "report", "Write a season to a single HTML file."),
        "export": ("export", "export", "Export matches as PGN, CSV, JSON lines, Parquet or other formats."),
        "verify": ("verify", "verify", "Replay a stored season and report differences."),
        "integrity": (
            "integrity", "integrity", "Report possible collusion, near-identical play and copied sources.",
        ),
    },
    "Improve a bot": {
        "review": ("review", "review", "Rate each decision of a match."),
        "regress": ("regress", "regress", "Test whether a new version of a bot is better."),
        "suite": ("suite", "suite", "Run the checks of one bot as a regression suite."),
        "tune": ("tune", "tune", "Tune a bot's numeric parameters by self-play."),
        "arena": ("arena", "arena", "Let a coding agent improve a bot, in JSON."),
        "mcp": ("arena", "mcp", "Serve the arena as tools of the Model Context Protocol."),
    },
    "Site and authors": {
        "serve": ("serve", "serve", "Serve seasons as a web site, and play them with --play."),
        "authors": ("authors", "authors", "Manage the authors who may submit programs."),
        "submissions": ("act_for_author", "submissions", "Send, choose or inspect a version for an author."),
        "inspect": ("inspect", "inspect", "Build and test submitted programs, and play requests."),
        "announce": ("announce", "announce", "Announce a text on the site."),
        "announcements": ("announce", "announcements", "List, correct and withdraw announcements."),
        "questions": ("announce", "questions", "List and answer the questions of authors."),
        "notify": ("notify", "notify", "Deliver a season's webhooks."),
        "submit": ("authors", "submit", "Submit a program to a site and wait for the verdict."),
        "request": ("request", "request", "Request unrated matches of your version from a site."),
        "sit": ("arena", "sit", "Take a seat at a site's visitors' table, as MCP tools."),
    },
    "Machine": {
        "isolation": ("check_config", "isolation", "Show how well this machine can isolate bots."),
        "attack": ("attack", "attack", "Play attacking bots and report what stopped each."),
        "backup": ("export", "backup", "Copy a season's store to a file, also while it is played."),
        "archive": ("archive_file", "archive", "Write a season with all that verifies it to one archive."),
        "restore": ("export", "restore", "Copy the seasons of a backup or another store into a store."),
    },
}  # fmt: skip
COMMANDS = {name: entry for entries in SECTIONS.values() for name, entry in entries.items()}


class LazyGroup(click.Group):
    """A group that imports a command when it is called; help needs no import.

    `has_one` is True in a process that ends after a command: what it imports is never garbage.
    """

    has_one = False

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in COMMANDS:
            return None
        module, function, _ = COMMANDS[name]
        # An import makes no garbage, and collecting takes a fifth of the time.
        collecting = gc.isenabled()
        gc.disable()
        try:
            command: click.Command = getattr(import_module(f"arbiter.cli.{module}"), function)
        finally:
            if self.has_one:
                gc.freeze()
            if collecting:
                gc.enable()
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve as click does; `help [COMMAND]` prints a help, an unknown command has a hint."""
        if args == ["help"]:
            click.echo(ctx.get_help())
            ctx.exit()
        if args[:1] == ["help"]:
            args = [*args[1:], "--help"]
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from arbiter.cli.trade_words import command_hint

            hint = command_hint(args[0], COMMANDS)
            raise click.UsageError(f"No such command {args[0]!r} ({hint}).", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        width = max(map(len, COMMANDS))
        for heading, entries in SECTIONS.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), line) for name, (_, _, line) in entries.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="arbiter")
def group() -> None:
    """A referee and tournament runner for card-game bots.

    Example: arbiter run-round configs/demo.yaml
    """


def main() -> NoReturn:
    """Run a command, and exit; every failure is one line on stderr and an exit code."""
    _replace_closed_streams()
    install_signal_handlers()
    gc.set_threshold(_COLLECTED)
    LazyGroup.has_one = True
    code = exit_code(sys.argv[1:])
    # What is left ends with the process: looking for garbage in it takes a third of a short command's time.
    gc.freeze()
    sys.exit(code)


def _replace_closed_streams() -> None:
    """Open /dev/null in place of closed standard streams, or the next file opened would become one."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)
            os.dup2(descriptor, number)
            if descriptor != number:
                os.close(descriptor)
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w"))


def exit_code(arguments: list[str]) -> int:
    """Run the command of these arguments, print any error on stderr, and return the exit code."""
    typed = tuple(arguments)  # click empties the list
    try:
        # Not `group.main`, which treats a closed pipe as an error.
        with group.make_context("arbiter", arguments) as context:
            group.invoke(context)
        sys.stdout.flush()
        return 0
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        if isinstance(error, click.NoSuchOption) and error.ctx is not None:
            _add_hint(error, error.ctx.command, typed)
        elif "unexpected extra argument" in error.message and _BOTS.intersection(typed):
            # It is Final, but only in the annotations.
            error.message += ' (quote a command with blanks: --bot "python3 bot.py")'  # type: ignore[misc]
        error.show()
        return error.exit_code
    except ArbiterError as error:
        for line in str(error).splitlines():
            _print_error(f"arbiter: {line}" if not getattr(error, "file", "") else line)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _print_interrupted(arguments)
    except BrokenPipeError:
        # The reader of stdout has exited, as `head` does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if came_of_a_signal(error):
            return _print_interrupted(arguments)
        if os.environ.get("ARBITER_DEBUG"):
            raise
        if isinstance(error, ImportError | AttributeError) and not hasattr(os, "pidfd_open"):
            _print_error(
                "arbiter: this command needs Linux (docs/howto/macos-and-windows.md lists what works here)"
            )
            return USAGE
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            _print_error(f"arbiter: {error.strerror}: raise the limit, for example with `ulimit -n 1024`")
            return INTERNAL_ERROR
        text = " ".join(f"{type(error).__name__}: {error}".split())
        _print_error(f"arbiter: failed: {text} (ARBITER_DEBUG=1 shows the traceback)")
        return INTERNAL_ERROR


def _add_hint(error: click.NoSuchOption, command: click.Command, typed: tuple[str, ...]) -> None:
    """Replace click's hint, by spelling, by the option that other tools call by this word."""
    from arbiter.cli.trade_words import elsewhere_hint, option_hint, written_option

    word = written_option(error.option_name, typed)
    options = [name for parameter in command.params for name in parameter.opts]
    if found := option_hint(word, options):
        # They are Final, but only in the annotations.
        error.possibilities, error.message = found, f"No such option {word!r}."  # type: ignore[misc]
    elif hint := elsewhere_hint(word):
        error.possibilities, error.message = None, f"No such option {word!r} ({hint})."  # type: ignore[misc]


def _print_interrupted(arguments: list[str]) -> int:
    to = "start over" if START_OVER.intersection(arguments[:1]) else "continue"
    click.echo(f"arbiter: interrupted: run the same command again to {to}", err=True)
    return INTERRUPTED


def _print_error(line: str) -> None:
    from arbiter.text import printable

    click.echo(printable(line), err=True)


def install_signal_handlers() -> None:
    """Make SIGINT, SIGTERM and SIGHUP raise KeyboardInterrupt once in the main thread.

    Python drops an exception raised in a finalizer or a fork hook: it is then raised again.
    """
    for number in ENDING_SIGNALS:
        signal.signal(number, _interrupt_once)
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _raise_interrupt)
        sys.unraisablehook = _raise_dropped_again


def _interrupt_once(number: int, frame: FrameType | None) -> NoReturn:
    """Raise once: a closed terminal sends several signals, and Ctrl-C is pressed twice."""
    for ending in ENDING_SIGNALS:
        # Not SIG_IGN: Python would print a traceback for a signal that has already arrived.
        signal.signal(ending, lambda _number, _frame: None)
    _raise_interrupt(number, frame)


def _raise_interrupt(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001
    raise KeyboardInterrupt


def _raise_dropped_again(lost: sys.UnraisableHookArgs) -> None:
    """Raise a dropped interrupt again a little later; Python calls this for each exception it drops."""
    if lost.exc_type is KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, RETRY_SECONDS)
    else:
        sys.__unraisablehook__(lost)
