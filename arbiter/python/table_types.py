"""The types of what plays, of data frames, and of tables and their rows, for type checkers and editors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeAlias, TypedDict

from arbiter.match.follower import PolicyLike

Contestant: TypeAlias = str | Sequence[str] | PolicyLike
"""A function of observation and action mask, an object with `predict`, a command as a string or in words, or
the name of a shipped bot or ``"random"``.
"""


class DataFrame(Protocol):
    """A data frame, such as those of pandas and polars."""

    @property
    def columns(self) -> Iterable[Any]:
        """The names of the columns."""

    def __getitem__(self, name: str, /) -> Any:
        """Return the values of a column."""


class SeatTable(TypedDict):
    """A row for each seat of each match."""

    season: list[str]
    match: list[str]
    round: list[int | None]
    table: list[int | None]
    rotation: list[int]
    seat: list[int]
    player: list[str]
    points: list[int | None]
    wins: list[int]
    draws: list[int]
    losses: list[int]
    fault: list[str | None]
    charged_ms: list[float | None]
    cpu_ms: list[float | None]
    peak_memory_bytes: list[int | None]
    substitute: list[bool]
    side: list[int]
    game: list[str]
    options: list[str]
    seed: list[str]
    program: list[str]


class PlayerTotals(TypedDict):
    """One player's sums over all matches; copies of a player count as one."""

    player: str
    matches: int
    points: int
    wins: int
    draws: int
    losses: int
    faults: int
    fault_kinds: dict[str, int]


class RatingTable(TypedDict):
    """A row for each player, the best first."""

    rank: list[int]
    player: list[str]
    elo: list[float | None]
    low: list[float | None]
    high: list[float | None]
    sd: list[float | None]
    matches: list[int]
    results: list[int]
    wins: list[int]
    draws: list[int]
    losses: list[int]
    points: list[float]
    faults: list[int]


class LosTable(TypedDict):
    """A row for each ordered pair of players: the likelihood that `player` is stronger than `opponent`."""

    player: list[str]
    opponent: list[str]
    los: list[float]
