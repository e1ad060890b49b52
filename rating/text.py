"""Escape names of players, which come from untrusted files, for terminals and spreadsheets.

For a terminal, control characters, bidirectional marks and invisible characters become escapes such as
`\\x1b`.

A spreadsheet computes a text that begins with `=`, `+`, `-` or `@`. In CSV such a text gets an apostrophe in
front, as OWASP advises against CSV injection, and so does one that begins with apostrophes followed by such a
text. The reader removes one apostrophe again, so every name survives. Plain numbers such as `-3` get none.
"""

from __future__ import annotations

import re

# Invisible characters that `str.isprintable` allows: fillers, joiners, variation selectors.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0d\uffa0\U000e0100-\U000e01ef]"
    # Emoji and keycaps use the last two selectors; after letters and digits they are invisible.
    "|(?<![^\\x00-\\x7f\\w\u0300-\u036f\ufe0e\ufe0f])[\ufe0e\ufe0f](?!\u20e3)"
)
_FORMULA = re.compile(
    r"'*(?:[\t\r\n]|[\s\x00-\x1f\ufeff]*(?![+-][0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?\Z)[=+@＝＋－＠-])"
)


def printable(text: str) -> str:
    """Return `text` as one line, with control and invisible characters escaped."""
    text = _INVISIBLE.sub(lambda found: escaped(found[0]), text)
    return text if text.isprintable() else "".join(c if c.isprintable() else escaped(c) for c in text)


def csv_cell(cell: object) -> object:
    """Return a cell for `csv.writer`; numbers stay numbers."""
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def unescape_csv_cell(text: str) -> str:
    """Return a text without the apostrophe that `csv_cell` put in front; any other text unchanged."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def escaped(c: str) -> str:
    return c.encode("unicode_escape").decode("ascii")
