"""Matches as rows: the generic table for every game, the 15 columns of Chef's Hat, all forms read back."""

from __future__ import annotations

import ast
import builtins
import csv
import json
import random

import numpy as np
import pytest

from arbiter.errors import ConfigError, StoreError
from arbiter.games import make
from arbiter.games.chefs_hat.dataset_rows import CHEFS_HAT_COLUMNS
from arbiter.replay.export.columns import EVENT_COLUMNS, Column
from arbiter.replay.export.event_rows import chefs_hat_events, events, write_events
from arbiter.replay.export.row_files import RowFile
from arbiter.testing import ScriptedBot, match_spec, play_by_policy, play_in_memory, random_policy

COLUMNS = [
    "Match", "Round", "Agent_Names", "Source", "Action_Type", "Action_Description", "Player_Finished",
    "Player_Hands", "Board_Before", "Board_After", "Possible_Actions", "Current_Roles", "Match_Score",
    "Game_Score", "Game_Performance_Score",
]  # fmt: skip
KINDS = {
    "START_EXPERIMENT", "NEW_MATCH", "DEAL_CARDS", "DISCARD", "DECLARE_PIZZA", "END_MATCH",
    "CARD_EXCHANGE", "DECLARE_SPECIAL_ACTION", "END_EXPERIMENT",
}  # fmt: skip


def record_of(name="chefs_hat", seed="1", **options):
    game = make(name, options)
    return game, play_by_policy(game, random_policy(seed), match_spec(game, seed=seed))


@pytest.fixture(params=["book", "gym2"])
def hat(request):
    return record_of(rules=request.param, matches=4)


def game_of(record):
    return make(record.game, record.options)


# Every game


@pytest.mark.parametrize("name", ["planning", "chefs_hat", "dou_dizhu", "codepiece"])
def test_every_game_has_its_events(name):
    game, record = record_of(name)
    rows = list(events(record, game))
    assert all(list(row) == list(EVENT_COLUMNS) for row in rows)
    assert [row["number"] for row in rows] == list(range(len(rows)))
    moves = [row for row in rows if row["event"] == "move"]
    assert [(row["seat"], row["request"], row["action"]) for row in moves] == [
        (move.seat, move.request, move.action) for move in record.moves
    ]
    dealt = [row["hand"].split() for row in rows if row["event"] == "deal"]
    assert dealt == [list(hand) for deal in record.deals for hand in deal["hands"]]
    for seat in range(game.seats):
        ends = [row["points"] for row in rows if row["event"] == "end_deal" and row["seat"] == seat]
        (total,) = [row["points"] for row in rows if row["event"] == "end_match" and row["seat"] == seat]
        assert sum(ends) == total == record.points[seat]


def test_the_hand_of_a_move_is_the_one_held_when_asked(hat):
    game, record = hat
    for row in events(record, game):
        if row["event"] == "move" and row["request"] == "gen_exchange 2":
            assert set(row["action"].split()) <= set(row["hand"].split())
            assert len(row["hand"].split()) == 17


def test_a_fault_stands_at_its_seat():
    game = make("chefs_hat", {"matches": 1})
    deal = game.deal_from_json({"hands": [["11", "8"], ["5"], ["6"], ["7"]], "opener": 0})
    record = play_in_memory(game.given([deal]), [ScriptedBot(["C8;Q1;J0"]), *[ScriptedBot()] * 3])
    ends = [row for row in events(record, game) if row["event"] == "end_match"]
    assert [row["points"] for row in ends] == [None] * 4
    assert [row["detail"] is not None for row in ends] == [True, False, False, False]
    *_, last = chefs_hat_events(record, game)
    assert last["Action_Type"] == "END_EXPERIMENT"
    assert last["Action_Description"].startswith("illegal of ")


def test_a_record_of_other_moves_is_an_error():
    game, record = record_of()
    with pytest.raises(StoreError, match="belongs to no deal"):
        list(events(type(record)(**{**_fields(record), "deals": ()}), game))
    moves = (record.moves[0]._replace(action="C1;Q1;J0"), *record.moves[1:])
    with pytest.raises(StoreError, match="C1;Q1;J0 of seat"):
        list(events(type(record)(**{**_fields(record), "moves": moves}), game))


def _fields(record):
    return {name: getattr(record, name) for name in record.__slots__}


# Chef's Hat


def test_the_columns_and_kinds_are_the_documented_ones():
    assert list(CHEFS_HAT_COLUMNS) == COLUMNS
    kinds = set()
    for seed in range(12):
        game, record = record_of(seed=str(seed), matches=6)
        kinds |= {row["Action_Type"] for row in chefs_hat_events(record, game)}
    assert kinds == KINDS


def test_the_hands_dealt_are_the_hands_as_dealt(hat):
    game, record = hat
    rows = list(chefs_hat_events(record, game))
    dealt = [row["Player_Hands"] for row in rows if row["Action_Type"] == "DEAL_CARDS"]
    assert dealt == [[list(map(int, hand)) for hand in deal["hands"]] for deal in record.deals]
    gifts = [json.loads(row["Action_Description"]) for row in rows if row["Action_Type"] == "CARD_EXCHANGE"]
    assert gifts == [deal["exchange"] for deal in record.deals if deal.get("exchange")]


def test_discards_are_those_of_the_record(hat):
    game, record = hat
    rows = [row for row in chefs_hat_events(record, game) if row["Action_Type"] == "DISCARD"]
    moves = [move for move in record.moves if move.request == "gen_move"]
    assert [row["Source"] for row in rows] == [record.players[move.seat] for move in moves]
    if game.rules == "book":
        assert [row["Action_Description"] for row in rows] == [move.action for move in moves]
    assert all(row["Action_Description"] in row["Possible_Actions"] for row in rows)
    assert all([any(hand) for hand in row["Player_Hands"]] == [not row["Player_Finished"]] for row in rows)


def test_scores_add_up(hat):
    game, record = hat
    rows = list(chefs_hat_events(record, game))
    ends = [row for row in rows if row["Action_Type"] == "END_MATCH"]
    assert [row["Match"] for row in ends] == [1, 2, 3, 4]
    total = {name: sum(row["Match_Score"][name] for row in ends) for name in record.players}
    assert total == rows[-1]["Game_Score"] == dict(zip(record.players, record.points, strict=True))
    for name in record.players:
        mean = sum(10 * row["Match_Score"][name] / row["Round"] for row in ends) / 4
        assert rows[-1]["Game_Performance_Score"][name] == pytest.approx(mean)


def test_another_game_has_no_such_columns():
    game, record = record_of("planning")
    with pytest.raises(ConfigError, match="for chefs_hat"):
        list(chefs_hat_events(record, game))


# Files


def read(path):
    """The rows of a file of any form, as written."""
    if path.suffix == ".csv":
        with open(path, newline="", encoding="utf-8") as lines:
            return [
                {key: value_of(text) for key, value in row.items() for text in [value]}
                for row in csv.DictReader(lines)
            ]
    if path.suffix == ".pkl":
        frame = pytest.importorskip("pandas").read_pickle(path)
        return [
            {key: None if value is None else value for key, value in row.items()}
            for row in frame.to_dict("records")
        ]
    return [
        {key: by_name(value) for key, value in row.items()}
        for row in pytest.importorskip("pyarrow.parquet").read_table(path).to_pylist()
    ]


def by_name(value):
    """A mapping for what Parquet has as a list of names and values."""
    if value and isinstance(value, list) and isinstance(value[0], dict):
        return {one["name"]: one["value"] for one in value}
    return value


def value_of(text):
    if text == "":
        return None
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text


def without_order(rows):
    return [{key: value for key, value in row.items() if key != "Action_Description"} for row in rows]


@pytest.mark.parametrize("kind", ["csv", "pkl", "parquet"])
def test_chefs_hat_comes_back_as_written(kind, tmp_path):
    if kind == "pkl":
        pytest.importorskip("pandas")
    records = [record_of(seed=str(seed), matches=2)[1] for seed in range(2)]
    path = tmp_path / f"games.{kind}"
    write_events(f"chefs-hat-{kind}", iter(records), str(path), game_of)
    written = [row for record in records for row in chefs_hat_events(record, game_of(record))]
    back = read(path)
    assert list(back[0]) == COLUMNS
    # A text that is JSON reads as a list from CSV.
    assert without_order(back) == without_order(written)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_events_come_back_as_written(kind, tmp_path):
    records = [record_of(name)[1] for name in ("planning", "codepiece")]
    path = tmp_path / f"events.{kind}"
    write_events(f"events-{kind}", records, str(path), game_of)
    written = [row for record in records for row in events(record, game_of(record))]
    back = read(path)
    if kind == "parquet":
        assert back == written
    else:
        assert [(row["event"], row["seat"], row["points"]) for row in back] == [
            (row["event"], row["seat"], row["points"]) for row in written
        ]


def test_records_are_asked_for_one_at_a_time(tmp_path):
    alive = []

    def records():
        for seed in range(5):
            alive.append(seed)
            yield record_of(seed=str(seed), matches=1)[1]

    class Stops(Exception):
        pass

    def game(record):
        if len(alive) == 3:
            raise Stops
        return game_of(record)

    with pytest.raises(Stops):
        write_events("chefs-hat-csv", records(), str(tmp_path / "a.csv"), game)
    assert alive == [0, 1, 2]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("form", "problem"),
    [("events-pkl", "is not a form of events"), ("chefs_hat-csv", "did you mean chefs-hat-csv")],
)
def test_another_form_is_refused(form, problem, tmp_path):
    with pytest.raises(ConfigError, match=problem):
        write_events(form, [], str(tmp_path / "a"), game_of)


def test_what_is_missing_is_said_in_one_line(tmp_path, monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name in ("pandas", "pyarrow"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    for kind, package in (("pkl", "pandas"), ("parquet", "pyarrow")):
        with pytest.raises(ConfigError, match=f"package {package}, which is not here .pip install") as raised:
            write_events(f"chefs-hat-{kind}", [], str(tmp_path / f"a.{kind}"), game_of)
        assert "\n" not in str(raised.value)
    assert not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_is_said(tmp_path):
    with pytest.raises(ConfigError, match="cannot be written"):
        RowFile(str(tmp_path / "none" / "a.csv"), {"a": Column("int", "")})
    with pytest.raises(ConfigError, match="is a folder"):
        RowFile(str(tmp_path), {"a": Column("int", "")}, "csv")
    with pytest.raises(ConfigError, match="not a form"):
        RowFile(str(tmp_path / "a.txt"), {"a": Column("int", "")})


# Games in progress


def test_a_room_takes_down_what_it_plays(tmp_path):
    from arbiter.envs.chefs_hat import Room

    choose = random.Random(1).choice

    def agent(observation, info):
        return choose(np.flatnonzero(observation[28:] == 1).tolist())

    path = tmp_path / "room.parquet"
    with Room(dict.fromkeys("abcd", agent), matches=3, dataset=str(path)) as room:
        results = [room.play(seed=1), room.play()]
    rows = read(path)
    ends = [row["Game_Score"] for row in rows if row["Action_Type"] == "END_EXPERIMENT"]
    assert ends == [result.scores for result in results]
    assert [
        sorted(card for hand in row["Player_Hands"] for card in hand)
        for row in rows
        if row["Action_Type"] == "DEAL_CARDS"
    ] == [sorted([*(value for value in range(1, 12) for _ in range(value)), 12, 12])] * 6


def test_an_environment_takes_down_what_is_played(tmp_path):
    from arbiter.envs.chefs_hat import ChefsHatEnv

    path = tmp_path / "env.csv"
    env = ChefsHatEnv(rules="gym2", matches=2, player_names=list("abcd"), dataset=str(path))
    env.reset(seed=1)
    valid = []
    while not env.over:
        *_, info = env.step(env.legal_ids()[0])
        valid.append(info["Action_Decoded"])
    assert not path.exists()
    env.close()
    played = [row["Action_Description"] for row in read(path) if row["Action_Type"] == "DISCARD"]
    given = 3
    assert len(played) == len(valid) - given
    assert read(path)[-1]["Game_Score"] == dict(zip("abcd", env.scores, strict=True))
