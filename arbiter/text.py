"""Escape untrusted text for each output format: terminal, CSV, Markdown, XML, PGN, chats. Format figures.

Names of players, answers, standard error and messages are untrusted: they may contain terminal commands, a
formula, a link or a tag. Only this module escapes them; JSON and Parquet need no escaping.

`rating.text` has the same rules for terminals and CSV, as confined programs can import `arbiter` alone, and
`rating` does not import `arbiter`. A test compares the two.
"""

from __future__ import annotations

import json
import re
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0d\uffa0\U000e0100-\U000e01ef]"
    # Emoji and keycaps are written with the last two selectors; on letters and digits they are invisible.
    "|(?<![^\\x00-\\x7f\\w\u0300-\u036f\ufe0e\ufe0f])[\ufe0e\ufe0f](?!\u20e3)"
)
"""Invisible characters that `str.isprintable` allows: fillers, joiners, variation selectors."""
_FORMULA = re.compile(
    r"'*(?:[\t\r\n]|[\s\x00-\x1f\ufeff]*(?![+-][0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?\Z)[=+@＝＋－＠-])"
)
"""The start of a text that a spreadsheet may evaluate, except plain numbers. Source: OWASP, CSV injection."""
_MARKDOWN = re.compile(r"[\\`*_\[\]<>#|~&$]|:(?=//)|(?<=www)\.", re.IGNORECASE)
"""Characters with a meaning in a line of Markdown; the last two are of addresses that GitHub links."""


def printable(text: str) -> str:
    r"""Escape text for a terminal or log: control, bidirectional and invisible characters as ``\x1b``.

    Line feeds and tabs stay.
    """
    text = _INVISIBLE.sub(lambda found: _escaped(found[0]), text)
    return "".join(c if c.isprintable() or c in "\n\t" else _escaped(c) for c in text)


def _escaped(c: str) -> str:
    return c.encode("unicode_escape").decode("ascii")


def json_text(value: Any) -> str:
    """Return a value as the JSON that commands print."""
    return f"{json.dumps(value, indent=2)}\n"


def csv_cell(cell: object) -> object:
    """Return a cell for `csv.writer`, with an apostrophe before text that a spreadsheet would evaluate.

    This includes text after apostrophes: removing one apostrophe from such a cell restores any text.
    """
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def markdown(text: str) -> str:
    """Escape text for Markdown: within a line or a table cell, not at the start of a line."""
    return _MARKDOWN.sub(r"\\\g<0>", _one_line(text))


def markdown_code(text: str, table: bool = False) -> str:
    """Format text as Markdown code; for a `table`, bars are escaped."""
    text = _one_line(text)
    if table and "\\|" in text:
        # Tables cannot represent this as code.
        return markdown(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    edge = " " if "`" in text or text[:1] == text[-1:] == " " else ""
    return f"{fence}{edge}{text.replace('|', chr(92) + '|') if table else text}{edge}{fence}"


def markdown_link(text: str, path: str) -> str:
    """Format a Markdown link to a file; no path can form a URL scheme."""
    from urllib.parse import quote

    return f"[{markdown(text)}](<{quote(path, errors='surrogateescape')}>)"


def _one_line(text: str) -> str:
    return printable(text).replace("\n", " ").replace("\t", " ")


def xml_text(text: str) -> str:
    """Escape characters that XML 1.0 forbids, for an XML writer that escapes markup itself.

    All of them (controls, surrogates, U+FFFE and U+FFFF) are not printable.
    """
    return printable(text)


def svg_text(text: str) -> str:
    """Escape text for SVG text or a quoted attribute, as one line; bidirectional isolates stay."""
    return escape(_sentence(text))


def unmarked(value: object) -> object:
    """Return JSON values without the isolation marks in the sentences, `say`."""
    if isinstance(value, list):
        return [unmarked(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: part.translate(UNMARKED) if key == "say" and isinstance(part, str) else unmarked(part)
        for key, part in value.items()
    }


def pgn_string(text: str) -> str:
    """Escape text for a quoted PGN tag, as one line."""
    text = "".join(c if c.isprintable() else _escaped(c) for c in text)
    return text.replace("\\", "\\\\").replace('"', '\\"')


_ISOLATES = re.compile("([\u2068\u2069])")
UNMARKED = {0x2068: None, 0x2069: None}
"""Removes the bidirectional isolation marks around names, by `str.translate`."""
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
_SLACK = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_LINKING = re.compile(r"[@#]|:(?=/)|\.(?=\S)")
"""Characters that all addresses, mentions and channels in Slack contain."""
BREAK = "\u200b"
"""A zero-width space, which interrupts addresses and mentions."""


def discord(text: str) -> str:
    """Escape text for a Discord message: no mention, link or Markdown."""
    # A backslash removes the meaning of any punctuation.
    text = _PUNCTUATION.sub(lambda found: f"\\{found[0]}", _sentence(text))
    return text.replace("@", f"@{BREAK}")


def slack(text: str) -> str:
    """Escape text for a Slack message: no mention or link."""
    text = _LINKING.sub(lambda found: f"{found[0]}{BREAK}", _sentence(text))
    return "".join(_SLACK.get(mark, mark) for mark in text)


def _sentence(text: str) -> str:
    """Return one printable line; bidirectional isolates stay."""
    parts = _ISOLATES.split(text)
    return "".join(part if at % 2 else _one_line(part) for at, part in enumerate(parts))


def in_columns(rows: Sequence[Sequence[str]]) -> str:
    """Format rows of equal length as lines of text: the first column left-aligned, the others right."""
    first, *others = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join([name.ljust(first), *map(str.rjust, cells, others)]) for name, *cells in rows]
    return "\n".join(map(str.rstrip, lines))


def html_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as HTML, its first column aligned left and the others right; all text is escaped."""
    head = "".join(f"<th>{svg_text(cell)}</th>" for cell in header)
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="text-align:{"right" if place else "left"}">{svg_text(cell)}</td>'
            for place, cell in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def first_few(texts: Iterable[str]) -> str:
    """``a, b, c, d, ...``: join at most four texts, so that a note stays one line."""
    found = list(texts)
    return ", ".join([*found[:4], *(["..."] if found[4:] else [])])


def joined(parts: Sequence[object]) -> str:
    """``a, b and c``."""
    words = [str(word) for word in parts]
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def counted(many: int, what: str) -> str:
    """``1 round``, ``2 rounds``, ``3 matches``."""
    return f"{many} {what}" + ("" if many == 1 else "es" if what.endswith("ch") else "s")


def place_text(place: int, waiting: int) -> str:
    """``3rd of 7 waiting``."""
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending} of {waiting} waiting"


def number(value: float | None, digits: int = 0) -> str:
    """Format a figure, or a dash for None."""
    # + 0.0 turns -0 into 0.
    return "-" if value is None else f"{round(value, digits) + 0.0:.{digits}f}"


def signed(value: float | None, digits: int = 0) -> str:
    """``+12``, ``-3``, ``0`` for a figure that rounds to it, or a dash for None."""
    text = number(value, digits)
    return f"+{text}" if value is not None and float(text) > 0 else text


def interval_text(elo: float, low: float, high: float) -> str:
    """``+12.3 (95 %: -4.5 to +29.1)``."""
    return f"{signed(elo, 1)} (95 %: {signed(low, 1)} to {signed(high, 1)})"


def money(value: float, largest: float, currency: str | None = None) -> str:
    """Format an amount with the decimals that the `largest` one needs, and its currency if known."""
    amount = number(value, 2 if largest >= 1 or not largest else 4 if largest >= 0.01 else 6)
    return f"{amount} {currency}" if currency else amount


def faults_text(faults: Mapping[str, int]) -> str:
    """``crash 4, timeout 1``."""
    return ", ".join(f"{kind} {count}" for kind, count in faults.items())
