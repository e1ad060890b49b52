"""Players for the other seats of a single-agent environment: random, a policy, a bot (`bot_opponents`)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Protocol

from arbiter.envs.argument_checks import check_action
from arbiter.envs.masks import mask_of
from arbiter.envs.match_state import Play
from arbiter.envs.observers import Observer
from arbiter.envs.policies import begin, is_policy, policy_of
from arbiter.envs.pool import Pool
from arbiter.errors import ConfigError
from arbiter.games.game import Seat
from arbiter.games.samples import bot_names
from arbiter.match.follower import PolicyLike
from arbiter.match.spec import Player

RANDOM, ROLE = "random", "opponent"


class Chooser(Protocol):
    """An opponent in memory; messages call it by its `role` and `name`."""

    name: str
    role: str

    def begin(self, seed: str) -> None:
        """Begin a match; `seed` depends on the match and the seat."""

    def choose(self, play: Play, observer: Observer, seat: Seat) -> int:
        """Return the id of its action."""


class Chance:
    """Any legal action with equal probability."""

    name, role = RANDOM, ROLE

    def __init__(self) -> None:
        self._chance = random.Random()

    def begin(self, seed: str) -> None:
        self._chance = random.Random(seed)

    def choose(self, play: Play, observer: Observer, seat: Seat) -> int:
        return self._chance.choice(observer.legal(play, seat))


class PolicyOpponent:
    """A policy; see `arbiter.envs.policies`."""

    def __init__(self, policy: Any) -> None:
        self.role = ROLE
        self.policy = policy_of(policy)
        self.name = getattr(self.policy, "__name__", type(policy).__name__)

    def begin(self, seed: str) -> None:  # noqa: ARG002
        """Forget the match before."""
        begin(self.policy)

    def choose(self, play: Play, observer: Observer, seat: Seat) -> int:
        """Return the policy's choice; TypeError or ValueError if it is not an id."""
        mask = mask_of(observer.legal(play, seat), observer.actions)
        try:
            answer = self.policy(observer.vector(play, seat), mask)
        except Exception as error:
            error.add_note(f"raised by the {self.role} {self.name} in seat {seat}")
            raise
        return check_action(answer, observer.actions, f"the {self.role} {self.name} in seat {seat}")


class FromPool:
    """A member of a pool, drawn for each match."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.name, self.role = "pool", ROLE

    def begin(self, seed: str) -> None:
        """Draw the member that plays."""
        self._member = self.member(seed)
        self.name = self._member.name

    def member(self, seed: str) -> PolicyOpponent:
        """Return a member drawn by `seed`."""
        name, policy = self.pool.draw(seed)
        drawn = PolicyOpponent(policy)
        drawn.name, drawn.role = name, self.role
        return drawn

    def choose(self, play: Play, observer: Observer, seat: Seat) -> int:
        return self._member.choose(play, observer, seat)


Opponent = Chooser | Player
OpponentLike = PolicyLike | Pool | Player | str | Sequence[str]
"""A policy, a pool, a program or its command, a shipped bot's name, or "random"."""


def check_opponents(opponents: object, number: int, game: str) -> list[Opponent]:
    """Return an opponent for each of `number` seats, from one for all or a list of them; ConfigError.

    `game` is the game whose shipped bots can be named.
    """
    if isinstance(opponents, Sequence) and not isinstance(opponents, str | bytes):
        if len(opponents) != number:
            raise ConfigError(
                f"{len(opponents)} opponents are given, and there are {number} other seats",
                hint="one for all of them, or a list with one for each; a command's words are one string",
            )
        return [_check_opponent(one, game) for one in opponents]
    return [_check_opponent(opponents, game) for _ in range(number)]


def _check_opponent(one: object, game: str) -> Opponent:
    """Return the opponent of "random", a `Pool`, policy, bot's name, command or `Player`; ConfigError."""
    if isinstance(one, str) and one == RANDOM:
        return Chance()
    if isinstance(one, Pool):
        return FromPool(one)
    if is_policy(one):
        return PolicyOpponent(one)
    # Imported here: starting processes works only on Linux.
    from arbiter.table.program_players import program_of

    if (player := program_of(one, game)) is not None:
        return player
    known = ", ".join(f'"{name}"' for name in dict.fromkeys((RANDOM, *bot_names(game))))
    hint = f"expected {known}, a policy, a Player, or the command of a bot"
    raise ConfigError(f"{one!r} is not a player", hint=hint)
