"""What must hold of a store that fails, and of its message."""

from __future__ import annotations

import resource
from contextlib import contextmanager
from typing import TYPE_CHECKING

from arbiter.errors import StoreError
from tests.fixtures.records import record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.match.record import MatchRecord
    from arbiter.store import SeasonStore, Store


SECRET = "s3cret"
"""A password, which no message may hold."""


def one_line(error: StoreError) -> str:
    text = str(error)
    assert "\n" not in text
    assert SECRET not in text
    assert error.exit_code == 5
    return text


def filled(season: SeasonStore, first: int = 0) -> tuple[int, str]:
    """Matches, from a number on, until no more can be stored: that number, and what was said then."""
    for number in range(first, 5000):
        try:
            assert season.add_match(large(number))
        except StoreError as error:
            return number, one_line(error)
    raise AssertionError("it never got full")


def large(number: int) -> MatchRecord:
    return record(f"r001/t{number:04d}/m0", players=("a", "b", "c", str(number) * 200))


def goes_on(store: Store, season: SeasonStore, stored: int) -> None:
    """Everything stored is there, and the match that could not be is stored now."""
    assert [match.id for match in season.records()] == [large(number).id for number in range(stored)]
    assert season.add_match(large(stored))
    assert season.match(large(stored).id) == large(stored)
    with store.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"


@contextmanager
def longest_file(size: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
