"""Tests of what a seat knows: no more than the rules allow (leaks), and enough to decide.

The leak test: exchanging cards that a seat cannot see changes nothing that it receives. A played deal is
dealt again with two hidden cards exchanged, and the same actions are played as long as they are legal; any
difference until then is a leak. The test of the information state: the commands that a seat received yield
the frame and the legal actions that the rules give, with all other cards unknown.
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
"""True if the rules themselves show a seat which of two deals was dealt (a forced gift, for example)."""
Draw: TypeAlias = Callable[[int], int]
Actions: TypeAlias = "list[tuple[Seat, Action]]"

SWAPS = 3
"""Exchanges tried for each seat of a deal."""


class Leak(NamedTuple):
    """What gives hidden cards away to a seat, and the number of actions before it."""

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
    """Return the first leak in a deal played to its end, or None.

    `known` are the cards of the deck; with `greeting`, the greetings of given deals are compared too.
    """
    for seat in range(game.seats):
        for number in range(SWAPS):
            other = swap_hidden_cards(deal, seat, known, draw)
            if other is None or (reveals and reveals(deal, other, seat)):
                continue
            for what, ours, theirs, actions in _compare_observations(
                game, deal, other, played, seat, greeting=greeting and number == 0
            ):
                if tuple(ours) != tuple(theirs):
                    detail = f"{what}, seat {seat}: {list(ours)}, but {list(theirs)} with {other!r}"
                    return Leak(detail, actions)
    return None


def swap_hidden_cards(deal: Deal, seat: Seat, known: set[Card], draw: Draw) -> Deal | None:
    """Return the deal with two cards exchanged that `seat` cannot see, or None if no two can be.

    One is another seat's, the other a third seat's or undealt. The cards of `extra` stay, since all seats
    may see them.
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


def _compare_observations(
    game: AnyGame, deal: Deal, other: Deal, played: Actions, seat: Seat, *, greeting: bool
) -> Iterable[tuple[str, Sequence[object], Sequence[object], int]]:
    """Yield what the seat learns with either deal, step by step: (what, this, that, actions before).

    `greeting` includes the greeting. It ends where `played` is not legal with the `other` deal.
    """
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
            # Legal actions count too: environments give them to agents as a mask.
            yield "legal", ours.legal(seat), theirs.legal(seat), done
        after, alike = ours.apply(actor, action), theirs.apply(actor, action)
        news = _commands_to(game.news(ours, actor, action, after), seat)
        other_news = _commands_to(game.news(theirs, actor, action, alike), seat)
        yield f"news of seat {actor}'s action {action}", news, other_news, done
        ours, theirs = after, alike


def _commands_to(news: Iterable[Tell], seat: Seat) -> list[str]:
    return [command for seats, command in news if seat in seats]


class InformationGap(NamedTuple):
    """An information state that differs from the real one: in which deal, after how many of its actions."""

    detail: str
    deal: int
    actions: int


def find_information_gap(
    game: AnyGame, deals: Sequence[Deal], played: Sequence[Actions]
) -> InformationGap | None:
    """Return the first decision for which a seat's information state is wrong, None without one.

    `played` is by deal.
    """
    hearings = [hearing_of(game, seat) for seat in range(game.seats)]

    def apply_news(news: Iterable[Tell]) -> None:
        """Let each hearer's information state take the commands."""
        for seats, command in news:
            for hearer in seats:
                hearings[hearer].hear(command)

    number = done = 0
    try:
        for number, (deal, actions) in enumerate(zip(deals, played, strict=True)):
            for wording in game.dealt(deal):
                apply_news(Tell((seat,), command) for seat, command in enumerate(wording))
            state: State = game.start(deal)
            for done, (seat, action) in enumerate(actions):
                hearing = hearings[seat]
                hearing.asked(game.request(state, seat))
                seen, there = _visible_to(game, hearing.state, seat), _visible_to(game, state, seat)
                if seen != there:
                    return InformationGap(f"seat {seat}: {seen}, not {there}", number, done)
                after = state.apply(seat, action)
                apply_news(game.news(state, seat, action, after))
                state = after
    except Exception as error:
        return InformationGap(f"with unknown cards: {error!r}", number, done)
    return None


def _visible_to(game: AnyGame, state: State, seat: Seat) -> tuple[object, ...]:
    """Return a seat's frame and its legal actions."""
    return frame_of(game, state, seat), tuple(state.legal(seat))
