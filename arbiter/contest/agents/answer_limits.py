"""Size limits of answers: an agent pays for every token it reads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

from arbiter.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Item = TypeVar("Item")

MOST = 20_000
"""Bytes of an answer."""
LONGEST_ERROR = 2_000
"""Characters."""
PAGE = 15_000
"""Bytes of a page's text in JSON."""
PIECE = 1_000
"""Characters of a piece of a longer line."""
ROWS = 20
"""Rows of a list on a page."""


def size(text: str) -> int:
    """Return the size of a text in JSON, in bytes."""
    return len(json.dumps(text)) - 2


def cut(text: str, limit: int) -> str:
    """Truncate a text to `limit` bytes of JSON; a truncated text ends in ` ...`."""
    if size(text) <= limit:
        return text
    while size(text) > limit - 4:
        text = text[: min(len(text) - 1, len(text) * limit // size(text))]
    return f"{text} ..."


def text_page(text: str, page: int) -> dict[str, Any]:
    """Return a page of a text, counted from 1: `text`, `page`, `pages`."""
    pages, room = [""], PAGE
    for piece in _split_long_lines(text):
        if size(piece) > room:
            pages.append("")
            room = PAGE
        pages[-1] += piece
        room -= size(piece)
    return {"text": _select_page(pages, page), "page": page, "pages": len(pages)}


def list_page(rows: Sequence[dict[str, Any]], page: int) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Return the rows of a page, counted from 1, and `page` and `pages`."""
    pages = [list(rows[start : start + ROWS]) for start in range(0, len(rows), ROWS)] or [[]]
    return _select_page(pages, page), {"page": page, "pages": len(pages)}


def _select_page(pages: Sequence[Item], page: int) -> Item:
    """Return a page, counted from 1; ConfigError for an unknown one."""
    if not 1 <= page <= len(pages):
        raise ConfigError(f"page: expected 1 to {len(pages)}, got {page}")
    return pages[page - 1]


def _split_long_lines(text: str) -> Iterator[str]:
    """Yield the lines with their ends, those of more than `PIECE` characters in pieces."""
    for line in text.splitlines(keepends=True):
        yield from (line[start : start + PIECE] for start in range(0, len(line), PIECE))
