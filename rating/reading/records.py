"""Match records as JSON lines: each line is an object with `players` by seat and either `points` by seat (or
`places`) or a `forfeit` with its `seat`.

`sides`, `owners`, `substitute`, `round`, `table`, `season` and `id` are read where given; other keys are
ignored. Without `owners` a name such as `random#2` is a copy of `random`: both are rated, but have no result
with each other. The seat of a `substitute` has no results at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from rating.errors import Problem, ResultError
from rating.matches import Match

_COPY = re.compile(r"#[0-9]+$")
# JSON can escape what no file of text can hold.
_HALF = re.compile("[\ud800-\udfff]")


def read_jsonl(lines: Iterable[str], file: str) -> Iterator[tuple[Match, str, int] | Problem]:
    """The matches of a file with the season and the line of each, in order, or what is wrong with them."""
    for line, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            record = json.loads(text)
        except (ValueError, RecursionError) as error:
            yield Problem(file, line, f"not JSON: {error}")
            continue
        try:
            yield _match(record), _text(record, "season"), line
        except ResultError as error:
            yield Problem(file, line, str(error))


def _match(record: Any) -> Match:
    if not isinstance(record, dict):
        raise ResultError("not a match record: each line is a JSON object")
    players = record.get("players")
    if not (isinstance(players, list) and all(isinstance(name, str) and name for name in players)):
        raise ResultError("a match record needs players: a list of names by seat")
    if any(_HALF.search(name) for name in players):
        raise ResultError("a name holds half of a surrogate pair, which is no character: mend it")
    forfeit = record.get("forfeit")
    if forfeit is not None and not (isinstance(forfeit, dict) and _is_whole(forfeit.get("seat"))):
        raise ResultError('forfeit is neither null nor an object such as {"seat": 2}')
    owners = _list(record, "owners", str)
    substitute = _whole(record, "substitute")
    return Match(
        players,
        _list(record, "points", (int, float)),
        _list(record, "places", (int, float)),
        None if forfeit is None else forfeit["seat"],
        _list(record, "sides", int),
        _whole(record, "round"),
        _whole(record, "table"),
        _text(record, "id") or None,
        [_COPY.sub("", name) for name in players] if owners is None else owners,
        () if substitute is None else (substitute,),
    )


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**15


def _fits(value: object, kind: type | tuple[type, ...]) -> bool:
    if not isinstance(value, kind) or isinstance(value, bool):
        return False
    return not isinstance(value, int | float) or value != value or abs(value) < 1e15


def _whole(record: dict[str, Any], name: str) -> int | None:
    value = record.get(name)
    if value is not None and not _is_whole(value):
        raise ResultError(f"{name} is {value!r}: give a whole number or null")
    return value


def _text(record: dict[str, Any], name: str) -> str:
    value = record.get(name)
    return value if isinstance(value, str) else ""


def _list(record: dict[str, Any], name: str, kind: type | tuple[type, ...]) -> list[Any] | None:
    value = record.get(name)
    if value is None:
        return None
    if not (isinstance(value, list) and all(_fits(x, kind) for x in value)):
        raise ResultError(f"{name} is no list of the right values: give one a seat, or null")
    return value
