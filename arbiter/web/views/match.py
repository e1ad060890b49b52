"""The page of a match: its heading, its round, and links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.contest.message_texts import ids_in
from arbiter.match.limits import AT_HOME, options_of
from arbiter.replay.emblem import dealt, emblems
from arbiter.replay.result_text import say_match
from arbiter.replay.visibility import fault_of
from arbiter.season.settings import config_of
from arbiter.season.snapshot import listings, rejudgings, review_view
from arbiter.season.snapshot.model_costs import models_of
from arbiter.season.snapshot.pagination import at_tables
from arbiter.season.substitutes import substitute_id
from arbiter.web.api.authors import owner_of
from arbiter.web.rendering.template_filters import match_part, part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.match.record import MatchRecord, MatchSummary
    from arbiter.season.snapshot.season_state import SeasonState


def match_page(state: SeasonState, match_id: str, run: int | None = None) -> Mapping[str, object] | None:
    """Load the values of the page, of an earlier `run` if given; None if no such match is stored."""
    summary, record = state.match(match_id), rejudgings.run_of(state, match_id, run)
    if summary is None or record is None:
        return None
    shown = listings.match_in_short(state, summary)
    if run is not None:
        summary = record.summary()
    base = f"/seasons/{part(state.name)}"
    address = f"/api/v1{base}/matches/{match_part(match_id)}"
    return {
        "match": _heading(state, summary, record, base),
        "short": shown if run is None else {**shown, "say": say_match(summary)},
        "run": run,
        "counts": rejudgings.run_counted(state, match_id),
        "awaits_replay": run is None and match_id in state.awaited_replays,
        "substituted": substituted(state, summary) if run is None else None,
        "sisters": _matches_of_table(state, summary),
        "replay_url": f"{address}/replay" + (f"?run={run}" if run is not None else ""),
        "review_url": f"{address}/review"
        if run is None and review_view.has_review(state, match_id)
        else None,
        "replay_data": None,
        "limits": _console_options(state, summary.round),
        **_own_urls(state, summary, run),
        "config": state.config.file.name,
    }


def substituted(state: SeasonState, match: MatchSummary) -> Mapping[str, object] | None:
    """Load id, seat and player of the match that a substitute played after a fault; None without one."""
    after = None if match.faulty is None else state.match(substitute_id(match.id))
    if after is None or after.substitute is None or after.substitute != match.faulty:
        return None
    return {"id": after.id, "seat": after.substitute, "player": after.players[after.substitute]}


def _matches_of_table(state: SeasonState, match: MatchSummary) -> list[str]:
    """Return the ids of all stored matches of its table; its own alone outside of a table."""
    if match.round is None or match.table is None:
        return [match.id]
    found = at_tables(state, match.round, range(match.table, match.table + 1))
    return [one.id for one in found[match.table]]


def _heading(state: SeasonState, match: MatchSummary, record: MatchRecord, base: str) -> Mapping[str, object]:
    """Return the heading of a replay; players' pages are below `base`."""
    is_complete = state.is_complete(match.round)
    models = {model["seat"]: model for model in models_of(state, match)}
    with dealt(state.colours):
        marks = emblems(match.players, record.sides or (None,) * len(match.players))
    return {
        "id": match.id,
        "season": state.name,
        "round": match.round,
        "game": state.config.game.title,
        "players": [
            {
                "name": name,
                "seat": seat,
                "points": None if match.points is None else match.points[seat],
                "href": f"{base}/players/{part(name)}",
                "substitute": seat == match.substitute,
                "mark": marks[seat],
                "model": models.get(seat),
            }
            for seat, name in enumerate(match.players)
        ],
        "currency": state.file.currency,
        "complete": is_complete,
        "fault": fault_of(record, listings.PUBLIC, is_complete),
    }


def named_matches(state: SeasonState, text: str, author: str) -> list[Mapping[str, object]]:
    """Load the first stored matches that a text names.

    Each has its `id`, its `runs`, and as `seats` the author's or else all, with players.
    """
    found: list[Mapping[str, object]] = []
    for match in state.matches_of(ids_in(text)):
        seats = dict(enumerate(match.players))
        own = {seat: name for seat, name in seats.items() if owner_of(name) == author}
        runs = rejudgings.runs_played(state, match.id)
        found.append({"id": match.id, "runs": runs, "seats": own or seats})
    return found


def _own_urls(state: SeasonState, match: MatchSummary, run: int | None) -> dict[str, str | None]:
    """Return the URLs of the log and the evidence of an author's seat in a run, and of the form of an appeal.

    None before they exist.
    """
    has_author = state.config.submissions is not None and any(map(owner_of, match.players))
    own = f"/me/matches/{match_part(match.id)}" if has_author and state.is_complete(match.round) else None
    query = f"?season={part(state.name)}" + ("" if run is None else f"&run={run}")
    urls = {f"{what}_url": own and f"{own}/{what}{query}" for what in ("log", "evidence")}
    appeal = f"/me?season={part(state.name)}&match={match_part(match.id)}#questions"
    return {**urls, "appeal_url": own and appeal}


def _console_options(state: SeasonState, number: int | None) -> str:
    """Return the options of `arbiter console` for the limits of a round that differ from the defaults."""
    then = next(
        (config_of(state.config, state.stored, known) for known in state.rounds if known.number == number),
        None,
    )
    return "".join(f" {word}" for word in options_of((then or state.config).limits, AT_HOME))
