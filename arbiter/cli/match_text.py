"""Print a match for people."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from arbiter.cli.output import print_table, say
from arbiter.games import make
from arbiter.match.record import Fault
from arbiter.replay.frame import decision_text, hand_line, roles_line
from arbiter.replay.result_text import say_moments
from arbiter.replay.score_sheet import score_sheet, sheets_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.games.game import AnyGame
    from arbiter.match.position import Dealt
    from arbiter.match.record import BotReport, Forfeit, MatchRecord
    from arbiter.replay.score_sheet import SheetStep


SHOWN = 200
"""Characters of a faulty reply that are printed; the record has up to 4 KiB."""


def moves_before_fault(record: MatchRecord) -> int:
    """Return the number of decisions before the exchange with the fault; all decisions without a fault.

    In batched delivery this is the faulty seat's last decision: its news comes with its next request.
    """
    if record.forfeit is None or record.delivery != "batched":
        return len(record.moves)
    own = [number for number, move in enumerate(record.moves, 1) if move.seat == record.forfeit.seat]
    return own[-1] if own else 0


def print_match(record: MatchRecord, again: str = "", but: Sequence[str] = ()) -> None:
    """Print a fault if there was one, with the decision that the seat had to make, the bots, then the deals.

    `again` is the command that leads to the fault, `but` are lines about what it lacks.
    """
    game = make(record.game, record.options)
    dealt = sheets_of(record, game)
    if record.forfeit is not None:
        forfeit = record.forfeit
        say(f"{forfeit.player} (seat {forfeit.seat}) forfeits: {forfeit.fault}")
        say(f"  why      {forfeit.detail}")
        if forfeit.command:
            say(f"  command  {forfeit.command}")
            more = f"... ({len(forfeit.reply)} characters)" if len(forfeit.reply) > SHOWN else ""
            say(f"  reply    {forfeit.reply[:SHOWN]!r}{more}")
        if when := say_moments(forfeit):
            say(f"  when     {when}")
        if position := _position_text(forfeit, game, dealt):
            say(f"  position {position}")
        if again:
            say(f"  again    {again}")
        for line in but:
            say(f"  but      {line}")
    points = record.points or ("-",) * len(record.players)
    rows = [
        [
            seat,
            bot.player,
            points[seat],
            f"{bot.charged_ns / 1e6:.1f}",
            f"{bot.cpu_ns / 1e6:.1f}",
            f"{bot.peak_memory_bytes / 1e6:.0f}",
            bot.exit if bot.exit is not None else "killed" if bot.cpu_ns or bot.peak_memory_bytes else "-",
            "; ".join(bot.notes),
        ]
        for seat, bot in enumerate(record.bots)
    ]
    title = f"{record.id}: {record.game}, {record.delivery} delivery, {record.clock} clock"
    columns = ["seat", "player", "points", "charged ms", "CPU ms", "memory MB", "exit", "notes"]
    if not record.bots:
        # A site's replay has nothing about processes.
        title, columns = f"{record.id}: {record.game}", columns[:3]
        rows = [[seat, player, points[seat]] for seat, player in enumerate(record.players)]
    print_table(columns, rows, title, left=(1, 6, 7))
    for deal, steps in dealt:
        if steps:
            print_deal(record, game, deal, steps)
    ended = dealt[-1][1] if record.points is not None and dealt else []
    if ended and (words := game.conclusion(record.points or (), ended[-1].after)):
        say(f"\n{words}")
    for bot in record.bots:
        if bot.stderr.strip():
            say(f"standard error of {bot.player}:")
            print_stderr(record, bot)


def _position_text(
    forfeit: Forfeit, game: AnyGame, dealt: Sequence[tuple[Dealt, Sequence[SheetStep]]]
) -> str:
    """Return the decision that a fault ended, as its seat saw it; "" if the last command asked for none."""
    if not dealt:
        return ""
    deal, steps = dealt[-1]
    state = steps[-1].after if steps else deal.state
    if forfeit.seat not in state.to_act[:1]:
        return ""
    # A site's replay has no command.
    asked = forfeit.fault is Fault.ILLEGAL or game.request(state, forfeit.seat) == forfeit.command
    return decision_text(game, state) if asked else ""


def print_stderr(record: MatchRecord, bot: BotReport) -> None:
    """Print a bot's standard error, with the moves during which it was written, where stored."""
    texts = [*bot.stderr_at, (len(bot.stderr_tail), "", 0)]
    for line in (bot.stderr_head + bot.stderr_tail[: texts[0][0]]).rstrip().splitlines():
        say(f"  {line}")
    for (start, when, number), (end, _, _) in pairwise(texts):
        say(f"  {when} {_move_text(record, number)}:")
        for line in bot.stderr_tail[start:end].rstrip().splitlines():
            say(f"    {line}")


def _move_text(record: MatchRecord, number: int) -> str:
    """``move 17 (gen_move in deal 3)``; after the last move, the request that a fault ended."""
    if number <= len(record.moves):
        move = record.moves[number - 1]
        return f"move {number} ({move.request} in deal {move.deal + 1})"
    command = "" if record.forfeit is None else f"{record.forfeit.command} ".lstrip()
    return f"move {number} ({command}in deal {len(record.deals)})"


def print_deal(record: MatchRecord, game: AnyGame, dealt: Dealt, steps: Sequence[SheetStep]) -> None:
    """Print one deal: the hands, then the play."""
    width = max(map(len, record.players))
    say(f"\ndeal {dealt.number + 1} ({roles_line(dealt.shape)})")
    for seat, hand in enumerate(dealt.shape["hands"]):
        say(f"  {seat} {record.players[seat]:<{width}}  {hand_line(game, hand)}")
    for line in score_sheet(game, dealt.state, steps):
        say(f"  {line}")
