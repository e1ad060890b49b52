"""One match between a real bot and players in memory, conducted by the referee itself."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from arbiter.match.clock import MS
from arbiter.match.exchange import Reply
from arbiter.match.follower import RandomPlayers, conduct_with
from arbiter.match.in_memory import match_spec
from arbiter.match.position import Position
from arbiter.match.record import Fault
from arbiter.match.referee import referee
from arbiter.table.single_bot import SingleBot

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from arbiter.games.game import AnyGame, Command, Seat
    from arbiter.match.exchange import Send
    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import Limits, Player
    from arbiter.sandbox.launcher import Launcher
    from arbiter.table.single_bot import Relative, Remains

SEED = "check-bot"
"""Seed of the deals and of the opponents' choices, so that every check plays the same matches."""
LATE_NS = 1000 * MS
"""The wait for late output."""
AFTER_INPUT_NS = 500 * MS
"""The wait for output after the input was closed."""
READ_NS = 500 * MS
"""The wait for a bot that answered without a flush to read the next line."""
BLANK = b" \n"
"""A line that a bot must ignore."""
SURPLUS_NS = 50 * MS
"""The wait for unrequested output."""
ANSWERS = frozenset({Fault.ILLEGAL, Fault.MALFORMED, Fault.REFUSED})


class Subject(NamedTuple):
    """The bot to check, its game, its limits, and a launcher.

    With `sent` it came to a site as an archive, and the advice is what can be changed in one. If the check
    decides who plays, `seed` must be random, so that a bot cannot recognise the check by its cards.
    """

    game: AnyGame
    player: Player
    limits: Limits
    launcher: Launcher
    sent: bool = False
    seed: str = SEED

    @contextmanager
    def run(self, seat: Seat) -> Iterator[SingleBot]:
        """Start a new process of the bot and stop it at the end."""
        bot = SingleBot(self.launcher, self.player, self.limits, seat)
        try:
            yield bot
        finally:
            bot.stop()


class BotMatch(NamedTuple):
    """A match of the bot, and what its record does not keep.

    `raw` is the output of the last exchange, and `replied` True if that was a reply. After a timeout `late`
    is what came when the input was closed; without a byte before, `waited` is True if nothing came though the
    bot had read on, and `behind` True if the reply came when a blank line was sent. `surplus` is unrequested
    output after a bad answer; `first_ns` the time to the first reply, 0 for none; `refused` the first news
    that it refused, and its reply; `family` its child processes at the end; `position` the last one.
    """

    seat: Seat
    record: MatchRecord
    process: Remains
    raw: bytes
    replied: bool
    late: bytes
    waited: bool
    behind: bool
    surplus: bytes
    first_ns: int
    refused: tuple[Command, bytes] | None
    family: Sequence[Relative]
    position: Position

    @property
    def own_moves(self) -> list[tuple[int, str, str]]:
        """The bot's decisions, as (deal, request, answer)."""
        return [(m.deal, m.request, m.action) for m in self.record.moves if m.seat == self.seat]


def play(
    subject: Subject,
    seat: Seat,
    delivery: str = "strict",
    blanked: Collection[str] = (),
    seed: str = "",
) -> BotMatch:
    """Play a match, the bot in one seat, random players in the others; VoidMatch if our machine fails.

    The lines of the commands `blanked` get a blank before their end; `seed` defaults to the subject's.
    """
    seed = seed or subject.seed
    spec = match_spec(subject.game, seed=seed)
    players = tuple(
        subject.player if other == seat else spec.players[other] for other in range(len(spec.players))
    )
    spec = replace(spec, players=players, limits=replace(subject.limits, delivery=delivery))
    first_ns, refused, replied = 0, None, False
    late, waited, behind = b"", False, False

    def note_reply(send: Send, reply: Reply | int) -> None:
        """Note the first reply and refusal; after a timeout end the bot's input, and note what comes late."""
        nonlocal first_ns, refused, replied, late, waited, behind
        fault = None if isinstance(reply, int) else reply.fault
        replied = fault is None
        if fault is None:
            first_ns = first_ns or (reply if isinstance(reply, int) else reply.charged_ns)
            if refused is None and not send.asks and send.replies == 1 and bot.raw.lstrip()[:1] == b"?":
                refused = send.command, bot.raw
        elif fault.kind == Fault.TIMEOUT and not fault.reply:
            late, waited, behind = _end_input_and_listen(bot)
        elif fault.kind == Fault.TIMEOUT and bot.has_read_all:
            bot.end_input()
            late = bot.read_for(AFTER_INPUT_NS)

    with subject.run(seat) as bot:
        rivals = RandomPlayers(Position.opening(subject.game, seed), f"{seed} {seat}")
        record = conduct_with(referee(subject.game, spec), {seat: _Blanked(bot, blanked)}, rivals, note_reply)
        raw = bot.raw
        # A surplus reply that comes a moment late is read as a bad answer.
        surplus = bot.read_for(SURPLUS_NS) if record.forfeit and record.forfeit.fault in ANSWERS else b""
        family, end = bot.family(), bot.stop()
        position = rivals.position
        heard = raw, replied, late, waited, behind, surplus
        return BotMatch(seat, record, end, *heard, first_ns, refused, family, position)


class _Blanked(NamedTuple):
    """A bot that gets a blank before the line end of some commands."""

    bot: SingleBot
    commands: Collection[str]

    def exchange(self, send: Send) -> Reply | int:
        """Exchange with the bot, with a blank before the line end of `commands`."""
        if not self.commands:
            return self.bot.exchange(send)
        lines = [
            line + (BLANK if line.split(b" ")[0].decode() in self.commands else b"\n")
            for line in send.payload.splitlines()
        ]
        return self.bot.exchange(send._replace(payload=b"".join(lines)))


def _end_input_and_listen(bot: SingleBot) -> tuple[bytes, bool, bool]:
    """Close the bot's input; return what it had not flushed, whether it read on and held nothing back, and
    whether it replied when a blank line came.

    A bot that has written its reply without a flush reads the next line; a bot that still computes does not,
    and nothing is returned for it.
    """
    if bot.read_for(LATE_NS) or not bot.has_read_all or not bot.sleeps:
        return b"", False, False
    # Between the two looks it may have replied and gone to sleep.
    if bot.read_for(MS) or not _reads_on(bot):
        return b"", False, False
    # A flushed reply arrives before the next line is read.
    alive = not bot.wait(0)
    if alive and (said := bot.read_for(MS)):
        # Or it refuses the blank line.
        return b"", said.startswith(b"?"), said.startswith(b"=")
    bot.end_input()
    late = bot.read_for(AFTER_INPUT_NS)
    return late, alive and not late, False


def _reads_on(bot: SingleBot) -> bool:
    """Send a blank line; True if the bot reads it."""
    until = time.monotonic_ns() + READ_NS
    bot.write(BLANK)
    while time.monotonic_ns() < until:
        if bot.has_read_all:
            return True
        if bot.wait(0):
            return False
        time.sleep(0.001)
    return False
