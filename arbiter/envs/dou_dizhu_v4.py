"""Dou Dizhu as PettingZoo had it, `dou_dizhu_v4`: one deal, agents named by their roles.

    from arbiter.envs import dou_dizhu_v4
    env = dou_dizhu_v4.env()
    env.reset(seed=42)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        ids = env.unwrapped.legal_ids(agent)
        env.step(None if termination else ids[0])

Agents are ``landlord_0``, ``peasant_0`` (who plays after the landlord) and ``peasant_1``. Actions
are the 27,472 combinations, `action_name` and `action_id` translate. The cells of observations
stand in `RoleObserver`. +1 for the winners and -1 for the losers at the end.

A seed deals the same hands as RLCard does with it; without one `reset` goes on with the same
source, as RLCard does.

RLCard's faults are mended. ``compat="rlcard-1.2.0"`` brings them back, for traces and agents of
that time: a peasant sees the first actions of landlord and teammate where the last ones
should be, waiting agents see the mover's mask and keep it after an illegal move, no cards left counts
as the most there can be, and `infos` are ``{"legal_moves": []}``.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from hashlib import sha512
from typing import TYPE_CHECKING, Any

import numpy as np

from arbiter.envs.aec_env import GameEnv
from arbiter.envs.argument_checks import checked_action, checked_number, checked_seed
from arbiter.envs.core import core_of
from arbiter.envs.match_state import Play
from arbiter.envs.observers.dou_dizhu import RoleObserver
from arbiter.envs.observers.observer import Vector
from arbiter.envs.parallel_env import ParallelGameEnv
from arbiter.envs.pettingzoo_base import Arena, mask_of
from arbiter.errors import ConfigError, did_you_mean
from arbiter.games.dou_dizhu.combinations import ACTIONS, RANKS, table
from arbiter.games.dou_dizhu.game import CARDS, HAND, DouDizhu
from arbiter.games.game import AnyGame, Deal

if TYPE_CHECKING:
    from arbiter.envs.role_batch import RoleBatch

__all__ = ["action_id", "action_name", "batch", "env", "parallel_env", "raw_env"]

AGENTS = ("landlord_0", "peasant_0", "peasant_1")
RLCARD = "rlcard-1.2.0"
_WORD = 1 << 32


def env(
    opponents_hand_visible: bool = False, *, compat: str | None = None, render_mode: str | None = None
) -> DouDizhuEnv:
    """The environment; ConfigError for a `compat` other than None and ``rlcard-1.2.0``.

    `opponents_hand_visible` adds the others' hands, together, to observations.
    """
    made: DouDizhuEnv = _made(DouDizhuEnv, opponents_hand_visible, compat, render_mode)
    made.compat = compat
    return made


# All checks that PettingZoo has wrappers for are the environment's own.
raw_env = env


def parallel_env(
    opponents_hand_visible: bool = False, *, compat: str | None = None, render_mode: str | None = None
) -> ParallelGameEnv:
    """All agents in every step; the actions of those whose turn it is not are ignored.

    `compat` concerns observations alone here: the published environment had no such form.
    """
    made: ParallelGameEnv = _made(ParallelGameEnv, opponents_hand_visible, compat, render_mode)
    return made


def batch(n: int, seed: int = 0, *, opponents_hand_visible: bool = False) -> RoleBatch:
    """`n` matches side by side, see `arbiter.envs.batch`; views of the landlord have zeros behind them.

    Match k is dealt as `env` deals with seed ``seed + k``. TypeError, ValueError.
    """
    from arbiter.envs.role_batch import CompiledRoleBatch, RoleBatch

    n = checked_number(n, "a number of matches is an integer from 1", least=1)
    form = RoleBatch if core_of("dou_dizhu") is None else CompiledRoleBatch
    return form([RolePlay() for _ in range(n)], seed, visible=bool(opponents_hand_visible))


def action_name(action: int) -> str:
    """The cards of an id in rank order, ``34567``, or ``pass``; TypeError, ValueError."""
    return table().names[checked_action(action, ACTIONS, "dou_dizhu_v4")]


def action_id(cards: str) -> int:
    """The id of cards in whatever order, or of ``pass``; ValueError where they are no combination."""
    ids = table().ids
    if isinstance(cards, str):
        if cards in ids:
            return ids[cards]
        if all(card in RANKS for card in cards):
            action = ids.get("".join(sorted(cards, key=RANKS.index)))
            if action is not None:
                return action
    raise ValueError(f"{cards!r} is not a combination: write cards of {RANKS} as one word, or pass")


class DouDizhuEnv(GameEnv):
    """The environment that `env` makes; see the module."""

    compat: str | None = None

    def reset(self, seed: int | str | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match; see the module for seeds, and `GameEnv.reset` for given deals.

        The landlord of a given deal, whatever its seat, is ``landlord_0``.
        """
        super().reset(seed, options)
        if self.compat:
            self.infos = {agent: {"legal_moves": []} for agent in self.agents}

    def observe(self, agent: str) -> dict[str, Vector]:
        if not self.compat:
            return super().observe(agent)
        # Everybody sees the mask of whose turn it is, and after an illegal move, when nobody's is, that of
        # whose it was.
        to_act = self.play.state.to_act
        legal = self.play.legal(to_act[0]) if to_act else ()
        return {"observation": self.vector(agent), "action_mask": mask_of(legal, ACTIONS)}

    def _refused(self, reasons: Mapping[str, str]) -> dict[str, float]:
        rewards = super()._refused(reasons)
        if self.compat:
            self.infos = {agent: {"legal_moves": []} for agent in self.possible_agents}
        return rewards


class RolePlay(Play):
    """Matches of one deal with the landlord in seat 0, dealt as RLCard deals them."""

    def __init__(self) -> None:
        super().__init__(DouDizhu([0]))
        self._random: np.random.RandomState | None = None

    def reset(self, seed: int | str | None = None, deals: Sequence[Mapping[str, Any]] | None = None) -> None:
        """Begin the next match; see `Play.reset`. RLCard's source of chance takes integers alone."""
        number = checked_seed(seed, "dou_dizhu_v4", texts=False)
        before = self._random
        if number is not None:
            self._random = random_of(int(number))
        elif before is None:
            self._random = random_of(secrets.randbits(64))
        try:
            super().reset(seed, deals)
        except ConfigError:
            self._random = before
            raise

    def _deal_of(
        self, game: AnyGame, seed: int | str, match: int, number: int, last: Any = None
    ) -> Deal | None:
        if game._given is not None:
            deal = super()._deal_of(game, seed, match, number, last)
            return deal and deal.rotated(-deal.seat)
        if number:
            return None
        assert self._random is not None
        cards = list(range(CARDS))
        self._random.shuffle(cards)
        hands = [tuple(cards[seat * HAND : (seat + 1) * HAND]) for seat in range(3)]
        extra = tuple(cards[3 * HAND :])
        hands[0] += extra
        return Deal(tuple(hands), 0, extra)


def random_of(seed: int) -> np.random.RandomState:
    """RLCard's source of random numbers for a seed, of which the lowest 64 bits count."""
    digest = sha512(str(seed % (1 << 64)).encode()).digest()
    low, high = divmod(int.from_bytes(digest[:8], "little"), _WORD)[::-1]
    # Words of zeros at the end do not count.
    return np.random.RandomState([low, high] if high else [low])


def _made(form: type[Arena], visible: bool, compat: str | None, render_mode: str | None) -> Any:
    if compat not in (None, RLCARD):
        raise ConfigError(f"compat is {compat!r}", hint=did_you_mean(str(compat), [RLCARD]))
    observer = RoleObserver(visible=bool(visible), rlcard=compat == RLCARD)
    made = form(RolePlay(), observer, AGENTS, render_mode=render_mode)
    made.metadata["name"] = "dou_dizhu_v4"
    return made
