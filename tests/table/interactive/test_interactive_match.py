"""The machine beneath the console: what is taken back and made again, what is dealt by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.errors import IllegalAction, VoidMatch
from arbiter.games import make
from arbiter.games.planning import Planning
from arbiter.match.clock import TimeControl
from arbiter.match.spec import Limits
from arbiter.table.interactive.interactive_match import InteractiveMatch
from arbiter.table.interactive.occupants import Occupant, Person, RandomPlayer, SeatCommand
from arbiter.table.interactive.setup import Setup, Stop
from tests.fixtures.profiles import examples

if TYPE_CHECKING:
    from arbiter.games.game import AnyGame
    from arbiter.table.single_bot import RawReply

LIMITS = Limits(TimeControl.parse("10s"), 10**9, 10**8)
GAME = Planning(deals=[(1, 0), (2, 1), (3, 2)])


class Listening(RandomPlayer):
    """Plays by lot and keeps what its process has heard."""

    def begin(self, seat: int) -> None:
        self.heard: list[str] = []

    def reply_to(self, line: SeatCommand) -> RawReply:
        self.heard.append(line.command)
        return super().reply_to(line)


def laid(game: AnyGame, *people: int) -> tuple[InteractiveMatch, list[Any]]:
    """A match by hand between players in memory, and those players."""
    seats: list[Any] = [Person() if seat in people else Listening() for seat in range(game.seats)]
    occupants: list[Occupant] = [*seats]
    return InteractiveMatch(Setup(game, "seed", LIMITS), occupants, list[Any]().append), seats


def whole_state(machine: InteractiveMatch, seats: list[Any]) -> Any:
    """Everything that a match is, and what each bot's process has heard of it."""
    heard = [seat.heard for seat in seats if not seat.person]
    return machine.position, machine.moves, machine.left, machine.pending_news, machine.by_hand, heard


@examples(20)
@given(st.integers(0, 12), st.integers(0, 12), st.integers(1, 12), st.integers(0, 3))
def test_redo_gives_back_what_undo_took(steps: int, taken: int, again: int, news: int) -> None:
    machine, seats = laid(GAME)
    for _ in range(steps):
        machine.step()
    machine.send_news(news)
    before = whole_state(machine, seats)
    machine.undo(taken)
    while machine.redoable:
        machine.redo(again)
    if taken and steps:
        assert whole_state(machine, seats) == before


def test_what_was_told_since_an_undo_is_not_told_twice_by_redo() -> None:
    machine, seats = laid(GAME, 1)
    machine.step()
    machine.decide("0")
    machine.send_news()
    before = whole_state(machine, seats)
    machine.undo(1)
    assert machine.step() is Stop.PERSON
    machine.redo(1)
    assert whole_state(machine, seats) == before


def test_another_decision_ends_redo() -> None:
    machine, _ = laid(GAME, 1)
    machine.step()
    machine.decide("0")
    machine.undo(1)
    machine.decide("1")
    assert machine.redoable == 0
    machine.undo(1)
    assert machine.redoable == 1


def test_a_line_sent_by_hand_ends_redo() -> None:
    machine, _ = laid(GAME)
    machine.step()
    machine.undo(1)
    machine.send_line(0, "hello")
    assert machine.redoable == 0


def test_undo_takes_the_mark_of_a_hand_back_with_what_made_it() -> None:
    machine, _ = laid(GAME)
    machine.step()
    machine.step()
    machine.send_line(0, "hello")
    assert machine.by_hand
    machine.undo(1)
    assert not machine.by_hand
    machine.redo(1)
    assert machine.by_hand


def test_an_edited_deal_keeps_what_was_played_before_it() -> None:
    machine, _ = laid(GAME)
    while len(machine.position.deals) < 3:
        machine.step()
    machine.step()
    first, second, third = machine.position.deals
    swapped = replace(third, hands=(*third.hands[1:], third.hands[0]))
    before = [move for move in machine.moves if move.deal < 2]
    machine.branch(replace(machine.setup, game=GAME.given([first, second, swapped])), len(before))
    assert machine.moves == before
    assert machine.position.deals[-1] == swapped
    assert machine.by_hand


def test_a_deal_under_which_the_play_was_impossible_changes_nothing() -> None:
    machine, seats = laid(GAME)
    while len(machine.position.deals) < 2:
        machine.step()
    before = whole_state(machine, seats)
    first, second = machine.position.deals
    other = GAME.given([replace(first, hands=second.hands), second])
    with pytest.raises(IllegalAction):
        machine.branch(replace(machine.setup, game=other), machine.position.made)
    assert whole_state(machine, seats) == before


def test_a_game_begun_with_some_deals_goes_on_as_without() -> None:
    game = make("chefs_hat", {"matches": 3})
    whole, _ = laid(game)
    while whole.step() is not Stop.OVER:
        pass
    begun, _ = laid(game.begun(whole.position.deals[:1]))
    while begun.step() is not Stop.OVER:
        pass
    assert begun.moves == whole.moves
    assert begun.position.totals == whole.position.totals


class Unstarted(Listening):
    """Cannot be started as often as is said."""

    fails = 0

    def begin(self, seat: int) -> None:
        self.fails -= 1
        if self.fails >= 0:
            raise VoidMatch("no memory for a process")
        super().begin(seat)


def test_a_process_that_cannot_be_started_again_is_trouble_and_the_others_hear_all_the_same() -> None:
    seats: list[Any] = [Unstarted(), *(Listening() for _ in range(3))]
    machine = InteractiveMatch(Setup(GAME, "seed", LIMITS), [*seats], list[Any]().append)
    for _ in range(3):
        machine.step()
    before = [list(seat.heard) for seat in seats[1:]]
    seats[0].fails = 1
    machine.undo(1)
    assert machine.trouble is not None
    assert (machine.trouble.kind, machine.trouble.problem) == ("void", "no memory for a process")
    assert all(seat.heard == heard[: len(seat.heard)] for seat, heard in zip(seats[1:], before, strict=True))
    assert machine.retry() is Stop.DECIDED


def test_a_table_whose_processes_cannot_be_started_is_none() -> None:
    bot = Unstarted()
    bot.fails = 1
    with pytest.raises(VoidMatch):
        InteractiveMatch(
            Setup(GAME, "seed", LIMITS), [bot, *(Listening() for _ in range(3))], list[Any]().append
        )
