"""A deal of Chef's Hat told for people: the exchange, the rounds in columns, the places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arbiter.games.chefs_hat.actions import (
    JOKERS_OF,
    LONE_JOKER,
    NO_SPECIAL,
    PASS,
    QUANTITY_OF,
    SPECIALS,
    VALUE_OF,
)
from arbiter.games.chefs_hat.deal import ROLES, SEATS, card_text
from arbiter.games.chefs_hat.state import ChefsHatState
from arbiter.rules import Action, Answered, AnyGame, Deal, Seat

_CELL = 12
_MARGIN = 10


def told(game: AnyGame, deal: Deal, play: Sequence[Answered]) -> Iterator[str]:
    """The lines of a deal; `play` may end early, and may have answers that the deal knows already."""
    state: ChefsHatState = game.start(deal)
    if roles := state.deal.roles:
        yield _row("roles", [ROLES[role] for role in roles])
    answers = list(play)
    while answers and answers[0].request != "gen_move":
        seat, request, words = answers.pop(0)
        # A recorded deal knows already what was answered here.
        if not state.in_play and state.request == request:
            state = state.apply(seat, state.parse(words))
    yield from _before_play(state)
    if state.in_play:
        yield from _rounds(game, state, answers)


def winner(game: AnyGame, points: Sequence[int], deal: Deal, play: Sequence[Answered]) -> str:
    """Who won, by the points of the match and then by the last deal."""
    state: ChefsHatState = game.start(deal)
    for seat, request, words in play:
        # A recorded deal knows already what was answered before the play.
        if state.to_act and state.request == request:
            state = state.apply(seat, state.parse(words))
    if state.to_act:
        return ""
    last = state.points()
    first = max(range(SEATS), key=lambda seat: (points[seat], last[seat]))
    return f"winner: seat {first} ({points[first]} points; {ROLES[3 - last[first]]} in the last deal)"


def short(action: Action) -> str:
    """A discard as people write it: ``3x7+2J``."""
    if action == PASS:
        return "-"
    if action == LONE_JOKER:
        return "J"
    jokers = ("", "+J", "+2J")[JOKERS_OF[action]]
    return f"{QUANTITY_OF[action]}x{VALUE_OF[action]}{jokers}"


def _before_play(state: ChefsHatState) -> Iterator[str]:
    setting = state.setting
    if setting.special is not None:
        seat, action = setting.special
        yield f"{'special':<{_MARGIN}}seat {seat}: {SPECIALS[action - NO_SPECIAL].replace('_', ' ')}"
        if setting.roles != state.deal.roles and setting.roles is not None:
            yield _row("roles", [ROLES[role] for role in setting.roles])
    if not state.in_play:
        yield f"{'exchange':<{_MARGIN}}not completed"
    gifts = setting.exchange or ()
    back = {(giver, taker): cards for giver, taker, cards in gifts}
    for giver, taker, cards in gifts[::2]:
        given = f"seat {giver} gives seat {taker} {_cards(cards)}"
        yield f"{'exchange':<{_MARGIN}}{given}, for {_cards(back[taker, giver])}"


def _cards(cards: Sequence[int]) -> str:
    return " ".join(map(card_text, cards))


def _row(title: str, cells: Sequence[str]) -> str:
    return f"{title:<{_MARGIN}}" + "".join(f"{cell:>{_CELL}}" for cell in cells)


def _rounds(game: AnyGame, state: ChefsHatState, answers: Sequence[Answered]) -> Iterator[str]:
    """A line for each turn of the table, a pizza ending the round."""
    yield _row("seat", [str(seat) for seat in range(SEATS)])
    number, title = 1, "round 1"
    line: dict[Seat, str] = {}

    def row() -> str:
        return _row(title, [line.get(seat, "") for seat in range(SEATS)]).rstrip()

    for seat, _, words in answers:
        if line and seat <= max(line):
            yield row()
            title, line = "", {}
        action = game.parse(state, seat, words)
        before, state = state, state.apply(seat, action)
        # What was played, which may be a random action in place of the answer.
        news = [tell.command.split() for tell in game.news(before, seat, action, state)]
        line[seat] = short(game.parse(before, seat, news[0][2]))
        if any(command[0] == "pizza" for command in news):
            taker = state.to_act[0]
            cells = [line.get(seat, "") for seat in range(SEATS)]
            yield f"{_row(title, cells)}   pizza: seat {taker}"
            number += 1
            title, line = f"round {number}", {}
    if line:
        yield row()
    if not state.to_act:
        points = state.points()
        yield _row("points", [str(won) for won in points])
        yield _row("now", [ROLES[3 - won] for won in points])
