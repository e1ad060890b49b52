"""A run of tests says which processes and sockets were left open."""

from __future__ import annotations

import socket
import subprocess
from contextlib import closing
from types import SimpleNamespace
from typing import Any

import pytest

from tests.fixtures.left_open import Summary, left_open


@pytest.mark.process
def test_a_process_and_a_socket_are_named_until_they_are_closed() -> None:
    with closing(socket.socket()) as one, subprocess.Popen(["cat"], stdin=subprocess.PIPE) as cat:
        found = left_open()
        assert f"process {cat.pid}: ['cat']" in found
        assert repr(one) in found
    assert not any("['cat']" in text for text in left_open())
    assert repr(one) not in left_open()


def test_what_workers_left_is_told_at_the_end() -> None:
    said: list[str] = []
    summary, node = Summary(), SimpleNamespace(workeroutput={"left_open": ["process 7: ['x']"]})
    summary.pytest_testnodedown(node)
    reporter: Any = SimpleNamespace(write_line=said.append)
    summary.pytest_terminal_summary(reporter)
    assert said == ["left open at the end: process 7: ['x']"]
