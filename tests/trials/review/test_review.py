"""Reviews: what answers are worth, losses without the bias of a maximum, luck, who may see what."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from math import sqrt
from statistics import fmean
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.errors import BotCheckFailed
from arbiter.games import make
from arbiter.match.position import Dealt, Moved, retrace
from arbiter.match.spec import Player
from arbiter.replay.decision_loss import LossSums, OptionValue, clustered_loss, judge_decision
from arbiter.replay.match_review import review_for
from arbiter.replay.visibility import Reader, heard, replay_of
from arbiter.season.snapshot.decision_losses import losses_of
from arbiter.store.reviews import ReviewBrief, pack_review, unpack_review
from arbiter.testing import match_spec, play_by_policy, random_policy
from arbiter.trials.review import luck as luck_module
from arbiter.trials.review.evaluator import Evaluator
from arbiter.trials.review.gen_values import read_values
from arbiter.trials.review.luck import leads_of, luck_of, value_deal
from arbiter.trials.review.review_match import phases_of, review_match
from arbiter.trials.review.review_round import brief_of, idle_cores
from tests.trials.review.reviewed_in_memory import InMemory

if TYPE_CHECKING:
    from arbiter.games.game import AnyGame
    from arbiter.match.record import MatchRecord

GAMES: dict[str, dict[str, Any]] = {
    "planning": {"deals": [[1, 0], [3, 1]]},
    "codepiece": {},
    "dou_dizhu": {},
    "chefs_hat": {},
}


def made(name: str, reference: InMemory | None = None) -> tuple[MatchRecord, Any]:
    game = make(name, GAMES[name])
    record = play_by_policy(game, random_policy("a"))
    used: Any = reference or InMemory()
    return record, review_match(record, used, 10_000)


@pytest.mark.parametrize("name", GAMES)
def test_each_decision_of_a_match_is_reviewed_once_and_in_order(name: str) -> None:
    record, review = made(name)
    assert [decision["i"] for decision in review["decisions"]] == list(range(len(record.moves)))
    assert [(of["seat"], of["deal"], of["done"]) for of in review["decisions"]] == [
        (move.seat, move.deal, move.action) for move in record.moves
    ]
    assert sum(of["decisions"] for of in review["seats"]) == sum(
        decision["loss"] is not None and len(decision["values"]) > 1 for decision in review["decisions"]
    )


@pytest.mark.parametrize("name", GAMES)
def test_a_seat_of_the_reference_hears_what_the_seat_heard_and_no_more(name: str) -> None:
    reference = InMemory()
    record, _ = made(name, reference)
    for seat in range(len(record.players)):
        # What is asked of a bot is not told to it here.
        told = [
            command for command in heard(replay_of(record, Reader("seat", seat))) if command[:4] != "gen_"
        ]
        assert [command for hearer, command in reference.sessions[0] if hearer == seat] == told


def test_the_best_option_loses_nothing_and_the_worst_is_named() -> None:
    _, review = made("planning")
    for decision in review["decisions"]:
        best = max(decision["values"].values())
        assert decision["loss"] == pytest.approx(best - decision["values"][decision["done"]], abs=0.002)
        assert decision["se"] is None and not decision["mistake"]
    losses = sorted((of["loss"] for of in review["decisions"]), reverse=True)
    by_place = {of["i"]: of for of in review["decisions"]}
    assert [by_place[i]["loss"] for i in review["worst"]] == losses[:5]
    assert all("Better:" in by_place[i]["say"] for i in review["worst"])


def test_losses_are_not_biased_by_the_luck_of_the_best_option() -> None:
    chance, found = random.Random(7), []
    for _ in range(3000):
        answers = [{option: OptionValue(chance.gauss(0, 1)) for option in "abcde"} for _ in range(6)]
        found.append(judge_decision(answers, "a"))
    mean = fmean(of.loss or 0 for of in found)
    spread = sqrt(fmean((of.loss or 0) ** 2 for of in found) / len(found))
    assert abs(mean) < 4 * spread
    assert fmean(of.mistake for of in found) < 0.05


def test_a_plain_blunder_is_a_mistake_and_one_for_a_better_chance_is_none() -> None:
    chance = random.Random(3)
    worse = [{"a": OptionValue(0, 0.2), "b": OptionValue(5 + chance.random(), 0.5)} for _ in range(6)]
    bolder = [{"a": OptionValue(0, 0.6), "b": OptionValue(5 + chance.random(), 0.5)} for _ in range(6)]
    assert judge_decision(worse, "a").mistake and not judge_decision(bolder, "a").mistake
    assert judge_decision(worse, "c").loss is None


@given(st.lists(st.lists(st.floats(-5, 5), min_size=1, max_size=8), min_size=2, max_size=12))
def test_the_mean_of_clusters_is_that_of_all_decisions(matches: list[list[float]]) -> None:
    sums = []
    for losses in matches:
        of = LossSums()
        for loss in losses:
            of = of.plus(loss)
        sums.append(of)
    found = clustered_loss(sums)
    every = [loss for losses in matches for loss in losses]
    assert found["decisions"] == len(every)
    assert found["mean_loss"] == pytest.approx(fmean(every), abs=1e-4)
    assert found["se"] is not None and found["se"] >= 0


BAD = {
    "": "expected options, got an empty answer",
    "2": "expected OPTION:VALUE",
    "2:1:0.5:3": "expected OPTION:VALUE",
    "2:nan": "expected a number up to",
    "2:1e999": "expected a number up to",
    "2:\u0661": "expected a number up to",
    "2:1:1.5": "expected a chance from 0 to 1",
    "9:1": "not a legal answer",
    "x:1": "not a legal answer",
    "1:1 01:2": "appears twice",
    " ".join(["1:1"] * 1001): "got 1001",
}


@pytest.mark.parametrize(("text", "said"), BAD.items())
def test_an_answer_that_is_wrong_is_named(text: str, said: str) -> None:
    game = make("planning", {"deals": [[3, 0]]})
    state = _first_state(game)
    with pytest.raises(BotCheckFailed, match=said):
        read_values(game, state, 0, text)


def test_a_word_with_an_underscore_is_not_two() -> None:
    game = make("codepiece", {})
    state = _first_state(game)
    words = [game.action_text(state, state.to_act[0], action) for action in state.legal(state.to_act[0])]
    assert any("_" in word for word in words)
    text = " ".join(f"{word}:1" for word in words)
    assert list(read_values(game, state, state.to_act[0], text)) == words


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_a_program_that_never_differs_tells_no_uncertainty(noise: float) -> None:
    _, review = made("planning", InMemory(noise))
    assert {decision["se"] is None for decision in review["decisions"]} == {noise == 0}
    assert all(
        bool(decision["excuse"]) == ((decision["loss"] or 0) > 0 and not decision["mistake"])
        for decision in review["decisions"]
    )
    assert any(decision["mistake"] for decision in review["decisions"]) == (noise > 0)


def test_an_answer_is_read_in_the_words_of_a_record() -> None:
    game = make("planning", {"deals": [[3, 0]]})
    found = read_values(game, _first_state(game), 0, "03:-1.5e0:.25 0:2")
    assert found == {"3": OptionValue(-1.5, 0.25), "0": OptionValue(2.0)}


def test_every_answer_of_chefs_hat_is_read_from_one_word() -> None:
    game = make("chefs_hat", {"matches": 4})
    asked = set()
    for number in range(6):
        record = play_by_policy(game, random_policy(number), match_spec(game, seed=str(number)))
        for event in retrace(record, game):
            if isinstance(event, Moved) and event.move.request != "gen_move":
                state, seat = event.before, event.move.seat
                words = [game.action_text(state, seat, action) for action in state.legal(seat)]
                text = " ".join(f"{word.replace(' ', '_')}:1" for word in words)
                assert list(read_values(game, state, seat, text)) == words
                asked.add(event.move.request)
    assert asked == {"gen_special", "gen_exchange 1", "gen_exchange 2"}


def _first_state(game: AnyGame) -> Any:
    record = play_by_policy(game, random_policy("b"))
    return next(event.before for event in retrace(record, game) if isinstance(event, Moved))


@pytest.mark.parametrize("name", GAMES)
def test_luck_sums_to_nothing(name: str) -> None:
    _, review = made(name)
    assert sum(points or 0 for points in review["luck"]) == pytest.approx(0, abs=0.01)


def test_partners_have_the_luck_of_their_side() -> None:
    luck = luck_of([4.0, 1.0, 2.0, 1.0], (0, 1, 0, 1))
    assert luck == [1.0, -1.0, 1.0, -1.0]
    assert luck_of([1.0, None], None) is None


@pytest.mark.parametrize("name", GAMES)
def test_the_cards_are_valued_in_every_seat_whatever_was_played(name: str) -> None:
    game = make(name, GAMES[name])
    record = play_by_policy(game, random_policy("a"))
    reference: Any = InMemory()
    deal = next(event.deal for event in retrace(record, game) if isinstance(event, Dealt))
    values = value_deal(reference, game, deal)
    assert len(values) == game.seats and None not in values
    assert value_deal(reference, game, deal) == values


def test_the_play_falls_into_an_early_and_a_late_half() -> None:
    record, _ = made("planning")
    phases = phases_of(record.moves)
    of_deal = [phase for phase, move in zip(phases, record.moves, strict=True) if move.deal == 1]
    assert of_deal == ["declaration"] * 4 + ["early"] * 6 + ["late"] * 6


def test_nobody_but_the_organiser_sees_a_review_before_the_round_is_over() -> None:
    _, review = made("planning")
    for reader in (Reader("public"), Reader("seat", 1), Reader("seat", 1, author=False)):
        assert review_for(review, reader, published=True, complete=False) is None
    assert review_for(review, Reader("full"), published=False, complete=False) == review


def test_afterwards_an_author_sees_the_own_seat_and_all_see_what_is_published() -> None:
    _, review = made("planning")
    assert review_for(review, Reader("public"), published=True) == review
    assert review_for(review, Reader("public"), published=False) is None
    assert review_for(review, Reader("seat", 1, author=False), published=False) is None
    own = review_for(review, Reader("seat", 1), published=False)
    assert own is not None
    assert {of["seat"] for of in own["decisions"]} == {1} == {of["seat"] for of in own["seats"]}
    assert all(win is None for of in own["decisions"] for seat, win in enumerate(of["win"]) if seat != 1)
    assert set(own["worst"]) <= {of["i"] for of in own["decisions"]}
    both = review_for(review, Reader("public", notes=(1, 2)), published=False)
    assert both is not None and {of["seat"] for of in both["seats"]} == {1, 2}


def test_a_season_adds_up_the_program_that_reviewed_most() -> None:
    _, review = made("planning", InMemory(0.1))
    briefs = [ReviewBrief(1, f"m{n}", "most", 10_000, brief_of(review)) for n in range(3)]
    briefs.append(ReviewBrief(1, "m9", "other", 10_000, brief_of(review)))
    found = losses_of(briefs)
    assert found is not None and (found["by"], found["matches"]) == ("most", 3)
    whole = sum(row["decisions"] for row in found["players"])
    assert whole == 3 * sum(of["decisions"] for of in review["seats"])
    assert losses_of([]) is None


def test_a_review_is_kept_as_it_is() -> None:
    _, review = made("planning")
    assert unpack_review(pack_review(review), "m") == review


def test_a_forfeited_match_is_reviewed_as_far_as_it_went() -> None:
    game = make("planning", GAMES["planning"])
    record = play_by_policy(game, random_policy("a"))
    begun = replace(record, moves=record.moves[:6], points=None)
    used: Any = InMemory()
    assert len(review_match(begun, used, 1000)["decisions"]) == 6


@pytest.mark.parametrize(("load", "cores"), [(0.2, 4), (1.4, 3), (3.9, 1), (50.0, 1)])
def test_a_round_takes_cores_that_nobody_needs(
    load: float, cores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1, 2, 3})
    monkeypatch.setattr("os.getloadavg", lambda: (load, 0.0, 0.0))
    assert idle_cores() == cores


class Spoken(Evaluator):
    """The program is a list of what is said to it."""

    def __init__(self) -> None:
        super().__init__(Player("spoken", ("x",)), match_spec(make("planning", {})).limits, 10**9)
        self.said: list[str] = []

    def _exchange(self, seat: int, command: str) -> Any:
        self.said.append(command.split()[0])
        return SimpleNamespace(accepted=True, text=b"0:1 1:2")


def test_a_new_time_tells_that_another_request_has_come_and_nothing_else_does() -> None:
    reference, game = Spoken(), make("planning", {"deals": [[1, 0]]})
    state = game.start(game.deal_from_json({"hands": [["2C"], ["3C"], ["4C"], ["5C"]]}))
    reference.value(game, state, 0, 2)
    reference.value(game, state, 0, 1, again=True)
    assert reference.said == ["time_left", "gen_values", "gen_values", "gen_values"]


class Judge(InMemory):
    """A program that answers, for `luck_text`; the one called `silent` has no values."""

    def __init__(self, player: Any, *_: Any) -> None:
        super().__init__()
        self.silent = player.name == "silent"

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def value(
        self, game: AnyGame, state: Any, seat: int, times: int = 6, *, again: bool = False
    ) -> list[dict[str, OptionValue]]:
        if self.silent:
            raise BotCheckFailed("silent does not answer")
        return super().value(game, state, seat, times, again=again)


def test_the_luck_of_one_seat_is_said_by_the_first_program_that_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(luck_module, "Evaluator", Judge)
    game = make("planning", {})
    record = play_by_policy(game, random_policy("a"))
    deals = [event.deal for event in retrace(record, game) if isinstance(event, Dealt)]
    points = record.points or ()
    limits = match_spec(game).limits
    silent, judge = Player("silent", ("x",)), Player("judge", ("x",))
    said = luck_module.luck_text([silent, judge], limits, game, deals, points, 2)
    assert re.fullmatch(
        r"Luck of the cards: judge values yours \d+\.\d (above|below) the mean of the table\. You ended "
        rf"{luck_module._above_or_below(points[2] - fmean(points))} it; without that luck \d+\.\d (above|below) it "
        r"\(95 %: \d+\.\d (above|below) to \d+\.\d (above|below) it\)\.",
        said,
    )
    other = make("planning", {"deals": [[1, 0], [3, 1]]})
    assert luck_module.luck_text([judge], limits, other, deals[:1], points, 2).endswith(
        "the mean of the table."
    )
    assert luck_module.luck_text([silent], limits, game, deals, points, 2) == ""


@pytest.mark.parametrize("name", GAMES)
def test_leads_without_luck_sum_to_nothing(name: str) -> None:
    game = make(name, {})
    points, luck = list(range(game.seats)), [seat - (game.seats - 1) / 2 for seat in range(game.seats)]
    leads = [lead for lead in leads_of(game, points, luck) if lead is not None]
    assert len(leads) == game.seats and sum(lead["even"] for lead in leads) == pytest.approx(0, abs=0.02)
    assert all(lead["low"] < lead["even"] < lead["high"] for lead in leads)
    assert leads_of(game, points, [None] * game.seats) == [None] * game.seats


def test_a_decision_that_may_be_a_mistake_is_asked_about_further_and_counts_as_first_seen() -> None:
    reference = InMemory(0.3)
    asked: list[int] = []
    value = reference.value

    def counted(
        game: AnyGame, state: Any, seat: int, times: int = 6, *, again: bool = False
    ) -> list[dict[str, OptionValue]]:
        asked.append(times)
        assert again == (times == 12)
        return value(game, state, seat, times)

    reference.value = counted  # type: ignore[method-assign]
    record, review = made("planning", reference)
    further = asked.count(12)
    assert 0 < further < len(record.moves) and set(asked) <= {6, 12, 2}
    shown = sum(of["loss"] for of in review["decisions"])
    first = sum(of["decisions"] * of["mean_loss"] for of in review["seats"])
    assert shown != pytest.approx(first, abs=0.01)
