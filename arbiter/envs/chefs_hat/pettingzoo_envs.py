"""Chef's Hat for PettingZoo: the environments of all games, with the documented `info` of each step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arbiter.envs.aec_env import GameEnv
from arbiter.envs.chefs_hat.info import hidden_from_others, start_info, step_info
from arbiter.envs.chefs_hat.steps import NO_CHANCES, SILENT, Moment, StepTaken, possible
from arbiter.envs.observers.observer import Vector
from arbiter.envs.parallel_env import ParallelGameEnv
from arbiter.envs.play import NOBODY, Play
from arbiter.games.chefs_hat.shown import Tally
from arbiter.rules import Seat


class _Told:
    """`infos` have the 23 keys, those that only the author of a step may see being "" for the others.

    They tell of the last step, whoever made it, and are made when they are read. After an illegal move the
    author's has ``illegal``, the reason, besides.
    """

    play: Play
    player_names: tuple[str, ...]
    _seats: dict[str, Seat]
    _known: dict[str, dict[str, Any]]

    def _begin_telling(self) -> None:
        self._step_done: StepTaken | None = None
        self._moment = Moment(self.play.state, (), SILENT, Tally())
        self._reasons: dict[str, str] = {}
        self._unread = True

    def _tell(self, author: Seat, action: int, played: int) -> None:
        """Of the step that has just been made, `played` deals having been over before it."""
        self._step_done = step = self._told(self._moment, author, action, played)
        self._moment = step.now
        self._unread = True

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """By agent."""
        if self._unread:
            self._unread = False
            for agent in self._known:
                self._known[agent] = self._info_of(agent)
        return self._known

    @infos.setter
    def infos(self, infos: dict[str, dict[str, Any]]) -> None:
        self._known, self._unread = infos, False

    def _refused(self, reasons: Mapping[str, str]) -> dict[str, float]:
        rewards: dict[str, float] = super()._refused(reasons)  # type: ignore[misc]
        self._reasons = dict(reasons)
        return rewards

    def _info_of(self, agent: str) -> dict[str, Any]:
        step = self._step_done
        if step is None:
            return start_info(self._moment, self.player_names)
        following = NO_CHANCES if self.play.over else possible(step.now)
        book = self.play.game.options["rules"] == "book"
        info = step_info(step, self.player_names, following, book=book)
        if self._seats[agent] != step.author:
            return hidden_from_others(info, step)
        return info | {"illegal": self._reasons[agent]} if agent in self._reasons else info

    def _told(self, before: Moment, author: Seat, action: int, played: int) -> StepTaken:
        """The step that has just been made, `played` deals having been over before it."""
        play, state, chances = self.play, before.state, possible(before)
        if self._reasons:
            return StepTaken(
                author, action, False, False, False, False, False, chances, before, before, before
            )
        match_over, over = len(play.played) > played, play.turn == NOBODY
        after_state = play.played[-1].state if match_over else play.state
        replaced = after_state.random_actions != state.random_actions
        action = state.carried_out(action, after_state)
        pizza = after_state.rounds > state.rounds
        said = state.said_after(before.said, action, after_state)
        if match_over:
            after = Moment(after_state, (), said, before.tally.after(after_state))
            now = after if over else Moment(play.state, (), SILENT, after.tally)
        else:
            # The Chef's first card is pending while its second is awaited.
            after = now = Moment(after_state, play.pending, said, before.tally)
        return StepTaken(author, action, True, replaced, pizza, match_over, over, chances, before, after, now)


class ChefsHatCycle(_Told, GameEnv):
    """One agent after the other, with the `infos` of `_Told`."""

    def reset(self, seed: int | str | None = None, options: dict[str, Any] | None = None) -> None:
        super().reset(seed, options)
        self._begin_telling()

    def step(self, action: int | None) -> None:
        author, played = self._turn, len(self.play.played)
        super().step(action)
        if author >= 0:
            assert action is not None
            self._tell(author, int(action), played)

    def last(
        self, observe: bool = True
    ) -> tuple[dict[str, Vector] | None, float, bool, bool, dict[str, Any]]:
        """As of any environment; only the info of `agent_selection` is made."""
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self._info_of(agent) if self._unread else self._known[agent],
        )


class ChefsHatParallel(_Told, ParallelGameEnv):
    """All agents in every step, with the `infos` of `_Told`; no two of them ever decide simultaneously."""

    def reset(
        self, seed: int | str | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, dict[str, Vector]], dict[str, dict[str, Any]]]:
        seen, _ = super().reset(seed, options)
        self._begin_telling()
        return seen, self.infos

    def step(self, actions: Mapping[str, Any]) -> tuple[Any, ...]:
        author, played = self.play.turn, len(self.play.played)
        *result, _ = super().step(actions)
        self._tell(author, int(actions[self.possible_agents[author]]), played)
        return (*result, self.infos)
