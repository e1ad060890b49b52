"""A table for a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.text import svg_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


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
