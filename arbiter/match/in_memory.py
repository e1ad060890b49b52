"""Matches between bots in memory: the real referee and protocol, without pipes and clocks.

A bot in memory is a callable from a command line to the raw bytes of its output, None when its
program ends instead. The caller sets what an exchange costs on the bot's clock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, TypeAlias

from arbiter.errors import MalformedReply
from arbiter.games.cards import Stream
from arbiter.games.game import Action, AnyGame, Seat, State
from arbiter.match.clock import SECOND, TimeControl
from arbiter.match.exchange import Reply, Send, drive
from arbiter.match.notes import notes_by_move
from arbiter.match.position import Position
from arbiter.match.protocol import NONE, PLAIN, Connection
from arbiter.match.record import Fault, MatchRecord
from arbiter.match.referee import referee
from arbiter.match.spec import Limits, MatchSpec, Player

Bot: TypeAlias = Callable[[str], "bytes | None"]
"""From a command line to the raw reply; None when the program ends, MemoryError over its limit."""
Policy: TypeAlias = Callable[[State, Seat], Action]
Cost: TypeAlias = "int | Callable[[Send, Seat], int]"
"""The cost of an exchange in ns, flat or by what was sent and to whom."""


class Said(NamedTuple):
    """One command and a bot's raw reply."""

    seat: Seat
    command: str
    reply: bytes


class ScriptedBot:
    """Answers ``=`` to news, and its words, in order, to each ``gen_``; ends when no word is left.

    `raw` replaces single replies: {("play", 2): b"? why\\n\\n"} is for the third ``play`` it
    receives; None ends the program. A replaced answer still consumes its word. `heard` is every
    command so far.
    """

    def __init__(
        self,
        words: Iterable[str] = (),
        raw: Mapping[tuple[str, int], bytes | None] | None = None,
    ) -> None:
        self.heard: list[str] = []
        self._words = iter(words)
        self._raw = dict(raw or {})
        self._times: Counter[str] = Counter()

    @classmethod
    def replaying(
        cls,
        record: MatchRecord,
        seat: Seat,
        raw: Mapping[tuple[str, int], bytes | None] | None = None,
    ) -> ScriptedBot:
        """Return a bot that answers with a seat's recorded actions, in order; `raw` as in the constructor."""
        return cls([move.action for move in record.moves if move.seat == seat], raw)

    def __call__(self, command: str) -> bytes | None:
        self.heard.append(command)
        reply: bytes | None = PLAIN
        if command.startswith("gen_"):
            word = next(self._words, None)
            reply = None if word is None else b"= %s\n\n" % word.encode()
        if self._raw:
            name = command.partition(" ")[0]
            reply = self._raw.get((name, self._times[name]), reply)
            self._times[name] += 1
        return reply


def random_policy(seed: object) -> Policy:
    """Return a policy that draws a legal action, all equally likely; the same seed gives the same choices."""
    draw = Stream("random_policy", seed).draw

    def choose(state: State, seat: Seat) -> Action:
        legal = state.legal(seat)
        return legal[draw(len(legal))]

    return choose


def match_spec(
    game: AnyGame,
    *,
    seed: str = "1",
    round_number: int | None = None,
    names: Sequence[str] | None = None,
    rotation: int = 0,
    time: str = "3m",
    start_ns: int | None = 5 * SECOND,
    delivery: str = "strict",
) -> MatchSpec:
    """A match of this game to be played in memory; `names` by seat, `time` as in `TimeControl.parse`.

    Without `start_ns` the start is on the clock.
    """
    names = names or [f"player-{seat}" for seat in range(game.seats)]
    return MatchSpec(
        id=f"memory/m{rotation}",
        season="memory",
        round=round_number,
        table=None,
        rotation=rotation,
        game=game.name,
        options=game.options,
        seed=seed,
        players=tuple(Player(name, (name,)) for name in names),
        limits=Limits(TimeControl.parse(time), start_ns, 400_000_000, delivery=delivery),
    )


def play_in_memory(
    game: AnyGame,
    bots: Sequence[Bot],
    spec: MatchSpec | None = None,
    *,
    cost: Cost = 0,
    transcript: list[Said] | None = None,
) -> MatchRecord:
    """Conduct one match between bots in memory, by seat; `spec` is by default that of `match_spec`.

    Every command with its reply is appended to `transcript`, in the order sent. An incomplete reply
    after all commands have been delivered is a timeout.
    """
    spec = spec or match_spec(game)
    seats = [_MemorySeat(seat, bot, cost, transcript) for seat, bot in enumerate(bots)]
    record = drive(referee(game, spec), seats)
    reports = [
        replace(report, notes=(*report.notes, *seat.connection.notes))
        for report, seat in zip(record.bots, seats, strict=True)
    ]
    notebooks = {seat: seated.connection.notebook for seat, seated in enumerate(seats)}
    noted = notes_by_move(notebooks, [move.seat for move in record.moves])
    return replace(record, bots=tuple(reports), move_notes=noted)


class _MemorySeat:
    """A bot in memory as a `SeatChannel`."""

    def __init__(self, seat: Seat, bot: Bot, cost: Cost, transcript: list[Said] | None) -> None:
        self._seat, self._bot, self._cost, self._transcript = seat, bot, cost, transcript
        self.connection = Connection()
        self._requests = 0

    def exchange(self, send: Send) -> Reply | int:
        """Give the bot each command in turn, then read the replies; a fault of any kind is in the Reply."""
        connection, seat, cost = self.connection, self._seat, self._cost
        ns = cost if isinstance(cost, int) else cost(send, seat)
        self._requests += send.asks
        try:
            if connection.buffer and (stale := connection.unasked_output()):
                raise MalformedReply(Fault.OUT_OF_TURN, "output that nothing asked for stood unread", stale)
            ended = False
            for command in send.payload[:-1].decode().split("\n"):
                output = self._bot(command)
                if self._transcript is not None:
                    self._transcript.append(Said(seat, command, output or b""))
                if output is None:
                    ended = True
                    break
                connection.feed(output)
            answers = connection.take(send.replies)
            if not answers:
                if ended:
                    raise MalformedReply(Fault.CRASH, "its program ended", connection.unread)
                ns = max(ns, send.allowed_ns[seat] + 1)
                raise MalformedReply(Fault.TIMEOUT, "no complete reply", connection.unread)
        except MalformedReply as fault:
            return Reply(NONE, ns, ns, fault=fault)
        except MemoryError:
            return Reply(NONE, ns, ns, fault=MalformedReply(Fault.MEMORY, "over its limit"))
        if not send.asks:
            return ns
        connection.notebook.seal(self._requests)
        return Reply(answers[-1], ns, ns)


def play_by_policy(
    game: AnyGame,
    policy: Policy,
    spec: MatchSpec | None = None,
    *,
    cost: Cost = 0,
    transcript: list[Said] | None = None,
) -> MatchRecord:
    """Conduct a match in which `policy` sees the state and decides for all; IllegalAction if illegal."""
    spec = spec or match_spec(game)
    puppets = _Puppets(game, policy, spec)
    bots = [partial(puppets.answer, seat) for seat in range(game.seats)]
    return play_in_memory(game, bots, spec, cost=cost, transcript=transcript)


class _Puppets:
    """The bots of all seats, driven by a policy that sees the position."""

    def __init__(self, game: AnyGame, policy: Policy, spec: MatchSpec) -> None:
        self._policy = policy
        self._position = Position.opening(game, spec.seed, spec.round or 1)

    def answer(self, seat: Seat, command: str) -> bytes:
        """Answer a request by the policy, and apply the answer to the position; plain ``=`` to news."""
        if not command.startswith("gen_"):
            return PLAIN
        position = self._position
        action = self._policy(position.state, seat)
        self._position = position.apply(action)
        return b"= %s\n\n" % position.game.action_text(position.state, seat, action).encode()
