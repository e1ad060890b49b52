"""A plug-in of pytest that lists the tests that cost most: `python -m pytest -p tests.cpu_times`.

It counts CPU time, which hardly depends on the load of the machine: of this process and of its children that
have ended. With several processes of pytest-xdist nothing is listed.
"""

from __future__ import annotations

import resource
from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

SHOWN = 20
seconds: defaultdict[str, float] = defaultdict(float)


def cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    begun = cpu_seconds()
    result = yield
    seconds[item.nodeid] += cpu_seconds() - begun
    return result


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if seconds:
        terminalreporter.section(f"{sum(seconds.values()):.0f} s of CPU time")
    for name, spent in sorted(seconds.items(), key=lambda item: -item[1])[:SHOWN]:
        terminalreporter.write_line(f"{spent:7.2f} s  {name}")
