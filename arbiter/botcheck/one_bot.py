"""A match in which one seat is a real bot, and the others are played in memory.

The referee itself conducts it, so that what the bot hears is what it hears at a table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from arbiter.errors import ArbiterError
from arbiter.protocol import Answer, words_of
from arbiter.referee import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.course import Position
    from arbiter.match import MatchRecord
    from arbiter.referee import Conduct
    from arbiter.rules import Action, Seat
    from arbiter.table.single import SingleBot


class Follower(ABC):
    """The players in memory: they follow the match through the rules. `position` is where it stands."""

    def __init__(self, position: Position) -> None:
        self.position = position

    @abstractmethod
    def action_of(self, seat: Seat) -> Action:
        """What one of them does, who is to act."""

    def answer(self, seat: Seat) -> Reply:
        """Its decision as a reply."""
        action = self.action_of(seat)
        word = self.position.game.action_text(self.position.state, seat, action).encode()
        self.position = self.position.decided(action)
        return Reply(Answer(True, word, word), 0, 0)

    def heard(self, answer: Answer) -> None:
        """The bot has decided; the referee ends the match if it may not do so."""
        try:
            action = self.position.parse(words_of(answer, self.position.answer_words))
        except ArbiterError:
            return
        self.decided(action)

    def decided(self, action: Action) -> None:
        """The bot's decision, which is legal."""
        self.position = self.position.decided(action)


def conduct_one(
    match: Conduct,
    bot: SingleBot,
    seat: Seat,
    others: Follower,
    on_reply: Callable[[Reply | int], None] = lambda _: None,
) -> MatchRecord:
    """Exchange what the referee wants exchanged, with the bot or in memory, until it has a record."""
    send = next(match)
    try:
        while True:
            costs: list[int] = []
            last: Reply | None = None
            for hearer in send.seats:
                if hearer != seat:
                    last = others.answer(hearer) if send.asks else None
                    costs.append(0)
                    continue
                reply = bot.exchange(send)
                on_reply(reply)
                last = reply if isinstance(reply, Reply) else None
                costs.append(reply if isinstance(reply, int) else reply.charged_ns)
                if last is not None and last.fault is not None:
                    break
                if last is not None:
                    others.heard(last.answer)
            send = match.send((costs, last))
    except StopIteration as done:
        record: MatchRecord = done.value
    return record
