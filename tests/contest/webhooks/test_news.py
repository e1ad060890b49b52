"""Events in words, and what of them is told while results are held back."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.contest.webhooks.http_post import Receipt
from arbiter.contest.webhooks.sender import Sender
from arbiter.match.packing import pack_match
from arbiter.season import administration
from arbiter.season.config import load
from arbiter.season.results import SeasonResults
from arbiter.store import OrderKind
from tests.fixtures.zoo import CLEAN, SEED, Kept

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from arbiter.season.config.webhook_settings import Webhook

ALL = "[match, rejudged, round, standings, state, submission, suspended, request, announcement]"


class Listener:
    """A webhook of a played season; each look gives what it is told since the last one."""

    def __init__(self, kept: Kept, secret: Path, more: str = "") -> None:
        text = f"webhooks: [{{url: 'https://n.example/', secret_file: {secret}, events: {ALL}}}]\n"
        kept.file.write_text(kept.file.read_text() + text + more)
        kept.config = load(kept.file)
        self.got: list[tuple[str, dict[str, Any]]] = []
        self.receipt = Receipt(204, "")
        site = "https://cards.example.org"
        self.webhook = kept.config.webhooks[0]
        self.sender = Sender(kept.config, self.webhook, lambda _: None, site, self._take)
        self.look()

    def _take(self, _: Webhook, __: str, delivery: str, body: bytes) -> Receipt:
        if self.receipt.ok:
            self.got.append((delivery, json.loads(body)))
        return self.receipt

    def look(self) -> list[dict[str, Any]]:
        before = len(self.got)
        while self.sender.step() == 0:
            pass
        return [news for _, news in self.got[before:]]


@pytest.fixture
def listener(kept: Kept, secret: Path) -> Iterator[Listener]:
    made = Listener(kept, secret)
    with closing(made.sender):
        yield made


def said(news: list[dict[str, Any]]) -> list[str]:
    return [one["say"] for one in news]


def test_a_round_is_told_from_its_beginning_to_its_standings(kept: Kept, listener: Listener) -> None:
    specs = kept.play()
    news = listener.look()
    kinds = [one["event"] for one in news]
    assert kinds == ["match"] * len(specs) + ["standings"]
    first = news[0]
    match_id = first["subject"]
    assert match_id in {spec.id for spec in specs}
    assert first["say"].startswith(f"match {match_id}: ")
    assert " wins with " in first["say"] or " share the win " in first["say"] or " draw " in first["say"]
    assert first["url"] == f"https://cards.example.org/seasons/small/matches/{match_id.replace('/', '-')}"
    assert (first["season"], first["round"], first["state"]) == ("small", 3, None)
    assert first["moment"] is not None
    last = news[-1]
    assert last["say"].startswith("after round 3: 1. \u2068")
    assert last["url"] == "https://cards.example.org/seasons/small/standings"
    assert said(listener.look()) == []


def test_who_is_suspended_is_told_with_the_reason(kept: Kept, listener: Listener) -> None:
    administration.suspend(SeasonResults(kept.config, kept.season), "p1", "it cheats: *loudly*")
    (suspended,) = [one for one in listener.look() if one["event"] == "suspended"]
    assert suspended["say"] == "\u2068p1\u2069 is suspended from round 4 on: it cheats: *loudly*"
    assert (suspended["subject"], suspended["round"]) == ("p1", 4)
    assert suspended["url"] == "https://cards.example.org/seasons/small/players/p1"


def test_nothing_tells_the_seed_or_a_card_of_the_round_under_way(kept: Kept, listener: Listener) -> None:
    specs = kept.play(2)
    text = json.dumps(listener.look())
    assert SEED not in text
    for spec in specs:
        for deal in kept.match(spec.id).deals:
            assert not any(json.dumps(hand) in text for hand in deal["hands"])


class HeldBack:
    """A season of which the public sees three rounds, and what a webhook hears of it."""

    def __init__(self, kept: Kept, secret: Path) -> None:
        self.kept = kept
        kept.play()
        kept.season.freeze(3)
        self.listener = Listener(kept, secret, "freeze: 1\n")
        self.results = SeasonResults(kept.config, kept.season)


@pytest.fixture
def frozen(kept: Kept, secret: Path) -> Iterator[HeldBack]:
    made = HeldBack(kept, secret)
    with closing(made.listener.sender):
        yield made


def test_while_results_are_held_back_only_the_season_as_a_whole_is_told(frozen: HeldBack) -> None:
    kept, listener = frozen.kept, frozen.listener
    kept.play(2)
    administration.suspend(frozen.results, "p1", "it cheats")
    assert listener.look() == []
    # Nor does the figure for Prometheus tell how much is held back.
    assert kept.season.deliveries.count_waiting(listener.webhook.digest, listener.webhook.events, True) == 0
    kept.season.running.pause("olga")
    kept.season.running.resume("olga")
    assert said(listener.look()) == ["the season stops after the matches under way", "the season continues"]
    administration.annul(frozen.results, [CLEAN], "power cut")
    assert listener.look() == []


def test_after_the_release_all_that_was_held_back_is_told_in_order_and_nothing_twice(
    frozen: HeldBack,
) -> None:
    kept, listener = frozen.kept, frozen.listener
    specs = kept.play(2)
    kept.season.running.pause("olga")
    listener.look()
    specs += kept.play()
    kept.season.publish_seed(4)
    news = listener.look()
    assert [one["event"] for one in news] == ["round"] + ["match"] * len(specs) + ["standings", "state"]
    assert news[-1]["say"] == "the season is over"
    ids = [delivery for delivery, _ in listener.got]
    assert len(set(ids)) == len(ids)
    assert said(listener.look()) == []


def test_a_state_that_was_under_way_at_the_release_skips_nothing(frozen: HeldBack) -> None:
    kept, listener = frozen.kept, frozen.listener
    specs = kept.play(2)
    kept.season.running.pause("olga")
    listener.receipt = Receipt(None, "nobody there")
    assert listener.look() == []
    kept.season.publish_seed(4)
    listener.receipt = Receipt(204, "")
    kept.season.deliveries.retry_now(listener.webhook.digest)
    news = listener.look()
    kinds = [one["event"] for one in news]
    assert kinds == ["state", "round", *["match"] * len(specs), "state"]
    assert said(news)[0] == "the season stops after the matches under way"


def test_standings_told_late_are_those_that_the_public_sees(kept: Kept, secret: Path) -> None:
    """An order that is given while results are held back shows in nothing that is told then."""
    listener = Listener(kept, secret, "freeze: 1\n")
    kept.play()
    results = SeasonResults(kept.config, kept.season)
    shown = results.standings()["players"]
    kept.season.freeze(3)
    kept.play(1)
    administration.annul(results, [match.id for match in kept.season.summaries(3, 3)], "all of them")
    assert results.standings()["players"] != shown
    news = listener.look()
    listener.sender.close()
    (told,) = [one["say"] for one in news if one["event"] == "standings"]
    assert f"(Elo {max(row['elo'] for row in shown):+.0f})" in told


def test_a_match_that_is_played_again_is_told_again(kept: Kept, listener: Listener) -> None:
    results = SeasonResults(kept.config, kept.season)
    administration.annul(results, [CLEAN], "power cut", replay=True)
    administration.replace_match(results, pack_match(kept.match(CLEAN)), OrderKind.REPLAYED, lambda _: True)
    news = listener.look()
    assert [one["subject"] for one in news if one["event"] == "match"] == [CLEAN]
    assert [one["event"] for one in news].count("standings") == 2
    (told,) = [one for one in news if one["event"] == "rejudged"]
    assert told["say"] == f"match {CLEAN} was played again, because power cut: the result is the same"
    assert (told["subject"], told["round"], told["url"].partition("/seasons")[2]) == (
        CLEAN, 1, f"/small/matches/{CLEAN.replace('/', '-')}"
    )  # fmt: skip


def test_what_each_rejudging_changed_is_told_though_there_is_a_later_one(
    kept: Kept, listener: Listener
) -> None:
    results, first = SeasonResults(kept.config, kept.season), kept.match(CLEAN)
    points = first.points or ()
    other = replace(first, scores=None, points=(points[0] + 1, *points[1:]))
    for match in (other, first):
        administration.replace_match(results, pack_match(match), OrderKind.REPLAYED, lambda _: True)
    name = f"\u2068{first.players[0]}\u2069"
    assert [one["say"] for one in listener.look() if one["event"] == "rejudged"] == [
        f"match {CLEAN} was played again: before {name} {old}; after {name} {new}"
        for old, new in [(points[0], points[0] + 1), (points[0] + 1, points[0])]
    ]


def test_a_rejudging_while_results_are_held_back_is_told_when_the_season_is_over(
    kept: Kept, secret: Path
) -> None:
    listener = Listener(kept, secret, "freeze: 1\n")
    kept.play()
    kept.season.freeze(3)
    results = SeasonResults(kept.config, kept.season)
    administration.replace_match(results, pack_match(kept.match(CLEAN)), OrderKind.REPLAYED, lambda _: True)
    held = listener.look()
    kept.season.publish_seed(3)
    later = listener.look()
    listener.sender.close()
    assert ["rejudged" in [one["event"] for one in news] for news in (held, later)] == [False, True]


def test_how_a_submission_and_a_request_go_on_is_told(kept: Kept, listener: Listener) -> None:
    kept.season.authors.add("ann", "ann", "token", False, "test")
    number = kept.season.submissions.add("ann", "a" * 64, "file", 9)[0].id
    kept.season.submissions.accept(number, [], {"command": ["python3"], "read": [], "files": {}})
    book = kept.season.requests
    asked = book.add("ann", "gauntlet", {"player": "ann@1", "against": ["p1"]}, 4, 9, 9).id
    for _ in range(2):
        assert book.begin(asked)
        assert book.keep(asked, "ann", 1, 900, None)
    assert book.finish(asked, None)
    assert not book.cancel(asked, "ann")
    news = listener.look()
    assert said(news) == [
        "\u2068ann@1\u2069 was received",
        "\u2068ann@1\u2069 is accepted",
        *(
            f"request {asked} of \u2068ann\u2069 (gauntlet) is {word}"
            for word in ("waiting", "playing", "done")
        ),
    ]
    assert [one["state"] for one in news] == ["received", "accepted", "waiting", "playing", "done"]
    assert [one["subject"] for one in news] == ["ann@1"] * 2 + [str(asked)] * 3


def test_who_plays_on_for_want_of_house_bots_is_not_told_to_sit_out(kept: Kept, listener: Listener) -> None:
    kept.play()
    standings = kept.season.standings(3)
    assert standings is not None
    because = "its last 12 matches ended by its own fault"
    standings |= {"suspended": {"p1": because}, "plays_on": ["p1"]}
    kept.season.complete_round(3, standings)
    (news,) = [one for one in listener.look() if one["event"] == "suspended"]
    assert news["say"] == f"\u2068p1\u2069: {because}: not suspended, since no house bot could fill the seat"


def test_announcements_and_public_answers_are_told_in_one_line(kept: Kept, listener: Listener) -> None:
    kept.season.announcements.add("The *deadline*\n\nis on Friday.", "olga")
    later = datetime.now(UTC) + timedelta(days=1)
    kept.season.announcements.add("for later", "olga", later)
    for public in (False, True):
        asked = kept.season.clarifications.ask("ann", "ann", "Is NumPy\nthere?", 9)
        kept.season.clarifications.answer(asked.number, "Yes.", public, "olga")
    news = [one for one in listener.look() if one["event"] == "announcement"]
    assert said(news) == [
        "announcement: The *deadline* is on Friday.",
        "question: Is NumPy there? answer: Yes.",
    ]
    assert [one["subject"] for one in news] == ["1", "3"]
    kept.season.announcements.change(1, "It is on Thursday.", "olga")
    kept.season.announcements.change(3, None, "olga")
    news = [one for one in listener.look() if one["event"] == "announcement"]
    assert said(news) == ["corrected announcement: It is on Thursday.", "announcement 3 is withdrawn"]
