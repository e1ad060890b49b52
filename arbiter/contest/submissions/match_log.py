"""A match as text for the author of a seat: its log (messages, answers, times, standard error), and what the
seat could know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arbiter.games import make
from arbiter.replay.frame import hand_line, roles_line
from arbiter.replay.result_text import note_lines, say_moments
from arbiter.replay.visibility import Reader, replay_of
from arbiter.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from arbiter.games.game import Seat
    from arbiter.match.record import MatchRecord
    from arbiter.replay.schema import Replay

SHOWN_WORDS = 16
"""The most legal answers listed."""


def log_of(record: MatchRecord, seats: Iterable[Seat]) -> str:
    """Return the log of some seats of a stored match; StoreError if it cannot be replayed."""
    return "\n".join(line for seat in seats for line in _seat_log(record, seat)) + "\n"


def _seat_log(record: MatchRecord, seat: Seat) -> Iterator[str]:
    yield f"match {record.id}, seat {seat}: {printable(record.players[seat])}"
    for event in replay_of(record, Reader("seat", seat))["events"]:
        yield from _event_log_lines(event, seat)
    forfeit = record.forfeit
    if forfeit is not None and forfeit.seat == seat and (when := say_moments(forfeit)):
        yield f"the last command: {when}"
    if forfeit is not None and forfeit.seat == seat and forfeit.reply:
        yield "the reply that was refused:"
        yield _indented(forfeit.reply)
    if seat < len(record.bots):
        bot = record.bots[seat]
        yield f"charged {bot.charged_ns / 1e6:.2f} ms, memory at most {bot.peak_memory_bytes / 1e6:.1f} MB"
        yield from (f"note: {printable(text)}" for text in bot.notes)
        yield "standard error, its first 2 and last 4 KiB:" if bot.stderr else "nothing on standard error"
        if bot.stderr:
            yield _indented(bot.stderr)
    yield ""


def _event_log_lines(event: Mapping[str, Any], seat: Seat) -> Iterator[str]:
    match event["t"]:
        case "deal":
            yield f"deal {event['deal'] + 1}"
        case "tell":
            yield f"> {event['text']}"
        case "ask":
            yield f"> {event['request']}"
        case "answer" if event["seat"] == seat:
            yield from note_lines(event.get("note"))
            yield f"= {event['text']}    {event['charged_ms']:.2f} ms, {event['left_ms']:.2f} ms left"
        case "end_deal":
            yield f"points {' '.join(map(str, event['points']))}"
        case "fault":
            yield f"{printable(event['player'])} forfeits: {event['fault']}: {printable(event['text'])}"
            if "charged_ms" in event:
                yield f"the request that it ended: {event['charged_ms']:.2f} ms charged"


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in printable(text).splitlines())


def seen_by(record: MatchRecord, seat: Seat) -> Iterator[str]:
    """Yield all that a seat could know, in order, except `time_left`, which is not recorded."""
    game = make(record.game, record.options)
    yield f"{record.id}: {record.game}, as seat {seat} ({record.players[seat]}) knew it"
    yield from lines_of(replay_of(record, Reader("seat", seat)), seat, lambda hand: hand_line(game, hand))


def seen_by_all(record: MatchRecord) -> Iterator[str]:
    """Yield the hands and answers that everyone may see of a match of a complete round, in order."""
    game = make(record.game, record.options)
    replay = replay_of(record, Reader("public"))
    deals: dict[int, Any] = {deal["deal"]: deal for deal in replay["deals"]}
    for event in replay["events"]:
        match event["t"]:
            case "deal":
                deal = deals[event["deal"]]
                roles = roles_line({key: value for key, value in deal.items() if key != "deal"})
                yield ""
                yield f"deal {event['deal'] + 1} ({roles})" if roles else f"deal {event['deal'] + 1}"
                for seat, hand in enumerate(deal["hands"]):
                    yield f"  hand of seat {seat}: {hand_line(game, hand)}"
            case "answer":
                yield from (f"    {line}" for line in note_lines(event.get("note")))
                yield f"  seat {event['seat']}: {event['request']} {_event_text(event).lstrip()}"
            case "ask" | "tell":
                # The answers say the same.
                continue
            case "reveal":
                yield f"  seat {event['seat']} shows {event['text']}"
            case _:
                yield f"  {_event_text(event)}"


def lines_of(replay: Replay, seat: Seat, hand_text: Callable[[Sequence[str] | None], str]) -> Iterator[str]:
    """Yield a replay for a seat as lines: its hands, by `hand_text`, messages, answers and notes."""
    deals: dict[int, Any] = {deal["deal"]: deal for deal in replay["deals"]}
    for event in replay["events"]:
        if event["t"] != "deal":
            if event["t"] == "answer":
                yield from (f"    {line}" for line in note_lines(event.get("note")))
            yield f"  {_event_text(event)}"
            continue
        number = event["deal"]
        roles = roles_line({key: value for key, value in deals[number].items() if key != "deal"})
        yield ""
        yield f"deal {number + 1} ({roles})" if roles else f"deal {number + 1}"
        yield f"  hand: {hand_text(deals[number]['hands'][seat])}"


def _event_text(event: Mapping[str, Any]) -> str:
    """Return an event of a replay, other than a deal, as one line."""
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
            raise AssertionError(f"unexpected event {other}")
    return line
