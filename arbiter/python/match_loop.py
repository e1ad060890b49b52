"""Play the matches of a call one after the other or in workers, and keep what was played."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from arbiter.errors import VoidMatch
from arbiter.python.match_results import MatchResults
from arbiter.table.match_progress import check_workers, shown
from arbiter.text import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec
    from arbiter.python.contenders import Table
    from arbiter.table.match_progress import ProgressLike


class PlayInterrupted(KeyboardInterrupt):
    """Ctrl-C has ended a play or a comparison; `results` has the matches played.

    In a notebook ``import sys; sys.last_value.results`` has them after the interrupted cell.
    """

    def __init__(self, results: MatchResults) -> None:
        self.results = results
        super().__init__(f"{counted(len(results), 'match')} played: the results of this exception have them")


def play_through(
    table: Table,
    specs: Iterable[MatchSpec],
    workers: int | None,
    progress: ProgressLike,
    total: int | None,
    take: Callable[[MatchRecord], object] = lambda _: None,
) -> MatchResults:
    """Play matches and return them in their order; `take` is called with each as it ends.

    `specs` may depend on what was taken. PlayInterrupted and VoidMatch with the results so far; ConfigError.
    """
    order: dict[str, int] = {}
    records: list[MatchRecord] = []

    def ordered() -> MatchResults:
        return MatchResults(map(table.with_digests, sorted(records, key=lambda one: order[one.id])))

    def numbered() -> Iterator[MatchSpec]:
        for spec in specs:
            order[spec.id] = len(order)
            yield spec

    try:
        with (
            shown(progress) as show,
            closing(_play_each(table, numbered(), check_workers(workers))) as played,
        ):
            for record in played:
                records.append(record)
                take(record)
                show(len(records), total)
    except KeyboardInterrupt:
        raise PlayInterrupted(ordered()) from None
    except VoidMatch as void:
        void.results = ordered()
        raise
    return ordered()


def _play_each(table: Table, specs: Iterator[MatchSpec], workers: int) -> Generator[MatchRecord]:
    """Yield each match as it ends; VoidMatch, BotCheckFailed."""
    if workers == 1:
        for spec in specs:
            with _named(spec):
                record = table.play(spec)
            yield record
        return
    from arbiter.table.executors.forked import each_in_fork

    with closing(each_in_fork(table.play_in_fork, specs, workers)) as done:
        for spec, future in done:
            with _named(spec):
                played = future.result()
            yield table.take(played)


@contextmanager
def _named(spec: MatchSpec) -> Iterator[None]:
    """Name the match and its players in a VoidMatch."""
    try:
        yield
    except VoidMatch as void:
        players = ", ".join(player.name for player in spec.players)
        void.args = (f"match {spec.id} between {players}: {void}",)
        raise
