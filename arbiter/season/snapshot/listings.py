"""The rounds, matches and players of a season's state; see `season_figures`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from arbiter.match.spec import original
from arbiter.replay.emblem import dealt
from arbiter.replay.result_text import say_match, winners
from arbiter.replay.visibility import Reader, fault_words, replay_of
from arbiter.season.config.settings_diff import registered_name
from arbiter.season.snapshot import duplicate_boards
from arbiter.season.snapshot.decision_losses import losses_of
from arbiter.season.snapshot.history import MOST_ROUNDS, ratings_after
from arbiter.season.snapshot.model_costs import identity, models_of
from arbiter.season.snapshot.pagination import TABLES, MatchList, at_tables, page_fields, some_rounds, window
from arbiter.season.snapshot.rejudgings import fault_in, rejudgings_of, rejudgings_with, run_of
from arbiter.season.snapshot.season_figures import cells_of, crossed, round_in_short, row_of
from arbiter.store.tags import TagFilter

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from arbiter.match.record import BotReport, MatchSummary
    from arbiter.replay.schema import Replay
    from arbiter.season.snapshot.match_schema import MatchRow
    from arbiter.season.snapshot.page_schema import Against, PlayerPage, PlayerReview, Use, Versus
    from arbiter.season.snapshot.schema import Round, RoundTable
    from arbiter.season.snapshot.season_state import SeasonState
    from arbiter.season.snapshot.viewer import Viewer

PUBLIC = Reader("public")
MOST_FAULTS = 50
"""Faults listed on a player's page; each is read from its match."""
MOST_TOLD = 1200
"""The last matches over which means are taken."""
MOST_SHOWN = 50
"""Matches listed on the page of two players, the last first."""


def round_page(state: SeasonState, number: int, page: int = 1) -> Round | None:
    """Return a page of a round's tables with their matches; None for an unknown round or page."""
    found = next((known for known in state.rounds if known.number == number), None)
    if found is None:
        return None
    names = state.tables(number)
    shown = window(len(names), page, TABLES)
    if shown is None:
        return None
    of = at_tables(state, number, range(shown.first + 1, shown.end + 1))
    tables: list[RoundTable] = [
        {
            "table": table,
            "players": list(names[table - 1]),
            "matches": [match_in_short(state, match) for match in mine],
        }
        for table, mine in of.items()
    ]
    short = round_in_short(state, found)
    return {
        "season": state.name,
        **short,
        "rounds": len(state.rounds),
        "tables": tables,
        **page_fields(shown),
    }


def match_in_short(state: SeasonState, match: MatchSummary) -> MatchRow:
    """Return a match for lists, without the reason of a fault, which may reveal cards or standard error."""
    row: MatchRow = {
        "id": match.id,
        "round": match.round,
        "table": match.table,
        "rotation": match.rotation,
        "players": list(match.players),
        "points": None if match.points is None else list(match.points),
        "winners": list(winners(match.points)),
        "say": say_match(match),
        "fault": fault_in(match),
        "substitute": match.substitute,
        "annulled": state.annulled.get(match.id),
    }
    if models := models_of(state, match):
        row["models"] = models
    if rejudged := rejudgings_of(state, match):
        row["rejudged"] = rejudged
    return row


def match_with_reason(state: SeasonState, match: MatchSummary) -> MatchRow:
    """Return a match for organisers' lists, with the reason of a fault."""
    row = match_in_short(state, match)
    return row if match.faulty is None else {**row, "text": match.detail}


def matches(
    state: SeasonState,
    round_number: int | None = None,
    player: str | Sequence[str] | None = None,
    against: str | None = None,
    tag: str | None = None,
    viewer: Viewer | None = None,
) -> MatchList:
    """Return the stored matches of a round, of a player, of two players; with a tag visible to `viewer`.

    The player may be given by several names, of its versions.
    """
    groups = [
        (names,) if isinstance(names, str) else names for names in (player, against) if names is not None
    ]
    if tag is None:
        return MatchList(state, round_number, *groups)
    if viewer is not None and viewer.organiser:
        return MatchList(state, round_number, *groups, tagged=TagFilter(tag))
    own = tuple(name for name in state.names if viewer is not None and viewer.own(name))
    # While results are held back, tags could reveal that a match was replayed.
    last = state.complete if state.held is None else 0
    return MatchList(state, round_number, *groups, last=last, tagged=TagFilter(tag, own))


def faults(state: SeasonState, ended: Iterable[MatchSummary]) -> list[MatchRow]:
    """Return matches that faults ended, each with the public part of the reason."""
    rows: list[MatchRow] = []
    for match in ended:
        end = state.end(match.id)
        if end is not None and end.forfeit is not None:
            words = fault_words(end.forfeit, PUBLIC, state.is_complete(match.round))
            rows.append({**match_in_short(state, match), "text": words})
    return rows


def player_page(
    state: SeasonState, name: str, page: int = 1, viewer: Viewer | None = None
) -> PlayerPage | None:
    """Return all about a player, with a page of its opponents; None for an unknown player or page.

    The losses of its decisions are public if reviews are published, else only for its author.
    """
    if name not in state.names:
        return None
    names = [] if state.ranking is None else crossed(state, state.ranking)
    met = _opponents(state, name, names)
    shown = window(len(met), page)
    if shown is None:
        return None
    family = registered_name(name)
    number, own = _own_faults(state, name)
    counted = _counted(state, [name])
    last, reports = _last_reports(state, name, counted)
    return {
        "season": state.name,
        "player": name,
        "standing": row_of(state, name),
        "house": state.players.get(original(name)) == "house",
        "rung": state.players.get(original(name)) == "rung",
        "withdrawn": original(name) not in state.players,
        "suspended": state.suspended.get(name),
        "versions": [known for known in state.names if registered_name(known) == family],
        "history": [
            {"round": after["round"], **row}
            for after in ratings_after(state, some_rounds(state.complete, MOST_ROUNDS), [name])
            for row in after["players"]
        ],
        "against": _results_against(state, name, met[shown.first : shown.end]),
        "faults": faults(state, own),
        "faults_in_all": number,
        "use": _resource_use(last, reports),
        "model": identity(reports),
        "cards": next((row for row in duplicate_boards.totals(counted) if row["player"] == name), None),
        "review": _review_of(state, name, counted, viewer),
        "rejudged": rejudgings_with(state, name),
        **page_fields(shown),
    }


def _review_of(
    state: SeasonState, name: str, counted: Sequence[MatchSummary], viewer: Viewer | None
) -> PlayerReview | None:
    """Load a player's losses in reviewed matches that count; None if there are none or they are hidden."""
    if not (state.file.publish_reviews or (viewer is not None and viewer.own(name))):
        return None
    found = losses_of(state.stored.reviews.briefs([match.id for match in counted]))
    mine = None if found is None else next((row for row in found["players"] if row["player"] == name), None)
    return None if found is None or mine is None else {**mine, "by": found["by"]}


def is_own(_state: SeasonState, viewer: Viewer, name: str, _page: int) -> bool:
    """True for a player of the viewer."""
    return viewer.own(name)


def versus(state: SeasonState, one: str, other: str) -> Versus | None:
    """Return two players against each other; None if either is unknown, or both are the same."""
    if one == other or not {one, other} <= set(state.names):
        return None
    both = _counted(state, [one], [other])
    ranking, cell = state.ranking, None
    if ranking is not None and {one, other} <= {row.player for row in ranking.rows if row.matches}:
        cell = cells_of(ranking, [one], [other])[0][0]
    means = {row["player"]: row for row in duplicate_boards.totals(both)}
    return {
        "season": state.name,
        "players": [one, other],
        "standing": [row_of(state, one), row_of(state, other)],
        "cell": cell,
        "points": [means[name]["points"] if name in means else None for name in (one, other)],
        "met": _met_often(state, one, other),
        "matches": [match_in_short(state, match) for match in both[: -MOST_SHOWN - 1 : -1]],
    }


def _counted(state: SeasonState, *players: Sequence[str]) -> list[MatchSummary]:
    """Return the last counted matches of players: of complete rounds, and not annulled."""
    every = MatchList(state, None, *players, last=state.complete)
    return [
        match
        for match in every.part(max(0, len(every) - MOST_TOLD), MOST_TOLD)
        if match.id not in state.annulled
    ]


def _met_often(state: SeasonState, one: str, other: str) -> int:
    """Return the number of counted matches in which two players met."""
    out = state.matches_of(state.annulled)
    away = sum({one, other} <= set(match.players) and state.is_complete(match.round) for match in out)
    return len(MatchList(state, None, [one], [other], last=state.complete)) - away


def _opponents(state: SeasonState, name: str, names: Sequence[str]) -> list[str]:
    """Return the opponents with results against a player, in the order of the crosstable."""
    if state.ranking is None or name not in names:
        return []
    table = state.ranking.fit.table
    where = {known: k for k, known in enumerate(table.players)}
    met = {other for _, other in table.pairs().between([where[name]], range(len(table.players)))}
    return [known for known in names if where[known] in met]


def _results_against(state: SeasonState, name: str, met: Sequence[str]) -> list[Against]:
    """Return a player's results against some of its opponents."""
    if state.ranking is None or not met:
        return []
    cells = cells_of(state.ranking, [name], met)[0]
    return [{"player": other, **cell} for other, cell in zip(met, cells, strict=True) if cell is not None]


def _own_faults(state: SeasonState, name: str) -> tuple[int, list[MatchSummary]]:
    """Return the number of counted matches ended by a player's own faults, and the last of them."""
    if state.held is not None:
        # The store's index of faults may be of a hidden replay.
        every = MatchList(state, None, [name])
        seen = [match for match in every.part(0, len(every)) if _is_own_fault(state, match, name)]
        own = [match for match in seen if match.id not in state.annulled]
        return len(own), own[-MOST_FAULTS:]
    ended = MatchList(state, None, [name], ended=True)
    out = sum(1 for match in state.matches_of(state.annulled) if _is_own_fault(state, match, name))
    last = ended.part(max(0, len(ended) - MOST_FAULTS - out), MOST_FAULTS + out)
    own = [match for match in last if match.id not in state.annulled and _is_own_fault(state, match, name)]
    return len(ended) - out, own[-MOST_FAULTS:]


def _is_own_fault(state: SeasonState, match: MatchSummary, name: str) -> bool:
    """True for a match of a complete round ended by a player's own fault."""
    return match.faulty is not None and match.players[match.faulty] == name and state.is_complete(match.round)


def _last_reports(
    state: SeasonState, name: str, counted: Sequence[MatchSummary]
) -> tuple[int, list[BotReport]]:
    """Return the last complete round in which a player played, and the reports of its processes."""
    last = max((match.round or 0 for match in counted), default=0)
    mine = MatchList(state, last, [name])
    ends = [state.end(match.id) for match in mine.part(0, len(mine))] if last else []
    return last, [bot for end in ends if end is not None for bot in end.bots if bot.player == name]


def _resource_use(last: int, reports: Sequence[BotReport]) -> Use | None:
    """Return time and memory of a player in its last complete round; None if it never played."""
    return None if not reports else {
        "round": last,
        "matches": len(reports),
        "charged_ms": sum(bot.charged_ns for bot in reports) / len(reports) / 1e6,
        "most_charged_ms": max(bot.charged_ns for bot in reports) / 1e6,
        "peak_memory_mb": max(bot.peak_memory_bytes for bot in reports) / 1e6,
    }  # fmt: skip


def match_page(state: SeasonState, match_id: str) -> MatchRow | None:
    """Return a match as in lists; None if it is not stored."""
    match = state.match(match_id)
    return None if match is None else match_in_short(state, match)


def replay(
    state: SeasonState,
    match_id: str,
    reader: str = "public",
    run: int | None = None,
    viewer: Viewer | None = None,
    alone: Collection[int] | None = None,
) -> Replay | None:
    """Return a match as the public may see it, or as a seat saw it once its round is complete.

    Then `viewer` also sees the notes of its own bots. With `alone` only the notes of these seats are shown,
    regardless of publication. `run` is an earlier run of a replayed match. None for an unknown match, or if
    nothing may be seen yet.
    """
    record = run_of(state, match_id, run)
    if record is None:
        return None
    if alone is not None:
        record = replace(record, notes_public=())
    complete = state.is_complete(record.round)
    seats = range(len(record.players) if complete else 0)
    readers = {"public": PUBLIC} | {f"seat:{seat}": Reader("seat", seat, author=False) for seat in seats}
    if reader not in readers:
        return None
    own = tuple(seat for seat in seats if viewer is not None and viewer.own(record.players[seat]))
    own = own if alone is None else tuple(alone)
    with dealt(state.colours):
        return replay_of(record, readers[reader]._replace(notes=own), complete)


def has_own(state: SeasonState, viewer: Viewer, match_id: str, *_asked: object) -> bool:
    """True for a match with a bot whose notes and review are for the viewer."""
    match = state.match(match_id)
    return match is not None and any(map(viewer.own, match.players))
