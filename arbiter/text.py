"""Texts of others, made safe for each form in which they leave: terminal, CSV, Markdown, XML, PGN, chats.

Names of players, answers, standard error and messages may hold anything: commands to a terminal, a
formula, a link, a tag. Each form has its function here, and no other place escapes anything. JSON
and Parquet need none.

`rating.text` has the same rules for terminals and CSV: a confined program gets `arbiter` alone, and `rating`
imports nothing of `arbiter`. A test compares the two.

Counts and figures are written here, too, so that they read the same everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

import re
from html import escape

_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0d\uffa0\U000e0100-\U000e01ef]"
    # Emoji and keycaps are written with the last two selectors; on letters and digits nobody sees them.
    "|(?<![^\\x00-\\x7f\\w\u0300-\u036f\ufe0e\ufe0f])[\ufe0e\ufe0f](?!\u20e3)"
)
"""The characters that take no ink though `str.isprintable` allows them: fillers, joiners, selectors of
variants.
"""
_FORMULA = re.compile(
    r"'*(?:[\t\r\n]|[\s\x00-\x1f\ufeff]*(?![+-][0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?\Z)[=+@＝＋－＠-])"
)
"""The start of a text that a spreadsheet may compute; a plain number is none. OWASP, CSV injection."""
_MARKDOWN = re.compile(r"[\\`*_\[\]<>#|~&$]|:(?=//)|(?<=www)\.", re.IGNORECASE)
"""The characters with a meaning within a line of Markdown; the last two begin GitHub's links from bare
addresses.
"""


def printable(text: str) -> str:
    r"""For a terminal, or a log: ``\x1b`` for what could steer it, turn its line round or hide.

    Line feeds and tabs stay.
    """
    text = _INVISIBLE.sub(lambda found: _escaped(found[0]), text)
    return "".join(c if c.isprintable() or c in "\n\t" else _escaped(c) for c in text)


def _escaped(c: str) -> str:
    return c.encode("unicode_escape").decode("ascii")


def csv_cell(cell: object) -> object:
    """A cell for `csv.writer`: before a text that a spreadsheet would compute stands an apostrophe.

    So it does before one that begins with apostrophes and goes on so: taking one away from what
    looks like that gives back any text.
    """
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def markdown(text: str) -> str:
    """Within a line of Markdown or a cell of a table, not at the beginning of a line."""
    return _MARKDOWN.sub(r"\\\g<0>", _one_line(text))


def markdown_code(text: str, table: bool = False) -> str:
    """As code, to be copied; in a `table` its bars are escaped too."""
    text = _one_line(text)
    if table and "\\|" in text:
        # No table can hold this as code.
        return markdown(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    edge = " " if "`" in text or text[:1] == text[-1:] == " " else ""
    return f"{fence}{edge}{text.replace('|', chr(92) + '|') if table else text}{edge}{fence}"


def markdown_link(text: str, path: str) -> str:
    """A link to a file; it names no scheme, whatever the path is called."""
    from urllib.parse import quote

    return f"[{markdown(text)}](<{quote(path, errors='surrogateescape')}>)"


def _one_line(text: str) -> str:
    return printable(text).replace("\n", " ").replace("\t", " ")


def xml_text(text: str) -> str:
    """For an XML writer, which escapes markup itself: only characters that XML 1.0 allows.

    Those it forbids (controls, halves of surrogate pairs, U+FFFE and U+FFFF) are none that print.
    """
    return printable(text)


def svg_text(text: str) -> str:
    """For a text of an SVG or an attribute in quotes: one line, whose names may be kept from turning it."""
    return escape(_sentence(text))


def pgn_string(text: str) -> str:
    """Between the quotes of a tag; the standard escapes quotes and backslashes, and has one line."""
    text = "".join(c if c.isprintable() else _escaped(c) for c in text)
    return text.replace("\\", "\\\\").replace('"', '\\"')


_ISOLATES = re.compile("([\u2068\u2069])")
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
_SLACK = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_LINKING = re.compile(r"[@#]|:(?=/)|\.(?=\S)")
"""What Slack's addresses, names of people and channels cannot do without."""
BREAK = "\u200b"
"""No reader sees it, and nothing is recognized across it."""


def discord(text: str) -> str:
    """For a message in Discord: no mention, no link, no Markdown."""
    # A backslash before a mark makes it a mark, whatever it would have meant.
    text = _PUNCTUATION.sub(lambda found: f"\\{found[0]}", _sentence(text))
    return text.replace("@", f"@{BREAK}")


def slack(text: str) -> str:
    """For a message in Slack: no mention, no link."""
    text = _LINKING.sub(lambda found: f"{found[0]}{BREAK}", _sentence(text))
    return "".join(_SLACK.get(mark, mark) for mark in text)


def _sentence(text: str) -> str:
    """One line in which names may be kept from turning the text around them."""
    parts = _ISOLATES.split(text)
    return "".join(part if at % 2 else _one_line(part) for at, part in enumerate(parts))


def first_few(texts: Iterable[str]) -> str:
    """``a, b, c, d, ...``: four stand for a longer list, so that a note stays a line."""
    found = list(texts)
    return ", ".join([*found[:4], *(["..."] if found[4:] else [])])


def joined(parts: Sequence[object]) -> str:
    """``a, b and c``."""
    words = [str(word) for word in parts]
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def counted(many: int, what: str) -> str:
    """``1 round``, ``2 rounds``, ``3 matches``."""
    return f"{many} {what}" + ("" if many == 1 else "es" if what.endswith("ch") else "s")


def number(value: float | None, digits: int = 0) -> str:
    """A figure, or a dash where there is none."""
    # No figure is -0.
    return "-" if value is None else f"{round(value, digits) + 0.0:.{digits}f}"


def money(value: float, largest: float, currency: str | None = None) -> str:
    """An amount with the decimals that the largest one beside it needs, and its currency if that is known."""
    amount = number(value, 2 if largest >= 1 or not largest else 4 if largest >= 0.01 else 6)
    return f"{amount} {currency}" if currency else amount


def faults_text(faults: Mapping[str, int]) -> str:
    """``crash 4, timeout 1``."""
    return ", ".join(f"{kind} {count}" for kind, count in faults.items())
