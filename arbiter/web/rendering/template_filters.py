"""Template filters that format values: numbers, times, durations, path segments."""

from __future__ import annotations

import re
import shlex
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import quote

from markupsafe import Markup, escape

from arbiter.replay.emblem import SIZE, emblem
from arbiter.text import joined, number, place_text, printable
from arbiter.text import money as text_of_money
from arbiter.text import signed as signed_text

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = 4096
"""Cached formatted names: each appears on a page several times."""
MINUS, THIN = "\N{MINUS SIGN}", "\N{NARROW NO-BREAK SPACE}"
_NEGATIVE, _PERCENT = re.compile(r"(?<![\w.)\]-])-(?=\d)"), re.compile(r"(?<=\d) (?=%)")
FAULTS = {
    "illegal": "an illegal move", "malformed": "a malformed reply", "out_of_turn": "a reply out of turn",
    "timeout": "out of time", "crash": "its program crashed", "memory": "too much memory",
    "output": "too much output", "unparsable": "an unreadable answer", "truncated": "an answer cut short",
    "tokens": "too many tokens",
}  # fmt: skip
"""Words for the kinds of faults in results."""
_FAULT = re.compile("(?<=\u2069 forfeits: )[a-z_]+")
_ISOLATED = re.compile("\u2068([^\u2068\u2069]*)\u2069")


@lru_cache(maxsize=NAMES)
def part(name: str) -> str:
    """Return a text as one path segment, percent-encoded."""
    return quote(name, safe="")


def match_part(match_id: str) -> str:
    """Return a match's id as one path segment: ``r001-t01-m0``."""
    return part(match_id.replace("/", "-"))


def match_of_part(text: str) -> str:
    """Return the match id of a path segment by `match_part`."""
    return text.replace("-", "/")


def whole(value: float | None) -> str:
    """Format a number without decimals, with a true minus; a dash for None."""
    if value is None:
        return "\N{EN DASH}"
    text = f"{value:.0f}"
    return "0" if text == "-0" else text.replace("-", MINUS)


def signed(value: float | None) -> str:
    """Format a number without decimals, with its sign and a true minus."""
    text = whole(value)
    return f"+{text}" if value is not None and value > 0 and text != "0" else text


def tenths(value: float, sign: bool = False) -> str:
    """Format a number with one decimal and a true minus; with `sign` also a plus, but not of a zero."""
    text = signed_text(value, 1) if sign else number(value, 1)
    return text.replace("-", MINUS) if abs(value) >= 0.05 else "0.0"


def hundredths(value: float | None) -> str:
    """Format a number with two decimals and a true minus; a dash for None."""
    return number(value, 2).replace("-", MINUS if value is not None else "\N{EN DASH}")


def money(value: float | None, largest: float, currency: str | None = None) -> str:
    """Format an amount as `arbiter.text.money` does; a dash for None."""
    return "\N{EN DASH}" if value is None else text_of_money(value, largest, currency)


def percent(value: float) -> str:
    """Format a probability, never as 0 % or 100 %."""
    shown = "<0.1" if value < 0.001 else ">99.9" if value > 0.999 else f"{100 * value:.1f}"
    return f"{shown}{THIN}%"


def typeset(text: str) -> Markup:
    """Format untrusted text as `plain` does, with true minus signs and thin spaces before per cent signs."""
    return Markup(_PERCENT.sub(THIN, _NEGATIVE.sub(MINUS, str(plain(text)))))


def moment(text: str) -> Markup:
    """Format a time in UTC; a script converts it to the reader's time zone."""
    when = datetime.fromisoformat(text).astimezone(UTC)
    return Markup('<time datetime="{}">{} UTC</time>').format(
        when.isoformat(timespec="seconds"), when.strftime("%Y-%m-%d %H:%M")
    )


def soon(text: str) -> Markup:
    """Format a time that is awaited, with "at" before it; a script shows how long it is until then."""
    return Markup(str(moment(text)).replace("<time ", "<time data-soon ", 1).replace(">", ">at ", 1))


def is_past(text: str) -> bool:
    """True for a time in ISO format that is over."""
    return datetime.fromisoformat(text).astimezone(UTC) <= datetime.now(UTC)


@lru_cache(maxsize=NAMES)
def name(text: str) -> Markup:
    """Format an untrusted name: printable, and isolated from the direction of the surrounding text."""
    return Markup(f"<bdi>{escape(printable(text))}</bdi>")


def mark(text: str) -> Markup:
    """Return the emblem of a player as SVG."""
    known = emblem(text)
    drawn = '<svg class="pm p{}" viewBox="0 0 {} {}" aria-hidden="true"><path d="{}"/></svg>'
    return Markup(drawn).format(known["colour"], SIZE, SIZE, known["shape"])


def plain(text: object) -> Markup:
    """Format untrusted text: printable."""
    return _plain(str(text))


@lru_cache(maxsize=NAMES)
def _plain(text: str) -> Markup:
    return escape(printable(text))


def sentence(text: str, begins: bool = False) -> Markup:
    """Format a sentence with names between isolates (`arbiter.replay.frame.names_in_text`)."""
    text = _FAULT.sub(lambda found: FAULTS.get(found[0], found[0]), text)
    parts = _ISOLATED.split(text[:1].upper() + text[1:] if begins else text)
    shown = [name(part) if odd % 2 else plain(part) for odd, part in enumerate(parts)]
    return Markup("").join(shown)


def fault_words(kind: str) -> str:
    """Return the words for a kind of fault."""
    return FAULTS.get(kind, kind)


def short(text: str, most: int) -> str:
    """Truncate a name to `most` characters."""
    shown = printable(text)
    return shown if len(shown) <= most else f"{shown[: most - 1]}\N{HORIZONTAL ELLIPSIS}"


def duration(seconds: float) -> str:
    """Format a duration approximately: ``40 s``, ``2 min 10 s``, ``3 h 5 min``."""
    if seconds < 60:
        return f"{max(5 * round(seconds / 5), 5)} s"
    tens = 10 * round(seconds / 10)
    if tens < 600:
        return f"{tens // 60} min {tens % 60} s" if tens % 60 else f"{tens // 60} min"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60} h"


def size(count: int) -> str:
    """Format a number of bytes approximately: ``0 kB``, ``106 kB``, ``1.5 MB``, ``5000 MB``."""
    if count < 10**6:
        return f"{count / 1e3:.0f} kB"
    return f"{count / 1e6:.3g} MB" if count < 10**9 else f"{count / 1e6:.0f} MB"


WRITTEN = (
    part, match_part, whole, signed, tenths, hundredths, money, percent, moment, soon, typeset, name, mark,
    plain, sentence, joined, short,
)  # fmt: skip
FILTERS: dict[str, Callable[..., object]] = {
    "place": place_text,
    "shell": shlex.join,
    **{one.__name__: one for one in (*WRITTEN, duration, is_past, size, fault_words)},
}
