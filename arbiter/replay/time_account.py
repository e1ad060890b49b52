"""The times of a match as JSON: the charge for each move, the slowest moves, sums by seat and deal."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from arbiter.match.clock import ClockKind, charge_ns
from arbiter.match.record import Move
from arbiter.replay.result_text import escaped_note

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arbiter.games.game import Seat
    from arbiter.match.record import MatchRecord

SLOWEST = 5


def times_json(record: MatchRecord, only: Seat | None = None) -> dict[str, Any]:
    """Return all times in ns, as JSON values; with `only`, those of one seat.

    The charge for a move is ``news_ns`` for the news before, plus ``answer_ns``. A seat's
    ``after_last_move_ns`` is for later news and a request that a fault ended; its ``left_ns`` is the budget
    left after its last move, None without moves. The bot's note on a move is its ``note``, escaped.
    The last of the moves may be that request: it has the ``fault``, and None for what is not recorded.
    """
    moves = []
    notes = record.move_notes or {}
    for number, move in enumerate(record.moves, 1):
        answer = min(move.charged_ns, _answer_cost(move, record))
        values = {"number": number, "player": record.players[move.seat], **move._asdict()}
        noted = {"note": escaped_note(notes[number])} if number in notes else {}
        moves.append({**values, "answer_ns": answer, "news_ns": move.charged_ns - answer, **noted})
    seats = range(len(record.bots)) if only is None else [only]
    moves = [move for move in moves if move["seat"] in seats]
    accepted = list(moves)
    if (ended := _ended_request(record)) is not None and ended["seat"] in seats:
        moves.append(ended)
    slowest = sorted(moves, key=lambda move: (-(move["answer_ns"] or 0), move["number"]))[:SLOWEST]
    return {
        "id": record.id,
        "delivery": record.delivery,
        "clock": record.clock,
        "slowest": [move["number"] for move in slowest],
        "seats": [
            _totals(record, seat, [move for move in accepted if move["seat"] == seat]) for seat in seats
        ],
        "moves": moves,
    }


def _ended_request(record: MatchRecord) -> dict[str, Any] | None:
    """Return the request that a fault ended as a move with the ``fault``; None if no request did."""
    forfeit = record.forfeit
    if forfeit is None or not forfeit.command.startswith("gen_"):
        return None
    earlier = sum(move.charged_ns for move in record.moves if move.seat == forfeit.seat)
    unknown = dict.fromkeys(Move._fields[4:]) | {"charged_ns": record.bots[forfeit.seat].charged_ns - earlier}
    values: dict[str, Any] = {
        "deal": max(len(record.deals) - 1, 0),
        "seat": forfeit.seat,
        "request": forfeit.command,
        "action": forfeit.answer_word,
        **(forfeit.times or unknown),
    }
    answer = forfeit.times and min(values["charged_ns"], _answer_cost(Move(**values), record))
    return {
        "number": len(record.moves) + 1,
        "player": forfeit.player,
        **values,
        "answer_ns": answer,
        "news_ns": None if answer is None else values["charged_ns"] - answer,
        "fault": str(forfeit.fault),
    }


def _totals(record: MatchRecord, seat: Seat, moves: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    answers, deals = Counter[str](), Counter[int]()
    for move in moves:
        answers[move["request"].partition(" ")[0]] += move["answer_ns"]
        deals[move["deal"]] += move["charged_ns"]
    charged = record.bots[seat].charged_ns
    return {
        "seat": seat,
        "player": record.bots[seat].player,
        "charged_ns": charged,
        "answers_ns": dict(answers),
        "news_ns": sum(move["news_ns"] for move in moves),
        "after_last_move_ns": charged - deals.total(),
        "left_ns": moves[-1]["left_ns"] if moves else None,
        "deals_ns": [deals[deal] for deal in range(len(record.deals))],
    }


def _answer_cost(move: Move, record: MatchRecord) -> int:
    """Return the charge for the answer alone, in ns; the whole charge if the exchange included news."""
    if record.delivery == "batched":
        return move.charged_ns
    kind = ClockKind(record.clock)
    # The CPU time of a quick answer was not read: the adjusted time is charged.
    if kind is ClockKind.CPU and not move.cpu_ns:
        kind = ClockKind.ADJUSTED
    return charge_ns(kind, move.wall_ns, move.cpu_ns, move.delay_ns)
