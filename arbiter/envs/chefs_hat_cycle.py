"""Chef's Hat for PettingZoo: the environment of all games, with the documented `info` of each step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arbiter.envs.aec import GameEnv
from arbiter.envs.chefs_hat_info import hidden_from_others, start_info, step_info
from arbiter.envs.chefs_hat_table import NO_CHANCES, SILENT, Position, Step, possible
from arbiter.envs.play import NOBODY
from arbiter.games.chefs_hat_gym2 import NOTHING, Gym2State
from arbiter.games.chefs_hat_opening import Opening
from arbiter.games.chefs_hat_state import BookState
from arbiter.games.chefs_hat_view import Tally, rounds_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.envs.observers.observer import Vector
    from arbiter.rules import Seat


class ChefsHatCycle(GameEnv):
    """`infos` have the 23 keys, those that only the author of a step may see being "" for the others.

    They tell of the last step, whoever made it, and are made when they are read. After an illegal move the
    author's has ``illegal``, the reason, besides.
    """

    _known: dict[str, dict[str, Any]]

    def reset(self, seed: int | str | None = None, options: dict[str, Any] | None = None) -> None:
        """See `GameEnv.reset`."""
        super().reset(seed, options)
        self._step_done: Step | None = None
        self._position = Position(self.play.state, None, SILENT, Tally())
        self._reasons: dict[str, str] = {}
        self._unread = True

    def step(self, action: int | None) -> None:
        """See `GameEnv.step`."""
        author = self._turn
        if author >= 0:
            before = self._position
            played = len(self.play.played)
            super().step(action)
            assert action is not None
            self._step_done = self._told(before, author, int(action), played)
            self._position = self._step_done.now
            self._unread = True
        else:
            super().step(action)

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

    def _refused(self, reasons: Mapping[str, str]) -> dict[str, float]:
        rewards = super()._refused(reasons)
        self._reasons = dict(reasons)
        return rewards

    def _info_of(self, agent: str) -> dict[str, Any]:
        step = self._step_done
        if step is None:
            return start_info(self._position, self.player_names)
        following = NO_CHANCES if self.play.over else possible(step.now)
        book = self.play.game.options["rules"] == "book"
        info = step_info(step, self.player_names, following, book=book)
        if self._seats[agent] != step.author:
            return hidden_from_others(info, step)
        return info | {"illegal": self._reasons[agent]} if agent in self._reasons else info

    def _told(self, before: Position, author: Seat, action: int, played: int) -> Step:
        """The step that has just been made, `played` deals having been over before it."""
        play, state = self.play, before.state
        known: dict[str, Any] = {"author": author, "chances": possible(before), "before": before}
        if self._reasons:
            return Step(
                **known,
                action=action,
                valid=False,
                replaced=False,
                pizza=False,
                match_over=False,
                over=False,
                after=before,
                now=before,
            )
        match_over = len(play.played) > played
        after_state = play.played[-1].state if match_over else play.state
        replaced = False
        if isinstance(state, Gym2State) and len(after_state.random_actions) > len(state.random_actions):
            replaced, action = True, after_state.random_actions[-1][1]
        pizza = not isinstance(state, Opening) and rounds_of(after_state) > rounds_of(state)
        said = before.said
        if isinstance(state, BookState):
            said = (*said[:author], action, *said[author + 1 :])
            if pizza:
                out = after_state.done
                said = tuple([what if out >> seat & 1 else NOTHING for seat, what in enumerate(said)])
        over = play.turn == NOBODY
        if match_over:
            after = Position(after_state, None, said, before.tally.after(after_state))
            now = after if over else Position(play.state, None, SILENT, after.tally)
        else:
            # The Chef's first card, while its second is awaited.
            picked = play.pending[0] if play.pending else None
            after = now = Position(after_state, picked, said, before.tally)
        return Step(
            **known,
            action=action,
            valid=True,
            replaced=replaced,
            pizza=pizza,
            match_over=match_over,
            over=over,
            after=after,
            now=now,
        )
