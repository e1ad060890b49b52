"""A plug-in of pytest that lists the tests that cost most: `python -m pytest -p tests.bench.cpu_times`.

It counts CPU time, which hardly depends on the load of the machine: of this process, of its children that have
ended, and of all descendants that go on, such as servers that many tests share. With several processes of pytest-xdist
nothing is listed.
"""

from __future__ import annotations

import os
import resource
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbiter.sandbox.forkserver.bot import descendants_of

if TYPE_CHECKING:
    from collections.abc import Iterator

SHOWN = 20
seconds: defaultdict[str, float] = defaultdict(float)


def cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used) + sum(map(_of, descendants_of(os.getpid())))


def _of(process: int) -> float:
    """A process that goes on, with its children that have ended."""
    with suppress(OSError):
        ticks = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:15]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
    return 0.0


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    begun = cpu_seconds()
    result = yield
    # What a descendant has used is lost when it ends as nobody's child.
    seconds[item.nodeid] += max(0.0, cpu_seconds() - begun)
    return result


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if seconds:
        terminalreporter.section(f"{sum(seconds.values()):.0f} s of CPU time")
    for name, spent in sorted(seconds.items(), key=lambda item: -item[1])[:SHOWN]:
        terminalreporter.write_line(f"{spent:7.2f} s  {name}")
