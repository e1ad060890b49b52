"""Frames: what a reader may see of a match after an event, folded from a replay."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import pytest

from arbiter.games import find, names
from arbiter.match.position import Moved, Position, retrace
from arbiter.replay.frame import NOBODY, frame_at, frame_of
from arbiter.replay.visibility import Reader, replay_of
from arbiter.testing import match_spec, play_by_policy, random_policy
from tests.fixtures.folding import folded
from tests.fixtures.replays import faulty

if TYPE_CHECKING:
    from arbiter.games.game import AnyGame
    from arbiter.match.record import MatchRecord

GAMES = [find(name)() for name in names()]
every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


@lru_cache
def play_match(game: AnyGame) -> MatchRecord:
    return play_by_policy(game, random_policy(7), match_spec(game))


@every_game
def test_after_each_move_a_frame_holds_what_the_rules_say(game: AnyGame) -> None:
    record = play_match(game)
    replay = replay_of(record, Reader("full"))
    frames = folded(replay)
    after = [event.after for event in retrace(record, game) if isinstance(event, Moved)]
    answers = [event["i"] for event in replay["events"] if event["t"] == "answer"]
    assert len(after) == len(answers)
    for state, i in zip(after, answers, strict=True):
        frame = frames[min(at for at in frames if at >= i)]
        shown = frame_of(game, state)
        assert (frame["hands"], frame["counts"]) == (shown.hands, shown.counts)
        assert {key: frame["roles"][key] for key in shown.roles} == shown.roles


@every_game
def test_a_frame_of_a_seat_holds_its_hand_by_the_rules(game: AnyGame) -> None:
    record = play_match(game)
    replay = replay_of(record, Reader("seat", 1))
    frames = folded(replay)
    after = [
        event.after for event in retrace(record, game) if isinstance(event, Moved) and event.move.seat == 1
    ]
    answers = [event["i"] for event in replay["events"] if event["t"] == "answer"]
    for state, i in zip(after, answers, strict=True):
        frame, shown = frames[min(at for at in frames if at >= i)], frame_of(game, state, 1)
        assert (frame["hands"], frame["counts"]) == (shown.hands, shown.counts)


@pytest.mark.slow
@every_game
@pytest.mark.parametrize("fault", [False, True])
def test_what_a_seat_saw_has_the_numbers_of_the_whole_match(game: AnyGame, fault: bool) -> None:
    record = faulty(play_match(game), 5, "a fault") if fault else play_match(game)
    full = replay_of(record, Reader("full"))
    for seat in range(game.seats):
        own = replay_of(record, Reader("seat", seat))
        same = ("t", "deal", "seat", "request") if fault else ("t", "deal", "text", "seat", "request")
        whole = [{key: full["events"][event["i"]].get(key) for key in same} for event in own["events"]]
        assert whole == [{key: event.get(key) for key in same} for event in own["events"]]
        early = replay_of(record, Reader("seat", seat), complete=False)
        assert [event["i"] for event in early["events"]] == list(range(len(own["events"])))


@every_game
def test_points_of_the_last_frame_are_the_result(game: AnyGame) -> None:
    record = play_match(game)
    assert [*folded(replay_of(record, Reader("public"))).values()][-1]["points"] == record.points


@every_game
def test_every_card_that_is_shown_has_a_face(game: AnyGame) -> None:
    replay = replay_of(play_match(game), Reader("full"))
    frames = folded(replay).values()
    shown = {name for frame in frames for hand in frame["hands"] for name in hand}
    shown |= {name for frame in frames for _, _, cards in frame["table"] for name in cards}
    assert shown == set(replay["faces"])


def test_legal_answers_are_seen_by_who_is_asked() -> None:
    position = Position.opening(GAMES[0], "1")
    assert position.to_act is not None
    assert frame_at(position, position.to_act).legal == tuple(position.words())
    assert frame_at(position, position.to_act + 1).legal == frame_at(position, NOBODY).legal == ()


def test_a_declaration_that_is_not_told_yet_is_shown_to_its_seat_alone() -> None:
    replays = [replay_of(play_match(find("planning")()), Reader("seat", seat)) for seat in (0, 1)]
    own, other = ([frame["roles"].get("untold") for frame in folded(replay).values()] for replay in replays)
    assert next(untold for untold in own if untold)[0] != ""
    assert all(not untold or not untold[0] for untold in other)
