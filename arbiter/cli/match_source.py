"""A recorded match without its season's file: from a file of records or a replay, or from a site.

A source is a file (.json: a match record or a replay; .jsonl: one of them per line) or the address of a
match on a site. Files and answers may come from strangers: sizes, types and every move are checked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from arbiter.cli.match_filter import find_names
from arbiter.cli.options import read_json
from arbiter.cli.output import print_table, result_text, say
from arbiter.errors import ConfigError, StoreError
from arbiter.games import make
from arbiter.match.position import retrace
from arbiter.match.record import PLACEHOLDER_IDS, MatchRecord
from arbiter.replay.visibility import FORMAT
from arbiter.table.interactive.replay_import import MOST_CHARACTERS, record_of
from arbiter.text import counted, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.cli.match_filter import MatchFilter

LINES = (".jsonl", ".ndjson")
SCHEMES = ("http://", "https://")
FETCH_SECONDS = 60.0
"""From the connection to the last byte of a replay."""
LISTED = 1000
"""The most matches of a list."""
_PAGE = re.compile(r"(?P<before>.*?)(?P<match>/seasons/[^/]+/matches/.+?)/?")
_API = "/api/v1"


def is_match_source(text: str) -> bool:
    """True for an address or a file of matches, a .json file by its content; False for a season's file."""
    if text.startswith(SCHEMES) or text.endswith(LINES):
        return True
    if not text.endswith(".json"):
        return False
    try:
        shape = read_json(text, MOST_CHARACTERS)
    except ConfigError:
        return True
    return _is_match(shape) or not isinstance(shape, Mapping) or "players" not in shape


def read_matches(source: str) -> Iterator[MatchRecord]:
    """Yield the matches of a source; ConfigError, StoreError or SiteUnreachable if one cannot be read."""
    if source.startswith(SCHEMES):
        yield record_from(_fetch(source), source)
    elif source.endswith(LINES):
        yield from _read_lines(source)
    else:
        found = read_json(source, MOST_CHARACTERS)
        for shape in found if isinstance(found, list) else [found]:
            yield record_from(shape, source)


def read_match(source: str, which: str | None = None) -> MatchRecord:
    """Read one match of a source: `which` is its id or its number, counted from 1.

    ConfigError if it is missing, or if there are several and none is chosen.
    """
    if which is not None and which.isascii() and which.isdecimal():
        if not int(which):
            raise ConfigError("matches are counted from 1, got 0", source)
        found = list(islice(read_matches(source), int(which) - 1, int(which)))
    else:
        found = [record for record in read_matches(source) if which in (None, record.id)]
    if len(found) == 1:
        return verify_record(found[0], source)
    listing = f"arbiter show {source} lists them"
    if which is None:
        several = f"has {len(found)} matches: give the id or the number of one" if found else "has no match"
        raise ConfigError(several, source, listing if found else "")
    if not found:
        raise ConfigError(f"no match {which!r}", source, listing)
    raise ConfigError(f"has {len(found)} matches {which!r}: give a number", source, listing)


def has_several(source: str) -> bool:
    """Read up to two matches of a file; True for more than one, False for an address."""
    return not source.startswith(SCHEMES) and len(list(islice(read_matches(source), 2))) > 1


def print_matches(source: str, wanted: MatchFilter) -> None:
    """Print a table of a source's matches, with their numbers in it; ConfigError for an unknown player."""
    rows: list[list[object]] = []
    names: set[str] = set()
    more = 0
    for number, record in enumerate(read_matches(source), 1):
        match = record.summary()
        names.update(match.players)
        if not wanted.accepts(match):
            continue
        if len(rows) < LISTED:
            rows.append([number, record.id, record.game, result_text(match)])
        else:
            more += 1
    if wanted.lost is not None:
        find_names(wanted.lost, names)
    if not rows:
        say(f"{source}: none of its matches")
        return
    print_table(["number", "match", "game", "result"], rows, left=(1, 2, 3))
    if more:
        say(f"and {counted(more, 'match')} more")
    say(f"arbiter show {source} NUMBER shows one")


def _is_match(shape: object) -> bool:
    if isinstance(shape, list):
        return bool(shape) and _is_match(shape[0])
    return isinstance(shape, Mapping) and ("moves" in shape or shape.get("format") == FORMAT)


def _read_lines(path: str) -> Iterator[MatchRecord]:
    """Read a file of JSON lines and yield its matches; ConfigError names the line."""
    try:
        with Path(path).open(encoding="utf-8") as file:
            number = 0
            while line := file.readline(MOST_CHARACTERS + 1):
                number += 1
                if line.strip():
                    yield record_from(_parse_line(line, f"{path}:{number}"), f"{path}:{number}")
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", path) from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"is not UTF-8: {error}", path) from None


def _parse_line(line: str, place: str) -> Any:
    if len(line) > MOST_CHARACTERS:
        raise ConfigError(f"has more than {MOST_CHARACTERS} characters", place)
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"is not JSON: {error}", place) from None


def record_from(shape: object, place: str) -> MatchRecord:
    """Return the record of a match's JSON; ConfigError or StoreError for another content."""
    try:
        if isinstance(shape, Mapping) and shape.get("format") == FORMAT:
            return record_of(shape)
        if not _is_match(shape) or not isinstance(shape, Mapping):
            raise StoreError(f"{place}: cannot be read: it is neither a match record nor a replay")
        record = MatchRecord.from_json(shape)
    except ConfigError as error:
        raise ConfigError(error.problems, error.file or place) from None
    return record.with_digest_id() if record.id in PLACEHOLDER_IDS and not record.season else record


def verify_record(record: MatchRecord, source: str) -> MatchRecord:
    """Verify a record and return it.

    StoreError or ConfigError if it cannot be shown, or breaks its game's rules.
    """
    try:
        _check_types(record)
        game = make(record.game, record.options)
        if len(record.players) != game.seats:
            raise ConfigError(f"has {len(record.players)} players, and its game {game.seats} seats", source)
        for _ in retrace(record, game):
            pass
        return record
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise StoreError(f"the record of match {record.id} cannot be read: {error!r}") from None


def _check_types(record: MatchRecord) -> None:
    """Raise TypeError or ValueError for a value of a wrong type, by which printing it would fail."""
    seats, forfeit = range(len(record.players)), record.forfeit
    numbers: list[object] = [*(record.points or ()), *(record.sides or ())]
    texts: list[object] = [
        record.id,
        record.season,
        record.seed,
        record.delivery,
        record.clock,
        *record.players,
    ]
    for move in record.moves:
        numbers += [move.deal, *move[4:]]
        texts += [move.request, move.action]
        seats.index(move.seat)
    for bot in record.bots:
        numbers += [bot.charged_ns, bot.cpu_ns, bot.peak_memory_bytes]
        for at, when, number in bot.stderr_at:
            numbers += [at, number]
            texts.append(when)
            if number < 1:
                raise ValueError(f"move {number}: moves are counted from 1")
        texts += [bot.player, bot.stderr_head, bot.stderr_tail, *bot.notes]
    if forfeit is not None:
        seats.index(forfeit.seat)
        others = ("seat", "fault", "times")
        texts += [getattr(forfeit, name) for name in forfeit.__slots__ if name not in others]
        numbers += (forfeit.times or {}).values()
    if record.points is not None and len(record.points) != len(record.players):
        raise ValueError(f"{len(record.points)} points for {len(record.players)} players")
    if len(record.bots) not in (0, len(record.players)):
        raise ValueError(f"{len(record.bots)} bots for {len(record.players)} players")
    for kind, values in ((int, numbers), (str, texts)):
        for value in values:
            if not isinstance(value, kind):
                raise TypeError(f"{value!r} instead of {kind.__name__}")


def _fetch(url: str) -> object:
    """Request the JSON of a match's address: its page, its replay, or any address of a record or a replay."""
    from arbiter.contest.submissions.client import SiteAddress

    parts = urlsplit(url)
    address = SiteAddress(url)
    path = parts.path
    if _API not in path and (found := _PAGE.fullmatch(path)) is not None:
        path = f"{found['before']}{_API}{found['match']}/replay"
    query = f"?{parts.query}" if parts.query else ""
    answer = address.ask("GET", f"{path or '/'}{query}", {}, longest=MOST_CHARACTERS, seconds=FETCH_SECONDS)
    if answer.words is not None and answer.status >= 300:
        raise ConfigError(answer.words.said, printable(url), answer.words.fix)
    if answer.words is not None:
        hint = "expected the address of a match, such as https://HOST/seasons/S/matches/r001-t01-m0"
        raise ConfigError("is neither a match record nor a replay", printable(url), hint)
    if answer.status != 200:
        raise ConfigError(answer.error(), printable(url))
    return answer.shape
