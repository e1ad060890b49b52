"""Reviews on a site: the author's and the organiser's, and everybody's only where they are published."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.replay.visibility import Reader, replay_of
from arbiter.season.snapshot import listings, review_view
from arbiter.season.snapshot.reader import read_state
from arbiter.season.snapshot.viewer import HeldResults
from arbiter.trials.review.review_round import brief_of
from arbiter.web.http import watched_seasons
from tests.fixtures.site import TERMS, Authored, authored
from tests.web.test_notes import noting

if TYPE_CHECKING:
    from httpx2 import Response

    from arbiter.match.record import MatchRecord
    from arbiter.replay.match_review import PhaseLoss, Review
    from tests.fixtures.zoo import Kept

DONE, OTHER, EARLY = "r001/t02/m0", "r002/t01/m0", "r003/t01/m0"
API = "/api/v1/seasons/small/matches"
PUBLISHED = f"{TERMS}publish_reviews: true\n"


def review_of(record: MatchRecord) -> Review:
    """A review by which each decision of seat K lost K points."""
    none: PhaseLoss = {"decisions": 0, "mean_loss": None, "se": None}
    seats = range(len(record.players))
    return {
        "format": "arbiter-review/1", "match": record.id, "by": "judge", "budget": 1000, "answers": 6,
        "decisions": [
            {"i": i, "seat": move.seat, "deal": move.deal, "phase": "early", "request": move.request,
             "done": move.action, "best": move.action, "loss": float(move.seat), "se": 0.1, "mistake": False, "excuse": "",
             "chance_lost": None, "values": {move.action: 1.0}, "win": [0.25 * seat for seat in seats]}
            for i, move in enumerate(record.moves)
        ],
        "seats": [
            {"seat": seat, "player": record.players[seat], "mistakes": 0, **none,
             "phases": {"declaration": none, "early": none, "late": none}}
            for seat in seats
        ],
        "luck": [0.0 for _ in seats],
        "worst": [i for i, _ in enumerate(record.moves)][:5],
    }  # fmt: skip


def keep(kept: Kept, match_id: str) -> None:
    """Keep a review of a match in which seat 1 is ann's."""
    kept.change(match_id, noting)
    packed, record = kept.season.packed(match_id), kept.match(match_id)
    assert packed is not None
    review = review_of(record)
    assert kept.season.reviews.keep(record.round or 0, review, brief_of(review), packed, "d")


def ask(site: Authored, match_id: str, who: str | None = None) -> Response:
    headers = {} if who is None else site.headers(who)
    return site.client.get(f"{API}/{match_id.replace('/', '-')}/review", headers=headers)


def seats_in(answer: Response) -> set[int]:
    """Whose decisions, losses and chances an answer tells; they are of the same seats."""
    found: Any = answer.json()
    seats = {decision["seat"] for decision in found["decisions"]}
    assert seats == {of["seat"] for of in found["seats"]}
    for decision in found["decisions"]:
        assert {seat for seat, win in enumerate(decision["win"]) if win is not None} == seats
    assert set(found["worst"]) <= {decision["i"] for decision in found["decisions"]}
    return seats


@pytest.mark.parametrize("terms", [TERMS, PUBLISHED])
@pytest.mark.parametrize("who", [None, "ben", "ann"])
def test_before_its_round_is_complete_a_review_is_as_none(
    kept: Kept, monkeypatch: pytest.MonkeyPatch, terms: str, who: str | None
) -> None:
    monkeypatch.setattr(watched_seasons, "POLL_SECONDS", 0.0)
    with authored(kept, terms) as site:
        kept.change(EARLY, noting)
        page = f"/seasons/small/matches/{EARLY.replace('/', '-')}"
        before, plain = ask(site, EARLY, who), site.client.get(page)
        assert (before.status_code, plain.status_code) == (404, 200)
        keep(kept, EARLY)
        after = ask(site, EARLY, who)
        assert (after.status_code, after.content, after.headers) == (404, before.content, before.headers)
        assert "data-review" not in site.client.get(page).text
        assert seats_in(ask(site, EARLY, "olga")) == {0, 1, 2, 3}


def test_what_is_not_published_an_author_sees_of_the_own_seat_alone(site: Authored) -> None:
    keep(site.kept, DONE)
    for who in (None, "ben"):
        unseen, none = ask(site, DONE, who), ask(site, OTHER, who)
        assert (unseen.status_code, unseen.content) == (404, none.content)
    assert seats_in(ask(site, DONE, "ann")) == {1}
    assert seats_in(ask(site, DONE, "olga")) == {0, 1, 2, 3}
    assert ask(site, DONE, "ann").headers["cache-control"] == "no-store"
    assert ask(site, "r009/t01/m0", "olga").status_code == 404


def test_what_is_published_all_see_and_its_events_are_the_answers_of_the_replay(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watched_seasons, "POLL_SECONDS", 0.0)
    with authored(kept, PUBLISHED) as site:
        assert ask(site, DONE).status_code == 404
        page = f"/seasons/small/matches/{DONE.replace('/', '-')}"
        assert "data-review" not in site.client.get(page).text
        keep(kept, DONE)
        answer = ask(site, DONE)
        assert seats_in(answer) == {0, 1, 2, 3}
        assert answer.json() == ask(site, DONE, "ann").json()
        replay: Any = replay_of(kept.match(DONE), Reader("public"))
        said = {event["i"]: event for event in replay["events"] if event["t"] == "answer"}
        decisions = answer.json()["decisions"]
        assert [decision["event"] for decision in decisions] == list(said)
        for decision in decisions:
            event = said[decision["event"]]
            assert (event["seat"], event["text"]) == (decision["seat"], decision["done"])
        assert f'data-review="{API}/{DONE.replace("/", "-")}/review"' in site.client.get(page).text


def test_while_results_are_held_back_no_review_is_shown(kept: Kept) -> None:
    keep(kept, DONE)
    state = read_state(kept.config, kept.season)
    assert review_view.has_review(state, DONE)
    held = replace(state, held=HeldResults(kept.season.orders.read(), state.roster))
    assert not review_view.has_review(held, DONE)
    assert review_view.review(held, DONE) is None
    assert json.dumps(listings.replay(held, DONE))
