"""Where a match's time went: what each move was charged, the slowest ones, and sums by seat and deal."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.cli.output import print_table, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.match import MatchRecord, Move
    from arbiter.rules import Seat

SLOWEST = 5


class Timed(NamedTuple):
    """One move, `number` from 1; times in ns: of `charged_ns`, `news_ns` is for what it heard before."""

    number: int
    move: Move
    news_ns: int

    @property
    def answer_ns(self) -> int:
        return self.move.charged_ns - self.news_ns


@dataclass(slots=True)
class SeatTime:
    """Where the time of one seat went, in ns; `requests` by the first word, `deals` by number from 0.

    `after_ns` was charged after its last move: for news, and for a request that a fault ended. `left_ns`
    is what it had after its last move, None where it made none.
    """

    seat: Seat
    player: str
    charged_ns: int
    left_ns: int | None = None
    news_ns: int = 0
    after_ns: int = 0
    requests: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    deals: dict[int, int] = field(default_factory=lambda: defaultdict(int))


def timed_moves(record: MatchRecord) -> list[Timed]:
    """All moves, each with the part of its charge that was for news."""
    return [
        Timed(number, move, max(0, move.charged_ns - _answer_cost(move, record)))
        for number, move in enumerate(record.moves, 1)
    ]


def time_by_seat(record: MatchRecord, moves: Sequence[Timed]) -> list[SeatTime]:
    """The sums over a match, by seat."""
    seats = [SeatTime(seat, bot.player, bot.charged_ns) for seat, bot in enumerate(record.bots)]
    for timed in moves:
        move, mine = timed.move, seats[timed.move.seat]
        mine.requests[_kind(move)] += timed.answer_ns
        mine.deals[move.deal] += move.charged_ns
        mine.news_ns += timed.news_ns
        mine.left_ns = move.left_ns
    for mine in seats:
        mine.after_ns = mine.charged_ns - sum(mine.deals.values())
    return seats


def slowest(moves: Sequence[Timed]) -> list[Timed]:
    """The moves whose answers were charged most, the slowest first."""
    return sorted(moves, key=lambda timed: (-timed.answer_ns, timed.number))[:SLOWEST]


def times_json(record: MatchRecord, seat: Seat | None = None) -> dict[str, Any]:
    """All of it as JSON values; of one seat alone where it is given."""
    moves, seats = _chosen(record, seat)
    return {
        "id": record.id,
        "delivery": record.delivery,
        "clock": record.clock,
        "slowest": [timed.number for timed in slowest(moves)],
        "seats": [
            {
                "seat": one.seat,
                "player": one.player,
                "charged_ns": one.charged_ns,
                "answers_ns": dict(one.requests),
                "news_ns": one.news_ns,
                "after_last_move_ns": one.after_ns,
                "left_ns": one.left_ns,
                "deals_ns": [one.deals.get(deal, 0) for deal in range(len(record.deals))],
            }
            for one in seats
        ],
        "moves": [
            {
                "number": timed.number,
                "player": record.players[timed.move.seat],
                **timed.move._asdict(),
                "answer_ns": timed.answer_ns,
                "news_ns": timed.news_ns,
            }
            for timed in moves
        ],
    }


def print_times(record: MatchRecord, seat: Seat | None = None) -> None:
    """The slowest moves, the sums, then a line for each move; of one seat alone where it is given."""
    moves, seats = _chosen(record, seat)
    slow = slowest(moves)
    say(f"{record.id}: {record.game}, {record.delivery} delivery, {record.clock} clock; all times in ms")
    if record.forfeit is not None:
        say(f"{record.forfeit.player} (seat {record.forfeit.seat}) forfeits: {record.forfeit.detail}")
    if record.delivery == "batched":
        say("what a seat hears comes with its next request, and costs together with the answer")
    _print_moves(record, "\nthe slowest answers", slow, [])
    kinds = list(dict.fromkeys(kind for one in seats for kind in one.requests))
    rows = [
        [
            _seat(record, one.seat),
            *(_ms(one.requests.get(kind, 0)) for kind in kinds),
            _ms(one.news_ns),
            _ms(one.after_ns),
            _ms(one.charged_ns),
            "-" if one.left_ns is None else _ms(one.left_ns),
        ]
        for one in seats
    ]
    columns = ["seat", *kinds, "news", "after its last move", "charged", "left"]
    print_table(columns, rows, "where the time went")
    by_deal = [
        [str(deal + 1), *(_ms(one.deals.get(deal, 0)) for one in seats)] for deal in range(len(record.deals))
    ]
    print_table(["deal", *(_seat(record, one.seat) for one in seats)], by_deal, "charged by deal", left=())
    _print_moves(record, "every move", moves, slow)


def _print_moves(record: MatchRecord, title: str, moves: Sequence[Timed], marked: Sequence[Timed]) -> None:
    places = {timed.number: f"slow {place}" for place, timed in enumerate(marked, 1)}
    rows = [
        [
            str(timed.number),
            str(timed.move.deal + 1),
            _seat(record, timed.move.seat),
            timed.move.request,
            timed.move.action,
            _ms(timed.move.wall_ns),
            _ms(timed.move.cpu_ns) if timed.move.cpu_ns else "-",
            _ms(timed.answer_ns),
            _ms(timed.news_ns),
            _ms(timed.move.left_ns),
            places.get(timed.number, ""),
        ]
        for timed in moves
    ]
    columns = ["move", "deal", "seat", "request", "answer", "wall", "CPU", "charged", "news", "left", ""]
    print_table(columns, rows, title, left=(2, 3, 4, 10))


def _chosen(record: MatchRecord, seat: Seat | None) -> tuple[list[Timed], list[SeatTime]]:
    moves = timed_moves(record)
    seats = time_by_seat(record, moves)
    if seat is None:
        return moves, seats
    return [timed for timed in moves if timed.move.seat == seat], [seats[seat]]


def _answer_cost(move: Move, record: MatchRecord) -> int:
    """What the answer cost by the match's clock; the whole charge where news came in the same exchange."""
    wall, cpu, delay = move.wall_ns, move.cpu_ns, move.delay_ns
    if record.delivery == "batched":
        return move.charged_ns
    if record.clock == "wall":
        return wall
    if record.clock == "cpu" and cpu:
        return min(wall, cpu)
    # The CPU time of a quick answer was not read; nor does it count for less than the time it took.
    return min(wall, max(cpu, wall - delay))


def _kind(move: Move) -> str:
    return move.request.partition(" ")[0]


def _seat(record: MatchRecord, seat: Seat) -> str:
    return f"{seat} {record.players[seat]}"


def _ms(ns: int) -> str:
    return f"{ns / 1e6:.2f}"
