"""What a season shows of reviews beside a match: losses by phase, the luck of a table's cards."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.match.packing import pack_match
from arbiter.season.administration import replace_match
from arbiter.season.results import SeasonResults
from arbiter.season.snapshot import duplicate_boards, listings
from arbiter.season.snapshot.reader import read_state
from arbiter.season.snapshot.viewer import Viewer
from arbiter.store import OrderKind
from arbiter.trials.review.review_match import review_match
from arbiter.trials.review.review_round import brief_of
from tests.fixtures.zoo import CLEAN
from tests.trials.review.reviewed_in_memory import InMemory

if TYPE_CHECKING:
    from arbiter.season.snapshot.season_state import SeasonState
    from tests.fixtures.zoo import Kept


def review_all(kept: Kept) -> None:
    for match in kept.season.summaries():
        packed = kept.season.packed(match.id)
        assert packed is not None
        program: Any = InMemory(0.1)
        review = review_match(kept.match(match.id), program, 1000)
        assert kept.season.reviews.keep(match.round or 0, review, brief_of(review), packed, "d")


def seen(kept: Kept, published: bool) -> SeasonState:
    return read_state(replace(kept.config, publish_reviews=published), kept.season)


@pytest.fixture
def reviewed(kept: Kept) -> Kept:
    review_all(kept)
    return kept


def test_a_player_s_losses_are_for_all_only_where_they_are_published(reviewed: Kept) -> None:
    open_page, shut = (listings.player_page(seen(reviewed, published), "p1") for published in (True, False))
    assert open_page is not None and shut is not None
    assert shut["review"] is None
    cost = open_page["review"]
    assert cost is not None and cost["by"] == "memory" and cost["matches"] > 1
    assert cost["decisions"] == sum(of["decisions"] for of in cost["phases"].values())


def test_the_author_sees_the_own_losses(reviewed: Kept) -> None:
    reviewed.change(CLEAN, lambda record: replace(record, players=("ann@1", *record.players[1:])))
    review_all(reviewed)
    state = seen(reviewed, published=False)
    pages = [
        listings.player_page(state, "ann@1", viewer=viewer) for viewer in (Viewer("ann"), Viewer("ben"), None)
    ]
    assert [page is not None and page["review"] is not None for page in pages] == [True, False, False]


def test_matches_of_a_round_under_way_count_for_nobody(reviewed: Kept) -> None:
    state = seen(reviewed, published=True)
    whole = sum(state.is_complete(match.round) for match in reviewed.season.summaries())
    assert whole < len(reviewed.season.summaries())
    page = listings.player_page(state, "p1")
    mine = [match for match in reviewed.season.summaries() if "p1" in match.players]
    assert page is not None and page["review"] is not None
    assert page["review"]["matches"] == sum(state.is_complete(match.round) for match in mine)


def test_a_board_has_the_luck_of_its_cards_where_reviews_are_published(reviewed: Kept) -> None:
    shown, hidden = (duplicate_boards.board(seen(reviewed, published), 1, 1) for published in (True, False))
    assert shown is not None and hidden is not None
    assert hidden["luck"] is None and shown["luck"] is not None
    assert sum(shown["luck"]) == pytest.approx(0, abs=0.01)
    assert [deal["costliest"] for deal in hidden["deals"]] == [None, None]
    for deal in shown["deals"]:
        one, losses = deal["costliest"], []
        for match in shown["results"]:
            review = reviewed.season.reviews.one(match["match"])
            assert review is not None
            losses += [of["loss"] or 0 for of in review["decisions"] if of["deal"] == deal["deal"]]
        assert one is not None and one["loss"] == max(losses) > 0


def test_a_review_goes_when_its_match_is_another(reviewed: Kept) -> None:
    results = SeasonResults(reviewed.config, reviewed.season)
    assert reviewed.season.reviews.one(CLEAN) is not None
    packed = reviewed.season.packed(CLEAN)
    review = reviewed.season.reviews.one(CLEAN)
    other = pack_match(replace(reviewed.match(CLEAN), started="later"))
    replace_match(results, other, OrderKind.REPLAYED, lambda _: True)
    assert reviewed.season.reviews.one(CLEAN) is None
    assert review is not None and packed is not None
    assert not reviewed.season.reviews.keep(1, review, brief_of(review), packed, "d")
