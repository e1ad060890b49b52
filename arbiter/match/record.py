"""Played matches: frozen values, to and from JSON.

A `MatchRecord` is everything stored. Why a match ended (`Forfeit`) is separate from who won
(`results`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import sha256
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from arbiter.errors import StoreError
from arbiter.match.notes import Note, notes_from_json, notes_to_json
from arbiter.match.token_usage import NOTHING, BilledTokens, ModelUse, model_use

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arbiter.games.game import Seat


PLACEHOLDER_IDS = ("match", "by hand")
"""The ids of matches outside a season before `with_digest_id`, and in files of earlier versions."""


class Fault(StrEnum):
    """The kinds of faults, each of which ends a match as a loss."""

    ILLEGAL = "illegal"
    MALFORMED = "malformed"
    REFUSED = "refused"
    OUT_OF_TURN = "out_of_turn"
    TIMEOUT = "timeout"
    CRASH = "crash"
    MEMORY = "memory"
    OUTPUT = "output"
    UNPARSABLE = "unparsable"
    TRUNCATED = "truncated"
    TOKENS = "tokens"


_EARLIER = {Fault.CRASH: ("private", ": "), Fault.TIMEOUT: ("spent", "; budget ")}
"""For the `detail` of earlier versions: the field that followed `reason`, and the separator."""
_LISTS = frozenset(
    {
        "players",
        "deals",
        "points",
        "sides",
        "scores",
        "notes",
        "stderr_at",
        "notes_public",
        "models",
        "programs",
    }
)
"""Fields that are tuples (perhaps of tuples), and lists in JSON."""
_LEFT_OUT = {
    "substitute": None, "scores": None, "stderr_head": "", "stderr_at": (), "move_notes": None,
    "notes_public": (), "model": None, "models": (), "programs": (), "times": None,
    "sent": "", "ended": "",
}  # fmt: skip
"""Fields left out of JSON when they have this value."""


class _JsonFields:
    """A class whose slots are stored as JSON."""

    __slots__: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values and tuples of them, without those at the values of `_LEFT_OUT`."""
        shape = {name: getattr(self, name) for name in self.__slots__}
        return {key: item for key, item in shape.items() if key not in _LEFT_OUT or item != _LEFT_OUT[key]}

    @classmethod
    def from_json(cls, shape: Mapping[str, Any]) -> Self:
        """Return the object that `to_json` wrote; KeyError, TypeError or ValueError for another shape."""
        return cls(**_fields_from_json(shape))


def _fields_from_json(shape: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields with lists as tuples and `fault` as a `Fault`; ValueError for an unknown fault."""
    fields = dict(shape)
    for name in _LISTS & fields.keys():
        if (value := fields[name]) is not None:
            # A list first, which is faster: reading a store does this tens of thousands of times.
            fields[name] = tuple([tuple(item) if isinstance(item, list) else item for item in value])
    if fields.get("fault") is not None:
        fields["fault"] = Fault(fields["fault"])
    return fields


class Move(NamedTuple):
    """One accepted answer to a ``gen_`` command; times in ns.

    `charged_ns` is the total charge to the seat since its previous move, `left_ns` its time left
    after this one. `cpu_ns` and `delay_ns` are 0 where the answer came before the meters were read
    (within the first 0.2 ms).
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
class Forfeit(_JsonFields):
    """The fault that ended a match, with the last command sent and the raw reply to it.

    The command is "" where another seat had to answer. `reason` is the referee's text, `spent` how a budget
    was used up, `private` what the bot itself wrote. `times` has the fields of a `Move` in ns for a request
    that the fault ended; None if unknown. `sent` and `ended` are when the command was sent and the fault was
    found, as `started` of the record; "" if unknown.
    """

    seat: Seat
    player: str
    fault: Fault
    reason: str
    command: str
    reply: str
    spent: str = ""
    private: str = ""
    times: Mapping[str, int] | None = None
    sent: str = ""
    ended: str = ""

    @property
    def answer_word(self) -> str:
        """The first line of the raw reply without "=", at most 60 characters."""
        return self.reply.partition("\n")[0].removeprefix("=").strip()[:60]

    @property
    def detail(self) -> str:
        """Reason, spent budget and private text, in one line."""
        spent = f"; budget {self.spent}" if self.spent else ""
        private = f": {self.private}" if self.private else ""
        return f"{self.reason}{spent}{private}"

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values, with the `detail`."""
        return _JsonFields.to_json(self) | {"detail": self.detail}

    @classmethod
    def from_json(cls, shape: Mapping[str, Any]) -> Self:
        """Return the object that `to_json` wrote, or an earlier version with only `detail`."""
        fields = dict(shape)
        detail = fields.pop("detail")
        if "reason" not in fields:
            fields["reason"] = detail
            if (earlier := _EARLIER.get(fields["fault"])) is not None:
                part, mark = earlier
                fields["reason"], _, fields[part] = detail.partition(mark)
        return cls(**_fields_from_json(fields))


@dataclass(frozen=True, slots=True)
class BotReport(_JsonFields):
    """One process after the match.

    `exit` is the exit status, negative for the signal that ended it, None if the referee killed it.
    `stderr_head` is the beginning of what does not fit into `stderr_tail`, with a line on what is left out.
    `stderr_at` dates the parts of the tail: (offset, "during" or "since", number of a move from 1), each up
    to the next; the part before the first precedes the bot's first move. `model` has a model's calls, as JSON
    (docs/reference/match-record.md).
    """

    player: str
    exit: int | None = None
    cpu_ns: int = 0
    charged_ns: int = 0
    peak_memory_bytes: int = 0
    notes: tuple[str, ...] = ()
    stderr_head: str = ""
    stderr_tail: str = ""
    stderr_at: tuple[tuple[int, str, int], ...] = ()
    model: Mapping[str, Any] | None = None

    @property
    def stderr(self) -> str:
        """What is kept of its standard error."""
        return self.stderr_head + self.stderr_tail


@dataclass(frozen=True, slots=True)
class MatchSummary(_JsonFields):
    """The parts of a match that ratings and lists need, stored beside the record; `scores` as there.

    `models` are rows of `ModelUse`, for seats played by a language model.
    """

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
    models: tuple[tuple[int, ...], ...] = ()

    def uses(self) -> Iterable[tuple[str, ModelUse]]:
        """Return each model's usage, with the name of its player."""
        return ((self.players[row[0]], ModelUse(*row)) for row in self.models)

    def billed(self) -> dict[str, BilledTokens]:
        """Return the tokens of models, by player."""
        found: dict[str, BilledTokens] = {}
        for name, use in self.uses():
            found[name] = found.get(name, NOTHING).plus(use.billed)
        return found


@dataclass(frozen=True, slots=True)
class MatchRecord(_JsonFields):
    """The stored record of a match; lists are by seat. `points` is None after a forfeit.

    `scores` are the total points after each finished deal; None in records of earlier versions.
    `move_notes` are by number of the move, from 1; those of the seats in `notes_public` are public.
    `programs` are digests by seat, which tell apart players of one name; () if unknown.
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
    # Thousands of characters, which would flood a terminal.
    deals: tuple[Mapping[str, Any], ...] = field(repr=False)
    moves: tuple[Move, ...] = field(repr=False)
    points: tuple[int, ...] | None
    forfeit: Forfeit | None
    sides: tuple[int, ...] | None = None
    bots: tuple[BotReport, ...] = field(default=(), repr=False)
    delivery: str = "strict"
    clock: str = "adjusted"
    isolation: Mapping[str, Any] = field(default_factory=dict)
    host: Mapping[str, Any] = field(default_factory=dict)
    started: str = ""
    wall_ns: int = 0
    substitute: Seat | None = None
    scores: tuple[tuple[int, ...], ...] | None = None
    move_notes: Mapping[int, Note] | None = field(default=None, repr=False)
    notes_public: tuple[Seat, ...] = ()
    programs: tuple[str, ...] = ()

    def results(self) -> Iterable[tuple[Seat, Seat, float]]:
        """Yield the pairwise results: (seat, other seat, 1 won, 0.5 drew, 0 lost), each pair of players once.

        A completed match compares every two players who are not partners; after a fault the
        faulty player loses to each of the others, its partner included, and nothing else counts. A player
        on several seats counts at the first of them. A substitute has no results, and its fault gives none.
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
        """Return the match without moves and deals, with the fault of a forfeit and the models' usage."""
        shared = {name: getattr(self, name) for name in MatchSummary.__slots__ if name in self.__slots__}
        if (forfeit := self.forfeit) is not None:
            shared |= {"faulty": forfeit.seat, "fault": forfeit.fault, "detail": forfeit.detail}
        return MatchSummary(**shared, models=tuple(self.uses()))

    def with_digest_id(self) -> Self:
        """Return the record of a match outside a season with a digest of its content as id."""
        text = json.dumps({**self.to_json(), "id": ""}, sort_keys=True)
        return replace(self, id=f"match-{sha256(text.encode()).hexdigest()[:16]}")

    def uses(self) -> Iterable[ModelUse]:
        """Yield the usage of the language models at the table."""
        answered = Counter(move.seat for move in self.moves)
        faulty = None if self.forfeit is None else self.forfeit.seat
        for seat, bot in enumerate(self.bots):
            if bot.model is not None:
                yield model_use(seat, bot.model, answered[seat], seat == faulty)

    def to_json(self) -> dict[str, Any]:
        """Return the record in its documented form."""
        parts = {
            "moves": [move._asdict() for move in self.moves],
            "forfeit": self.forfeit and self.forfeit.to_json(),
            "bots": [bot.to_json() for bot in self.bots],
        }
        return _JsonFields.to_json(self) | parts | notes_to_json(self.move_notes)

    @classmethod
    def from_json(cls, shape: Mapping[str, Any]) -> Self:
        """Return the record that `to_json` wrote; StoreError for another shape."""
        try:
            parts = {
                "moves": tuple(Move(**move) for move in shape["moves"]),
                "forfeit": shape["forfeit"] and Forfeit.from_json(shape["forfeit"]),
                "bots": tuple(map(BotReport.from_json, shape["bots"])),
                "move_notes": notes_from_json(shape.get("move_notes")),
            }
            return cls(**_fields_from_json({**shape, **parts}))
        except (KeyError, TypeError, ValueError) as error:
            name = shape.get("id", "?") if isinstance(shape, Mapping) else "?"
            raise StoreError(f"the record of match {name} cannot be read: {error!r}") from error


def rounded_to_us(ns: int) -> int:
    """Round nanoseconds to whole microseconds, the stored precision."""
    return (ns + 500) // 1000 * 1000
