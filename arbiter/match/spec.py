"""Matches before they are played: frozen values. A `MatchSpec` is everything a worker needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from arbiter.games.game import Seat
    from arbiter.match.clock import TimeControl

COPY_MARK = "#"
"""Stands in the name of a house bot's copy before its number."""
AGAIN_MARK = "+"
"""Ends the id of a match with a substitute, after the id of the match that a fault ended."""


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A language model as a season's file names it, with the accounts that it plays under.

    `key_env` is the environment variable that has the key, "" for none. `state` is "whole" or "conversation";
    `names` "plain" or "exchanged"; `legal` shows it its legal answers. `attempts` are for one decision;
    tokens are of answers, reasoning included.
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
    `files` those that its command names, its program among them if it is named by its path.
    `batched` is True when the organiser vouches that it can take batched delivery. `languages` are the
    programs that a season names for all its players, each with what else they may read for it.
    `publish_notes` is None where the season says whether its notes are for all. Where there is a `model`, the
    command starts the harness that asks it.
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
    """The player that a house bot's copy is a copy of: ``random#2`` -> ``random``."""
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


class Absence(NamedTuple):
    """A player who does not come to its match.

    A player in memory sits there: the record only shows whether the match can be played. One that is
    `at_fault` since its matches are void loses instead (`crash`), and no program is started.
    """

    seat: Seat
    at_fault: bool = False


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """One match to be played: picklable, and the only thing that crosses to a worker.

    `players` by seat. `round` and `table` are None outside a season; `deals` are the JSON shapes
    of given deals, None to draw them from the seed. `substitute` is the seat of a house bot that sits there
    for a player whose fault ended the match before; it has no results.
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
