"""The evidence of one seat in a match as one HTML file, for an appeal.

It shows what the author of the seat may see, and what everyone may see; it has no scripts and makes no
requests. The same store gives the same bytes, so two people can compare their files.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from arbiter import __version__
from arbiter.contest.submissions.match_log import seen_by, seen_by_all
from arbiter.match.clock import ClockKind, TimeControl, duration_text, time_limit_text
from arbiter.match.spec import original
from arbiter.replay.result_text import say_match
from arbiter.replay.visibility import Reader, fault_words
from arbiter.season.config.settings_diff import is_sent, rated_name
from arbiter.season.program_digests import replay_of as order_of_replay
from arbiter.season.settings import config_of
from arbiter.text import printable
from arbiter.web.rendering.templates import render
from arbiter.web.views.report_file import content_policy, read_static

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from arbiter.games.game import Seat
    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import Limits
    from arbiter.season.config import Config
    from arbiter.season.snapshot.season_state import SeasonState

CHARGED = {
    ClockKind.ADJUSTED: "A bot is charged for the time from a command until its complete reply, less the time"
    " in which it waited for a processor that was busy with other work, but at least for the processor time"
    " that it used: charged = min(wall, max(CPU, wall - waited)).",
    ClockKind.WALL: "A bot is charged for the time from a command until its complete reply, even if the"
    " machine was busy with other work: charged = wall.",
    ClockKind.CPU: "A bot is charged for the processor time that it used: charged = min(wall, CPU).",
}


def make_evidence(
    state: SeasonState,
    record: MatchRecord,
    seat: Seat,
    times: Mapping[str, Any],
    record_digest: str,
    file_digests: Mapping[str, str],
) -> str:
    """Return the text of the file; `times` are those of the seat, from `arbiter show --moves`.

    The digests are SHA-256 in hex: of the whole record as printed, and by file name of what the seat may see.
    """
    style = read_static("style.css")
    config, player = _config_then(state, record), record.players[seat]
    link, matches = state.stored.chain(record.round or 0)
    forfeit = record.forfeit
    return render(
        "evidence",
        policy=content_policy(style, []),
        style=Markup(style),
        name=state.name,
        commitment=state.commitment,
        record=record,
        seat=seat,
        player=player,
        title=config.game.title if config else record.game,
        result=say_match(record.summary()),
        fault=None if forfeit is None else fault_words(forfeit, Reader("seat", seat)),
        refused=forfeit.reply if forfeit is not None and forfeit.seat == seat else "",
        annulled=state.annulled.get(record.id),
        clock=[] if config is None else clock_words(config.limits, record),
        times=times,
        sums=times["seats"][0],
        own="\n".join(_own_log(record, seat)),
        public="\n".join(seen_by_all(record)).strip("\n"),
        bot=record.bots[seat] if seat < len(record.bots) else None,
        programs=_programs(state, record, player),
        archive=None if config is None else _archive(config, player),
        record_digest=record_digest,
        file_digests=file_digests,
        link=link,
        matches=matches,
        version=__version__,
    )


def clock_words(limits: Limits, record: MatchRecord) -> list[str]:
    """Return the rules of the clock that a match was played under, a sentence or two for each rule."""
    control = limits.time
    together = (
        "News is sent together with the next request, and its cost is part of that answer's."
        if record.delivery == "batched"
        else "News, a command that asks for no decision, is charged like any other; a move's charge includes"
        " the news before it."
    )
    start = (
        "The time of a program's start is charged, too."
        if limits.start_ns is None
        else f"A program has {time_limit_text(limits.start_ns)} more from its start to its first reply."
    )
    return [
        f"Each player has {control.description()} (time: {control}).",
        f"{CHARGED[ClockKind(record.clock)]} (clock: {record.clock}).",
        together,
        start,
        _lateness(control),
    ]


def _lateness(control: TimeControl) -> str:
    most = (
        f"{duration_text(control.budget_ns)} for a command"
        if control.per_request
        else "what the player had left when its command was sent"
    )
    return (
        f"A reply is late if its charge is more than {most}. A late reply ends the match, and its player"
        " loses to each of the others."
    )


def _own_log(record: MatchRecord, seat: Seat) -> Iterator[str]:
    """Yield what the bot received and answered, in order, with its reply that was refused."""
    forfeit = record.forfeit
    refused = forfeit.reply if forfeit is not None and forfeit.seat == seat else ""
    *lines, last = seen_by(record, seat)
    yield from lines
    yield from (f"    {line}" for line in printable(refused).splitlines())
    yield last


def _config_then(state: SeasonState, record: MatchRecord) -> Config | None:
    """Load the config that the match was played under; None if it is not stored."""
    planned = next((known for known in state.rounds if known.number == record.round), None)
    return None if planned is None else config_of(state.config, state.stored, planned)


def _programs(state: SeasonState, record: MatchRecord, player: str) -> list[tuple[str, str]]:
    """Load name and SHA-256 of the player's files, without folders, which only the organiser knows."""
    again = order_of_replay(state.stored.orders.read().given, record.id)
    known = state.stored.programs().get(record.round or 0, {}) if again is None else again.programs or {}
    files = known.get(original(player), {})
    return [(PurePath(file).name, digest or "could not be read") for file, digest in files.items()]


def _archive(config: Config, player: str) -> str | None:
    """Return the SHA-256 of the archive that the author sent, None for a program of the organiser."""
    for known in config.settings["players"]:
        if is_sent(known) and rated_name(known["name"], known.get("version")) == player:
            return str(known["sha256"])
    return None
