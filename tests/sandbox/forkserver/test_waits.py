"""What the process that answers bots keeps and touches for threads that wait."""

from __future__ import annotations

import ctypes
import os
import select
import struct
import threading
import time
from typing import ClassVar

import pytest

from arbiter.sandbox.forkserver import waits
from arbiter.sandbox.forkserver.questions import Question, is_thread
from arbiter.sandbox.forkserver.waits import FUTEX_WAIT, MOST_WAITS, Waits

WORD = ctypes.c_uint32(7)
LISTENER = 5
TIMEOUT = struct.Struct("=qq")
FAR = (ctypes.c_char * TIMEOUT.size).from_buffer_copy(TIMEOUT.pack(3600, 0))


class Asked(Question):
    """A question of this process's own thread, which nobody waits for."""

    open_ones: ClassVar[set[int]] = set()

    def is_open(self) -> bool:
        return self.thread in self.open_ones

    def read(self, address: int, form: struct.Struct) -> tuple[int, ...]:
        return form.unpack(ctypes.string_at(address, form.size))


def wait_of(thread: int, timeout: bool = False) -> Asked:
    arguments = (ctypes.addressof(WORD), FUTEX_WAIT, 7, ctypes.addressof(FAR) if timeout else 0, 0, 0)
    return Asked(LISTENER, thread, thread, 202, arguments)


def test_waits_of_threads_that_are_gone_are_not_kept() -> None:
    kept = Waits(select.poll())
    for thread in range(1, 10 * MOST_WAITS):
        assert kept.begin(0, wait_of(thread, timeout=True)) is None
    assert len(kept._bots[LISTENER].by_thread) <= MOST_WAITS


def test_waits_of_living_threads_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Asked, "open_ones", {1, 2})
    monkeypatch.setattr(waits, "MOST_WAITS", 10)
    kept = Waits(select.poll())
    for thread in range(1, 50):
        assert kept.begin(0, wait_of(thread)) is None
    assert {1, 2} < set(kept._bots[LISTENER].by_thread)


def test_a_wait_of_a_bot_that_may_not_ask_is_seen_to_all_the_same() -> None:
    kept = Waits(select.poll())
    kept.begin(0, wait_of(1))
    now = time.monotonic()
    assert list(kept.due_times((), (LISTENER,))) > [now]
    assert next(kept.due_times((LISTENER,), (LISTENER,))) < now + waits.LONGEST_LOOK_SECONDS
    assert list(kept.due_times((), ())) == []


def test_looking_for_threads_uses_up_no_number_that_bots_see() -> None:
    """The kernel numbers pipes and what is looked up in /proc in turn, for all processes of a core."""
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        # Others may make pipes meanwhile, once or the other time.
        assert any(0 < numbers_used_by_looking_for(50) < 50 for _ in range(20))
    finally:
        os.sched_setaffinity(0, before)


def numbers_used_by_looking_for(number: int) -> int:
    """What the kernel counts on while so many new threads are looked for."""
    over = threading.Event()
    threads = [threading.Thread(target=over.wait) for _ in range(number)]
    for thread in threads:
        thread.start()
    first = pipe_number()
    for thread in threads:
        is_thread(os.getpid(), thread.native_id or 0)
    used = pipe_number() - first
    over.set()
    for thread in threads:
        thread.join()
    return used


def pipe_number() -> int:
    read, write = os.pipe()
    try:
        return os.fstat(read).st_ino
    finally:
        os.close(read)
        os.close(write)
