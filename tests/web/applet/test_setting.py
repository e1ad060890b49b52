"""Tables set in the page: games, seats, cards, records; every mistake at its field, and nothing changed by it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("starlette", reason="needs starlette: pip install 'arbiter-cards[web]'")

from arbiter.cli.table_setup import make_occupant
from arbiter.games import make, names
from arbiter.table.interactive.occupants import Person
from arbiter.web.applet import saved_tables
from arbiter.web.applet.saved_tables import SavedTables
from tests.fixtures.applet import LIMITS, SMALL, Owner, begin, random_players, seated
from tests.fixtures.zoo import ILLEGAL, Kept

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def remembering(tmp_path: Path) -> Iterator[Owner]:
    with seated(file=tmp_path / "state" / "applet.json") as owner:
        yield owner


@pytest.fixture(scope="module")
def kept_owner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Owner]:
    with seated(file=tmp_path_factory.mktemp("state") / "applet.json") as owner:
        yield owner


@pytest.fixture
def owner(kept_owner: Owner) -> Owner:
    return begin(kept_owner, Person())


@pytest.fixture(scope="module")
def unchanged() -> Iterator[Owner]:
    """A table at which nothing but mistakes is made."""
    with seated() as owner:
        yield owner


def without_revision(state: Any) -> Any:
    return {key: value for key, value in state.items() if key != "revision"}


def fields(owner: Owner, path: str, body: object) -> list[str]:
    """The fields of the mistakes in a form, after which the table is as it was."""
    before = without_revision(owner.get("/state"))
    status, told = owner.ask(path, body)
    assert status == 422, told
    assert told["error"] == told["errors"][0]
    assert without_revision(owner.get("/state")) == before
    return [error["field"] for error in told["errors"]]


def test_all_mistakes_of_a_form_are_told_at_once(unchanged: Owner) -> None:
    form = {
        "game": "planning",
        "options": {"deals": 1, "colour": "red"},
        "seats": ["human", "nobody", "bot:", "bot:no-such-program"],
        "seed": "\n",
        "limits": {"time": "soon", "memory": "1"},
    }
    assert sorted(fields(unchanged, "/table", form)) == [
        "limits.memory", "limits.time", "options.colour", "options.deals", "seats.1", "seats.2", "seats.3", "seed",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({}, "game"),
        ({"game": 1}, "game"),
        ({"game": "chess"}, "game"),
        ({"game": "\x00"}, "game"),
        ({"game": "planning", "round": 0}, "round"),
        ({"game": "planning", "round": 10**9}, "round"),
        ({"game": "planning", "seats": ["random"] * 5}, "seats.4"),
        ({"game": "planning", "seats": "human"}, "seats"),
        ({"game": "planning", "isolation": "jail"}, "isolation"),
        ({"game": "planning", "limits": {"isolation": "plain"}}, "limits.isolation"),
        ({"game": "planning", "limits": {"clock": "sun"}}, "limits.clock"),
        ({"game": "planning", "deals": []}, "deals"),
        ({"game": "planning", "deals": [{"hands": [["2C"]]}]}, "deals.0"),
        ({"game": "planning", "deals": [1]}, "deals.0"),
        ({"game": "planning", "more": 1}, "more"),
        ({"game": "planning", "seats": ["bot:./a\x00b"]}, "seats.0"),
        ({"game": "planning", "seats": ["bot:'"]}, "seats.0"),
    ],
)
def test_a_mistake_stands_at_its_field(unchanged: Owner, form: object, field: str) -> None:
    assert fields(unchanged, "/table", form) == [field]


def test_no_shell_reads_a_command(owner: Owner, tmp_path: Path) -> None:
    made = tmp_path / "made"
    for command in ("touch {}; true", "$(touch {})", "`touch {}`", "| touch {}", "true && touch {}"):
        bot = f"bot:{command.format(made)}"
        owner.ask("/table", {"game": "planning", "seats": [bot], "isolation": "plain"})
        owner.ask("/seat", {"seat": 0, "who": bot})
        assert not made.exists(), command


def test_who_takes_over_a_seat_is_named_in_the_state(owner: Owner) -> None:
    assert owner.post("/seat", {"seat": 2, "who": "human"})["setup"]["seats"][2]["person"]
    assert fields(owner, "/seat", {"seat": 2, "who": "nobody"}) == ["who"]
    assert fields(owner, "/seat", {"seat": 4, "who": "human"}) == ["seat"]


def test_other_cards_for_a_deal_begin_it_anew(owner: Owner) -> None:
    for seat in range(4):
        owner.post("/seat", {"seat": seat, "who": "random"})
    owner.post("/play", {"until": "deal"})
    owner.wait()
    owner.post("/step")
    made = owner.get("/state")["made"]
    first, second = owner.get("/record")["deals"]
    hands = second["hands"][1:] + second["hands"][:1]
    state = owner.post("/deal", {"hands": hands})
    assert state["made"] == made - 1
    assert state["by_hand"]
    assert [deal["hands"] for deal in owner.get("/record")["deals"]] == [first["hands"], hands]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"hands": [["2C"]]}, ""),
        ({"hands": "2C"}, ""),
        ({"hands": [["2C"], ["2C"], ["3C"], ["4C"]]}, ""),
        ({"hands": [["2C"], ["XX"], ["3C"], ["4C"]]}, ""),
        ({"starter": 4}, ""),
        ({"more": 1}, ""),
        ({"deal": 1}, "deal"),
        ({"deal": -1}, "deal"),
    ],
)
def test_cards_that_cannot_be_change_nothing(unchanged: Owner, body: object, field: str) -> None:
    assert fields(unchanged, "/deal", body) == [field]


def test_other_cards_for_an_earlier_deal_need_the_same_programme() -> None:
    with seated(*random_players()) as owner:
        owner.post("/play", {"until": "deal"})
        owner.wait()
        assert (
            owner.ask("/deal", {"starter": 3})[1]["error"]["hint"]
            == "set a new table, or edit the first deal"
        )


@pytest.mark.parametrize("name", names())
def test_a_table_of_each_game_is_set_and_played_and_its_record_fed_again(owner: Owner, name: str) -> None:
    seats = ["random"] * make(name, {}).seats
    form = {"game": name, "options": SMALL.get(name, {}), "seats": seats, "seed": "7", "round": 3}
    setup = owner.post("/table", form)["setup"]
    assert (setup["game"], setup["seed"], setup["round"]) == (name, "7", 3)
    assert [seat["who"] for seat in setup["seats"]] == seats
    owner.post("/play", {"until": "end"})
    assert owner.wait()["over"]
    record = owner.get("/record")
    owner.post("/load", record)
    state = owner.wait()
    assert (state["over"], state["notes"]) == (True, [])
    again = owner.get("/record")
    assert [move["action"] for move in again["moves"]] == [move["action"] for move in record["moves"]]
    assert again["points"] == record["points"]


def test_a_replay_is_fed_as_a_record_is_up_to_a_decision(owner: Owner) -> None:
    owner.post("/table", {"game": "planning", "options": SMALL["planning"], "seats": ["random"] * 4})
    owner.post("/play", {})
    owner.wait()
    record, replay = owner.get("/record"), owner.get("/replay")
    owner.post("/load", {**record, "until": 3, "seats": ["2=random"]})
    state = owner.wait()
    assert state["made"] == 3
    assert [seat["who"] for seat in state["setup"]["seats"]] == ["human", "human", "random", "human"]
    owner.post("/load", {**replay, "until": 3})
    assert owner.wait()["made"] == 3
    again = owner.get("/record")
    assert [move["action"] for move in again["moves"]] == [move["action"] for move in record["moves"][:3]]
    assert again["deals"][0] == record["deals"][0]
    status, told = owner.ask("/load", owner.get("/replay?reader=seat:2"))
    assert (status, told["error"]["message"]) == (422, "hides hands: it is for seat:2 alone")


def test_a_record_with_edited_cards_is_fed_again_in_a_game_whose_deals_depend_on_each_other(
    owner: Owner,
) -> None:
    owner.post("/table", {"game": "chefs_hat", "options": {"matches": 2}, "seats": ["random"] * 4})
    owner.post("/play", {"until": "deal"})
    owner.wait()
    hands = owner.get("/record")["deals"][1]["hands"]
    owner.post("/deal", {"hands": hands[1:] + hands[:1]})
    owner.post("/play", {})
    owner.wait()
    record = owner.get("/record")
    owner.post("/load", record)
    assert owner.wait()["result"]["points"] == record["points"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"moves": 1}, "moves"),
        ({"moves": [{}]}, "moves.0.deal"),
        ({"game": None}, "game"),
        ({"options": []}, "options"),
        ({"options": {"deals": "x"}}, "deals"),
        ({"seed": 1}, "seed"),
        ({"deals": [1]}, "deals.0"),
        ({"deals": [{}], "deal_hash": "x"}, ""),
        ({"players": ["a"]}, ""),
        ({"round": -1}, "round"),
        ({"until": 99}, ""),
        ({"seats": ["nobody"]}, ""),
    ],
)
def test_what_is_no_record_changes_nothing(unchanged: Owner, change: dict[str, Any], field: str) -> None:
    record = unchanged.get("/record")
    assert fields(unchanged, "/load", {**record, **change})[0] == field


def test_a_match_of_a_season_is_fed_up_to_its_fault(owner: Owner, kept: Kept) -> None:
    given = {"config": str(kept.file), "id": ILLEGAL, "seats": ["random", "1=random", "human", "random"]}
    owner.post("/match", given)
    state = owner.wait()
    record = kept.match(ILLEGAL)
    assert record.forfeit is not None
    assert state["made"] == len(record.moves)
    assert (state["to_act"], state["request"]) == (2, record.forfeit.command)
    assert owner.get("/record")["moves"][-1]["action"] == record.moves[-1].action
    assert owner.post("/match", {**given, "until": 2})["made"] == 2
    assert fields(owner, "/match", {**given, "id": "r009/t01/m0"}) == [""]


@pytest.mark.parametrize("config", ["/no/such.yaml", "/dev/zero", "/", ""])
def test_a_config_that_is_not_there_is_a_mistake(unchanged: Owner, config: str) -> None:
    assert len(fields(unchanged, "/match", {"config": config, "id": "r001/t01/m0"})) == 1


def test_a_table_is_remembered_and_can_be_set_again(remembering: Owner, tmp_path: Path) -> None:
    form = {"game": "dou_dizhu", "seats": ["human"], "limits": {"time": "3m"}}
    remembering.post("/table", form)
    remembering.post("/table", {"game": "planning"})
    saved = remembering.get("/saved")["saved"]
    assert [table["game"] for table in saved] == ["planning", "dou_dizhu"]
    remembering.post("/load", saved[1])
    assert remembering.get("/state")["setup"]["limits"]["time"] == "180s"
    assert [
        one.model_dump(mode="json") for one in SavedTables(tmp_path / "state" / "applet.json").tables
    ] == remembering.get("/saved")["saved"]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"tables": 1}', '{"tables": [{"game": 1}]}', "\x00", "[" * 100_000]
)
def test_a_file_of_tables_that_cannot_be_read_is_ignored_with_a_note(tmp_path: Path, text: str) -> None:
    file = tmp_path / "applet.json"
    file.write_text(text)
    remembered = SavedTables(file)
    assert remembered.tables == []
    assert str(file) in remembered.note


def test_so_many_tables_are_remembered_and_no_more(
    remembering: Owner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved_tables, "MOST", 3)
    for seed in range(5):
        remembering.post("/table", {"game": "planning", "seed": str(seed)})
    kept = json.loads((tmp_path / "state" / "applet.json").read_text())["tables"]
    assert [table["seed"] for table in kept] == [str(seed) for seed in (4, 3, 2)]


def test_each_shipped_bot_can_be_seated(unchanged: Owner) -> None:
    bots = unchanged.get("/bots")["bots"]
    assert {bot["game"] for bot in bots} == set(names())
    for bot in bots:
        assert make_occupant(bot["who"], LIMITS).who == bot["who"]


def test_each_game_is_told_with_its_options(unchanged: Owner) -> None:
    games = unchanged.get("/games")["games"]
    assert [game["name"] for game in games] == names()
    for game in games:
        given = {
            option["name"]: option["default"] for option in game["options"] if option["default"] is not None
        }
        assert make(game["name"], given) == make(game["name"], {})
