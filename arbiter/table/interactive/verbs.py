"""The verbs of a table, each defined once: the console has its words, a page its function's name.

A verb takes a `VerbHost` and returns how far it came, None where nothing is to be said about that. It raises
what is wrong (ArbiterError), and then has changed nothing.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, TypeVar

from arbiter.errors import ConfigError, Problem
from arbiter.games.game import Seat
from arbiter.match.clock import time_left
from arbiter.table.interactive.setup import Stop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from arbiter.games.game import Command
    from arbiter.table.interactive.interactive_match import ByHand
    from arbiter.table.interactive.occupants import Occupant

Do = TypeVar("Do", bound="Callable[..., Stop | None]")
Until: TypeAlias = Literal["deal", "end"]
"""How far to go on."""
Macro: TypeAlias = Literal["greeting", "deal", "smoke"]
"""Lines with a name: the greeting, this deal's cards, or both and a question."""


class VerbHost:
    """A table at which verbs work; most of it is of no matter where nobody looks on."""

    machine: ByHand
    """The match; ConfigError where no table is set yet."""
    say: Callable[[str], object] = str
    """Tells what a verb has done."""
    note: Callable[[str], object] = str
    """Tells what nobody may miss."""

    def quietly(self) -> AbstractContextManager[None]:
        """While many decisions are made at a time."""
        return nullcontext()

    def goes_on(self) -> bool:
        """Show what there is to see after a decision; False where the verb is to end."""
        return True


class Verb(NamedTuple):
    """A verb of the console: `usage` as it is typed, `help` its line there."""

    do: Callable[..., Stop | None]
    usage: str
    help: str

    def arguments(self, rest: str) -> list[str | int]:
        """Return the arguments in the rest of its line."""
        _, _, wants = self.usage.partition(" ")
        if rest and (not wants or "," in self.usage):
            raise ConfigError(f"{self.usage.partition(',')[0]} takes nothing after it, and {rest!r} is there")
        if wants == "[N]" and rest and not rest.isdecimal():
            raise ConfigError(f"{rest!r} is not a number")
        return [] if not rest else [int(rest) if wants == "[N]" else rest]


VERBS: dict[str, Verb] = {}
"""By the word that a line of the console begins with; of several, by each. In capitals: any answer."""


def words() -> list[str]:
    """Return the words that a line of the console may begin with, but for answers."""
    return [name for name in VERBS if name.islower()]


def verb(usage: str, help: str) -> Callable[[Do], Do]:
    """Make a function one of `VERBS`."""

    def add(do: Do) -> Do:
        names = usage.split(", ") if "," in usage else [usage.partition(" ")[0]]
        VERBS.update(dict.fromkeys(names, Verb(do, usage, help)))
        return do

    return add


ON_A_PAGE: list[Callable[..., Stop | None]] = []
"""Those that a page may post, their arguments as the body."""


def on_a_page(do: Do) -> Do:
    """Make a function one of `ON_A_PAGE`."""
    ON_A_PAGE.append(do)
    return do


@on_a_page
@verb("step [N]", "tell the news, have the next decision made (or N of them)")
def step(table: VerbHost, decisions: int = 1) -> Stop:
    """Tell the news and have the next decision made, where no person makes it."""
    stop = Stop.DECIDED
    for _ in range(decisions):
        stop = table.machine.step()
        if not table.goes_on() or stop is not Stop.DECIDED:
            break
    return stop


@on_a_page
@verb("go [deal]", "on to the end of the match, or of this deal")
def play(table: VerbHost, until: Until = "end") -> Stop:
    """Go on to a person's turn, trouble or the end of the match; with `until` "deal" to that of the deal."""
    if until not in ("deal", "end"):
        raise ConfigError(f"go {until}: write go, or go deal")
    machine = table.machine
    deals = len(machine.position.deals)
    with table.quietly():
        while (stop := machine.step()) is Stop.DECIDED and table.goes_on():
            if until == "deal" and len(machine.position.deals) > deals:
                break
    if stop is Stop.DECIDED and len(machine.position.deals) > deals:
        table.say(f"points so far: {' '.join(map(str, machine.position.totals))}")
    return stop


@on_a_page
def decide(table: VerbHost, word: str, seat: Seat | None = None) -> Stop:
    """Decide for the seat to act, whatever its occupant; IllegalAction with the reason."""
    machine = table.machine
    to_act = machine.position.to_act
    if to_act is None:
        raise ConfigError("the match is over: nobody is to act")
    if seat not in (None, to_act):
        raise ConfigError(f"seat {seat} is not to act, but seat {to_act}")
    machine.position.parse(word)
    if machine.decide(word) is Stop.DECIDED:
        table.say(f"seat {to_act} decides {machine.position.decisions[-1].word}")
        table.goes_on()
        return Stop.DECIDED
    return Stop.TROUBLE


def answer(table: VerbHost, word: str, seat: Seat) -> Stop:
    """Decide as the person in a seat, and go on to the next person's turn; as `decide`."""
    return play(table) if decide(table, word, seat) is Stop.DECIDED else Stop.TROUBLE


@on_a_page
@verb("again", "after a bad reply: ask once more, a bot that is out of step being started anew")
def again(table: VerbHost) -> Stop:
    """After a bad reply: ask once more."""
    _refuse_without_trouble(table)
    return table.machine.again()


@on_a_page
@verb("skip", "after a bad reply to news: go on as if it had been a good one")
def skip(table: VerbHost) -> None:
    """After a bad reply to news: go on as if it had been a good one."""
    _refuse_without_trouble(table)
    if not table.machine.untold:
        raise ConfigError("an answer cannot be skipped: ask again, or decide for the seat")
    table.machine.skip()


@on_a_page
@verb("undo [N]", "take N decisions back; bots are started anew and hear the rest again")
def undo(table: VerbHost, decisions: int = 1, deal: bool = False) -> Stop:
    """Take decisions back; with `deal` all of this deal, of the one before where none was made in it."""
    machine = table.machine
    if deal:
        here = [move.deal for move in machine.moves]
        number = len(machine.position.deals) - 1
        decisions = here.count(number) or here.count(number - 1)
    if not (taken := machine.undo(decisions)):
        raise ConfigError("there is nothing to take back")
    table.say(f"took {taken} decision{'s' * (taken != 1)} back, {machine.position.made} left")
    return Stop.DECIDED


@on_a_page
@verb("redo [N]", "make N decisions again that were taken back, nothing else having happened since")
def redo(table: VerbHost, decisions: int = 1) -> Stop:
    """Make decisions again that were taken back."""
    if not (made := table.machine.redo(decisions)):
        raise ConfigError("there is nothing to make again: undo takes decisions back")
    table.say(f"made {made} decision{'s' * (made != 1)} again, {table.machine.redoable} left")
    return Stop.DECIDED


def send(table: VerbHost, seat: Seat, lines: Sequence[Command]) -> None:
    """Send a seat some lines, up to the first bad reply."""
    _refuse_seat(table, seat)
    for line in lines:
        if table.machine.raw(seat, line).problem or not table.goes_on():
            return


def macro(table: VerbHost, name: Macro, seat: Seat) -> None:
    """Send a seat the lines that have a name, whatever the moment."""
    _refuse_seat(table, seat)
    machine, position = table.machine, table.machine.position
    game = position.game
    greeting = [wording[seat] for wording in game.greeting()]
    deal = [wording[seat] for wording in game.dealt(position.deals[-1])]
    request = [position.request] if position.to_act == seat else []
    smoke = [*greeting, *deal, time_left(machine.left[seat]), *request]
    send(table, seat, {"greeting": greeting, "deal": deal, "smoke": smoke}[name])


def sit(table: VerbHost, seat: Seat, occupant: Occupant) -> None:
    """Put somebody else into a seat, who hears what was heard there."""
    try:
        _refuse_seat(table, seat)
        said = table.machine.seat(seat, occupant)
    except BaseException:
        occupant.end()
        raise
    if said:
        table.note(f"seat {seat}: {said}")


def _refuse_without_trouble(table: VerbHost) -> None:
    if table.machine.trouble is None:
        raise ConfigError("there is no bad reply to repeat or skip")


def _refuse_seat(table: VerbHost, seat: Seat) -> None:
    seats = table.machine.setup.game.seats
    if not 0 <= seat < seats:
        raise ConfigError([Problem(("seat",), f"there is no seat {seat}, only 0 to {seats - 1}")])
