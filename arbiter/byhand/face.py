"""The referee by hand in a terminal: a line in, lines out; a script of lines is a session, too."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from arbiter.byhand import words
from arbiter.byhand.machine import ByHand, Exchange, Setup, Stop
from arbiter.byhand.occupants import RandomPlayer
from arbiter.errors import ArbiterError, ConfigError, IllegalAction, did_you_mean
from arbiter.games import make
from arbiter.view import hand_line, table_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from arbiter.byhand.occupants import Occupant
    from arbiter.match import Move
    from arbiter.rules import AnyGame, Deal

HELP = """\
  step [N]            tell the news, have the next decision made (or N of them)
  go [deal]           on to the end of the match, or of this deal
  WORD                a person's decision, and on to the next person's turn
  play WORD [for N]   decide for the seat that is to act, whoever sits there
  again               after a bad reply: ask once more, a bot that is out of step being started anew
  skip                after a bad reply to news: go on as if it had been a good one
  undo [N]            take N decisions back; bots are started anew and hear the rest again
  raw SEAT COMMAND    send a bot any line
  greet [SEAT]        tell everybody the greeting; with a seat: send it there, whatever the moment
  deal [SEAT]         the same up to this deal's cards
  hands, trick, state, clock
  transcript [N]      the last N commands and raw replies (20)
  seat N WHO          put bot:COMMAND, human or random into a seat; it hears what was heard there
  set KEY=VALUE ...   a new match with other options of the game: set deck="789 AB" deals=[[2,0]]
  seed TEXT           a new match with other cards
  deals FILE          a new match with the cards of a file
  new                 the match from its start
  quit, exit          tell the bots quit, and end"""
LAST = 20


@dataclass(frozen=True, slots=True)
class Tools:
    """What reads words that its user types: who sits in a seat, options, a file of deals."""

    occupant: Callable[[str], Occupant]
    options: Callable[[Sequence[str]], dict[str, object]]
    deals: Callable[[AnyGame, str], list[Deal]]


class Face:
    """A session: `command` takes a line; `done` says when it has ended. Close it with `close`.

    `write` takes lines with whatever a bot may have said in them, and makes them harmless.
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
        """Do what one line says; errors are told, and nothing is changed by them."""
        word, _, rest = line.strip().partition(" ")
        if not word or word.startswith("#"):
            return
        known = COMMANDS.get(word)
        try:
            if known is not None:
                known(self, rest.strip())
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
        """Who sits where, what is played."""
        game = self._machine.setup.game
        options = ", ".join(f"{key} {value}" for key, value in game.options.items())
        self._write(f"{game.title}: {options}")
        for seat, occupant in enumerate(self._occupants):
            self._write(f"  {seat}  {occupant.title}")

    def feed(self, moves: Sequence[Move]) -> None:
        """Recorded decisions, without showing what is said meanwhile."""
        self._loud = False
        for remark in self._machine.feed(moves):
            self._write(remark)
        self._loud = True
        self._write(f"fed {len(self._machine.position.decisions)} of {len(moves)} recorded decisions")
        self._after(None)

    def close(self) -> None:
        """Tell every bot ``quit`` and end it; say how that went."""
        for seat, occupant in enumerate(self._occupants):
            if said := occupant.end():
                self._write(f"seat {seat}: {said}")

    def _new(self, setup: Setup) -> ByHand:
        """Another match; the same people and bots, and random players in seats that are new."""
        seats = setup.game.seats
        for leaving in self._occupants[seats:]:
            leaving.end()
        del self._occupants[seats:]
        self._occupants += [RandomPlayer() for _ in range(seats - len(self._occupants))]
        return ByHand(setup, self._occupants, self._listen)

    def _renew(self, setup: Setup) -> None:
        self._machine = self._new(setup)
        self.introduce()

    def _listen(self, exchange: Exchange) -> None:
        if self._loud or exchange.problem:
            self._write(words.exchange_line(exchange))

    def _after(self, stop: Stop | None) -> None:
        """What is to be said after a step: whose turn it is, or what went wrong."""
        machine = self._machine
        if machine.trouble is not None:
            seat = machine.trouble.seat
            for line in self._occupants[seat].errors().decode(errors="replace").splitlines()[-4:]:
                self._write(f"  stderr: {line}")
            choices = "again, skip" if machine.untold else f"again, play WORD for {seat}"
            self._write(f"what now: {choices}, undo or quit?")
        elif machine.position.to_act is None and not machine.untold:
            self._write(f"the match is over: points {' '.join(map(str, machine.position.totals))}")
        elif stop is Stop.PERSON:
            for line in words.turn_lines(machine.position):
                self._write(line)

    def _step(self, rest: str) -> None:
        stop = None
        for _ in range(_number(rest, 1)):
            stop = self._machine.step()
            if stop is not Stop.DECIDED:
                break
        self._after(stop)

    def _go(self, rest: str) -> None:
        if rest not in ("", "deal", "match"):
            raise ConfigError(f"go {rest}: write go, or go deal")
        machine = self._machine
        begun, deals = len(machine.position.decisions), len(machine.position.deals)
        self._loud = False
        stop = Stop.DECIDED
        try:
            while stop is Stop.DECIDED and not (rest == "deal" and len(machine.position.deals) > deals):
                stop = machine.step()
        finally:
            self._loud = True
            for line in words.decision_lines(machine.position.decisions[begun:], machine.setup.game.seats):
                self._write(line)
        if len(machine.position.deals) > deals and stop is Stop.DECIDED:
            self._write(f"points so far: {' '.join(map(str, machine.position.totals))}")
        self._after(stop)

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
        """Whether a word by itself decides something: a person's turn, or after a bad answer."""
        seat = self._machine.position.to_act
        return seat is not None and (self._occupants[seat].person or self._machine.trouble is not None)

    def _answer(self, words: str) -> None:
        """A person's decision, and on to the next one; or one in the place of a bad answer."""
        seat = self._machine.position.to_act
        person = seat is not None and self._occupants[seat].person
        try:
            self._play(words)
        except IllegalAction as error:
            # A command that was mistyped is read as an answer, too.
            raise IllegalAction(f"{error} (help lists the commands)") from None
        if person and self._machine.trouble is None:
            self._go("")

    def _again(self, rest: str) -> None:
        _nothing("again", rest)
        self._after(self._machine.again())

    def _skip(self, rest: str) -> None:
        _nothing("skip", rest)
        self._machine.skip()

    def _undo(self, rest: str) -> None:
        taken = self._machine.undo(_number(rest, 1))
        left = len(self._machine.position.decisions)
        self._write(f"took {taken} decision{'s' * (taken != 1)} back, {left} left")
        self._after(None)

    def _raw(self, rest: str) -> None:
        word, _, command = rest.partition(" ")
        if not command.strip():
            raise ConfigError("write raw SEAT COMMAND, such as raw 0 time_left 5000")
        self._machine.raw(self._seat_number(word), command)

    def _greet(self, rest: str) -> None:
        game = self._machine.setup.game
        greeting = [command for wording in game.greeting() for command in enumerate(wording)]
        if rest:
            self._send(rest, greeting)
            return
        told = len(self._machine.position.news) - self._machine.untold
        if self._machine.position.decisions or told >= len(greeting):
            raise ConfigError("the greeting has been told; greet SEAT sends it to one bot again")
        self._machine.tell(len(greeting) - told)
        self._after(None)

    def _deal(self, rest: str) -> None:
        position = self._machine.position
        if rest:
            wordings = self._machine.setup.game.dealt(position.deals[-1])
            self._send(rest, [command for wording in wordings for command in enumerate(wording)])
            return
        self._machine.tell()
        self._after(None)

    def _send(self, word: str, commands: Iterable[tuple[int, str]]) -> None:
        """Those of some commands that are for one seat, whatever the moment."""
        seat = self._seat_number(word)
        for hearer, command in commands:
            if hearer == seat:
                self._machine.raw(seat, command)

    def _show_hands(self, rest: str) -> None:
        _nothing("hands", rest)
        position = self._machine.position
        for seat in range(len(self._occupants)):
            self._write(f"  {seat}  {hand_line(position.game, position.shown.hands[seat])}")

    def _show_trick(self, rest: str) -> None:
        _nothing("trick", rest)
        self._write(table_line(self._machine.position.shown) or "nothing lies on the table")

    def _show_state(self, rest: str) -> None:
        _nothing("state", rest)
        for line in words.state_lines(self._machine.position):
            self._write(line)

    def _show_clock(self, rest: str) -> None:
        _nothing("clock", rest)
        for line in words.clock_lines(self._machine):
            self._write(line)

    def _show_transcript(self, rest: str) -> None:
        for exchange in self._machine.transcript[-_number(rest, LAST) :]:
            self._write(words.exchange_line(exchange))

    def _sit(self, rest: str) -> None:
        word, _, who = rest.partition(" ")
        seat = self._seat_number(word)
        if said := self._machine.seat(seat, self._tools.occupant(who.strip())):
            self._write(f"seat {seat}: {said}")
        self._write(f"seat {seat}: {self._occupants[seat].title}")

    def _set(self, rest: str) -> None:
        setup = self._machine.setup
        given = self._tools.options(shlex.split(rest))
        # Another deck or table has another programme, unless it is told.
        kept = {key: value for key, value in setup.game.options.items() if key != "deals"}
        game = make(setup.game.name, {**kept, **given})
        self._renew(replace(setup, game=game, known=()))

    def _seed(self, rest: str) -> None:
        setup = self._machine.setup
        game = make(setup.game.name, setup.game.options)
        self._renew(replace(setup, game=game, seed=rest, round_number=1, known=()))

    def _deals(self, rest: str) -> None:
        setup = self._machine.setup
        game = make(setup.game.name, setup.game.options)
        self._renew(replace(setup, game=game.given(self._tools.deals(game, rest)), known=()))

    def _restart(self, rest: str) -> None:
        _nothing("new", rest)
        self._renew(self._machine.setup)

    def _quit(self, rest: str) -> None:
        _nothing("quit", rest)
        self.done = True

    def _help(self, rest: str) -> None:
        _nothing("help", rest)
        self._write(HELP)

    def _seat_number(self, word: str) -> int:
        if not word.isdecimal() or int(word) >= len(self._occupants):
            raise ConfigError(f"{word!r} is not a seat from 0 to {len(self._occupants) - 1}")
        return int(word)


def _number(text: str, default: int) -> int:
    """A count that may be left out."""
    if text and not text.isdecimal():
        raise ConfigError(f"{text!r} is not a number")
    return int(text) if text else default


def _nothing(command: str, rest: str) -> None:
    if rest:
        raise ConfigError(f"{command} takes nothing after it, and {rest!r} is there")


COMMANDS: dict[str, Callable[[Face, str], None]] = {
    "step": Face._step, "go": Face._go, "play": Face._play, "again": Face._again, "skip": Face._skip,
    "undo": Face._undo, "raw": Face._raw, "greet": Face._greet, "deal": Face._deal,
    "hands": Face._show_hands, "trick": Face._show_trick, "state": Face._show_state,
    "clock": Face._show_clock, "transcript": Face._show_transcript, "seat": Face._sit, "set": Face._set,
    "seed": Face._seed, "deals": Face._deals, "new": Face._restart, "quit": Face._quit, "exit": Face._quit,
    "help": Face._help,
}  # fmt: skip
