"""The referee of one match, as a generator: no I/O, no time source, no process.

Theory of operation. `referee` yields `Send`s, each to be exchanged with its seats in order, is sent
the `Replies`, and returns the `MatchRecord`. `exchange.drive` runs the exchanges and stops at the
first fault, so replies may be fewer than seats. Every forfeit is decided here: a seat reports an
answer, its duration or a protocol fault, the rules decide whether an answer is legal, and this
module charges the clock, ends the match and names the loser.

One command goes to all seats, in seat order, before the next. In batched delivery the news of a
seat is held until its next decision and then goes out in one write with `time_left` and the
request; the first command of a match is never held, because a bot's start is timed by its reply.

Of a reply to news only the cost matters, so it is reported as that number: of some 2,560 replies in
a match, a sixth become objects.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from arbiter.errors import IllegalAction, MalformedReply
from arbiter.match.clock import MS, Clock, spent_budget_text
from arbiter.match.exchange import Reply, Send, timeout_reason
from arbiter.match.position import planned_deal, planned_deals
from arbiter.match.protocol import words_of
from arbiter.match.record import BotReport, Fault, Forfeit, MatchRecord, Move, rounded_to_us

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arbiter.games.game import Action, AnyGame, Command, Deal, Seat, State
    from arbiter.match.exchange import MatchGenerator
    from arbiter.match.protocol import Answer
    from arbiter.match.spec import MatchSpec

SHOWN_REPLY = 4096
"""Bytes kept of a faulty reply."""
_tuple = tuple.__new__


class _MatchForfeited(Exception):
    """Raised at the first fault; ends the match."""

    def __init__(
        self, seat: Seat, send: Send, fault: MalformedReply, reply: Reply | None, spent: str = ""
    ) -> None:
        self.seat, self.command = seat, send.command if seat in send.seats else ""
        self.fault, self.spent = fault, spent
        self.reply = reply if send.asks and self.command else None


@lru_cache(maxsize=4096)
def _encoded(command: Command) -> bytes:
    """Encode a command; cached, since a game has few."""
    return command.encode() + b"\n"


def judge(
    game: AnyGame, state: State, seat: Seat, request: Command, answer: Answer
) -> tuple[Action, State, str]:
    """Return the legal action that an answer means, the state after it, and the answer's words.

    MalformedReply for a refusal or a wrong number of words; IllegalAction with the rules' reason.
    """
    accepted, text, raw = answer
    if not accepted:
        raise MalformedReply(Fault.REFUSED, f"refused to answer {request}", raw)
    number = game.answer_words(state, seat)
    word = text.decode() if number == 1 and text.isalnum() else words_of(answer, number)
    action = game.parse(state, seat, word)
    return action, state.apply(seat, action), word


def referee(game: AnyGame, spec: MatchSpec) -> MatchGenerator:
    """Conduct one match of `game` between `spec.players`; see the module's docstring."""
    match = _Match(game, spec)
    forfeit = None
    points: tuple[int, ...] | None = None
    total = (0,) * game.seats
    scores: list[tuple[int, ...]] = []
    state: State | None = None
    try:
        for wording in game.greeting():
            for send in match.send_to_all(wording):
                match.charge_exchanges(send, *(yield send))
        while (deal := match.next_deal(state)) is not None:
            state = game.start(deal)
            for wording in game.dealt(deal):
                for send in match.send_to_all(wording):
                    match.charge_exchanges(send, *(yield send))
            while to_act := state.to_act:
                before, seat = state, to_act[0]
                request = game.request(state, seat)
                if time_left := match.send_time_left(seat):
                    match.charge_exchanges(time_left, *(yield time_left))
                send = match.request(seat, request)
                costs, reply = yield send
                match.charge_exchanges(send, costs, reply)
                action, state = match.judge(state, seat, request, reply, send)
                for seats, command in game.news(before, seat, action, state):
                    if news := match.send_news(seats, command):
                        match.charge_exchanges(news, *(yield news))
            total = tuple(map(sum, zip(total, state.points(), strict=True)))
            scores.append(total)
        for send in match.send_held():
            match.charge_exchanges(send, *(yield send))
        points = total
    except _MatchForfeited as ended:
        seat, fault = ended.seat, ended.fault
        forfeit = Forfeit(
            seat=seat,
            player=spec.players[seat].name,
            fault=Fault(fault.kind),
            reason=fault.reason,
            command=ended.command,
            reply=fault.reply[:SHOWN_REPLY].decode(errors="backslashreplace"),
            spent=ended.spent,
            private=fault.private,
            times=match.times_of_last(seat, ended.reply),
        )
    return match.record(points, scores, forfeit, state)


class _Match:
    """The bookkeeping of one match: clock, held news, moves, notes."""

    def __init__(self, game: AnyGame, spec: MatchSpec) -> None:
        self._game, self._spec = game, spec
        self._clock = Clock(spec.limits.time, game.seats)
        self._batched = spec.limits.delivery == "batched"
        self._started = [False] * game.seats
        self._held: list[list[bytes]] = [[] for _ in range(game.seats)]
        self._moves: list[tuple[int, Seat, Command, str, tuple[int, int, int, int], int, int]] = []
        self._notes: list[dict[str, None]] = [{} for _ in range(game.seats)]
        self._round = spec.round or 1  # outside a season, the deals of round 1
        self._planned = planned_deals(game, spec.seed, self._round)
        self._deals: list[Deal] = []
        self._states: list[State] = []
        """The final state of each finished deal."""
        self._alone = tuple((seat,) for seat in range(game.seats))

    def next_deal(self, last: State | None) -> Deal | None:
        """Draw the next deal and keep it, with the `last` one's final state; None after the last deal."""
        number = len(self._deals)
        if last is not None:
            self._states.append(last)
        deal = planned_deal(self._game, self._spec.seed, self._round, number, last)
        if deal is not None:
            self._deals.append(deal)
        return deal

    def send_to_all(self, wording: Sequence[Command]) -> Iterator[Send]:
        """Yield one command to all seats, in each one's wording; batched delivery holds all but the first."""
        for seat, command in enumerate(wording):
            line = _encoded(command)
            if not self._started[seat]:
                self._started[seat] = True
                yield self._first_send(seat, line)
            elif self._batched:
                self._held[seat].append(line)
            else:
                yield Send((seat,), line, 1, tuple(self._clock.left))

    def send_news(self, seats: tuple[Seat, ...], command: Command) -> Send | None:
        """Return the same command to several seats; batched delivery holds it and returns None."""
        line = _encoded(command)
        if self._batched:
            for seat in seats:
                self._held[seat].append(line)
            return None
        return _tuple(Send, (seats, line, 1, tuple(self._clock.left), False, False))

    def send_time_left(self, seat: Seat) -> Send | None:
        """Return the ``time_left`` before a request; batched delivery holds it and returns None."""
        clock = self._clock
        line = b"time_left %d\n" % (clock.left[seat] // MS)
        if self._batched:
            self._held[seat].append(line)
            return None
        return _tuple(Send, (self._alone[seat], line, 1, tuple(clock.left), False, False))

    def request(self, seat: Seat, request: Command) -> Send:
        """Return the request for a decision, with the commands held for the seat, which are then released."""
        if self._batched:
            self._held[seat].append(_encoded(request))
            return self._release_held(seat, asks=True)
        return _tuple(Send, (self._alone[seat], _encoded(request), 1, self._clock.allowed(), True, False))

    def send_held(self) -> Iterator[Send]:
        """Yield the commands still held when the last deal is over."""
        for seat, lines in enumerate(self._held):
            if lines:
                yield self._release_held(seat, asks=False)

    def charge_exchanges(self, send: Send, costs: Sequence[int], reply: Reply | None) -> None:
        """Charge the seats' clocks for their exchanges; _MatchForfeited at a protocol fault or a timeout."""
        seats, _, _, allowed, _, starting = send
        # A start has its own limit and is not on the clock.
        if starting:
            late = seats[0] if costs[0] > allowed[seats[0]] else None
        else:
            late = self._clock.charge(seats, costs, allowed)
        if reply is not None and (fault := reply.fault) is not None:
            seat = seats[len(costs) - 1] if fault.seat is None else fault.seat
            spent = self._spent_budget_text(seat, send, costs[-1]) if fault.kind == Fault.TIMEOUT else ""
            raise _MatchForfeited(seat, send, fault, reply, spent)
        if late is not None:
            cost = costs[seats.index(late)]
            fault = MalformedReply(Fault.TIMEOUT, timeout_reason(late, send, cost))
            raise _MatchForfeited(late, send, fault, reply, self._spent_budget_text(late, send, cost))

    def judge(
        self, state: State, seat: Seat, request: Command, reply: Reply | None, send: Send
    ) -> tuple[Action, State]:
        """Record the answer as a move; return the action and the state after it, or _MatchForfeited."""
        assert reply is not None
        game, clock, answer = self._game, self._clock, reply.answer
        try:
            action, after, word = judge(game, state, seat, request, answer)
        except MalformedReply as fault:
            raise _MatchForfeited(seat, send, fault, reply) from None
        except IllegalAction as error:
            word = words_of(answer, game.answer_words(state, seat))
            illegal = MalformedReply(Fault.ILLEGAL, error.with_word(word), answer.raw)
            raise _MatchForfeited(seat, send, illegal, reply) from None
        canonical = game.action_text(state, seat, action)
        if canonical != word:
            self._notes[seat]["actions not in canonical form"] = None
        clock.add_increment(seat)
        deal = len(self._deals) - 1
        # Not the answer itself, which may be long.
        self._moves.append((deal, seat, request, canonical, reply[1:5], clock.used[seat], clock.left[seat]))
        return action, after

    def times_of_last(self, seat: Seat, reply: Reply | None) -> dict[str, int] | None:
        """Return the times of a request that a fault ended, as those of a move; None if unknown."""
        if reply is None or not reply.wall_ns:
            return None
        used, left = self._clock.used[seat], self._clock.left[seat]
        before = next((move[5] for move in reversed(self._moves) if move[1] == seat), 0)
        total = rounded_to_us(used)
        return {
            "wall_ns": rounded_to_us(reply.wall_ns),
            "cpu_ns": rounded_to_us(reply.cpu_ns),
            "delay_ns": rounded_to_us(reply.delay_ns),
            "charged_ns": total - rounded_to_us(before),
            "left_ns": rounded_to_us(self._spec.limits.time.left_after(left, total - used)),
        }

    def record(
        self,
        points: tuple[int, ...] | None,
        scores: Sequence[tuple[int, ...]],
        forfeit: Forfeit | None,
        state: State | None,
    ) -> MatchRecord:
        """Return the record, times rounded so that they sum; `scores` are totals, `state` is the last one."""
        spec, game = self._spec, self._game
        control = spec.limits.time
        charged = [0] * game.seats
        moves = []
        for deal, seat, request, action, (wall, _, cpu, delay), used, left in self._moves:
            total = (used + 500) // 1000 * 1000
            cost, charged[seat] = total - charged[seat], total
            # So that time left and charges sum to the time granted.
            left = control.left_after(left, total - used)
            wall, left = (wall + 500) // 1000 * 1000, (left + 500) // 1000 * 1000
            if cpu or delay:
                cpu, delay = rounded_to_us(cpu), rounded_to_us(delay)
            fields = (deal, seat, request, action, wall, cpu, delay, cost, left)
            moves.append(_tuple(Move, fields))
        if game.chained:
            # `state` belongs to a deal in progress; with none, it repeats the last of `_states`.
            states = [*self._states, state]
            shapes = tuple(game.deal_record(*both) for both in zip(self._deals, states, strict=False))
        elif len(self._deals) < len(self._planned.deals):
            shapes = tuple(game.deal_json(deal) for deal in self._deals)
        else:
            shapes = self._planned.shapes
        return MatchRecord(
            id=spec.id,
            season=spec.season,
            round=spec.round,
            table=spec.table,
            rotation=spec.rotation,
            game=spec.game,
            options=game.options,
            seed=spec.seed,
            deal_hash=self._planned.hash,
            players=tuple(player.name for player in spec.players),
            deals=shapes,
            moves=tuple(moves),
            points=points,
            forfeit=forfeit,
            sides=game.sides,
            bots=tuple(
                BotReport(player.name, charged_ns=rounded_to_us(used), notes=tuple(notes))
                for player, used, notes in zip(spec.players, self._clock.used, self._notes, strict=True)
            ),
            delivery=spec.limits.delivery,
            clock=spec.limits.clock,
            substitute=spec.substitute,
            scores=tuple(scores),
        )

    def _spent_budget_text(self, seat: Seat, send: Send, cost: int) -> str:
        """Return how a seat's budget was spent before an exchange that cost too much; "" for a start."""
        if send.starting:
            return ""
        answers = [(request, deal, times[1]) for deal, by, request, _, times, *_ in self._moves if by == seat]
        limits = self._spec.limits
        rest = "news" if limits.start_ns is not None else "its start and news"
        return spent_budget_text(limits.time, self._clock.used[seat] - cost, answers, rest)

    def _first_send(self, seat: Seat, line: bytes) -> Send:
        """Return a seat's first command, timed as its program's start unless that is on the game clock."""
        limit = self._spec.limits.start_ns
        if limit is None:
            return Send((seat,), line, 1, tuple(self._clock.left))
        return Send((seat,), line, 1, (limit,) * self._game.seats, starting=True)

    def _release_held(self, seat: Seat, asks: bool) -> Send:
        """Return all commands held for a seat as one exchange, and forget them.

        `asks` is True if the last one is a request.
        """
        lines = self._held[seat]
        payload, number = b"".join(lines), len(lines)
        lines.clear()
        return _tuple(Send, (self._alone[seat], payload, number, self._clock.allowed(number), asks, False))
