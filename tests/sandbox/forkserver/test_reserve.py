"""The process that starts bots does not grow, whatever bots have made it keep."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
KEEP_MANY = """
import os, select
from arbiter.sandbox.forkserver.questions import Question
from arbiter.sandbox.forkserver.reserve import take_reserve
from arbiter.sandbox.forkserver.waits import MOST_WAITS, Wait, Waits, _OfBot

def resident_kb():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))

def keep(bots):
    kept = Waits(select.poll())
    for bot in range(bots):
        mine = kept._bots.setdefault(bot, _OfBot())
        for thread in range(1000, 1000 + MOST_WAITS):
            question = Question(bot, thread << 40, thread, 202, tuple(range(thread << 20, (thread << 20) + 6)))
            mine.by_thread[thread] = Wait(question, thread / 7, -1, thread / 3, 0.5)
    dict(enumerate(kept._bots[0].by_thread)), bytes(40_000)

if "reserve" in os.sys.argv:
    take_reserve()
resident_kb(), keep(1)
before = resident_kb()
keep(4)
print(resident_kb() - before)
"""


def grown_kb(*words: str) -> int:
    """By how much a process grows that keeps the waits of four bots."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{KEEP_MANY}", *words],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return int(done.stdout)


def test_waits_of_all_bots_make_the_process_no_larger() -> None:
    assert grown_kb() > 300
    assert grown_kb("reserve") == 0
