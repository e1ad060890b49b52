"""The referee by hand in a terminal: a line in, lines out. A script of lines is a session too."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from arbiter.byhand.machine import ByHand
from arbiter.byhand.occupants import RandomPlayer
from arbiter.byhand.setup import Setup, Stop, TranscriptEntry
from arbiter.byhand.words import clock_lines, decision_lines, entry_line, state_lines, turn_lines
from arbiter.errors import ArbiterError, ConfigError, IllegalAction, did_you_mean
from arbiter.frame import frame_at, hand_line, table_line
from arbiter.games import make

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from arbiter.byhand.occupants import Occupant
    from arbiter.match import Move
    from arbiter.rules import AnyGame, Deal

LAST = 20
SHOWN_ERRORS = 10
"""Lines of standard error after a command."""


COMMANDS: dict[str, tuple[Callable[..., None], bool]] = {}
"""What each word does, and whether it stands alone on its line; the others are given the rest of it."""
HELP: list[str] = []


def _verb(usage: str, told: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a method of `Face` a verb of the console, by its words and its line of help."""

    def add(do: Callable[..., None]) -> Callable[..., None]:
        HELP.append(f"  {usage:<20}{told}")
        is_bare = "," in usage or " " not in usage
        names = usage.split(", ") if is_bare else usage.split(" ")[:1]
        COMMANDS.update({name: (do, is_bare) for name in names if name.islower()})
        return do

    return add


@dataclass(frozen=True, slots=True)
class Tools:
    """Readers of what the user types: an occupant of a seat, options of a game, a file of deals."""

    occupant: Callable[[str], Occupant]
    options: Callable[[Sequence[str]], dict[str, object]]
    deals: Callable[[AnyGame, str], list[Deal]]


class Face:
    """A session: `command` takes a line, `done` is True once it has ended. Call `close` at the end.

    `write` must escape the lines it is given: bots' output stands in them.
    """

    def __init__(
        self, setup: Setup, occupants: list[Occupant], tools: Tools, write: Callable[[str], None]
    ) -> None:
        self._tools, self._write = tools, write
        self._loud = True
        self._occupants = occupants
        self.done = False
        self._machine = self._new(setup)

    def command(self, line: str) -> None:
        """Do what one line says. An error is written, and changes nothing."""
        word, _, rest = line.strip().partition(" ")
        if not word or word.startswith("#"):
            return
        rest = rest.strip()
        try:
            if word in COMMANDS:
                do, is_bare = COMMANDS[word]
                if rest and is_bare:
                    raise ConfigError(f"{word} takes nothing after it, and {rest!r} is there")
                do(self, *([] if is_bare else [rest]))
            elif self._is_asked and len(line.split()) == self._machine.position.answer_words:
                self._answer(line)
            elif self._is_asked and word[0].isdigit():
                position = self._machine.position
                number = "one word" if position.answer_words == 1 else f"{position.answer_words} words"
                self._write(f"{position.request} is answered by {number}, not by {line.strip()!r}")
            else:
                self._write(f"no such command: {word} ({did_you_mean(word, COMMANDS)}; help lists them)")
        except (ArbiterError, ValueError) as error:
            self._write(str(error))
        except KeyboardInterrupt:
            self._write("interrupted")

    def introduce(self) -> None:
        """Write what is played and who sits where."""
        game = self._machine.setup.game
        options = ", ".join(f"{key} {value}" for key, value in game.options.items())
        self._write(f"{game.title}: {options}")
        for seat, occupant in enumerate(self._occupants):
            self._write(f"  {seat}  {occupant.title}")

    def feed(self, moves: Sequence[Move]) -> None:
        """Play recorded decisions without writing the exchanges."""
        self._loud = False
        for remark in self._machine.feed(moves):
            self._write(remark)
        self._loud = True
        self._write(f"fed {self._machine.position.made} of {len(moves)} recorded decisions")
        self._after(None)

    def close(self) -> None:
        """Send every bot ``quit`` and end it; write how that went."""
        for seat, occupant in enumerate(self._occupants):
            if said := occupant.end():
                self._write(f"seat {seat}: {said}")

    def _new(self, setup: Setup) -> ByHand:
        """Begin another match with the same occupants; random players take new seats."""
        seats = setup.game.seats
        for leaving in self._occupants[seats:]:
            leaving.end()
        del self._occupants[seats:]
        self._occupants += [RandomPlayer() for _ in range(seats - len(self._occupants))]
        return ByHand(setup, self._occupants, self._listen)

    def _renew(self, setup: Setup) -> None:
        self._machine = self._new(setup)
        self.introduce()

    def _write_all(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._write(line)

    def _listen(self, entry: TranscriptEntry) -> None:
        if self._loud or entry.problem:
            self._write(entry_line(entry))
            errors = self._occupants[entry.seat].errors().decode(errors="replace").splitlines()
            for line in errors[-SHOWN_ERRORS:]:
                self._write(f"  stderr: {line}")

    def _after(self, stop: Stop | None) -> None:
        """Write whose turn it is after a step, or what went wrong."""
        machine = self._machine
        if machine.trouble is not None:
            seat = machine.trouble.seat
            choices = "again, skip" if machine.untold else f"again, play WORD for {seat}"
            self._write(f"what now: {choices}, undo or quit?")
        elif machine.position.to_act is None and not machine.untold:
            self._write(f"the match is over: points {' '.join(map(str, machine.position.totals))}")
        elif stop is Stop.PERSON:
            self._write_all(turn_lines(machine.position))

    @_verb("step [N]", "tell the news, have the next decision made (or N of them)")
    def _step(self, rest: str) -> None:
        stop = None
        for _ in range(_number(rest, 1)):
            stop = self._machine.step()
            if stop is not Stop.DECIDED:
                break
        self._after(stop)

    @_verb("go [deal]", "on to the end of the match, or of this deal")
    def _go(self, rest: str) -> None:
        if rest not in ("", "deal", "match"):
            raise ConfigError(f"go {rest}: write go, or go deal")
        machine = self._machine
        begun, deals = machine.position.made, len(machine.position.deals)
        self._loud = False
        stop = Stop.DECIDED
        try:
            while stop is Stop.DECIDED and not (rest == "deal" and len(machine.position.deals) > deals):
                stop = machine.step()
        finally:
            self._loud = True
            self._write_all(decision_lines(machine.position.decisions[begun:], machine.setup.game.seats))
        if len(machine.position.deals) > deals and stop is Stop.DECIDED:
            self._write(f"points so far: {' '.join(map(str, machine.position.totals))}")
        self._after(stop)

    @_verb("WORD", "a person's decision, and on to the next person's turn")
    def _answer(self, words: str) -> None:
        """Take a person's decision and go on to the next one, or replace a bad answer."""
        seat = self._machine.position.to_act
        person = seat is not None and self._occupants[seat].person
        try:
            self._play(words)
        except IllegalAction as error:
            # It may be a mistyped command.
            raise IllegalAction(f"{error} (help lists the commands)") from None
        if person and self._machine.trouble is None:
            self._go("")

    @_verb("play WORD [for N]", "decide for the seat that is to act, whoever sits there")
    def _play(self, rest: str) -> None:
        position = self._machine.position
        seat_to_act = position.to_act
        words, number = rest.split(), 1 if seat_to_act is None else position.answer_words
        meant = " ".join(words[number:]).removeprefix("for").strip()
        if meant and meant != str(seat_to_act):
            raise ConfigError(f"seat {meant} is not to act, but seat {seat_to_act}")
        if self._machine.decide(" ".join(words[:number])) is Stop.DECIDED:
            self._write(f"seat {seat_to_act} decides {self._machine.position.decisions[-1].word}")
        self._after(None)

    @property
    def _is_asked(self) -> bool:
        """True when a word by itself is a decision: at a person's turn, or after a bad answer."""
        seat = self._machine.position.to_act
        return seat is not None and (self._occupants[seat].person or self._machine.trouble is not None)

    @_verb("again", "after a bad reply: ask once more, a bot that is out of step being started anew")
    def _again(self) -> None:
        self._after(self._machine.again())

    @_verb("skip", "after a bad reply to news: go on as if it had been a good one")
    def _skip(self) -> None:
        self._machine.skip()

    @_verb("undo [N]", "take N decisions back; bots are started anew and hear the rest again")
    def _undo(self, rest: str) -> None:
        taken = self._machine.undo(_number(rest, 1))
        left = self._machine.position.made
        self._write(f"took {taken} decision{'s' * (taken != 1)} back, {left} left")
        self._after(None)

    @_verb("redo [N]", "make N decisions again that were taken back, nothing else having happened since")
    def _redo(self, rest: str) -> None:
        made = self._machine.redo(_number(rest, 1))
        if not made:
            raise ConfigError("there is nothing to make again: undo takes decisions back")
        self._write(f"made {made} decision{'s' * (made != 1)} again, {self._machine.redoable} left")
        self._after(None)

    @_verb("raw SEAT COMMAND", "send a bot any line")
    def _raw(self, rest: str) -> None:
        word, _, command = rest.partition(" ")
        if not command.strip():
            raise ConfigError("write raw SEAT COMMAND, such as raw 0 time_left 5000")
        self._machine.raw(self._seat_number(word), command)

    @_verb("greet [SEAT]", "tell everybody the greeting; with a seat: send it there, whatever the moment")
    def _greet(self, rest: str) -> None:
        game = self._machine.setup.game
        greeting = _by_seat(game.greeting())
        if rest:
            self._send(rest, greeting)
            return
        told = len(self._machine.position.news) - self._machine.untold
        if self._machine.position.decisions or told >= len(greeting):
            raise ConfigError("the greeting has been told; greet SEAT sends it to one bot again")
        self._machine.tell(len(greeting) - told)
        self._after(None)

    @_verb("deal [SEAT]", "the same up to this deal's cards")
    def _deal(self, rest: str) -> None:
        position = self._machine.position
        if rest:
            self._send(rest, _by_seat(self._machine.setup.game.dealt(position.deals[-1])))
            return
        self._machine.tell()
        self._after(None)

    def _send(self, word: str, commands: Iterable[tuple[int, str]]) -> None:
        """Send one seat its part of `commands`, whatever the moment."""
        seat = self._seat_number(word)
        for hearer, command in commands:
            if hearer == seat:
                self._machine.raw(seat, command)

    @_verb("hands", "what everybody holds")
    def _show_hands(self) -> None:
        position = self._machine.position
        for seat, hand in enumerate(frame_at(position).hands):
            self._write(f"  {seat}  {hand_line(position.game, hand)}")

    @_verb("trick", "what lies on the table")
    def _show_trick(self) -> None:
        self._write(table_line(frame_at(self._machine.position)) or "nothing lies on the table")

    @_verb("state", "the deal, its roles and decisions, the points so far, who is to act")
    def _show_state(self) -> None:
        self._write_all(state_lines(self._machine.position))

    @_verb("clock", "what everybody has left of the time")
    def _show_clock(self) -> None:
        self._write_all(clock_lines(self._machine))

    @_verb("transcript [N]", "the last N commands and raw replies (20)")
    def _show_transcript(self, rest: str) -> None:
        for entry in self._machine.transcript[-_number(rest, LAST) :]:
            self._write(entry_line(entry))

    @_verb("seat N WHO", "put bot:COMMAND, human or random into a seat; it hears what was heard there")
    def _sit(self, rest: str) -> None:
        word, _, who = rest.partition(" ")
        seat = self._seat_number(word)
        if said := self._machine.seat(seat, self._tools.occupant(who.strip())):
            self._write(f"seat {seat}: {said}")
        self._write(f"seat {seat}: {self._occupants[seat].title}")

    @_verb("set KEY=VALUE ...", 'a new match with other options of the game: set deck="789 AB" deals=[[2,0]]')
    def _set(self, rest: str) -> None:
        setup = self._machine.setup
        given = self._tools.options(shlex.split(rest))
        # The default programme depends on the deck and the table.
        kept = {key: value for key, value in setup.game.options.items() if key != "deals"}
        game = make(setup.game.name, {**kept, **given})
        self._renew(replace(setup, game=game))

    @_verb("seed TEXT", "a new match with other cards")
    def _seed(self, rest: str) -> None:
        self._renew(replace(self._machine.setup, game=self._plain_game(), seed=rest, round_number=1))

    @_verb("deals FILE", "a new match with the cards of a file")
    def _deals(self, rest: str) -> None:
        game = self._plain_game()
        game = game.given(self._tools.deals(game, rest))
        self._renew(replace(self._machine.setup, game=game))

    def _plain_game(self) -> AnyGame:
        """The game without deals that were given."""
        game = self._machine.setup.game
        return make(game.name, game.options)

    @_verb("new", "the match from its start")
    def _restart(self) -> None:
        self._renew(self._machine.setup)

    @_verb("quit, exit", "tell the bots quit, and end")
    def _quit(self) -> None:
        self.done = True

    @_verb("help", "these lines")
    def _help(self) -> None:
        self._write_all(HELP)

    def _seat_number(self, word: str) -> int:
        if not word.isdecimal() or int(word) >= len(self._occupants):
            raise ConfigError(f"{word!r} is not a seat from 0 to {len(self._occupants) - 1}")
        return int(word)


def _by_seat(wordings: Iterable[Sequence[str]]) -> list[tuple[int, str]]:
    """Commands worded for each seat as (seat, command), in the order sent."""
    return [command for wording in wordings for command in enumerate(wording)]


def _number(text: str, default: int) -> int:
    """Parse a count that may be left out."""
    if text and not text.isdecimal():
        raise ConfigError(f"{text!r} is not a number")
    return int(text) if text else default
