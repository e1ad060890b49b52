"""Replays that a site gave, played again at home; and files that only look like one."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.errors import ArbiterError, ConfigError
from arbiter.games import make
from arbiter.match.position import retrace
from arbiter.replay.visibility import Reader, replay_of
from arbiter.table.interactive.replay_import import record_of
from arbiter.testing import match_spec, play_by_policy, random_policy
from tests.fixtures.commands import RANDOM
from tests.fixtures.profiles import examples
from tests.fixtures.replays import OPTIONS, faulty, game_of, match_of

if TYPE_CHECKING:
    from pathlib import Path

    from arbiter.match.record import MatchRecord
    from tests.fixtures.commands import Run

PUBLIC = Reader("public")
GAMES = [game_of(name) for name in OPTIONS]
# Random actions are played in place of some answers, and cards are exchanged.
GAMES.append(make("chefs_hat", {"rules": "gym2", "matches": 2}))


def as_sent(record: MatchRecord, reader: Reader = PUBLIC, complete: bool = True) -> Any:
    """A replay after its way through JSON."""
    return json.loads(json.dumps(replay_of(record, reader, complete)))


def words(record: MatchRecord) -> list[tuple[int, int, str, str]]:
    return [(move.deal, move.seat, move.request, move.action) for move in record.moves]


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_a_replay_has_the_moves_and_the_cards_of_its_match(game: Any) -> None:
    record = play_by_policy(game, random_policy("x"), match_spec(game))
    found = record_of(as_sent(record))
    assert (found.game, found.options, words(found)) == (record.game, record.options, words(record))
    states = [[getattr(event, "after", None) for event in retrace(one, game)] for one in (record, found)]
    hands = [[game.hand(state, 0) for state in course if state is not None] for course in states]
    assert hands[0] == hands[1]


@pytest.mark.parametrize("name", OPTIONS)
def test_it_is_fed_as_the_record_of_its_match_is(arbiter: Run, name: str, tmp_path: Path) -> None:
    record, replay = tmp_path / "record.json", tmp_path / "replay.json"
    match = match_of(name)
    record.write_text(json.dumps(match.to_json()))
    replay.write_text(json.dumps(as_sent(match)))
    more = ("--until", str(len(match.moves) - 3), "--isolation", "plain")
    fed = [
        arbiter("console", *given, *more, script="hands\nstate\n")
        for given in (("--record", record), ("--from-replay", replay))
    ]
    assert fed[0][0] == 0
    assert f"fed {len(match.moves) - 3} of " in fed[0][1]
    assert fed[0] == fed[1]
    code, _, err = arbiter("console", "--record", record, "--until", "9999")
    assert (code, err) == (
        2,
        f"arbiter: --until: expected at most {len(match.moves)}, the decisions of the match, got 9999\n",
    )


def test_it_is_fed_up_to_its_fault(arbiter: Run, tmp_path: Path) -> None:
    replay = tmp_path / "replay.json"
    replay.write_text(json.dumps(as_sent(faulty(match_of("planning"), 30))))
    out = arbiter("console", "--from-replay", replay, "--isolation", "plain")[1]
    assert "fed 30 of 30 recorded decisions" in out


@pytest.mark.process
def test_play_deals_its_cards_to_bots(arbiter: Run, tmp_path: Path) -> None:
    match, replay, again = match_of("planning"), tmp_path / "replay.json", tmp_path / "again.json"
    replay.write_text(json.dumps(as_sent(match)))
    bots = ["--bot", RANDOM] * 4
    given = ("--from-replay", replay, *bots, "--isolation", "plain")
    assert arbiter("play", *given, "--record", again)[0] == 0
    found = json.loads(again.read_text())
    assert [deal["hands"] for deal in found["deals"]] == [deal["hands"] for deal in match.deals]
    assert found["options"] == match.options
    for more in (("--game", "planning"), ("--deals", replay), ("--config", "x")):
        code, _, err = arbiter("play", *given, *more)
        assert (code, err) == (
            2, "arbiter: --from-replay sets game, options and deals: leave out these options\n",
        )  # fmt: skip


@pytest.mark.parametrize(
    ("reader", "complete", "said"),
    [
        (PUBLIC, False, "hides the hands: its round was still played (download it again later)"),
        (Reader("seat", 2), True, "hides hands: it is for seat:2 alone (download one from the page of a match)"),
    ],
)  # fmt: skip
def test_a_replay_that_hides_cards_says_why(
    arbiter: Run, tmp_path: Path, reader: Reader, complete: bool, said: str
) -> None:
    file = tmp_path / "replay.json"
    file.write_text(json.dumps(as_sent(match_of("planning"), reader, complete)))
    assert arbiter("console", "--from-replay", file) == (2, "", f"{file}: {said}\n")


def test_a_file_that_is_none_is_one_line(arbiter: Run, tmp_path: Path) -> None:
    file, record = tmp_path / "x.json", match_of("planning")
    whole = as_sent(record)
    texts = {
        "": "is not JSON",
        "[" * 100_000: "is not JSON",
        "[]": "has no match",
        json.dumps({"format": "arbiter-replay/1"}): "is not a whole replay: 'reader' is missing",
        json.dumps(whole | {"game": {"name": "\x1b[2J", "options": {}}}): "unknown game",
        json.dumps(whole | {"players": whole["players"][:3]}): "has 3 players, and its game 4 seats",
        json.dumps(whole | {"deals": []}): "cannot be played",
    }
    for text, said in texts.items():
        file.write_text(text)
        for words in (["console"], ["play", "--bot", "python3"]):
            code, out, err = arbiter(*words, "--from-replay", file)
            assert (code, out, err.count("\n")) == (2, "", 1), err
            assert said in err
            assert "\x1b" not in err
    code, _, err = arbiter("console", "--from-replay", "/dev/zero")
    assert (code, err) == (2, "/dev/zero: has more than 50000000 characters\n")


WRONG = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5),
    st.sampled_from(["x" * 10_000, 10**30, -1, [], {}, [[]], {"hands": None}, "planning"]),
)  # fmt: skip


@pytest.mark.parametrize("name", ["planning", "chefs_hat"])
@examples(100)
@given(seed=st.integers(0, 2**32), wrong=WRONG, gone=st.booleans())
def test_no_change_of_a_replay_is_a_failure_of_ours(name: str, seed: int, wrong: Any, gone: bool) -> None:
    lot, shape = random.Random(seed), as_sent(match_of(name))
    place: Any = shape
    while True:
        key = lot.choice(list(place) if isinstance(place, dict) else range(len(place)))
        inner = place[key]
        if not isinstance(inner, dict | list) or not inner or lot.random() < 0.1:
            break
        place = inner
    if gone:
        del place[key]
    else:
        place[key] = wrong
    try:
        record_of(shape)
    except ArbiterError as error:
        assert isinstance(error, ConfigError)
