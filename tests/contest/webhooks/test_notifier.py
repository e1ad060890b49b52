"""All webhooks of a season: none waits for another; the process that tells them, killed for real."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from arbiter.contest.webhooks.notifier import SeasonNotifier, hold_webhook_lock, lock_of, notify
from arbiter.errors import StoreError
from arbiter.store.event_log import EventKind
from tests.contest.webhooks.test_sender import happen
from tests.fixtures.receiving import Got, Receiver, answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.season.config import Config
    from arbiter.store import SeasonStore

TAKEN = answer(204)
PATIENCE = 60.0


def at(receiver: Receiver, path: str = "") -> str:
    return f"url: '{receiver.url}{path}', local: true"


def test_a_slow_receiver_and_a_dead_one_delay_nobody(
    configured: Callable[..., Config], begun: SeasonStore, receiver: Receiver
) -> None:
    told, late = threading.Event(), []

    def take(got: Got) -> bytes:
        if got.path == "/slow":
            # Its first answer comes once the other one has heard everything.
            late.append(told.wait(PATIENCE))
        elif got.path == "/dead":
            return b""
        elif len(receiver.ids("/fast")) == 9:
            told.set()
        return TAKEN

    receiver.answer = take
    config = configured(at(receiver, "slow"), at(receiver, "dead"), at(receiver, "fast"))
    for number in range(1, 10):
        happen(begun, EventKind.ROUND, number)
    said: list[str] = []
    assert not notify([config], said.append, None, once=True)
    assert late == [True] * 9
    assert [len(set(receiver.ids(path))) for path in ("/slow", "/dead", "/fast")] == [9, 1, 9]
    assert len(said) == 1
    assert "webhook 2 (127.0.0.1): Remote end closed" in said[0]


def test_once_ends_when_all_is_told(
    configured: Callable[..., Config], begun: SeasonStore, receiver: Receiver
) -> None:
    config = configured(at(receiver))
    happen(begun, EventKind.ROUND, 1)
    assert notify([config], print, None, once=True)
    assert notify([config], print, None, once=True)
    assert len(receiver.got) == 1


def test_two_processes_do_not_tell_at_once(configured: Callable[..., Config], receiver: Receiver) -> None:
    config = configured(at(receiver))
    busy = pytest.raises(StoreError, match="another process sends to these webhooks")
    with hold_webhook_lock([config, config]), busy, hold_webhook_lock([config]):
        pass
    with hold_webhook_lock([config]):
        assert lock_of(config).name == "spring.sqlite-notify"


def test_a_file_that_changes_is_gone_by_at_once(
    configured: Callable[..., Config], begun: SeasonStore, receiver: Receiver
) -> None:
    said: list[str] = []
    config = configured(at(receiver, "one"))
    now = SeasonNotifier(config, said.append, None)
    now.start()
    try:
        first = list(now.working)
        now.renew()
        assert now.working == first
        configured(at(receiver, "two"), at(receiver, "three"))
        touch(config, 1)
        now.renew()
        assert [webhook.url.rpartition("/")[2] for webhook in now.config.webhooks] == ["two", "three"]
        assert not first[0].is_alive()
        assert len(now.working) == 2
        assert begun.deliveries.read(config.webhooks[0].digest) is None
        config.file.write_text("nonsense: true\n")
        touch(config, 2)
        now.renew()
        assert len(now.working) == 2
        assert said[0].startswith("spring: webhooks unchanged: ")
    finally:
        now.end()


def touch(config: Config, seconds: int) -> None:
    """Give the file a moment of its own, however coarse the file system's clock is."""
    os.utime(config.file, (seconds, seconds))


def test_what_fails_within_is_said_once_and_tried_again(
    configured: Callable[..., Config], begun: SeasonStore, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = configured(at(receiver))
    happen(begun, EventKind.ROUND, 1)
    monkeypatch.setattr("arbiter.contest.webhooks.sender.body_of", lambda *_: 1 / 0)
    with pytest.raises(Exception, match="failed: ZeroDivisionError: division by zero"):
        notify([config], print, None, once=True)


@pytest.mark.process
def test_a_process_that_is_killed_loses_nothing(
    configured: Callable[..., Config], begun: SeasonStore, receiver: Receiver
) -> None:
    """Killed with -9 by the receiver itself, which has got what the sender does not know of."""
    config = configured(at(receiver))
    for number in range(1, 9):
        happen(begun, EventKind.ROUND, number)
    words = [sys.executable, "-m", "arbiter", "notify", str(config.file)]

    def take(_: Got) -> bytes:
        if len(receiver.got) == 3:
            os.kill(process.pid, signal.SIGKILL)
        return TAKEN

    receiver.answer = take
    process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    assert process.wait(PATIENCE) == -signal.SIGKILL
    assert subprocess.run([*words, "--once"], timeout=PATIENCE, check=False).returncode == 0
    bodies: defaultdict[str, set[bytes]] = defaultdict(set)
    for got in receiver.got:
        bodies[got.headers["x-arbiter-delivery"]].add(got.body)
    assert [len(found) for found in bodies.values()] == [1] * 8
    said = [next(iter(found)) for found in bodies.values()]
    assert all(b'"round": %d,' % number in body for number, body in enumerate(said, 1))
