"""A table of real processes, and small bots that misbehave in one way each."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from arbiter.clock import TimeControl
from arbiter.match import Limits, MatchSpec, Player
from arbiter.table import Conductor
from tests.commands import BOTS, RANDOM

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


# A bot that answers everything well; {early} runs before, {each} for every command with the
# line in `line` and the good answer in `answer`; both may do as they please.
TEMPLATE = """
import {modules}
def say(text):
    sys.stdout.write(text); sys.stdout.flush()
hand, led, size = [], None, 0
count = 0
{early}
for line in sys.stdin:
    words = line.split()
    if not words:
        continue
    answer = "="
    if words[0] == "set_cards":
        hand, size, table = words[2:], int(words[1]), []
    elif words[0] == "play":
        table.append(words[2])
        if words[2] in hand:
            hand.remove(words[2])
        if len(table) == 4:
            table = []
    elif words[0] == "gen_declare":
        answer = "= 0"
    elif words[0] == "gen_move":
        follow = [card for card in hand if table and card[1] == table[0][1]]
        answer = "= " + (follow or hand)[0]
    count += 1
{each}
    say(answer + "\\n\\n")
"""


@pytest.fixture(scope="session")
def table() -> Iterator[Conductor]:
    """One table for all tests of a process; closed at the end."""
    made = Conductor()
    yield made
    made.close()


@pytest.fixture
def bot(tmp_path: Path) -> Callable[..., Path]:
    """Writes a bot that misbehaves: lines to run early and lines to run for each command."""

    def write(early: str = "", each: str = "", name: str = "bot") -> Path:
        indented = "\n".join("    " + line for line in each.splitlines())
        path = tmp_path / f"{name}.py"
        # Of these modules one takes most of a bot's start.
        slow = ["signal"] if "signal." in early + each else []
        modules = ", ".join(["os", "sys", "time", *slow])
        path.write_text(TEMPLATE.format(modules=modules, early=early, each=indented))
        return path

    return write


def player(script: Path, name: str) -> Player:
    """A player that runs a Python file."""
    return Player(name, (sys.executable, "-I", "-S", str(script)), str(script.parent))


def spec_for(players: tuple[Player, ...], time: str = "10s", **limits: object) -> MatchSpec:
    """A match of three short deals, so that a test takes milliseconds."""
    given: dict[str, object] = {"start_ns": 20_000_000_000, "memory_bytes": 400_000_000} | limits
    return MatchSpec(
        id="match",
        season="tests",
        round=1,
        table=1,
        rotation=0,
        game="planning",
        options={"deals": [[1, 0], [2, 1], [3, 2]]},
        seed="1",
        players=players,
        limits=Limits(time=TimeControl.parse(time), **given),  # type: ignore[arg-type]
    )


def against(script: Path, time: str = "10s", seat: int = 1, **limits: object) -> MatchSpec:
    """The bot under test in one seat, random players in the others."""
    players = [Player(f"random{number}", tuple(RANDOM.split()), str(BOTS)) for number in range(4)]
    players[seat] = player(script, "subject")
    return spec_for(tuple(players), time, **limits)
