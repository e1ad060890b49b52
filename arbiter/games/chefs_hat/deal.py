"""A deal of Chef's Hat: the cards, the results of earlier deals that affect it, and both as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

from arbiter.errors import ConfigError
from arbiter.games.cards import Card
from arbiter.games.chefs_hat.actions import (
    DECK,
    ELEVEN,
    HAND,
    JOKER,
    NO_SPECIAL,
    SPECIALS,
    STEP_NAMES,
)
from arbiter.games.game import Action, Deal, Seat

SEATS = 4
ROLES = ("Chef", "Souschef", "Waiter", "Dishwasher")
CHEF, SOUSCHEF, WAITER, DISHWASHER = range(SEATS)
NO_POINTS = (0,) * SEATS
Hands: TypeAlias = tuple[tuple[Card, ...], ...]


class Gift(NamedTuple):
    """Cards that one seat gave to another, ascending."""

    giver: Seat
    taker: Seat
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class ChefsHatDeal(Deal):
    """The cards of one deal, and the results of earlier deals that affect it.

    `golden` is the number of the eleven that opens, counted from seat `counted_from` on; `opener`, if not
    None, replaces it (`seat` is then the opener, too). `roles` is the role of each seat, None in the first
    deal. `special` (seat, action) and `exchange` are decided if `special_known` and `exchange_known`.
    `number` counts from 0, `totals` are the points before the deal. Under `gym2`, `luck` seeds the stream of
    random actions, and `lots` are those already known, (seat, action) each; `leader` leads if all pass
    before the first discard, by default the opener, so that no seat has an advantage.
    """

    golden: int = 0
    counted_from: Seat = 0
    opener: Seat | None = None
    roles: tuple[int, ...] | None = None
    special_known: bool = False
    special: tuple[Seat, Action] | None = None
    exchange_known: bool = False
    exchange: tuple[Gift, ...] | None = None
    number: int = 0
    totals: tuple[int, ...] = NO_POINTS
    luck: int = 0
    leader: Seat | None = None
    lots: tuple[tuple[Seat, Action], ...] = ()

    def rotated(self, shift: int) -> ChefsHatDeal:
        """Return the deal with all that belongs to a seat moved `shift` seats on."""

        def moved(seat: Seat) -> Seat:
            return (seat + shift) % SEATS

        def rotate_values(by_seat: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(by_seat[(seat - shift) % SEATS] for seat in range(SEATS))

        gifts = self.exchange and tuple(Gift(moved(i), moved(j), cards) for i, j, cards in self.exchange)
        return replace(
            self,
            hands=rotate_values(self.hands),
            seat=moved(self.seat),
            counted_from=moved(self.counted_from),
            opener=None if self.opener is None else moved(self.opener),
            roles=self.roles and rotate_values(self.roles),
            special=self.special and (moved(self.special[0]), self.special[1]),
            exchange=gifts,
            totals=rotate_values(self.totals),
            leader=None if self.leader is None else moved(self.leader),
            lots=tuple((moved(seat), action) for seat, action in self.lots),
        )


def must_give(hand: Sequence[Card], number: int) -> tuple[Card, ...]:
    """Return the `number` cards that a Dishwasher or a Waiter must give: the lowest of the hand."""
    return tuple(sorted(hand)[:number])


def roles_after(points: Sequence[int]) -> tuple[int, ...]:
    """Return the role of each seat from the points of a deal."""
    return tuple(3 - won for won in points)


def reversed_roles(roles: tuple[int, ...]) -> tuple[int, ...]:
    """Return the roles after a food fight."""
    return tuple(DISHWASHER - role for role in roles)


def golden_eleven(hands: Sequence[Sequence[Card]], golden: int, first: Seat = 0) -> Seat:
    """Return the holder of the golden 11: eleven number `golden`, from 0, seat by seat from `first` on.

    `first` if the hands have fewer elevens.
    """
    for place in range(SEATS):
        seat = (first + place) % SEATS
        golden -= list(hands[seat]).count(ELEVEN)
        if golden < 0:
            return seat
    return first


def hands_after(hands: Hands, gifts: Sequence[Gift]) -> Hands:
    """Return the hands after simultaneous gifts.

    Each card received takes the place of the card given for it, so that hands shown in order of place
    are comparable with those of published agents.
    """
    after = [list(hand) for hand in hands]
    got = {(one.giver, one.taker): one.cards for one in gifts}
    for giver, taker, cards in gifts:
        for given, received in zip(cards, got[taker, giver], strict=True):
            after[giver][after[giver].index(given)] = received
    return tuple(map(tuple, after))


# JSON. A card is written as in the protocol; numbers are accepted, too.

_KEYS = {"hands", "golden", "opener", "roles", "special", "exchange", "forced"}
_CARD_NAMES = ("", *map(str, range(1, JOKER + 1)))
CARDS = {name: card for card, name in enumerate(_CARD_NAMES) if name}


def card_text(card: Card) -> str:
    """Return the protocol's name of a card."""
    return _CARD_NAMES[card]


def shape_of_gifts(gifts: Sequence[Gift] | None) -> list[list[Any]] | None:
    """Return an exchange as in a match record; None for None."""
    if gifts is None:
        return None
    return [[giver, taker, [card_text(card) for card in cards]] for giver, taker, cards in gifts]


def shape_of_special(special: tuple[Seat, Action] | None) -> list[Any] | None:
    """Return a special action as in a match record; None for None."""
    return None if special is None else [special[0], SPECIALS[special[1] - NO_SPECIAL]]


def shape_of_deal(deal: ChefsHatDeal, *, golden: bool) -> dict[str, Any]:
    """Return a deal as in a match record, as far as it is known when it is dealt; `golden` adds that key."""
    shape: dict[str, Any] = {"hands": [[card_text(card) for card in hand] for hand in deal.hands]}
    if golden:
        shape["golden"] = deal.golden
    if deal.opener is not None:
        shape["opener"] = deal.opener
    if deal.roles is not None:
        shape["roles"] = [ROLES[role] for role in deal.roles]
    if deal.special_known:
        shape["special"] = shape_of_special(deal.special)
    if deal.exchange_known:
        shape["exchange"] = shape_of_gifts(deal.exchange)
    if deal.lots:
        shape["forced"] = [[seat, STEP_NAMES[action]] for seat, action in deal.lots]
    return shape


def deal_of_shape(shape: object) -> ChefsHatDeal:
    """Return the deal of a match record's JSON; ConfigError with the reason if it is invalid.

    For set-up positions, hands may have fewer than 17 cards and different sizes.
    """
    if not isinstance(shape, Mapping) or "hands" not in shape:
        raise ConfigError('a given deal is not {"hands": [["3", "11", ...], ...], ...}')
    if unknown := sorted(set(shape) - _KEYS):
        raise ConfigError(f"a given deal has an unknown key {unknown[0]!r}")
    hands = _parse_hands(shape["hands"])
    deal = ChefsHatDeal(hands)
    golden = shape.get("golden")
    if golden is not None:
        if type(golden) is not int or not 0 <= golden < ELEVEN:
            raise ConfigError(f"a given deal's golden is {golden!r}, not 0..10")
        deal = replace(deal, golden=golden)
    opener = shape.get("opener")
    if opener is not None:
        deal = replace(deal, opener=_parse_seat(opener, "opener"), seat=opener)
    roles = shape.get("roles")
    if roles is not None:
        deal = replace(deal, roles=_parse_roles(roles))
    # The record of a deal that ended before the play has null for undecided values.
    broken_off = "opener" in shape and opener is None
    if shape.get("special") is not None or ("special" in shape and not broken_off):
        deal = replace(deal, special_known=True, special=_parse_special(shape["special"]))
    if "exchange" in shape and not broken_off:
        deal = replace(deal, exchange_known=True, exchange=_parse_exchange(shape["exchange"], hands))
    try:
        lots = tuple(
            (_parse_seat(seat, "forced"), STEP_NAMES.index(name)) for seat, name in shape.get("forced", ())
        )
    except (TypeError, ValueError):
        raise ConfigError("a given deal's forced is not a list of [seat, action]") from None
    return replace(deal, lots=lots) if lots else deal


def _parse_card(name: object) -> Card:
    """Return the card of a number from 1 to 12, as text or int; ConfigError for anything else."""
    card = CARDS.get(str(name)) if type(name) in (str, int) else None
    if card is None:
        raise ConfigError(f"a given deal has the card {name!r}, expected 1..{JOKER}")
    return card


def _parse_seat(value: object, what: str) -> Seat:
    """Return a seat 0..3; ConfigError, which names the key `what`, for anything else."""
    if type(value) is not int or not 0 <= value < SEATS:
        raise ConfigError(f"a given deal's {what} has {value!r}, not a seat 0..{SEATS - 1}")
    return value


def _parse_hands(value: object) -> Hands:
    """Return four hands of 1 to 17 cards; ConfigError for others, or for more of a card than the deck has."""
    if not isinstance(value, list | tuple) or len(value) != SEATS:
        raise ConfigError(f"a given deal needs {SEATS} hands")
    if not all(isinstance(hand, list | tuple) and 1 <= len(hand) <= HAND for hand in value):
        raise ConfigError(f"a given deal's hands are lists of 1 to {HAND} cards")
    hands = tuple(tuple(map(_parse_card, hand)) for hand in value)
    cards = [card for hand in hands for card in hand]
    for card in sorted(set(cards)):
        if cards.count(card) > DECK.count(card):
            raise ConfigError(
                f"a given deal has {cards.count(card)} cards {card}; there are {DECK.count(card)}"
            )
    return hands


def _parse_roles(value: object) -> tuple[int, ...]:
    """Return the numbers of four names of roles, which may repeat; ConfigError for anything else."""
    if not isinstance(value, list | tuple) or len(value) != SEATS or not all(role in ROLES for role in value):
        raise ConfigError(f"a given deal's roles are not one of {', '.join(ROLES)} for each seat")
    return tuple(map(ROLES.index, value))


def _parse_special(value: object) -> tuple[Seat, Action] | None:
    """Return seat and action of [seat, name], None for None; ConfigError for others, the name "none" too."""
    if value is None:
        return None
    if not isinstance(value, list | tuple) or len(value) != 2 or value[1] not in SPECIALS[1:]:
        raise ConfigError("a given deal's special is neither null nor [seat, food_fight or dinner_served]")
    return _parse_seat(value[0], "special"), NO_SPECIAL + SPECIALS.index(value[1])


def _parse_exchange(value: object, hands: Hands) -> tuple[Gift, ...] | None:
    """Return four gifts of cards in `hands`, equal between two pairs of seats, None for None; ConfigError."""
    if value is None:
        return None
    if not isinstance(value, list | tuple) or len(value) != SEATS:
        raise ConfigError("a given deal's exchange is neither null nor four gifts [from, to, [cards]]")
    gifts = []
    for gift in value:
        if not isinstance(gift, list | tuple) or len(gift) != 3 or not isinstance(gift[2], list | tuple):
            raise ConfigError("a gift of a given deal's exchange is not [from, to, [cards]]")
        cards = tuple(sorted(map(_parse_card, gift[2])))
        gifts.append(Gift(_parse_seat(gift[0], "exchange"), _parse_seat(gift[1], "exchange"), cards))
    sizes = {(giver, taker): len(cards) for giver, taker, cards in gifts}
    if {giver for giver, _ in sizes} != set(range(SEATS)) or any(
        sizes.get((taker, giver)) != size for (giver, taker), size in sizes.items()
    ):
        raise ConfigError("a given deal's exchange is not one of equal gifts between two pairs of seats")
    for giver, _, cards in gifts:
        if any(cards.count(card) > hands[giver].count(card) for card in cards):
            raise ConfigError(f"in a given deal's exchange seat {giver} gives cards that it does not hold")
    return tuple(gifts)
