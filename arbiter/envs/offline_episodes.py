"""Recorded matches as episodes of single agents, for learning offline: what each seat saw, might do, and did.

A match is played again through the rules, each seat's decisions being one episode, in the ids and vectors of
`arbiter.envs.aec`. A decision of several steps, as that of the Chef who gives two cards, is as many steps
here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from arbiter.envs.match_state import Play
from arbiter.envs.observers import Observer, observer_of
from arbiter.envs.observers.observer import Vector
from arbiter.errors import ConfigError
from arbiter.games.chefs_hat.gym2 import Gym2State
from arbiter.games.game import Action, AnyGame, Seat
from arbiter.match.position import Dealt, Moved, retrace
from arbiter.match.record import MatchRecord


class Episode(NamedTuple):
    """The T decisions of one seat in a match.

    `observations`, (T + 1, cells), and `masks`, int8 (T + 1, ids), have a last row that shows how it ended;
    `actions` are T ids. The reward of the last is the seat's match points, all others are 0. Where a fault
    ended the match all are 0, and the episode is truncated.
    """

    match: str
    seat: Seat
    player: str
    observations: Vector
    masks: Vector
    actions: Vector
    rewards: Vector
    terminated: bool


def episodes(record: MatchRecord, game: AnyGame) -> Iterator[Episode]:
    """The episodes of a match by seat, without those of seats that decided nothing.

    StoreError where the record is not one of this game.
    """
    observer, play = observer_of(game), _Retold(game)
    seen: list[list[Vector]] = [[] for _ in record.players]
    legal: list[list[Sequence[int]]] = [[] for _ in record.players]
    done: list[list[int]] = [[] for _ in record.players]
    for what in retrace(record, game):
        if isinstance(what, Dealt):
            play._begin(what.deal)
        elif isinstance(what, Moved):
            seat = play.turn = what.move.seat
            for action in _steps(observer, play, seat, _carried_out(what)):
                seen[seat].append(observer.vector(play, seat))
                legal[seat].append(observer.legal(play, seat))
                done[seat].append(action)
                observer.act(play, seat, action)
    play.stop()
    for seat, player in enumerate(record.players):
        if not done[seat]:
            continue
        seen[seat].append(observer.vector(play, seat))
        masks = np.zeros((len(seen[seat]), observer.actions), np.int8)
        for row, ids in enumerate(legal[seat]):
            masks[row, list(ids)] = 1
        rewards = np.zeros(len(done[seat]), np.float64)
        if record.points is not None:
            rewards[-1] = record.points[seat]
        yield Episode(
            match=record.id,
            seat=seat,
            player=player,
            observations=np.stack(seen[seat]),
            masks=masks,
            actions=np.array(done[seat], np.int64),
            rewards=rewards,
            terminated=record.points is not None,
        )


def spaces_of(game: AnyGame) -> tuple[spaces.Dict, spaces.Discrete]:
    """The spaces of `episodes`; ConfigError where seats have observations of different sizes."""
    observer = observer_of(game)
    sizes = {observer.size(seat) for seat in range(game.seats)}
    if len(sizes) != 1:
        raise ConfigError(f"seats of {game.name} have observations of different sizes")
    dtype: Any = observer.dtype
    seen = spaces.Box(observer.low, observer.high, (*sizes,), dtype)
    mask = spaces.Box(0, 1, (observer.actions,), np.int8)
    return spaces.Dict({"observation": seen, "action_mask": mask}), spaces.Discrete(observer.actions)


class _Retold(Play):
    """A match whose deals are given, and not drawn: each is begun by `_begin`."""

    def __init__(self, game: AnyGame) -> None:
        super().__init__(game)
        self._seed = 0
        self.totals, self.played = (0,) * game.seats, []

    def _deal_of(self, *_: Any) -> None:
        """Nothing is dealt."""


def _carried_out(what: Moved) -> Action:
    """Return the action carried out: under `gym2` it may be a random one, in the place of the answer."""
    before = what.before
    return before.carried_out(what.action, what.after) if isinstance(before, Gym2State) else what.action


def _steps(observer: Observer, play: Play, seat: Seat, action: Action) -> Sequence[int]:
    """The ids that come to an action of the rules."""
    if not observer.translated(play):
        return (action,)
    for first in observer.legal(play, seat):
        trial = copy(play)
        trial.turn = seat
        observer.act(trial, seat, first)
        if len(trial.actions) > len(play.actions):
            if trial.actions[-1] == action:
                return (first,)
        elif rest := _steps(observer, trial, seat, action):
            return (first, *rest)
    return ()
