"""Kept matches of models, played again without a call: what was changed is found."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.games import make
from arbiter.match.record import Fault
from arbiter.season.public_copy import public_record
from arbiter.season.verify_findings import match_differences
from arbiter.table.conductor import Conductor
from arbiter.table.llm.replayed_model import model_differences, other_harness_models
from tests.fixtures.provider import Served, legal_answer, serving, text
from tests.table.llm.test_table import match_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec
    from tests.fixtures.provider import FakeProvider

pytestmark = pytest.mark.process
TOO_LONG = Served(status=400, raw=b'{"error": {"type": "exceed_context_size_error"}}')
Table = "tuple[Conductor, FakeProvider]"


@pytest.fixture(scope="module")
def table() -> Iterator[tuple[Conductor, FakeProvider]]:
    conductor = Conductor()
    with serving() as provider:
        yield conductor, provider
    conductor.close()


def in_doubt(body: dict[str, Any]) -> Served:
    """Nothing at first, then an answer."""
    return text("let me see") if len(body["messages"]) % 4 == 2 else legal_answer_of_first(body)


def legal_answer_of_first(body: dict[str, Any]) -> Served:
    messages = [one for one in body["messages"] if "Legal answers:" in one["content"]]
    return legal_answer({"messages": messages})


@pytest.fixture(scope="module")
def played_matches(table: tuple[Conductor, FakeProvider]) -> dict[str, tuple[MatchSpec, MatchRecord]]:
    """Matches by the form of their prompts."""
    conductor, provider = table
    provider.answer = in_doubt
    forms: dict[str, dict[str, Any]] = {
        "whole": {},
        "conversation": {"state": "conversation"},
        "exchanged": {"names": "exchanged"},
    }
    specs = {name: match_of(provider.entry(legal=True, **form)) for name, form in forms.items()}
    return {name: (spec, conductor.play(spec)) for name, spec in specs.items()}


def found(spec: MatchSpec, record: MatchRecord) -> list[str]:
    # Without moves and points of our own: the game of the match deals as its seed says.
    return list(match_differences(make(spec.game, spec.options), spec, record, True))


@pytest.mark.parametrize("form", ["whole", "conversation", "exchanged"])
def test_a_match_as_it_was_played_shows_no_difference(
    played_matches: dict[str, tuple[MatchSpec, MatchRecord]], form: str
) -> None:
    spec, record = played_matches[form]
    assert record.forfeit is None
    kept = record.bots[1].model
    assert kept is not None
    assert any(call["outcome"] == "text" and "ANSWER" not in call["text"] for call in kept["calls"])
    assert found(spec, record) == []


def changed(record: MatchRecord, change: Callable[[dict[str, Any]], object]) -> MatchRecord:
    model = json.loads(json.dumps(record.bots[1].model))
    change(model)
    bots = list(record.bots)
    bots[1] = replace(bots[1], model=model)
    return replace(record, bots=tuple(bots))


def ask_more(model: dict[str, Any]) -> None:
    model["calls"][0]["messages"][-1]["content"] += " Seat 2 holds AS."


def answer_otherwise(model: dict[str, Any]) -> None:
    model["calls"][-1]["text"] = "ANSWER: 2C"


def forget_one(model: dict[str, Any]) -> None:
    model["tokens"] -= model["calls"].pop()["tokens"]


def add_one(model: dict[str, Any]) -> None:
    model["calls"].append(model["calls"][-1])
    model["tokens"] += model["calls"][-1]["tokens"]


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "a question": (ask_more, "model of seat 1: decision 1: message 2 is not what was asked"),
    "an answer": (answer_otherwise, "by the kept answers = 2C"),
    "a count": (lambda model: model["calls"][0].update(tokens=0), "of all answers"),
    "a question less": (forget_one, "are kept"),
    "an answer more": (add_one, "are asked"),
    "the model": (lambda model: model.update(name="larger"), "name: stored larger, planned fake"),
    "its account": (lambda model: model.update(match_tokens=10**6), "match_tokens: stored 1000000, planned 400000"),
    "its decision": (lambda model: model["calls"][2].update(decision=9), "stored as decision 9"),
}  # fmt: skip


@pytest.mark.parametrize("what", CHANGES)
def test_what_was_changed_is_found(
    played_matches: dict[str, tuple[MatchSpec, MatchRecord]], what: str
) -> None:
    spec, record = played_matches["whole"]
    change, says = CHANGES[what]
    assert any(says in text for text in found(spec, changed(record, change))), found(
        spec, changed(record, change)
    )


def test_names_of_another_match_are_found(played_matches: dict[str, tuple[MatchSpec, MatchRecord]]) -> None:
    spec, record = played_matches["exchanged"]
    other = changed(record, lambda model: model["form"]["names"].update(C="C"))
    assert found(spec, other) == ["model of seat 1: form: names: others than this match has"]


def test_a_model_of_which_nothing_is_kept_is_found(
    played_matches: dict[str, tuple[MatchSpec, MatchRecord]],
) -> None:
    spec, record = played_matches["whole"]
    bots = tuple(replace(bot, model=None) for bot in record.bots)
    assert found(spec, replace(record, bots=bots)) == ["model of seat 1: nothing is kept of fake"]


def test_another_harness_cannot_be_asked_again(
    played_matches: dict[str, tuple[MatchSpec, MatchRecord]],
) -> None:
    _, record = played_matches["whole"]
    other = changed(record, lambda model: model.update(harness=99))
    assert list(other_harness_models(other)) == [
        "model of seat 1: asked by harness 99, and this version has 1"
    ]
    assert list(model_differences(make(record.game, record.options), other, ())) == []


def test_another_page_of_rules_is_no_difference(
    played_matches: dict[str, tuple[MatchSpec, MatchRecord]],
) -> None:
    def earlier(model: dict[str, Any]) -> None:
        model["rules"] = "0" * 64
        model["calls"][0]["messages"][0]["content"] = "as they were"

    spec, record = played_matches["whole"]
    assert found(spec, changed(record, earlier)) == []


@pytest.mark.parametrize(
    ("served", "fault", "reason"),
    [
        (text("I have no idea"), Fault.UNPARSABLE, "no answer in 2 attempts: the last reply has no line ANSWER with an answer"),
        (text("well", finish="length"), Fault.TRUNCATED, "no answer in 2 attempts: the last reply broke off before its end"),
        (Served(("x ",) * 60), Fault.TOKENS, "no answer: all 50 tokens of the move are used"),
        (text("no", refused=True), Fault.REFUSED, "refused to answer gen_declare"),
        (text("ANSWER: 99"), Fault.ILLEGAL, "99: a declaration is an integer from 0 to 1"),
    ],
    ids=lambda value: str(value) if isinstance(value, Fault) else "",
)  # fmt: skip
def test_a_fault_is_told_apart_and_follows_from_the_kept_answers(
    table: tuple[Conductor, FakeProvider], served: Served, fault: Fault, reason: str
) -> None:
    conductor, provider = table
    provider.answer = lambda _: served
    spec = match_of(provider.entry(move_tokens=50))
    record = conductor.play(spec)
    assert record.forfeit is not None
    assert (record.forfeit.fault, record.forfeit.reason, record.forfeit.player) == (fault, reason, "thinker")
    assert found(spec, record) == []
    other = replace(record, forfeit=replace(record.forfeit, fault=Fault.TRUNCATED))
    if fault is not Fault.TRUNCATED:
        assert any("the fault is not one of the kept answers" in text for text in found(spec, other))


def test_a_conversation_longer_than_the_context_loses_its_older_half_and_follows_from_the_kept_answers(
    table: tuple[Conductor, FakeProvider],
) -> None:
    conductor, provider = table
    sizes: list[int] = []

    def answer(body: dict[str, Any]) -> Served:
        sizes.append(len(body["messages"]))
        return TOO_LONG if sizes[-1] > 8 else in_doubt(body)

    provider.answer = answer
    spec = match_of(provider.entry(legal=True, state="conversation"))
    record = conductor.play(spec)
    assert record.forfeit is None
    calls = (record.bots[1].model or {})["calls"]
    long = [place for place, call in enumerate(calls) if call["outcome"] == "long"]
    assert sizes[long[0] : long[0] + 2] == [10, 6]
    assert sum(sizes[place] <= 8 for place in range(len(sizes))) == len(calls) - len(long)
    (use,) = record.summary().uses()
    assert use[1].first_try == sum(move.seat == 1 for move in record.moves) - sum(
        "ANSWER" not in call["text"] for call in calls if call["outcome"] == "text"
    )
    assert found(spec, record) == []


def test_tokens_that_ran_out_between_attempts_are_found_again(table: tuple[Conductor, FakeProvider]) -> None:
    conductor, provider = table
    provider.answer = lambda _: text("a b c d")
    spec = match_of(provider.entry(match_tokens=4))
    record = conductor.play(spec)
    assert record.forfeit is not None
    assert record.forfeit.fault is Fault.TOKENS
    assert found(spec, record) == []


def test_a_public_record_has_no_reasoning_and_no_difference(table: tuple[Conductor, FakeProvider]) -> None:
    conductor, provider = table
    provider.answer = lambda body: replace(legal_answer(body), thought=("my plan", *" is é" * 15))
    spec = match_of(provider.entry(legal=True))
    record = conductor.play(spec)
    public = public_record(record)
    assert ("my plan" in json.dumps(record.to_json()), "my plan" in json.dumps(public.to_json())) == (
        True,
        False,
    )
    game = make(spec.game, spec.options)
    assert (
        list(match_differences(game, spec, public, True))
        == list(match_differences(game, spec, record, True))
        == []
    )
