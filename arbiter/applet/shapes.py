"""What the page is told of the table, as JSON."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from arbiter.byhand.exchanges import shown
from arbiter.byhand.sheet import record_of
from arbiter.config.limits import written
from arbiter.errors import ConfigError
from arbiter.view import Reader, replay_of

if TYPE_CHECKING:
    from arbiter.byhand.session import Seen, Session
    from arbiter.match import MatchRecord

_STARTER = re.compile(r"/(?:env|python[\d.]*|node|sh|bash)$")
TOLD_LIMITS = ("time", "start_time", "memory", "clock", "isolation")


def state(session: Session) -> dict[str, Any]:
    """How the table stands now; ``setup`` and all of the match is null where none is set yet."""
    # Before what is seen: whoever has an older table under a newer number would not ask again.
    revision, running = session.revision, session.running
    told = {
        "revision": revision,
        "running": running,
        "notes": list(session.notes),
        "ended": [{"seat": seat, "said": said} for seat, said in session.ended],
    }
    now = session.seen
    return told | (dict.fromkeys(_KEYS) if now is None else _match(now, session))


_KEYS = (
    "setup", "to_act", "request", "asks", "legal", "lays", "hint", "trouble", "left_ms",
    "untold", "made", "undoable", "since_person", "redoable", "over", "result", "by_hand",
)  # fmt: skip


def _match(seen: Seen, session: Session) -> dict[str, Any]:
    position = seen.position
    to_act, over = position.to_act, position.to_act is None
    words = 0 if over else position.answer_words
    legal = [] if over else position.words()
    last = max((n for n, move in enumerate(seen.moves) if seen.people[move.seat]), default=len(seen.moves))
    return {
        "setup": setup(seen),
        "to_act": to_act,
        "request": None if over else position.request,
        "asks": None if over else position.game.asks(position.request),
        "legal": legal,
        "lays": [position.game.cards_of(word) for word in legal],
        "hint": f"{words} words with blanks between" if words > 1 else "",
        "trouble": _trouble(seen, session),
        "left_ms": [left / 1e6 for left in seen.left],
        "untold": seen.untold,
        "made": position.made,
        "undoable": seen.undoable,
        "since_person": len(seen.moves) - last,
        "redoable": seen.redoable,
        "over": over,
        "result": {"points": list(position.totals)} if over else None,
        "by_hand": seen.by_hand,
    }


def setup(seen: Seen) -> dict[str, Any]:
    """What is played, and who sits where."""
    limits = asdict(written(seen.setup.limits))
    seats = zip(seen.who, seen.titles, seen.people, strict=True)
    return {
        "game": seen.setup.game.name,
        "title": seen.setup.game.title,
        "options": seen.setup.game.options,
        "seat_word": seen.setup.game.seat_word,
        "seed": seen.setup.seed,
        "round": seen.setup.round_number,
        "limits": {key: limits[key] for key in TOLD_LIMITS},
        "seats": [{"who": who, "title": title, "person": person} for who, title, person in seats],
    }


def _trouble(seen: Seen, session: Session) -> dict[str, Any] | None:
    entry = seen.trouble
    if entry is None:
        return None
    return {
        "seat": entry.seat,
        "command": shown(entry.command.encode(errors="surrogateescape")),
        "raw": shown(entry.raw),
        "kind": entry.kind,
        "problem": entry.problem,
        "explanation": session.explain(entry),
        "out_of_step": seen.out_of_step,
        "can_skip": seen.untold > 0,
    }


def seen(session: Session) -> Seen:
    """What there is to see; ConfigError where no table is set yet."""
    if session.seen is None:
        raise ConfigError("no table is set yet")
    return session.seen


def record(seen: Seen) -> MatchRecord:
    """The match up to now, as `play --record` writes one."""
    return record_of(seen.setup, seen.position, seen.moves, seen.titles)


def replay(seen: Seen, reader: str) -> dict[str, Any]:
    """The match up to now as a reader may see it while it is played; ConfigError where there is none."""
    eyes = Reader.parse(reader, seen.setup.game.seats)
    names = tuple(map(short_name, seen.titles))
    return replay_of(record_of(seen.setup, seen.position, seen.moves, names), eyes, complete=False)


def short_name(title: str) -> str:
    """Who sits at the table, in short: ``ada`` of a season's ``ada: python3 ada.py``, a program's file."""
    first, colon, _ = title.partition(": ")
    if colon and not any(map(str.isspace, first)):
        return first
    files = [word for word in title.split() if "/" in word and not word.startswith("-")]
    found = (word.rpartition("/")[2] for word in files if not _STARTER.search(word))
    return next(found, "") or title
