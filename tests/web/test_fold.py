"""The replay viewer's folding, run by node: it comes to what the rules know, at every event and for every reader."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from arbiter.byhand.setup import Setup
from arbiter.byhand.sheet import record_of
from arbiter.course import Dealt, Moved, Position, retrace
from arbiter.games import find, names
from arbiter.games.chefs_hat.actions import STEP_IDS
from arbiter.games.chefs_hat.sheet import short
from arbiter.match import Move
from arbiter.testing import match_spec, play_by_policy, random_policy
from arbiter.view import Reader, replay_of

if TYPE_CHECKING:
    from arbiter.match import MatchRecord
    from arbiter.rules import AnyGame, Shown

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="needs node")

STATIC = Path(__file__).parents[2] / "arbiter" / "web" / "static"
OPTIONS: dict[str, dict[str, Any]] = {
    "planning": {"deals": [[1, 0], [4, 3], [13, 1]]},
    "codepiece": {"dealers": [0, 1, 2]},
    "chefs_hat": {"matches": 3},
}
GAMES = [find(name)(**OPTIONS.get(name, {})) for name in names()]
GAMES.append(find("chefs_hat")(rules="gym2", matches=3))
GAMES.append(find("planning")(seats=2, deck="89TJQKA HS", deals=[[3, 1], [7, 0]]))
GAMES.append(find("dou_dizhu")(bombs="double"))
every_game = pytest.mark.parametrize("game", GAMES, ids=repr)
SETTLED = ("ask", "deal", "end_deal")


class Folded(NamedTuple):
    """What the viewer made of a replay: its own events, a position after each, where it rests."""

    deals: list[dict[str, Any]]
    events: list[dict[str, Any]]
    positions: list[dict[str, Any]]
    stops: list[int]


def fold(replays: list[tuple[dict[str, Any], int | None]]) -> list[Folded]:
    """Replays through the eyes of a seat, or None, folded by the viewer's own module."""
    words = [str(NODE), str(Path(__file__).with_name("positions.mjs")), str(STATIC / "replay" / "fold.js")]
    given = json.dumps([{"replay": replay, "seat": seat} for replay, seat in replays])
    done = subprocess.run(words, input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [Folded(**folded) for folded in json.loads(done.stdout)]


def known(record: MatchRecord, game: AnyGame, seat: int | None = None) -> list[Shown]:
    """What lies where at every place of the full replay at which a decision has been told of: by its event."""
    states, by_answer = {}, [None]
    for event in retrace(record, game):
        if isinstance(event, Dealt):
            states[event.number] = event.state
        elif isinstance(event, Moved):
            by_answer.append(event.after)
    shown, answers, state = [], 0, None
    for event in replay_of(record, Reader("full"))["events"]:
        if event["t"] == "deal":
            state = states[event["deal"]]
        elif event["t"] == "answer":
            answers += 1
            state = by_answer[answers]
        shown.append(state and game.shown(state, seat))
    return shown


def settled(events: list[dict[str, Any]]) -> list[int]:
    """The places of the full replay before which all that a decision brings has been told."""
    later = [*events[1:], {"t": "end_deal"}]
    return [
        event["i"]
        for event, after in zip(events, later, strict=True)
        if after["t"] in SETTLED and event["t"] != "answer" and "set_" not in event.get("text", "")
    ]


def counterpart(full: list[dict[str, Any]], part: list[dict[str, Any]]) -> list[int]:
    """For each event of a reader's replay its place in the full one."""

    def key(event: dict[str, Any]) -> tuple[Any, ...]:
        return event["deal"], event["t"], event.get("seat"), event.get("text"), event.get("to")

    places, place = [], -1
    for event in part:
        place = next(i for i in range(place + 1, len(full)) if key(full[i]) == key(event))
        places.append(place)
    return places


def as_told(game: AnyGame, position: dict[str, Any]) -> dict[str, Any]:
    """A folded position in the words of `Shown`."""
    table = [tuple(play) for play in position["table"]]
    if game.name == "chefs_hat":
        table = [(who, short(STEP_IDS[word])) for who, word in table]
    keys = {
        "planning": ("declared", "taken"),
        "codepiece": (),
        "dou_dizhu": ("bombs",),
        "chefs_hat": ("round",),
    }[game.name]
    return {
        "hands": position["hands"],
        "counts": position["counts"],
        "table": table,
        "roles": {key: position[key] for key in keys},
    }


def expected(shown: Shown, hidden: bool) -> dict[str, Any]:
    hands = [None if hidden or hand is None else list(hand) for hand in shown.hands]
    roles = {key: shown.roles[key] for key in ("declared", "taken", "bombs", "round") if key in shown.roles}
    return {"hands": hands, "counts": list(shown.counts), "table": list(shown.table), "roles": roles}


def played(game: AnyGame, seed: int) -> MatchRecord:
    return play_by_policy(game, random_policy(seed), match_spec(game))


@every_game
def test_every_reader_sees_what_the_rules_know(game: AnyGame) -> None:
    record = played(game, 7)
    full = replay_of(record, Reader("full"))
    replays = [(full, None), (replay_of(record, Reader("public"), complete=False), None)]
    replays += [(replay_of(record, Reader("seat", seat)), None) for seat in range(game.seats)]
    folded = fold(replays)
    compared = 0
    for number, ((replay, _), seen) in enumerate(zip(replays, folded, strict=True)):
        seat = number - 2 if number > 1 else None
        shown = known(record, game, seat)
        places = counterpart(full["events"], replay["events"])
        for i in settled(full["events"]):
            at = sum(place <= i for place in places) - 1
            truth = shown[i]
            if at < 0 or truth is None or replay["events"][at]["deal"] != full["events"][i]["deal"]:
                continue
            position = seen.positions[at]
            if not position["dealt"] or (position["over"] and "gym2" in game.options.values()):
                # Under `gym2` the last discard may clear the table that the viewer still shows.
                continue
            assert as_told(game, position) == expected(truth, number == 1), (number, i)
            compared += 1
    assert compared > 50


@every_game
def test_a_match_under_way_folds_to_what_lies_on_its_table(game: AnyGame) -> None:
    setup, policy = Setup(game, "1", match_spec(game).limits), random_policy(7)
    position, truth, replays = Position.opening(game, "1"), [], []
    while position.to_act is not None and len(truth) < 40:
        if position.made % 3 == 0:
            moves = [Move(*decision, 0, 0, 0, 0, 0) for decision in position.decisions]
            record = record_of(setup, position, moves, ["one"] * game.seats)
            replays.append((replay_of(record, Reader("full")), None))
            truth.append(game.shown(position.state))
        position = position.apply(policy(position.state, position.to_act))
    for seen, shown in zip(fold(replays), truth, strict=True):
        assert as_told(game, seen.positions[-1]) == expected(shown, hidden=False)


@every_game
def test_a_card_stays_in_hand_until_all_are_told(game: AnyGame) -> None:
    record = played(game, 3)
    full = replay_of(record, Reader("full"))
    (seen,) = fold([(full, None)])
    for event, position, before in zip(full["events"][1:], seen.positions[1:], seen.positions, strict=False):
        if event["t"] in ("ask", "answer"):
            assert position["hands"] == before["hands"]
            assert position["table"] == before["table"]


@every_game
def test_points_add_up_to_the_result(game: AnyGame) -> None:
    record = played(game, 5)
    (seen,) = fold([(replay_of(record, Reader("public")), None)])
    assert record.points is not None
    assert seen.positions[-1]["points"] == list(record.points)


@every_game
def test_borrowed_eyes_see_what_the_seat_itself_is_shown(game: AnyGame) -> None:
    record = played(game, 11)
    full = replay_of(record, Reader("full"))
    for seat, seen in enumerate(fold([(full, seat) for seat in range(game.seats)])):
        own = replay_of(record, Reader("seat", seat))
        assert [deal["hands"] for deal in seen.deals] == [deal["hands"] for deal in own["deals"]]
        plain = [{k: v for k, v in event.items() if k not in ("i", "seats", "shown")} for event in seen.events]
        assert plain == [{k: v for k, v in event.items() if k not in ("i", "shown")} for event in own["events"]]


@every_game
def test_nobodys_eyes_follow_the_match_without_a_card(game: AnyGame) -> None:
    record = played(game, 11)
    full = replay_of(record, Reader("full"))
    seen, whole = fold([(full, -1), (full, None)])
    assert {hand for deal in seen.deals for hand in deal["hands"]} == {None}
    assert not [event for event in seen.events if event["t"] in ("ask", "answer") or event.get("cards")]
    last = seen.positions[-1]
    assert {key: last[key] for key in ("counts", "points", "table")} == {
        key: whole.positions[-1][key] for key in ("counts", "points", "table")
    }


@every_game
def test_whoever_is_asked_next_is_outlined(game: AnyGame) -> None:
    record = played(game, 2)
    full = replay_of(record, Reader("full"))
    (seen,) = fold([(full, None)])
    asked = [event["seat"] for event in full["events"] if event["t"] == "ask"]
    rests = [seen.positions[i]["toAct"] for i in seen.stops]
    assert [seat for seat in rests if seat is not None][: len(asked)] == asked


@every_game
def test_the_viewer_rests_once_after_each_move(game: AnyGame) -> None:
    record = played(game, 2)
    full = replay_of(record, Reader("full"))
    (seen,) = fold([(full, None)])
    stops = set(seen.stops)
    answers = [event["i"] for event in full["events"] if event["t"] == "answer"]
    for answer, following in zip(answers, [*answers[1:], len(full["events"])], strict=True):
        assert any(answer <= stop < following for stop in stops), answer
    assert max(stops) == len(full["events"]) - 1
