"""The values of a seat's legal answers, by rollouts from determinizations of its information state.

    values = Rollouts(hearing, seed=1).values(2000)
    best = next(iter(values))

Every answer is tried in the same worlds (see `arbiter.envs.determinization`), and `Batch.of` plays each to
the end of the deal: uniformly at random, or by a policy.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from random import Random
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arbiter.envs.argument_checks import check_number
from arbiter.envs.batches import Batch
from arbiter.envs.determinization import Worlds
from arbiter.envs.match_state import Play
from arbiter.envs.observers import observer_of
from arbiter.envs.protocol_bot import KnownPlay
from arbiter.games.cards import Stream
from arbiter.games.game import Action
from arbiter.games.information_state import Hearing

BatchPolicy: TypeAlias = "Callable[[NDArray[Any], NDArray[np.int64], NDArray[np.int64]], Any]"
"""Observations (n, cells), ids and starts, as `Batch` has them, to n legal ids."""
_WIDE = 64
"""The target number of matches side by side: smaller batches are dominated by Python's overhead."""
_MOST = 256
_WORTH = 8
"""The number of rollouts that cost as much as a world: each world is used for as many, at least."""
_LEAST = 4
"""The number of worlds in which all answers are tried before some are dropped."""


class Rolled(NamedTuple):
    """The mean points of the deal after an answer, and in the last deal the probability to win the match."""

    points: float
    win: float | None


class Rollouts:
    """Values of answers in one match; call `Hearing.asked` first."""

    def __init__(self, hearing: Hearing, policy: BatchPolicy | None = None, seed: int = 0) -> None:
        self.hearing, self.policy = hearing, policy
        self._worlds = Worlds(hearing)
        self._observer = observer_of(hearing.game)
        self._chance, self._lots = Random(seed), np.random.default_rng(seed)

    def values(self, rollouts: int, *, halving: bool = False) -> dict[Action, Rolled]:
        """Return the value of each legal answer, the best first, from about `rollouts` rollouts in all.

        Each gets the same number, except with sequential `halving`: each stage keeps the better half of the
        answers, so that good ones are valued more precisely. BadCommand if no cards of the others fit.
        """
        check_number(rollouts, "a number of rollouts is an integer from 1", least=1)
        answers = self.answers()
        actions, steps = list(answers), list(answers.values())
        order = alive = np.arange(len(actions))
        rounds = max((len(actions) - 1).bit_length(), 1) if halving else 1
        sums, counts = np.zeros((len(actions), 2)), np.zeros(len(actions), np.int64)
        for _ in range(rounds):
            times = max(1, _WORTH // len(alive))
            number = max(rollouts // (rounds * len(alive) * times), _LEAST if halving else 1)
            while number > 0:
                plays = self._worlds.draw(min(number, _MOST), self._chance)
                number -= len(plays)
                sums[alive] += self._play_out(plays, [steps[place] for place in alive], times)
                counts[alive] += len(plays) * times
            best = np.argsort(-sums[alive, 0] / counts[alive], kind="stable")
            order[: len(alive)] = alive[best]
            alive = order[: (len(alive) + 1) // 2].copy()
        means, last = sums / counts[:, None], self._is_last_deal
        return {
            actions[place]: Rolled(float(means[place, 0]), float(means[place, 1]) if last else None)
            for place in order
        }

    def answers(self) -> dict[Action, tuple[int, ...]]:
        """Return the legal answers, each with its sequence of ids in an environment."""
        seat, observer = self.hearing.seat, self._observer
        found: dict[Action, tuple[int, ...]] = {}
        waiting: list[tuple[tuple[int, ...], Play]] = [((), KnownPlay(self.hearing))]
        while waiting:
            said, play = waiting.pop()
            if not observer.translated(play):
                return {action: (action,) for action in observer.legal(play, seat)}
            for step in observer.legal(play, seat):
                after = copy(play)
                observer.act(after, seat, step)
                if len(after.actions) > len(play.actions):
                    found.setdefault(after.actions[-1], (*said, step))
                else:
                    waiting.append(((*said, step), after))
        return found

    @property
    def _is_last_deal(self) -> bool:
        """True if the deal is the last of the match."""
        game, number = self.hearing.game, len(self.hearing.played) + 1
        return not game.endless and game.deal(number, Stream("arbiter-rollouts"), None) is None

    def _play_out(self, plays: list[Play], answers: list[tuple[int, ...]], times: int) -> NDArray[np.float64]:
        """Play each answer in each world `times` times. Return sums of points and wins, (answers, 2)."""
        answers = answers * times
        seat, many = self.hearing.seat, len(answers)
        # After a rollout a match starts the next answer; with few worlds there are several copies of each.
        copies = max(1, min(many, _WIDE // len(plays)))
        games = Batch.of([play for play in plays for _ in range(copies)])
        said = np.full((many + 1, max(map(len, answers))), -1)
        for row, steps in zip(said, answers, strict=False):
            row[: len(steps)] = steps
        lengths = (said >= 0).sum(axis=1)
        answer = np.tile(np.arange(copies), len(plays))
        step = np.zeros(games.n, np.int64)
        sums, left = np.zeros((many, 2)), len(plays) * many
        while left:
            ids, starts = games.legal_ids()
            if self.policy is None:
                chosen = ids[starts[:-1] + (self._lots.random(games.n) * np.diff(starts)).astype(np.int64)]
            else:
                chosen = np.array(self.policy(games.observations(), ids, starts))
            own = ((games.turns == seat) & (step < lengths[answer])).nonzero()[0]
            if own.size:
                chosen[own] = said[answer[own], step[own]]
                step[own] += 1
            rewards, over = games.step(chosen)
            if over.any():
                counted = (over & (answer < many)).nonzero()[0]
                points = rewards[counted]
                np.add.at(sums, answer[counted], np.stack([points[:, seat], self._win_share(points)], axis=1))
                left -= counted.size
                answer[over] = np.minimum(answer[over] + copies, many)
                step[over] = 0
        each: NDArray[np.float64] = sums.reshape(times, -1, 2).sum(axis=0)
        return each

    def _win_share(self, points: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the seat's share of the first place if the match ends with this deal; sides share it."""
        game = self.hearing.game
        before = np.sum([deal.points for deal in self.hearing.played] or np.zeros((1, game.seats)), axis=0)
        totals = points + before
        first = totals == totals.max(axis=1, keepdims=True)
        partners = game.seats / len(set(game.sides or range(game.seats)))
        shares: NDArray[np.float64] = first[:, self.hearing.seat] * partners / first.sum(axis=1)
        return shares
