"""The events of a season sent to a webhook: in order, each until it is taken, whatever is killed when."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.contest.webhooks.http_post import Receipt
from arbiter.contest.webhooks.sender import FIRST_PAUSE, LONGEST_PAUSE, PATIENCE, Sender
from arbiter.errors import StoreError
from arbiter.store import Store, deliveries
from arbiter.store.backup import back_up
from arbiter.store.database import Database
from arbiter.store.event_log import EventKind, log_event
from tests.fixtures.databases import put_back

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import sqlalchemy as sa

    from arbiter.season.config import Config
    from arbiter.season.config.webhook_settings import Webhook
    from arbiter.store import SeasonStore

TAKEN = Receipt(204, "")
REFUSED = Receipt(503, "status 503")
GONE = Receipt(410, "status 410")
HOOK = "url: 'https://news.example/hook'"
ALL = "events: [match, rejudged, round, standings, state, submission, suspended, request]"


class Told:
    """A receiver in memory of a season's webhook, and the moment, to be moved; `said` is what senders say."""

    def __init__(self, season: SeasonStore | None, configured: Callable[..., Config]) -> None:
        self._season, self.configured = season, configured
        self.got: list[tuple[str, str, str]] = []
        self.receipt = TAKEN
        self.now = datetime(2027, 1, 1, tzinfo=UTC)
        self.said: list[str] = []
        self.senders: list[Sender] = []

    @property
    def season(self) -> SeasonStore:
        assert self._season is not None
        return self._season

    def sender(self, webhook: str | Config = HOOK) -> Sender:
        """A sender of a season with this webhook to this receiver."""
        config = self.configured(webhook) if isinstance(webhook, str) else webhook
        self.senders.append(
            Sender(config, config.webhooks[0], self.said.append, None, self.send, lambda: self.now)
        )
        return self.senders[-1]

    def send(self, _: Webhook, event: str, delivery: str, body: bytes) -> Receipt:
        self.got.append((event, delivery, body.decode()))
        return self.receipt

    def sentences(self) -> list[str]:
        """Those that came, in order."""
        return [json.loads(body)["say"] for _, _, body in self.got]

    def begin(self, *rounds: int) -> None:
        """Rounds begin."""
        for number in rounds:
            happen(self.season, EventKind.ROUND, number)


def happen(
    season: SeasonStore, kind: EventKind, number: int, subject: str = "", /, **detail: str | int
) -> None:
    with season._store.transaction() as connection:
        log_event(connection, season._id, kind, number, subject, **detail)


@pytest.fixture
def told(begun: SeasonStore, configured: Callable[..., Config]) -> Iterator[Told]:
    made = Told(begun, configured)
    yield made
    for one in made.senders:
        one.close()


def work(sender: Sender) -> float | None:
    """Send what can be sent now."""
    while (wait := sender.step()) == 0:
        pass
    return wait


def test_each_event_is_told_once_and_in_order(told: Told) -> None:
    sender = told.sender(f"{HOOK}, {ALL}")
    told.begin(*range(1, 4))
    assert work(sender) is None
    assert [event for event, _, _ in told.got] == ["round"] * 3
    assert told.sentences() == ["round 1 begins", "round 2 begins", "round 3 begins"]
    assert len({delivery for _, delivery, _ in told.got}) == 3
    again = told.sender(f"{HOOK}, {ALL}")
    assert (work(sender), work(again), len(told.got)) == (None, None, 3)
    told.begin(4)
    assert (work(sender), told.sentences()[3:]) == (None, ["round 4 begins"])


def test_only_what_the_file_names_is_told(told: Told) -> None:
    sender = told.sender(f"{HOOK}, events: [state]")
    told.begin(1)
    happen(told.season, EventKind.STATE, 0, "stopping")
    happen(told.season, EventKind.MATCH, 1, "r001/t01/m0")
    work(sender)
    assert told.sentences() == ["the season stops after the matches under way"]


def test_by_default_everything_but_matches_is_told(told: Told) -> None:
    sender = told.sender()
    work(sender)
    for kind in EventKind:
        detail: dict[str, Any] = {
            "player": "a",
            "because": "x",
            "author": "b",
            "version": 1,
            "state": "accepted",
            "kind": "match",
            "run": 1,
        }
        happen(told.season, kind, 1, "1", **detail)
    work(sender)
    assert [event for event, _, _ in told.got] == [
        kind.value for kind in EventKind if kind not in (EventKind.MATCH, EventKind.REVIEW)
    ]


def test_a_season_that_is_not_begun_is_waited_for(configured: Callable[..., Config]) -> None:
    told, config = Told(None, configured), configured(HOOK)
    sender = told.sender(config)
    assert sender.step() is None
    with closing(Store(config.store)) as store:
        assert sender.step() is None
        happen(store.make_season("spring", "planning", "a seed that nobody guesses"), EventKind.ROUND, 1)
        work(sender)
    sender.close()
    assert told.sentences() == ["round 1 begins"]


def test_who_comes_later_hears_what_happens_from_then_on(told: Told) -> None:
    told.begin(1)
    happen(told.season, EventKind.STANDINGS, 1)
    sender = told.sender()
    work(sender)
    told.begin(2)
    work(sender)
    assert told.sentences() == ["round 2 begins"]


def test_what_is_taken_out_of_the_file_and_comes_back_is_new(told: Told) -> None:
    config = told.configured(HOOK)
    key = config.webhooks[0].digest
    happen(told.season, EventKind.STANDINGS, 1)
    work(told.sender(config))
    told.season.deliveries.forget_all_but([key])
    assert told.season.deliveries.read(key) is not None
    told.season.deliveries.forget_all_but([])
    assert told.season.deliveries.read(key) is None
    told.begin(2)
    work(told.sender(config))
    assert told.sentences() == []


def test_a_failed_delivery_is_tried_again_less_and_less_often_with_one_id_and_body(told: Told) -> None:
    sender = told.sender()
    told.begin(1)
    told.receipt = REFUSED
    pauses: list[float] = []
    began = told.now
    while not pauses or told.now - began < PATIENCE:
        wait = sender.step()
        assert wait
        pauses.append(wait)
        tries = len(told.got)
        # Not a moment earlier, and not by another process either.
        told.now += timedelta(seconds=wait - 1)
        again = told.sender().step()
        assert again is not None and 0 < again <= 1
        assert len(told.got) == tries
        told.now += timedelta(seconds=1)
    assert pauses[:4] == [FIRST_PAUSE.total_seconds() * 2**n for n in range(4)]
    assert pauses[-1] == LONGEST_PAUSE.total_seconds()
    assert len({(delivery, body) for _, delivery, body in told.got}) == 1
    assert told.said == ["spring: webhook 1 (news.example): status 503: retried for a day"]
    told.receipt = TAKEN
    assert work(sender) is None
    assert len({(delivery, body) for _, delivery, body in told.got}) == 1


def test_a_receiver_may_ask_for_a_longer_pause(told: Told) -> None:
    told.begin(1)
    told.receipt = Receipt(429, "status 429", 900)
    assert told.sender().step() == 900


def test_after_a_day_it_is_given_up_with_all_that_is_as_old(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    sender = told.sender()
    monkeypatch.setattr("arbiter.store.event_log.timestamp", lambda: told.now.isoformat(timespec="seconds"))
    told.begin(1, 2)
    told.receipt = REFUSED
    began = told.now
    while wait := sender.step():
        told.now += timedelta(seconds=wait)
        if told.now - began < timedelta(minutes=2):
            told.begin(3)
    assert PATIENCE <= told.now - began < PATIENCE + LONGEST_PAUSE
    # Rounds 3 happened within the first pauses, as long ago as the last pause is longer than the day.
    many = known(told.season, sender).dropped
    assert many > 2
    (deed,) = told.season.audit.last(1)
    words = (deed.who, deed.verb, deed.subject, deed.because)
    assert words == ("@console", "drop", "webhook 1 (news.example)", f"{many} given up: status 503")
    assert told.said[1:] == [f"spring: webhook 1 (news.example): {many} events dropped: status 503"]
    assert (known(told.season, sender).told, known(told.season, sender).done) == (0, many)


def test_what_a_machine_that_was_off_had_to_tell_is_told_when_it_is_back(told: Told) -> None:
    sender = told.sender()
    told.begin(*range(1, 7))
    told.receipt = REFUSED
    sender.step()
    told.now += 3 * PATIENCE
    assert sender.step()
    told.receipt = TAKEN
    told.now += LONGEST_PAUSE
    assert work(sender) is None
    assert told.sentences()[2:] == [f"round {number} begins" for number in range(1, 7)]
    assert known(told.season, sender).dropped == 0


@pytest.mark.parametrize("years", [-1, 1])
def test_a_clock_that_was_wrong_delays_no_try(told: Told, years: int) -> None:
    sender = told.sender()
    told.begin(1)
    told.receipt = REFUSED
    sender.step()
    told.receipt = TAKEN
    told.now += years * timedelta(days=365)
    assert work(sender) is None
    assert told.sentences() == ["round 1 begins"] * 2


def test_after_a_test_that_was_taken_a_delivery_is_tried_as_for_the_first_time(told: Told) -> None:
    sender = told.sender()
    told.begin(1)
    told.receipt = REFUSED
    for _ in range(40):
        told.season.deliveries.retry_now(sender._webhook.digest)
        assert sender.step() == FIRST_PAUSE.total_seconds()


def test_events_of_a_season_that_was_put_back_have_new_ids(told: Told, tmp_path: Path) -> None:
    config = told.configured(f"{HOOK}, events: [round]")
    sender = told.sender(config)
    told.begin(1)
    work(sender)
    back_up(config.store, tmp_path / "copy")
    told.begin(2, 3)
    work(sender)
    put_back(config.store, tmp_path / "copy")
    with closing(Store(config.store)) as store:
        again = store.season("spring")
        assert again is not None
        for number in (4, 5):
            happen(again, EventKind.ROUND, number)
    with pytest.raises(StoreError, match="was replaced"):
        sender.step()
    sender.close()
    work(sender)
    assert told.sentences() == [f"round {number} begins" for number in (1, 2, 3, 4, 5)]
    assert len({delivery for _, delivery, _ in told.got}) == 5


def test_what_happened_within_the_day_is_still_told(told: Told) -> None:
    told.now = datetime.now(UTC)
    sender = told.sender()
    told.begin(1, 2)
    told.receipt = REFUSED
    sender.step()
    # As if the first try had been more than a day before the second event, and many since.
    telling = known(told.season, sender).telling
    assert telling is not None
    early = (told.now - PATIENCE).isoformat(timespec="seconds")
    for _ in range(40):
        told.season.deliveries.postpone(sender._webhook.digest, telling, early, early, "status 503")
    assert sender.step() == 0
    assert known(told.season, sender).dropped == 1
    told.receipt = TAKEN
    work(sender)
    assert told.sentences()[-1] == "round 2 begins"


def known(season: SeasonStore, sender: Sender) -> Any:
    return season.deliveries.read(sender._webhook.digest)


def test_a_receiver_that_is_gone_is_told_nothing_more_until_it_takes_a_test(told: Told) -> None:
    config = told.configured(HOOK)
    sender = told.sender(config)
    told.begin(1)
    told.receipt = GONE
    work(sender)
    told.receipt = TAKEN
    assert (work(sender), work(told.sender(config)), len(told.got)) == (None, None, 1)
    assert told.said == ["spring: webhook 1 (news.example) is gone (status 410): nothing more is sent to it"]
    assert [(deed.verb, deed.because) for deed in told.season.audit.last(9)] == [("end", "status 410")]
    told.season.deliveries.retry_now(config.webhooks[0].digest)
    work(sender)
    assert len({delivery for _, delivery, _ in told.got}) == 1
    assert len(told.got) == 2


def test_two_webhooks_and_two_seasons_have_ids_of_their_own(told: Told) -> None:
    config = told.configured(HOOK, "url: 'https://other.example/'")
    told.begin(1)
    for webhook in config.webhooks:
        with closing(Sender(config, webhook, print, None, told.send)) as sender:
            work(sender)
    assert len({delivery for _, delivery, _ in told.got}) == 2


def test_a_long_time_without_news_is_not_looked_through_again(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    sender = told.sender(f"{HOOK}, events: [round]")
    work(sender)
    monkeypatch.setattr(deliveries, "STRIDE", 20)
    for _ in range(20):
        happen(told.season, EventKind.STATE, 0, "playing")
    work(sender)
    assert known(told.season, sender).done == 20


class Killed(BaseException):
    """The end of a process, wherever it is."""


class Fate:
    """Kills at random points: before and after each transaction, before and after each request."""

    def __init__(self, seed: int, kills: int) -> None:
        self.left, self._random = kills, random.Random(seed)

    def strike(self) -> None:
        if self.left and self._random.random() < 0.2:
            self.left -= 1
            raise Killed


def test_after_many_kills_each_event_has_come_and_each_id_has_one_body(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    fate, config, expected = Fate(0, 60), told.configured(f"{HOOK}, {ALL}"), 0
    plain = Database.transaction

    @contextmanager
    def struck(store: Database) -> Iterator[sa.Connection]:
        mine = store is not told.season._store
        if mine:
            fate.strike()
        with plain(store) as connection:
            yield connection
            if mine:
                # All is written and nothing is kept.
                fate.strike()
        if mine:
            fate.strike()

    monkeypatch.setattr(Database, "transaction", struck)

    def send(*given: Any) -> Receipt:
        fate.strike()
        told.receipt = REFUSED if fate.left % 7 == 3 else TAKEN
        receipt = told.send(*given)
        fate.strike()
        return receipt

    def live() -> None:
        made = Sender(config, config.webhooks[0], lambda _: None, None, send, lambda: told.now)
        with closing(made) as sender:
            while (wait := sender.step()) is not None:
                told.now += timedelta(seconds=wait)

    while fate.left:
        expected += 1
        told.begin(expected)
        with suppress(Killed):
            live()
    live()
    bodies: defaultdict[str, set[str]] = defaultdict(set)
    for _, delivery, body in told.got:
        bodies[delivery].add(body)
    assert all(len(found) == 1 for found in bodies.values())
    # By the first time that each came: in order, and none is missing or there under two ids.
    first = [json.loads(next(iter(found)))["round"] for found in bodies.values()]
    assert first == list(range(1, expected + 1))
    assert len(told.got) > len(bodies)
