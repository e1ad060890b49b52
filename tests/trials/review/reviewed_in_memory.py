"""A program in memory that values answers, for tests."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from arbiter.replay.decision_loss import OptionValue

if TYPE_CHECKING:
    from arbiter.games.game import AnyGame


class InMemory:
    """Says of each option a number of its own, the same whoever asks, with noise; notes what it hears."""

    name = "memory"

    def __init__(self, noise: float = 0.0) -> None:
        self.sessions: list[list[tuple[int, str]]] = []
        self._noise, self._chance = noise, random.Random(1)

    def begin(self, _: int = 1) -> None:
        self.sessions.append([])

    def send_time(self, seat: int) -> None:
        pass

    def send_news(self, seat: int, command: str) -> None:
        self.sessions[-1].append((seat, command))

    def value(
        self,
        game: AnyGame,
        state: Any,
        seat: int,
        times: int = 6,
        *,
        again: bool = False,
    ) -> list[dict[str, OptionValue]]:
        words = [game.action_text(state, seat, action) for action in state.legal(seat)][:50]
        return [
            {word: OptionValue(_own(word) + self._chance.gauss(0, self._noise), 0.5) for word in words}
            for _ in range(times)
        ]


def _own(word: str) -> float:
    return random.Random(word).random()
