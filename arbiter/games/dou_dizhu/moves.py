"""The legal plays of a hand in Dou Dizhu, enumerated fast.

Combinations without kickers depend only on masks of ranks (with at least one, two, three or four cards), so
they are looked up. Main parts with kickers are looked up too, and the kickers of each are filtered by one
operation, since a hand holds a combination if it has all ones of its ladder.

    lead(counts_of("3344"))                  # ids of 3, 4, 33, 44
    follow(counts_of("3344"), 15)            # 33 was played: 44, pass
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from arbiter.games.dou_dizhu.combinations import (
    FIRST_BOMB,
    FIRST_PAIR,
    FIRST_TRIO,
    ONES,
    Counts,
    Family,
    Ladder,
    ladder_of,
    table,
)

_LOW_ONES = 0x111111111111
"""The lowest bits of the ranks of chains."""
_JOKER_ONES = 0x110000000000000
_REMEMBERED = 1 << 14


def _run_starts(ranks: int, length: int) -> int:
    """Return the ranks from which `length` ranks in a row are in the mask."""
    for _ in range(length - 1):
        ranks &= ranks >> 4
    return ranks


class _Plain(dict[int, tuple[int, ...]]):
    """A cache of the combinations without kickers by mask of ranks.

    Chains are looked up by the first ranks of chains of the shortest `length`: these determine all
    chains, and few such masks differ.
    """

    def __init__(self, *kinds: str, length: int = 1) -> None:
        self._kinds, self._length = kinds, length

    @cached_property
    def _mains(self) -> tuple[tuple[int, int], ...]:
        """Each combination's mask of ranks (of chains: first ranks) and its id; computed once."""
        # Complete before it is stored: another thread must not see a part of it.
        members = _main_parts(self._kinds)
        return tuple([(_run_starts(main & ONES, self._length), family[0][1]) for main, family in members])

    def __missing__(self, mask: int) -> tuple[int, ...]:
        if len(self) >= _REMEMBERED:
            self.clear()
        missing = ~mask
        self[mask] = found = tuple([action for ranks, action in self._mains if not ranks & missing])
        return found


class _Carriers(dict[int, "tuple[Family, ...]"]):
    """A cache of the main parts with kickers by mask of ranks: their families."""

    def __init__(self, *kinds: str) -> None:
        self._kinds = kinds

    def __missing__(self, mask: int) -> tuple[Family, ...]:
        if len(self) >= _REMEMBERED:
            self.clear()
        found = [family for main, family in _main_parts(self._kinds) if not main & ONES & ~mask]
        self[mask] = answer = tuple(found)
        return answer


def _main_parts(kinds: Sequence[str]) -> Iterator[tuple[Ladder, Family]]:
    """Yield the main parts of these types, of all lengths, in the order of the ids."""
    for (kind, _), members in table().families.items():
        if kind in kinds:
            yield from members


_solos, _solo_chains = _Plain("solo"), _Plain("solo chain", length=5)
_pairs_alone, _pair_chains = _Plain("pair"), _Plain("pair chain", length=3)
_trios, _trio_chains = _Plain("trio"), _Plain("trio chain", length=2)
_bombs, _tails = _Plain("bomb", "rocket"), _Plain("bomb", "rocket", "pass")
_with_trios = _Carriers("trio with solo", "trio with pair")
_with_trio_chains = _Carriers("trio chain with solos", "trio chain with pairs")
_with_fours = _Carriers("four with solos", "four with pairs")


def lead(hand: Counts) -> list[int]:
    """Return the ids of all combinations of the hand, ascending."""
    # Inlined: random play spends its time here.
    half, most = hand >> 1, hand >> 2 & ONES
    two = half & ONES | most
    one = hand & ONES | two
    three = hand & half & ONES | most
    found = [*_solos[one], *_pairs_alone[two]]
    if three:
        found += _trios[three]
    found += long_leads(one, two, three, most)
    if explosive := most | one & _JOKER_ONES:
        found += _bombs[explosive]
    return found


def long_leads(one: int, two: int, three: int, four: int) -> list[int]:
    """Return the ids of plays of several ranks, ascending.

    Given are the masks of the ranks with at least 1, 2, 3 and 4 cards.
    """
    found: list[int] = []
    missing = 0
    if three:
        missing = ~(one | two << 1 | three << 2 | four << 3)
        for family in _with_trios[three]:
            found += [action for cards, action in family if not cards & missing]
    low = one & _LOW_ONES
    low &= low >> 4
    if runs := low & low >> 4 & low >> 8 & low >> 12:
        found += _solo_chains[runs]
    low = two & _LOW_ONES
    if runs := low & low >> 4 & low >> 8:
        found += _pair_chains[runs]
    low = three & _LOW_ONES
    if runs := low & low >> 4:
        found += _trio_chains[runs]
        for family in _with_trio_chains[three]:
            found += [action for cards, action in family if not cards & missing]
    if four:
        for family in _with_fours[four]:
            found += [action for cards, action in family if not cards & missing]
    return found


def rivals_in(ladder: Ladder, best: int) -> list[int]:
    """Return the ids in a hand's ladder that beat `best`, without bombs and pass, ascending."""
    missing = ~ladder
    found: list[int] = []
    for main, family in table().rivals[best]:
        if not main & missing:
            found += [action for cards, action in family if not cards & missing]
    return found


def follow(hand: Counts, best: int) -> Sequence[int]:
    """Return the ids that may be played on `best`, ascending; `PASS` is always the last."""
    most = hand >> 2 & ONES
    # Most turns are those on single cards and pairs.
    if best < FIRST_PAIR:
        one = (hand | hand >> 1) & ONES | most
        found = _solos[one & -(2 << 4 * best)]
    elif best < FIRST_TRIO:
        one = hand & ONES
        two = hand >> 1 & ONES | most
        found = _pairs_alone[two & -(2 << 4 * (best - FIRST_PAIR))]
    else:
        one = hand & ONES
        found = tuple(rivals_in(ladder_of(hand), best)) if best < FIRST_BOMB else ()
    tail = _tails[most | one & _JOKER_ONES]
    if best >= FIRST_BOMB:
        return tuple([action for action in tail if action > best])
    return found + tail if found else tail
