"""The events of a season sent to a webhook: in order, each until it is taken, whatever is killed when."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.contest.webhooks.http_post import Receipt
from arbiter.contest.webhooks.sender import FIRST_PAUSE, LONGEST_PAUSE, PATIENCE, Sender
from arbiter.errors import StoreError
from arbiter.store import Store, deliveries
from arbiter.store.backup import back_up
from arbiter.store.database import Database
from arbiter.store.event_log import Happening, log
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
    """A receiver in memory, and the moment, to be moved."""

    def __init__(self) -> None:
        self.got: list[tuple[str, str, str]] = []
        self.receipt = TAKEN
        self.now = datetime(2027, 1, 1, tzinfo=UTC)

    def send(self, _: Webhook, event: str, delivery: str, body: bytes) -> Receipt:
        self.got.append((event, delivery, body.decode()))
        return self.receipt

    def said(self) -> list[str]:
        """The sentences that came, in order."""
        return [json.loads(body)["say"] for _, _, body in self.got]


def happen(
    season: SeasonStore, kind: Happening, number: int, subject: str = "", /, **detail: str | int
) -> None:
    with season._store.transaction() as connection:
        log(connection, season._id, kind, number, subject, **detail)


def state(season: SeasonStore, word: str) -> None:
    happen(season, Happening.STATE, 0, word)


@pytest.fixture
def receiver() -> Told:
    return Told()


@pytest.fixture
def make(receiver: Told) -> Iterator[Callable[..., Sender]]:
    """Makes senders to the receiver."""
    made: list[Sender] = []

    def sender(config: Config, say: Callable[[str], None] = lambda _: None) -> Sender:
        made.append(Sender(config, config.webhooks[0], say, None, receiver.send, lambda: receiver.now))
        return made[-1]

    yield sender
    for one in made:
        one.close()


def work(sender: Sender) -> float | None:
    """Send what can be sent now."""
    while (wait := sender.step()) == 0:
        pass
    return wait


def test_each_event_is_told_once_and_in_order(
    configured: Callable[..., Config], begun: SeasonStore, make: Callable[..., Sender], receiver: Told
) -> None:
    sender = make(configured(f"{HOOK}, {ALL}"))
    for number in range(1, 4):
        happen(begun, Happening.ROUND, number)
    assert work(sender) is None
    assert [event for event, _, _ in receiver.got] == ["round"] * 3
    assert receiver.said() == ["round 1 begins", "round 2 begins", "round 3 begins"]
    assert len({delivery for _, delivery, _ in receiver.got}) == 3
    again = make(configured(f"{HOOK}, {ALL}"))
    assert (work(sender), work(again), len(receiver.got)) == (None, None, 3)
    happen(begun, Happening.ROUND, 4)
    assert (work(sender), receiver.said()[3:]) == (None, ["round 4 begins"])


def test_only_what_the_file_names_is_told(
    configured: Callable[..., Config], begun: SeasonStore, make: Callable[..., Sender], receiver: Told
) -> None:
    sender = make(configured(f"{HOOK}, events: [state]"))
    happen(begun, Happening.ROUND, 1)
    state(begun, "stopping")
    happen(begun, Happening.MATCH, 1, "r001/t01/m0")
    work(sender)
    assert receiver.said() == ["the season stops after the matches under way"]


def test_by_default_everything_but_matches_is_told(
    configured: Callable[..., Config], begun: SeasonStore, make: Callable[..., Sender], receiver: Told
) -> None:
    sender = make(configured(HOOK))
    work(sender)
    for kind in Happening:
        detail: dict[str, Any] = {
            "player": "a",
            "because": "x",
            "author": "b",
            "version": 1,
            "state": "accepted",
            "kind": "match",
            "run": 1,
        }
        happen(begun, kind, 1, "1", **detail)
    work(sender)
    assert [event for event, _, _ in receiver.got] == [
        kind.value for kind in Happening if kind not in (Happening.MATCH, Happening.REVIEW)
    ]


def test_a_season_that_is_not_begun_is_waited_for(
    configured: Callable[..., Config], make: Callable[..., Sender], receiver: Told
) -> None:
    config = configured(HOOK)
    sender = make(config)
    assert sender.step() is None
    with closing(Store(config.store)) as store:
        assert sender.step() is None
        happen(store.make_season("spring", "planning", "a seed that nobody guesses"), Happening.ROUND, 1)
        work(sender)
    assert receiver.said() == ["round 1 begins"]


def test_who_comes_later_hears_what_happens_from_then_on(
    configured: Callable[..., Config], begun: SeasonStore, make: Callable[..., Sender], receiver: Told
) -> None:
    happen(begun, Happening.ROUND, 1)
    happen(begun, Happening.STANDINGS, 1)
    sender = make(configured(HOOK))
    work(sender)
    happen(begun, Happening.ROUND, 2)
    work(sender)
    assert receiver.said() == ["round 2 begins"]


def test_what_is_taken_out_of_the_file_and_comes_back_is_new(
    configured: Callable[..., Config], begun: SeasonStore, make: Callable[..., Sender], receiver: Told
) -> None:
    config = configured(HOOK)
    key = config.webhooks[0].digest
    happen(begun, Happening.STANDINGS, 1)
    work(make(config))
    begun.deliveries.forget_all_but([key])
    assert begun.deliveries.read(key) is not None
    begun.deliveries.forget_all_but([])
    assert begun.deliveries.read(key) is None
    happen(begun, Happening.ROUND, 2)
    work(make(config))
    assert receiver.said() == []


def test_a_failed_delivery_is_tried_again_less_and_less_often_with_one_id_and_body(
    configured: Callable[..., Config], begun: SeasonStore, make: Callable[..., Sender], receiver: Told
) -> None:
    said: list[str] = []
    sender = make(configured(HOOK), said.append)
    happen(begun, Happening.ROUND, 1)
    receiver.receipt = REFUSED
    pauses: list[float] = []
    began = receiver.now
    while not pauses or receiver.now - began < PATIENCE:
        wait = sender.step()
        assert wait
        pauses.append(wait)
        tries = len(receiver.got)
        # Not a moment earlier, and not by another process either.
        receiver.now += timedelta(seconds=wait - 1)
        again = make(configured(HOOK)).step()
        assert again is not None and 0 < again <= 1
        assert len(receiver.got) == tries
        receiver.now += timedelta(seconds=1)
    assert pauses[:4] == [FIRST_PAUSE.total_seconds() * 2**n for n in range(4)]
    assert pauses[-1] == LONGEST_PAUSE.total_seconds()
    assert len({(delivery, body) for _, delivery, body in receiver.got}) == 1
    assert said == ["spring: webhook 1 (news.example): status 503: tried again for a day"]
    receiver.receipt = TAKEN
    assert work(sender) is None
    assert len({(delivery, body) for _, delivery, body in receiver.got}) == 1


def test_a_receiver_may_ask_for_a_longer_pause(
    configured: Callable[..., Config], begun: SeasonStore, make: Callable[..., Sender], receiver: Told
) -> None:
    happen(begun, Happening.ROUND, 1)
    receiver.receipt = Receipt(429, "status 429", 900)
    assert make(configured(HOOK)).step() == 900


def test_after_a_day_it_is_given_up_with_all_that_is_as_old(
    configured: Callable[..., Config], begun: SeasonStore, make: Callable[..., Sender], receiver: Told,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    said: list[str] = []
    sender = make(configured(HOOK), said.append)
    monkeypatch.setattr("arbiter.store.event_log.moment", lambda: receiver.now.isoformat(timespec="seconds"))
    for number in (1, 2):
        happen(begun, Happening.ROUND, number)
    receiver.receipt = REFUSED
    began = receiver.now
    while wait := sender.step():
        receiver.now += timedelta(seconds=wait)
        if receiver.now - began < timedelta(minutes=2):
            happen(begun, Happening.ROUND, 3)
    assert PATIENCE <= receiver.now - began < PATIENCE + LONGEST_PAUSE
    # Rounds 3 happened within the first pauses, as long ago as the last pause is longer than the day.
    many = known(begun, sender).dropped
    assert many > 2
    (deed,) = begun.audit.last(1)
    words = (deed.who, deed.verb, deed.subject, deed.because)
    assert words == ("@console", "drop", "webhook 1 (news.example)", f"{many} given up: status 503")
    assert said[1:] == [f"spring: webhook 1 (news.example) is never told {many} events: status 503"]
    assert (known(begun, sender).told, known(begun, sender).done) == (0, many)


def test_what_a_machine_that_was_off_had_to_tell_is_told_when_it_is_back(
    configured: Callable[..., Config], begun: SeasonStore, make: Callable[..., Sender], receiver: Told
) -> None:
    sender = make(configured(HOOK))
    for number in range(1, 7):
        happen(begun, Happening.ROUND, number)
    receiver.receipt = REFUSED
    sender.step()
    receiver.now += 3 * PATIENCE
    assert sender.step()
    receiver.receipt = TAKEN
    receiver.now += LONGEST_PAUSE
    assert work(sender) is None
    assert receiver.said()[2:] == [f"round {number} begins" for number in range(1, 7)]
    assert known(begun, sender).dropped == 0


@pytest.mark.parametrize("years", [-1, 1])
def test_a_clock_that_was_wrong_delays_no_try(
    configured: Callable[..., Config],
    begun: SeasonStore,
    make: Callable[..., Sender],
    receiver: Told,
    years: int,
) -> None:
    sender = make(configured(HOOK))
    happen(begun, Happening.ROUND, 1)
    receiver.receipt = REFUSED
    sender.step()
    receiver.receipt = TAKEN
    receiver.now += years * timedelta(days=365)
    assert work(sender) is None
    assert receiver.said() == ["round 1 begins"] * 2


def test_after_a_test_that_was_taken_a_delivery_is_tried_as_for_the_first_time(
    configured: Callable[..., Config], begun: SeasonStore, make: Callable[..., Sender], receiver: Told
) -> None:
    sender = make(configured(HOOK))
    happen(begun, Happening.ROUND, 1)
    receiver.receipt = REFUSED
    for _ in range(40):
        begun.deliveries.hurry(sender._webhook.digest)
        assert sender.step() == FIRST_PAUSE.total_seconds()


def test_events_of_a_season_that_was_put_back_have_new_ids(
    configured: Callable[..., Config],
    begun: SeasonStore,
    make: Callable[..., Sender],
    receiver: Told,
    tmp_path: Path,
) -> None:
    config = configured(f"{HOOK}, events: [round]")
    sender = make(config)
    happen(begun, Happening.ROUND, 1)
    work(sender)
    back_up(config.store, tmp_path / "copy")
    for number in (2, 3):
        happen(begun, Happening.ROUND, number)
    work(sender)
    put_back(config.store, tmp_path / "copy")
    with closing(Store(config.store)) as store:
        again = store.season("spring")
        assert again is not None
        for number in (4, 5):
            happen(again, Happening.ROUND, number)
    with pytest.raises(StoreError, match="was replaced"):
        sender.step()
    sender.close()
    work(sender)
    assert receiver.said() == [f"round {number} begins" for number in (1, 2, 3, 4, 5)]
    assert len({delivery for _, delivery, _ in receiver.got}) == 5


def test_what_happened_within_the_day_is_still_told(
    configured: Callable[..., Config], begun: SeasonStore, make: Callable[..., Sender], receiver: Told
) -> None:
    receiver.now = datetime.now(UTC)
    sender = make(configured(HOOK))
    for number in (1, 2):
        happen(begun, Happening.ROUND, number)
    receiver.receipt = REFUSED
    sender.step()
    # As if the first try had been more than a day before the second event, and many since.
    telling = known(begun, sender).telling
    assert telling is not None
    early = (receiver.now - PATIENCE).isoformat(timespec="seconds")
    for _ in range(40):
        begun.deliveries.put_off(sender._webhook.digest, telling, early, early, "status 503")
    assert sender.step() == 0
    assert known(begun, sender).dropped == 1
    receiver.receipt = TAKEN
    work(sender)
    assert receiver.said()[-1] == "round 2 begins"


def known(season: SeasonStore, sender: Sender) -> Any:
    return season.deliveries.read(sender._webhook.digest)


def test_a_receiver_that_is_gone_is_told_nothing_more_until_it_takes_a_test(
    configured: Callable[..., Config], begun: SeasonStore, make: Callable[..., Sender], receiver: Told
) -> None:
    said: list[str] = []
    config = configured(HOOK)
    sender = make(config, said.append)
    happen(begun, Happening.ROUND, 1)
    receiver.receipt = GONE
    work(sender)
    receiver.receipt = TAKEN
    assert (work(sender), work(make(config)), len(receiver.got)) == (None, None, 1)
    assert said == ["spring: webhook 1 (news.example) is gone for good (status 410): it is told nothing more"]
    assert [(deed.verb, deed.because) for deed in begun.audit.last(9)] == [("end", "status 410")]
    begun.deliveries.hurry(config.webhooks[0].digest)
    work(sender)
    assert len({delivery for _, delivery, _ in receiver.got}) == 1
    assert len(receiver.got) == 2


def test_two_webhooks_and_two_seasons_have_ids_of_their_own(
    configured: Callable[..., Config], begun: SeasonStore, receiver: Told
) -> None:
    config = configured(HOOK, "url: 'https://other.example/'")
    happen(begun, Happening.ROUND, 1)
    for webhook in config.webhooks:
        with closing(Sender(config, webhook, print, None, receiver.send)) as sender:
            work(sender)
    assert len({delivery for _, delivery, _ in receiver.got}) == 2


def test_a_long_time_without_news_is_not_looked_through_again(
    configured: Callable[..., Config],
    begun: SeasonStore,
    make: Callable[..., Sender],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sender = make(configured(f"{HOOK}, events: [round]"))
    work(sender)
    monkeypatch.setattr(deliveries, "STRIDE", 20)
    for _ in range(20):
        state(begun, "playing")
    work(sender)
    assert known(begun, sender).done == 20


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


@pytest.mark.parametrize("seed", range(2))
def test_after_a_hundred_kills_each_event_has_come_and_each_id_has_one_body(
    configured: Callable[..., Config],
    begun: SeasonStore,
    receiver: Told,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:
    fate, config, expected = Fate(seed, 100), configured(f"{HOOK}, {ALL}"), 0
    plain = Database.transaction

    @contextmanager
    def struck(store: Database) -> Iterator[sa.Connection]:
        mine = store is not begun._store
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
        receiver.receipt = REFUSED if fate.left % 7 == 3 else TAKEN
        receipt = receiver.send(*given)
        fate.strike()
        return receipt

    while fate.left:
        expected += 1
        happen(begun, Happening.ROUND, expected)
        with closing(
            Sender(config, config.webhooks[0], lambda _: None, None, send, lambda: receiver.now)
        ) as sender:
            try:
                while (wait := sender.step()) is not None:
                    receiver.now += timedelta(seconds=wait)
            except Killed:
                pass
    with closing(
        Sender(config, config.webhooks[0], lambda _: None, None, send, lambda: receiver.now)
    ) as sender:
        while (wait := sender.step()) is not None:
            receiver.now += timedelta(seconds=wait)
    bodies: defaultdict[str, set[str]] = defaultdict(set)
    for _, delivery, body in receiver.got:
        bodies[delivery].add(body)
    assert all(len(found) == 1 for found in bodies.values())
    # By the first time that each came: in order, and none is missing or there under two ids.
    first = [json.loads(next(iter(found)))["round"] for found in bodies.values()]
    assert first == list(range(1, expected + 1))
    assert len(receiver.got) > len(bodies)
