"""The applet's verbs over a table in memory: what they do, what they tell, and that none of them blocks."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import count
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("starlette", reason="needs starlette: pip install 'arbiter-cards[web]'")

from hypothesis import given
from hypothesis import strategies as st

from arbiter.errors import MalformedReply
from arbiter.games import find, make, names
from arbiter.match.exchange import Reply
from arbiter.match.position import Position
from arbiter.match.protocol import NONE
from arbiter.match.record import Fault, MatchRecord
from arbiter.replay.visibility import Reader, replay_of
from arbiter.table.interactive.exchange_log import Exchanges
from arbiter.table.interactive.interactive_match import InteractiveMatch
from arbiter.table.interactive.occupants import Person, RandomPlayer, SeatCommand
from arbiter.table.interactive.setup import TranscriptEntry
from arbiter.table.single_bot import RawReply
from arbiter.testing import match_spec, play_by_policy, random_policy
from tests.fixtures.applet import SMALL, VERBS, Owner, begin, random_players, seated
from tests.fixtures.profiles import examples

if TYPE_CHECKING:
    from collections.abc import Iterator


class Hanging(RandomPlayer):
    """Hangs at its first request until it is interrupted."""

    def __init__(self) -> None:
        self.was_asked, self.interrupted = Event(), Event()

    def reply_to(self, line: SeatCommand) -> RawReply:
        if line.command.startswith("gen_") and not self.interrupted.is_set():
            self.was_asked.set()
            self.interrupted.wait(60)
            raise KeyboardInterrupt
        return super().reply_to(line)

    def interrupt(self) -> None:
        self.interrupted.set()


class Talking(RandomPlayer):
    """Answers a command with what is no reply, and writes to standard error."""

    def __init__(self, command: str, raw: bytes, kind: Fault) -> None:
        self._command, self._raw, self._kind = command, raw, kind

    def reply_to(self, line: SeatCommand) -> RawReply:
        if not line.command.startswith(self._command):
            return super().reply_to(line)
        return RawReply(
            self._raw, Reply(NONE, 10**6, 10**6, fault=MalformedReply(self._kind, "what it was", self._raw))
        )

    def new_errors(self) -> bytes:
        return b"why\x1b[2J\n"


@pytest.fixture(scope="module")
def kept_owner() -> Iterator[Owner]:
    with seated() as owner:
        yield owner


@pytest.fixture
def owner(kept_owner: Owner) -> Owner:
    return begin(kept_owner, Person())


@pytest.mark.parametrize("name", names())
def test_a_match_is_the_one_that_a_referee_conducts(kept_owner: Owner, name: str) -> None:
    game, number = make(name, SMALL.get(name, {})), count()
    record = play_by_policy(
        game,
        lambda state, seat: random_policy(f"1|{seat}|{next(number)}")(state, seat),
        match_spec(game, seed="1", round_number=1),
    )
    owner = begin(kept_owner, *random_players(game), game=game)
    owner.post("/play", {})
    assert owner.wait()["result"]["points"] == list(record.points or ())
    found = MatchRecord.from_json(owner.get("/record"))
    assert [move[:4] for move in found.moves] == [move[:4] for move in record.moves]
    assert (found.deals, found.deal_hash, found.options) == (
        record.deals,
        record.deal_hash,
        record.options,
    )
    replay = owner.get("/replay")
    seated_there = tuple(player["name"] for player in replay["players"])
    wanted = replay_of(replace(record, players=seated_there), Reader("full"))
    assert (replay["deals"], replay["marks"]) == (wanted["deals"], wanted["marks"])
    assert [_untimed(event) for event in replay["events"]] == [
        _untimed(event) for event in json.loads(json.dumps(wanted["events"]))
    ]


@pytest.mark.slow
@examples(16)
@given(st.sets(st.integers(0, 3)), st.integers(0, 99), st.data())
def test_whoever_decides_the_match_is_the_same(
    kept_owner: Owner, people: set[int], seed: int, data: st.DataObject
) -> None:
    occupants = [Person() if seat in people else RandomPlayer() for seat in range(4)]
    game = make("planning", {"deals": [[1, 0], [2, 1]]})
    owner = begin(kept_owner, *occupants, game=game, seed=str(seed))
    while not (state := owner.post("/step"))["over"]:
        if state["setup"]["seats"][state["to_act"]]["person"]:
            owner.post("/decide", {"word": data.draw(st.sampled_from(state["legal"]))})
    found = owner.get("/record")
    assert not owner.get("/state")["by_hand"]
    decided = iter([move["action"] for move in found["moves"]])
    record = play_by_policy(
        game,
        lambda state, seat: game.parse(state, seat, next(decided)),
        match_spec(game, seed=str(seed), round_number=1),
    )
    assert found["points"] == list(record.points or ())
    assert [move["request"] for move in found["moves"]] == [move.request for move in record.moves]
    assert found["deals"] == [dict(deal) for deal in record.deals]


def _untimed(event: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in event.items() if not key.endswith("_ms")}


def test_undo_of_a_deal_goes_back_over_its_end(kept_owner: Owner) -> None:
    owner = begin(kept_owner, *random_players())
    owner.post("/play", {"until": "deal"})
    made = owner.wait()["made"]
    state = owner.post("/undo", {"deal": True})
    assert (state["made"], state["redoable"]) == (0, made)


def test_a_replay_has_the_eyes_of_one_seat(owner: Owner) -> None:
    replay = owner.get("/replay?reader=seat:1")
    assert replay["reader"] == "seat:1"
    assert [hand is not None for hand in replay["deals"][0]["hands"]] == [False, True, False, False]
    assert owner.browser.get("/replay?reader=seat:4").status_code == 422


def test_a_word_that_is_not_legal_is_refused_with_the_reason(owner: Owner) -> None:
    status, told = owner.ask("/decide", {"word": "7"})
    assert (status, told["error"]["field"]) == (422, "word")
    assert owner.get("/state")["made"] == 0


def test_a_decision_meant_for_another_seat_is_refused(owner: Owner) -> None:
    legal = owner.post("/step")["legal"]
    status, told = owner.ask("/decide", {"word": legal[0], "seat": 1})
    assert (status, told["error"]["message"]) == (422, "it is the turn of seat 0, not of seat 1")
    assert owner.post("/decide", {"word": legal[0], "seat": 0})["made"] == 1


def test_several_decisions_are_made_at_once(kept_owner: Owner) -> None:
    owner = begin(kept_owner, *random_players())
    assert owner.post("/step", {"decisions": 3})["made"] == 3
    assert owner.ask("/step", {"decisions": 0})[0] == 422


def test_a_decision_for_a_bot_marks_the_match(owner: Owner) -> None:
    legal = owner.post("/step")["legal"]
    assert not owner.post("/decide", {"word": legal[0]})["by_hand"]
    assert owner.post("/decide", {"word": "0"})["by_hand"]
    assert not owner.post("/undo", {"decisions": 1})["by_hand"]


def test_lines_are_sent_in_order_and_marked(owner: Owner) -> None:
    assert owner.post("/send", {"seat": 1, "line": "one\r\ntwo\n\tthree\n"})["by_hand"]
    sent = owner.get("/exchanges")["exchanges"]
    assert [(entry["seat"], entry["command"], entry["by_hand"]) for entry in sent] == [
        (1, "one", True), (1, "two", True), (1, "\\tthree", True),
    ]  # fmt: skip


@pytest.mark.parametrize("line", ["", "\n", "x\n" * 501])
def test_nothing_and_too_many_lines_are_a_mistake(owner: Owner, line: str) -> None:
    assert owner.ask("/send", {"seat": 1, "line": line})[1]["error"]["field"] == "line"


@pytest.mark.parametrize(
    ("name", "commands"),
    [
        ("greeting", ["set_deck", "set_players", "set_game"]),
        ("deal", ["set_cards"]),
        ("smoke", ["set_deck", "set_players", "set_game", "set_cards", "time_left", "gen_declare"]),
    ],
)
def test_a_macro_sends_what_its_name_says(owner: Owner, name: str, commands: list[str]) -> None:
    owner.post("/macro", {"name": name, "seat": 0})
    sent = owner.get("/exchanges")["exchanges"]
    assert [entry["command"].split(" ")[0] for entry in sent] == commands


def test_a_hanging_bot_keeps_nobody_from_looking_and_is_stopped() -> None:
    bot = Hanging()
    with seated(bot) as owner:
        owner.post("/play", {})
        assert bot.was_asked.wait(60)
        assert owner.get("/state")["running"]
        assert owner.ask("/step")[0] == 409
        state = owner.post("/stop")
        assert (state["running"], state["trouble"]["kind"], state["trouble"]["out_of_step"]) == (
            False,
            "interrupted",
            True,
        )
        assert "Again" in state["trouble"]["explanation"]
        assert owner.post("/again")["made"] == 1


def test_what_came_of_a_verb_is_there_before_it_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    with seated(Hanging(), *random_players()[1:]) as owner:
        session, told = owner.session, list[bool]()

        def left(_: InteractiveMatch) -> list[int]:
            told.append(session.running)
            return [0, 0, 0, 0]

        monkeypatch.setattr(InteractiveMatch, "left", property(left))
        owner.post("/play")
        owner.post("/stop")
        assert owner.wait()["trouble"]["kind"] == "interrupted"
        # Asked for where all that is shown is read.
        assert told and all(told)


def test_a_hanging_bot_is_no_obstacle_to_quit() -> None:
    bot = Hanging()
    with seated(bot) as owner:
        owner.post("/play", {})
        assert bot.was_asked.wait(60)
        assert [end["seat"] for end in owner.post("/quit")["ended"]] == [0, 1, 2, 3]
        assert owner.ask("/step")[0] == 409


def test_a_bad_answer_is_explained_and_may_be_replaced(kept_owner: Owner) -> None:
    owner = begin(kept_owner, Talking("gen_", b"what\x07?\n", Fault.MALFORMED))
    trouble = owner.post("/step")["trouble"]
    assert (trouble["seat"], trouble["command"], trouble["kind"], trouble["raw"]) == (
        0,
        "gen_declare",
        "malformed",
        "what\\x07?\\n",
    )
    assert "begin every reply with =" in trouble["explanation"]
    assert owner.ask("/skip")[0] == 422
    entry = owner.get("/exchanges")["exchanges"][-1]
    assert (entry["explanation"], entry["stderr"]) == (trouble["explanation"], "why\\x1b[2J\n")
    assert owner.post("/decide", {"word": "0"})["trouble"] is None


def test_a_bad_reply_to_news_may_be_skipped(kept_owner: Owner) -> None:
    owner = begin(kept_owner, RandomPlayer(), Talking("set_cards", b"? no\n\n", Fault.REFUSED))
    trouble = owner.post("/step")["trouble"]
    assert (trouble["command"].split(" ")[0], trouble["can_skip"]) == ("set_cards", True)
    state = owner.post("/skip")
    assert (state["trouble"], state["by_hand"]) == (None, True)
    assert owner.post("/step")["made"] == 1


@pytest.mark.parametrize("verb", ["/again", "/skip", "/redo", "/undo"])
def test_a_verb_that_makes_no_sense_now_says_why(owner: Owner, verb: str) -> None:
    status, told = owner.ask(verb, {})
    assert (status, bool(told["error"]["message"])) == (422, True)


def test_exchanges_are_told_from_a_number_on_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arbiter.table.interactive.exchange_log.MOST_CHARACTERS", 160_000)
    kept = Exchanges()
    for number in range(60):
        entry = TranscriptEntry(0, str(number), b"= x\n\n" * 10_000, 0)
        kept.add(entry, b"e" * 10_000, "", None)
    newest = kept.after(0)
    assert newest[-1].n == 60
    assert kept.oldest == newest[0].n > 10
    assert [exchange.n for exchange in kept.after(58)] == [59, 60]
    assert len(newest[0].raw) < 10_000


@pytest.mark.parametrize(
    ("game", "commands", "answers"),
    [
        ("planning", {"set_cards"}, {"gen_declare"}),
        ("codepiece", {"set_cards"}, set()),
        ("dou_dizhu", {"set_cards"}, set()),
        ("chefs_hat", {"set_cards", "exchange"}, {"gen_exchange"}),
    ],
)
def test_exchanges_say_which_words_tell_of_hidden_cards(
    game: str, commands: set[str], answers: set[str]
) -> None:
    kept, position = Exchanges(), Position.opening(find(game)(), "1")
    while (seat := position.to_act) is not None and position.made < 400:
        for told in position.news:
            kept.add(TranscriptEntry(told.seat, told.command, b"=", 0), b"", "", position)
        word = position.words()[0]
        kept.add(TranscriptEntry(seat, position.request, b"=", 0, word=word), b"", "", position)
        position = position.apply(position.parse(word))
    said = kept.after(0)
    assert {one.command.split(" ")[0] for one in said if one.secret_command} == commands
    assert {one.command.split(" ")[0] for one in said if one.secret_answer} == answers


def test_what_passed_can_be_saved_as_text(kept_owner: Owner) -> None:
    owner = begin(kept_owner, *random_players())
    owner.post("/step")
    answer = owner.browser.get("/traffic")
    assert answer.headers["content-disposition"] == 'attachment; filename="traffic.txt"'
    assert answer.headers["content-type"].startswith("text/plain")
    assert "seat 0  > gen_declare\n    < = " in answer.text


def test_each_change_is_told_to_who_listens(owner: Owner) -> None:
    told: list[int] = []
    stop = owner.session.listen(lambda: told.append(owner.session.revision))
    owner.post("/step")
    stop()
    count_of_told = len(told)
    owner.post("/stop")
    assert told == sorted(set(told))
    assert count_of_told == len(told) > 0


def test_every_address_is_described(owner: Owner) -> None:
    described = owner.get("/openapi.json")["paths"]
    assert sorted(path for path, ways in described.items() if "post" in ways) == sorted(VERBS)
