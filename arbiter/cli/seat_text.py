"""A match as one seat knew it, for people: its hands, what it was told, what it answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arbiter.cli.output import say
from arbiter.frame import hand_line, roles_line
from arbiter.games import make
from arbiter.view import Reader, replay_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.match import MatchRecord
    from arbiter.rules import Seat

SHOWN_WORDS = 16
"""Legal answers that are listed."""


def print_seat(record: MatchRecord, seat: Seat) -> None:
    """All that a seat could know, in order; `time_left` is not kept, and so not among it."""
    replay = replay_of(record, Reader("seat", seat))
    game = make(record.game, record.options)
    deals = {deal["deal"]: deal for deal in replay["deals"]}
    say(f"{record.id}: {record.game}, as seat {seat} ({record.players[seat]}) knew it")
    for event in replay["events"]:
        if event["t"] != "deal":
            say(f"  {_line(event)}")
            continue
        number = event["deal"]
        deal = {key: value for key, value in deals[number].items() if key != "deal"}
        say(f"\ndeal {number + 1} ({roles_line(deal)})" if roles_line(deal) else f"\ndeal {number + 1}")
        say(f"  hand: {hand_line(game, deals[number]['hands'][seat])}")


def _line(event: Mapping[str, Any]) -> str:
    line: str
    match event["t"]:
        case "tell":
            line = event["text"]
        case "ask":
            legal = event["legal"]
            more = f" ... ({len(legal)} in all)" if len(legal) > SHOWN_WORDS else ""
            line = f"{event['request']}   may {', '.join(legal[:SHOWN_WORDS])}{more}"
        case "answer":
            line = f"  = {event['text']}   {event['charged_ms']:.2f} ms, {event['left_ms']:.2f} ms left"
        case "exchange":
            cards = " ".join(event["cards"]) if event["cards"] else f"{event['count']} cards"
            line = f"seat {event['seat']} gives seat {event['to']} {cards}"
        case "trick":
            line = f"(to seat {event['seat']})"
        case "end_deal":
            line = f"points {' '.join(map(str, event['points']))}"
        case "fault":
            line = f"{event['player']} (seat {event['seat']}) forfeits: {event['fault']}: {event['text']}"
        case other:
            raise AssertionError(f"no seat is shown {other}")
    return line
