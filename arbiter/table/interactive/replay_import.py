"""A replay from a site, as a match record that can be fed and dealt again.

It is untrusted, so its size, its types and every move are checked before anything is started. A replay has no
seed: in games whose deals depend on play, later deals are new.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arbiter.errors import ConfigError, StoreError
from arbiter.games import make
from arbiter.match.position import MOST_DEALS, retrace
from arbiter.match.record import Fault, Forfeit, MatchRecord, Move
from arbiter.replay.visibility import FORMAT

MOST_CHARACTERS = 50_000_000
"""The most characters of a file."""
MOST_MOVES = 1_000_000
_LONGEST = 200
"""The most characters of a word or a name."""
_LONGEST_REASON = 10_000
_MOST_MS = 1e12
_WHERE = "download one from the page of a match"


def record_of(replay: object) -> MatchRecord:
    """Return the match of a replay that shows all cards; ConfigError with the reason for anything else.

    Its times are what was charged and left; of a fault it has the public text.
    """
    if not isinstance(replay, Mapping) or replay.get("format") != FORMAT:
        raise ConfigError(f"is not a replay ({FORMAT})", hint=_WHERE)
    try:
        record = _read_record(replay)
    except (KeyError, TypeError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise ConfigError(f"is not a whole replay: {what}", hint=_WHERE) from None
    game = make(record.game, record.options)
    if len(record.players) != game.seats:
        raise ConfigError(f"has {len(record.players)} players, and its game {game.seats} seats")
    if record.points is not None and len(record.points) != game.seats:
        raise ConfigError(f"has {len(record.points)} points, and its game {game.seats} seats")
    try:
        for _ in retrace(record, game):
            pass
    except StoreError as error:
        raise ConfigError(f"cannot be played: {error}") from None
    return record


def _read_record(replay: Mapping[str, Any]) -> MatchRecord:
    """Read the record; KeyError for a missing part, TypeError for a wrong one."""
    reader = _checked_text(replay["reader"], "reader")
    game = _checked_mapping(replay["game"], "game")
    players = [_checked_mapping(player, "player") for player in _checked_list(replay["players"], "players")]
    deals = [_read_deal(deal, reader) for deal in _checked_list(replay["deals"], "deals", MOST_DEALS)]
    events = [_checked_mapping(event, "event") for event in _checked_list(replay["events"], "events")]
    moves = [_read_move(event) for event in events if event["t"] == "answer"]
    if len(moves) > MOST_MOVES:
        raise TypeError(f"expected at most {MOST_MOVES} decisions, got {len(moves)}")
    number = replay["round"]
    names = tuple(_checked_text(player["name"], "player") for player in players)
    points, forfeit = _read_result(_checked_mapping(replay["result"], "result"), names)
    return MatchRecord(
        id=_checked_text(replay["id"], "id"),
        season=_checked_text(replay["season"], "season"),
        round=None if number is None else _checked_number(number, "round", 1, 10**9),
        table=None,
        rotation=0,
        game=_checked_text(game["name"], "game"),
        options=_checked_mapping(game["options"], "options"),
        seed="unknown",
        deal_hash="",
        players=names,
        deals=tuple(deals),
        moves=tuple(moves),
        points=points,
        forfeit=forfeit,
    )


def _read_result(
    result: Mapping[str, Any], players: tuple[str, ...]
) -> tuple[tuple[int, ...] | None, Forfeit | None]:
    """Return the points by seat and the fault, each None without it; TypeError for a wrong part."""
    points, fault = result["points"], result["fault"]
    if points is not None:
        points = tuple(
            int(_checked_number(point, "points", -1e9, 1e9)) for point in _checked_list(points, "points")
        )
    if fault is None:
        return points, None
    fault = _checked_mapping(fault, "fault")
    seat = int(_checked_number(fault["seat"], "seat", 0, len(players) - 1))
    try:
        kind = Fault(_checked_text(fault["kind"], "fault"))
    except ValueError as error:
        raise TypeError(str(error)) from None
    reason = _checked_text(fault["text"], "fault", _LONGEST_REASON)
    return None, Forfeit(seat, players[seat], kind, reason, command="", reply="")


def _read_deal(value: object, reader: str) -> dict[str, Any]:
    """Return a deal as in a record; ConfigError if a hand is hidden, KeyError or TypeError if malformed."""
    deal = dict(_checked_mapping(value, "deal"))
    del deal["deal"]
    hands = deal["hands"]
    if hands is None or None in _checked_list(hands, "hands"):
        if reader == "public":
            raise ConfigError("hides the hands: its round was still played", hint="download it again later")
        raise ConfigError(f"hides hands: it is for {reader} alone", hint=_WHERE)
    # Null means absent.
    return {key: part for key, part in deal.items() if part is not None}


def _read_move(event: Mapping[str, Any]) -> Move:
    """Return the move of an event `answer`; KeyError for a missing part, TypeError for a wrong one."""
    charged, left = (
        _checked_number(event[key], key, -_MOST_MS, _MOST_MS) for key in ("charged_ms", "left_ms")
    )
    return Move(
        deal=int(_checked_number(event["deal"], "deal", 0, MOST_DEALS)),
        seat=int(_checked_number(event["seat"], "seat", 0, 100)),
        request=_checked_text(event["request"], "request"),
        action=_checked_text(event["text"], "text"),
        wall_ns=0,
        cpu_ns=0,
        delay_ns=0,
        charged_ns=int(charged * 1e6),
        left_ns=int(left * 1e6),
    )


def _checked_mapping(value: object, what: str) -> Mapping[str, Any]:
    """Return the value; TypeError, which names `what`, if it is no mapping."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{what}: expected an object")
    return value


def _checked_list(value: object, what: str, limit: int | None = None) -> list[Any]:
    """Return the value; TypeError, which names `what`, if it is no list, or has more than `limit` items."""
    if not isinstance(value, list) or (limit is not None and len(value) > limit):
        raise TypeError(f"{what}: expected a list" + ("" if limit is None else f" of at most {limit}"))
    return value


def _checked_text(value: object, what: str, limit: int = _LONGEST) -> str:
    """Return the value; TypeError, which names `what`, if it is no text of at most `limit` characters."""
    if not isinstance(value, str) or len(value) > limit:
        raise TypeError(f"{what}: expected a text of at most {limit} characters")
    return value


def _checked_number(value: object, what: str, least: float, most: float) -> Any:
    """Return the value; TypeError, which names `what`, if it is no number from `least` to `most`."""
    if type(value) not in (int, float) or not least <= value <= most:  # type: ignore[operator]
        raise TypeError(f"{what}: expected a number from {least:g} to {most:g}")
    return value
