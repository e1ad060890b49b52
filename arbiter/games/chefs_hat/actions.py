"""The actions of Chef's Hat: ids, names, and hands as masks of possible discards.

Ids 0..198 are discards and 199 is `pass`: the table that published agents use. The decisions
before the play follow them, so that each is one action: 200..202 the special action, 203..214
one card given in the exchange, 215..292 two cards.

A hand is a mask of the discards that it could lead with: bit i for action i. Value v has 3v
neighbouring bits, three (0, 1, 2 jokers) for each quantity, so that removing q cards is a shift of
that field by 3q. Bit 198 is set for one joker or more, bit 200, which is no discard, for two, and the
bits from 201 on count unknown cards; so an empty hand is 0, and the cards can be recovered.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Final

from arbiter.games.cards import UNKNOWN, Card
from arbiter.games.game import Action

JOKER: Final = 12
VALUES: Final = range(1, 12)
ELEVEN: Final = 11
HAND: Final = 17
DECK: Final = (*(v for v in VALUES for _ in range(v)), JOKER, JOKER)
"""All cards in index order."""

LONE_JOKER: Final = 198
PASS: Final = 199
STEPS: Final = 200
"""The number of ids in the play."""
CLEARED: Final = 199
"""The value of `table` without a discard to beat."""
FIRST_PLAY: Final = 200
"""The value of `table` before the first action, which must play elevens."""
NOTHING: Final = -1
"""A seat's last action, if it has not acted since the last pizza."""


def discard(value: Card, quantity: int, jokers: int) -> Action:
    """Return the id of discarding `quantity` cards of a value and `jokers` jokers."""
    return 3 * (value * (value - 1) // 2 + quantity - 1) + jokers


_PARTS: Final = tuple((v, q, j) for v in VALUES for q in range(1, v + 1) for j in range(3))
VALUE_OF: Final = (*(v for v, _, _ in _PARTS), JOKER)
"""The value of each discard, a lone joker being 12."""
QUANTITY_OF: Final = (*(q for _, q, _ in _PARTS), 0)
"""The number of cards of that value, jokers not counted, in each discard."""
JOKERS_OF: Final = (*(j for _, _, j in _PARTS), 1)
SIZE_OF: Final = tuple(q + j for q, j in zip(QUANTITY_OF, JOKERS_OF, strict=True))
STEP_NAMES: Final = (*(f"C{v};Q{q};J{j}" for v, q, j in _PARTS), "C0;Q0;J1", "pass")
STEP_IDS: Final = {name: action for action, name in enumerate(STEP_NAMES)}

SPECIALS: Final = ("none", "food_fight", "dinner_served")
NO_SPECIAL: Final = STEPS
FOOD_FIGHT: Final = STEPS + 1
DINNER_SERVED: Final = STEPS + 2
_CARDS: Final = range(1, JOKER + 1)
_GIFTS: Final = (*((card,) for card in _CARDS), *combinations_with_replacement(_CARDS, 2))
FIRST_GIFT: Final = STEPS + len(SPECIALS)
FIRST_PAIR: Final = FIRST_GIFT + JOKER
ACTIONS: Final = FIRST_GIFT + len(_GIFTS)
_GIFT_IDS: Final = {cards: FIRST_GIFT + i for i, cards in enumerate(_GIFTS)}


def gift(cards: Iterable[Card]) -> Action:
    """Return the id of giving one or two cards away; their order does not matter."""
    return _GIFT_IDS[tuple(sorted(cards))]


def gift_cards(action: Action) -> tuple[Card, ...]:
    """Return the cards of a `gift`, ascending; LookupError for any other id."""
    if action < FIRST_GIFT:
        raise LookupError(f"action {action} gives no cards")
    return _GIFTS[action - FIRST_GIFT]


def gifts_from(hand: Iterable[Card], number: int) -> tuple[Action, ...]:
    """Return the ids of all ways to give `number` (1 or 2) cards of a hand away, ascending."""
    kinds = sorted(set(hand))
    if number == 1:
        return tuple(_GIFT_IDS[kind,] for kind in kinds)
    held = list(hand)
    pairs = combinations_with_replacement(kinds, 2)
    return tuple(_GIFT_IDS[pair] for pair in pairs if pair[0] != pair[1] or held.count(pair[0]) > 1)


def step_of_card(card: Card) -> Action:
    """Return the step, 0..199, that gives one such card away."""
    return LONE_JOKER if card == JOKER else discard(card, 1, 0)


def card_of_step(action: Action) -> Card:
    """Return the card that a step, 0..199, gives away in the exchange; LookupError for other steps."""
    if action == LONE_JOKER:
        return JOKER
    if not 0 <= action < LONE_JOKER or QUANTITY_OF[action] != 1 or JOKERS_OF[action]:
        raise LookupError(f"action {action} is no single card")
    return VALUE_OF[action]


def cards_laid(action: Action) -> tuple[Card, ...]:
    """Return the cards of a discard, jokers last; () for a pass."""
    if action == PASS:
        return ()
    return (VALUE_OF[action],) * QUANTITY_OF[action] + (JOKER,) * JOKERS_OF[action]


# Masks.

FIELDS: Final = (0, *(((1 << 3 * v) - 1) << discard(v, 1, 0) for v in VALUES))
"""By value, all its discards."""
_WITH: Final = tuple(sum(1 << a for a in range(LONE_JOKER) if JOKERS_OF[a] <= j) for j in range(3))
"""By the number of jokers held, the discards possible with them."""
TWO_JOKERS: Final = 1 << 200
_UNKNOWN: Final = 201
"""From this bit on, one bit is set for each unknown card."""
_UNKNOWNS: Final = ((1 << HAND) - 1) << _UNKNOWN
ONE_LEFT: Final = _WITH[1] | 1 << LONE_JOKER | _UNKNOWNS
NONE_LEFT: Final = _WITH[0] | _UNKNOWNS
LEADS: Final = (1 << PASS) - 1
"""The discards that may be led: all."""
PASSING: Final = 1 << PASS
OPENINGS: Final = FIELDS[ELEVEN]
FIELD_OF: Final = tuple(FIELDS[v] for v in VALUE_OF[:LONE_JOKER])
SHIFT_OF: Final = tuple(3 * q for q in QUANTITY_OF)
OVER: Final = tuple(
    sum(1 << b for b in range(LONE_JOKER) if VALUE_OF[b] < VALUE_OF[a] and SIZE_OF[b] >= SIZE_OF[a])
    for a in range(LONE_JOKER + 1)
)
"""By discard on the table, the discards that beat it."""


def mask_of(hand: Iterable[Card]) -> int:
    """Return a hand as a mask."""
    counts = [0] * (JOKER + 2)
    for card in hand:
        counts[card if card < UNKNOWN else JOKER + 1] += 1
    mask = ((1 << counts[JOKER + 1]) - 1) << _UNKNOWN
    for value in VALUES:
        if count := counts[value]:
            mask |= ((1 << 3 * count) - 1) << discard(value, 1, 0)
    jokers = counts[JOKER]
    mask &= _WITH[jokers] | _UNKNOWNS
    if jokers:
        mask |= 1 << LONE_JOKER
    return mask | TWO_JOKERS if jokers == 2 else mask


@lru_cache(maxsize=1 << 10)
def cards_of(mask: int) -> tuple[Card, ...]:
    """Return the cards of a hand's mask, ascending."""
    plain = mask & NONE_LEFT
    cards: list[Card] = []
    for value in VALUES:
        cards += [value] * (plain & FIELDS[value]).bit_count()
    jokers = (mask >> LONE_JOKER & 1) + (mask >> 200 & 1)
    return (*cards, *(JOKER,) * jokers, *(UNKNOWN,) * (mask >> _UNKNOWN).bit_count())


def count_of(mask: int) -> int:
    """Return the number of cards of a hand's mask."""
    # The bits without jokers are one for each card; then a bit for each joker.
    return (mask & NONE_LEFT).bit_count() + (mask >> LONE_JOKER & 1) + (mask >> 200 & 1)


def mask_after(mask: int, action: Action) -> int:
    """Return the mask of a hand after a discard that it holds."""
    if action != LONE_JOKER:
        field = FIELD_OF[action]
        mask = mask & ~field | (mask & field) >> SHIFT_OF[action] & field
    if jokers := JOKERS_OF[action]:
        # The mask still has the bits of combinations with the discarded jokers.
        mask &= ONE_LEFT if jokers == 1 and mask & TWO_JOKERS else NONE_LEFT
    return mask


_LOW: Final = sum(FIELDS[1:7])
_MIDDLE: Final = FIELDS[7] | FIELDS[8]
_NINE: Final = FIELDS[9]
_TEN: Final = FIELDS[10]
_HIGH: Final = FIELDS[11] | 1 << LONE_JOKER | PASSING


@lru_cache(maxsize=1 << 14)
def _ids(mask: int) -> tuple[Action, ...]:
    """Return the numbers of the bits that are set, ascending."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return tuple(found)


def ids_of(mask: int) -> tuple[Action, ...]:
    """Return the ids in a mask of actions, ascending; cached by parts, since few different parts occur."""
    return (
        _ids(mask & _LOW) + _ids(mask & _MIDDLE) + _ids(mask & _NINE) + _ids(mask & _TEN) + _ids(mask & _HIGH)
    )
