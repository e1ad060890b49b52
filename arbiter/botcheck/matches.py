"""One match between a real bot and players in memory, conducted by the referee itself."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from arbiter.botcheck.one_bot import Follower, conduct_one
from arbiter.clock import MS
from arbiter.course import Position
from arbiter.match import Fault, MatchSpec, Player
from arbiter.referee import Reply, referee
from arbiter.table.single import SingleBot
from arbiter.testing import random_policy

if TYPE_CHECKING:
    from arbiter.match import Limits, MatchRecord
    from arbiter.rules import Action, AnyGame, Seat
    from arbiter.table.launcher import Launcher
    from arbiter.table.single import Ended

SEED = "check-bot"
"""Of the deals and of the opponents' choices: every check plays the same matches."""
LATE_NS = 1000 * MS
"""How long to wait for what a bot says late."""
AFTER_INPUT_NS = 500 * MS
"""How long to wait then for what it says because its input ends."""
READ_NS = 500 * MS
"""How long to wait for a bot that has answered, unseen, to read on."""
BLANK = b" \n"
"""A line that is to be ignored."""

SURPLUS_NS = 50 * MS
"""How long to wait for output that nothing asked for."""
ANSWERS = frozenset({Fault.ILLEGAL, Fault.MALFORMED, Fault.REFUSED})


class Subject(NamedTuple):
    """What is checked, and where: one bot of a game under its limits, at one launcher."""

    game: AnyGame
    player: Player
    limits: Limits
    launcher: Launcher

    def bot(self, seat: Seat) -> SingleBot:
        """A fresh process of it."""
        return SingleBot(self.launcher, self.player, self.limits, seat)


class Played(NamedTuple):
    """A match and what its record does not keep.

    `raw` is the output of the last exchange; `late` what came when its input was ended after a
    timeout without a byte; `surplus` what came unasked after a bad answer; `first_ns` the time to
    the first reply, 0 if none came; `children` how many processes it had started itself when the
    match was over.
    """

    seat: Seat
    record: MatchRecord
    process: Ended
    raw: bytes
    late: bytes
    surplus: bytes
    first_ns: int
    children: int

    @property
    def own_moves(self) -> list[tuple[int, str, str]]:
        """What the bot decided: deal, request and answer."""
        return [(m.deal, m.request, m.action) for m in self.record.moves if m.seat == self.seat]


def play(subject: Subject, seat: Seat, delivery: str = "strict") -> Played:
    """The bot in one seat, random legal players in the others; VoidMatch if our machine fails."""
    bot = subject.bot(seat)
    try:
        return _conducted(subject, bot, seat, delivery)
    finally:
        bot.stop()


def _conducted(subject: Subject, bot: SingleBot, seat: Seat, delivery: str) -> Played:
    """Drive the referee as a table does, with one real channel."""
    game = subject.game
    first_ns, late = 0, b""

    def heard(reply: Reply | int) -> None:
        nonlocal first_ns, late
        fault = None if isinstance(reply, int) else reply.fault
        if fault is None:
            first_ns = first_ns or (reply if isinstance(reply, int) else reply.charged_ns)
        elif fault.kind == Fault.TIMEOUT and not fault.reply:
            late = _said_at_the_end_of_input(bot)

    rivals = _Rivals(game, seat)
    record = conduct_one(referee(game, _spec(subject, seat, delivery)), bot, seat, rivals, heard)
    raw = bot.raw
    # A reply too many shows as a bad answer if it came a moment too late to be seen as such.
    surplus = bot.listen(SURPLUS_NS) if record.forfeit and record.forfeit.fault in ANSWERS else b""
    children = bot.children()
    return Played(seat, record, bot.stop(), raw, late, surplus, first_ns, children)


def _said_at_the_end_of_input(bot: SingleBot) -> bytes:
    """What was held back until then; nothing if the bot was merely slow, or does not read.

    A bot that has written its reply, without a flush, wants the next line; one that still thinks
    does not.
    """
    if bot.listen(LATE_NS) or not bot.has_read_all or not _reads_on(bot):
        return b""
    # A flushed reply is there before the next line is read.
    if not bot.ended(0) and bot.listen(MS):
        return b""
    bot.end_input()
    return bot.listen(AFTER_INPUT_NS)


def _reads_on(bot: SingleBot) -> bool:
    """Whether a bot takes another line, which is blank."""
    until = time.monotonic_ns() + READ_NS
    bot.write(BLANK)
    while time.monotonic_ns() < until:
        if bot.has_read_all:
            return True
        if bot.ended(0):
            return False
        time.sleep(0.001)
    return False


def _spec(subject: Subject, seat: Seat, delivery: str) -> MatchSpec:
    players = [Player(f"random-{number}", ("random",)) for number in range(subject.game.seats)]
    players[seat] = subject.player
    return MatchSpec(
        id="check",
        season="",
        round=None,
        table=None,
        rotation=0,
        game=subject.game.name,
        options=subject.game.options,
        seed=SEED,
        players=tuple(players),
        limits=replace(subject.limits, delivery=delivery),
    )


class _Rivals(Follower):
    """The players in memory: they play at random."""

    def __init__(self, game: AnyGame, seat: Seat) -> None:
        super().__init__(Position.opening(game, SEED))
        self._policy = random_policy(f"{SEED} {seat}")

    def action_of(self, seat: Seat) -> Action:
        """Of one of them, who is to act."""
        return self._policy(self.position.state, seat)
