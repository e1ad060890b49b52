"""The page of two programs side by side, for organisers: matching passages are tinted, the rest is folded."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from starlette.routing import Route

from arbiter.contest.integrity.schema import in_words
from arbiter.web.api.organisers import compare_sources
from arbiter.web.http.request_guard import unescape_slashes
from arbiter.web.pages.login import own_page, private_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.requests import Request
    from starlette.responses import Response

    from arbiter.contest.integrity.schema import ShownFile, SourceComparison
    from arbiter.web.http.authentication import Caller

AROUND = 3
"""Lines shown before and after a passage."""
MOST_LINES, LONGEST = 4_000, 300
"""Lines shown of a side, and characters of a line."""


class ShownLine(NamedTuple):
    """A line; `passage` is the number of its passage, 0 for none; `begins` are those that begin here."""

    number: int
    text: str
    passage: int
    begins: list[int]
    given: bool


class Segment(NamedTuple):
    """Consecutive lines; `folded` if no passage is near."""

    folded: bool
    lines: list[ShownLine]


def _compare_page(caller: Caller, request: Request) -> Response:
    """Read two programs; return the page with their passages side by side."""
    keys = [unescape_slashes(request.path_params[key]) for key in ("one", "other")]
    found = compare_sources(caller, *keys)
    halves = [
        {
            **half,
            "words": in_words(half["side"]),
            "shown": list(_shown_files(found, at)),
            "alone": _files_without_passages(found, at),
            "cut": sum(len(file["lines"]) for file in half["files"]) > MOST_LINES,
        }
        for at, half in enumerate(found["halves"])
    ]
    return own_page("copies", caller, request, halves=halves, passages=found["passages"])


def _files_without_passages(found: SourceComparison, at: int) -> list[str]:
    """Return the names of files of one side (`at` 0 or 1) that have no passages."""
    named = {passage["places"][at]["file"] for passage in found["passages"]}
    return [file["name"] for number, file in enumerate(found["halves"][at]["files"]) if number not in named]


def _shown_files(found: SourceComparison, at: int) -> Iterator[tuple[str, list[Segment]]]:
    """Yield the files of one side that have passages, up to `MOST_LINES` lines."""
    room = MOST_LINES
    for number, file in enumerate(found["halves"][at]["files"]):
        spans = [
            (place["first"], place["last"], passage["number"])
            for passage in found["passages"]
            if (place := passage["places"][at])["file"] == number
        ]
        if spans and room:
            lines = _shown_lines(file, spans)[:room]
            room -= len(lines)
            yield file["name"], list(_segments(lines))


def _shown_lines(file: ShownFile, spans: list[tuple[int, int, int]]) -> list[ShownLine]:
    """Return all lines of a file, long ones cut, each with its passage among `spans`."""
    handed_out = set(file["given"])
    inside: dict[int, int] = {}
    begins: dict[int, list[int]] = {}
    for first, last, passage in sorted(spans):
        begins.setdefault(first, []).append(passage)
        # A line in two passages belongs to the later one.
        inside.update(dict.fromkeys(range(first, last + 1), passage))
    return [
        ShownLine(
            number,
            text if len(text) <= LONGEST else f"{text[:LONGEST]}…",
            inside.get(number, 0),
            begins.get(number, []),
            number in handed_out,
        )
        for number, text in enumerate(file["lines"], 1)
    ]


def _segments(lines: list[ShownLine]) -> Iterator[Segment]:
    """Yield the lines in segments; those far from any passage are folded."""
    near = {line.number + off for line in lines if line.passage for off in range(-AROUND, AROUND + 1)}
    row: list[ShownLine] = []
    for line in lines:
        if row and (line.number in near) != (row[-1].number in near):
            yield Segment(row[0].number not in near, row)
            row = []
        row.append(line)
    yield Segment(row[0].number not in near, row)


ROUTES = [Route("/admin/copies/{one}/{other}", private_page(_compare_page, organiser=True))]
