"""Chef's Hat for PettingZoo: the environments of all games, with the documented `info` of each step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arbiter.envs.chefs_hat.info import hidden_from_others, start_info, step_info
from arbiter.envs.chefs_hat.steps import NO_CHANCES, Moment, StepTaken
from arbiter.envs.match_state import Play
from arbiter.envs.observers.observer import Vector
from arbiter.envs.pettingzoo_forms import GameEnv, ParallelGameEnv
from arbiter.games.game import Seat


class _StepInfos:
    """`infos` of the last step, by agent: 23 keys, with "" for values that only the step's author may see.

    They are built when read. After an illegal move the author's also has ``illegal``, the reason.
    """

    play: Play
    player_names: tuple[str, ...]
    _seats: dict[str, Seat]
    _known: dict[str, dict[str, Any]]

    def _reset_infos(self) -> None:
        self._last: StepTaken | None = None
        self._moment = Moment.of(self.play.state)
        self._reasons: dict[str, str] = {}
        self._unread = True

    def _record_step(self, action: int) -> None:
        """Store the step of an action, for `infos`."""
        before = self._moment
        if self._reasons:
            stopped = before._replace(chances=NO_CHANCES)
            self._last = StepTaken(action, False, False, before, stopped, stopped)
        else:
            self._last = StepTaken.of(before, action, self.play)
        self._moment = self._last.now
        self._unread = True

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        if self._unread:
            self._unread = False
            for agent in self._known:
                self._known[agent] = self._info_of(agent)
        return self._known

    @infos.setter
    def infos(self, infos: dict[str, dict[str, Any]]) -> None:
        self._known, self._unread = infos, False

    def _end_by_illegal_moves(self, reasons: Mapping[str, str]) -> dict[str, float]:
        rewards: dict[str, float] = super()._end_by_illegal_moves(reasons)  # type: ignore[misc]
        self._reasons = dict(reasons)
        return rewards

    def _info_of(self, agent: str) -> dict[str, Any]:
        """Return the `info` of an agent: all of it for the step's author, and why the step was illegal."""
        step = self._last
        if step is None:
            return start_info(self._moment, self.player_names)
        info = step_info(step, self.player_names, book=self.play.game.options["rules"] == "book")
        if self._seats[agent] != step.author:
            return hidden_from_others(info, step)
        return info | {"illegal": self._reasons[agent]} if agent in self._reasons else info


class ChefsHatCycle(_StepInfos, GameEnv):
    """One agent after the other, with the `infos` of `_StepInfos`."""

    def reset(self, seed: int | str | None = None, options: dict[str, Any] | None = None) -> None:
        super().reset(seed, options)
        self._reset_infos()

    def step(self, action: int | None) -> None:
        decided = self._turn >= 0
        super().step(action)
        if decided:
            assert action is not None
            self._record_step(int(action))

    def last(
        self, observe: bool = True
    ) -> tuple[dict[str, Vector] | None, float, bool, bool, dict[str, Any]]:
        """See `AECEnv.last`; builds only the info of `agent_selection`."""
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self._info_of(agent) if self._unread else self._known[agent],
        )


class ChefsHatParallel(_StepInfos, ParallelGameEnv):
    """All agents in every step, with the `infos` of `_StepInfos`; only one of them decides at a time."""

    def reset(
        self, seed: int | str | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, dict[str, Vector]], dict[str, dict[str, Any]]]:
        seen, _ = super().reset(seed, options)
        self._reset_infos()
        return seen, self.infos

    def step(self, actions: Mapping[str, Any]) -> tuple[Any, ...]:
        author = self.possible_agents[self.play.turn]
        *result, _ = super().step(actions)
        self._record_step(int(actions[author]))
        return (*result, self.infos)
