"""Names of players as terminals and spreadsheets may have them: they come from files of others.

A terminal is shown no character that could steer it, turn its line round or hide: an escape such as
`\\x1b` stands in its place.

A spreadsheet computes a text that begins with `=`, `+`, `-` or `@`. In CSV an apostrophe stands before such
a text, as OWASP advises against CSV injection, and before one that begins with apostrophes and goes on so.
The reader takes one away from what looks like that, so every name comes back as it was. Plain numbers, `-3`,
have none.
"""

from __future__ import annotations

import re

# What takes no ink though `str.isprintable` allows it: fillers, joiners, selectors of variants.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0d\uffa0\U000e0100-\U000e01ef]"
    # Emoji and keycaps are written with the last two selectors; on letters and digits nobody sees them.
    "|(?<![^\\x00-\\x7f\\w\u0300-\u036f\ufe0e\ufe0f])[\ufe0e\ufe0f](?!\u20e3)"
)
_FORMULA = re.compile(
    r"'*(?:[\t\r\n]|[\s\x00-\x1f\ufeff]*(?![+-][0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?\Z)[=+@＝＋－＠-])"
)


def printable(text: str) -> str:
    """`text` on one line, without what could steer the reader's terminal or deceive the reader."""
    text = _INVISIBLE.sub(lambda found: escaped(found[0]), text)
    return text if text.isprintable() else "".join(c if c.isprintable() else escaped(c) for c in text)


def csv_cell(cell: object) -> object:
    """A cell for `csv.writer`; figures stay figures."""
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def from_csv_cell(text: str) -> str:
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def escaped(c: str) -> str:
    return c.encode("unicode_escape").decode("ascii")
