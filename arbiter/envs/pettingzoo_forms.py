"""PettingZoo environments over any game: one agent after the other, or every agent in every step.

Rewards are 0 until the end of the match, then each seat's match points. A step only applies an action;
`observe` builds the observation and the mask, `vector` and `legal_ids` only one of them.

If several seats decide simultaneously, as for Planning's declarations, all of them do so in one step of the
parallel form. Otherwise one agent acts and the other actions are ignored: their masks are all zeros.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pettingzoo import AECEnv, ParallelEnv

from arbiter.envs.argument_checks import NoMatch, NoSuchAction, NotBegun, WrongActionType, check_action
from arbiter.envs.match_state import NOBODY
from arbiter.envs.pettingzoo_base import Arena, environment
from arbiter.errors import IllegalAction
from arbiter.games.game import AnyGame, Seat

_AFTER_RESET = frozenset(
    {
        "agents",
        "agent_selection",
        "rewards",
        "terminations",
        "truncations",
        "infos",
        "_turn",
        "_unread",
        "_cumulative_rewards",
    }
)


def aec(
    game: str | AnyGame,
    *,
    render_mode: str | None = None,
    player_names: Sequence[str] | None = None,
    dataset: str | None = None,
    **options: Any,
) -> GameEnv:
    """Return the environment of a game by its name, with the game's options, or of a `Game`.

    Agents are ``seat_0``, ``seat_1``, ... `render_mode` and `player_names` as in `Arena`, `dataset` as in
    `Arena.write_to`; `options` also has those of `ViewForm`. ConfigError names every wrong
    option.
    """
    made: GameEnv = environment(
        "aec", game, dataset, options, render_mode=render_mode, player_names=player_names
    )
    return made


class GameEnv(Arena, AECEnv):  # type: ignore[misc]
    """A match as a PettingZoo environment; `aec` makes it.

    Observations are ``{"observation": vector, "action_mask": int8[ids]}``, unless `form` differs; only the
    agent to act has a nonzero mask. An illegal move ends the match: -1 for its author, whose `infos` have the
    reason under ``illegal``, 0 for the others. An action that is not an integer raises TypeError, an id that
    does not exist ValueError, and nothing is changed.

    `play` is the match in progress, for reading.
    """

    def __getattr__(self, name: str) -> Any:
        if name in _AFTER_RESET:
            raise NotBegun("there is no match before reset(): call reset() first")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def reset(self, seed: int | str | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match.

        The n-th match since `seed` was given has the deals of `Stream.of_deal(seed, n, k)`; without any
        seed, a random one is used. ``options={"deals": [...]}`` deals given cards, as in a match record's
        ``deals``, for this match only; other keys are ignored.
        TypeError or ValueError for a seed, ConfigError for invalid deals; then nothing is changed.
        """
        self._begin(seed, options)
        agents = self.possible_agents
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self._skip_agent_selection = None
        self._turn = self.play.turn
        self.agent_selection = agents[self._turn]
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Do the action of `agent_selection`; only None is allowed for an agent that has terminated.

        An illegal action ends the match. TypeError or ValueError for what is no action, RuntimeError after
        the last step; nothing is changed then.
        """
        seat = self._turn
        if seat < 0:
            self._step_when_over(action)
            return
        play, observer = self.play, self.observer
        if type(action) is not int or not 0 <= action < observer.actions:
            action = check_action(action, observer.actions, self.agent_selection)
        try:
            observer.act(play, seat, action)
        except IllegalAction as error:
            author = self.agent_selection
            self._end(self._end_by_illegal_moves({author: self._illegal_reason(action, error)}))
        else:
            turn = self._turn = play.turn
            if turn >= 0:
                self.agent_selection = self.possible_agents[turn]
            else:
                self._end(self._write_match())
        self._record_step(action)
        if self.render_mode == "human":
            self.render()

    def _decides(self, seat: Seat) -> bool:
        return seat == self._turn

    def _end(self, rewards: dict[str, float]) -> None:
        """Terminate all agents; each is stepped once more with None, in order."""
        self._turn = NOBODY
        self.rewards = rewards
        self._cumulative_rewards = dict(rewards)
        self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[0]

    def _step_when_over(self, action: int | None) -> None:
        """Remove the selected agent, for which only None is allowed; RuntimeError after the last."""
        if not self.agents:
            raise NoMatch("the match is over and every agent has had its last step: call reset()")
        if action is not None:
            raise ValueError(f"{self.agent_selection} has terminated: the only step left to it is None")
        self._was_dead_step(None)


def parallel(
    game: str | AnyGame,
    *,
    render_mode: str | None = None,
    player_names: Sequence[str] | None = None,
    dataset: str | None = None,
    **options: Any,
) -> ParallelGameEnv:
    """Return the parallel environment of a game; arguments as in `arbiter.envs.aec`."""
    made: ParallelGameEnv = environment(
        "parallel", game, dataset, options, render_mode=render_mode, player_names=player_names
    )
    return made


class ParallelGameEnv(Arena, ParallelEnv):  # type: ignore[misc]
    """A match as a parallel PettingZoo environment; `parallel` makes it.

    Observations and rewards are as in `GameEnv`, except that all agents to act have nonzero masks. Every
    author of an illegal move in a step gets -1, the others 0.
    """

    agents: list[str] = []  # noqa: RUF012 (none before `reset`, and never changed in place)

    def reset(
        self, seed: int | str | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begin a match; see `GameEnv.reset`. Returns observations and infos by agent."""
        self._begin(seed, options)
        if self.render_mode == "human":
            self.render()
        return self._observations(), self.infos

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[
        dict[str, Any],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Do the actions of all agents to act. Return observations, rewards, terminations, truncations
        and infos by agent.

        Actions of other agents are ignored; an illegal one ends the match. ValueError or TypeError for a
        missing or invalid action or an unknown agent, RuntimeError after the end; nothing is changed then.
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
            seat: check_action(actions[agent], observer.actions, agent) for seat, agent in movers.items()
        }
        refused = {}
        for seat, action in wanted.items():
            try:
                observer.act(play, seat, action)
            except IllegalAction as error:
                refused[movers[seat]] = self._illegal_reason(action, error)
        over = bool(refused) or play.over
        rewards = dict.fromkeys(agents, 0.0)
        if refused:
            rewards = self._end_by_illegal_moves(refused)
        elif over:
            rewards = self._write_match()
        if over:
            self.agents = []
        self._unread = True
        self._record_step(action)
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

    def _observations(self) -> dict[str, Any]:
        return {agent: self.observe(agent) for agent in self.possible_agents}
