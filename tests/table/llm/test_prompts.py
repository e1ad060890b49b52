"""Prompts: nothing that a seat cannot see, all that it may, and answers as models write them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from arbiter.games import make, names
from arbiter.games.cards import Stream
from arbiter.match.exchange import Reply, Send, drive
from arbiter.match.protocol import Answer
from arbiter.match.referee import referee
from arbiter.table.llm.harness import LONGEST_TALK, Harness
from arbiter.table.llm.prompts import PromptForm, answer_in, has_suits, other_names, rename_cards
from arbiter.testing import match_spec
from arbiter.testing.leak_check import swap_hidden_cards
from tests.fixtures.replays import game_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from arbiter.games.game import AnyGame, Deal, State
    from arbiter.match.record import MatchRecord

GAMES = [game_of(name) for name in names()]
every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
every_game_of_suits = pytest.mark.parametrize(
    "game", [game for game in GAMES if has_suits(game)], ids=lambda game: game.name
)
SHOWN = PromptForm(legal=True)
LEFT = {"move": 100, "match": 1000, "attempts": 2}
SWAPS = 16


class Asked:
    """A seat with a harness whose model answers by `answer`, from the messages."""

    def __init__(self, game: AnyGame, seat: int, form: PromptForm, answer: Callable[[Any], str]) -> None:
        self.prompts: list[list[dict[str, str]]] = []
        self._answer = answer
        self.harness = Harness(game, seat, "RULES", form, self.ask)

    def ask(self, messages: list[dict[str, str]]) -> dict[str, str]:
        self.prompts.append(messages)
        return {"outcome": "text", "text": self._answer(messages)}

    def exchange(self, send: Send) -> Reply | int:
        self.harness.left = LEFT
        for line in send.payload.decode().splitlines():
            said = self.harness.reply(line)
        word = said.removeprefix("=").strip().encode()
        answer = Answer(said.startswith("="), word, said.encode())
        return Reply(answer, 0, 0) if send.asks else 0


def legal_in(messages: list[dict[str, str]]) -> list[str]:
    (found,) = re.findall(r"^Legal answers: (.*)$", messages[-1]["content"], re.MULTILINE)
    return [word for word in found.split(", ") if not word.startswith("and ")]


def any_legal(seed: object) -> Callable[[list[dict[str, str]]], str]:
    draw = Stream("prompts", seed).draw

    def answer(messages: list[dict[str, str]]) -> str:
        legal = legal_in(messages)
        return f"So be it.\n\nANSWER: {legal[draw(len(legal))]}"

    return answer


def play_match(game: AnyGame, form: PromptForm = SHOWN) -> tuple[MatchRecord, list[Asked]]:
    seats = [Asked(game, seat, form, any_legal(seat)) for seat in range(game.seats)]
    return drive(referee(game, match_spec(game)), seats), seats


@pytest.mark.slow
@every_game
@pytest.mark.parametrize("state", ["whole", "conversation"])
def test_models_that_answer_legally_play_a_match_to_its_end(game: AnyGame, state: str) -> None:
    record, seats = play_match(game, PromptForm(state, legal=True))
    assert record.forfeit is None
    assert sum(len(seat.prompts) for seat in seats) == len(record.moves)


def questions(game: AnyGame, deal: Deal, decided: list[tuple[int, int]], seat: int) -> list[str]:
    """All that a seat is asked in one deal, in which these actions are played for as long as they are legal."""
    asked = Asked(game, seat, SHOWN, lambda messages: f"ANSWER: {legal_in(messages)[0]}")
    asked.harness.left = LEFT
    for wording in game.dealt(deal):
        asked.harness.reply(wording[seat])
    state: State = game.start(deal)
    for actor, action in decided:
        if not state.to_act or state.to_act[0] != actor or not state.allows(actor, action):
            break
        if actor == seat:
            assert asked.harness.reply(game.request(state, seat))[0] == "="
        after = state.apply(actor, action)
        for hearers, command in game.news(state, actor, action, after):
            if seat in hearers:
                asked.harness.reply(command)
        state = after
    return [message["content"] for messages in asked.prompts for message in messages]


def some_play(game: AnyGame, deal: Deal, draw: Callable[[int], int]) -> list[tuple[int, int]]:
    state, decided = game.start(deal), []
    while state.to_act:
        legal = state.legal(state.to_act[0])
        decided.append((state.to_act[0], legal[draw(len(legal))]))
        state = state.apply(*decided[-1])
    return decided


@pytest.mark.slow
@every_game
def test_cards_that_a_seat_cannot_see_change_no_prompt(game: AnyGame) -> None:
    """Two deals that differ in hidden cards alone: as long as the same may be played, the texts are the same."""
    compared = 0
    for number in range(SWAPS):
        draw = Stream("leak", number).draw
        deal = game.next_deal(0, Stream("leak-deal", number), None)
        assert deal is not None
        known = {card for hand in deal.hands for card in hand}
        seat = number % game.seats
        other = swap_hidden_cards(deal, seat, known, draw)
        if other is None:
            continue
        decided = some_play(game, deal, draw)
        ours, theirs = (questions(game, one, decided, seat) for one in (deal, other))
        both = min(len(ours), len(theirs))
        assert ours[:both] == theirs[:both]
        compared += both
    assert compared > SWAPS


@every_game_of_suits
def test_a_prompt_names_no_card_that_its_seat_has_not_seen(game: AnyGame) -> None:
    deal = game.next_deal(0, Stream("hidden"), None)
    assert deal is not None
    decided = some_play(game, deal, Stream("hidden-play").draw)
    first = next(place for place, (actor, _) in enumerate(decided) if actor == 1)
    text = questions(game, deal, decided[: first + 1], 1)[-1]
    others = {game.card_name(card) for seat, hand in enumerate(deal.hands) if seat != 1 for card in hand}
    shown = set(re.findall(r"\b[2-9TJQKA][CDHS]\b", text))
    assert {game.card_name(card) for card in deal.hands[1]} <= shown
    laid = {game.action_text(game.start(deal), 0, action) for _, action in decided[:first]}
    assert not shown & (others - laid)


def test_legal_answers_are_hidden_unless_asked_for() -> None:
    game = GAMES[0]
    asked = Asked(game, 0, PromptForm(), lambda _: "ANSWER: 0")
    for command in ("set_cards 1 TD", "gen_declare"):
        asked.exchange(Send((0,), f"{command}\n".encode(), 1, (), asks=command.startswith("gen")))
    assert "Legal" not in asked.prompts[0][-1]["content"]
    assert "your hand: TD" in asked.prompts[0][-1]["content"]


def test_what_others_declare_unseen_is_in_no_prompt() -> None:
    game = GAMES[0]
    asked = Asked(game, 2, SHOWN, lambda _: "ANSWER: 0")
    for command in ("set_cards 1 TD", "gen_declare"):
        asked.exchange(Send((2,), f"{command}\n".encode(), 1, (), asks=command.startswith("gen")))
    assert "declare" not in asked.prompts[0][-1]["content"].replace("gen_declare", "")


def test_the_rules_and_the_seat_come_first_and_the_request_last() -> None:
    deal = GAMES[0].next_deal(0, Stream("first"), None)
    assert deal is not None
    _, seats = play_match(GAMES[0].given([deal]))
    system, *_, last = seats[1].prompts[0]
    assert system["role"] == "system"
    assert "you are seat 1" in system["content"]
    assert system["content"].endswith("RULES")
    assert last["content"].endswith("Request: gen_declare")
    assert "Tokens left: 100 for this decision, 1000 for the match. Attempts: 2." in last["content"]


def test_a_conversation_goes_on_and_forgets_its_beginning() -> None:
    _, seats = play_match(make("planning", {}), PromptForm("conversation", legal=True))
    lengths = [len(messages) for messages in seats[0].prompts]
    assert lengths[:4] == [2, 4, 6, 8]
    assert seats[0].prompts[1][:2] == seats[0].prompts[0]
    assert "Since your last answer:" in seats[0].prompts[1][-1]["content"]
    assert all(
        sum(len(one["content"]) for one in messages[1:-1]) <= LONGEST_TALK for messages in seats[0].prompts
    )


@pytest.mark.parametrize(
    ("text", "number", "answer"),
    [
        ("ANSWER: TD", 1, "TD"),
        ("I lead.\n\n**ANSWER: TD**", 1, "TD"),
        ("answer: `TD`.", 1, "TD"),
        ("**Answer:** TD\r\n", 1, "TD"),
        ("ANSWER: 2C\nNo, rather\nANSWER: TD", 1, "TD"),
        ("ANSWER: C7;Q2;J1", 1, "C7;Q2;J1"),
        ("ANSWER: 9 12", 2, "9 12"),
        ("TD", 1, "TD"),
        ("I play the ten of diamonds", 1, None),
        ("ANSWER: TD or KD", 1, None),
        ("ANSWER:", 1, None),
        ("", 1, None),
        ("ANSWER: T\x00D", 1, None),
        ("ANSWER: \N{BLACK DIAMOND SUIT}T", 1, None),
        ("ANSWER: " + "T" * 100, 1, None),
        ("ANSWER: TD\n\n= 2C", 1, "TD"),
    ],
)  # fmt: skip
def test_an_answer_is_what_stands_behind_the_word(text: str, number: int, answer: str | None) -> None:
    assert answer_in(text, number, {}) == answer


def asked_about(texts: list[str]) -> tuple[Asked, str]:
    """The reply to a first declaration by a model that says these texts, one after the other."""
    said = iter(texts)
    asked = Asked(GAMES[0], 0, PromptForm(), lambda _: next(said))
    asked.harness.left = LEFT
    asked.harness.reply("set_cards 1 TD")
    return asked, asked.harness.reply("gen_declare")


def test_an_answer_that_cannot_be_read_is_asked_for_once_more() -> None:
    asked, reply = asked_about(["I do not know", "ANSWER: 1"])
    assert reply == "= 1"
    assert [message["role"] for message in asked.prompts[1]] == ["system", "user", "assistant", "user"]
    assert "no line ANSWER" in asked.prompts[1][-1]["content"]


def test_an_illegal_answer_is_told_why_and_the_last_one_is_the_referees_to_judge() -> None:
    asked, reply = asked_about(["ANSWER: 7", "ANSWER: 8"])
    assert "7: a declaration is an integer from 0 to 1" in asked.prompts[1][-1]["content"]
    assert reply == "= 8"


def test_who_gives_no_answer_refuses_the_request() -> None:
    _, reply = asked_about(["I do not know"] * 2)
    assert reply == "? text"


@every_game_of_suits
def test_a_match_under_other_names_is_the_same_match(game: AnyGame) -> None:
    other = other_names(game, Stream("names").draw)
    plain, _ = play_match(game)
    # The same places in the lists of legal answers, which other names do not move.
    renamed, seats = play_match(game, PromptForm(legal=True, names=other))
    assert [move.action for move in renamed.moves] == [move.action for move in plain.moves]
    assert renamed.forfeit is None
    for seat in seats:
        for messages in seat.prompts:
            hand = re.findall(r"^your hand: (.*)$", messages[-1]["content"], re.MULTILINE)[0]
            assert hand


def test_no_name_stands_for_itself_and_all_come_back() -> None:
    other = other_names(GAMES[0], Stream("names").draw)
    assert all(own != shown for own, shown in other.items())
    back = {shown: own for own, shown in other.items()}
    text = "your hand: TD 2C, trump H, trump_S, you have to follow spades; seat 2: declared 2, 10 cards"
    assert rename_cards(rename_cards(text, other), back) == text
    assert "declared 2, 10 cards" in rename_cards(text, other)
    assert "TD" not in rename_cards(text, other)
