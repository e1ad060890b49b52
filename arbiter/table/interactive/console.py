"""Interactive play in a terminal: a line in, lines out. A script of lines is a session too."""

from __future__ import annotations

import shlex
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from arbiter.errors import ArbiterError, ConfigError, IllegalAction, did_you_mean
from arbiter.games import make
from arbiter.replay.frame import frame_at, hand_line, roles_line, table_line
from arbiter.table.interactive import verbs
from arbiter.table.interactive.interactive_match import InteractiveMatch
from arbiter.table.interactive.occupants import RandomPlayer
from arbiter.table.interactive.setup import Setup, Stop, TranscriptEntry
from arbiter.table.interactive.verbs import VERBS, VerbHost, verb

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from arbiter.games.game import AnyGame, Deal
    from arbiter.match.position import Decision, Position
    from arbiter.match.record import Move
    from arbiter.table.interactive.occupants import Occupant

LAST = 20
SHOWN_ERRORS = 10
"""Lines of standard error after a command."""
SHOWN = 400
"""Bytes of a reply that are shown."""
SHOWN_WORDS = 80
"""Legal answers that are listed."""


@dataclass(frozen=True, slots=True)
class Tools:
    """Readers of what the user types: an occupant of a seat, options of a game, a file of deals."""

    occupant: Callable[[str], Occupant]
    options: Callable[[Sequence[str]], dict[str, object]]
    deals: Callable[[AnyGame, str], list[Deal]]


class ConsoleSession(VerbHost):
    """An interactive match in a terminal: `command` takes a line, `done` is True once it has ended.

    `write` must escape its lines, which contain bots' output. Call `close` at the end.
    """

    def __init__(
        self, setup: Setup, occupants: list[Occupant], tools: Tools, write: Callable[[str], None]
    ) -> None:
        self._tools, self._write = tools, write
        self.say = self.note = write
        self._loud = True
        self._occupants = occupants
        self.done = False
        self.machine = self._begin_match(setup)

    def command(self, line: str) -> None:
        """Execute one line. An error is written, and changes nothing."""
        word, _, rest = line.strip().partition(" ")
        if not word or word.startswith("#"):
            return
        try:
            if word in verbs.command_words():
                found = VERBS[word]
                stop = found.do(self, *found.arguments(rest.strip()))
            elif self._is_asked and len(line.split()) == self.machine.position.answer_words:
                stop = self._answer(line)
            elif self._is_asked and word[0].isdigit():
                position = self.machine.position
                number = "one word" if position.answer_words == 1 else f"{position.answer_words} words"
                raise ConfigError(f"{position.request} is answered by {number}, not by {line.strip()!r}")
            else:
                hint = did_you_mean(word, verbs.command_words())
                raise ConfigError(f"no such command: {word} ({hint}; help lists them)")
            if stop is not None:
                self._write_turn(stop)
        except (ArbiterError, ValueError) as error:
            self._write(str(error))
        except KeyboardInterrupt:
            self._write("interrupted")

    def introduce(self) -> None:
        """Write the game and the occupants of the seats."""
        game = self.machine.setup.game
        options = ", ".join(f"{key} {value}" for key, value in game.options.items())
        self._write(f"{game.title}: {options}")
        for seat, occupant in enumerate(self._occupants):
            self._write(f"  {seat}  {occupant.title}")

    def feed(self, moves: Sequence[Move]) -> None:
        """Play recorded decisions without writing the exchanges."""
        self._loud = False
        for remark in self.machine.feed(moves):
            self._write(remark)
        self._loud = True
        self._write(f"fed {self.machine.position.made} of {len(moves)} recorded decisions")
        self._write_turn(None)

    def close(self) -> None:
        """Send every bot ``quit`` and end it; write how each ended."""
        for seat, occupant in enumerate(self._occupants):
            if said := occupant.end():
                self._write(f"seat {seat}: {said}")

    def _begin_match(self, setup: Setup) -> InteractiveMatch:
        """Begin another match with the same occupants: random players fill new seats, surplus ones end."""
        seats = setup.game.seats
        for leaving in self._occupants[seats:]:
            leaving.end()
        del self._occupants[seats:]
        self._occupants += [RandomPlayer() for _ in range(seats - len(self._occupants))]
        return InteractiveMatch(setup, self._occupants, self._write_entry)

    def _renew(self, setup: Setup) -> None:
        """Begin another match and write its introduction."""
        self.machine = self._begin_match(setup)
        self.introduce()

    def _write_lines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._write(line)

    def _write_entry(self, entry: TranscriptEntry) -> None:
        """Write an exchange with the last lines of standard error; a good one only outside `quietly`."""
        if self._loud or entry.problem:
            self._write(entry_line(entry))
            errors = self._occupants[entry.seat].new_errors().decode(errors="replace").splitlines()
            for line in errors[-SHOWN_ERRORS:]:
                self._write(f"  stderr: {line}")

    def _write_turn(self, stop: Stop | None) -> None:
        """Write the next turn after a step, or what went wrong."""
        machine = self.machine
        if machine.trouble is not None:
            seat = machine.trouble.seat
            choices = "again, skip" if machine.pending_news else f"again, play WORD for {seat}"
            self._write(f"what now: {choices}, undo or quit?")
        elif machine.position.to_act is None and not machine.pending_news:
            self._write(f"the match is over: points {' '.join(map(str, machine.position.totals))}")
        elif stop is Stop.PERSON:
            self._write_lines(turn_lines(machine.position))

    @contextmanager
    def quietly(self) -> Iterator[None]:
        """In the context write no exchanges; at its end write the decisions made in it."""
        begun, self._loud = self.machine.position.made, False
        try:
            yield
        finally:
            self._loud = True
            made, seats = self.machine.position.decisions[begun:], self.machine.setup.game.seats
            self._write_lines(decision_lines(made, seats))

    @verb("WORD", "a person's decision, and on to the next person's turn")
    def _answer(self, words: str) -> Stop:
        """Take a person's decision and go on to the next one, or replace a bad answer."""
        seat = self.machine.position.to_act
        try:
            if seat is not None and self._occupants[seat].person:
                return verbs.answer(self, words, seat)
            return verbs.decide(self, words)
        except IllegalAction as error:
            # It may be a mistyped command.
            raise IllegalAction(f"{error} (help lists the commands)") from None

    @verb("play WORD [for N]", "decide for the seat to act, with any occupant")
    def _play(self, rest: str = "") -> Stop:
        words, number = rest.split(), self.machine.position.answer_words
        meant = " ".join(words[number:]).removeprefix("for").strip()
        seat = self._parse_seat(meant) if meant else None
        return verbs.decide(self, " ".join(words[:number]), seat)

    @property
    def _is_asked(self) -> bool:
        """True if a bare word is a decision: at a person's turn, or after a bad answer."""
        seat = self.machine.position.to_act
        return seat is not None and (self._occupants[seat].person or self.machine.trouble is not None)

    @verb("raw SEAT COMMAND", "send a bot any line")
    def _raw(self, rest: str = "") -> None:
        word, _, command = rest.partition(" ")
        if not command.strip():
            raise ConfigError("write raw SEAT COMMAND, such as raw 0 time_left 5000")
        verbs.send(self, self._parse_seat(word), [command])

    @verb("greet [SEAT]", "send all seats the greeting; with a seat: send it there at any time")
    def _greet(self, word: str = "") -> None:
        if word:
            return verbs.macro(self, "greeting", self._parse_seat(word))
        whole = sum(map(len, self.machine.setup.game.greeting()))
        sent = len(self.machine.position.news) - self.machine.pending_news
        if self.machine.position.decisions or sent >= whole:
            raise ConfigError("the greeting has been sent; greet SEAT sends it to one bot again")
        self.machine.send_news(whole - sent)
        return self._write_turn(None)

    @verb("deal [SEAT]", "the same up to this deal's cards")
    def _deal(self, word: str = "") -> None:
        if word:
            return verbs.macro(self, "deal", self._parse_seat(word))
        self.machine.send_news()
        return self._write_turn(None)

    @verb("hands", "the cards of all seats")
    def _show_hands(self) -> None:
        position = self.machine.position
        for seat, hand in enumerate(frame_at(position).hands):
            self._write(f"  {seat}  {hand_line(position.game, hand)}")

    @verb("trick", "the cards on the table")
    def _show_trick(self) -> None:
        self._write(table_line(frame_at(self.machine.position)) or "the table is empty")

    @verb("state", "the deal, its roles and decisions, the points so far, who is to act")
    def _show_state(self) -> None:
        self._write_lines(state_lines(self.machine.position))

    @verb("clock", "the time left of all seats")
    def _show_clock(self) -> None:
        self._write_lines(clock_lines(self.machine))

    @verb("transcript [N]", "the last N commands and raw replies (20)")
    def _show_transcript(self, last: int = LAST) -> None:
        for entry in self.machine.transcript[-last:]:
            self._write(entry_line(entry))

    @verb(
        "seat N WHO", "put bot:COMMAND, human or random into a seat; it gets the commands sent there so far"
    )
    def _sit(self, rest: str = "") -> None:
        word, _, who = rest.partition(" ")
        seat = self._parse_seat(word)
        verbs.sit(self, seat, self._tools.occupant(who.strip()))
        self._write(f"seat {seat}: {self._occupants[seat].title}")

    @verb("set KEY=VALUE ...", 'a new match with other options of the game: set deck="789 AB" deals=[[2,0]]')
    def _set(self, rest: str = "") -> None:
        setup = self.machine.setup
        given = self._tools.options(shlex.split(rest))
        # The default programme depends on the deck and the table.
        kept = {key: value for key, value in setup.game.options.items() if key != "deals"}
        game = make(setup.game.name, {**kept, **given})
        self._renew(replace(setup, game=game))

    @verb("seed TEXT", "a new match with other cards")
    def _seed(self, rest: str = "") -> None:
        self._renew(replace(self.machine.setup, game=self._plain_game(), seed=rest, round_number=1))

    @verb("deals FILE", "a new match with the cards of a file")
    def _deals(self, rest: str = "") -> None:
        game = self._plain_game()
        game = game.given(self._tools.deals(game, rest))
        self._renew(replace(self.machine.setup, game=game))

    def _plain_game(self) -> AnyGame:
        """Return the game without given deals."""
        game = self.machine.setup.game
        return make(game.name, game.options)

    @verb("new", "the match from its start")
    def _restart(self) -> None:
        self._renew(self.machine.setup)

    @verb("quit, exit", "send the bots quit, and end")
    def _quit(self) -> None:
        self.done = True

    @verb("help", "these lines")
    def _help(self) -> None:
        for each in dict.fromkeys(VERBS.values()):
            self._write(f"  {each.usage:<20}{each.help}")

    def _parse_seat(self, word: str) -> int:
        """Return the seat of a word; ConfigError for any other word."""
        if not word.isdecimal() or int(word) >= len(self._occupants):
            raise ConfigError(f"{word!r} is not a seat from 0 to {len(self._occupants) - 1}")
        return int(word)


def entry_line(entry: TranscriptEntry) -> str:
    """Return an exchange as ``seat 0  gen_move  ->  '= TD\\n\\n'  0.4 ms``, and its fault."""
    if not entry.raw and not entry.problem:
        return f"seat {entry.seat}  {entry.command}"
    raw = repr(entry.raw[:SHOWN])[2:-1] + ("..." if len(entry.raw) > SHOWN else "")
    line = f"seat {entry.seat}  {entry.command}  ->  '{raw}'  {entry.wall_ns / 1e6:.1f} ms"
    return line + (f"\n  {entry.kind}: {entry.problem}" if entry.problem else "")


def turn_lines(position: Position) -> list[str]:
    """Return the lines of a person's turn: the request, the hand, the table, the legal answers."""
    frame = frame_at(position)
    seat, words = frame.to_act, frame.legal
    if seat is None:
        return []
    more = f" ... ({len(words)} in all)" if len(words) > SHOWN_WORDS else ""
    lines = [
        f"seat {seat} is to answer {frame.request}",
        f"  hand   {hand_line(position.game, frame.hands[seat])}",
    ]
    if table := table_line(frame):
        lines.append(f"  table  {table}")
    between = ", " if position.answer_words > 1 else " "
    return [*lines, f"  may    {between.join(words[:SHOWN_WORDS])}{more}"]


def decision_lines(decisions: Sequence[Decision], seats: int) -> Iterator[str]:
    """Yield the answers in order, one line for each turn of the table."""
    for (deal, request), asked in groupby(decisions, key=lambda d: (d.deal, d.request)):
        answers = [f"{decision.seat}:{decision.word}" for decision in asked]
        for start in range(0, len(answers), seats):
            yield f"  deal {deal + 1}  {request:<12} {'  '.join(answers[start : start + seats])}"


def state_lines(position: Position) -> Iterator[str]:
    """Yield lines with the deal, its roles and answers, the points so far, and the seat to act."""
    number = len(position.deals) - 1
    roles = roles_line(position.game.deal_record(position.deals[number], position.state))
    yield f"deal {number + 1} ({roles}), after {position.made} decisions"
    yield from decision_lines([d for d in position.decisions if d.deal == number], position.game.seats)
    yield f"points of the deals that are over: {' '.join(map(str, position.totals))}"
    seat = position.to_act
    yield "the match is over" if seat is None else f"seat {seat} is to answer {position.request}"


def clock_lines(machine: InteractiveMatch) -> Iterator[str]:
    """Yield a line with the time left for each seat."""
    for seat, left in enumerate(machine.left):
        yield f"  {seat}  {machine.setup.limits.time.time_left_text(left)}"
