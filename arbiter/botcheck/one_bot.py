"""A match in which one seat is a real bot, and the others are played in memory.

The referee itself conducts it, so that what the bot hears is what it hears at a table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from arbiter.errors import ArbiterError
from arbiter.exchange import Reply
from arbiter.protocol import Answer, words_of
from arbiter.referee import drive

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.course import Position
    from arbiter.exchange import Conduct, Seated, Send
    from arbiter.match import MatchRecord
    from arbiter.rules import Action, Seat


class Follower(ABC):
    """Players in memory who follow the match; `position` is where it stands."""

    def __init__(self, position: Position) -> None:
        self.position = position

    @abstractmethod
    def action_of(self, seat: Seat) -> Action:
        """The decision of the seat to act, one of theirs."""

    def exchange(self, send: Send) -> Reply | int:
        """Answer a request; news costs nothing."""
        if not send.asks:
            return 0
        (seat,) = send.seats
        action = self.action_of(seat)
        word = self.position.game.action_text(self.position.state, seat, action).encode()
        self.position = self.position.apply(action)
        return Reply(Answer(True, word, word), 0, 0)

    def follow(self, answer: Answer) -> None:
        """Follow the bot's decision; one that is not legal is the referee's to judge."""
        try:
            action = self.position.parse(words_of(answer, self.position.answer_words))
        except ArbiterError:
            return
        self.check(action)
        self.position = self.position.apply(action)

    def check(self, action: Action) -> None:  # noqa: B027 -- a hook that may be left out
        """Look at a legal decision of the bot, in the position before it."""


def conduct_one(
    match: Conduct,
    bot: Seated,
    seat: Seat,
    others: Follower,
    on_reply: Callable[[Send, Reply | int], None] = lambda *_: None,
) -> MatchRecord:
    """Drive a match with the bot in its seat and `others` in all others; `on_reply` hears its exchanges."""

    def listen(hearer: Seat, send: Send, reply: Reply | int) -> None:
        if hearer != seat:
            return
        on_reply(send, reply)
        if send.asks and isinstance(reply, Reply) and reply.fault is None:
            others.follow(reply.answer)

    seats: list[Seated] = [others] * others.position.game.seats
    seats[seat] = bot
    return drive(match, seats, listen)
