"""Tests of what a seat knows: never more than the rules allow (leaks), and enough to decide (hearing).

The leak test: exchanging cards that a seat cannot see changes nothing that it hears. A deal that was played
is dealt again with two hidden cards exchanged, and the same actions are played for as long as they are legal
there too; until then whatever differs is a leak. The test of hearing: what a seat has heard makes what it
may see, all other cards being unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from arbiter.games import hearing_of
from arbiter.games.cards import Card
from arbiter.games.game import Action, AnyGame, Deal, Seat, State, Tell
from arbiter.replay.frame import frame_of

Reveals: TypeAlias = Callable[[Deal, Deal, Seat], bool]
"""True when the rules themselves show a seat which of two deals was dealt (a forced gift, say)."""
Draw: TypeAlias = Callable[[int], int]
Actions: TypeAlias = "list[tuple[Seat, Action]]"

SWAPS = 3
"""Exchanges that are tried for each seat of a deal."""


class Leak(NamedTuple):
    """A leak: what tells a seat too much, and after how many actions."""

    detail: str
    actions: int


def find_leak(
    game: AnyGame,
    deal: Deal,
    played: Actions,
    known: set[Card],
    draw: Draw,
    reveals: Reveals | None,
    *,
    greeting: bool,
) -> Leak | None:
    """The first leak found in a deal that was played to its end, None if there is none.

    `known` is the cards of the deck; with `greeting` that of given deals is compared too.
    """
    for seat in range(game.seats):
        for number in range(SWAPS):
            other = swapped(deal, seat, known, draw)
            if other is None or (reveals and reveals(deal, other, seat)):
                continue
            for what, ours, theirs, actions in _pairs(
                game, deal, other, played, seat, greeting=greeting and number == 0
            ):
                if tuple(ours) != tuple(theirs):
                    detail = f"{what}, seat {seat}: {list(ours)}, but {list(theirs)} with {other!r}"
                    return Leak(detail, actions)
    return None


def swapped(deal: Deal, seat: Seat, known: set[Card], draw: Draw) -> Deal | None:
    """The deal with two cards exchanged that `seat` cannot see, None where there are none.

    One is another seat's, the other a third seat's or undealt. The cards of `extra` stay where
    they are, since they may be seen by all.
    """
    fixed = set(deal.extra)
    places = [
        (owner, place)
        for owner, hand in enumerate(deal.hands)
        if owner != seat
        for place, card in enumerate(hand)
        if card not in fixed
    ]
    if not places:
        return None
    owner, place = places[draw(len(places))]
    dealt = {card for hand in deal.hands for card in hand}
    stock = sorted(known - dealt - fixed)
    others = [other for other in places if other[0] != owner]
    if not others and not stock:
        return None
    hands = [list(hand) for hand in deal.hands]
    drawn = draw(len(others) + len(stock))
    if drawn < len(others):
        third, at = others[drawn]
        hands[owner][place], hands[third][at] = hands[third][at], hands[owner][place]
    else:
        hands[owner][place] = stock[drawn - len(others)]
    return replace(deal, hands=tuple(map(tuple, hands)))


def _pairs(
    game: AnyGame, deal: Deal, other: Deal, played: Actions, seat: Seat, *, greeting: bool
) -> Iterable[tuple[str, Sequence[object], Sequence[object], int]]:
    """Yield what the seat learns with either deal, step by step: (what, this, that, actions before)."""
    both = deal, other
    if greeting:
        this, that = ([said[seat] for said in game.given([one]).greeting()] for one in both)
        yield "greeting", this, that, 0
    this, that = ([said[seat] for said in game.dealt(one)] for one in both)
    yield "dealt", this, that, 0
    ours, theirs = game.start(deal), game.start(other)
    for done, (actor, action) in enumerate(played):
        if ours.to_act != theirs.to_act or not theirs.allows(actor, action):
            return
        yield "frame", [frame_of(game, ours, seat)], [frame_of(game, theirs, seat)], done
        yield "deal_roles", [game.deal_roles(deal, ours)], [game.deal_roles(other, theirs)], done
        if actor == seat:
            yield "request", [game.request(ours, seat)], [game.request(theirs, seat)], done
            # What may be done counts too: environments hand it out as a mask.
            yield "legal", ours.legal(seat), theirs.legal(seat), done
        after, alike = ours.apply(actor, action), theirs.apply(actor, action)
        news = _heard(game.news(ours, actor, action, after), seat)
        other_news = _heard(game.news(theirs, actor, action, alike), seat)
        yield f"news of seat {actor}'s action {action}", news, other_news, done
        ours, theirs = after, alike


def _heard(news: Iterable[Tell], seat: Seat) -> list[str]:
    return [command for seats, command in news if seat in seats]


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
