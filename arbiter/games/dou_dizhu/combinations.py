"""The 27,472 combinations of Dou Dizhu: a table made from the rules.

A hand and the cards of a combination are *counts*: an integer with four bits for each rank, so
that "holds these cards" and "without these cards" are one operation each. Enumeration uses the
*ladder* of a hand: the four bits of a rank have a one for each of its cards, so that a hand holds a
combination if it has all of its ones.

Ids ascend by type, then chain length, then rank of the main part, then kickers. So the combinations,
bombs apart, that beat another are one range of ids, `floor` to `ceiling`.

    table().names[379]                              # '34567'
    table().ids["33344455"]                         # 512
    holds(counts_of("33444"), counts_of("444"))     # True
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement, permutations
from typing import NamedTuple, TypeAlias

from arbiter.games.cards import UNKNOWN, Card

Counts: TypeAlias = int
Ladder: TypeAlias = int
Ranks: TypeAlias = "tuple[int, ...]"
"""The ranks of cards, 0..14."""
Family: TypeAlias = "tuple[tuple[Ladder, int], ...]"
"""Combinations with their ids, ascending."""

RANKS = "3456789TJQKA2BR"
FIRST_COPIES: tuple[int, ...] = (*range(0, 52, 4), 52, 53)
"""The first card of each rank."""
MOST = 20
"""No hand has more cards."""
FIRST_PAIR, FIRST_TRIO, FIRST_BOMB, ROCKET, PASS = 15, 28, 27457, 27470, 27471
ACTIONS = 27472
GUARD = 0x888888888888888
"""The top bit of every rank of `Counts`, which no count sets."""

UNKNOWN_FROM = 60
"""From this bit on, `Counts` contain the number of unknown cards."""
ONES = 0x111111111111111
"""The lowest bit of every rank."""
_CHAINED = 12
"""The number of ranks below the 2, from which chains are made."""
_JOKER, _TWO = 13, 12

KINDS = (
    (0, "single card"),
    (15, "pair"),
    (28, "trio"),
    (41, "trio with a card"),
    (223, "trio with a pair"),
    (379, "chain"),
    (415, "chain of pairs"),
    (467, "chain of trios"),
    (512, "chain of trios with cards"),
    (22334, "chain of trios with pairs"),
    (25273, "four with two cards"),
    (26599, "four with two pairs"),
    (FIRST_BOMB, "bomb"),
    (ROCKET, "rocket"),
    (PASS, "pass"),
)
"""The first id of every type, and its name for people."""


def counts_of(cards: Iterable[str]) -> Counts:
    """Return the counts of cards given by name."""
    return sum(1 << 4 * RANKS.index(card) for card in cards)


def word_of(counts: Counts) -> str:
    """Return cards as one word in rank order, as in the protocol."""
    return "".join(rank * (counts >> 4 * i & 7) for i, rank in enumerate(RANKS))


def holds(hand: Counts, cards: Counts) -> bool:
    """Return True if the hand has all the cards."""
    return ((hand | GUARD) - cards) & GUARD == GUARD


def ladder_of(counts: Counts) -> Ladder:
    """Return the ladder of counts: for each rank, one bit set per card."""
    half, most = counts >> 1, counts >> 2 & ONES
    two = half & ONES | most
    return (counts & ONES) | two | two << 1 | (counts & half & ONES | most) << 2 | most << 3


def kind_of(action: int) -> str:
    """Return the type of a combination in words."""
    return KINDS[bisect_right(KINDS, action, key=lambda kind: kind[0]) - 1][1]


def kind_with_article(action: int) -> str:
    """Return the type of a combination with its article."""
    kind = kind_of(action)
    return kind if kind.startswith("four") else f"a {kind}"


class _Units(dict[Card, Counts]):
    """The counts of each single card."""

    def __missing__(self, card: Card) -> Counts:
        return 1 << UNKNOWN_FROM


UNITS = _Units((card, 1 << 4 * (card // 4 + card // 53)) for card in range(54))


@lru_cache(maxsize=1 << 10)
def cards_in(counts: Counts) -> tuple[Card, ...]:
    """Return cards with these counts, the first ones of each rank, then unknown ones."""
    cards = tuple(FIRST_COPIES[i] + n for i in range(len(RANKS)) for n in range(counts >> 4 * i & 7))
    return (*cards, *(UNKNOWN,) * (counts >> UNKNOWN_FROM))


class Combinations(NamedTuple):
    """All combinations by id; `floor[id]` to `ceiling[id] - 1`, and higher bombs, beat each.

    The range of `PASS` is the combinations that may be led: all. `rivals` is for `follow`: the ladder of
    each main part of higher rank, and the combinations with it.
    """

    names: tuple[str, ...]
    cards: tuple[Counts, ...]
    ids: dict[str, int]
    floor: tuple[int, ...]
    ceiling: tuple[int, ...]
    families: dict[tuple[str, int], tuple[tuple[Ladder, Family], ...]]
    """By type and chain length, for each main part."""
    rivals: tuple[tuple[tuple[Ladder, Family], ...], ...]


@cache
def table() -> Combinations:
    """Return the table; the first call of a process builds it, in a tenth of a second."""
    names: list[str] = []
    cards: list[Counts] = []
    floor: list[int] = []
    ceiling: list[int] = []
    families: dict[tuple[str, int], tuple[tuple[Ladder, Family], ...]] = {}
    rivals: list[tuple[tuple[Ladder, Family], ...]] = []
    letters = bytes.maketrans(bytes(range(len(RANKS))), RANKS.encode())
    units = [1 << 4 * rank for rank in range(len(RANKS))]
    for key, groups in _types():
        members, sizes = [], []
        for main, kickers in groups:
            first = len(names)
            base = sum(map(units.__getitem__, main))
            for kicker in kickers:
                names.append(bytes(sorted(main + kicker)).translate(letters).decode())
                cards.append(base + sum(map(units.__getitem__, kicker)))
            family = tuple((ladder_of(cards[i]), i) for i in range(first, len(names)))
            members.append((ladder_of(base), family))
            sizes.append(len(kickers))
        families[key] = tuple(members)
        end = len(names)
        for number, size in enumerate(sizes):
            higher = tuple(members[number + 1 :])
            rivals += [higher] * size
            floor += [len(floor) + size] * size
        ceiling += [end] * (end - len(ceiling))
    # Bombs are beaten by all higher ids, the rocket by none.
    ceiling[FIRST_BOMB:] = [PASS] * (PASS - FIRST_BOMB)
    names.append("pass")
    cards.append(0)
    floor.append(0)
    ceiling.append(PASS)
    rivals.append(())
    families["pass", 1] = ((0, ((0, PASS),)),)
    ids = {name: action for action, name in enumerate(names)}
    return Combinations(
        tuple(names), tuple(cards), ids, tuple(floor), tuple(ceiling), families, tuple(rivals)
    )


def _types() -> Iterator[tuple[tuple[str, int], Iterator[tuple[Ranks, Sequence[Ranks]]]]]:
    """Yield every type and chain length in the order of the ids, with its main parts and their kickers."""
    yield ("solo", 1), _chains_with_kickers(1, 1, 15, _no_kickers)
    yield ("pair", 1), _chains_with_kickers(2, 1, 13, _no_kickers)
    yield ("trio", 1), _chains_with_kickers(3, 1, 13, _no_kickers)
    yield ("trio with solo", 1), _chains_with_kickers(3, 1, 13, lambda main: _single_kickers(main, 1))
    yield ("trio with pair", 1), _chains_with_kickers(3, 1, 13, lambda main: _pair_kickers(main, 1))
    for copies, kind, lengths in (
        (1, "solo chain", range(5, 13)),
        (2, "pair chain", range(3, 11)),
        (3, "trio chain", range(2, 7)),
    ):
        for length in lengths:
            yield (kind, length), _chains_with_kickers(copies, length, _CHAINED, _no_kickers)
    for length in range(2, 6):
        kickers = {2: _any_two, 3: _any_three}.get(length, _any_more)
        yield ("trio chain with solos", length), _chains_with_kickers(3, length, _CHAINED, kickers)
    for length in range(2, 5):
        yield (
            ("trio chain with pairs", length),
            _chains_with_kickers(3, length, _CHAINED, lambda main: _pair_kickers(main, len(main) // 3)),
        )
    yield ("four with solos", 1), _chains_with_kickers(4, 1, 13, _any_two)
    yield ("four with pairs", 1), _chains_with_kickers(4, 1, 13, lambda main: _pair_kickers(main, 2))
    yield ("bomb", 1), _chains_with_kickers(4, 1, 13, _no_kickers)
    yield ("rocket", 1), iter([((_JOKER, _JOKER + 1), [()])])


def _chains_with_kickers(
    copies: int, length: int, below: int, kickers: Callable[[Ranks], Sequence[Ranks]]
) -> Iterator[tuple[Ranks, Sequence[Ranks]]]:
    """Yield `length` ranks under `below` in a row, each `copies` times, lowest first, with their kickers."""
    for start in range(below - length + 1):
        main = tuple(rank for rank in range(start, start + length) for _ in range(copies))
        yield main, kickers(main)


def _kicker_ranks(main: Ranks, below: int = 15) -> list[int]:
    """Return the ranks from 0 to `below`, exclusive, that are not in `main`."""
    return [rank for rank in range(below) if rank not in main]


def _no_kickers(main: Ranks) -> list[Ranks]:  # noqa: ARG001
    return [()]


def _single_kickers(main: Ranks, number: int) -> list[Ranks]:
    """Return kickers of different ranks, at most one of them a joker."""
    # Jokers come last, so two of them would be in the last two places.
    return [k for k in combinations(_kicker_ranks(main), number) if number < 2 or k[-2] < _JOKER]


def _pair_kickers(main: Ranks, number: int) -> list[Ranks]:
    """Return kickers of `number` pairs, of different ranks, without jokers."""
    chosen = combinations(_kicker_ranks(main, _JOKER), number)
    return [tuple(rank for rank in ranks for _ in range(2)) for ranks in chosen]


def _any_two(main: Ranks) -> list[Ranks]:
    """Return kickers of two cards of equal or different rank."""
    return [k for k in combinations_with_replacement(_kicker_ranks(main), 2) if k[0] < _JOKER]


def _any_three(main: Ranks) -> list[Ranks]:
    """Return kickers of three cards: all different; then three of a rank; then two and another."""
    ranks = _kicker_ranks(main)
    alike = [(rank,) * 3 for rank in ranks if rank < _JOKER and not _lengthens(main, rank)]
    mixed = [(pair, pair, single) for pair, single in permutations(ranks, 2) if pair < _JOKER]
    return _single_kickers(main, 3) + alike + mixed


def _any_more(main: Ranks) -> list[Ranks]:
    """Return kickers of four or five cards, at most three of a rank and one joker; those with one first."""
    with_joker: list[Ranks] = []
    without: list[Ranks] = []
    for kicker in combinations_with_replacement(_kicker_ranks(main), len(main) // 3):
        if kicker[-2] >= _JOKER:
            continue
        thrice = {one for one, third in zip(kicker, kicker[2:], strict=False) if one == third}
        if any(kicker.count(rank) > 3 or _lengthens(main, rank) for rank in thrice):
            continue
        (with_joker if kicker[-1] >= _JOKER else without).append(kicker)
    return with_joker + without


def _lengthens(main: Ranks, rank: int) -> bool:
    """Return True if three of this rank would lengthen the chain, so that they cannot be kickers."""
    return rank != _TWO and rank in (main[0] - 1, main[-1] + 1)
