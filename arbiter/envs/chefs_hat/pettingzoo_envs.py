"""Chef's Hat for PettingZoo: the environments of all games, with the documented `info` of each step."""

from __future__ import annotations

from typing import Any

from arbiter.envs.chefs_hat.info import hidden_from_others, start_info, step_info
from arbiter.envs.chefs_hat.steps import NO_CHANCES, Moment, StepTaken
from arbiter.envs.pettingzoo_base import Arena
from arbiter.envs.pettingzoo_forms import GameEnv, ParallelGameEnv


class _StepInfos(Arena):
    """`infos` of the last step, by agent: 23 keys, with "" for values that only the step's author may see.

    After an illegal move the author's also has ``illegal``, the reason. Numeric infos have none of this.
    """

    def _begin(self, seed: int | str | None, options: dict[str, Any] | None) -> None:
        super()._begin(seed, options)
        self._last: StepTaken | None = None
        self._moment = Moment.of(self.play.state)

    def _record_step(self, action: int) -> None:
        self._unread = True
        before = self._moment
        if self._refused:
            stopped = before._replace(chances=NO_CHANCES)
            self._last = StepTaken(int(action), False, False, before, stopped, stopped)
        else:
            self._last = StepTaken.of(before, int(action), self.play)
        self._moment = self._last.now

    def _info_of(self, agent: str) -> dict[str, Any]:
        """Return the `info` of an agent: all of it for the step's author, and why the step was illegal."""
        more = super()._info_of(agent)
        if self.form.infos == "numeric":
            return more
        step = self._last
        if step is None:
            return start_info(self._moment, self.player_names) | more
        info = step_info(step, self.player_names, book=self.play.game.options["rules"] == "book")
        return (info if self._seats[agent] == step.author else hidden_from_others(info, step)) | more


class ChefsHatCycle(_StepInfos, GameEnv):
    """One agent after the other, with the `infos` of `_StepInfos`."""

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """See `AECEnv.last`; makes only the info of `agent_selection`."""
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self._info_of(agent) if self._unread else self.infos[agent],
        )


class ChefsHatParallel(_StepInfos, ParallelGameEnv):
    """All agents in every step, with the `infos` of `_StepInfos`; only one of them decides at a time."""
