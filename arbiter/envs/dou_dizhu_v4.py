"""Dou Dizhu as in PettingZoo's `dou_dizhu_v4`: one deal, agents named by their roles.

    from arbiter.envs import dou_dizhu_v4
    env = dou_dizhu_v4.env()
    env.reset(seed=42)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        ids = env.unwrapped.legal_ids(agent)
        env.step(None if termination else ids[0])

Agents are ``landlord_0``, ``peasant_0`` (who plays after the landlord) and ``peasant_1``. Actions
are the 27,472 combinations, which `action_name` and `action_id` translate. `RoleObserver` documents the
cells of observations. +1 for the winners and -1 for the losers at the end.

A seed gives the same hands as in RLCard; `reset` without one continues the same generator, as RLCard does.

RLCard's faults are fixed. ``compat="rlcard-1.2.0"`` restores them, for traces and agents of that version:
a peasant sees the first actions of landlord and teammate instead of the last ones, waiting agents
see the mover's mask and keep it after an illegal move, zero cards left are encoded as the maximum, and
`infos` are ``{"legal_moves": []}``.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from hashlib import sha512
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arbiter.envs.argument_checks import check_action, check_number, check_seed
from arbiter.envs.batches import Batch
from arbiter.envs.compiled import DouDizhuBatch
from arbiter.envs.core import core_of
from arbiter.envs.masks import mask_of
from arbiter.envs.match_state import Play
from arbiter.envs.observers import Observer
from arbiter.envs.observers.dou_dizhu import PLANE, RECENT, DouDizhuObserver, RoleObserver
from arbiter.envs.pettingzoo_base import Arena
from arbiter.envs.pettingzoo_forms import GameEnv, ParallelGameEnv
from arbiter.errors import ConfigError, did_you_mean
from arbiter.games.dou_dizhu.combinations import ACTIONS, MOST, RANKS, table
from arbiter.games.dou_dizhu.game import CARDS, HAND, DouDizhu
from arbiter.games.game import AnyGame, Deal

__all__ = ["action_id", "action_name", "batch", "env", "parallel_env", "raw_env"]

AGENTS = ("landlord_0", "peasant_0", "peasant_1")
RLCARD = "rlcard-1.2.0"
_WORD = 1 << 32
# First cells in `DouDizhuObserver`, and of two planes after it: see `CompiledRoleBatch._views`.
_RECENT_AT = 2 * PLANE
_LATEST = slice(_RECENT_AT + (RECENT - 1) * PLANE, _RECENT_AT + RECENT * PLANE)
_PLAYED_AT = _LATEST.stop
_LAST_AT = _PLAYED_AT + 3 * PLANE
_LEFT_AT = _LAST_AT + 3 * PLANE
_ACTED_AT = DouDizhuObserver(None).size(0)
_OTHERS_AT = _ACTED_AT + PLANE
_RANKS = PLANE - 2
"""The cells of a plane before the two of jokers, four for each rank."""


def env(
    opponents_hand_visible: bool = False, *, compat: str | None = None, render_mode: str | None = None
) -> DouDizhuEnv:
    """Return the environment; ConfigError for a `compat` other than None and ``rlcard-1.2.0``.

    `opponents_hand_visible` adds the others' hands, together, to observations.
    """
    made: DouDizhuEnv = _make_env(DouDizhuEnv, opponents_hand_visible, compat, render_mode)
    made.compat = compat
    return made


# The environment does all checks of PettingZoo's wrappers.
raw_env = env


def parallel_env(
    opponents_hand_visible: bool = False, *, compat: str | None = None, render_mode: str | None = None
) -> ParallelGameEnv:
    """Return the environment with all agents in every step; only the action of the agent to act counts.

    With `opponents_hand_visible` observations have the cards of both opponents together.

    `compat` only concerns observations: the published environment has no parallel form.
    """
    made: ParallelGameEnv = _make_env(ParallelGameEnv, opponents_hand_visible, compat, render_mode)
    return made


def batch(n: int, seed: int = 0, *, opponents_hand_visible: bool = False) -> RoleBatch:
    """Return `n` matches as in `arbiter.envs.batch`; the landlord's observations are padded with zeros.

    Match k is dealt as by `env` with seed ``seed + k``. TypeError, ValueError.
    """
    n = check_number(n, "a number of matches is an integer from 1", least=1)
    form = RoleBatch if core_of("dou_dizhu") is None else CompiledRoleBatch
    return form([RolePlay() for _ in range(n)], seed, visible=bool(opponents_hand_visible))


def action_name(action: int) -> str:
    """Return the cards of an id in rank order, ``34567``, or ``pass``; TypeError, ValueError."""
    return table().names[check_action(action, ACTIONS, "dou_dizhu_v4")]


def action_id(cards: str) -> int:
    """Return the id of cards in any order, or of ``pass``; ValueError if they are not a combination."""
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
    """The environment that `env` makes; see the module for seeds.

    The landlord of a given deal is ``landlord_0``, from any seat.
    """

    compat: str | None = None

    def observe(self, agent: str) -> Any:
        if not self.compat:
            return super().observe(agent)
        # All agents see the mask of the agent to act, which stays after an illegal move.
        to_act = self.play.state.to_act
        legal = self.play.legal(to_act[0]) if to_act else ()
        return {"observation": self.vector(agent), "action_mask": mask_of(legal, ACTIONS)}

    def _info_of(self, agent: str) -> dict[str, Any]:
        return {"legal_moves": []} if self.compat else super()._info_of(agent)


class RolePlay(Play):
    """Matches of one deal with the landlord in seat 0, dealt as RLCard deals them."""

    def __init__(self) -> None:
        super().__init__(DouDizhu([0]))
        self._random: np.random.RandomState | None = None

    def reset(self, seed: int | str | None = None, deals: Sequence[Mapping[str, Any]] | None = None) -> None:
        """Begin the next match; see `Play.reset`. RLCard's generator accepts only integers."""
        number = check_seed(seed, "dou_dizhu_v4", texts=False)
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
        """Draw the match's only deal in RLCard's way, or return given ones, rotated to the landlord."""
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
    """Return RLCard's random generator for a seed, of which the lowest 64 bits count."""
    digest = sha512(str(seed % (1 << 64)).encode()).digest()
    low, high = divmod(int.from_bytes(digest[:8], "little"), _WORD)[::-1]
    # Words of zeros at the end do not count.
    return np.random.RandomState([low, high] if high else [low])


def _make_env(form: type[Arena], visible: bool, compat: str | None, render_mode: str | None) -> Any:
    if compat not in (None, RLCARD):
        raise ConfigError(f"compat is {compat!r}", hint=did_you_mean(str(compat), [RLCARD]))
    observer = RoleObserver(visible=bool(visible), rlcard=compat == RLCARD)
    made = form(RolePlay(), observer, AGENTS, render_mode=render_mode)
    made.metadata["name"] = "dou_dizhu_v4"
    return made


class RoleBatch(Batch):
    """`n` matches of `dou_dizhu_v4` in play; `dou_dizhu_v4.batch` makes it. Seat 0 is the landlord.

    Match k of a batch with seed s is the first match of the environment with seed s + k, then its second,
    and so on.
    """

    def __init__(self, plays: list[Play], seed: int, *, visible: bool) -> None:
        self._visible = visible
        self._prepare(plays[0].game, RoleObserver(visible=visible, rlcard=False), plays)
        self.reset(seed)

    def reset(self, seed: int | str = 0) -> None:
        """Restart all matches; seeds are integers from 0."""
        first = check_number(seed, "a seed of dou_dizhu_v4 is an integer from 0")
        self.begin([first + number for number in range(self.n)])


class CompiledRoleBatch(RoleBatch, DouDizhuBatch):
    """`RoleBatch` over the core, which plays one deal; the next match is dealt here, as in RLCard."""

    def _prepare(self, game: AnyGame, observer: Observer, plays: list[Play]) -> None:
        super()._prepare(game, observer, plays)
        self._cells = _ACTED_AT
        self._parts = [_cells_of(role, visible=self._visible) for role in range(3)]

    def observations(self, out: NDArray[Any] | None = None) -> NDArray[Any]:
        seen = np.empty((self.n, self._cells), np.int8)
        self._core.observations(seen)
        made = self._views(seen, self.turns)
        return self._given(made, out)

    def step(
        self, actions: Sequence[int] | NDArray[Any], wait: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        rewards, over = super().step(actions, wait)
        for number in over.nonzero()[0].tolist():
            self._renew(number)
            self._load_into_core(number)
        self._update_turns()
        return rewards, over

    def _views(self, seen: NDArray[Any], seats: NDArray[np.int64]) -> NDArray[Any]:
        views = np.zeros((len(seen), self.size), np.int8)
        more = np.empty((len(seen), _OTHERS_AT + PLANE), np.int8)
        more[:, :_ACTED_AT] = seen
        # The last action, or the one before it if that was a pass, which has no cards.
        latest, before = seen[:, _LATEST], seen[:, _LATEST.start - PLANE : _LATEST.start]
        more[:, _ACTED_AT:_OTHERS_AT] = np.where(latest.any(axis=1, keepdims=True), latest, before)
        if self._visible:
            more[:, _OTHERS_AT:] = _other_hands(seen)
        for role, cells in enumerate(self._parts):
            rows = (seats == role).nonzero()[0]
            views[rows, : len(cells)] = more[rows[:, None], cells]
        return views


def _other_hands(seen: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the planes of the cards in the other hands."""
    gone = seen[:, :PLANE] + seen[:, _PLAYED_AT:_LAST_AT].reshape(-1, 3, PLANE).sum(axis=1, dtype=np.int8)
    counts = gone[:, :_RANKS].reshape(len(seen), _RANKS // 4, 4).sum(axis=2)
    others: NDArray[np.int8] = 1 - gone
    others[:, :_RANKS] = (np.arange(4) < 4 - counts[..., None]).reshape(len(seen), _RANKS)
    return others


def _cells_of(role: int, *, visible: bool) -> NDArray[np.int64]:
    """Return the index of each cell of `RoleObserver` in `DouDizhuObserver` followed by two planes.

    With `visible` also of the opponents' cards.
    """
    parts = [_plane_at(0), *([_plane_at(_OTHERS_AT)] if visible else []), _plane_at(_ACTED_AT)]
    parts.append(np.arange(_RECENT_AT, _PLAYED_AT))
    if role == 0:
        parts += [_plane_at(_PLAYED_AT, 2), _plane_at(_PLAYED_AT, 1), _left_of(2, HAND), _left_of(1, HAND)]
    else:
        mate = 3 - role
        parts += [_plane_at(at, role) for at in (_PLAYED_AT, _LAST_AT) for role in (0, mate)]
        parts += [_left_of(0, MOST), _left_of(mate, HAND)]
    return np.concatenate(parts)


def _plane_at(first: int, role: int = 0) -> NDArray[np.int64]:
    return np.arange(first + role * PLANE, first + (role + 1) * PLANE)


def _left_of(role: int, cards: int) -> NDArray[np.int64]:
    """Return the cells of the number of cards that a role has left, up to `cards`."""
    return np.arange(_LEFT_AT + role * MOST, _LEFT_AT + role * MOST + cards)
