"""Answers kept with the state that they were made of, so that what many ask for is made once."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from arbiter.web.answers import make_answer

if TYPE_CHECKING:
    import asyncio

    from arbiter.picture.state import State
    from arbiter.web.answers import Answer, Asked

MOST_BYTES = 8_000_000
"""Of answers kept with one state: so many without a query, and as many with one."""
OVERHEAD = 500
"""Bytes that keeping an answer takes beside it."""
MOST_AGAIN, AGAIN_SECONDS = 20, 0.5
"""Answers without a query that are made of a new state before it is shown, as many with one, and how long
all of that may take."""


class _Shelf:
    """Answers, and what was `asked` for; the last come last."""

    def __init__(self) -> None:
        self.answers: dict[Asked, Answer] = {}
        self.asked: dict[Asked, None] = {}
        self._size = 0

    def find(self, key: Asked) -> Answer | None:
        """The answer, if it is there."""
        answer = self.answers.pop(key, None)
        if answer is not None:
            self.answers[key] = answer
        return answer

    def note(self, key: Asked) -> None:
        """Note that somebody has asked for it, and forget what was asked for longest ago."""
        self.asked.pop(key, None)
        self.asked[key] = None
        if len(self.asked) > MOST_AGAIN:
            del self.asked[next(iter(self.asked))]

    def keep(self, key: Asked, answer: Answer) -> None:
        """Keep a good answer, in place of those not asked for longest where there is no room."""
        if answer.status != 200:
            return
        self.answers[key] = answer
        self._size += len(answer.body) + OVERHEAD
        while self._size > MOST_BYTES:
            oldest = next(iter(self.answers))
            self._size -= len(self.answers.pop(oldest).body) + OVERHEAD


class Kept:
    """The answers made of one state; who asks with many queries moves none without."""

    def __init__(self) -> None:
        self._plain, self._queried = _Shelf(), _Shelf()
        self.making: dict[Asked, asyncio.Future[Answer]] = {}

    def shelf(self, key: Asked) -> _Shelf:
        """Where an answer has its place."""
        return self._plain if key.is_plain else self._queried

    def made_again(self, state: State, visitors: bool) -> Kept:
        """What was asked of this state, that without a query first, made of a new one."""
        kept, until = Kept(), time.monotonic() + AGAIN_SECONDS
        for key in [*self._plain.asked, *self._queried.asked]:
            if time.monotonic() < until:
                kept.shelf(key).keep(key, make_answer(key, state, visitors))
        return kept
