"""The evidence of one seat in a match as one HTML file, for an appeal.

It shows what the author of the seat may see, and what everyone may see; it has no scripts and makes no
requests. The same store gives the same bytes, so two people can compare their files.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from arbiter import __version__
from arbiter.contest.submissions.match_log import log_of, seen_by, seen_by_all
from arbiter.match.clock import ClockKind, TimeControl, duration_text, time_limit_text
from arbiter.match.spec import original
from arbiter.replay.result_text import say_match, say_moments
from arbiter.replay.time_account import times_json
from arbiter.replay.visibility import Reader, fault_words, replay_of
from arbiter.season.config.settings_diff import is_sent, rated_name
from arbiter.season.config.submission_settings import SOURCE
from arbiter.season.order_effects import orders_until_replaced
from arbiter.season.program_digests import replay_of as order_of_replay
from arbiter.season.settings import config_of
from arbiter.season.snapshot.rejudgings import rejudgings_of, run_counted, run_in_name, runs_played
from arbiter.text import counted, json_text, printable
from arbiter.web.rendering.templates import render
from arbiter.web.views.late_reply import late_words, ms_text
from arbiter.web.views.report_file import content_policy, read_static
from arbiter.web.views.void_plays import void_words

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


PAGE = "evidence.html"
LOST = {
    "steal_ns": "processor time that the hypervisor took from the machine during the match",
    "stopped_ns": "time in which the referee was stopped while a bot's clock ran, which is not charged"
    " and not part of wall or waited",
    "suspended_ns": "time in which the machine was suspended",
}
"""Times in ns that the machine lost, by their keys in the `host` of a record."""
MOST_FILES = 100
"""Files of a program with their digests."""


def evidence_files(
    state: SeasonState, record: MatchRecord, seat: Seat, run: int | None = None
) -> dict[str, str]:
    """Return the files of the evidence by name, `PAGE` the last.

    `record` is the `run` of its match, without one the run that counts. In `state`, the public's, its
    round is complete.
    """
    times = times_json(record, seat)
    files = {
        f"replay-seat-{seat}.json": json_text(replay_of(record, Reader("seat", seat))),
        "replay-public.json": json_text(replay_of(record, Reader("public"))),
        "moves.json": json_text(times),
        "log.txt": log_of(record, [seat]),
    }
    return {**files, PAGE: _make_page(state, record, seat, run, times, files)}


def file_name(state: SeasonState, match_id: str, seat: Seat, run: int | None) -> str:
    """Return the name of the page as a separate file."""
    return f"evidence-{match_id.replace('/', '-')}{run_in_name(state, match_id, run)}-seat-{seat}.html"


def sha256_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _make_page(
    state: SeasonState,
    record: MatchRecord,
    seat: Seat,
    run: int | None,
    times: Mapping[str, Any],
    files: Mapping[str, str],
) -> str:
    """Return the text of the page; `times` are those of the seat, `files` the other files by name."""
    style = read_static("style.css")
    config, player = _config_then(state, record), record.players[seat]
    runs = runs_played(state, record.id)[-1]
    counts = run_counted(state, record.id)
    run = run or counts
    last = state.match(record.id)
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
        moments="" if forfeit is None else say_moments(forfeit),
        refused=forfeit.reply if forfeit is not None and forfeit.seat == seat else "",
        voids=void_words(state, record),
        annulled=state.annulled.get(record.id),
        run=run,
        runs=runs,
        counts=counts,
        rejudged=[] if last is None else rejudgings_of(state, last),
        clock=[] if config is None else clock_words(config.limits, record),
        times=times,
        sums=times["seats"][0],
        own="\n".join(_own_log(record, seat)),
        public="\n".join(seen_by_all(record)).strip("\n"),
        bot=record.bots[seat] if seat < len(record.bots) else None,
        machine=_machine_words(record, times),
        late=[] if config is None else late_words(config.limits.time, record, times),
        programs=_programs(state, record, player, run),
        archive=None if config is None else _archive(config, player),
        record_digest=sha256_of(json_text(record.to_json())),
        file_digests={name: sha256_of(text) for name, text in files.items()},
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


def _machine_words(record: MatchRecord, times: Mapping[str, Any]) -> list[str]:
    """Return what is recorded of the machine during the match, without its name; [] in earlier records."""
    host = record.host
    if "cores" not in host:
        return []
    waited = [move["delay_ns"] or 0 for move in times["moves"]]
    most, measured = max(waited, default=0), "is" if host.get("schedstat") else "cannot be"
    kernel = host.get("kernel", "unknown")
    found = [f"It has {counted(host['cores'], 'core')} and kernel {kernel}"]
    found += [f"time spent waiting for a busy processor {measured} measured on it"]
    found += [
        (
            f"this bot waited {ms_text(sum(waited))} for a busy processor,"
            f" at most {ms_text(most)} before one answer"
        )
    ]
    for key, what in LOST.items():
        if host.get(key) is not None:
            found.append(f"{what}: {ms_text(host[key])}")
    return found


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


def _programs(state: SeasonState, record: MatchRecord, player: str, run: int) -> list[tuple[str, str]]:
    """Load name and SHA-256 of a player's files: of a version all that were accepted.

    Of a program of the organiser the files of its command in that run, without folders, which only
    the organiser knows.
    """
    for version in state.stored.submissions.accepted():
        if rated_name(version.author, version.version) == original(player) and version.program:
            sent = version.program["files"]
            found = [(name.removeprefix(f"{SOURCE}/"), sent[name]) for name in sorted(sent)]
            more = len(found) - MOST_FILES
            return found[:MOST_FILES] + ([("...", f"and {counted(more, 'file')} more")] if more > 0 else [])
    given = orders_until_replaced(state.stored.orders.read().given, record.id, run)
    again = order_of_replay(given, record.id)
    known = state.stored.programs().get(record.round or 0, {}) if again is None else again.programs or {}
    files = known.get(original(player), {})
    return [(PurePath(file).name, digest or "could not be read") for file, digest in files.items()]


def _archive(config: Config, player: str) -> str | None:
    """Return the SHA-256 of the archive that the author sent, None for a program of the organiser."""
    for known in config.settings["players"]:
        if is_sent(known) and rated_name(known["name"], known.get("version")) == player:
            return str(known["sha256"])
    return None
