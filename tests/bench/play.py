"""What playing costs: the referee with real bots, the rules alone, a match in memory, a command.

The referee is measured as a season runs it: worker and bots pinned to one core, records and
adjusted clock on, start and kill included, against bots that answer at once (the C++ one).
CPU time is user and system time of this process alone; the launcher and the bots pay for themselves.
"""

from __future__ import annotations

import os
import random
import select
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.games import make, names
from arbiter.games.planning import Planning
from arbiter.match.clock import TimeControl
from arbiter.match.position import planned_deals
from arbiter.match.spec import Limits, MatchSpec, Player
from arbiter.sandbox.cpu_affinity import take_core
from arbiter.table import Conductor
from arbiter.testing import ScriptedBot, match_spec, play_by_policy, play_in_memory, random_policy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.games.game import AnyGame, Deal

INSTANT = Path(__file__).parents[2] / "bots" / "cpp" / "build" / "planning_random"
MATCHES = 60


def referee() -> dict[str, Any]:
    """Worker CPU per decision and per match, strict and batched."""
    if not INSTANT.exists():
        return {"skipped": f"no {INSTANT.name}: it needs a C++ compiler (make bots)"}
    before = os.sched_getaffinity(0)
    take_core(max(before))
    table = Conductor()
    figures: dict[str, Any] = {}
    try:
        for delivery in ("strict", "batched"):
            table.play(instant_spec(delivery))
            costs, decisions = [], 0
            for number in range(MATCHES):
                start = time.process_time_ns()
                # Four rotations on the same deals, as a round plays them.
                record = table.play(instant_spec(delivery, number // 4 + 1))
                costs.append(time.process_time_ns() - start)
                decisions = len(record.moves)
            mean = statistics.fmean(costs)
            figures[f"{delivery}_cpu_us_per_decision"] = round(mean / decisions / 1e3, 2)
            figures[f"{delivery}_median_cpu_us_per_decision"] = round(
                statistics.median(costs) / decisions / 1e3, 2
            )
            figures[f"matches_per_cpu_second_{delivery}"] = round(1e9 / mean, 1)
        figures["bare_exchange_cpu_us"] = bare_exchange()
    finally:
        table.close()
        os.sched_setaffinity(0, before)
    return figures | {"matches": MATCHES}


def bare_exchange(exchanges: int = 20_000) -> float:
    """CPU in µs of a write, a poll and a read in turn with four of the same bots, and nothing else.

    A strict match has 6.15 exchanges a decision: so much of its figure is the machine's.
    """
    bots = [
        subprocess.Popen(
            [str(INSTANT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        for _ in range(4)
    ]
    ends = []
    for bot in bots:
        assert bot.stdin is not None
        assert bot.stdout is not None
        waiting = select.poll()
        waiting.register(bot.stdout, select.POLLIN)
        ends.append((bot.stdin.fileno(), bot.stdout.fileno(), waiting.poll))
    start = time.process_time_ns()
    for _ in range(exchanges // len(ends)):
        for stdin, stdout, poll in ends:
            os.write(stdin, b"set_players 4 0\n")
            poll(1000)
            os.read(stdout, 256)
    spent = time.process_time_ns() - start
    for bot in bots:
        bot.kill()
        bot.communicate()
    return round(spent / exchanges / 1e3, 2)


def instant_spec(delivery: str, round_number: int = 1) -> MatchSpec:
    """A tournament match between four bots that answer at once."""
    bot = Player("instant", (str(INSTANT),), str(INSTANT.parent))
    limits = Limits(TimeControl.parse("60s"), 5_000_000_000, 400_000_000, delivery=delivery)
    return MatchSpec(
        id="bench",
        season="bench",
        round=round_number,
        table=1,
        rotation=0,
        game="planning",
        options={},
        seed="1",
        players=(bot,) * 4,
        limits=limits,
    )


def rules() -> dict[str, Any]:
    """Of each game, plies and deals a second and core of random legal play.

    Plies are those of deals dealt beforehand; legal actions are enumerated at every one.
    """
    figures = {}
    for name in names():
        game = make(name, {})
        dealt = dealt_beforehand(game)
        # Once to warm up what a game remembers of hands, once to measure.
        random_play(game, dealt)
        start = time.process_time()
        plies = random_play(game, dealt)
        spent = time.process_time() - start
        start = time.process_time()
        deals = len(dealt_beforehand(game))
        with_dealing = spent + time.process_time() - start
        figures[name] = {
            "plies_per_second": round(plies / spent),
            "deals_per_second_dealing_included": round(deals / with_dealing),
        }
    return figures


def deals_per_second(game: AnyGame, seconds: float = 2.0) -> float:
    """Deals a CPU second of random legal play, dealing included, after a second of warming up."""
    for limit in (1.0, seconds):
        deals, number, start = 0, 0, time.process_time()
        while (spent := time.process_time() - start) < limit:
            number += 1
            dealt = planned_deals(game, "1", number).deals
            random_play(game, dealt)
            deals += len(dealt)
    return round(deals / spent, 1)


def dealt_beforehand(game: AnyGame) -> list[Deal]:
    return [deal for number in range(MATCHES) for deal in planned_deals(game, "1", number + 1).deals]


def random_play(game: AnyGame, deals: Sequence[Deal]) -> int:
    """Play all deals at random; the number of plies."""
    uniform = random.Random(1).random
    plies = 0
    for deal in deals:
        state = game.start(deal)
        while state.to_act:
            seat = state.to_act[0]
            legal = state.legal(seat)
            state = state.apply(seat, legal[int(uniform() * len(legal))])
            plies += 1
        state.points()
    return plies


def in_memory() -> dict[str, Any]:
    """CPU of a whole match, rules, protocol, referee and record, with bots in memory."""
    game = Planning()
    record = play_by_policy(game, random_policy("bench"))
    costs = []
    for _ in range(MATCHES):
        bots = [ScriptedBot.replaying(record, seat) for seat in range(game.seats)]
        start = time.process_time_ns()
        play_in_memory(game, bots, match_spec(game))
        costs.append(time.process_time_ns() - start)
    return {"planning_cpu_ms_per_match": round(statistics.median(costs) / 1e6, 2)}


def command_line() -> dict[str, Any]:
    """CPU of a cold `arbiter --help`."""
    costs = []
    for _ in range(10):
        process = subprocess.Popen([sys.executable, "-m", "arbiter", "--help"], stdout=subprocess.DEVNULL)
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        costs.append(usage.ru_utime + usage.ru_stime)
    return {"help_cpu_ms": round(statistics.median(costs) * 1e3, 1)}
