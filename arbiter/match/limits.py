"""The limits of a match, as people write them; the defaults of files, commands and environments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from arbiter.errors import ConfigError, did_you_mean
from arbiter.match.clock import MS, TimeControl, duration_text, parse_duration
from arbiter.match.spec import Limits

if TYPE_CHECKING:
    from collections.abc import Iterable

Clock: TypeAlias = Literal["adjusted", "wall", "cpu"]
Delivery: TypeAlias = Literal["strict", "batched"]
Isolation: TypeAlias = Literal["auto", "landlock", "plain"]
End: TypeAlias = Literal["kill", "quit"]
CHOICES: dict[str, tuple[str, ...]] = {
    "clock": get_args(Clock),
    "delivery": get_args(Delivery),
    "isolation": get_args(Isolation),
    "end": get_args(End),
}
"""The values of the limits that are words."""
MEMORY = re.compile(r"(\d+)\s*(KB|MB|GB)?", re.IGNORECASE)
MEMORY_UNITS = {None: 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}
LEAST_MEMORY = 10 * 10**6
MOST_MEMORY = 10**15
USUAL_ROUNDS = 100
NO_START = "clock"
"""The value of `start_time` with which the game clock runs from the start."""
_FIELDS = {"start_time": "start_ns", "memory": "memory_bytes"}
"""The names in `Limits` that differ from the file's."""

_OF_A_MATCH: dict[str, Any] = {field.name: field.default for field in fields(Limits)}


@dataclass(frozen=True, slots=True)
class WrittenLimits:
    """Limits as text, by default the usual ones; `isolation` may be "auto"."""

    time: str = "10s"
    start_time: str = "5s"
    memory: str = "400MB"
    clock: str = _OF_A_MATCH["clock"]
    delivery: str = _OF_A_MATCH["delivery"]
    isolation: str = "auto"
    end: str = _OF_A_MATCH["end"]

    def limits(self) -> Limits:
        """Return the parsed limits; ConfigError for a text that cannot be parsed."""
        known: dict[str, Any] = {_FIELDS.get(key, key): text for key, text in asdict(self).items()}
        known |= {"time": TimeControl.parse(self.time), "start_ns": parse_start(self.start_time)}
        return Limits(**known | {"memory_bytes": parse_memory(self.memory)})


USUAL = WrittenLimits()
AT_HOME = ("time", "start_time", "memory")
"""The limits that matter to an author's own tests."""


def override_limits(limits: Limits, **written: str | None) -> Limits:
    """Return limits with some replaced by `written` texts, named by their keys in a season's file.

    None leaves a limit; ConfigError for a text that cannot be parsed.
    """
    given = {key: text for key, text in written.items() if text is not None}
    fresh = WrittenLimits(**given).limits()
    return replace(limits, **{_FIELDS.get(key, key): getattr(fresh, _FIELDS.get(key, key)) for key in given})


def check_written(limits: object) -> dict[str, str]:
    """Return `limits` as a dict of texts that can be parsed; ConfigError, which names limits and the key."""
    known = [field.name for field in fields(WrittenLimits)]
    if not isinstance(limits, Mapping):
        raise ConfigError(f'limits: expected a mapping such as {{"time": "10s"}}, got {limits!r}')
    for key, value in limits.items():
        if key not in known:
            raise ConfigError(f"limits: {key}: unknown", hint=did_you_mean(str(key), known))
        if not isinstance(value, str) or value not in CHOICES.get(key, (value,)):
            expected = " or ".join(CHOICES[key]) if key in CHOICES else 'text such as "10s" or "400MB"'
            raise ConfigError(f"limits: {key}: expected {expected}, got {value!r}")
        try:
            WrittenLimits(**{key: value}).limits()
        except ConfigError as error:
            raise error.in_one_line(f"limits: {key}") from None
    return dict(limits)


def limits_text(limits: Limits) -> WrittenLimits:
    """Return limits as text."""
    start = limits.start_ns
    memory, rest = divmod(limits.memory_bytes, 10**6)
    return WrittenLimits(
        time=str(limits.time),
        start_time=NO_START if start is None else duration_text(start),
        memory=f"{limits.memory_bytes}" if rest else f"{memory}MB",
        **{key: getattr(limits, key) for key in CHOICES},
    )


def options_of(limits: Limits, keys: Iterable[str] = tuple(asdict(USUAL))) -> list[str]:
    """Return command options for the limits among `keys` that differ from the defaults."""
    text = limits_text(limits)
    unusual = [key for key in keys if getattr(text, key) != getattr(USUAL, key)]
    return [word for key in unusual for word in (f"--{key.replace('_', '-')}", getattr(text, key))]


def parse_memory(text: str) -> int:
    """Bytes of ``400MB``; MB is 10^6 bytes. ConfigError for other texts, and outside 10 MB to 10^15 bytes."""
    amount = bytes_of(text)
    if not LEAST_MEMORY <= amount <= MOST_MEMORY:
        hint = "write 400MB; at least 10MB, at most 1000000GB"
        raise ConfigError(f"not an amount of memory: {text!r}", hint=hint)
    return amount


def bytes_of(text: str) -> int:
    """Bytes of ``400MB``; 0 for a text that is no amount."""
    found = MEMORY.fullmatch(text.strip())
    return int(found[1]) * MEMORY_UNITS[found[2] and found[2].upper()] if found else 0


def parse_start(text: str) -> int | None:
    """Nanoseconds that a program may take to start, None for ``clock``; ConfigError, also below 1 ms."""
    if text == NO_START:
        return None
    ns = parse_duration(text)
    if ns < MS:
        raise ConfigError(f"too short to start a program: {text!r}", hint="write 5s, or clock")
    return ns
