"""Rounds of pairings for `evaluate` and `crossplay`, in this process or in workers forked from it."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from threadpoolctl import threadpool_limits

import rating
from arbiter.errors import VoidMatch
from arbiter.table.match_progress import check_workers, shown

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from arbiter.envs.match_state import Play
    from arbiter.match.spec import Limits
    from arbiter.table.match_progress import ProgressLike

Tried: TypeAlias = tuple[rating.Match, float]
"""A match with the points of a pairing's first player in it, 0 after a fault."""


class Pairing(Protocol):
    """A player from every seat against copies of one opponent; `limits` are those of programs, if any.

    Its deals are from `seed`. Messages call it by its `title`.
    """

    title: str
    seed: int | str
    limits: Limits | None

    def play_round(self, number: int) -> list[Tried]:
        """Play a match from every seat, on the deals of a round from 1."""

    def close(self) -> None:
        """End the processes; `play_round` starts others."""


class Job(NamedTuple):
    """A round of a pairing, by its place."""

    place: int
    number: int
    limits: Limits | None


class _Rounds:
    """Plays rounds of these pairings, with the processes of one pairing at a time."""

    def __init__(self, pairings: Sequence[Pairing]) -> None:
        self._pairings = pairings
        self._open: Pairing | None = None

    def play(self, job: Job) -> list[Tried]:
        """Play a round."""
        pairing = self._pairings[job.place]
        if self._open is not pairing:
            self.close()
        self._open = pairing
        return pairing.play_round(job.number)

    def play_in_fork(self, job: Job) -> list[Tried]:
        """Play a round in a worker."""
        from arbiter.table.executors.forked import seed_generators

        if self._open is None:
            # A library's threads do not survive a fork, and one would wait for them.
            threadpool_limits(1)
        pairing = self._pairings[job.place]
        seed_generators(f"{pairing.seed}|{pairing.title}|{job.number}")
        return self.play(job)

    def play_each(self, jobs: Iterator[Job], workers: int) -> Generator[tuple[Job, list[Tried]]]:
        """Yield each round as it ends."""
        if workers == 1:
            try:
                for job in jobs:
                    yield job, self.play(job)
            finally:
                self.close()
            return
        from arbiter.table.executors.forked import each_in_fork

        with closing(each_in_fork(self.play_in_fork, jobs, workers)) as done:
            for job, future in done:
                try:
                    found = future.result()
                except VoidMatch as void:
                    void.args = (f"{self._pairings[job.place].title}, round {job.number}: {void}",)
                    raise
                yield job, found

    def close(self) -> None:
        """End the processes of the pairing that has played."""
        if self._open is not None:
            self._open.close()


def play_rounds(
    pairings: Sequence[Pairing], rounds: int, workers: int | None, progress: ProgressLike
) -> list[list[Tried]]:
    """Return the matches of each pairing, in the order of rounds and seats; ConfigError."""
    jobs = [
        Job(place, number, pairing.limits)
        for place, pairing in enumerate(pairings)
        for number in range(1, rounds + 1)
    ]
    found: dict[Job, list[Tried]] = {}
    with (
        shown(progress) as show,
        closing(_Rounds(pairings).play_each(iter(jobs), check_workers(workers))) as played,
    ):
        for job, matches in played:
            found[job] = matches
            show(len(found) * len(matches), len(jobs) * len(matches))
    return [
        [match for job in jobs[place * rounds : (place + 1) * rounds] for match in found[job]]
        for place in range(len(pairings))
    ]


def place_text(seat: int, number: int, play: Play) -> str:
    """Return where a match is, for messages: the seat that decides, round, deal and decision, from 1."""
    return f"seat {seat}, round {number}, deal {len(play.played) + 1}, decision {len(play.actions) + 1}"
