"""Matches to be played: frozen values. A `MatchSpec` is everything a worker needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from arbiter.games.game import Seat
    from arbiter.match.clock import TimeControl

COPY_MARK = "#"
"""Separates a house bot's name from the number of the copy."""
AGAIN_MARK = "+"
"""The suffix of the id of a match with a substitute, after the id of the match that a fault ended."""


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A language model of a season's file, with its limits.

    `key_env` is the environment variable that has the key, "" without a key. `state` is "whole" or
    "conversation"; `names` "plain" or "exchanged"; `legal` shows the model its legal answers. `attempts` are
    per decision; token limits are for answers, reasoning included.
    """

    endpoint: str
    name: str
    key_env: str = ""
    date: str = ""
    effort: str = ""
    state: str = "whole"
    legal: bool = False
    names: str = "plain"
    harness: int = 1
    attempts: int = 2
    match_tokens: int = 400_000
    move_tokens: int = 8_000
    deadline_s: float = 300.0


@dataclass(frozen=True, slots=True)
class Player:
    """A registered program, started in `folder`.

    `read` are the folders and files that it may read where bots are confined, its own folder first;
    `files` those that its command names, with its program if that is named by its path.
    `batched` is True when the organiser vouches that it supports batched delivery. `languages` are the
    season's programs for all players, each with further readable paths. `publish_notes` is None where the
    season decides whether notes are public. With a `model`, the command starts the harness that asks it.
    """

    name: str
    command: tuple[str, ...]
    folder: str = "."
    env: Mapping[str, str] = field(default_factory=dict)
    batched: bool = False
    read: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    languages: tuple[tuple[str, ...], ...] = ()
    publish_notes: bool | None = None
    model: ModelEntry | None = None


def original(name: str) -> str:
    """Return a player's name without the number of a house bot's copy: ``random#2`` -> ``random``."""
    return name.partition(COPY_MARK)[0]


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a match for its bots, and how it is conducted.

    Times in ns; `start_ns` None puts the start on the game clock; memory in bytes per bot.
    """

    time: TimeControl
    start_ns: int | None
    memory_bytes: int
    clock: str = "adjusted"
    delivery: str = "strict"
    isolation: str = "plain"
    end: str = "kill"


SITS_OUT = "sits out: its matches are void, and without it they are not"
"""The reason of a match lost by void plays, without theirs, which may name the organiser's files."""


class Absence(NamedTuple):
    """A player left out of its match.

    A player in memory takes the seat, to find out whether the match can be played. A player `at_fault` for
    void matches loses (`crash`) instead, and no program is started.
    """

    seat: Seat
    at_fault: bool = False


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """One match to be played: picklable, the only object sent to a worker.

    `players` by seat. `round` and `table` are None outside a season; `deals` are given deals as JSON, None to
    draw them from the seed. `substitute` is the seat of a house bot that replaces a player whose fault ended
    the match before; it has no results.
    """

    id: str
    season: str
    round: int | None
    table: int | None
    rotation: int
    game: str
    options: Mapping[str, Any]
    seed: str
    players: tuple[Player, ...]
    limits: Limits
    deals: tuple[Mapping[str, Any], ...] | None = None
    substitute: Seat | None = None
    absence: Absence | None = None
    publish_notes: bool = False
