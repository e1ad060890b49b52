"""`arbiter notify`: what it prints, and how it ends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from arbiter.store.event_log import EventKind
from tests.contest.webhooks.test_notifier import at
from tests.contest.webhooks.test_sender import happen
from tests.fixtures.receiving import Receiver, answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.season.config import Config
    from arbiter.store import SeasonStore
    from tests.fixtures.commands import Run


def test_a_try_sends_a_test_and_prints_a_line_for_each(
    arbiter: Run, configured: Callable[..., Config], receiver: Receiver
) -> None:
    receiver.answer = lambda got: answer(204 if got.path == "/good" else 404)
    config = configured(f"{at(receiver, 'good')}, form: slack", at(receiver, "secret-path"))
    code, out, err = arbiter("notify", config.file, "--try", "--public-url", "https://cards.example.org/")
    good, bad = out.splitlines()
    assert good.startswith("ok spring: webhook 1 (127.0.0.1), slack: status 204, ")
    assert bad == "FAIL spring: webhook 2 (127.0.0.1), json: status 404"
    assert (code, err) == (1, "arbiter: 1 webhook did not accept the test\n")
    assert "secret-path" not in out + err
    text, sent = (json.loads(got.body) for got in receiver.got)
    assert text == {"text": "spring: this is a test <https://cards.example.org/seasons/spring>"}
    assert (sent["event"], sent["url"]) == ("test", "https://cards.example.org/seasons/spring")
    assert [got.headers["x-arbiter-event"] for got in receiver.got] == ["test"] * 2
    assert len(set(receiver.ids("/good") + receiver.ids("/secret-path"))) == 2


def test_a_receiver_that_takes_a_test_is_told_at_once_what_waits(
    arbiter: Run, configured: Callable[..., Config], begun: SeasonStore, receiver: Receiver
) -> None:
    config = configured(at(receiver))
    happen(begun, EventKind.ROUND, 1)
    receiver.answer = lambda _: answer(410)
    code, _, err = arbiter("notify", config.file, "--once")
    assert code == 0
    assert "webhook 1 (127.0.0.1) is gone (status 410)" in err
    receiver.answer = lambda _: answer(200)
    code, out, _ = arbiter("notify", config.file, "--try")
    assert code == 0
    assert out.endswith("; delivered 0, given up 0, waiting 1, the first because of: status 410\n")
    assert arbiter("notify", config.file, "--once")[0] == 0
    assert len(set(receiver.ids())) == 2


def test_once_says_that_something_waits(
    arbiter: Run, configured: Callable[..., Config], begun: SeasonStore, receiver: Receiver
) -> None:
    config = configured(at(receiver))
    happen(begun, EventKind.ROUND, 1)
    receiver.answer = lambda _: answer(500)
    code, out, err = arbiter("notify", config.file, "--once")
    assert (code, out) == (1, "")
    assert err.splitlines() == [
        "arbiter: spring: webhook 1 (127.0.0.1): status 500: retried for a day",
        "arbiter: events still wait: run the same command again to continue",
    ]


def test_wrong_uses_are_one_line(arbiter: Run, configured: Callable[..., Config], receiver: Receiver) -> None:
    file = configured(at(receiver)).file
    without = file.with_name("without.yaml")
    without.write_text(file.read_text().partition("webhooks:")[0])
    for words, said in (
        ([file, "--once", "--try"], "--once and --try: give one of them"),
        ([file, "--public-url", "cards.example.org"], "expected the address of a whole site"),
        ([file, "--public-url", "https://cards.example.org/x"], "expected the address of a whole site"),
        ([without], "has no `webhooks:`"),
    ):
        code, out, err = arbiter("notify", *words)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert said in err
