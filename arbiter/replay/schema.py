"""The types of a match for a reader: a replay in the form ``arbiter-replay/1``.

docs/reference/replay.md explains each key. JSON schemas and the types of the scripts are generated from these
types; modules that only write replays import them for type checking alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired

from typing_extensions import TypeAliasType, TypedDict


class CardFace(TypedDict):
    """The picture of a card."""

    rank: str
    suit: str
    say: str


class FrameChanges(TypedDict, total=False):
    """The parts of a `Frame` that differ from the one before; see `FrameRecorder`."""

    hands: Sequence[Sequence[str] | None]
    counts: Sequence[int]
    table: Sequence[tuple[int, str, tuple[str, ...]]]
    laid: tuple[int, str, tuple[str, ...]]
    roles: Mapping[str, Any]
    to_act: int | None
    request: str
    points: Sequence[int]
    say: str


class DealtCards(TypedDict):
    """A deal's cards; its game adds roles and other keys."""

    deal: int
    hands: Sequence[Sequence[str] | None]
    extra: NotRequired[Sequence[str]]


DealtCards.__pydantic_config__ = {"extra": "allow"}  # type: ignore[attr-defined]


class EventPlace(TypedDict):
    """A place in the match."""

    i: int
    deal: int
    shown: NotRequired[FrameChanges]


class DealEvent(EventPlace):
    """A deal begins."""

    t: Literal["deal"]


class TellEvent(EventPlace):
    """A command to `seats`, by default the reader's own seat."""

    t: Literal["tell"]
    seats: NotRequired[list[int]]
    text: str


class AskEvent(EventPlace):
    """A request, with its `legal` answers if they may be seen."""

    t: Literal["ask"]
    seat: int
    request: str
    legal: NotRequired[list[str]]


class MoveNote(TypedDict, total=False):
    """The non-empty parts of a bot's note; `words` are lines."""

    value: float
    tags: list[str]
    words: list[str]


class AnswerEvent(EventPlace):
    """A decision and its times, with the bot's note before it if that may be seen."""

    t: Literal["answer"]
    seat: int
    request: str
    text: str
    charged_ms: float
    left_ms: float
    note: NotRequired[MoveNote]


class RevealEvent(EventPlace):
    """A decision that becomes public."""

    t: Literal["reveal"]
    seat: int
    text: str


class ExchangeEvent(EventPlace):
    """Cards given by `seat`; `cards` is None if hidden."""

    t: Literal["exchange"]
    seat: int
    to: int
    count: int
    cards: list[str] | None


class TrickEvent(EventPlace):
    """A seat takes the cards on the table."""

    t: Literal["trick"]
    seat: int
    text: NotRequired[str]


class EndDealEvent(EventPlace):
    """A deal is over; its points by seat."""

    t: Literal["end_deal"]
    points: list[int]


class FaultEvent(EventPlace):
    """A fault ends the match; the times of a request that it ended are as those of an answer."""

    t: Literal["fault"]
    seat: int
    player: str
    fault: str
    text: str
    request: NotRequired[str]
    charged_ms: NotRequired[float]
    left_ms: NotRequired[float]


Event = TypeAliasType("Event", DealEvent | TellEvent | AskEvent | AnswerEvent | RevealEvent | ExchangeEvent
                      | TrickEvent | EndDealEvent | FaultEvent)  # fmt: skip


class Emblem(TypedDict):
    """A player's emblem: one of twelve colours, and the outline of a shape, 20 by 20."""

    colour: int
    shape: str


class ReplayPlayer(TypedDict):
    """A player and its seat; partners have one `mark`."""

    name: str
    seat: int
    side: int | None
    mark: Emblem
    substitute: NotRequired[bool]


class ReplayMark(TypedDict):
    """A place to jump to."""

    i: int
    kind: str
    text: str


class ReplayGame(TypedDict):
    """The game and its options."""

    name: str
    options: dict[str, Any]


class EndedBy(TypedDict):
    """The fault that ended the match, and its player."""

    seat: int
    player: str
    kind: str
    deal: int
    text: str


class ReplayResult(TypedDict):
    """The result of the match, also in words; points and fault are both None without a result."""

    points: list[int] | None
    fault: EndedBy | None
    say: str


class Replay(TypedDict):
    """A match as its `reader` may see it."""

    format: Literal["arbiter-replay/1"]
    reader: str
    id: str
    season: str
    round: int | None
    game: ReplayGame
    players: list[ReplayPlayer]
    faces: dict[str, CardFace]
    planned: int | None
    deals: list[DealtCards]
    events: list[Event]
    marks: list[ReplayMark]
    result: ReplayResult
