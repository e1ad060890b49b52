"""Commands and options that users of other tools type first, and the help."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from arbiter.cli import COMMANDS, group
from arbiter.cli.trade_words import _COMMANDS, _OPTIONS, PAGE

if TYPE_CHECKING:
    from tests.fixtures.commands import Run


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("replay", "did you mean show or console?"),
        ("compare", "did you mean regress?"),
        ("sprt", "did you mean regress?"),
        ("test", "did you mean check-bot or regress?"),
        ("rate", "did you mean standings?"),
        ("choose", "did you mean regress?"),
        ("run", "did you mean run-season, run-round or play?"),
        ("standing", "did you mean standings?"),
        ("play --games 4", "Did you mean '--matches'?"),
        ("play --rounds 4", "Did you mean '--matches'?"),
        ("gauntlet x --games 4", "Did you mean '--rounds'?"),
        ("play --matchs 4", "'--matches'"),
        ("play -engine cmd=bot", "No such option '-engine'. Did you mean '--bot'?"),
        ("-engine cmd=bot", "did you mean play or regress?"),
        ("play -sprt elo0=0", "did you mean regress?"),
        ("play --resign score=5", "see docs/howto/coming-from-fastchess.md"),
        ("play --bot new=python3 bot.py", "quote a command with blanks"),
        ("-v", "Did you mean '--version'?"),
        ("version", "did you mean --version?"),
        ("fastchess -engine cmd=bot", "See docs/howto/coming-from-fastchess.md"),
        ("appeal", "did you mean evidence?"),
    ],
)
def test_a_word_of_other_tools_leads_to_ours(arbiter: Run, typed: str, meant: str) -> None:
    code, out, err = arbiter(*typed.split())
    assert (code, out) == (2, "")
    assert meant in err


def test_each_hint_names_what_there_is() -> None:
    assert (Path(__file__).parents[2] / PAGE).exists()
    assert {name for names in _COMMANDS.values() for name in names} <= COMMANDS.keys() | {"--version"}
    assert not _COMMANDS.keys() & COMMANDS.keys()
    context = click.Context(group)
    commands = [group.get_command(context, name) for name in COMMANDS]
    options = {name for command in commands if command for option in command.params for name in option.opts}
    assert {name for names in _OPTIONS.values() for name in names} <= options | COMMANDS.keys() | {
        "--version"
    }


@pytest.mark.parametrize("words", [[], ["play"], ["arena", "play"]])
def test_help_is_that_of_the_option(arbiter: Run, words: list[str]) -> None:
    assert arbiter("help", *words) == arbiter(*words, "--help")


def test_help_of_no_command_has_a_hint(arbiter: Run) -> None:
    code, _, err = arbiter("help", "sprt")
    assert code == 2
    assert "did you mean regress?" in err
