"""Soft play: who is asked about, and what must not matter."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

import rating.softplay as softplay
from rating.matches import Match
from rating.softplay import LEVEL, PlayedTables, adjust_p_values, find_soft_play

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow

NAMES = [f"p{number}" for number in range(8)]
ROUNDS = 40


def simulate_season(
    shift: Callable[[str, list[str]], float], seed: int = 0, rounds: int = ROUNDS
) -> list[Match]:
    """Tables of four by lot; in each of four matches a player makes its number, its `shift` and luck of 5."""
    rng = np.random.default_rng(seed)
    matches = []
    for number in range(1, rounds + 1):
        order = rng.permutation(NAMES).tolist()
        for table, names in enumerate((order[:4], order[4:]), 1):
            for rotation in range(4):
                seated = names[rotation:] + names[:rotation]
                luck = rng.normal(0.0, 5.0, 4).tolist()
                points = [
                    2.0 * int(name[1:]) + shift(name, names) + more
                    for name, more in zip(seated, luck, strict=True)
                ]
                matches.append(Match(seated, points, round=number, table=table))
    return matches


def honest(name: str, table: list[str]) -> float:
    return 0.0


def planted(name: str, table: list[str]) -> float:
    """p3 helps p5 by losing."""
    if not {"p3", "p5"} <= set(table):
        return 0.0
    return {"p3": -8.0, "p5": 4.0}.get(name, 0.0)


def find_helps(matches: list[Match], last: int = ROUNDS, **more: object) -> list[softplay.Help]:
    return find_soft_play(PlayedTables.from_matches(matches), last, ROUNDS, **more)  # type: ignore[arg-type]


def pairs(matches: list[Match]) -> list[tuple[str, str]]:
    return [(one.helper, one.helped) for one in find_helps(matches)]


@pytest.fixture(scope="module")
def helping() -> list[Match]:
    return simulate_season(planted)


def test_of_honest_players_nothing_is_asked() -> None:
    assert find_helps(simulate_season(honest)) == []


def test_a_player_that_gives_its_points_to_another_is_asked_about(helping: list[Match]) -> None:
    (one,) = find_helps(helping)
    assert (one.helper, one.helped) == ("p3", "p5")
    assert one.q <= LEVEL
    # What p5 has more and p3 less, over what the others have there.
    assert one.gain == pytest.approx(4.0, abs=3 * one.gain_se)
    assert one.loss == pytest.approx(8.0, abs=3 * one.loss_se)
    assert one.together + one.apart == ROUNDS


def test_who_is_weak_at_every_table_helps_nobody() -> None:
    assert find_helps(simulate_season(lambda name, _: -30.0 if name == "p3" else 0.0)) == []


def test_who_loses_nothing_but_takes_from_others_for_a_friend_is_asked_about() -> None:
    gains = simulate_season(lambda name, table: 9.0 if name == "p5" and "p3" in table else 0.0)
    assert pairs(gains) == [("p3", "p5")]


def test_who_does_worse_where_another_sits_that_gains_nothing_is_not_asked_about() -> None:
    worse = {"p3": -12.0, "p5": -6.0}
    assert (
        find_helps(
            simulate_season(lambda name, table: worse.get(name, 0.0) if {"p3", "p5"} <= set(table) else 0.0)
        )
        == []
    )


def test_pairs_differ_honestly_as_much_as_all_others_do() -> None:
    rng = np.random.default_rng(5)
    likes = {one: dict(zip(NAMES, rng.normal(0.0, 4.0, 8).tolist(), strict=True)) for one in NAMES}
    assert find_helps(simulate_season(lambda name, table: sum(likes[name][other] for other in table))) == []


def test_the_order_of_matches_does_not_matter(helping: list[Match]) -> None:
    mixed = [helping[place] for place in np.random.default_rng(1).permutation(len(helping))]
    (one,), (other,) = find_helps(helping), find_helps(mixed)
    assert (one.helper, one.helped, one.together) == (other.helper, other.helped, other.together)
    assert one.gain == pytest.approx(other.gain)
    assert one.q == pytest.approx(other.q)


def test_names_do_not_matter(helping: list[Match]) -> None:
    def renamed(match: Match) -> Match:
        return replace(match, players=[f"x{9 - int(name[1:])}" for name in match.players])

    (one,), (other,) = find_helps(helping), find_helps([renamed(match) for match in helping])
    assert (other.helper, other.helped) == ("x6", "x4")
    assert one.gain == pytest.approx(other.gain)
    assert one.q == pytest.approx(other.q)


def test_points_that_all_of_a_table_get_do_not_matter(helping: list[Match]) -> None:
    def raised(match: Match) -> Match:
        more = 100.0 * (match.round or 0) + (match.table or 0)
        return replace(match, points=[points + more for points in match.points or ()])

    (one,), (other,) = find_helps(helping), find_helps([raised(match) for match in helping])
    assert one.gain == pytest.approx(other.gain)
    assert one.q == pytest.approx(other.q)


def test_the_unit_of_points_is_that_of_the_gain_and_of_nothing_else(helping: list[Match]) -> None:
    tenfold = [replace(match, points=[10.0 * p for p in match.points or ()]) for match in helping]
    (one,), (other,) = find_helps(helping), find_helps(tenfold)
    assert other.gain == pytest.approx(10.0 * one.gain)
    assert one.q == pytest.approx(other.q)


def test_places_count_from_below(helping: list[Match]) -> None:
    placed = [
        replace(match, points=None, places=[-points for points in match.points or ()]) for match in helping
    ]
    assert find_helps(placed) == find_helps(helping)


def test_a_match_that_a_fault_ended_tells_nothing(helping: list[Match]) -> None:
    faulty = [replace(match, points=None, faulty=0) for match in helping]
    assert find_helps(helping + faulty) == find_helps(helping)
    assert find_helps(faulty) == []


def test_players_of_one_owner_and_house_bots_are_not_asked_about(helping: list[Match]) -> None:
    def owned(match: Match) -> Match:
        return replace(match, owners=["o" if name in ("p3", "p5") else name for name in match.players])

    assert find_helps([owned(match) for match in helping]) == []
    assert find_helps(helping, house={"p3"}) == []


def test_versions_of_an_author_are_one(helping: list[Match]) -> None:
    def second(match: Match) -> Match:
        names = [f"{name}@2" if (match.round or 0) > 20 else name for name in match.players]
        return replace(match, players=names, owners=match.players)

    assert pairs([second(match) for match in helping]) == [("p3", "p5")]


def test_of_tables_of_two_and_of_four_players_alone_nothing_is_asked(helping: list[Match]) -> None:
    two = [replace(match, players=match.players[:2], points=(match.points or ())[:2]) for match in helping]
    assert find_helps(two) == []
    one_table = [match for match in simulate_season(planted) if match.table == 1]
    always = [replace(match, players=NAMES[:4]) for match in one_table]
    assert find_helps(always) == []


def test_of_two_who_always_meet_nothing_is_known(helping: list[Match]) -> None:
    one_table = [match for match in helping if match.table == 1]
    always = [
        replace(match, players=["a", "b", *[name for name in NAMES if name in match.players][:2]])
        for match in one_table
    ]
    assert find_helps(always) == []


def test_points_that_strengths_say_exactly_leave_nothing_to_ask() -> None:
    exact = simulate_season(honest)
    plain = [replace(match, points=[0.1 * int(name[1:]) for name in match.players]) for match in exact]
    assert find_helps(plain) == []
    assert find_helps([replace(match, points=[0.0] * 4) for match in exact]) == []


def test_a_look_reads_no_later_round(helping: list[Match]) -> None:
    early = [match for match in helping if (match.round or 0) <= 30]
    assert find_helps(helping, 30) == find_helps(early, 30)
    assert find_helps(helping, 0) == []


@pytest.mark.parametrize(
    ("last", "rounds", "expected"),
    [(10, 60, (60, 1)), (60, 60, (60, 1)), (64, 100, (64, 2)), (65, 100, (100, 2)), (130, 1000, (256, 5))],
)
def test_epochs_double_up_to_the_end_of_the_season(last: int, rounds: int, expected: tuple[int, int]) -> None:
    assert softplay._epochs(last, rounds) == expected


def test_benjamini_and_hochberg_adjust() -> None:
    assert adjust_p_values(np.array([0.04, 0.01, 0.5, 0.03])).tolist() == pytest.approx(
        [0.16 / 3, 0.04, 0.5, 0.16 / 3]
    )


def test_a_few_pairs_do_not_make_the_spread() -> None:
    rng = np.random.default_rng(2)
    se = np.full(200, 1.0)
    w = rng.normal(0.0, np.hypot(1.0, 2.0), 200)
    clean = softplay._spread(w, se)
    assert clean == pytest.approx(4.0, rel=0.3)
    w[:4] = 50.0
    assert softplay._spread(w, se) == pytest.approx(clean, rel=0.25)
    assert softplay._spread(rng.normal(0.0, 0.8, 200), se) == pytest.approx(0.0, abs=0.05)
