"""What a choice among many candidates promises: its error rates, its cost, its groups, by simulation."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pytest

from rating.arrays import Floats
from rating.choose import STATES, VERDICTS, Choice, Standing
from rating.errors import OptionError, ResultError
from rating.sequential.gsprt import Gsprt
from tests.fixtures.simulated_blocks import stops
from tests.fixtures.simulated_choices import drawn, equal_blocks, play_choices

CHOICE = Choice(elo1=60.0)
RUNS = 400
MOST = 0.05 + 2.0 * math.sqrt(0.05 * 0.95 / RUNS)
"""alpha and two standard errors."""


@lru_cache
def pool(candidates: int) -> Floats:
    return equal_blocks(candidates, 2000)


@pytest.mark.parametrize("candidates", [2, 10])
def test_of_candidates_that_are_no_better_one_is_called_best_in_alpha_of_the_choices(candidates: int) -> None:
    ended = play_choices(CHOICE, pool(candidates), [0.0] * candidates, RUNS)
    assert set(ended.verdict) <= {1, 2}
    assert 0.005 < np.mean(ended.verdict == 1) <= MOST


def test_of_equals_that_are_better_one_is_seldom_called_better_than_all_others() -> None:
    ended = play_choices(CHOICE, pool(4), [100.0] * 4, RUNS)
    assert set(ended.verdict) == {1}
    assert np.mean(ended.alone >= 0) <= MOST


def test_a_better_one_is_found_in_half_of_the_matches_that_tests_of_each_take() -> None:
    elos, runs, longest = [60.0, *[0.0] * 7], 60, 400
    ended = play_choices(Choice(elo1=20.0), pool(8), elos, runs)
    assert np.mean(ended.alone == 0) >= 0.9
    test, rng, cost = Gsprt(0.0, 20.0, alpha=0.05 / 8), np.random.default_rng(3), 0.0
    for elo in elos:
        scores = drawn(pool(1), [elo], runs * longest, rng).reshape(runs, longest)
        _, step = stops(test, np.arange(1, longest + 1), scores.cumsum(axis=1), (scores**2).cumsum(axis=1))
        cost += float(step.mean()) + 1.0
    assert ended.played_blocks.mean() <= 0.5 * cost


def test_rare_large_losses_are_not_overlooked() -> None:
    """1/2 in the mean: little won in a fifth of the blocks, everything lost in one of forty."""
    luck = np.random.default_rng(5).random((1000, 2))
    scores = np.where(luck < 0.2, 0.5625, np.where(luck > 0.975, 0.0, 0.5))
    rng, choice = np.random.default_rng(6), Choice(most_blocks=200)
    standing = choice.start(2, (RUNS,))
    for _ in range(200):
        standing = choice.add(standing, scores[rng.integers(0, 1000, RUNS)])
    assert np.mean(standing.verdict == 1) <= MOST


def run_choice(choice: Choice, rows: Floats) -> tuple[Standing, Floats]:
    """The standing after these blocks, and the scores of those in the race in each."""
    standing, counted = choice.start(rows.shape[1]), []
    for row in rows:
        if standing.verdict:
            break
        counted.append(np.where(standing.state == 0, row, np.nan))
        standing = choice.add(standing, counted[-1])
    return standing, np.array(counted)


def test_groups_are_best_first_and_hold_who_was_not_told_apart() -> None:
    rng = np.random.default_rng(1)
    rows = np.stack([drawn(pool(5), [0.0, 250.0, 120.0, 120.0, 0.0], 1, rng)[0] for _ in range(400)])
    standing, counted = run_choice(CHOICE, rows)
    assert (VERDICTS[int(standing.verdict)], int(standing.leader)) == ("best", 1)
    groups = CHOICE.groups(counted, standing)
    assert groups[0] == [1]
    assert sorted(number for group in groups for number in group) == [0, 1, 2, 3, 4]
    place = {number: at for at, group in enumerate(groups) for number in group}
    assert place[0] >= place[2]
    # The same results once more, one run of many.
    many = CHOICE.start(5, (2,))
    for row in rows[: len(counted)]:
        many = CHOICE.add(many, np.stack([row, row]))
    assert all((part[1] == alone).all() for part, alone in zip(many, standing, strict=True))


def test_programs_that_play_alike_are_level_and_one_of_them_is_named() -> None:
    rng = np.random.default_rng(2)
    better = np.stack([drawn(pool(1), [100.0], 1, rng)[0] for _ in range(400)])
    standing, counted = run_choice(CHOICE, np.repeat(better, 2, axis=1))
    assert (int(standing.verdict), int(standing.leader)) == (1, 0)
    assert STATES[standing.state[1]] == "level"
    assert CHOICE.groups(counted, standing) == [[0, 1]]


def test_who_plays_as_the_base_does_is_no_better_and_a_budget_may_be_spent() -> None:
    standing, _ = run_choice(CHOICE, np.full((400, 1), 0.5))
    assert (VERDICTS[int(standing.verdict)], STATES[standing.state[0]]) == ("none", "no_better")
    standing, counted = run_choice(Choice(most_blocks=5), np.full((400, 1), 0.5))
    assert (VERDICTS[int(standing.verdict)], len(counted)) == ("out_of_budget", 5)


def test_nothing_is_decided_before_sixteen_blocks_and_none_is_best_before_sixteen_uneven_ones() -> None:
    won, lost = np.full((12, 2), [1.0, 0.0]), np.zeros((12, 1))
    assert CHOICE.evidence(run_choice(CHOICE, won)[0]) >= 20.0
    for rows in (won, lost):
        standing, _ = run_choice(CHOICE, rows)
        assert (int(standing.verdict), set(standing.state.tolist())) == (0, {0})
    level = np.full((12, 2), [0.5, 0.0])
    standing, counted = run_choice(CHOICE, np.concatenate([won, level, won]))
    assert (VERDICTS[int(standing.verdict)], len(counted)) == ("best", 28)


def test_a_strength_is_above_the_base_and_the_evidence_that_of_the_bets() -> None:
    scores = np.tile([0.5, 0.75, 0.75, 0.625], 100)
    low, elo, high = Choice().strength(scores)
    assert low < elo < high
    assert elo == pytest.approx(-400.0 * math.log10(1.0 / 0.65625 - 1.0))
    assert Choice(share=0.5).strength(scores)[1] > elo
    standing, _ = run_choice(CHOICE, np.repeat(scores[:, None], 2, axis=1))
    assert VERDICTS[int(standing.verdict)] == "best"
    assert CHOICE.evidence(standing) >= 20.0
    assert CHOICE.evidence(CHOICE.start(2)) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"elo1": 0.0}, "elo0 0.0, elo1 0.0"),
        ({"alpha": 0.5}, "alpha 0.5: give a risk"),
        ({"beta": 0.0}, "beta 0.0: give a risk"),
        ({"most_blocks": 0}, "most_blocks 0: give at least 1"),
    ],
)
def test_options_out_of_range_are_named(keys: dict[str, float], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        Choice(**keys)  # type: ignore[arg-type]


def test_a_score_outside_0_to_1_and_no_candidate_are_refused() -> None:
    with pytest.raises(ResultError, match="give means from 0 to 1"):
        CHOICE.add(CHOICE.start(2), np.array([0.5, 1.5]))
    with pytest.raises(OptionError, match="0 candidates"):
        CHOICE.start(0)
