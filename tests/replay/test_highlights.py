"""What of a match is worth a look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.replay.result_text import FinishedDeal, highlights

if TYPE_CHECKING:
    from collections.abc import Sequence

NAMES = ("ada", "grace")


def highlights_of(*points: Sequence[int], names: Sequence[str] = NAMES) -> list[tuple[int, str]]:
    """The deals of the moments, and what is said of them."""
    found = highlights(names, [FinishedDeal(10 * deal, deal, won) for deal, won in enumerate(points)])
    return [(mark["i"] // 10, mark["text"].translate({0x2068: None, 0x2069: None})) for mark in found]


def leads(*points: Sequence[int]) -> list[int]:
    return [deal for deal, text in highlights_of(*points) if "lead" in text]


def test_a_lead_changes_when_others_lead_alone_or_together() -> None:
    assert leads((2, 0), (0, 1), (0, 3), (5, 0)) == [2, 3]


def test_a_tie_and_the_first_lead_change_nothing() -> None:
    assert leads((0, 0), (1, 0), (0, 1), (1, 0)) == []


def test_partners_take_a_lead_together() -> None:
    points = ((18, -18, 18, -18), (-30, 30, -30, 30))
    assert (1, "b and d take the lead in deal 2") in highlights_of(*points, names="abcd")


def test_the_best_worst_and_closest_deals_are_named() -> None:
    assert highlights_of((3, 1, 2), (9, 5, 4), (6, 0, 6), names="abc") == [
        (1, "best deal: a 9 in deal 2"),
        (2, "worst deal: b 0 in deal 3"),
        (0, "closest deal: 3 : 1 : 2 in deal 1"),
    ]


def test_deals_that_are_alike_have_no_best_one() -> None:
    assert highlights_of((3, 0), (3, 0)) == []
    assert highlights_of((3, 0)) == []
