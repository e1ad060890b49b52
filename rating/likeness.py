"""Likeness: find players that answer the same questions alike, far beyond what others' answers explain.

An answer that all give is no evidence; one that few give is strong evidence. Let e be the share of the
*others* asked that gave it, or, if no other was asked, 1 in the number of choices. Given the answer of one of
two independent players, the other gives it too with a probability of at most

    e + (1 - e) KNOWN

`KNOWN` is generous: the most similar independent programs were seen to share this much of what others'
answers leave open. Twins share almost all of it: one of `SHARED` instead of `KNOWN`. The likelihood ratio of
the two is a bet against independence. Multiplied over all questions, its mean over `SHARED` is a test
supermartingale if the bound holds given all previous answers. So it ever reaches 1 / alpha with probability
at most alpha (Ville's inequality), and any pair ever reaches pairs / alpha with at most alpha (Bonferroni).

Programs may do one thing alike, such as bid, without being twins. So two must share more than `KNOWN` of each
`kind` of question that they were asked `KIND_LEAST` times, and of all questions besides the commonest kind.

Ramdas, Grünwald, Vovk and Shafer, "Game-theoretic statistics and safe anytime-valid inference" (2023).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from operator import attrgetter
from typing import NamedTuple, Self

ALPHA = 0.01
"""Corrected p below which a pair is reported."""
KNOWN = 0.7
SHARED = (0.85, 0.92, 0.98)
"""The bets win if more than 0.78 is shared."""
KIND_LEAST = 8
"""Minimum questions to estimate what two players share."""
SHOWN = 3
"""Number of rarest answers kept for each pair."""


class GivenAnswer(NamedTuple):
    """One player's answer, with the match's id and the number of the move in it."""

    answer: str
    match: str
    move: int


class Rare(NamedTuple):
    """An answer that both players of a pair gave; `same` of the `others` asked gave it, too."""

    kind: str
    same: int
    others: int
    first: GivenAnswer
    second: GivenAnswer


@dataclass(slots=True)
class KindCount:
    """Questions of one kind that two players were both asked: the number of equal answers, and the expected
    number if each answered as the others did.
    """

    compared: int = 0
    alike: int = 0
    expected: float = 0.0

    @property
    def share(self) -> float:
        """The shared part of what others' answers leave open: 1 for twins, 0 for strangers, < 0 opposite."""
        left = self.compared - self.expected
        return (self.alike - self.expected) / left if left > 0 else 0.0

    @classmethod
    def of_all(cls, counts: Iterable[KindCount]) -> Self:
        """Return the sum over several kinds."""
        some = [(one.compared, one.alike, one.expected) for one in counts]
        return cls(sum(one[0] for one in some), sum(one[1] for one in some), sum(one[2] for one in some))


_DIFFER = tuple(math.log((1 - shared) / (1 - KNOWN)) for shared in SHARED)
"""The log factors of the bets for two different answers, by `SHARED`."""


def _bets(share: float) -> tuple[float, ...]:
    """Return the log factors of the bets for two equal answers that this share of the others gave."""
    left = 1 - share
    return tuple(math.log((share + left * shared) / (share + left * KNOWN)) for shared in SHARED)


@dataclass(slots=True)
class _Pair:
    bets: list[float] = field(default_factory=lambda: [0.0] * len(SHARED))
    kinds: dict[str, KindCount] = field(default_factory=dict)
    rarest: list[tuple[float, int, Rare]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Alike:
    """Two players that answer alike: counts by kind of question; `p` is corrected for all pairs."""

    first: str
    second: str
    kinds: Mapping[str, KindCount]
    rarest: tuple[Rare, ...]
    p: float


class Likeness:
    """The questions of a season, added as they come; `owner` maps a player to its owner.

    Two players of one owner are not compared.
    """

    def __init__(self, owner: Callable[[str], str]) -> None:
        self._owner = owner
        self._pairs: dict[tuple[str, str], _Pair] = {}
        self._asked = 0
        self._kinds: set[str] = set()

    def add(self, kind: str, choices: int, answers: Mapping[str, GivenAnswer]) -> None:
        """Add a question of some kind with this number of choices (2 or more); `answers` by player.

        `kind` is any word; answers are compared as strings.
        """
        self._asked += 1
        self._kinds.add(kind)
        given = Counter(said.answer for said in answers.values())
        others = len(answers) - 2
        shares = {word: (same - 2) / others if others else 1 / choices for word, same in given.items()}
        bets = {word: _bets(share) for word, share in shares.items() if given[word] > 1}
        owners = {name: self._owner(name) for name in answers}
        for one, two in combinations(sorted(answers), 2):
            if owners[one] == owners[two]:
                continue
            pair = self._pairs.setdefault((one, two), _Pair())
            count = pair.kinds.setdefault(kind, KindCount())
            first, second = answers[one], answers[two]
            count.compared += 1
            if first.answer != second.answer:
                same = (given[first.answer] + given[second.answer]) / 2 - 1
                count.expected += same / others if others else 1 / choices
                pair.bets = [bet + lost for bet, lost in zip(pair.bets, _DIFFER, strict=True)]
                continue
            share = shares[first.answer]
            count.alike += 1
            count.expected += share
            pair.bets = [bet + won for bet, won in zip(pair.bets, bets[first.answer], strict=True)]
            if len(pair.rarest) < SHOWN or share < pair.rarest[-1][0]:
                rare = Rare(kind, given[first.answer] - 2, others, first, second)
                pair.rarest = sorted([*pair.rarest, (share, self._asked, rare)])[:SHOWN]

    def found(self) -> list[Alike]:
        """Test all pairs; return those that answer alike beyond chance, the smallest p first."""
        named = []
        for (one, two), pair in self._pairs.items():
            high = max(pair.bets)
            log_e = high + math.log(sum(math.exp(bet - high) for bet in pair.bets) / len(SHARED))
            p = math.exp(min(0.0, math.log(len(self._pairs)) - log_e))
            if p <= ALPHA and self._share_each_kind(pair.kinds.values()):
                rarest = tuple(rare for _, _, rare in pair.rarest)
                named.append(Alike(one, two, pair.kinds, rarest, p))
        return sorted(named, key=lambda alike: (alike.p, alike.first, alike.second))

    def able(self) -> int:
        """Return the number of pairs with enough questions to be reported."""
        return sum(bool(self._known(pair.kinds.values())) for pair in self._pairs.values())

    def _share_each_kind(self, kinds: Collection[KindCount]) -> bool:
        """True if two players share more than `KNOWN` of each of `_known`'s kinds, and it has one."""
        known = self._known(kinds)
        return bool(known) and all(count.share > KNOWN for count in known)

    def _known(self, kinds: Collection[KindCount]) -> list[KindCount]:
        """Return the kinds asked often enough, and the sum besides the commonest; [] if that is too few."""
        rest = KindCount.of_all(sorted(kinds, key=attrgetter("compared"))[:-1])
        known = [count for count in (*kinds, rest) if count.compared >= KIND_LEAST]
        return [] if len(self._kinds) > 1 and rest not in known else known
