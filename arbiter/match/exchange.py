"""The exchange of a `Send` for a `Reply` or a cost between referee and seat, and `drive`, its loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from arbiter.errors import MalformedReply
from arbiter.match.record import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from arbiter.games.game import Seat
    from arbiter.match.protocol import Answer
    from arbiter.match.record import MatchRecord


class Send(NamedTuple):
    """One write to each of `seats`, and the number of replies that complete each exchange.

    `payload` holds whole lines, the last being `command`; `allowed_ns` is by seat of the table; `asks` is
    True for a request for a decision, `starting` when the program's start has its own time limit.
    """

    seats: tuple[Seat, ...]
    payload: bytes
    replies: int
    allowed_ns: Sequence[int]
    asks: bool = False
    starting: bool = False

    @property
    def command(self) -> str:
        """The last line of the payload."""
        return self.payload[:-1].rpartition(b"\n")[2].decode()


class Reply(NamedTuple):
    """The reply to a request for a decision, or an exchange that failed.

    `charged_ns` is computed by the match's kind of clock from wall, CPU and delay. `answer` is valid
    unless `fault` is set.
    """

    answer: Answer
    wall_ns: int
    charged_ns: int
    cpu_ns: int = 0
    delay_ns: int = 0
    fault: MalformedReply | None = None


Replies: TypeAlias = "tuple[Sequence[int], Reply | None]"
"""The charges of each seat in ns, in the order of the `Send`, and the last seat's reply, None after news."""
MatchGenerator: TypeAlias = "Generator[Send, Replies, MatchRecord]"
"""The type of `referee`'s generator."""
Listener: TypeAlias = "Callable[[Seat, Send, Reply | int], None]"
"""Called after every exchange with the seat's result."""


class SeatChannel(Protocol):
    """The referee's connection to a seat: a bot's pipes, a bot in memory, a record, a person."""

    def exchange(self, send: Send) -> Reply | int:
        """Deliver the payload: a `Reply` to a request and for every fault, else the cost of news in ns."""


def timeout_fault(seat: Seat, send: Send, charged_ns: int, unread: bytes, writing: bool) -> MalformedReply:
    """The fault of an exchange whose time is over, with what was missing.

    `unread` is the part of the reply received; `writing` is True if the bot has not read all of `send`.
    """
    if writing:
        missing = "it did not read its standard input"
    elif not unread:
        missing = "no reply"
    elif unread.endswith(b"\n"):
        missing = "no empty line after the reply"
    else:
        missing = "the reply was not complete"
    return MalformedReply(Fault.TIMEOUT, f"{missing}: {timeout_reason(seat, send, charged_ns)}", unread)


def timeout_reason(seat: Seat, send: Send, charged_ns: int) -> str:
    """The reason of a timeout for people; both times have enough digits to differ."""
    what, allowed_ns = "its start was" if send.starting else "it was", send.allowed_ns[seat]
    for digits in (1, 2, 3, 4, 5, 6):
        charged, allowed = (f"{ns / 1e6:.{digits}f} ms" for ns in (charged_ns, allowed_ns))
        if charged != allowed:
            break
    return f"charged {charged} where {what} allowed {allowed}"


def drive(match: MatchGenerator, seats: Sequence[SeatChannel], listen: Listener | None = None) -> MatchRecord:
    """Exchange what the referee yields with `seats` until it returns the record."""
    try:
        next(drive_by_step(match, seats, listen, every=None))
    except StopIteration as done:
        record: MatchRecord = done.value
        return record
    raise AssertionError("yielded before the end")


def drive_by_step(
    match: MatchGenerator,
    seats: Sequence[SeatChannel],
    listen: Listener | None = None,
    every: bool | None = False,
) -> Generator[tuple[Seat, Send], Reply | int | None, MatchRecord]:
    """Like `drive`, but yield each request before it is made; each exchange if `every`, none if that is None.

    A value sent into the generator replaces the seat's reply; None asks the seat.
    """
    exchanges = [seat.exchange for seat in seats]
    try:
        send = next(match)
        while True:
            costs = []
            last = None
            stops = every or (send.asks and every is not None)
            for seat in send.seats:
                given = (yield seat, send) if stops else None
                reply = exchanges[seat](send) if given is None else given
                if listen is not None:
                    listen(seat, send, reply)
                if isinstance(reply, int):
                    costs.append(reply)
                    continue
                last = reply
                costs.append(reply.charged_ns)
                if reply.fault is not None:
                    break
            send = match.send((costs, last))
    except StopIteration as done:
        record: MatchRecord = done.value
    return record
