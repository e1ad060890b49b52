"""Matches before and after they are played: frozen values, JSON both ways.

A `MatchSpec` is everything a worker needs; a `MatchRecord` is everything that is kept. Why a
match ended (`Forfeit`) stays apart from who won (`results`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from hashlib import sha256
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arbiter.clock import TimeControl
    from arbiter.rules import Seat


COPY_MARK = "#"
"""Stands in the name of a house bot's copy before its number."""
AGAIN_MARK = "+"
"""Ends the id of a match with a substitute, after the id of the match that a fault ended."""


class Fault(StrEnum):
    """What a bot did to lose a match at once."""

    ILLEGAL = "illegal"
    MALFORMED = "malformed"
    REFUSED = "refused"
    OUT_OF_TURN = "out_of_turn"
    TIMEOUT = "timeout"
    CRASH = "crash"
    MEMORY = "memory"
    OUTPUT = "output"


_EARLIER = {Fault.CRASH: ("private", ": "), Fault.TIMEOUT: ("spent", "; budget ")}
"""What followed the referee's words in the `detail` of earlier versions, and after which mark."""


@dataclass(frozen=True, slots=True)
class Player:
    """A registered program, started in `folder`.

    `read` are the folders and files that it may read where bots are confined, its own folder first;
    `files` those that its command names, its program among them if it is named by its path.
    `batched` is True when the organiser vouches that it can take batched delivery.
    `languages` are the programs that a season names for all its players, each with what else they may read
    for it.
    """

    name: str
    command: tuple[str, ...]
    folder: str = "."
    env: Mapping[str, str] = field(default_factory=dict)
    batched: bool = False
    read: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    languages: tuple[tuple[str, ...], ...] = ()


def original(name: str) -> str:
    """The player that a house bot's copy is a copy of: ``random#2`` -> ``random``."""
    return name.partition(COPY_MARK)[0]


@dataclass(frozen=True, slots=True)
class Limits:
    """What a match allows its bots, and how it is conducted.

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


class Move(NamedTuple):
    """One accepted answer to a ``gen_`` command; times in ns.

    `charged_ns` is everything charged to the seat since its previous move, `left_ns` what it has
    left after this one. `cpu_ns` and `delay_ns` are 0 where the answer came before the meters
    were read (within the first 0.2 ms).
    """

    deal: int
    seat: Seat
    request: str
    action: str
    wall_ns: int
    cpu_ns: int
    delay_ns: int
    charged_ns: int
    left_ns: int


@dataclass(frozen=True, slots=True)
class Forfeit:
    """The fault that ended a match, with the last command sent and the raw reply to it.

    The command is "" where another seat was to answer. Of why, `reason` is the referee's, `spent` how a
    budget was used up, `private` what the bot itself wrote.
    """

    seat: Seat
    player: str
    fault: Fault
    reason: str
    command: str
    reply: str
    spent: str = ""
    private: str = ""

    @property
    def word(self) -> str:
        """What was answered, for people: at most 60 characters."""
        return self.reply.partition("\n")[0].removeprefix("=").strip()[:60]

    @property
    def detail(self) -> str:
        """All of why, in one line."""
        spent = f"; budget {self.spent}" if self.spent else ""
        private = f": {self.private}" if self.private else ""
        return f"{self.reason}{spent}{private}"

    def to_json(self) -> dict[str, Any]:
        """JSON values only, with the `detail`."""
        return asdict(self) | {"detail": self.detail}

    @classmethod
    def from_json(cls, shape: Mapping[str, Any]) -> Forfeit:
        """The forfeit that `to_json` wrote, or an earlier version, which had the `detail` alone."""
        fields = {**shape, "fault": Fault(shape["fault"])}
        detail = fields.pop("detail")
        if "reason" not in fields:
            fields["reason"] = detail
            if (earlier := _EARLIER.get(fields["fault"])) is not None:
                part, mark = earlier
                fields["reason"], _, fields[part] = detail.partition(mark)
        return cls(**fields)


@dataclass(frozen=True, slots=True)
class BotReport:
    """One process after the match.

    `exit` is the exit status, negative the signal that ended it, None if we killed it. `stderr_at` says when
    the tail was written: (offset in it, "during" or "since", number of a move from 1), each up to the next;
    what stands before the first came before its first move.
    """

    player: str
    exit: int | None = None
    cpu_ns: int = 0
    charged_ns: int = 0
    peak_memory_bytes: int = 0
    notes: tuple[str, ...] = ()
    stderr_tail: str = ""
    stderr_at: tuple[tuple[int, str, int], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """JSON values only; `stderr_at` where there is something to say, as most bots write nothing."""
        shape = asdict(self)
        if not self.stderr_at:
            del shape["stderr_at"]
        return shape

    @classmethod
    def from_json(cls, shape: Mapping[str, Any]) -> BotReport:
        """The report that `to_json` wrote."""
        written = tuple((offset, when, move) for offset, when, move in shape.get("stderr_at", ()))
        return cls(**{**shape, "notes": tuple(shape["notes"]), "stderr_at": written})


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """What ratings and lists need of a match; stored beside the record. `scores` as in the record."""

    id: str
    round: int | None
    table: int | None
    rotation: int
    players: tuple[str, ...]
    points: tuple[int, ...] | None
    sides: tuple[int, ...] | None = None
    faulty: Seat | None = None
    fault: Fault | None = None
    detail: str = ""
    substitute: Seat | None = None
    scores: tuple[tuple[int, ...], ...] | None = None

    def to_json(self) -> dict[str, Any]:
        """JSON values only."""
        return _shape(self)

    @classmethod
    def from_json(cls, shape: Mapping[str, Any]) -> MatchSummary:
        """The summary that `to_json` wrote."""
        fields = dict(shape)
        for name in ("players", "points", "sides"):
            fields[name] = None if fields[name] is None else tuple(fields[name])
        fields["scores"] = _scores(fields.get("scores"))
        fields["fault"] = None if fields["fault"] is None else Fault(fields["fault"])
        return cls(**fields)


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """All that is kept of a match; lists by seat. `points` is None after a forfeit.

    `scores` are the points so far after each deal that was over; None in records of earlier versions.
    """

    id: str
    season: str
    round: int | None
    table: int | None
    rotation: int
    game: str
    options: Mapping[str, Any]
    seed: str
    deal_hash: str
    players: tuple[str, ...]
    deals: tuple[Mapping[str, Any], ...]
    moves: tuple[Move, ...]
    points: tuple[int, ...] | None
    forfeit: Forfeit | None
    sides: tuple[int, ...] | None = None
    bots: tuple[BotReport, ...] = ()
    delivery: str = "strict"
    clock: str = "adjusted"
    isolation: Mapping[str, Any] = field(default_factory=dict)
    host: Mapping[str, Any] = field(default_factory=dict)
    started: str = ""
    wall_ns: int = 0
    substitute: Seat | None = None
    scores: tuple[tuple[int, ...], ...] | None = None

    def results(self) -> Iterable[tuple[Seat, Seat, float]]:
        """The pairwise results: (seat, other seat, 1 won, 0.5 drew, 0 lost), each pair of players once.

        A completed match compares every two players who are not partners; after a fault the
        faulty player loses to each of the others, its partner too, and nothing else counts. A player
        on several seats stands at the first of them. A substitute has no results, and its fault gives none.
        """
        players, out = self.players, self.substitute
        seats = [seat for seat, name in enumerate(players) if players.index(name) == seat != out]
        if self.forfeit is not None:
            faulty = self.forfeit.seat
            if faulty == out:
                return
            for other in seats:
                if players[other] != players[faulty]:
                    yield faulty, other, 0.0
        elif self.points is not None:
            for one, other in combinations(seats, 2):
                if self.sides is None or self.sides[one] != self.sides[other]:
                    mine, theirs = self.points[one], self.points[other]
                    yield one, other, 0.5 if mine == theirs else float(mine > theirs)

    def summary(self) -> MatchSummary:
        forfeit = self.forfeit
        return MatchSummary(
            id=self.id,
            round=self.round,
            table=self.table,
            rotation=self.rotation,
            players=self.players,
            points=self.points,
            sides=self.sides,
            faulty=forfeit.seat if forfeit else None,
            fault=forfeit.fault if forfeit else None,
            detail=forfeit.detail if forfeit else "",
            substitute=self.substitute,
            scores=self.scores,
        )

    def to_json(self) -> dict[str, Any]:
        """The documented shape of a record."""
        shape = _shape(self)
        shape["moves"] = [move._asdict() for move in self.moves]
        shape["forfeit"] = self.forfeit.to_json() if self.forfeit else None
        shape["bots"] = [bot.to_json() for bot in self.bots]
        return shape

    @classmethod
    def from_json(cls, shape: Mapping[str, Any]) -> MatchRecord:
        """The record that `to_json` wrote; StoreError where it is none."""
        try:
            fields = dict(shape)
            fields["moves"] = tuple(Move(**move) for move in shape["moves"])
            if forfeit := shape["forfeit"]:
                fields["forfeit"] = Forfeit.from_json(forfeit)
            fields["bots"] = tuple(map(BotReport.from_json, shape["bots"]))
            for name in ("players", "deals"):
                fields[name] = tuple(fields[name])
            for name in ("points", "sides"):
                fields[name] = None if fields[name] is None else tuple(fields[name])
            fields["scores"] = _scores(fields.get("scores"))
            return cls(**fields)
        except (KeyError, TypeError, ValueError) as error:
            name = shape.get("id", "?") if isinstance(shape, Mapping) else "?"
            raise StoreError(f"the record of match {name} cannot be read: {error!r}") from error


def _shape(match: MatchSummary | MatchRecord) -> dict[str, Any]:
    """All fields; `substitute` and `scores` only where they are known, as most matches have no substitute."""
    shape = {name: getattr(match, name) for name in match.__slots__}
    for name in ("substitute", "scores"):
        if shape[name] is None:
            del shape[name]
    return shape


def _scores(shape: Iterable[Iterable[int]] | None) -> tuple[tuple[int, ...], ...] | None:
    """Points by seat after each deal; None in records of earlier versions."""
    return None if shape is None else tuple(map(tuple, shape))


def hash_of_deals(deals: Sequence[Mapping[str, Any]]) -> str:
    """SHA-256 over the canonical JSON (sorted keys, no blanks) of a round's planned deals."""
    text = json.dumps(list(deals), sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


def rounded_to_us(ns: int) -> int:
    """Nanoseconds rounded to whole microseconds, the precision that is stored."""
    return (ns + 500) // 1000 * 1000
