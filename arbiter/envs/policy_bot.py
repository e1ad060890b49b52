"""A policy of an environment as a bot: it speaks the line protocol on standard input and output.

    #!/usr/bin/env python3
    from arbiter.envs import PolicyBot

    def policy(observation, action_mask):
        return int(action_mask.argmax())

    PolicyBot(policy, game="planning").run()

The policy, or an object with `predict` (see `policies`), is asked with what the environments show a seat
in the same situation, and answers with an id. How a bot comes by that, hearing so much less, is explained in
`arbiter.games.information_state`.
"""

from __future__ import annotations

from typing import Any

from arbiter.envs.argument_checks import checked_action
from arbiter.envs.pettingzoo_base import mask_of
from arbiter.envs.policies import Policy, begin, policy_of
from arbiter.envs.protocol_bot import BadAnswer, HeardPlay, HearingBot
from arbiter.errors import IllegalAction
from arbiter.games.game import Action, AnyGame
from arbiter.games.information_state import Hearing


class PolicyBot(HearingBot):
    """A `HearingBot` that does what a policy says."""

    def __init__(self, policy: Any, game: str | AnyGame = "planning", **options: Any) -> None:
        self.policy: Policy = policy_of(policy)
        super().__init__(game, **options)

    def begin(self, match: Hearing) -> None:  # noqa: ARG002
        begin(self.policy)

    def decide(self, match: Hearing) -> Action:
        trial, seat, observer = HeardPlay(match), match.seat, self.observer
        done = len(trial.actions)
        # A decision may take several steps, as that of the Chef who gives two cards.
        while len(trial.actions) == done:
            mask = mask_of(observer.legal(trial, seat), observer.actions)
            answer = self.policy(observer.vector(trial, seat), mask)
            try:
                action = checked_action(answer, observer.actions, f"seat {seat}")
                observer.act(trial, seat, action)
            except (TypeError, ValueError) as error:
                raise BadAnswer(str(error)) from None
            except IllegalAction as error:
                name = observer.action_name(action)
                raise BadAnswer(f"{action} ({name}) is not legal: {error}") from None
        return trial.actions[done]
