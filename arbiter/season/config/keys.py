"""A season's file as written: names of keys, types, ranges, defaults."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    model_validator,
)

from arbiter.errors import ConfigError
from arbiter.match.limits import (
    USUAL,
    USUAL_ROUNDS,
    Clock,
    Delivery,
    End,
    Isolation,
    WrittenLimits,
    parse_memory,
    parse_start,
)
from arbiter.season.config.models import USUAL_ATTEMPTS, Attempts, ModelKeys, Prices, Tokens, harness_command
from arbiter.season.config.submission_settings import ARCHIVES, parse_size, parse_total
from arbiter.season.config.value_types import (
    Amount,
    Commitment,
    Count,
    Elo,
    Every,
    Moment,
    Name,
    Seed,
    Share,
    StoreUrl,
    Time,
    Word,
    checked,
    memory_of,
    refused,
    with_unit,
)
from arbiter.season.config.webhook_settings import USUAL_EVENTS, EventName, Form, Webhook, check_url

if TYPE_CHECKING:
    from pathlib import Path

    from arbiter.match.spec import Limits

Pairing: TypeAlias = Literal["variance", "variance-sequential", "a-optimal", "d-optimal", "swiss", "random"]
AfterFault: TypeAlias = Literal["end", "substitute"]
Missed: TypeAlias = Literal["play", "skip"]
Anchors: TypeAlias = Annotated[dict[Word, Elo], Field(min_length=1)]
MOST_WEBHOOKS = 20
"""Webhooks of one season; each has a thread."""
_USUAL: Any = USUAL  # texts there, literals here


class Key(Enum):
    """What a change of a key affects; an unmarked key affects matches."""

    FREE = "nothing that was played: the digest does not cover it"
    BETWEEN = "who meets whom and how they are rated, but no match"


class StrictModel(BaseModel):
    """A model that refuses unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class VersionModel(StrictModel):
    """A program's command and environment."""

    command: Annotated[list[Word], Field(min_length=1)]
    env: dict[str, str | StrictInt] = {}
    read: list[Word] = []
    batched: StrictBool = False

    def variables(self) -> dict[str, str]:
        """`env` as text."""
        return {key: str(value) for key, value in self.env.items()}


def _as_mapping(value: object) -> object:
    """Return a list of words as a mapping with `command`; refuse a single text."""
    if isinstance(value, str):
        raise refused("version", "is one text, not a command's words", "write [python3, bot.py]")
    return {"command": value} if isinstance(value, list) else value


Version = Annotated[VersionModel, BeforeValidator(_as_mapping)]


class PlayerModel(VersionModel):
    """One entry of ``players``; with a `model` its command is that of the harness."""

    name: Name
    model: ModelKeys | None = None
    version: Name | StrictInt | None = None
    house: StrictBool = False
    rung: Annotated[StrictBool | None, AfterValidator(lambda given: given or None)] = None
    sha256: Commitment | None = None
    publish_notes: StrictBool | None = None

    @model_validator(mode="before")
    @classmethod
    def _use_harness_command(cls, value: object) -> object:
        """Give a model the harness's command; refuse command, read, env, sha256 and house beside it."""
        if not isinstance(value, dict) or not isinstance(value.get("model"), dict):
            return value
        for key in ("command", "read", "env", "sha256"):
            if value.get(key):
                text = f"model: a model has no {key} of its own"
                raise refused("model", text, f"leave out {key}, or model")
        if value.get("house"):
            text = "model: a model is no house bot: it would be asked wherever one sits in"
            raise refused("model", text, "leave out house")
        return {**value, "command": harness_command()}

    @model_validator(mode="after")
    def _refuse_house_rung(self) -> Self:
        """Refuse a player that is both `rung` and `house`."""
        if self.rung and self.house:
            text = "rung: a rung plays in every round, and a house bot only to fill up"
            raise refused("rung", text, "leave out house, and name another player in house_bots")
        return self


def _refuse_bubblewrap(value: object) -> object:
    """Refuse bubblewrap, a tier of earlier versions."""
    if value == "bwrap":
        raise refused("tier", "bubblewrap holds builds alone; no bot plays in it any more", "write landlock")
    return value


class TableModel(StrictModel):
    """The keys shared by all files that have matches played."""

    time: Time = USUAL.time
    start_time: Annotated[str, with_unit("{}s".format), checked(parse_start, "time")] = USUAL.start_time
    memory: Annotated[str, with_unit(memory_of), checked(parse_memory, "memory")] = USUAL.memory
    clock: Clock = _USUAL.clock
    delivery: Delivery = _USUAL.delivery
    isolation: Annotated[Isolation, BeforeValidator(_refuse_bubblewrap)] = _USUAL.isolation
    end: End = _USUAL.end

    def limits(self) -> Limits:
        return WrittenLimits(**{key: getattr(self, key) for key in TableModel.model_fields}).limits()


class StopModel(StrictModel):
    """The stop rules of a run: share of a round's matches that end by faults, half width of all intervals in
    Elo, or cost.
    """

    faults: Share = 1
    elo: Amount | None = None
    cost: Amount | None = None


def _refuse_bare_share(value: object) -> object:
    """Refuse a bare number, whose meaning is unclear."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise refused("share", f"{value} does not say of what", f"write {{faults: {value}}}")
    return value


class LanguageModel(StrictModel):
    """A program that starts bots, and the paths that they may read for it."""

    program: Word
    read: list[Word] = []


def _check_program_name(text: str) -> None:
    """Raise ConfigError for a word that is unprintable, has / or blanks around it, or is "", "." or ".."."""
    if not text.isprintable() or text != text.strip() or "/" in text or text in ("", ".", ".."):
        hint = "the word that a command begins with, such as python3"
        raise ConfigError(f"not the name of a program: {text!r}", hint=hint)


def _as_language(value: object) -> object:
    """Expand a path to a mapping with that program."""
    return {"program": value} if isinstance(value, str) else value


def _check_path(model: LanguageModel) -> LanguageModel:
    """Refuse a program without a slash, which is no path."""
    if "/" not in model.program:
        raise refused("path", f"{model.program} is not a path", "write the program's whole path")
    return model


Language = Annotated[LanguageModel, BeforeValidator(_as_language), AfterValidator(_check_path)]


class Submissions(StrictModel):
    """The key ``submissions``: authors may send programs, `per_day` new archives in 24 hours, `until` a time.

    `builds` is false to refuse sources that need a compiler.
    """

    until: Moment | None = None
    max_size: Annotated[str, with_unit("{:g}MB".format), checked(parse_size, "size")] = "10MB"
    per_day: Annotated[StrictInt, Field(gt=0)] = 10
    builds: StrictBool = True
    max_total: Annotated[str, with_unit("{:g}MB".format), checked(parse_total, "size")] | None = None

    @model_validator(mode="after")
    def _check_total(self) -> Self:
        """Refuse a `max_total` smaller than `max_size`."""
        if self.max_total is not None and parse_total(self.max_total) < parse_size(self.max_size):
            text = f"max_total: {self.max_total} is less than one archive may have ({self.max_size})"
            raise refused("size", text, "write more, such as 500MB")
        return self

    @property
    def max_bytes(self) -> int:
        return parse_size(self.max_size)

    @property
    def total(self) -> int:
        """The most bytes of all files of an author: archives, and their unpacked and built files."""
        return ARCHIVES * self.max_bytes if self.max_total is None else parse_total(self.max_total)


class Requests(StrictModel):
    """The key ``requests``: limits per author, and the most `matches` of each.

    Opponents are, beside an author's own versions, the players of the file (``house``), or also the active
    versions of other authors (``all``).
    """

    per_day: Annotated[StrictInt, Field(gt=0)] = 20
    per_hour: Annotated[StrictInt, Field(gt=0)] = 5
    matches: Annotated[StrictInt, Field(gt=0, le=10_000)] = 400
    against: Literal["house", "all"] = "house"


class WebhookModel(StrictModel):
    """One entry of ``webhooks``."""

    url: Annotated[str, checked(check_url, "address")]
    secret_file: Word
    events: Annotated[list[EventName], Field(min_length=1)] = list(USUAL_EVENTS)
    form: Form = "json"
    local: StrictBool = False

    def settled(self, folder: Path) -> Webhook:
        """Return the checked webhook, its secret's path below `folder`, that of the season's file."""
        events = tuple(dict.fromkeys(self.events))
        return Webhook(self.url, folder / self.secret_file, events, self.form, self.local)


@dataclass(frozen=True, kw_only=True)
class Terms:
    """The keys that a config takes unchanged from the file: such a key needs only a line here.

    `seed_commitment` is the SHA-256 of the seed's text, published before the season; `weak_seed` allows a
    guessable one.
    Rounds beyond `rounds` end before `until`; no round begins before `opens`, then one begins `every` period;
    `missed` is what happens to missed starts; the results of the last `freeze` rounds are held back from the
    public until the season is over.
    `publish_notes` shows all readers the notes of players without that key, once a round is complete;
    `publish_reviews` the reviews of its decisions; `review_by` names the player who reviews.
    `tokens` and `attempts` are the limits of models for a match, a move and a decision; `prices` are by
    player, as rated or as registered, in the `currency`.
    `anchors` are players with a known Elo, which fix the season's scale.
    `suspend_after` faults in a row, or in more than `suspend_share` of its last matches, suspend a player.
    """

    seed_commitment: Annotated[Commitment | None, Key.FREE] = None
    weak_seed: Annotated[StrictBool, Key.FREE] = False
    rounds: Annotated[StrictInt, Field(gt=0), Key.FREE] = USUAL_ROUNDS
    until: Annotated[Moment | None, Key.FREE] = None
    opens: Annotated[Moment | None, Key.FREE] = None
    every: Annotated[Every | None, Key.FREE] = None
    missed: Annotated[Missed, Key.FREE] = "play"
    freeze: Annotated[Count, Key.FREE] = 0
    publish_notes: Annotated[StrictBool, Key.FREE] = False
    publish_reviews: Annotated[StrictBool, Key.FREE] = False
    review_by: Annotated[Word | None, Key.FREE] = None
    opening_rounds: Annotated[Count, Key.BETWEEN] = 12
    pairing: Annotated[Pairing, Key.BETWEEN] = "variance"
    require_isolation: StrictBool = False
    tokens: Tokens | None = None
    attempts: Attempts = USUAL_ATTEMPTS
    prices: Annotated[Prices | None, Key.FREE] = None
    currency: Annotated[Name | None, Key.FREE] = None
    anchors: Annotated[Anchors | None, Key.BETWEEN] = None
    suspend_after: Annotated[Count, Key.BETWEEN] = 12
    suspend_share: Annotated[Share, Key.BETWEEN] = 0.5
    qualify: Annotated[StrictBool, Key.FREE] = False


class SeasonModel(TableModel, Terms):  # type: ignore[misc]  # frozen too, by `model_config`
    """The file as written: names, types and ranges; defaults as documented."""

    season: Annotated[Name | None, Key.FREE] = None
    folder: Annotated[Word, Key.FREE] = "."
    game: str | dict[str, Any]
    seed: Annotated[Seed, Key.FREE] = "auto"
    store: Annotated[StoreUrl | None, Key.FREE] = None
    workers: Annotated[Literal["auto"] | Annotated[StrictInt, Field(gt=0)], Key.FREE] = "auto"
    ship: Annotated[list[Word], Key.FREE] = []
    house_bots: Annotated[list[Word], Key.BETWEEN] = []
    stop_when: Annotated[StopModel, BeforeValidator(_refuse_bare_share), Key.FREE] = StopModel()
    after_fault: Annotated[AfterFault | None, Key.BETWEEN] = None
    submissions: Annotated[Submissions | None, Key.FREE] = None
    requests: Annotated[Requests | None, Key.FREE] = None
    webhooks: Annotated[list[WebhookModel], Field(max_length=MOST_WEBHOOKS), Key.FREE] = []
    languages: dict[Annotated[str, checked(_check_program_name, "word")], Language] = {}
    players: Annotated[list[PlayerModel], Field(min_length=1), Key.BETWEEN]

    def fault_rule(self) -> AfterFault:
        """Return what follows a fault; by default a substitute with submissions and house bots, else the end.

        An author's second program could end every match in which the first is behind.
        """
        if self.after_fault is not None:
            return self.after_fault
        return "substitute" if self.submissions is not None and self.house_bots else "end"


def keys_that_are(mark: Key) -> frozenset[str]:
    """Return the keys of a season's file with this mark."""
    return frozenset(name for name, key in SeasonModel.model_fields.items() if mark in key.metadata)
