"""Recorded matches as episodes of single agents, for offline learning, in a data set of Minari.

    with MinariFolder("data/spring-v0", game) as out:
        out.write(record)

A match is replayed by the rules; each seat's decisions are one episode: observations, legal ids and actions
as in `arbiter.envs.aec`. A decision of several steps, such as the Chef's gift of two cards, is as many steps
here.

The folder's name is the data set's id, ``NAME-vN``, and the data are in its folder ``data``. So
`minari.MinariDataset("data/spring-v0/data")` reads it, and with MINARI_DATASETS_PATH=data
`minari.load_dataset("spring-v0")`.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec

from arbiter import __version__
from arbiter.envs.match_state import Play
from arbiter.envs.observers import Observer, observer_of
from arbiter.envs.observers.observer import Vector
from arbiter.errors import ConfigError
from arbiter.games.chefs_hat.gym2 import Gym2State
from arbiter.games.game import Action, AnyGame, Seat
from arbiter.match.position import Dealt, Moved, retrace
from arbiter.match.record import MatchRecord
from arbiter.replay.export.columns import facts

PREFIX = "minari:"
"""The prefix of a folder in the `dataset` of an environment."""
NAME = re.compile(r"[A-Za-z0-9_.-]+-v\d+")
INSTALL = "pip install 'arbiter-cards[minari]'"
MANY = 1000
"""Games with more ids are written as Parquet, which compresses their masks, others as HDF5."""


class MinariFolder:
    """Writes matches as episodes; the folder appears on `close`.

    `known` are the data set's `facts`. ConfigError if the folder's name is not an id of a data set, if it
    exists or cannot be written, or without the package.
    """

    def __init__(self, folder: str, game: AnyGame, known: Mapping[str, str] | None = None) -> None:
        try:
            import minari
            from minari.dataset.minari_storage import MinariStorage
        except ImportError:
            raise ConfigError(
                "needs the package minari, which is not installed", folder, hint=INSTALL
            ) from None
        # Minari cannot measure what it writes under a relative name.
        self._folder = Path(folder).absolute()
        if not NAME.fullmatch(self._folder.name):
            raise ConfigError("is not a name of a data set", folder, hint="as Minari has them: spring-v0")
        if self._folder.exists():
            raise ConfigError("is there already", folder, hint="name another, or remove it")
        self._game = game
        self._part: Path | None = self._folder.with_name(f".{self._folder.name}.{os.getpid()}.part")
        seen, actions = spaces_of(game)
        try:
            self._part.mkdir()
        except OSError as error:
            raise ConfigError(f"cannot be written: {error.strerror}", folder) from None
        try:
            self._storage = MinariStorage.new(
                self._part / "data",
                observation_space=seen,
                action_space=actions,
                env_spec=EnvSpec(
                    "arbiter/Single-v0",
                    entry_point="arbiter.envs:single",
                    kwargs={"game": game.name, **game.options},
                ),
                data_format="parquet" if actions.n > MANY else "hdf5",
            )
        except ImportError as error:
            self.discard()
            what = error.name or str(error).partition(".")[0]
            raise ConfigError(f"cannot be written without {what}", folder, hint=INSTALL) from None
        self._storage.update_metadata(
            {
                "dataset_id": self._folder.name,
                "minari_version": minari.__version__,
                "description": f"Matches of {game.title}, an episode for each seat",
                "requirements": [f"arbiter-cards=={__version__}"],
                **(known or facts(game)),
            }
        )

    def write(self, records: Iterable[MatchRecord]) -> None:
        """Add the episodes of matches; StoreError for a record that cannot be replayed."""
        self._storage.update_episodes(map(_episode_buffer, self._episodes(records)))

    def _episodes(self, records: Iterable[MatchRecord]) -> Iterator[Episode]:
        for record in records:
            yield from episodes(record, self._game)

    def close(self) -> None:
        """Move the folder to its place. May be called twice."""
        part, self._part = self._part, None
        if part is not None:
            part.replace(self._folder)

    def discard(self) -> None:
        """Delete the unfinished data set."""
        part, self._part = self._part, None
        if part is not None:
            shutil.rmtree(part, ignore_errors=True)

    def __enter__(self) -> MinariFolder:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()


def _episode_buffer(episode: Episode) -> Any:
    from minari.data_collector import EpisodeBuffer

    steps = len(episode.actions)
    ends = np.zeros(steps, np.bool_)
    ends[-1] = True
    never = np.zeros(steps, np.bool_)
    return EpisodeBuffer(
        options={"match": episode.match, "seat": episode.seat, "player": episode.player},
        observations={"observation": episode.observations, "action_mask": episode.masks},
        actions=episode.actions,
        rewards=episode.rewards.tolist(),
        terminations=(ends if episode.terminated else never).tolist(),
        truncations=(never if episode.terminated else ends).tolist(),
    )


class Episode(NamedTuple):
    """The T decisions of one seat in a match.

    `observations`, (T + 1, cells), and `masks`, int8 (T + 1, ids), have a last row for the end;
    `actions` are T ids. The last reward is the seat's match points, all others are 0. If a fault
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
    """Yield the episodes of a match by seat, except of seats without decisions.

    StoreError if the record is not of this game.
    """
    observer, play = observer_of(game), _ReplayedMatch(game)
    seen: list[list[Vector]] = [[] for _ in record.players]
    legal: list[list[Sequence[int]]] = [[] for _ in record.players]
    done: list[list[int]] = [[] for _ in record.players]
    for what in retrace(record, game):
        if isinstance(what, Dealt):
            play._begin(what.deal)
        elif isinstance(what, Moved):
            seat = play.turn = what.move.seat
            for action in _step_ids(observer, play, seat, _carried_out(what)):
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
    """Return the spaces of `episodes`; ConfigError if seats have observations of different sizes."""
    observer = observer_of(game)
    sizes = {observer.size(seat) for seat in range(game.seats)}
    if len(sizes) != 1:
        raise ConfigError(f"seats of {game.name} have observations of different sizes")
    dtype: Any = observer.dtype
    seen = spaces.Box(observer.low, observer.high, (*sizes,), dtype)
    mask = spaces.Box(0, 1, (observer.actions,), np.int8)
    return spaces.Dict({"observation": seen, "action_mask": mask}), spaces.Discrete(observer.actions)


class _ReplayedMatch(Play):
    """A match whose deals are given one by one to `_begin`."""

    def __init__(self, game: AnyGame) -> None:
        super().__init__(game)
        self._seed = 0
        self.totals, self.played = (0,) * game.seats, []

    def _deal_of(self, *_: Any) -> None:
        """Return None: no deal is drawn."""


def _carried_out(what: Moved) -> Action:
    """Return the action carried out: under `gym2` a random one may replace the answer."""
    before = what.before
    return before.carried_out(what.action, what.after) if isinstance(before, Gym2State) else what.action


def _step_ids(observer: Observer, play: Play, seat: Seat, action: Action) -> Sequence[int]:
    """Return the ids that make up an action of the rules."""
    if not observer.translated(play):
        return (action,)
    for first in observer.legal(play, seat):
        trial = copy(play)
        trial.turn = seat
        observer.act(trial, seat, first)
        if len(trial.actions) > len(play.actions):
            if trial.actions[-1] == action:
                return (first,)
        elif rest := _step_ids(observer, trial, seat, action):
            return (first, *rest)
    return ()
