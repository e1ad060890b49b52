"""The adjusted clock on a machine that is busy: who needs half of its time does not lose on time."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.games import make
from arbiter.match.clock import MS
from arbiter.match.record import BotReport, Fault, MatchRecord
from arbiter.match.rerun import replay
from arbiter.sandbox.launcher import End
from arbiter.sandbox.player_command import register
from arbiter.table import Conductor, background_cpu, play_match
from arbiter.table.conductor import close_table, complete_report
from tests.bench.clock import BURNED_MS, judge, spec
from tests.fixtures.bot_template import spec_for
from tests.fixtures.commands import BOTS, RANDOM
from tests.fixtures.tiers import need

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.process
cores = len(os.sched_getaffinity(0))


def test_nobody_loses_on_time_with_two_matches_a_core_beside_spinning_processes() -> None:
    # Other tests are a further load, which nothing is promised about: the best of a few counts.
    tries = (judge("adjusted", 2 * cores, games=20) for _ in range(4))
    assert any((judged.timeouts, judged.voids) == (0, 0) for judged in tries)


def test_what_is_charged_is_what_was_burned() -> None:
    # Other tests may wear out the caches meanwhile: the best of a few counts.
    assert any(judge("adjusted", cores, games=8).charged_per_burned <= 1.05 for _ in range(6))


def play(how: str, limit: str = "60s") -> MatchRecord:
    try:
        return play_match(spec("adjusted", 0, how, limit))
    finally:
        close_table()


play_once = cache(play)


def test_sleeping_is_charged_in_full() -> None:
    # Of two waits for a core at the same time both are taken off: each move is measured until the machine lets it be.
    best: list[int] = []
    for _ in range(20):
        charged = [move.charged_ns for move in play("sleep").moves]
        best = [max(pair) for pair in zip(best or charged, charged, strict=True)]
        if min(best) >= 0.9 * BURNED_MS * MS:
            break
    assert min(best) >= 0.9 * BURNED_MS * MS


def test_sleeping_beyond_the_limit_loses() -> None:
    record = play_once("sleep", "10ms/request")
    assert record.forfeit is not None
    assert record.forfeit.fault == "timeout"


def test_threads_are_charged_by_wall_time_at_most() -> None:
    record = play_once("threads")
    # What a move is charged includes the news before it.
    news = 5 * 10**6
    assert all(move.charged_ns <= move.wall_ns + news for move in record.moves)


def test_what_a_child_computes_is_charged() -> None:
    record = play_once("child")
    burned = len(record.moves) * BURNED_MS * 10**6
    # The kernel tells what an ended child used in whole ticks.
    assert sum(move.charged_ns for move in record.moves) >= 0.7 * burned


def test_who_computes_while_another_sleeps_is_stopped() -> None:
    ponderer, sleeper = play_once("ponder").bots
    # It would have computed all the time.
    assert ponderer.cpu_ns - ponderer.charged_ns < 0.2 * sleeper.charged_ns
    assert "it computed while others were to move, and was stopped until its next command" in ponderer.notes


def test_computing_beyond_what_was_charged_is_noted() -> None:
    channel: Any = SimpleNamespace(
        seat=0,
        stopped_ns=0,
        start_cpu_ns=10 * MS,
        presence=SimpleNamespace(wary=False),
        connection=SimpleNamespace(notes=()),
        stderr=SimpleNamespace(head=b"", tail=b"", marks=lambda *_: ()),
    )
    report = BotReport("one", charged_ns=100 * MS)
    for cpu_ms, noted in ((110, False), (130, False), (180, True)):
        (*notes,) = complete_report(report, channel, End(None, cpu_ms * MS, 0), [], []).notes
        assert any("70 ms of CPU beyond what it was charged" in note for note in notes) == noted


def test_who_computes_in_its_own_time_alone_is_not_noted() -> None:
    told = [note for bot in play_once("burn").bots for note in bot.notes]
    # What the machine did meanwhile may be noted, too.
    assert not any("of CPU beyond" in note or "computed while" in note for note in told)


def played_on_one_core(
    how: str, kind: str = "adjusted", ms: int = BURNED_MS, limit: str = "60s"
) -> MatchRecord:
    """A match with the referee and all bots on one core, as in a season."""
    spec_of = spec(kind, 0, how, limit)
    players = tuple(replace(player, command=(*player.command[:-1], str(ms))) for player in spec_of.players)
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        return play_match(replace(spec_of, players=players))
    finally:
        close_table()
        os.sched_setaffinity(0, before)


def test_who_computes_while_another_computes_is_stopped() -> None:
    hog, thinker = played_on_one_core("hog").bots
    # It would have had as much as the other.
    assert hog.cpu_ns - hog.charged_ns < 0.2 * thinker.cpu_ns


def test_who_goes_on_although_it_was_stopped_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_cpu, "MOST_DEFYING_NS", 20 * 10**6)
    record = played_on_one_core("defy")
    forfeit = record.forfeit
    assert forfeit is not None
    assert (forfeit.seat, forfeit.fault) == (0, Fault.OUT_OF_TURN)
    assert "while others were to move, although it was stopped" in forfeit.detail
    # At once: before it is to move itself.
    assert forfeit.command == ""
    again = replay(make(record.game, record.options), spec("adjusted", 0, "defy", "60s"), record)
    assert (again.problem, again.record and again.record.forfeit) == ("", replace(forfeit, sent="", ended=""))


def test_a_thread_that_becomes_the_main_one_brings_no_delay_along() -> None:
    # It has waited for most of a second. Measured again where the machine had other things to do.
    delays = (played_on_one_core("hoard", ms=1000).moves[0].delay_ns for _ in range(3))
    assert any(delay < 0.3e9 for delay in delays)


def test_a_thread_that_becomes_the_main_one_makes_no_match_void() -> None:
    # Measured again where the machine had other things to do.
    played = (played_on_one_core("hoard", "wall", ms=1000, limit="900ms/request").forfeit for _ in range(3))
    assert (0, Fault.TIMEOUT) in ((forfeit.seat, forfeit.fault) for forfeit in played if forfeit is not None)


def test_who_makes_calls_that_another_process_answers_pays_for_both(
    table: Conductor, bot: Callable[..., Path]
) -> None:
    need("landlock")
    calls = """if words[0] == 'gen_move':
    before = time.process_time_ns()
    for _ in range(300):
        try:
            os.setuid(0)
        except OSError:
            pass
    sys.stderr.write(f'{time.process_time_ns() - before} ')"""
    asking = bot("", calls)
    one = register("one", (sys.executable, "-I", "-S", asking.name), asking.parent)
    players = (one, *(register(f"p{seat}", RANDOM.split(), BOTS) for seat in (1, 2, 3)))
    record = table.play(spec_for(players, "60s", isolation="landlock"))
    assert record.forfeit is None
    own = sum(map(int, record.bots[0].stderr_tail.split()))
    paid = sum(move.cpu_ns for move in record.moves if move.seat == 0 and move.request == "gen_move")
    # To answer takes more than to ask.
    assert paid > 1.5 * own


def test_time_stolen_by_a_hypervisor_is_recorded() -> None:
    assert play_once("burn").host["steal_ns"] >= 0


def test_a_timeout_by_wall_time_that_the_adjusted_time_contradicts_is_void() -> None:
    # Measured again where the machine had other things to do.
    for _ in range(3):
        judged = judge("wall", 2 * cores, games=10)
        if judged.voids > 0 and judged.timeouts <= 1:
            break
    assert judged.voids > 0
    assert judged.timeouts <= 1
