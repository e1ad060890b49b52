"""Types of the JSON that only the site returns: rules, submissions, orders, the audit log, errors.

Those shared with commands are in `arbiter.season.snapshot.schema`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from arbiter.contest.requests.outcomes import RequestOutcome
from arbiter.season.administration import RankChange
from arbiter.season.snapshot.match_schema import MatchRow, Pages
from arbiter.trials.regression.choice_text import ChoiceFigures
from arbiter.trials.regression.figures import RatioLine, TrialFigures


class ErrorBody(TypedDict):
    """An error: its code, a message, a hint; for a limit, the limit and the seconds until a retry."""

    code: str
    message: str
    hint: str
    limit: NotRequired[int]
    seconds: NotRequired[int]


class Failure(TypedDict):
    """The answer to a request that failed or was refused."""

    error: ErrorBody


class GameOption(TypedDict):
    """An option of a game, and its value in this season."""

    option: str
    value: Any
    says: str


class GameRules(TypedDict):
    """The game; `seats` is its number of seats, `table` of players at a table, `seatings` of seatings."""

    name: str
    title: str
    seats: int
    table: int
    seatings: int
    options: Sequence[GameOption]


class SeasonLimits(TypedDict):
    """The limits as in a season's file, with their effect on this machine."""

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
    """The schedule of rounds."""

    rounds: int
    opens: str | None
    every_s: float | None
    missed: str
    until: str | None


class KnownFile(TypedDict):
    """A file that needs no `bot.yaml`, with the commands that build and start it."""

    name: str
    build: Sequence[str]
    command: Sequence[str]


class SubmissionTerms(TypedDict):
    """The terms of submissions."""

    until: str | None
    max_bytes: int
    per_day: int
    builds: bool
    written: str
    meant: Sequence[str]
    endings: Sequence[str]
    files: Sequence[KnownFile]


class KnownLanguage(TypedDict):
    """A language installed on this machine, with the versions of libraries."""

    word: str
    version: str
    libraries: Mapping[str, str]


class Kit(TypedDict):
    """A starter kit in another language than Python, and its address."""

    language: str
    address: str


class Manuals(TypedDict):
    """The manuals of a game and of the protocol, in Markdown."""

    manual: str
    protocol: str


class Rules(Manuals):
    """The rules of a season for bots; `manual` and `protocol` are Markdown, `check` is a command.

    `publish_notes` is the default for authors who do not choose whether notes are public.
    """

    season: str
    game: GameRules
    limits: SeasonLimits
    calendar: Calendar
    submissions: SubmissionTerms | None
    publish_notes: bool
    languages: Sequence[KnownLanguage]
    starter: str | None
    kits: Sequence[Kit]
    check: str


class Sent(TypedDict):
    """The answer to an archive; `judged` is the time of an existing verdict."""

    id: int
    version: int
    state: str
    judged: NotRequired[str]


class StepRow(TypedDict):
    """A step of an inspection; `fix` is a hint, `output` is the output of a program."""

    name: str
    ok: bool
    detail: str
    fix: str
    output: str


class OrganiserAction(TypedDict):
    """What an organiser did for an author with a version: `send`, `activate` or `inspect`, and when."""

    what: str
    moment: str


class SubmissionInShort(TypedDict):
    """A submitted version; `say` is a predicate that describes whether it plays.

    `judged` is the time of its verdict, None before it and if an earlier release did not store it. Until then
    `place` is that among the season's `waiting` versions, 1 being the next or under inspection.
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
    place: int | None
    waiting: int | None
    by_organiser: Sequence[OrganiserAction]


class SubmissionInFull(SubmissionInShort):
    """A submitted version with its inspection."""

    steps: Sequence[StepRow]


class SubmissionList(TypedDict):
    """The submissions of an author, the newest first."""

    submissions: Sequence[SubmissionInShort]


class RequestInShort(TypedDict):
    """A request; until it ends `place` is that among the `waiting`, `eta_s` the estimated seconds left.

    `score` is the share of results won, `interval` its 95 % interval; `played` of at most `most` matches are
    stored; `problem` is the reason of a refusal. `say` is a predicate that describes its state.
    """

    id: int
    kind: str
    version: int
    player: str
    against: Sequence[str]
    state: str
    place: int | None
    waiting: int | None
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
    """A request with its outcome, None before the first board, and its matches."""

    outcome: RequestOutcome | None
    matches: Sequence[MatchRow]


class RequestList(TypedDict):
    """The latest requests of an author, the newest first; `left` more are possible now."""

    requests: Sequence[RequestInShort]
    left: int


class PauseState(TypedDict):
    """The times since which a season is paused or closed, or None."""

    paused: str | None
    closed: str | None


class Accepted(TypedDict):
    """What was accepted."""

    accepted: str


class Ordered(TypedDict):
    """The subjects of an order, and the players whose rank, rating or points change."""

    subjects: Sequence[str]
    standings: Sequence[RankChange]


class AuditEntry(TypedDict):
    """An entry of the audit log."""

    moment: str
    who: str
    verb: str
    subject: str
    because: str


class Audit(TypedDict):
    """A page of the audit log, the newest first; `next` is the `cursor` of the next page."""

    audit: Sequence[AuditEntry]
    next: int | None


TrialState = Literal["playing", "decided", "undecided", "unreadable"]


class TrialRow(TypedDict):
    """A regression test in a list; `say` is its verdict in a line, or why it cannot be read.

    `verdict` is None until it is reached, `llr` if it is meaningless.
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
    """A page of tests, the last begun first; `next` is the number of the next page."""

    tests: Sequence[TrialRow]
    total: int


class FaultyBot(TypedDict):
    """The seat whose fault ended a match, and the kind of fault."""

    seat: int
    kind: str


class WorstMatch(TypedDict):
    """One of the candidate's worst matches: its result in words, and the candidate's score from 0 to 1.

    `players` are by seat; `winners` are seats.
    """

    match: str
    score: float | None
    players: Sequence[str]
    points: Sequence[int] | None
    winners: Sequence[int]
    fault: FaultyBot | None
    say: str


class ChoiceInFull(ChoiceFigures):
    """A test of several candidates, as `TrialInFull` without the LLR."""

    state: TrialState
    say: str
    rows: Sequence[Sequence[str]]
    worst: Sequence[WorstMatch]
    seed: str | None


class TrialInFull(TrialFigures):
    """A regression test: `rows` are its figures as labels and texts, `line` is its LLR by block.

    `seed` is None until there is a verdict, and if it was given: it reveals the deals.
    """

    state: TrialState
    say: str
    rows: Sequence[Sequence[str]]
    line: RatioLine
    worst: Sequence[WorstMatch]
    seed: str | None
