"""Matches that authors ask for: the values of the key ``requests``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from arbiter.store.address import address_of, file_of

if TYPE_CHECKING:
    from pathlib import Path

STORE = ".requests.sqlite"
"""The end of the name of the store in which the matches lie."""


@dataclass(frozen=True, slots=True)
class Requests:
    """How many requests an author may make in 24 hours and in one, of at most how many `matches` each.

    Beside an author's own versions they are played `against` the players of the season's file (``house``), or
    also against the versions of other authors that play now (``all``).
    """

    per_day: int = 20
    per_hour: int = 5
    matches: int = 400
    against: Literal["house", "all"] = "house"

    def as_written(self) -> dict[str, Any]:
        """The key as a season's file has it."""
        return asdict(self)


def store_beside(store: str, file: Path) -> str:
    """Return the address of the store of requests, beside the season's own or, for a server's, its file."""
    place = file_of(store) or file
    return address_of(place.resolve().with_name(f"{place.stem}{STORE}"))
