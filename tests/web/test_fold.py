"""The replay viewer's folding, run by node: it comes to what the rules know, at every event and for every reader."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from arbiter.games import make, names
from arbiter.replay.visibility import Reader, replay_of
from arbiter.testing import match_spec, play_by_policy, random_policy
from tests.fixtures.folding import folded

if TYPE_CHECKING:
    from arbiter.games.game import AnyGame
    from arbiter.replay.schema import Replay

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="needs node")
STATIC = Path(__file__).parents[2] / "arbiter" / "web" / "static"
OPTIONS: dict[str, dict[str, Any]] = {
    "planning": {"deals": [[1, 0], [4, 3], [13, 1]]},
    "codepiece": {"dealers": [0, 1, 2]},
    "chefs_hat": {"matches": 2},
    "dou_dizhu": {"landlords": [0, 1]},
}
"""The viewer computes each position from the beginning, so twice the events take four times as long."""
GAMES = [make(name, OPTIONS.get(name, {})) for name in names()]
GAMES.append(make("chefs_hat", {"rules": "gym2", "matches": 2}))
GAMES.append(make("planning", {"seats": 2, "deck": "89TJQKA HS", "deals": [[3, 1], [7, 0]]}))
GAMES.append(make("dou_dizhu", {"bombs": "double", "landlords": [2]}))
DRAWN = {"hands", "counts", "table", "roles", "to_act", "points"}


class Folded(NamedTuple):
    """What the viewer made of a replay: its own events, a position after each, where it rests."""

    events: list[dict[str, Any]]
    positions: list[dict[str, Any]]
    stops: list[int]


def fold(*replays: Replay) -> list[Folded]:
    """Replays, folded by the viewer's own module."""
    words = [str(NODE), str(Path(__file__).with_name("positions.mjs")), str(STATIC / "replay" / "fold.js")]
    done = subprocess.run(words, input=json.dumps(replays), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [Folded(**folded) for folded in json.loads(done.stdout)]


@pytest.mark.process
@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_a_replay_is_folded_to_what_the_rules_know(game: AnyGame) -> None:
    record = play_by_policy(game, random_policy(7), match_spec(game))
    readers = [Reader("full"), *(Reader("seat", seat) for seat in range(game.seats))]
    replays = [
        *(replay_of(record, reader) for reader in readers),
        replay_of(record, Reader("public"), complete=False),
    ]
    every = fold(*replays, replay_of(record, Reader("public")))
    for replay, seen in zip(replays, every, strict=False):
        frames = json.loads(json.dumps(folded(replay)))
        frame: dict[str, Any] = {}
        for position in seen.positions:
            frame = frames.get(str(position["i"]), frame)
            drawn = DRAWN & frame.keys()
            assert {key: position[key] for key in drawn} == {key: frame[key] for key in drawn}
    assert every[-1].positions[-1]["points"] == list(record.points or ())
    whole, events = every[0], replays[0]["events"]
    asked = [event["seat"] for event in events if event["t"] == "ask"]
    rests = [whole.positions[i]["to_act"] for i in whole.stops]
    assert [seat for seat in rests if seat is not None][: len(asked)] == asked, (
        "whoever is asked next is outlined"
    )
    answers = [event["i"] for event in events if event["t"] == "answer"]
    for answer, following in zip(answers, [*answers[1:], len(events)], strict=True):
        assert any(answer <= stop < following for stop in whole.stops), "the viewer rests after each move"
    assert max(whole.stops) == len(events) - 1
