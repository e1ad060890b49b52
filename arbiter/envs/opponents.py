"""Who may sit in the other seats of a single-agent environment: chance, a policy, a bot (`programs`)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from arbiter.envs.arena import mask_of
from arbiter.envs.mistakes import checked_action
from arbiter.envs.observers import Observer
from arbiter.envs.play import Play
from arbiter.errors import ConfigError
from arbiter.match import Player
from arbiter.rules import Seat

RANDOM = "random"


class Chooser(Protocol):
    """An opponent in memory."""

    name: str

    def begin(self, seed: str) -> None:
        """A match begins; `seed` is the match's and the seat's."""

    def choose(self, play: Play, observer: Observer, seat: Seat) -> int:
        """The id of what it does."""


class Chance:
    """Any legal action with equal probability."""

    name = RANDOM

    def __init__(self) -> None:
        self._chance = random.Random()

    def begin(self, seed: str) -> None:
        self._chance = random.Random(seed)

    def choose(self, play: Play, observer: Observer, seat: Seat) -> int:
        return self._chance.choice(observer.legal(play, seat))


class PolicyOpponent:
    """A callable of observation and action mask; see `arbiter.envs.policy_bot.Policy`."""

    def __init__(self, policy: Callable[..., Any]) -> None:
        self.name = getattr(policy, "__name__", type(policy).__name__)
        self._policy = policy

    def begin(self, seed: str) -> None:
        """Nothing to prepare."""

    def choose(self, play: Play, observer: Observer, seat: Seat) -> int:
        """What the policy says; TypeError or ValueError where that is no id."""
        mask = mask_of(observer.legal(play, seat), observer.actions)
        try:
            answer = self._policy(observer.vector(play, seat), mask)
        except Exception as error:
            error.add_note(f"raised by the opponent {self.name} in seat {seat}")
            raise
        return checked_action(answer, observer.actions, f"the opponent {self.name} in seat {seat}")


Opponent = Chooser | Player


def checked_opponents(opponents: object, number: int) -> list[Opponent]:
    """One opponent for each of `number` seats, from one for all or a list of them; ConfigError."""
    if isinstance(opponents, Sequence) and not isinstance(opponents, str | bytes):
        if len(opponents) != number:
            raise ConfigError(
                f"{len(opponents)} opponents are given, and there are {number} other seats",
                hint="one for all of them, or a list with one for each; a command's words are one string",
            )
        return [_opponent(one) for one in opponents]
    return [_opponent(opponents) for _ in range(number)]


def _opponent(one: object) -> Opponent:
    if isinstance(one, str) and one == RANDOM:
        return Chance()
    if isinstance(one, Player | str) or (
        isinstance(one, Sequence) and all(isinstance(word, str) for word in one)
    ):
        # Imported where it is used: it brings all that starts processes, which is for Linux alone.
        from arbiter.envs.programs import program

        return program(one, [RANDOM])
    if callable(one) and not isinstance(one, type):
        return PolicyOpponent(one)
    raise ConfigError(
        f"{one!r} is no opponent", hint=f'"{RANDOM}", a policy, a Player, or the command of a bot'
    )
