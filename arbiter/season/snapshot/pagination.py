"""Pagination: pages of rows, and lists of matches that are read in parts."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from arbiter.match.spec import AGAIN_MARK
from arbiter.store.match_lists import MatchRange

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arbiter.match.record import MatchSummary
    from arbiter.season.snapshot.match_schema import Pages
    from arbiter.season.snapshot.season_state import SeasonState
    from arbiter.store.tags import TagFilter

ROWS = 100
"""The most rows of one page or answer."""
TABLES = 25
"""Tables on a page of a round."""


class PageWindow(NamedTuple):
    """One page of a list: the rows from `first` up to, not including, `end`."""

    first: int
    end: int
    page: int
    pages: int

    @property
    def next(self) -> int | None:
        """The next page; None after the last."""
        return self.page + 1 if self.page < self.pages else None


def window(total: int, page: int, size: int = ROWS) -> PageWindow | None:
    """Return a page, from 1, of `total` rows; None for an unknown page. An empty list has one page."""
    pages = max(1, -(-total // size))
    return PageWindow((page - 1) * size, min(page * size, total), page, pages) if 1 <= page <= pages else None


def page_fields(shown: PageWindow) -> Pages:
    """Return the JSON fields of a page."""
    return {"page": shown.page, "pages": shown.pages, "next": shown.next}


def page_of(place: int, size: int = ROWS) -> int:
    """Return the page, from 1, of the row at `place`, from 0."""
    return place // size + 1


class MatchList:
    """The matches of a round, with players of each group of names, and with a tag.

    `last` limits them to rounds up to that one, `ended` to those of complete rounds ended by a fault of the
    first group.
    """

    def __init__(
        self,
        state: SeasonState,
        round_number: int | None = None,
        *players: Sequence[str],
        last: int | None = None,
        ended: bool = False,
        tagged: TagFilter | None = None,
    ) -> None:
        first, end = (1, state.last) if round_number is None else (round_number, round_number)
        end = min(
            end, state.last, state.complete if ended else state.last, state.last if last is None else last
        )
        groups = tuple(dict.fromkeys(tuple(group) for group in players))
        self._state, self._wanted = state, MatchRange(first, end, groups, ended, tagged)
        self._counts: Mapping[int, int]
        if groups or tagged is not None:
            self._counts = state.stored.counts(self._wanted)
        else:
            self._counts = {number: count for number, count in state.counts.items() if first <= number <= end}

    def __len__(self) -> int:
        return sum(self._counts.values())

    def part(self, first: int, limit: int) -> list[MatchSummary]:
        """Return up to `limit` matches from number `first`, counted from 0, on, in plan order.

        Only their rounds are read.
        """
        numbers = list(self._counts)
        ends = list(accumulate(self._counts.values()))
        inside = [
            k for k, end in enumerate(ends) if end > first and end - self._counts[numbers[k]] < first + limit
        ]
        if not inside:
            return []
        skip = first - (ends[inside[0]] - self._counts[numbers[inside[0]]])
        wanted = self._wanted._replace(first=numbers[inside[0]], last=numbers[inside[-1]])
        return self._state.matches_of(self._state.stored.ids(wanted, skip, limit))


def at_tables(state: SeasonState, number: int, tables: range) -> dict[int, list[MatchSummary]]:
    """Return the stored matches of some of a round's tables, by table."""
    of: dict[int, list[MatchSummary]] = {table: [] for table in tables}
    # The most matches of a table, with those with substitutes.
    most = 2 * len(state.file.game.seatings)
    places = range(most // 2)
    ids = [
        f"r{number:03d}/t{table:02d}/m{place}{mark}"
        for table in tables
        for place in places
        for mark in ("", AGAIN_MARK)
    ]
    for match in state.matches_of(ids):
        of[match.table or 0].append(match)
    return of


def some_rounds(complete: int, limit: int) -> list[int]:
    """Return all rounds, or `limit` evenly spaced ones with both ends."""
    if complete <= limit:
        return list(range(1, complete + 1))
    return sorted({1 + round(k * (complete - 1) / (limit - 1)) for k in range(limit)})
