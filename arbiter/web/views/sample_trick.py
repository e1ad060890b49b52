"""A trick of a game as an example for spectators, or in games without tricks a round of plays."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from arbiter.games.cards import Stream
from arbiter.games.labels import SUITS

if TYPE_CHECKING:
    from arbiter.games.game import AnyGame, Seat, State
    from arbiter.games.labels import Face

CARDS = 5
"""Cards in a hand from which a trick is worth showing."""
DEALS, ATTEMPTS = 13, 6
MOST_ANSWERS, MOST_PLAYS = 60, 8
"""Answers until the trick ends, and plays in it."""


class TrickStep(NamedTuple):
    """A public answer: its seat, its words as they follow the name, the faces of the cards that it lays."""

    seat: Seat
    words: str
    faces: tuple[Face, ...] = ()


class SampleTrick(NamedTuple):
    """The answers before the first card, the plays, the seat that takes them, and the trump's name or ""."""

    before: tuple[TrickStep, ...]
    plays: tuple[TrickStep, ...]
    taker: Seat
    trump: str


@lru_cache(maxsize=16)
def sample_trick(game: AnyGame) -> SampleTrick | None:
    """Play the beginning of a deal at random, the same each time; return its first trick, None without any.

    Of some attempts it is the one in which most plays lay cards. No season deals these cards.
    """
    found = [trick for attempt in range(ATTEMPTS) if (trick := _play(game, attempt)) is not None]
    short = [trick for trick in found if len(trick.plays) <= MOST_PLAYS]
    return max(short or found, key=lambda trick: sum(bool(one.faces) for one in trick.plays), default=None)


def _play(game: AnyGame, attempt: int) -> SampleTrick | None:
    stream = Stream("a sample trick", attempt)
    state = _first_state(game, stream)
    before, plays = list[TrickStep](), list[TrickStep]()
    for _ in range(MOST_ANSWERS):
        if state is None or not state.to_act:
            return None
        seat, old = state.to_act[0], state
        legal = old.legal(seat)
        action = legal[stream.draw(len(legal))]
        request, state = game.request(old, seat), old.apply(seat, action)
        laid = game.laid(old, seat, action, state)
        for who, words in game.revealed(old, seat, action, state) or ([(seat, laid)] if laid else []):
            step = TrickStep(who, game.says(request, words), tuple(map(game.face, game.cards_of(words))))
            (plays if laid else before).append(step)
        taker = game.taker(old, state)
        if taker is not None:
            return SampleTrick(
                tuple(before), tuple(plays), taker, SUITS.get(str(game.roles(old).get("trump")), "")
            )
    return None


def _first_state(game: AnyGame, stream: Stream) -> State | None:
    """Return the beginning of the first deal with enough cards, else of the last one."""
    state = None
    for number in range(DEALS):
        deal = game.deal(number, stream, None)
        if deal is None:
            break
        state = game.start(deal)
        if len(deal.hands[0]) >= CARDS:
            break
    return state
