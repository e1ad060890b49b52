"""PettingZoo environments in which every agent acts in every step, over any game.

Where several seats decide simultaneously, as Planning's declarations, all of them do so in one
step. Elsewhere one agent acts and what the others send is ignored: their masks are all zeros.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pettingzoo import ParallelEnv

from arbiter.envs.argument_checks import NoMatch, NoSuchAction, WrongActionType, checked_action, checked_seed
from arbiter.envs.match_state import given_deals
from arbiter.envs.observers.observer import Vector
from arbiter.envs.pettingzoo_base import Arena, environment
from arbiter.errors import IllegalAction
from arbiter.games.game import AnyGame


def parallel(
    game: str | AnyGame,
    *,
    render_mode: str | None = None,
    player_names: Sequence[str] | None = None,
    dataset: str | None = None,
    **options: Any,
) -> ParallelGameEnv:
    """The parallel environment of a game; its arguments are those of `arbiter.envs.aec`."""
    made: ParallelGameEnv = environment(
        "parallel", game, dataset, options, render_mode=render_mode, player_names=player_names
    )
    return made


class ParallelGameEnv(Arena, ParallelEnv):  # type: ignore[misc]
    """A match as a parallel PettingZoo environment; `parallel` makes it.

    Observations and rewards are those of `GameEnv`, but that the mask of every agent which is to act
    shows its legal actions. Every author of an illegal move in a step gets -1, the others 0.
    """

    agents: list[str] = []  # noqa: RUF012 (none before `reset`, and never changed in place)

    def reset(
        self, seed: int | str | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, dict[str, Vector]], dict[str, dict[str, Any]]]:
        """Begin a match; see `GameEnv.reset`. Returns observations and infos by agent."""
        self.play.reset(checked_seed(seed), given_deals(options))
        self.agents = self.possible_agents[:]
        self.infos = {agent: {} for agent in self.agents}
        self._note = ""
        if self.render_mode == "human":
            self.render()
        return self._observations(), self.infos

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[
        dict[str, dict[str, Vector]],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """All who are to act do what they want. Returns observations, rewards, terminations,
        truncations and infos by agent.

        ValueError or TypeError where one of them has no action, or none that exists, or where an agent does
        not exist, and RuntimeError after the end; nothing is changed then.
        """
        if not self.agents:
            raise NoMatch("the match is over, or has not begun: call reset()")
        if not isinstance(actions, Mapping):
            raise WrongActionType(f"actions are a mapping from agents to ids, not {actions!r}")
        if not actions.keys() <= self._seats.keys():
            for agent in actions:
                self.seat_of(agent)
        play, observer, agents = self.play, self.observer, self.agents
        movers = {seat: agents[seat] for seat in play.to_act}
        if missing := [agent for agent in movers.values() if agent not in actions]:
            raise NoSuchAction(f"there is no action of {', '.join(missing)}, who must act now")
        wanted = {
            seat: checked_action(actions[agent], observer.actions, agent) for seat, agent in movers.items()
        }
        refused = {}
        for seat, action in wanted.items():
            try:
                observer.act(play, seat, action)
            except IllegalAction as error:
                refused[movers[seat]] = self._why(action, error)
        over = bool(refused) or play.over
        rewards = dict.fromkeys(agents, 0.0)
        self.infos = {agent: {} for agent in agents}
        if refused:
            rewards = self._refused(refused)
        elif over:
            rewards = self._match_points()
        if over:
            self.agents = []
        observations = self._observations()
        if self.render_mode == "human":
            self.render()
        return (
            observations,
            rewards,
            dict.fromkeys(agents, over),
            dict.fromkeys(agents, False),
            self.infos,
        )

    def _decides(self, seat: int) -> bool:
        return bool(self.agents) and seat in self.play.to_act

    def _observations(self) -> dict[str, dict[str, Vector]]:
        return {agent: self.observe(agent) for agent in self.possible_agents}
