"""Who answers alike: what a common answer says and what a rare one, twins found, strangers and half-twins not."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from rating.likeness import ALPHA, KIND_LEAST, KNOWN, GivenAnswer, Likeness

Question = tuple[str, int, dict[str, str]]
CHOICES = 6
NAMES = [f"p{n}" for n in range(8)]


def owner(name: str) -> str:
    return name.partition("@")[0]


def likeness(questions: list[Question]) -> Likeness:
    found = Likeness(owner)
    for number, (kind, choices, answers) in enumerate(questions):
        given = {name: GivenAnswer(answer, f"of {name}", number) for name, answer in answers.items()}
        found.add(kind, choices, given)
    return found


def simulate_questions(
    rng: Random, number: int, shared: float, kind: str = "play", of: str = "p0 p1"
) -> Iterator[Question]:
    """Questions that all answer by lot, but the two: of those they answer so many alike."""
    one, two = of.split()
    for _ in range(number):
        answers = {name: str(rng.randrange(CHOICES)) for name in NAMES}
        if rng.random() < shared:
            answers[two] = answers[one]
        yield kind, CHOICES, answers


def pairs(found: Likeness) -> list[tuple[str, str]]:
    return [(alike.first, alike.second) for alike in found.found()]


def test_twins_are_named_and_nobody_else() -> None:
    assert pairs(likeness(list(simulate_questions(Random(1), 120, 1.0)))) == [("p0", "p1")]


def test_two_who_share_less_than_independent_programs_may_are_not_named() -> None:
    assert pairs(likeness(list(simulate_questions(Random(2), 2000, KNOWN)))) == []


def test_an_answer_that_all_give_says_nothing() -> None:
    everybody: Question = ("play", CHOICES, dict.fromkeys(NAMES, "1"))
    assert pairs(likeness([everybody] * 2000)) == []


def test_an_answer_that_few_give_says_more_than_one_that_many_give() -> None:
    few = dict.fromkeys(NAMES, "1") | {"p0": "2", "p1": "2"}
    many = dict.fromkeys(NAMES, "1") | {"p6": "2", "p7": "3"}
    rare, common = (likeness([("play", CHOICES, answers)] * 40) for answers in (few, many))
    assert ("p0", "p1") in pairs(rare)
    assert pairs(common) == []


def test_who_shares_but_one_kind_of_answers_is_not_named() -> None:
    rng = Random(3)
    bids = list(simulate_questions(rng, 300, 1.0, "bid"))
    for shared, named in ((0.3, []), (1.0, [("p0", "p1")])):
        assert pairs(likeness([*bids, *simulate_questions(rng, KIND_LEAST, shared, "play")])) == named


def test_nobody_is_named_for_one_kind_of_answers_while_others_are_hardly_known() -> None:
    rng = Random(3)
    bids, plays = (
        list(simulate_questions(rng, 300, 1.0, "bid")),
        list(simulate_questions(rng, KIND_LEAST - 1, 1.0, "play")),
    )
    assert pairs(likeness(bids)) == [("p0", "p1")]
    assert pairs(likeness([*bids, *plays])) == []


def test_players_of_one_owner_are_not_compared() -> None:
    twins = [
        (kind, choices, {"p0@2" if name == "p1" else name: said for name, said in answers.items()})
        for kind, choices, answers in simulate_questions(Random(4), 120, 1.0)
    ]
    assert pairs(likeness(twins)) == []


def test_neither_the_order_of_questions_nor_that_of_names_matters() -> None:
    questions = list(simulate_questions(Random(5), 80, 1.0))
    turned = [
        (kind, choices, dict(reversed(answers.items()))) for kind, choices, answers in reversed(questions)
    ]
    (one,), (two,) = likeness(questions).found(), likeness(turned).found()
    assert (one.first, one.second) == (two.first, two.second)
    assert one.kinds["play"].expected == pytest.approx(two.kinds["play"].expected)
    assert one.p == pytest.approx(two.p)


def test_other_names_change_nothing_but_the_names() -> None:
    questions = list(simulate_questions(Random(6), 80, 1.0))
    other = dict(zip(NAMES, reversed(NAMES), strict=True))
    renamed = [
        (kind, choices, {other[name]: said for name, said in answers.items()})
        for kind, choices, answers in questions
    ]
    (one,), (two,) = likeness(questions).found(), likeness(renamed).found()
    assert {other[one.first], other[one.second]} == {two.first, two.second}
    assert one.p == pytest.approx(two.p)


def test_the_rarest_answers_are_kept_with_where_they_were_given() -> None:
    common: Question = ("play", CHOICES, dict.fromkeys(NAMES, "1"))
    rare: Question = ("play", CHOICES, dict.fromkeys(NAMES, "1") | {"p0": "5", "p1": "5"})
    (found,) = likeness([*[common] * 10, *[rare] * 60]).found()
    assert [example.first.answer for example in found.rarest] == ["5"] * 3
    assert (found.rarest[0].same, found.rarest[0].others) == (0, 6)
    assert found.rarest[0].second == GivenAnswer("5", "of p1", 10)


@pytest.mark.slow
def test_looked_at_after_every_question_strangers_are_seldom_named() -> None:
    """The two share as much as is allowed, so that all of the level is used up."""
    alarms = 0
    for season in range(100):
        found = Likeness(owner)
        named = False
        for number, (kind, choices, answers) in enumerate(simulate_questions(Random(season), 120, KNOWN)):
            some = {name: GivenAnswer(answers[name], "", number) for name in ("p0", "p1", "p2", "p3")}
            found.add(kind, choices, some)
            named = named or bool(found.found())
        alarms += named
    assert alarms <= 100 * ALPHA + 3
