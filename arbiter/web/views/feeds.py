"""Exports for other programs: Atom feeds of a season and of a player, rounds as iCalendar, tables as CSV.

URLs are relative to that of the feed.
"""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple
from xml.etree.ElementTree import Element, SubElement, tostring

from arbiter.season.snapshot.front_page import announcements, highlights
from arbiter.season.snapshot.history import ratings_after
from arbiter.season.snapshot.model_costs import COSTS, costs_of
from arbiter.season.snapshot.pagination import window
from arbiter.season.snapshot.rejudgings import last_rejudgings, rejudging_text, rejudgings_with
from arbiter.season.snapshot.season_figures import crosstable, pairs_of
from arbiter.store.row_values import read_moment
from arbiter.text import UNMARKED, csv_cell, printable, xml_text
from arbiter.web.rendering.template_filters import match_part, part, signed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from arbiter.season.snapshot.match_schema import Rejudging
    from arbiter.season.snapshot.season_state import SeasonState

ENTRIES = 20
"""Rounds and replayed matches in a feed, the last first; future rounds in a calendar."""
ATOM = "http://www.w3.org/2005/Atom"
LENGTH = timedelta(hours=1)
"""Of a round in a calendar: its true length is unknown in advance."""


def season_feed(state: SeasonState) -> bytes:
    """Return the last rounds, replayed matches and announcements as Atom."""
    entries = [*_rejudged_entries(last_rejudgings(state, ENTRIES)), *_round_entries(state)]
    entries += _announcement_entries(state)
    return _atom_feed(state, state.name, f"/seasons/{part(state.name)}", entries)


def player_feed(state: SeasonState, player: str) -> bytes | None:
    """Return a player's rank and rating after each of the last rounds, and its replayed matches, as Atom.

    None for an unknown player.
    """
    if player not in state.names:
        return None
    address = f"/seasons/{part(state.name)}/players/{part(player)}"
    entries = [*_rejudged_entries(rejudgings_with(state, player, ENTRIES)), *_rank_entries(state, player)]
    return _atom_feed(state, f"{player} in {state.name}", address, entries)


class FeedEntry(NamedTuple):
    """An entry of a feed: `id` and `link` are below the addresses of the feed and of the season."""

    id: str
    title: str
    text: str
    link: str
    updated: datetime


def _rejudged_entries(rejudgings: Iterable[Rejudging]) -> Iterator[FeedEntry]:
    for one in rejudgings:
        link, say = f"/matches/{match_part(one['match'])}", rejudging_text(one)
        updated = read_moment(one["moment"], f"the order on match {one['match']}")
        title = f"Match {one['match']} {'was played again' if one['kind'] == 'replayed' else 'was put back'}"
        name = f"{one['match']}:{one['run']}:{one['counts']}"
        yield FeedEntry(name, title, f"{say[0].upper()}{say[1:]}.", link, updated)


def _announcement_entries(state: SeasonState) -> Iterator[FeedEntry]:
    for one in announcements(state, ENTRIES):
        number, question = one["number"], one["question"]
        title = "Announcement" if question is None else f"Answer to the question: {question}"
        title = title if one["corrected"] is None else f"{title} (corrected)"
        updated = read_moment(one["corrected"] or one["moment"], f"announcement {number}")
        yield FeedEntry(f"announcement-{number}", title, one["text"], "#announcements", updated)
    # Readers have kept the text: only an entry of the same id replaces it.
    for number, moment in state.stored.announcements.withdrawn(ENTRIES):
        updated, text = read_moment(moment, f"announcement {number}"), "The organiser withdrew this text."
        yield FeedEntry(f"announcement-{number}", "Announcement withdrawn", text, "#announcements", updated)


def _round_entries(state: SeasonState) -> Iterator[FeedEntry]:
    for number in _last_rounds(state):
        news = highlights(state, number)
        leaders = news.leaders
        say = [f"{', '.join(leaders)} leads." if len(leaders) == 1 else f"{', '.join(leaders)} lead."]
        say += [f"The closest match: {news.closest['say']}."] if news.closest is not None else []
        say += [f"The upset: {news.upset['say']}."] if news.upset is not None else []
        yield _round_entry(state, number, f"Round {number} is complete", " ".join(say))


def _rank_entries(state: SeasonState, player: str) -> Iterator[FeedEntry]:
    for number in _last_rounds(state):
        row = next(iter(ratings_after(state, [number], [player])[0]["players"]), None)
        if row is not None and row["elo"] is not None:
            where = "not ranked" if row["rank"] is None else f"rank {row['rank']}"
            say = f"{where}, Elo {signed(row['elo'])} ({signed(row['low'])} to {signed(row['high'])})"
            yield _round_entry(state, number, f"{player} after round {number}: {where}", say)


def _round_entry(state: SeasonState, number: int, title: str, text: str) -> FeedEntry:
    planned = next(known.planned for known in state.rounds if known.number == number)
    return FeedEntry(str(number), title, text, f"/boards/{number}", planned or state.moment)


def _last_rounds(state: SeasonState) -> range:
    return range(state.complete, max(state.complete - ENTRIES, 0), -1)


def _atom_feed(state: SeasonState, title: str, address: str, entries: Iterable[FeedEntry]) -> bytes:
    # Orders have whole seconds; at equal seconds an order follows the planning of a round.
    shown = sorted(entries, key=lambda entry: _atom_time(entry.updated), reverse=True)
    feed = Element("feed", xmlns=ATOM)
    SubElement(feed, "id").text = f"urn:arbiter:{address}"
    SubElement(feed, "title").text = xml_text(title)
    SubElement(feed, "link", href=address)
    SubElement(feed, "link", rel="self", href=f"{address}/feed.atom")
    SubElement(feed, "updated").text = _atom_time(shown[0].updated if shown else state.moment)
    SubElement(SubElement(feed, "author"), "name").text = "arbiter"
    for one in shown:
        entry = SubElement(feed, "entry")
        SubElement(entry, "id").text = f"urn:arbiter:{address}:{one.id}"
        SubElement(entry, "title").text = xml_text(one.title)
        SubElement(entry, "link", href=f"/seasons/{part(state.name)}{one.link}")
        SubElement(entry, "updated").text = _atom_time(one.updated)
        SubElement(entry, "summary").text = xml_text(one.text.translate(UNMARKED))
    whole: str = tostring(feed, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{whole}'.encode()


def _atom_time(when: datetime) -> str:
    return when.astimezone(UTC).isoformat(timespec="seconds")


def calendar(state: SeasonState) -> bytes:
    """Return the planned and the future rounds as iCalendar (RFC 5545)."""
    moments = {known.number: known.planned for known in state.rounds if known.planned is not None}
    following, file = state.following, state.config
    if following is not None and following.number is not None:
        number, begins = following.number, following.begins
        for later in range(ENTRIES if file.every is not None else 1):
            when = begins + later * (file.every or timedelta())
            if number + later > file.rounds or (file.until is not None and when >= file.until):
                break
            moments[number + later] = when
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//arbiter//rounds//EN"]
    for number, when in sorted(moments.items())[-2 * ENTRIES :]:
        lines += [
            "BEGIN:VEVENT",
            f"UID:{part(state.name)}-{number}@arbiter",
            f"DTSTAMP:{_icalendar_time(when)}",
            f"DTSTART:{_icalendar_time(when)}",
            f"DTEND:{_icalendar_time(when + LENGTH)}",
            f"SUMMARY:{_escape_text(f'{state.name}: round {number}')}",
            f"URL:/seasons/{part(state.name)}/rounds/{number}",
            "END:VEVENT",
        ]
    lines.append("END:VCALENDAR")
    return "".join(f"{folded}\r\n" for line in lines for folded in _fold(line)).encode()


def _icalendar_time(when: datetime) -> str:
    return when.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def _escape_text(text: str) -> str:
    """Return a text with the special characters of iCalendar escaped."""
    for mark in "\\;,":
        text = text.replace(mark, f"\\{mark}")
    return printable(text).replace("\n", "\\n")


def _fold(line: str) -> Iterator[str]:
    """Yield a line in pieces of at most 75 bytes; continuations begin with a blank."""
    piece = ""
    for character in line:
        if len((piece + character).encode()) > 75:
            yield piece
            piece = " "
        piece += character
    yield piece


COLUMNS = ("rank", "player", "elo", "low", "high", "matches", "wins", "draws", "losses", "points")


SHEET = 2000
"""Rows of a page of standings."""


def standings_csv(state: SeasonState, page: int) -> bytes | None:
    """Return a page of the standings after the last complete round as CSV; None if there is no such page."""
    shown = window(len(state.official), page, SHEET)
    if shown is None:
        return None
    columns = [*COLUMNS, *(COSTS if any("model" in row for row, _ in state.official) else ())]
    rows = (
        {**row, **costs_of(state, row), "rank": rank} for row, rank in state.official[shown.first : shown.end]
    )
    return _csv(columns, ([row.get(key) for key in columns] for row in rows))


def crosstable_csv(state: SeasonState, page: int, columns: int | None) -> bytes | None:
    """Return a CSV row with wins, draws and losses for each pair of a window that met; None if empty."""
    table = crosstable(state, page=page, columns=columns)
    return None if table is None else _csv(*pairs_of(table))


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """Return a table as CSV, in which no name is a formula for a spreadsheet."""
    text = io.StringIO()
    write = csv.writer(text).writerow
    write(columns)
    for row in rows:
        write([csv_cell(cell) for cell in row])
    return text.getvalue().encode()
