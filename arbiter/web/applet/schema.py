"""The table as the page shows it, as JSON."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from typing_extensions import TypedDict

from arbiter.errors import ConfigError
from arbiter.match.limits import limits_text
from arbiter.replay.visibility import Reader, replay_of
from arbiter.table.interactive.exchange_log import escaped_text
from arbiter.table.interactive.setup import record_of
from arbiter.trials.botcheck.cures import fix_of
from arbiter.web.pages.visitor_turns import Turn, turn_of

if TYPE_CHECKING:
    from arbiter.match.record import MatchRecord
    from arbiter.replay.schema import Replay
    from arbiter.table.interactive.session import Session, TableSnapshot
    from arbiter.table.interactive.setup import TranscriptEntry

_INTERPRETER = re.compile(r"/(?:env|python[\d.]*|node|sh|bash)$")
_ADVICE = {
    "interrupted": "you stopped it; Again restarts it, sends the commands so far and asks again",
    "void": "the bot did nothing wrong; Again repeats the command",
}
"""Advice for the kinds that are not the bot's fault."""
SHOWN_LIMITS = ("time", "start_time", "memory", "clock", "isolation")


class EndedSeat(TypedDict):
    """A seat whose occupant ended, and its last message."""

    seat: int
    said: str


class SeatHolder(TypedDict):
    """The occupant of a seat: in the form that is posted, as a title, and whether it is a person."""

    who: str
    title: str
    person: bool


class TableSetup(TypedDict):
    """The game, its limits, and the occupants of the seats."""

    game: str
    title: str
    options: dict[str, Any]
    seat_word: str
    seed: str
    round: int
    limits: dict[str, str]
    seats: list[SeatHolder]


class Trouble(TypedDict):
    """A bad reply that is not resolved yet."""

    seat: int
    command: str
    raw: str
    kind: str
    problem: str
    explanation: str
    out_of_step: bool
    can_skip: bool


class Bare(TypedDict):
    """The state without a table, before it is set or after its end."""

    revision: int
    running: bool
    notes: list[str]
    ended: list[EndedSeat]


class TableState(Bare, Turn):
    """The state of a table."""

    setup: TableSetup
    trouble: Trouble | None
    left_ms: list[float]
    untold: int
    undoable: int
    since_person: int
    redoable: int
    by_hand: bool


Answer = TableState | Bare
"""The answer to each verb."""


def state(session: Session) -> Answer:
    """Return the state of the table."""
    # Read before `seen`: a page with an older table under a newer revision would not ask again.
    revision, running = session.revision, session.running
    bare: Bare = {
        "revision": revision,
        "running": running,
        "notes": list(session.notes),
        "ended": [{"seat": seat, "said": said} for seat, said in session.ended],
    }
    now = session.seen
    if now is None:
        return bare
    last = max((n for n, move in enumerate(now.moves) if now.people[move.seat]), default=len(now.moves))
    return {
        **bare,
        **turn_of(now, names_of(now)),
        "setup": setup(now),
        "trouble": _trouble_json(now, session),
        "left_ms": [left / 1e6 for left in now.left],
        "untold": now.pending_news,
        "undoable": now.undoable,
        "since_person": len(now.moves) - last,
        "redoable": now.redoable,
        "by_hand": now.by_hand,
    }


def setup(seen: TableSnapshot) -> TableSetup:
    """Return the game, its limits, and the occupants of the seats."""
    limits = asdict(limits_text(seen.setup.limits))
    seats = zip(seen.who, seen.titles, seen.people, strict=True)
    return {
        "game": seen.setup.game.name,
        "title": seen.setup.game.title,
        "options": seen.setup.game.options,
        "seat_word": seen.setup.game.seat_word,
        "seed": seen.setup.seed,
        "round": seen.setup.round_number,
        "limits": {key: limits[key] for key in SHOWN_LIMITS},
        "seats": [{"who": who, "title": title, "person": person} for who, title, person in seats],
    }


def _trouble_json(seen: TableSnapshot, session: Session) -> Trouble | None:
    entry = seen.trouble
    if entry is None:
        return None
    return {
        "seat": entry.seat,
        "command": escaped_text(entry.command.encode(errors="surrogateescape")),
        "raw": escaped_text(entry.raw),
        "kind": entry.kind,
        "problem": entry.problem,
        "explanation": session.explain(entry),
        "out_of_step": seen.out_of_step,
        "can_skip": seen.pending_news > 0,
    }


def view_of(session: Session) -> TableSnapshot:
    """Return the view of the table; ConfigError if no table is set."""
    if session.seen is None:
        raise ConfigError("no table is set yet")
    return session.seen


def record(seen: TableSnapshot) -> MatchRecord:
    """Return the match so far as a record, as `play --record` writes it."""
    return record_of(seen.setup, seen.position, seen.moves, seen.titles).with_digest_id()


def replay(seen: TableSnapshot, reader: str) -> Replay:
    """Return the match so far, as a reader may see it; ConfigError for an unknown reader."""
    eyes = Reader.parse(reader, seen.setup.game.seats)
    return replay_of(record_of(seen.setup, seen.position, seen.moves, names_of(seen)), eyes, complete=False)


def names_of(seen: TableSnapshot) -> tuple[str, ...]:
    """Return the short names of the occupants, by seat."""
    return tuple(map(short_name, seen.titles))


def short_name(title: str) -> str:
    """Return a short name: ``ada`` for a season's ``ada: python3 ada.py``, else a program's file."""
    first, colon, _ = title.partition(": ")
    if colon and not any(map(str.isspace, first)):
        return first
    files = [word for word in title.split() if "/" in word and not word.startswith("-")]
    found = (word.rpartition("/")[2] for word in files if not _INTERPRETER.search(word))
    return next(found, "") or title


def explanation(entry: TranscriptEntry) -> str:
    """Return the advice of `check-bot` after a bad reply; "" without one."""
    return _ADVICE.get(entry.kind) or entry.fix or fix_of(entry.kind, entry.command, entry.raw)
