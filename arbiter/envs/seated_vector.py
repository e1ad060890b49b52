"""One agent and its opponents in every match of a `Batch`: `single`, with many matches side by side.

import gymnasium
env = gymnasium.make_vec("arbiter.envs:arbiter/Planning-v0", num_envs=64, opponents="random", seat="rotate")
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from arbiter.envs.batches import Batch
from arbiter.envs.opponents import Chance, PolicyOpponent, check_opponents
from arbiter.envs.policies import many
from arbiter.envs.single_env import ROTATE, check_seat
from arbiter.envs.vector import BatchEnv
from arbiter.envs.view_form import ViewForm
from arbiter.errors import ConfigError


class SeatedBatchEnv(BatchEnv):
    """The matches of a `Batch`, each with one agent, as `SingleEnv` plays it; `vector` makes it.

    A step is a decision of the agent in every match, and all of the opponents up to its next one. Opponents
    are ``"random"`` or policies; an object with `predict` decides in all matches at once. A match that ends
    before the agent's first decision is left out.
    """

    def __init__(
        self,
        games: Batch,
        form: ViewForm,
        mode: AutoresetMode,
        *,
        copy: bool,
        opponents: object,
        seat: int | str,
    ) -> None:
        super().__init__(games, form, mode, copy=copy)
        others = games.seats - 1
        seated = check_opponents(opponents, others, games.game.name)
        if not isinstance(opponents, Sequence) or isinstance(opponents, str):
            # One object, so that it decides for all seats at once.
            seated = seated[:1] * others
        for one in seated:
            if not isinstance(one, Chance | PolicyOpponent):
                raise ConfigError(
                    f'the opponent {one.name} plays one match at a time: expected "random" or a policy',
                    hint='for others: vectorization_mode="sync", or "async"',
                )
        self.opponents = seated
        self._wanted = seat if seat == ROTATE else check_seat(seat, games.game)
        self._matches = np.zeros(games.n, np.int64)
        self.seats = np.zeros(games.n, np.int64)
        """The agent's seat by match."""
        games.viewers = self.seats
        self._chance = np.random.default_rng()

    def _acting(self) -> NDArray[np.int64]:
        # A copy, as the agents of matches that end in the step change seats.
        return self.seats.copy()

    def _begin(self, fresh: NDArray[np.bool_], seeds: Sequence[Any]) -> None:
        self._matches[fresh] += 1
        given = np.array([one is not None for one in seeds])
        self._matches[fresh & given] = 0
        numbers = [one for one in seeds if isinstance(one, int)]
        if numbers:
            self._chance = np.random.default_rng(numbers)
        self._seat_agents(fresh)
        self._play_opponents(np.zeros((self.num_envs, self.batch.seats), np.float32), self._all.copy())

    def _follow(self, points: NDArray[np.float32], over: NDArray[np.bool_]) -> None:
        self._matches += over
        self._seat_agents(over)
        self._play_opponents(points, over)

    def _seat_agents(self, which: NDArray[np.bool_]) -> None:
        seats = self._matches % self.batch.seats if self._wanted == ROTATE else self._wanted
        np.copyto(self.seats, seats, where=which)

    def _play_opponents(self, points: NDArray[np.float32], over: NDArray[np.bool_]) -> None:
        """Play to the agent's decision in every match; add results where not `over` before."""
        games, ends = self.batch, self.batch.ends
        while not (wait := games.turns == self.seats).all():
            games.ends = {}
            won, ended = games.step(self._choose(wait), wait)
            first = ended & ~over
            points[first] = won[first]
            over |= first
            if ends is not None:
                ends.update((row, games.ends[row]) for row in first.nonzero()[0].tolist())
            self._matches += ended
            self._seat_agents(ended)
        games.ends = ends

    def _choose(self, wait: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return an opponent's id for each match but those of `wait`; ValueError if a policy's is illegal."""
        games = self.batch
        ids, starts = games.legal_ids()
        chosen = ids[starts[:-1] + (self._chance.random(games.n) * np.diff(starts)).astype(np.int64)]
        places = (games.turns - self.seats - 1) % games.seats
        for one in {id(one): one for one in self.opponents if isinstance(one, PolicyOpponent)}.values():
            whose = np.array([*(other is one for other in self.opponents), False])
            rows = (whose[places] & ~wait).nonzero()[0]
            if not rows.size:
                continue
            seen, masks = games.observations()[rows], games.masks()[rows]
            chosen[rows] = answers = many(one.policy, seen, masks)
            legal = (answers >= 0) & (answers < games.actions)
            legal[legal] = masks[legal, answers[legal]] == 1
            if not legal.all():
                at = int((~legal).nonzero()[0][0])
                where = f"match {rows[at]}, seat {games.turns[rows[at]]}"
                raise ValueError(f"the opponent {one.name} wants {answers[at]}, which is illegal: {where}")
        return chosen
