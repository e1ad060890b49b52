"""The page of two programs side by side, for organisers: what corresponds is tinted, the rest folded away."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from starlette.routing import Route

from arbiter.contest.integrity.schema import in_words
from arbiter.web.api.organisers import beside_each_other
from arbiter.web.http.request_guard import given
from arbiter.web.pages.login import own_page, shows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.requests import Request
    from starlette.responses import Response

    from arbiter.contest.integrity.schema import Beside, ShownFile
    from arbiter.web.http.authentication import Caller

AROUND = 3
"""Lines that are shown before and after a passage."""
MOST_LINES, LONGEST = 4_000, 300
"""Lines of a side that are shown, and characters of a line."""


class ShownLine(NamedTuple):
    """A line; `passage` is the number of the one that it is in, 0 for none, and `begins` those that begin."""

    number: int
    text: str
    passage: int
    begins: list[int]
    given: bool


class Segment(NamedTuple):
    """Lines that follow each other; `folded` those that have nothing to show."""

    folded: bool
    lines: list[ShownLine]


def _page(caller: Caller, request: Request) -> Response:
    keys = [given(request.path_params[key]) for key in ("one", "other")]
    found = beside_each_other(caller, *keys)
    halves = [
        {
            **half,
            "words": in_words(half["side"]),
            "shown": list(_files(found, at)),
            "alone": _alone(found, at),
            "cut": sum(len(file["lines"]) for file in half["files"]) > MOST_LINES,
        }
        for at, half in enumerate(found["halves"])
    ]
    return own_page("copies", caller, request, halves=halves, passages=found["passages"])


def _alone(found: Beside, at: int) -> list[str]:
    named = {passage["places"][at]["file"] for passage in found["passages"]}
    return [file["name"] for number, file in enumerate(found["halves"][at]["files"]) if number not in named]


def _files(found: Beside, at: int) -> Iterator[tuple[str, list[Segment]]]:
    """Yield the files with passages of one side, as far as there is room."""
    room = MOST_LINES
    for number, file in enumerate(found["halves"][at]["files"]):
        spans = [
            (place["first"], place["last"], passage["number"])
            for passage in found["passages"]
            if (place := passage["places"][at])["file"] == number
        ]
        if spans and room:
            lines = _lines(file, spans)[:room]
            room -= len(lines)
            yield file["name"], list(_segments(lines))


def _lines(file: ShownFile, spans: list[tuple[int, int, int]]) -> list[ShownLine]:
    handed_out = set(file["given"])
    inside: dict[int, int] = {}
    begins: dict[int, list[int]] = {}
    for first, last, passage in sorted(spans):
        begins.setdefault(first, []).append(passage)
        # A line in two of them is that one's which begins there.
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
    """Yield the lines in segments, those far from any passage folded."""
    near = {line.number + off for line in lines if line.passage for off in range(-AROUND, AROUND + 1)}
    row: list[ShownLine] = []
    for line in lines:
        if row and (line.number in near) != (row[-1].number in near):
            yield Segment(row[0].number not in near, row)
            row = []
        row.append(line)
    yield Segment(row[0].number not in near, row)


ROUTES = [Route("/admin/copies/{one}/{other}", shows(_page, organiser=True))]
"""The page of a pair, by the keys of its programs."""
