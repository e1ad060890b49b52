"""A policy from every seat against copies of one opponent, as the agent of an environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import rating
from arbiter.envs.argument_checks import IllegalPolicy, NoSuchAction, WrongActionType, check_action
from arbiter.envs.pairings import place_text
from arbiter.envs.policies import begin
from arbiter.envs.policy_players import describe
from arbiter.errors import ArbiterError, BotCheckFailed

if TYPE_CHECKING:
    from arbiter.envs.pairings import Tried
    from arbiter.envs.policies import Policy
    from arbiter.envs.single_env import SingleEnv
    from arbiter.games.game import Seat
    from arbiter.match.spec import Limits


class PolicyPairing:
    """A pairing of a policy; `names` are its and the opponents' in the matches, `whose` is its in messages.

    An opponent's illegal action, an answer that is no id, and an exception of a policy raise errors that name
    player, seat, round, deal and decision; with `strict` the policy's own illegal action, too.
    """

    def __init__(
        self,
        policy: Policy,
        env: SingleEnv,
        names: tuple[str, str],
        seed: int | str,
        whose: str,
        limits: Limits | None,
        *,
        strict: bool = False,
    ) -> None:
        self.title, self.limits = f"{whose} against {env.opponents[0].name}", limits
        self._policy, self._env, self._names = policy, env, names
        self.seed, self._whose, self._strict = seed, f"the policy {whose}", strict

    def play_round(self, number: int) -> list[Tried]:
        """Play a match from every seat, on the deals of a round from 1."""
        return [self._play_match(number, seat) for seat in range(self._env.play.game.seats)]

    def close(self) -> None:
        """End the opponents' processes."""
        self._env.close()

    def _play_match(self, number: int, seat: Seat) -> Tried:
        env, play = self._env, self._env.play
        begin(self._policy)
        try:
            info = self._play(f"{self.seed}/{number}", seat)
        except (IllegalPolicy, NoSuchAction, WrongActionType) as error:
            raise type(error)(f"{place_text(play.turn, number, play)}: {error}") from None
        except ArbiterError:
            raise
        except (Exception, SystemExit) as error:
            what = self._whose if play.turn == seat else env.called(play.turn)
            text = f"{place_text(play.turn, number, play)}: {what} raised {describe(error)}"
            raise BotCheckFailed(text) from error
        if self._strict and "illegal" in info:
            raise IllegalPolicy(f"{place_text(seat, number, play)}: {self._whose} wants {info['illegal']}")
        game = play.game
        players = [self._names[place != seat] for place in range(game.seats)]
        faulty = seat if "illegal" in info else env.faulty
        points = None if faulty is not None else play.totals
        match = rating.Match(players, points=points, faulty=faulty, sides=game.sides, round=number)
        return match, 0.0 if points is None else float(points[seat])

    def _play(self, seed: str, seat: Seat) -> dict[str, object]:
        """Play a match with the policy in this seat, and return its last info."""
        env, policy = self._env, self._policy
        observation, info = env.reset(seed=seed, options={"seat": seat})
        over = False
        while not over:
            # A match may be over before the policy's first decision: then a step with any id returns its end.
            action = 0
            if info["legal_ids"]:
                answer = policy(observation, info["action_mask"])
                action = check_action(answer, env.observer.actions, self._whose)
            observation, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        return info
