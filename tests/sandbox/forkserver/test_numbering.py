"""What bots' numbers of threads mean to the process that starts bots, by kernel."""

from __future__ import annotations

import errno
import os

import pytest

from arbiter.sandbox.forkserver import supervised
from arbiter.sandbox.forkserver.numbering import Numbers
from arbiter.sandbox.forkserver.supervised import Supervised
from arbiter.sandbox.tiers import stage_enforces


@pytest.mark.parametrize(("error", "found"), [(errno.ESRCH, False), (errno.ENOTTY, True)])
def test_a_bot_with_numbers_of_its_own_has_the_threads_that_the_kernel_finds_there(
    error: int, found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def thread_from(namespace: int, thread: int) -> int:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(supervised, "thread_from", thread_from)
    assert Supervised(os.getpid(), 0, {}, [], 0, namespace=9).has_thread(7) is found


def test_bots_share_numbers_where_the_kernel_refuses_namespaces(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Numbers) -> None:
        raise OSError("refused")

    monkeypatch.setattr(Numbers, "_new_namespace", refuse)
    assert Numbers().namespaces_for(2) == []
    assert "none but its own to be seen" in stage_enforces(True, "").values()
