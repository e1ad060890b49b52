"""Matches in which some seats are real bots, and the others are played in memory.

The real referee conducts them, so a bot receives exactly what it receives at a table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from inspect import iscoroutinefunction, signature
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from arbiter.errors import ArbiterError
from arbiter.match.exchange import Reply, drive
from arbiter.match.in_memory import random_policy
from arbiter.match.protocol import Answer, words_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.games.game import Action, Seat
    from arbiter.match.exchange import MatchGenerator, SeatChannel, Send
    from arbiter.match.position import Position
    from arbiter.match.record import MatchRecord


class HasPredict(Protocol):
    """An object with `predict`, such as a model of Stable-Baselines3."""

    @property
    def predict(self) -> Callable[..., Any]:
        """Return the action for an observation."""


PolicyLike: TypeAlias = Callable[[Any, Any], Any] | HasPredict
"""Decides for a player in memory: a function of observation and action mask, or an object with `predict`."""

EXPECTED_POLICY = "a function of an observation and an action mask, or an object with predict(observation)"
KNOWN_TO_PREDICT = ("action_masks", "state", "episode_start")
"""What `predict` is given beside the observation, if its parameters have these names."""


def misfit_of(policy: Any) -> str:
    """Return what a policy that cannot be called as one takes, such as ``lowest(seen)``, else ""."""
    predict = getattr(policy, "predict", None)
    call = predict if callable(predict) else policy
    if iscoroutinefunction(call):
        return f"async {getattr(call, '__name__', 'predict')}"
    try:
        written = signature(call)
    except (TypeError, ValueError):
        # Of C, which does not show it.
        return ""
    known = {name: None for name in KNOWN_TO_PREDICT if name in written.parameters}
    try:
        if call is policy:
            written.bind(None, None)
        else:
            written.bind(None, **known)
    except TypeError:
        return f"{getattr(call, '__name__', type(call).__name__)}({', '.join(written.parameters)})"
    return ""


class Follower(ABC):
    """Players in memory who follow the match to its current `position`."""

    def __init__(self, position: Position) -> None:
        self.position = position

    @abstractmethod
    def action_of(self, seat: Seat) -> Action:
        """Choose the action of the seat to act, which has no bot."""

    def exchange(self, send: Send) -> Reply | int:
        """Answer a request by `action_of` and apply the answer to `position`; news costs nothing."""
        if not send.asks:
            return 0
        (seat,) = send.seats
        action = self.action_of(seat)
        word = self.position.game.action_text(self.position.state, seat, action).encode()
        self.position = self.position.apply(action)
        return Reply(Answer(True, word, word), 0, 0)

    def follow(self, answer: Answer) -> None:
        """Apply a bot's decision to `position`; ignore an illegal one, which the referee judges."""
        try:
            action = self.position.parse(words_of(answer, self.position.answer_words))
        except ArbiterError:
            return
        self.check(action)
        self.position = self.position.apply(action)

    def check(self, action: Action) -> None:  # noqa: B027 -- a hook that may be left out
        """Called with a bot's legal decision before it is applied; does nothing here."""


class RandomPlayers(Follower):
    """Players who take any legal action; the same `seed` gives the same choices."""

    def __init__(self, position: Position, seed: object) -> None:
        super().__init__(position)
        self._policy = random_policy(seed)

    def action_of(self, seat: Seat) -> Action:
        """Draw a legal action of the position's state; `position` stays."""
        return self._policy(self.position.state, seat)


def conduct_with(
    match: MatchGenerator,
    bots: Mapping[Seat, SeatChannel],
    others: Follower,
    on_reply: Callable[[Send, Reply | int], None] = lambda *_: None,
) -> MatchRecord:
    """Drive a match with `bots` in their seats and `others` in the rest; `on_reply` is called for bots."""

    def listen(seat: Seat, send: Send, reply: Reply | int) -> None:
        """Report a bot's exchange, and its decision to `others`."""
        if seat not in bots:
            return
        on_reply(send, reply)
        if send.asks and isinstance(reply, Reply) and reply.fault is None:
            others.follow(reply.answer)

    return drive(match, [bots.get(seat, others) for seat in range(others.position.game.seats)], listen)
