"""Deals of Dou Dizhu in the shape of a match record: names say ranks, and any card of a rank will do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arbiter.errors import ConfigError
from arbiter.rules import Deal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.cards import Card
    from arbiter.rules import AnyGame

MOST = 20
"""No hand has more cards."""
FIRST_COPIES: tuple[Card, ...] = (*range(0, 52, 4), 52, 53)
"""The first card of each rank."""


def deal_of_shape(game: AnyGame, shape: Mapping[str, Any]) -> Deal:
    """The deal that `Game.deal_json` wrote; ConfigError when it cannot be one of this game."""
    try:
        hands = [list(map(game.card_of, hand)) for hand in shape["hands"]]
        extra = list(map(game.card_of, shape.get("extra", ())))
        landlord = shape.get(game.seat_word, 0)
    except KeyError as error:
        raise ConfigError(f"a given deal has no {error}, or there is no such card") from None
    except (TypeError, AttributeError):
        raise ConfigError('a given deal is not {"hands": [["3", ...], ...], ...}') from None
    if unknown := sorted(set(shape) - {"hands", "extra", game.seat_word}):
        raise ConfigError(f"a given deal has an unknown key {unknown[0]!r}")
    if type(landlord) is not int or not 0 <= landlord < game.seats:
        raise ConfigError(f"a given deal's landlord is not a seat 0..{game.seats - 1}")
    if len(hands) != game.seats or not all(1 <= len(hand) <= MOST for hand in hands):
        raise ConfigError(f"a given deal needs {game.seats} hands of 1 to {MOST} cards")
    free = {first: [*range(first, first + (4 if first < 52 else 1))] for first in FIRST_COPIES}
    dealt: list[tuple[Card, ...]] = []
    for hand in hands:
        cards = []
        for first in hand:
            if not free[first]:
                raise ConfigError(f"a given deal has a {game.card_name(first)} more than the deck")
            cards.append(free[first].pop(0))
        dealt.append(tuple(cards))
    # The three are in the landlord's hand already; the last copies of their rank there.
    loose = list(dealt[landlord])
    shown = []
    for first in reversed(extra):
        name = game.card_name(first)
        card = next((card for card in reversed(loose) if game.card_name(card) == name), None)
        if card is None:
            raise ConfigError(f"a given deal's extra card {name} is not in the landlord's hand")
        loose.remove(card)
        shown.append(card)
    return Deal(tuple(dealt), landlord, tuple(reversed(shown)))
