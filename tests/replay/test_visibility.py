"""What a reader is shown of a match: all that a seat was told, and no card that it may not see."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.cli import exit_code
from arbiter.errors import ConfigError
from arbiter.games import find, make, names
from arbiter.games.planning import Planning
from arbiter.match.position import Position, deal_of
from arbiter.match.record import Fault, Forfeit
from arbiter.replay.frame import frame_at
from arbiter.replay.visibility import Reader, fault_words, heard, replay_of
from arbiter.season.config import load
from arbiter.season.season import Season
from arbiter.store import Store
from arbiter.testing import ScriptedBot, match_spec, play_by_policy, play_in_memory, random_policy
from arbiter.testing.leak_check import swap_hidden_cards
from tests.fixtures.executor import Scripted
from tests.fixtures.profiles import examples

if TYPE_CHECKING:
    from pathlib import Path

    from arbiter.games.game import AnyGame, Deal
    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec
    from arbiter.testing import Said

SMALL: dict[str, dict[str, Any]] = {
    "planning": {"deals": [[3, 0], [2, 1]]},
    "codepiece": {"dealers": [0, 1]},
    "dou_dizhu": {"landlords": [0, 2]},
    "chefs_hat": {"matches": 2},
}
GAMES = [find(name)(**SMALL.get(name, {})) for name in names()]
GAMES.append(make("chefs_hat", {"rules": "gym2", "matches": 2}))
every_game = pytest.mark.parametrize("game", GAMES, ids=repr)


def commands_heard(transcript: list[Said], seat: int) -> list[str]:
    """What a seat heard; the time that it has left is in no record."""
    return [
        said.command for said in transcript if said.seat == seat and not said.command.startswith("time_left ")
    ]


def faulty_match(
    game: AnyGame, delivery: str, seat: int, place: int, raw: bytes | None = None
) -> tuple[MatchRecord, list[Said]]:
    """A match in which a seat says `raw` to command number `place`; by default its program ends there."""
    whole: list[Said] = []
    spec = match_spec(game, delivery=delivery)
    record = play_by_policy(game, random_policy(3), spec, transcript=whole)
    commands = [said.command for said in whole if said.seat == seat]
    name = commands[place % len(commands)].partition(" ")[0]
    times = sum(command.partition(" ")[0] == name for command in commands[: place % len(commands)])
    bots: list[Any] = [ScriptedBot.replaying(record, other) for other in range(game.seats)]
    bots[seat] = ScriptedBot.replaying(record, seat, {(name, times): raw})
    said: list[Said] = []
    return play_in_memory(game, bots, spec, transcript=said), said


@every_game
@pytest.mark.parametrize("delivery", ["strict", "batched"])
def test_the_events_of_a_seat_fold_to_what_it_was_told(game: AnyGame, delivery: str) -> None:
    said: list[Said] = []
    record = play_by_policy(game, random_policy(1), match_spec(game, delivery=delivery), transcript=said)
    for seat in range(game.seats):
        assert heard(replay_of(record, Reader("seat", seat))) == commands_heard(said, seat)


@every_game
@examples(25)
@given(
    delivery=st.sampled_from(["strict", "batched"]),
    seat=st.integers(0, 9),
    place=st.integers(0, 400),
    raw=st.sampled_from([None, b"=\n\n=\n\n"]),
)
def test_up_to_a_fault_too(game: AnyGame, delivery: str, seat: int, place: int, raw: bytes | None) -> None:
    record, said = faulty_match(game, delivery, seat % game.seats, place, raw)
    for other in range(game.seats):
        shown, expected = heard(replay_of(record, Reader("seat", other))), commands_heard(said, other)
        if delivery == "batched" and record.forfeit is not None and other == record.forfeit.seat:
            # It got more in the same write than it lived to read.
            shown = shown[: len(expected)]
        assert shown == expected


def shown(game: AnyGame, record: MatchRecord, reader: Reader) -> str:
    return json.dumps(replay_of(record, reader, complete=False), sort_keys=True)


def begun(game: AnyGame, deal: Deal, actions: list[tuple[int, int]]) -> MatchRecord | None:
    """A record of one deal in progress; None where what was played is not legal with these cards."""
    one = game.given([deal])
    state, moves = one.start(deal), []
    complete = play_by_policy(one, random_policy(1), match_spec(one))
    for seat, action in actions:
        if not state.to_act or seat not in state.to_act or not state.allows(seat, action):
            return None
        words = one.action_text(state, seat, action)
        request = one.request(state, seat)
        moves.append(complete.moves[0]._replace(deal=0, seat=seat, request=request, action=words))
        state = state.apply(seat, action)
    shape = one.deal_record(deal, state)
    return replace(complete, deals=(shape,), moves=tuple(moves), points=None, forfeit=None)


# Under `gym2` the published environment draws moves from the cards themselves.
@pytest.mark.parametrize("game", GAMES[:-1], ids=repr)
@examples(25)
@given(seed=st.integers(0, 10_000), length=st.integers(0, 60), draws=st.randoms(use_true_random=False))
def test_a_card_that_a_reader_may_not_see_changes_no_byte(
    game: AnyGame, seed: int, length: int, draws: Any
) -> None:
    deal = deal_of(game, seed, 1, 0, None)
    assert deal is not None
    one = game.given([deal])
    state = one.start(deal)
    played: list[tuple[int, int]] = []
    policy = random_policy(seed)
    while state.to_act and len(played) < length:
        seat = state.to_act[0]
        action = policy(state, seat)
        played.append((seat, action))
        state = state.apply(seat, action)
    record = begun(game, deal, played)
    assert record is not None
    known = {card for hand in deal.hands for card in hand}
    for reader in (Reader("public"), *(Reader("seat", seat) for seat in range(game.seats))):
        seat = reader.seat if reader.kind == "seat" else -1
        other = swap_hidden_cards(deal, seat, known, draws.randrange)
        if other is None or (alike := begun(game, other, played)) is None:
            continue
        assert shown(game, record, reader) == shown(game, alike, reader)


@every_game
def test_the_public_sees_all_cards_once_the_round_is_complete_and_none_before(game: AnyGame) -> None:
    record = play_by_policy(game, random_policy(5), match_spec(game))
    before = replay_of(record, Reader("public"), complete=False)
    after = replay_of(record, Reader("public"))
    full = replay_of(record, Reader("full"))
    assert {hand for deal in before["deals"] for hand in deal["hands"]} == {None}
    assert not any(
        event["t"] == "tell" and event["text"].startswith("set_cards") for event in before["events"]
    )
    assert not any("legal" in event for event in before["events"])
    assert after["events"] == full["events"]
    # What a record keeps of a deal is there, so that it can be dealt again.
    kept = [json.loads(json.dumps(deal)) for deal in record.deals]
    assert [deal | one for deal, one in zip(after["deals"], kept, strict=True)] == after["deals"]
    answers = [event["text"] for event in full["events"] if event["t"] == "answer"]
    assert answers == [move.action for move in record.moves]
    assert [event["i"] for event in full["events"]] == list(range(len(full["events"])))


@every_game
def test_no_reader_sees_what_is_the_organisers(game: AnyGame) -> None:
    record = play_by_policy(game, random_policy(5), match_spec(game, seed="the-secret-seed"))
    bots = tuple(replace(bot, stderr_tail="said-to-stderr") for bot in record.bots)
    fault = Forfeit(1, "player-1", Fault.CRASH, "it: exited", "gen_x", "raw-reply", private="said-to-stderr")
    record = replace(record, bots=bots, forfeit=fault, points=None)
    secrets = ["the-secret-seed", "raw-reply", record.deal_hash]
    for reader in (Reader("public"), Reader("full"), Reader("seat", 0)):
        for complete in (False, True):
            text = json.dumps(replay_of(record, reader, complete))
            assert not any(secret in text for secret in [*secrets, "said-to-stderr"])
    own = json.dumps(replay_of(record, Reader("seat", 1)))
    assert "said-to-stderr" in own
    assert not any(secret in own for secret in secrets)


def texts_of(forfeit: Forfeit, complete: bool) -> dict[str, str]:
    """The words about a fault for each reader, while its round is complete or not."""
    readers = ("public", f"seat:{1 - forfeit.seat}", f"seat:{forfeit.seat}", "full")
    return {reader: fault_words(forfeit, Reader.parse(reader, 4), complete) for reader in readers}


HOSTILE = ["; budget 1 s: 3C", "3C: 4C; budget", ": ", "it exited with status 0"]


@pytest.mark.parametrize("complete", [False, True])
@pytest.mark.parametrize("line", HOSTILE)
def test_who_reads_the_last_line_of_standard_error_hangs_on_no_words(line: str, complete: bool) -> None:
    for reason in HOSTILE:
        told = texts_of(Forfeit(1, "b", Fault.CRASH, reason, "gen_move", "", private=line), complete)
        assert told == dict.fromkeys(told, reason) | {"seat:1": f"{reason}: {line}"}


@pytest.mark.parametrize("spent", HOSTILE)
def test_who_reads_on_what_a_budget_went_hangs_on_no_words(spent: str) -> None:
    for reason in HOSTILE:
        fault = Forfeit(1, "b", Fault.TIMEOUT, reason, "gen_move", "", spent=spent)
        early, late = texts_of(fault, complete=False), texts_of(fault, complete=True)
        assert [reader for reader, text in early.items() if text != reason] == ["seat:1", "full"]
        assert late == early | {"public": f"{reason}; budget {spent}"}


@pytest.mark.parametrize(
    ("fault", "reason", "part", "rest"),
    [
        (Fault.CRASH, "it exited with status 1", "private", "KeyError: 2; budget 3C"),
        (Fault.CRASH, "it closed its standard output", "private", ""),
        (Fault.TIMEOUT, "no reply: charged 2 ms where it was allowed 1 ms", "spent", "1 ms: 0 ms on: x"),
        (Fault.ILLEGAL, "XX: there is no such card; budget", "private", ""),
    ],
)
def test_a_fault_that_an_earlier_version_kept_as_one_detail_is_read_in_its_parts(
    fault: Fault, reason: str, part: str, rest: str
) -> None:
    new = replace(Forfeit(1, "b", fault, reason, "gen_move", ""), **{part: rest})  # type: ignore[arg-type]
    earlier = {key: new.to_json()[key] for key in ("seat", "player", "fault", "detail", "command", "reply")}
    assert Forfeit.from_json(earlier) == new


def test_declarations_of_a_deal_that_a_fault_ended_stay_hidden() -> None:
    game = Planning(deals=[[2, 0]])
    record, _ = faulty_match(game, "strict", 2, [*range(8)][5])
    assert [move.request for move in record.moves] == ["gen_declare", "gen_declare"]
    public = replay_of(record, Reader("public"), complete=False)
    assert {event["t"] for event in public["events"]} == {"tell", "deal", "fault"}
    complete = replay_of(record, Reader("public"))
    assert [event["seat"] for event in complete["events"] if event["t"] == "answer"] == [0, 1]


@pytest.mark.parametrize("delivery", ["strict", "batched"])
@pytest.mark.parametrize("heard", range(4))
def test_declarations_stay_hidden_from_the_public_until_all_have_heard_them(
    heard: int, delivery: str
) -> None:
    game = Planning(deals=[[2, 0]])

    def fails(command: str) -> bytes:
        return b"no reply\n\n" if command.startswith(f"declare {heard}") else answer_alike("0", command)

    bots: list[Any] = [fails if seat == 2 else partial(answer_alike, "0") for seat in range(4)]
    record = play_in_memory(game, bots, match_spec(game, delivery=delivery))
    assert record.forfeit is not None
    assert len(record.moves) == 4
    public = replay_of(record, Reader("public"), complete=False)
    assert {event["t"] for event in public["events"]} == {"tell", "deal", "fault"}
    assert "declare 0" not in json.dumps(public)


def test_a_card_that_is_not_in_hand_is_told_without_that_reason_until_the_round_is_complete() -> None:
    game = Planning(deals=[[2, 0]])
    spec = match_spec(game, seed="0")
    hands = frame_at(Position.opening(game, "0")).hands
    other = (hands[1] or ())[0]
    bots: list[Any] = [partial(answer, words) for words in (["0", other], ["0"], ["0"], ["0"])]
    record = play_in_memory(game, bots, spec)
    assert record.forfeit is not None
    assert record.forfeit.detail == f"{other} is not in hand"
    early, late = (replay_of(record, Reader("public"), of)["result"]["fault"] for of in (False, True))
    assert early is not None
    assert late is not None
    assert early["text"] == f"{other}: no legal answer to gen_move"
    assert late["text"] == f"{other} is not in hand"


def answer_alike(word: str, command: str) -> bytes:
    return b"= %s\n\n" % word.encode() if command == "gen_declare" else b"=\n\n"


def answer(words: list[str], command: str) -> bytes:
    return b"= %s\n\n" % words.pop(0).encode() if command.startswith("gen_") else b"=\n\n"


@pytest.mark.parametrize("text", ["seat:4", "seat:", "seat:-1", "Public", "", "full:1", "seat:²"])
def test_a_reader_that_there_is_not_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="there is no reader"):
        Reader.parse(text, 4)


@pytest.mark.parametrize("text", ["public", "full", "seat:3"])
def test_a_reader_is_written_as_it_is_read(text: str) -> None:
    assert str(Reader.parse(text, 4)) == text


CONFIG = "game: planning\nrounds: 1\nseed: abc\nplayers:\n" + "".join(
    f"  - {{name: p{n}, command: [python3]}}\n" for n in range(4)
)


def in_memory(spec: MatchSpec) -> MatchRecord:
    return play_by_policy(make(spec.game, spec.options), random_policy(spec.id), spec)


def test_the_command_shows_the_public_a_round_under_way_without_cards(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "s.yaml"
    file.write_text(CONFIG)
    with closing(Store(f"sqlite:///{tmp_path}/s.sqlite")) as store:
        opened_season = Season.open(load(file), store)
        plan = opened_season.rounds.plan()
        assert plan is not None
        opened_season.stored.add_match(in_memory(plan.missing[0]))

        def shown(*words: str) -> dict[str, Any]:
            assert exit_code(["show", str(file), "r001/t01/m0", "--format", "replay", *words]) == 0
            replay: dict[str, Any] = json.loads(capsys.readouterr().out)
            return replay

        assert shown("--reader", "public")["deals"][0]["hands"] == [None] * 4
        assert sum(hand is not None for hand in shown("--reader", "seat:2")["deals"][0]["hands"]) == 1
        assert None not in shown()["deals"][0]["hands"]
        list(opened_season.play(Scripted(in_memory)))
        assert shown("--reader", "public")["events"] == shown()["events"]
        assert exit_code(["show", str(file), "r001/t01/m0", "--reader", "public"]) == 2
        assert "--reader needs --format replay" in capsys.readouterr().err
