"""The verbs of a table, each defined once: the console uses their words, pages the functions' names.

A verb takes a `VerbHost` and returns why it stopped, or None. On an error it raises ArbiterError, and has
changed nothing.
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
    from arbiter.table.interactive.interactive_match import InteractiveMatch
    from arbiter.table.interactive.occupants import Occupant

Do = TypeVar("Do", bound="Callable[..., Stop | None]")
Until: TypeAlias = Literal["deal", "end"]
"""Where `play` stops."""
Macro: TypeAlias = Literal["greeting", "deal", "smoke"]
"""Named lines: the greeting, this deal's cards, or both and a request."""


class VerbHost:
    """A table for verbs; the defaults show nothing."""

    machine: InteractiveMatch
    """The match; ConfigError before one is set up."""
    say: Callable[[str], object] = str
    """Reports what a verb has done."""
    note: Callable[[str], object] = str
    """Reports important news."""

    def quietly(self) -> AbstractContextManager[None]:
        """Return a context in which many decisions are made without showing each."""
        return nullcontext()

    def may_continue(self) -> bool:
        """Show the table after a decision. Return False if the verb must end."""
        return True


class Verb(NamedTuple):
    """A verb of the console: its `usage`, and its line of `help`."""

    do: Callable[..., Stop | None]
    usage: str
    help: str

    def arguments(self, rest: str) -> list[str | int]:
        """Return the rest of its line as an argument, a number for ``[N]``, or none; ConfigError."""
        _, _, wants = self.usage.partition(" ")
        if rest and (not wants or "," in self.usage):
            raise ConfigError(f"{self.usage.partition(',')[0]} takes no arguments, got {rest!r}")
        if wants == "[N]" and rest and not rest.isdecimal():
            raise ConfigError(f"expected a number, got {rest!r}")
        return [] if not rest else [int(rest) if wants == "[N]" else rest]


VERBS: dict[str, Verb] = {}
"""By the first word of a line in the console, or each of several. In capitals: any answer."""


def command_words() -> list[str]:
    """Return the first words of lines in the console, except answers."""
    return [name for name in VERBS if name.islower()]


def verb(usage: str, help: str) -> Callable[[Do], Do]:
    """Return a decorator that adds a function to `VERBS`, the commands of the console."""

    def add(do: Do) -> Do:
        names = usage.split(", ") if "," in usage else [usage.partition(" ")[0]]
        VERBS.update(dict.fromkeys(names, Verb(do, usage, help)))
        return do

    return add


ON_A_PAGE: list[Callable[..., Stop | None]] = []
"""The verbs that a page may post, with their arguments as the body."""


def on_a_page(do: Do) -> Do:
    """Add a function to `ON_A_PAGE`, the verbs that a page may request."""
    ON_A_PAGE.append(do)
    return do


@on_a_page
@verb("step [N]", "send the news and the next request (or N requests)")
def step(table: VerbHost, decisions: int = 1) -> Stop:
    """Send the news and the next request, unless a person decides."""
    stop = Stop.DECIDED
    for _ in range(decisions):
        stop = table.machine.step()
        if not table.may_continue() or stop is not Stop.DECIDED:
            break
    return stop


@on_a_page
@verb("go [deal]", "play to the end of the match, or of this deal")
def play(table: VerbHost, until: Until = "end") -> Stop:
    """Play to a person's turn, trouble or the end of the match; with `until` "deal" to that of the deal."""
    if until not in ("deal", "end"):
        raise ConfigError(f"go {until}: write go, or go deal")
    machine = table.machine
    deals = len(machine.position.deals)
    with table.quietly():
        while (stop := machine.step()) is Stop.DECIDED and table.may_continue():
            if until == "deal" and len(machine.position.deals) > deals:
                break
    if stop is Stop.DECIDED and len(machine.position.deals) > deals:
        table.say(f"points so far: {' '.join(map(str, machine.position.totals))}")
    return stop


@on_a_page
def decide(table: VerbHost, word: str, seat: Seat | None = None) -> Stop:
    """Decide for the seat to act, with any occupant; IllegalAction with the reason."""
    machine = table.machine
    to_act = machine.position.to_act
    if to_act is None:
        raise ConfigError("the match is over: no seat is to act")
    if seat not in (None, to_act):
        raise ConfigError(f"it is the turn of seat {to_act}, not of seat {seat}")
    machine.position.parse(word)
    if machine.decide(word) is Stop.DECIDED:
        table.say(f"seat {to_act} decides {machine.position.decisions[-1].word}")
        table.may_continue()
        return Stop.DECIDED
    return Stop.TROUBLE


def answer(table: VerbHost, word: str, seat: Seat) -> Stop:
    """Decide as the person in a seat, and play to the next person's turn; see `decide`."""
    return play(table) if decide(table, word, seat) is Stop.DECIDED else Stop.TROUBLE


@on_a_page
@verb("again", "after a bad reply: ask again, with a restarted bot if it is out of step")
def again(table: VerbHost) -> Stop:
    """After a bad reply, ask again."""
    _require_trouble(table)
    return table.machine.retry()


@on_a_page
@verb("skip", "after a bad reply to news: continue as after a good one")
def skip(table: VerbHost) -> None:
    """After a bad reply to news, continue as after a good one."""
    _require_trouble(table)
    if not table.machine.pending_news:
        raise ConfigError("an answer cannot be skipped: ask again, or decide for the seat")
    table.machine.skip_news()


@on_a_page
@verb("undo [N]", "take N decisions back; bots are restarted and get the rest again")
def undo(table: VerbHost, decisions: int = 1, deal: bool = False) -> Stop:
    """Take decisions back; with `deal` all of this deal, or else of the one before."""
    machine = table.machine
    if deal:
        here = [move.deal for move in machine.moves]
        number = len(machine.position.deals) - 1
        decisions = here.count(number) or here.count(number - 1)
    if not (taken := machine.undo(decisions)):
        raise ConfigError("no decision to take back")
    table.say(f"took {taken} decision{'s' * (taken != 1)} back, {machine.position.made} left")
    return Stop.DECIDED


@on_a_page
@verb("redo [N]", "make N undone decisions again, if nothing else has happened since")
def redo(table: VerbHost, decisions: int = 1) -> Stop:
    """Make undone decisions again."""
    if not (made := table.machine.redo(decisions)):
        raise ConfigError("no decision to make again: undo takes decisions back")
    table.say(f"made {made} decision{'s' * (made != 1)} again, {table.machine.redoable} left")
    return Stop.DECIDED


def send(table: VerbHost, seat: Seat, lines: Sequence[Command]) -> None:
    """Send a seat some lines, up to the first bad reply."""
    _require_seat(table, seat)
    for line in lines:
        if table.machine.send_line(seat, line).problem or not table.may_continue():
            return


def macro(table: VerbHost, name: Macro, seat: Seat) -> None:
    """Send a seat the greeting, this deal's cards, or (smoke) both, the time left and a request, any time."""
    _require_seat(table, seat)
    machine, position = table.machine, table.machine.position
    game = position.game
    greeting = [wording[seat] for wording in game.greeting()]
    deal = [wording[seat] for wording in game.dealt(position.deals[-1])]
    request = [position.request] if position.to_act == seat else []
    smoke = [*greeting, *deal, time_left(machine.left[seat]), *request]
    send(table, seat, {"greeting": greeting, "deal": deal, "smoke": smoke}[name])


def sit(table: VerbHost, seat: Seat, occupant: Occupant) -> None:
    """Replace the occupant of a seat; the new one gets the seat's log."""
    try:
        _require_seat(table, seat)
        said = table.machine.replace_occupant(seat, occupant)
    except BaseException:
        occupant.end()
        raise
    if said:
        table.note(f"seat {seat}: {said}")


def _require_trouble(table: VerbHost) -> None:
    """Raise ConfigError without trouble: an unmended bad reply."""
    if table.machine.trouble is None:
        raise ConfigError("no bad reply to repeat or skip")


def _require_seat(table: VerbHost, seat: Seat) -> None:
    """Raise ConfigError for a seat outside the game's."""
    seats = table.machine.setup.game.seats
    if not 0 <= seat < seats:
        raise ConfigError([Problem(("seat",), f"expected a seat from 0 to {seats - 1}, got {seat}")])
