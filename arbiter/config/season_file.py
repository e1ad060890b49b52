"""A season's file as written: names of keys, types, ranges, defaults."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetPydanticSchema,
    StrictBool,
    StrictFloat,
    StrictInt,
    model_validator,
)
from pydantic_core import PydanticCustomError

from arbiter.clock import SECOND, TimeControl, parse_duration
from arbiter.config.limits import (
    LEAST_MEMORY,
    MOST_MEMORY,
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
from arbiter.config.submissions import Submissions, parse_size, parse_total
from arbiter.errors import ConfigError
from arbiter.store.address import SCHEMES, address_of, refuse_query

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.match import Limits

LONGEST_NAME = 64
Pairing: TypeAlias = Literal["variance", "variance-sequential", "a-optimal", "d-optimal", "swiss", "random"]
AfterFault: TypeAlias = Literal["end", "substitute"]
Missed: TypeAlias = Literal["play", "skip"]


class Key(Enum):
    """What a change of a key changes; a key without a mark changes matches."""

    FREE = "nothing that was played: the digest does not cover it"
    BETWEEN = "who meets whom and how they are rated, but no match"


COMMITMENT = re.compile(r"[0-9a-f]{64}")
_USUAL: Any = USUAL  # texts there, literals here


def _parsed(parse: Callable[[str], object], kind: str) -> AfterValidator:
    """A pydantic validator from one of our parsers, keeping its message and hint."""

    def validate(value: str) -> object:
        try:
            return parse(value)
        except ConfigError as error:
            problem = error.problems[0]
            raise _refused(kind, problem.message, problem.hint) from None

    return AfterValidator(validate)


def _checked(check: Callable[[str], object], kind: str) -> AfterValidator:
    """The same for a text that stays as it is."""
    return _parsed(lambda text: (check(text), text)[1], kind)


def _from(written: Any) -> GetPydanticSchema:
    """What is read from a text of this kind, in the annotation of what it becomes."""
    return GetPydanticSchema(lambda _, handler: handler.generate_schema(written))


def check_name(text: str) -> None:
    """ConfigError for what cannot be the name of a player."""
    fits = 0 < len(text) <= LONGEST_NAME and text == text.strip() and text.isprintable()
    if not fits or any(mark in text for mark in '#@"'):
        raise ConfigError(f"not a name: {text!r}", hint="up to 64 characters without #, @ or double quotes")


def _check_store(text: str) -> None:
    scheme, found, _ = text.partition("://")
    if not found:
        hint = f"write {address_of(text)}, or postgresql+psycopg://user@host/database"
        raise ConfigError(f"not a store: {text!r}", hint=hint)
    if scheme not in SCHEMES:
        # Without the rest, which may hold a password.
        hint = "write sqlite:///file.sqlite or postgresql+psycopg://user@host/database"
        raise ConfigError(f"not a kind of store: {scheme}://", hint=hint)
    refuse_query(text)


def _check_commitment(text: str) -> None:
    if not COMMITMENT.fullmatch(text):
        hint = "64 digits of 0-9 and a-f, as sha256sum prints them"
        raise ConfigError(f"not a SHA-256: {text!r}", hint=hint)


def parse_until(text: str) -> datetime:
    """A moment; without a zone, one by this machine's clock."""
    try:
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        raise ConfigError(f"not a moment: {text!r}", hint="write 2026-12-01T18:00") from None


def parse_every(text: str) -> timedelta:
    """The time from a round's beginning to the next one's, a second at least."""
    try:
        ns = parse_duration(text)
    except ConfigError:
        ns = 0
    if ns < SECOND:
        raise ConfigError(
            f"not a time between rounds: {text!r}", hint="write 30m; at least 1s, at most 8760h"
        )
    return timedelta(microseconds=ns // 1000)


def _refused(kind: str, text: str, hint: str) -> PydanticCustomError:
    return PydanticCustomError(kind, "{text}", {"text": text, "hint": hint})


def _moment_text(value: object) -> object:
    """YAML reads some spellings of a moment as one; all are kept as text."""
    if isinstance(value, int | float):
        clock = _clock(value) if isinstance(value, int) else ""
        text = f"not a moment: {clock} has no day" if clock else f"not a moment: {value}"
        raise _refused("moment", text, f"write 2026-12-01T{clock or '18:00'}")
    return value.isoformat() if isinstance(value, date) else value


def _clock(number: int) -> str:
    """What was written where YAML reads this number: it takes ``18:00`` for 18 times 60."""
    if 60 <= number < 24 * 60:
        return f"{number // 60:02}:{number % 60:02}"
    if 60 * 60 <= number < 24 * 60 * 60:
        return f"{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}"
    return ""


def _with_unit(write: Callable[[float], str]) -> BeforeValidator:
    """A number is told how to be written with its unit, which only its author knows."""

    def refuse(value: object) -> object:
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < MOST_MEMORY:
            raise _refused("unit", f"{value} has no unit", f"write {write(value)}")
        return value

    return BeforeValidator(refuse)


def _memory_of(number: float) -> str:
    """The likeliest amount: a few are of GB, very many of bytes."""
    if number >= LEAST_MEMORY:
        return f"{number / 10**6:.0f}MB"
    return f"{number}GB" if number < LEAST_MEMORY / 10**6 else f"{number}MB"


def _check_seed(text: str) -> None:
    if not text.isprintable():
        raise ConfigError(f"not a seed: {text!r}", hint="printable characters only")


Word = Annotated[str, Field(min_length=1)]
Name = Annotated[str, _checked(check_name, "name")]
Seed: TypeAlias = Annotated[str, _checked(_check_seed, "seed")] | StrictInt
Time = Annotated[str, _with_unit("{}s".format), _checked(TimeControl.parse, "time")]
_MOMENT = Annotated[str, BeforeValidator(_moment_text), _parsed(parse_until, "moment")]
Moment = Annotated[datetime, _from(_MOMENT)]
_EVERY = Annotated[str, _with_unit("{}m".format), _parsed(parse_every, "time")]
Every = Annotated[timedelta, _from(_EVERY)]
Commitment = Annotated[str, _checked(_check_commitment, "commitment")]
Count = Annotated[StrictInt, Field(ge=0)]
Share = Annotated[StrictInt | StrictFloat, Field(gt=0, le=1)]
StoreUrl = Annotated[str, _checked(_check_store, "store")]


class StrictModel(BaseModel):
    """Unknown keys are mistakes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class VersionModel(StrictModel):
    """A program, and what it is started with."""

    command: Annotated[list[Word], Field(min_length=1)]
    env: dict[str, str | StrictInt] = {}
    read: list[Word] = []
    batched: StrictBool = False

    def variables(self) -> dict[str, str]:
        """`env` as text."""
        return {key: str(value) for key, value in self.env.items()}


def _as_mapping(value: object) -> object:
    """A command alone stands for a program that is given nothing else."""
    if isinstance(value, str):
        raise _refused("version", "is one text, not a command's words", "write [python3, bot.py]")
    return {"command": value} if isinstance(value, list) else value


Version = Annotated[VersionModel, BeforeValidator(_as_mapping)]


class PlayerModel(VersionModel):
    """One entry of ``players``."""

    name: Name
    version: Name | StrictInt | None = None
    house: StrictBool = False
    sha256: Commitment | None = None


class TableModel(StrictModel):
    """How matches are played, in every file that has them played."""

    time: Time = USUAL.time
    start_time: Annotated[str, _with_unit("{}s".format), _checked(parse_start, "time")] = USUAL.start_time
    memory: Annotated[str, _with_unit(_memory_of), _checked(parse_memory, "memory")] = USUAL.memory
    clock: Clock = _USUAL.clock
    delivery: Delivery = _USUAL.delivery
    isolation: Isolation = _USUAL.isolation
    end: End = _USUAL.end

    def limits(self) -> Limits:
        """What bots are allowed."""
        return WrittenLimits(**{key: getattr(self, key) for key in TableModel.model_fields}).limits()


class StopModel(StrictModel):
    """What stops a run before more is played."""

    faults: Share = 1


def _share_of_what(value: object) -> object:
    """A share alone does not say of what."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise _refused("share", f"{value} does not say of what", f"write {{faults: {value}}}")
    return value


class LanguageModel(StrictModel):
    """A program that bots are started with, and what they may read for it."""

    program: Word
    read: list[Word] = []


def _check_word(text: str) -> None:
    if not text.isprintable() or text != text.strip() or "/" in text or text in ("", ".", ".."):
        hint = "the word that a command begins with, such as python3"
        raise ConfigError(f"not the name of a program: {text!r}", hint=hint)


def _as_language(value: object) -> object:
    """A path alone stands for a program that needs nothing beside it."""
    return {"program": value} if isinstance(value, str) else value


def _check_path(model: LanguageModel) -> LanguageModel:
    if "/" not in model.program:
        raise _refused("path", f"{model.program} is no path", "write the program's whole path")
    return model


Language = Annotated[LanguageModel, BeforeValidator(_as_language), AfterValidator(_check_path)]


class SubmissionsModel(StrictModel):
    """Whether and how authors send programs."""

    until: Moment | None = None
    max_size: Annotated[str, _with_unit("{:g}MB".format), _checked(parse_size, "size")] = "10MB"
    per_day: Annotated[StrictInt, Field(gt=0)] = 10
    builds: StrictBool = True
    max_total: Annotated[str, _with_unit("{:g}MB".format), _checked(parse_total, "size")] | None = None

    @model_validator(mode="after")
    def _check_total(self) -> Self:
        if self.max_total is not None and parse_total(self.max_total) < parse_size(self.max_size):
            text = f"max_total: {self.max_total} is less than one archive may have ({self.max_size})"
            raise _refused("size", text, "write more, such as 500MB")
        return self

    def settled(self) -> Submissions:
        """The same as values."""
        total = None if self.max_total is None else parse_total(self.max_total)
        return Submissions(self.until, parse_size(self.max_size), self.per_day, self.builds, total)


@dataclass(frozen=True, kw_only=True)
class Terms:
    """The keys that a config has as the file gives them: a line is all that such a key needs.

    `seed_commitment` is the SHA-256 of the seed's text that players were told before the season; `weak_seed`
    takes a seed that authors who send programs may guess.
    `until` is when no further round beyond `rounds` is to end later; no round begins before `opens`, and one
    begins `every` so often; `missed` says what becomes of moments that are over before a round could begin;
    the results of the last `freeze` rounds are held back from the public until the season is over.
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
    opening_rounds: Annotated[Count, Key.BETWEEN] = 12
    pairing: Annotated[Pairing, Key.BETWEEN] = "variance"
    require_isolation: StrictBool = False
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
    stop_when: Annotated[StopModel, BeforeValidator(_share_of_what), Key.FREE] = StopModel()
    after_fault: Annotated[AfterFault | None, Key.BETWEEN] = None
    submissions: Annotated[SubmissionsModel | None, Key.FREE] = None
    languages: dict[Annotated[str, _checked(_check_word, "word")], Language] = {}
    players: Annotated[list[PlayerModel], Field(min_length=1), Key.BETWEEN]

    def fault_rule(self) -> AfterFault:
        """What follows a fault; where the file does not say it, that depends on who enters players.

        The friend of somebody who submits may end every match in which he is behind.
        """
        if self.after_fault is not None:
            return self.after_fault
        return "substitute" if self.submissions is not None and self.house_bots else "end"


def keys_that_are(mark: Key) -> frozenset[str]:
    """The keys of a season's file with this mark."""
    return frozenset(name for name, key in SeasonModel.model_fields.items() if mark in key.metadata)
