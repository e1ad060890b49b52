"""The base of Gymnasium environments in which a step is one action of one seat."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from arbiter.envs.argument_checks import NoMatch
from arbiter.envs.masks import Ids, mask_of
from arbiter.envs.match_state import Play
from arbiter.envs.observers import Observer
from arbiter.envs.observers.observer import Vector
from arbiter.envs.render import Renderable, check_mode
from arbiter.envs.view_form import ViewForm
from arbiter.errors import IllegalAction
from arbiter.games.game import Seat


class TurnBasedEnv(Renderable, gymnasium.Env[Any, Any]):
    """Successive matches.

    ``info`` has ``action_mask``, int8[ids], all zeros when the match is over, ``legal_ids``, the same as a
    sorted list, and ``seat``, unless `form` differs. An illegal move ends the match: reward -1, the reason in
    ``info["illegal"]``.
    """

    _numbers: dict[str, Any] = {"illegal": np.int8(0)}  # noqa: RUF012 (never changed)
    """Further keys of numeric infos, with their values before the end of a match."""

    def __init__(
        self, play: Play, observer: Observer, form: ViewForm, *, render_mode: str | None = None
    ) -> None:
        self.render_mode, self.form = check_mode(render_mode), form
        self.play, self.observer = play, observer
        self.size = max(map(observer.size, range(play.game.seats)))
        self.observation_space = form.space(observer, self.size)
        self.action_space = Ids(observer.actions)
        self._open = False

    def action_masks(self) -> np.ndarray[Any, Any]:
        """Return the mask as booleans; MaskablePPO calls this method."""
        return self._mask(self._legal_ids()).view(np.bool_).view(np.ndarray)

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

    def _mask(self, legal: list[int]) -> Vector:
        actions = self.observer.actions
        return mask_of(legal, actions) if legal else self.form.idle_mask(actions)

    def _observe(self, seat: Seat, **ended: Any) -> tuple[Any, dict[str, Any]]:
        """Return a seat's observation, its vector padded with zeros, and the info, with values of the end."""
        form, legal = self.form, self._legal_ids()
        mask = self._mask(legal)
        info: dict[str, Any] = {"seat": self._acting_seat()}
        if form.mask != "observation":
            info[form.keys[1]] = mask
        if form.infos == "numeric":
            marks = {key: np.int8(value != "") for key, value in ended.items() if isinstance(value, str)}
            info |= {"seat": np.int64(info["seat"]), **self._numbers, **ended, **marks}
        else:
            info["legal_ids"] = legal
            if ended:
                info |= {key: value for key, value in ended.items() if not isinstance(value, str) or value}
        if self.render_mode == "human":
            self.render()
        seen = self.observer.vector(self.play, seat)
        seen = np.pad(seen, (0, self.size - len(seen))) if len(seen) < self.size else seen
        return form.observation(seen, mask), info

    def _write_match(self, seat: Seat, illegal: str) -> None:
        if self._writer is not None:
            self._writer.add(self.play, self._names_by_seat(), (seat, illegal) if illegal else None)
