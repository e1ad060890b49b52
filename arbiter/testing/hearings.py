"""The test of hearing: what a seat has heard makes what it may see, all other cards being unknown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from arbiter.frame import frame_of
from arbiter.games import hearing_of
from arbiter.rules import AnyGame, Deal, Seat, State, Tell
from arbiter.testing.leaks import Actions


class Misheard(NamedTuple):
    """A mistake in what a seat makes of what it heard: in which deal, after how many of its actions."""

    detail: str
    deal: int
    actions: int


def find_misheard(game: AnyGame, deals: Sequence[Deal], played: Sequence[Actions]) -> Misheard | None:
    """The first decision of a match for which a seat has not heard enough; None if there is none.

    `played` is what was done in each deal.
    """
    hearings = [hearing_of(game, seat) for seat in range(game.seats)]

    def hear(news: Iterable[Tell]) -> None:
        for seats, command in news:
            for hearer in seats:
                hearings[hearer].hear(command)

    number = done = 0
    try:
        for number, (deal, actions) in enumerate(zip(deals, played, strict=True)):
            for wording in game.dealt(deal):
                hear(Tell((seat,), command) for seat, command in enumerate(wording))
            state: State = game.start(deal)
            for done, (seat, action) in enumerate(actions):
                hearing = hearings[seat]
                hearing.asked(game.request(state, seat))
                seen, there = _seen(game, hearing.state, seat), _seen(game, state, seat)
                if seen != there:
                    return Misheard(f"seat {seat}: {seen}, not {there}", number, done)
                after = state.apply(seat, action)
                hear(game.news(state, seat, action, after))
                state = after
    except Exception as error:
        return Misheard(f"with unknown cards: {error!r}", number, done)
    return None


def _seen(game: AnyGame, state: State, seat: Seat) -> tuple[object, ...]:
    return frame_of(game, state, seat), tuple(state.legal(seat))
