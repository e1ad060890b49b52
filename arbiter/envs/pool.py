"""Past policies of a learner as its opponents, drawn by their ratings: self-play that forgets nobody.

    pool = Pool()
    pool.add(policy)
    env = single("chefs_hat", opponents=pool, seat="rotate", matches=1)
    ...                     # learn, and now and then pool.add(a copy of the policy)
    pool.ratings()

Every member at a table of the pool gets results, the learner too, under a name for each time between two
`add`s. A member is drawn with a probability in proportion to p (1 - p), p being what the learner is expected
to score against it: most often those who are about as strong, never only them.
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
"""Matches that ratings rest on: the latest."""
FRESH = 20
"""After so many more matches the members are rated anew."""
RIDGE = 350.0
"""The standard deviation in Elo of ratings before any result, which ties members that never met."""


class Pool:
    """Members with their results; `arbiter.envs.single` takes it as an opponent, for each seat anew."""

    def __init__(self) -> None:
        self._members: dict[str, Any] = {}
        self._matches: deque[rating.Match] = deque(maxlen=HELD)
        self._since = FRESH
        self._odds: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._members)

    @property
    def learner(self) -> str:
        """The name of who is learning, since the last member was added."""
        return f"learner-{len(self._members)}"

    def add(self, policy: Any, name: str = "") -> str:
        """A new member, and its name: one that is given or ``past-1``, ``past-2``, ...

        A policy that goes on learning has to be copied. TypeError for what is no policy, ConfigError for a
        name that is taken.
        """
        policy_of(policy)
        name = name or f"past-{len(self._members) + 1}"
        if name in self._members or name == "random":
            raise ConfigError(f"the pool has a member {name!r} already", hint="names are different texts")
        self._members[name] = policy
        self._since = FRESH
        return name

    def ratings(self) -> dict[str, float]:
        """Elo of all members, of the learner, and of others who sat with them; mean 0. 0 without results."""
        table = rating.PairTable.from_matches(self._matches, players=(*self._members, self.learner))
        fit = rating.bayeselo(table, ridge=RIDGE)
        return dict(zip(table.players, fit.elo.tolist(), strict=True))

    def odds(self) -> dict[str, float]:
        """The probability of each member to be drawn for a seat."""
        elo = self.ratings()
        # Somebody who has just been added is as good as the learner, who has no results yet either.
        me = elo[self.learner] if self._has_played(self.learner) else elo[next(reversed(self._members))]
        expected = {name: 1.0 / (1.0 + 10.0 ** ((elo[name] - me) / 400.0)) for name in self._members}
        weights = {name: score * (1.0 - score) for name, score in expected.items()}
        total = sum(weights.values())
        return {name: weight / total for name, weight in weights.items()}

    def draw(self, seed: str) -> tuple[str, Any]:
        """A member by its name, drawn by lot from a seed; ConfigError for an empty pool."""
        if not self._members:
            raise ConfigError("the pool is empty", hint="pool.add(policy) before the first match")
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
        """A match that is over: names and points by seat, or the seat of an illegal move."""
        self._since += 1
        if len(set(players)) > 1:
            self._matches.append(rating.Match(tuple(players), points=points, faulty=faulty, sides=sides))

    def _has_played(self, name: str) -> bool:
        return any(name in match.players for match in self._matches)
