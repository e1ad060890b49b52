"""The command line: a command is its options, one call and one presentation.

Nothing is imported before the command that needs it is called. It imports every district; nothing but
`__main__` imports it.
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
from arbiter.errors import ArbiterError, came_of_a_signal, did_you_mean

if TYPE_CHECKING:
    from types import FrameType

INTERRUPTED = 130
USAGE = 2
OUR_FAULT = 4
ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
BEGIN_ANEW = frozenset({"attack", "check-bot", "export", "integrity", "play", "report", "verify"})
"""Commands that keep nothing of what they have done when they are interrupted."""
AGAIN_SECONDS = 0.01
"""After a signal was lost: long enough to be out of where it was."""

COMMANDS = {
    # name: (module, function, one line of help)
    "init": ("init", "init", "Write a season to start from, with sample bots."),
    "run-round": ("run", "run_round", "Play the next round of a season, or finish a broken one."),
    "run-season": ("run", "run_season", "Play a season until all its rounds are complete."),
    "qualify": ("check_bot", "qualify", "Try every player of a season as check-bot does."),
    "plan": ("plan", "plan", "How long a season takes, and what fits into the time there is."),
    "status": ("season_control", "status", "How far a season is, and who plays it."),
    "stop": ("season_control", "stop", "Ask the coordinator of a season to stop in good order."),
    "pause": ("season_control", "pause", "Let a season rest until it is resumed."),
    "resume": ("season_control", "resume", "Let a season go on that was paused or stopped."),
    "accept": ("season_control", "accept", "Accept what has changed in a season's file."),
    "serve": ("serve", "serve", "Seasons in a browser, and played if asked to."),
    "authors": ("authors", "authors", "Who may send programs to a season."),
    "submit": ("authors", "submit", "Send a program to a site, and hear what was found of it."),
    "request": ("request", "request", "Ask a site for matches of your version, unrated."),
    "inspect": ("inspect", "inspect", "Try what authors send, and play what they ask for."),
    "notify": ("notify", "notify", "Tell a season's webhooks what happens in it."),
    "backup": ("export", "backup", "Copy a season's store into a file, also while it is played."),
    "restore": ("export", "restore", "Put a backup's seasons, or another store's, into a store."),
    "standings": ("standings", "standings", "Ratings of a season with their intervals."),
    "marks": ("standings", "marks", "A course's marks: a line for each author, for a spreadsheet."),
    "crosstable": ("standings", "crosstable", "Who beat whom how often."),
    "matches": ("standings", "matches", "List the matches of a season."),
    "show": ("show", "show", "One match: who sat where, what was played, why it ended."),
    "review": ("review", "review", "What each decision of a match cost, by a program that values answers."),
    "integrity": ("integrity", "integrity", "Ask who helps whom, decides alike, or has written the same."),
    "verify": ("verify", "verify", "Deal, play and rate a stored season again; name what differs."),
    "annul": ("orders", "annul", "Let matches no longer count, or play them again."),
    "suspend": ("orders", "suspend", "Let a player sit out."),
    "reinstate": ("orders", "reinstate", "Let a suspended player play again."),
    "report": ("export", "report", "Write a season into one HTML file, to look at anywhere."),
    "export": ("export", "export", "Write the matches as PGN, CSV, JSON lines or Parquet, or the sources."),
    "play": ("play", "play", "Play one match between programs."),
    "regress": ("regress", "regress", "Is the new version of a bot better? An answer for CI."),
    "tune": ("tune", "tune", "Tune a bot's numbers by matches against itself."),
    "gauntlet": ("gauntlet", "gauntlet", "One player of a season against the others, unrated."),
    "arena": ("arena", "arena", "A coding agent improves a bot, in JSON."),
    "mcp": ("mcp", "mcp", "The arena as tools of the Model Context Protocol."),
    "sit": ("mcp", "sit", "A seat at a site's visitors' table, as such tools."),
    "suite": ("suite", "suite", "Run the named checks of one bot, as a regression suite."),
    "check-bot": ("check_bot", "check_bot", "Try a bot in every way that a tournament will."),
    "console": ("console", "console", "A referee by hand: bots and people, any command, raw replies."),
    "applet": ("applet", "applet", "The same in a browser: cards to click, a shell beside the table."),
    "check-config": ("check_config", "check_config", "Check a season's file without playing."),
    "config": ("check_config", "config", "A season's settings as a file, of now or of a round."),
    "games": ("check_config", "games", "The games that can be played, and their options."),
    "isolation": ("check_config", "isolation", "What this machine can enforce against bots."),
    "attack": ("attack", "attack", "Play bots that attack, and see what stops each."),
}


class LazyGroup(click.Group):
    """Commands that are imported when called; the list of them needs no import."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """In the order of the table above."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        """Import one command."""
        if name not in COMMANDS:
            return None
        module, function, _ = COMMANDS[name]
        # Of what is imported nothing is garbage, and to look for some takes a fifth of the time.
        looks = gc.isenabled()
        gc.disable()
        try:
            command: click.Command = getattr(import_module(f"arbiter.cli.{module}"), function)
        finally:
            if looks:
                gc.enable()
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with a suggestion for a word that is no command."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            hint = did_you_mean(args[0], COMMANDS)
            raise click.UsageError(f"No such command {args[0]!r} ({hint}).", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The one-line helps from the table."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, _, line) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="arbiter")
def group() -> None:
    """A referee and tournament runner for card-game bots.

    Example: arbiter run-round configs/demo.yaml
    """


def main() -> NoReturn:
    """Run a command; every failure is one line on stderr and an exit code."""
    _replace_closed_streams()
    hear_signals()
    sys.exit(exit_code(sys.argv[1:]))


def _replace_closed_streams() -> None:
    """Let nothing that is opened later, such as a store, become a standard stream of ours or of a child."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)
            os.dup2(descriptor, number)
            if descriptor != number:
                os.close(descriptor)
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w"))


def exit_code(arguments: list[str]) -> int:
    """The exit code of a command line."""
    try:
        # Not `group.main`: that would make a reader who went away an error of ours.
        with group.make_context("arbiter", arguments) as context:
            group.invoke(context)
        sys.stdout.flush()
        return 0
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except ArbiterError as error:
        for line in str(error).splitlines():
            _complain(f"arbiter: {line}" if not getattr(error, "file", "") else line)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _interrupted(arguments)
    except BrokenPipeError:
        # The reader of our output went away, as `head` does: nobody is left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if came_of_a_signal(error):
            return _interrupted(arguments)
        if os.environ.get("ARBITER_DEBUG"):
            raise
        if isinstance(error, ImportError | AttributeError) and not hasattr(os, "pidfd_open"):
            _complain(
                "arbiter: this command needs Linux (docs/howto/macos-and-windows.md says what works here)"
            )
            return USAGE
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            _complain(f"arbiter: {error.strerror}: allow more, as by `ulimit -n 1024`")
            return OUR_FAULT
        text = " ".join(f"{type(error).__name__}: {error}".split())
        _complain(f"arbiter: failed: {text} (ARBITER_DEBUG=1 shows where)")
        return OUR_FAULT


def _interrupted(arguments: list[str]) -> int:
    does = "begins anew" if BEGIN_ANEW.intersection(arguments[:1]) else "goes on"
    click.echo(f"arbiter: interrupted; the same command {does}", err=True)
    return INTERRUPTED


def _complain(line: str) -> None:
    from arbiter.text import printable

    click.echo(printable(line), err=True)


def hear_signals() -> None:
    """Have a signal to end raise KeyboardInterrupt in the main thread, once, and again where Python loses it.

    An exception in a finalizer, of an abandoned generator say, or in a hook of a fork is dropped by Python.
    """
    for number in ENDING:
        signal.signal(number, _terminated)
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _interrupt)
        sys.unraisablehook = _dropped


def _terminated(number: int, frame: FrameType | None) -> NoReturn:
    """End in good order, once: a closed terminal sends several of them, and Ctrl-C is pressed twice."""
    for ending in ENDING:
        # Not SIG_IGN: of one that has already come Python would say so, with a traceback.
        signal.signal(ending, lambda _number, _frame: None)
    _interrupt(number, frame)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001
    raise KeyboardInterrupt


def _dropped(lost: sys.UnraisableHookArgs) -> None:
    """Raise an interrupt again, where it will be heard; Python calls this for an exception that it drops."""
    if lost.exc_type is KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)
    else:
        sys.__unraisablehook__(lost)
