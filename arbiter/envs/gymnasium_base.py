"""The base of Gymnasium environments in which a step is one action of one seat."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from arbiter.envs.argument_checks import NoMatch
from arbiter.envs.match_state import Play
from arbiter.envs.observers import Observer
from arbiter.envs.observers.observer import Vector
from arbiter.envs.pettingzoo_base import Ids, mask_of
from arbiter.envs.render import Renderable, check_mode
from arbiter.errors import IllegalAction
from arbiter.games.game import Seat


class TurnBasedEnv(Renderable, gymnasium.Env[Any, Any]):
    """Successive matches.

    ``info`` has ``action_mask``, int8[ids], all zeros when the match is over, ``legal_ids``, the same as a
    sorted list, and ``seat``. An illegal move ends the match: reward -1, the reason in ``info["illegal"]``.
    """

    def __init__(self, play: Play, observer: Observer, *, render_mode: str | None = None) -> None:
        self.render_mode = check_mode(render_mode)
        self.play, self.observer = play, observer
        self.size = max(map(observer.size, range(play.game.seats)))
        self.observation_space = spaces.Box(observer.low, observer.high, (self.size,), observer.dtype)
        self.action_space = Ids(observer.actions)
        self._open = False

    def action_masks(self) -> np.ndarray[Any, Any]:
        """Return the mask as booleans; MaskablePPO calls this method."""
        return mask_of(self._legal_ids(), self.observer.actions).view(np.bool_).view(np.ndarray)

    def close(self) -> None:
        """Complete the data set and end the match in progress. `reset` begins another."""
        self._open = False
        self._close_dataset()

    @property
    def _over(self) -> bool:
        return self.play.over

    def _check_action(self, action: Any) -> int:
        """Return the action of a step; TypeError, ValueError, or RuntimeError without a match in progress."""
        if not self._open:
            raise NoMatch("no match is in progress: call reset()")
        return self._check_id(action)

    def _act(self, seat: Seat, action: int) -> str:
        """Do the action. Return why it is illegal, or ""."""
        try:
            self.observer.act(self.play, seat, action)
        except IllegalAction as error:
            illegal = self._illegal_reason(action, error)
            self._note = f"illegal move {illegal}"
            self.play.stop()
            return illegal
        return ""

    def _legal_ids(self) -> list[int]:
        """Return the legal ids; [] when the match is over."""
        if not self._open or self._over:
            return []
        return list(self.observer.legal(self.play, self._acting_seat()))

    def _acting_seat(self) -> Seat:
        return self.play.turn

    def _observe(self, seat: Seat) -> tuple[Vector, dict[str, Any]]:
        """Return a seat's observation, padded with zeros, and the info."""
        legal = self._legal_ids()
        mask = mask_of(legal, self.observer.actions)
        info = {"action_mask": mask, "legal_ids": legal, "seat": self._acting_seat()}
        if self.render_mode == "human":
            self.render()
        seen = self.observer.vector(self.play, seat)
        return np.pad(seen, (0, self.size - len(seen))) if len(seen) < self.size else seen, info

    def _write_match(self, seat: Seat, illegal: str) -> None:
        if self._writer is not None:
            self._writer.add(self.play, self._names_by_seat(), (seat, illegal) if illegal else None)
