"""The answers of the site alone, as JSON has them: rules, submissions, orders, the log, errors.

What commands tell as well is in `arbiter.season.snapshot.schema`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from arbiter.contest.requests.outcomes import RequestOutcome
from arbiter.season.administration import RankChange
from arbiter.season.snapshot.match_schema import MatchRow, Pages
from arbiter.trials.regression.figures import RatioLine, TrialFigures


class ErrorBody(TypedDict):
    """An error: a word for programs, a sentence, what mends it; of a limit, also when it is over."""

    code: str
    message: str
    hint: str
    limit: NotRequired[int]
    seconds: NotRequired[int]


class Failure(TypedDict):
    """Any answer that is none of those asked for."""

    error: ErrorBody


class GameOption(TypedDict):
    """An option of a game, and its value in this season."""

    option: str
    value: Any
    says: str


class GameRules(TypedDict):
    """The game; `seats` are players, `table` how many of them meet, in `seatings` orders."""

    name: str
    title: str
    seats: int
    table: int
    seatings: int
    options: Sequence[GameOption]


class SeasonLimits(TypedDict):
    """The limits as a season's file has them, and what they come to on this machine."""

    time: str
    time_says: str
    start_time: str | None
    start_says: str | None
    memory: str
    memory_bytes: int
    clock: str
    delivery: str
    end: str
    isolation: str
    refused: str | None
    suspend_after: int
    suspend_share: float
    suspend_rounds: int
    after_fault: str


class Calendar(TypedDict):
    """The times of rounds."""

    rounds: int
    opens: str | None
    every_s: float | None
    missed: str
    until: str | None


class KnownFile(TypedDict):
    """A file that needs no `bot.yaml`: what builds it, and what starts it."""

    name: str
    build: Sequence[str]
    command: Sequence[str]


class SubmissionTerms(TypedDict):
    """The terms for what authors send, and until when."""

    until: str | None
    max_bytes: int
    per_day: int
    builds: bool
    written: str
    meant: Sequence[str]
    endings: Sequence[str]
    files: Sequence[KnownFile]


class KnownLanguage(TypedDict):
    """A language that this machine has, with the versions of libraries."""

    word: str
    version: str
    libraries: Mapping[str, str]


class Manuals(TypedDict):
    """What there is to read of a game, in Markdown."""

    manual: str
    protocol: str


class Rules(Manuals):
    """What a season asks of a bot; `manual` and `protocol` are Markdown, `check` is a command.

    `publish_notes` says whether notes are for all where an author says nothing.
    """

    season: str
    game: GameRules
    limits: SeasonLimits
    calendar: Calendar
    submissions: SubmissionTerms | None
    publish_notes: bool
    languages: Sequence[KnownLanguage]
    starter: str | None
    check: str


class Sent(TypedDict):
    """The answer to an archive; `judged` is the moment of a verdict that is there already."""

    id: int
    version: int
    state: str
    judged: NotRequired[str]


class StepRow(TypedDict):
    """A step of an inspection; `fix` says what mends it, `output` is what a program wrote."""

    name: str
    ok: bool
    detail: str
    fix: str
    output: str


class SubmissionInShort(TypedDict):
    """A version that somebody sent; `say` tells in words whether it plays, after its name.

    `judged` is the moment of its verdict, None before it, and for those of earlier versions of the service.
    """

    id: int
    version: int
    sha256: str
    received: str
    judged: str | None
    state: str
    active: bool
    joins_round: int | None
    bytes: int | None
    suspended: str | None
    say: str


class SubmissionInFull(SubmissionInShort):
    """The same with its inspection."""

    steps: Sequence[StepRow]


class SubmissionList(TypedDict):
    """All that an author sent, the newest first."""

    submissions: Sequence[SubmissionInShort]


class RequestInShort(TypedDict):
    """A request; until it is over `place` is that in the queue, and `eta_s` the seconds left, about.

    `score` is the share of all results won, `interval` where it is with 95 %; `played` of at most `most`
    matches are stored; `problem` is why it was refused. `say` tells in words how it stands.
    """

    id: int
    kind: str
    version: int
    player: str
    against: Sequence[str]
    state: str
    place: int | None
    eta_s: float | None
    received: str
    ended: str | None
    played: int
    most: int
    score: float | None
    interval: Sequence[float] | None
    problem: str | None
    say: str


class RequestInFull(RequestInShort):
    """The same with what came of it, None before the first board, and its matches."""

    outcome: RequestOutcome | None
    matches: Sequence[MatchRow]


class RequestList(TypedDict):
    """All that an author asked for lately, the newest first; how many more he may ask for now."""

    requests: Sequence[RequestInShort]
    left: int


class PauseState(TypedDict):
    """Since when a season is paused, and closed."""

    paused: str | None
    closed: str | None


class Accepted(TypedDict):
    """The consent that was given."""

    accepted: str


class Ordered(TypedDict):
    """The subjects of an order, and the players whom it moves."""

    subjects: Sequence[str]
    standings: Sequence[RankChange]


class AuditEntry(TypedDict):
    """An entry of the log: the deed, its author, the moment, and why."""

    moment: str
    who: str
    verb: str
    subject: str
    because: str


class Audit(TypedDict):
    """A page of the log, the newest first; `next` is the `cursor` of the page after it."""

    audit: Sequence[AuditEntry]
    next: int | None


TrialState = Literal["playing", "decided", "undecided", "unreadable"]


class TrialRow(TypedDict):
    """A regression test in a list; `say` is its verdict in a line, or why it cannot be read.

    `verdict` is None while there is none, `llr` where it means nothing.
    """

    name: str
    state: TrialState
    say: str
    game: str
    verdict: str | None
    llr: float | None
    bounds: Sequence[float] | None
    blocks: int
    matches: int


class TrialList(Pages):
    """A page of tests, the last begun first; `next` is the page after it."""

    tests: Sequence[TrialRow]
    total: int


class FaultyBot(TypedDict):
    """The seat whose fault ended a match, and the kind of fault."""

    seat: int
    kind: str


class WorstMatch(TypedDict):
    """A match to look at first: its result in words, and its score for the candidate from 0 to 1.

    `winners` are seats, as those of `fault` and the order of `players` are.
    """

    match: str
    score: float | None
    players: Sequence[str]
    points: Sequence[int] | None
    winners: Sequence[int]
    fault: FaultyBot | None
    say: str


class TrialInFull(TrialFigures):
    """A regression test: `rows` are its figures as labels and texts, `line` is its LLR from block to block.

    `seed` is None until there is a verdict, and where it was given: who knows it knows the deals.
    """

    state: TrialState
    say: str
    rows: Sequence[Sequence[str]]
    line: RatioLine
    worst: Sequence[WorstMatch]
    seed: str | None
