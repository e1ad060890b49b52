"""A data set of Minari: a folder that its `MinariDataset` and `load_dataset` read.

    with MinariFolder("data/spring-v0", game) as out:
        out.write(record)

The folder's name is the data set's id, ``NAME-vN``, and the data lie in its folder ``data``. So
`minari.MinariDataset("data/spring-v0/data")` reads it, and with MINARI_DATASETS_PATH=data
`minari.load_dataset("spring-v0")`.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.envs.registration import EnvSpec

from arbiter import __version__
from arbiter.envs.offline_episodes import Episode, episodes, spaces_of
from arbiter.errors import ConfigError
from arbiter.games.game import AnyGame
from arbiter.match.record import MatchRecord
from arbiter.replay.export.columns import facts

PREFIX = "minari:"
"""Before a folder in the `dataset` of an environment."""
NAME = re.compile(r"[A-Za-z0-9_.-]+-v\d+")
INSTALL = "pip install 'arbiter-cards[minari]'"
MANY = 1000
"""Games of more ids than this are written as Parquet, which packs their masks, others as HDF5."""


class MinariFolder:
    """Writes matches as episodes; the folder is there after `close`.

    `known` are the data set's `facts`. ConfigError where the folder's name is no id of a data set, it is
    there already or cannot be written, or without the package.
    """

    def __init__(self, folder: str, game: AnyGame, known: Mapping[str, str] | None = None) -> None:
        try:
            import minari
            from minari.dataset.minari_storage import MinariStorage
        except ImportError:
            raise ConfigError(
                "is written by the package minari, which is not here", folder, hint=INSTALL
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
        """Add the episodes of matches; StoreError for a record that cannot be played again."""
        self._storage.update_episodes(map(_buffer, self._episodes(records)))

    def _episodes(self, records: Iterable[MatchRecord]) -> Iterator[Episode]:
        for record in records:
            yield from episodes(record, self._game)

    def close(self) -> None:
        """Put the folder in its place; to do so twice is no error."""
        part, self._part = self._part, None
        if part is not None:
            part.replace(self._folder)

    def discard(self) -> None:
        """Leave nothing of it."""
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


def _buffer(episode: Episode) -> Any:
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
