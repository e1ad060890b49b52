"""Past policies of a learner as its opponents, drawn by their ratings: self-play with a memory.

    pool = Pool()
    pool.add(policy)
    env = single("chefs_hat", opponents=pool, seat="rotate", matches=1)
    ...                     # learn, and now and then pool.add(a copy of the policy)
    pool.ratings()

All members at the table get results, and the learner, under a new name after each `add`. A member is drawn
with a probability proportional to p (1 - p), where p is the learner's expected score against it: mostly
members of similar strength, but never only them.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence
from typing import Any

import rating
from arbiter.envs.policies import policy_of
from arbiter.errors import ConfigError

HELD = 2000
"""The number of latest matches that are rated."""
FRESH = 20
"""The number of matches between two ratings of the members."""
RIDGE = 350.0
"""The standard deviation in Elo of the ratings' prior, which connects members that never met."""


class Pool:
    """Members with their results; as an opponent of `arbiter.envs.single`, draws a member for each seat."""

    def __init__(self) -> None:
        self._members: dict[str, Any] = {}
        self._matches: deque[rating.Match] = deque(maxlen=HELD)
        self._since = FRESH
        self._odds: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._members)

    @property
    def learner(self) -> str:
        """The learner's name since the last `add`."""
        return f"learner-{len(self._members)}"

    def add(self, policy: Any, name: str = "") -> str:
        """Add a member. Return its name: the given one, or ``past-1``, ``past-2``, ...

        Pass a copy of a policy that is still learning. TypeError if it is not a policy, ConfigError for a
        taken name.
        """
        policy_of(policy)
        name = name or f"past-{len(self._members) + 1}"
        if name in self._members or name == "random":
            raise ConfigError(f"the pool has a member {name!r} already", hint="names are different texts")
        self._members[name] = policy
        self._since = FRESH
        return name

    def ratings(self) -> dict[str, float]:
        """Return the Elo of members, learner, and others at their tables; mean 0. 0 without results."""
        table = rating.PairTable.from_matches(self._matches, players=(*self._members, self.learner))
        fit = rating.bayeselo(table, ridge=RIDGE)
        return dict(zip(table.players, fit.elo.tolist(), strict=True))

    def odds(self) -> dict[str, float]:
        """Return the probability of each member to be drawn for a seat."""
        elo = self.ratings()
        # Without results the learner is as strong as the member that was just copied from it.
        me = elo[self.learner] if self._has_played(self.learner) else elo[next(reversed(self._members))]
        expected = {name: 1.0 / (1.0 + 10.0 ** ((elo[name] - me) / 400.0)) for name in self._members}
        weights = {name: score * (1.0 - score) for name, score in expected.items()}
        total = sum(weights.values())
        return {name: weight / total for name, weight in weights.items()}

    def draw(self, seed: str) -> tuple[str, Any]:
        """Return a random member with its name, by a seed; ConfigError for an empty pool.

        The odds are those of `odds`, computed again after every `FRESH` matches.
        """
        if not self._members:
            raise ConfigError("the pool is empty", hint="call pool.add(policy) before the first match")
        if self._since >= FRESH:
            self._since, self._odds = 0, self.odds()
        names = list(self._odds)
        name = random.Random(seed).choices(names, [self._odds[one] for one in names])[0]
        return name, self._members[name]

    def note(
        self,
        players: Sequence[str],
        points: Sequence[int] | None,
        faulty: int | None = None,
        sides: Sequence[int] | None = None,
    ) -> None:
        """Record a finished match: names and points by seat, or the seat of an illegal move in `faulty`.

        `sides` are by seat, None if each plays alone. A match of one name alone gives no result.
        """
        self._since += 1
        if len(set(players)) > 1:
            self._matches.append(rating.Match(tuple(players), points=points, faulty=faulty, sides=sides))

    def _has_played(self, name: str) -> bool:
        return any(name in match.players for match in self._matches)
