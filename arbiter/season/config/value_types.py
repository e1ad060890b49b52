"""Values of a season's file as people write them: parsers with messages, and the types of keys."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, GetPydanticSchema, StrictFloat, StrictInt
from pydantic_core import PydanticCustomError

from arbiter.errors import ConfigError
from arbiter.match.clock import SECOND, TimeControl, parse_duration
from arbiter.match.limits import LEAST_MEMORY, MOST_MEMORY
from arbiter.store.address import SCHEMES, address_of, check_no_query

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST_NAME = 64


COMMITMENT = re.compile(r"[0-9a-f]{64}")


def _parsed(parse: Callable[[str], object], kind: str) -> AfterValidator:
    """Make a pydantic validator of a parser, keeping its message and hint."""

    def validate(value: str) -> object:
        """Return the parsed text; pydantic's error for a ConfigError."""
        try:
            return parse(value)
        except ConfigError as error:
            problem = error.problems[0]
            raise refused(kind, problem.message, problem.hint) from None

    return AfterValidator(validate)


def checked(check: Callable[[str], object], kind: str) -> AfterValidator:
    """Make a pydantic validator of a check that keeps the text."""
    return _parsed(lambda text: (check(text), text)[1], kind)


def _read_as(written: Any) -> GetPydanticSchema:
    """Return an annotation that reads a value by the schema of `written`."""
    return GetPydanticSchema(lambda _, handler: handler.generate_schema(written))


def check_name(text: str) -> None:
    """Raise ConfigError unless a name is 1 to 64 printable characters without #, @ and ", not . or ..."""
    if text in (".", ".."):
        raise ConfigError(f"not a name: {text!r}", hint="no page can have the address of . or ..")
    fits = 0 < len(text) <= LONGEST_NAME and text == text.strip() and text.isprintable()
    if not fits or any(mark in text for mark in '#@"'):
        raise ConfigError(f"not a name: {text!r}", hint="up to 64 characters without #, @ or double quotes")


def _check_store(text: str) -> None:
    """Raise ConfigError unless it is an address of a scheme in `SCHEMES`, a file's without parameters."""
    scheme, found, _ = text.partition("://")
    if not found:
        hint = f"write {address_of(text)}, or postgresql+psycopg://user@host/database"
        raise ConfigError(f"not a store: {text!r}", hint=hint)
    if scheme not in SCHEMES:
        # Without the rest, which may contain a password.
        hint = "write sqlite:///file.sqlite or postgresql+psycopg://user@host/database"
        raise ConfigError(f"not a kind of store: {scheme}://", hint=hint)
    check_no_query(text)


def _check_commitment(text: str) -> None:
    """Raise ConfigError unless it is 64 digits of 0-9 and a-f."""
    if not COMMITMENT.fullmatch(text):
        hint = "64 digits of 0-9 and a-f, as sha256sum prints them"
        raise ConfigError(f"not a SHA-256: {text!r}", hint=hint)


def parse_until(text: str) -> datetime:
    """Return a date and time, without a zone in this machine's; ConfigError for other texts."""
    try:
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        raise ConfigError(f"expected a date and time, got {text!r}", hint="write 2026-12-01T18:00") from None


def parse_every(text: str) -> timedelta:
    """Return the time between the starts of two rounds; ConfigError for other texts, or below a second."""
    try:
        ns = parse_duration(text)
    except ConfigError:
        ns = 0
    if ns < SECOND:
        raise ConfigError(
            f"not a time between rounds: {text!r}", hint="write 30m; at least 1s, at most 8760h"
        )
    return timedelta(microseconds=ns // 1000)


def refused(kind: str, text: str, hint: str) -> PydanticCustomError:
    """Return, for the caller to raise, a pydantic error of type `kind` with a hint."""
    return PydanticCustomError(kind, "{text}", {"text": text, "hint": hint})


def _moment_text(value: object) -> object:
    """Return a date as text, since YAML parses some spellings; numbers are refused."""
    if isinstance(value, int | float):
        clock = _clock(value) if isinstance(value, int) else ""
        text = f"expected a date and time, got {clock or value}"
        raise refused("moment", text, f"write 2026-12-01T{clock or '18:00'}")
    return value.isoformat() if isinstance(value, date) else value


def _clock(number: int) -> str:
    """Return the time of day that YAML reads as this number: ``18:00`` becomes 18 times 60."""
    if 60 <= number < 24 * 60:
        return f"{number // 60:02}:{number % 60:02}"
    if 60 * 60 <= number < 24 * 60 * 60:
        return f"{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}"
    return ""


def with_unit(write: Callable[[float], str]) -> BeforeValidator:
    """Make a validator that refuses a number without a unit."""

    def refuse_bare_number(value: object) -> object:
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < MOST_MEMORY:
            raise refused("unit", f"{value} has no unit", f"write {write(value)}")
        return value

    return BeforeValidator(refuse_bare_number)


def memory_of(number: float) -> str:
    """Return the likeliest amount of memory: small numbers are GB, then MB, the largest bytes."""
    if number >= LEAST_MEMORY:
        return f"{number / 10**6:.0f}MB"
    return f"{number}GB" if number < LEAST_MEMORY / 10**6 else f"{number}MB"


def _check_seed(text: str) -> None:
    """Raise ConfigError for a seed with unprintable characters."""
    if not text.isprintable():
        raise ConfigError(f"not a seed: {text!r}", hint="printable characters only")


Word = Annotated[str, Field(min_length=1)]
Name = Annotated[str, checked(check_name, "name")]
Seed: TypeAlias = Annotated[str, checked(_check_seed, "seed")] | StrictInt
Time = Annotated[str, with_unit("{}s".format), checked(TimeControl.parse, "time")]
_MOMENT = Annotated[str, BeforeValidator(_moment_text), _parsed(parse_until, "moment")]
Moment = Annotated[datetime, _read_as(_MOMENT)]
_EVERY = Annotated[str, with_unit("{}m".format), _parsed(parse_every, "time")]
Every = Annotated[timedelta, _read_as(_EVERY)]
Commitment = Annotated[str, checked(_check_commitment, "commitment")]
Count = Annotated[StrictInt, Field(ge=0)]
Amount = Annotated[StrictInt | StrictFloat, Field(gt=0, le=1e9, allow_inf_nan=False)]
Elo = Annotated[StrictInt | StrictFloat, Field(ge=-1e4, le=1e4, allow_inf_nan=False)]
Share = Annotated[StrictInt | StrictFloat, Field(gt=0, le=1)]
StoreUrl = Annotated[str, checked(_check_store, "store")]
