"""Policies at the referee of tournaments, beside programs: what one does wrong is a fault of its seat."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.envs.argument_checks import check_action
from arbiter.envs.masks import mask_of
from arbiter.envs.observers import observer_of
from arbiter.envs.policies import begin
from arbiter.envs.single_env import LastActionPlay
from arbiter.errors import IllegalAction, MalformedReply
from arbiter.match.exchange import Reply
from arbiter.match.follower import Follower
from arbiter.match.in_memory import random_policy
from arbiter.match.position import Position
from arbiter.match.protocol import NONE
from arbiter.match.record import Fault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.envs.policies import Policy
    from arbiter.games.game import Action, AnyGame, Seat
    from arbiter.match.exchange import Send
    from arbiter.match.spec import MatchSpec

MOST_CHARACTERS = 200
"""The characters kept of an error's message."""
PACKAGE = Path(__file__).parents[1]


class PolicyPlayers(Follower):
    """The players in memory of one match: `policies` by seat, None for a random player.

    They observe as in an environment; `play` is the match in progress. An answer that is not a legal id is
    the fault ``illegal``, an exception or SystemExit ``crash``; its class, message and line are the private
    text. `error` is that exception, or None.
    """

    def __init__(self, game: AnyGame, spec: MatchSpec, policies: Mapping[Seat, Policy | None]) -> None:
        number = spec.round or 1
        super().__init__(Position.opening(game, spec.seed, number))
        self.error: BaseException | None = None
        self._policies, self._observer, self.play = policies, observer_of(game), LastActionPlay(game)
        self.play.begin_match(spec.seed, number)
        self._chance = random_policy(f"{spec.seed}|{number}|{spec.rotation}")
        for policy in policies.values():
            if policy is not None:
                begin(policy)

    def exchange(self, send: Send) -> Reply | int:
        """Answer a request, or report the fault of the seat."""
        try:
            return super().exchange(send)
        except MalformedReply as fault:
            return Reply(NONE, 0, 0, fault=fault)

    def action_of(self, seat: Seat) -> Action:
        """Return the decision of a seat; MalformedReply."""
        play, policy = self.play, self._policies[seat]
        if policy is None:
            play.act(seat, self._chance(play.state, seat))
        else:
            play.done = None
            # A decision may take several steps, such as the Chef's gift of two cards.
            while play.done is None:
                self._step(seat, policy)
        assert play.done is not None
        return play.done[2]

    def check(self, action: Action) -> None:
        """Follow a program's decision."""
        self.play.act(self.play.turn, action)

    def _step(self, seat: Seat, policy: Policy) -> None:
        """Ask a policy and do its action; MalformedReply if it raises (kept in `error`) or is not legal."""
        play, observer = self.play, self._observer
        mask = mask_of(observer.legal(play, seat), observer.actions)
        seen = observer.vector(play, seat)
        try:
            answer = policy(seen, mask)
        except (Exception, SystemExit) as error:
            self.error = error
            raise MalformedReply(Fault.CRASH, "its function raised", private=describe(error)) from None
        try:
            action = check_action(answer, observer.actions, f"seat {seat}")
        except (TypeError, ValueError) as error:
            self.error = error
            raise MalformedReply(Fault.ILLEGAL, str(error)[:MOST_CHARACTERS]) from None
        try:
            observer.act(play, seat, action)
        except IllegalAction as error:
            self.error = error
            why = f"{action} ({observer.action_name(action)}) is not legal: {error}"
            raise MalformedReply(Fault.ILLEGAL, why[:MOST_CHARACTERS]) from None


def describe(error: BaseException) -> str:
    """Return class, message and place of an exception in one line: ``ValueError: no card (bot.py:3)``."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not Path(frame.filename).is_relative_to(PACKAGE)]
    message = " ".join(str(error).split())[:MOST_CHARACTERS]
    text = f"{type(error).__name__}: {message}".rstrip(": ")
    if not own:
        return text
    # The first frame outside is the function's own; later ones may be a library's.
    written = [frame for frame in own if not frame.filename.startswith((sys.prefix, sys.base_prefix))]
    place = (written or own)[-1]
    return f"{text} ({Path(place.filename).name}:{place.lineno})"
