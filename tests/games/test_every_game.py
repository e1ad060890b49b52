"""What is alike for every game: promises, golden matches, options and deals that are refused, a whole season."""

from __future__ import annotations

import json
from collections import Counter
from importlib.metadata import EntryPoint, EntryPoints
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from arbiter import games
from arbiter.errors import ConfigError
from arbiter.games import make, names
from arbiter.games.chefs_hat import ChefsHat
from arbiter.games.chefs_hat.deal import must_give, reversed_roles
from arbiter.games.codepiece import Codepiece
from arbiter.games.dou_dizhu import DouDizhu
from arbiter.games.planning import Planning
from arbiter.replay.export import text
from arbiter.replay.score_sheet import score_sheet, sheets_of
from arbiter.season.config import game_of, load
from arbiter.season.season import Season
from arbiter.season.verify import verify
from arbiter.season.verify_findings import FindingKind
from arbiter.store import Store
from arbiter.testing import (
    Said,
    ScriptedBot,
    check_game,
    match_spec,
    play_by_policy,
    play_in_memory,
    random_policy,
)
from rating import read_results
from tests.fixtures.crosstables import counted, crosstable, pairwise

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from arbiter.games.game import AnyGame
    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore

ROUNDS = 2
GAMES = {
    "planning": ("{name: planning, deals: [[2, 1]]}", 4, 4),
    "codepiece": ("{name: codepiece, dealers: [3]}", 4, 12),
    "codepiece of two": ("{name: codepiece, dealers: [3, 0], partners: same}", 2, 2),
    "dou_dizhu": ("dou_dizhu", 3, 3),
    "dou_dizhu doubled": ("{name: dou_dizhu, landlords: [1], bombs: double}", 3, 3),
    "chefs_hat": ("chefs_hat", 4, 4),
    "chefs_hat to points": ("{name: chefs_hat, points: 5}", 4, 4),
    "chefs_hat as published": ("{name: chefs_hat, rules: gym2, matches: 2}", 4, 4),
}
FAULTY = "r001/t01/m1"


def play_match(config: Config, spec: MatchSpec) -> MatchRecord:
    """Legal play by lot; in one match seat 1 ends instead of answering for the first time."""
    record = play_by_policy(config.game, random_policy(spec.id), spec)
    if spec.id != FAULTY:
        return record
    bots = [ScriptedBot.replaying(record, seat) for seat in range(config.game.seats)]
    bots[1] = ScriptedBot()
    return play_in_memory(config.game, bots, spec)


@pytest.fixture(params=GAMES)
def kind(request: pytest.FixtureRequest) -> Any:
    return GAMES[request.param]


@pytest.fixture
def config(kind: Any, tmp_path: Path) -> Config:
    """Seven players and a house bot, which tables of two, three and four all need."""
    lines = [
        f"game: {kind[0]}",
        f"rounds: {ROUNDS}",
        "opening_rounds: 1",
        "seed: every game",
        "house_bots: [house]",
    ]
    lines += ["players:", "  - {name: house, command: [python3], house: true}"]
    lines += [f"  - {{name: p{number}, command: [python3]}}" for number in range(7)]
    path = tmp_path / "season.yaml"
    path.write_text("\n".join(lines))
    return load(path)


@pytest.fixture
def season(config: Config) -> SeasonStore:
    """All rounds, played in memory."""
    store = Store(config.store)
    season = Season.open(config, store).stored
    going = Season(config, season)
    while (plan := going.rounds.plan()) is not None:
        for spec in plan.missing:
            season.add_match(play_match(config, spec))
        going.rounds.finish(plan.stored.number)
    return season


@pytest.mark.slow
def test_a_season_is_whole(kind: Any, config: Config, season: SeasonStore, tmp_path: Path) -> None:
    _, size, rotations = kind
    summaries = season.summaries()
    joined = 7 + -7 % size
    assert len(summaries) == ROUNDS * joined // size * rotations
    assert all(len(set(match.players)) == size for match in summaries)
    # Every one of the seven in every round, in all rotations of a table.
    sat = Counter(name for match in summaries for name in set(match.players))
    assert {sat[f"p{number}"] for number in range(7)} == {ROUNDS * rotations}
    assert [str(found) for found in verify(config, season) if found.kind is not FindingKind.UNCHECKED] == []
    expected = crosstable(pairwise(summaries))
    records = [season.match(match.id) for match in summaries]
    for form in ("pgn", "jsonl"):
        file = tmp_path / f"season.{form}"
        file.write_text("".join(text(form, (record for record in records if record is not None))))
        assert counted(read_results([file]).table) == expected
    (fault,) = [match for match in summaries if match.fault is not None]
    assert fault.id == FAULTY
    # A loss to each of the other players of the table, the partner too.
    lost = season.match(FAULTY)
    assert lost is not None
    assert [(one, score) for one, _, score in lost.results()] == [(1, 0.0)] * (size - 1)


DEFAULTS: dict[str, dict[str, Any]] = {
    "planning": {"seats": 4, "deck": "23456789TJQKA CDHS", "deals": [[n, (n - 1) % 4] for n in range(1, 14)]},
    "codepiece": {"dealers": [0, 1, 2, 3], "partners": "mixed"},
    "dou_dizhu": {"landlords": [0, 1, 2], "bombs": "single"},
    "chefs_hat": {"rules": "book", "matches": 3},
}


@pytest.mark.parametrize("name", names())
def test_the_default_game_says_what_it_is(name: str) -> None:
    game = make(name, {})
    assert (game.name, game.options) == (name, DEFAULTS[name])
    assert set(game.options) <= set(game.option_help)


# Promises.


def shown_by_forced_gifts(deal: Any, other: Any, seat: int) -> bool:
    """Whether the forced gifts of either order of roles show a seat which deal it is in."""
    for roles in (deal.roles, reversed_roles(deal.roles)) if deal.roles else ():
        number = 2 - roles[seat]
        if number > 0:
            giver = roles.index(3 - roles[seat])
            if must_give(deal.hands[giver], number) != must_give(other.hands[giver], number):
                return True
    return False


def shown_by_random_actions(*_: Any) -> bool:
    """A random action is drawn from a player's possible ones, so it shows which these were."""
    return True


BOOK = {"copies": True, "reveals": shown_by_forced_gifts}
GYM2 = {"copies": True, "reveals": shown_by_random_actions}
PROMISES: list[tuple[AnyGame, dict[str, Any]]] = [
    (Codepiece(), {"matches": 1}),
    (Codepiece([1, 1], "same"), {"matches": 1}),
    (DouDizhu(bombs="double"), {"copies": True}),
    (DouDizhu([1, 1, 0, 2]), {"copies": True}),
    (ChefsHat(), BOOK),
    (ChefsHat(points=7), BOOK),
    (ChefsHat("gym2", matches=2), GYM2),
    # Equal numbers of cards are told apart by seat, so seats are not alike.
    (ChefsHat("gym2", max_rounds=6), GYM2 | {"rotations": False}),
]
"""Planning's are checked with the check itself, in tests/testing."""


@pytest.mark.parametrize(("game", "how"), PROMISES, ids=[repr(game) for game, _ in PROMISES])
def test_every_promise_of_a_game_is_kept(game: AnyGame, how: dict[str, Any]) -> None:
    check_game(game, **how)


# Golden matches.

MATCHES: dict[str, tuple[AnyGame, str, int]] = {
    "planning": (Planning(), "1", 250_000),
    "codepiece": (Codepiece([3, 0]), "words", 0),
    "dou_dizhu": (DouDizhu(), "1", 250_000),
    "chefs_hat": (ChefsHat(), "golden", 0),
}
"""By game: its options, the seed of the deals, what an exchange costs in ns."""


@pytest.mark.parametrize("name", MATCHES)
def test_a_match_is_word_for_word_the_golden_one(name: str, golden: Callable[[str, str], None]) -> None:
    game, seed, cost = MATCHES[name]
    policy, said = random_policy("words" if seed == "words" else "golden"), list[Said]()
    record = play_by_policy(game, policy, match_spec(game, seed=seed), cost=cost, transcript=said)
    lines = [f"{seat} {command} | {reply.decode().strip()}" for seat, command, reply in said]
    golden(f"{name}_match.txt", "\n".join(lines) + "\n")
    lines = []
    for dealt, steps in sheets_of(record, game):
        lines.append(json.dumps({key: value for key, value in dealt.shape.items() if key != "hands"}))
        hands = enumerate(dealt.deal.hands)
        lines += [f"seat {seat}: {game.hand_text(sorted(hand))}" for seat, hand in hands]
        lines += score_sheet(game, dealt.state, steps)
    golden(f"{name}_sheet.txt", "\n".join([*lines, f"points {record.points}"]) + "\n")


# What is refused.

WRONG_OPTIONS: dict[str, list[tuple[dict[str, Any], list[str | int], str]]] = {
    "planning": [
        ({"seats": 1}, ["seats"], "1 is not a number of players from 2 to 4"),
        ({"seats": 5}, ["seats"], "5 is not a number of players"),
        ({"seats": "4"}, ["seats"], "'4' is not a number of players"),
        ({"seats": True}, ["seats"], "True is not a number of players"),
        ({"seats": 4.0}, ["seats"], "4.0 is not a number of players"),
        ({"deck": ""}, ["deck"], "'' is not a deck"),
        ({"deck": "2345"}, ["deck"], "'2345' is not a deck"),
        ({"deck": "23 CD HS"}, ["deck"], "'23 CD HS' is not a deck"),
        ({"deck": 52}, ["deck"], "52 is not a deck"),
        ({"deck": "2234 CDHS"}, ["deck"], "'2234 CDHS' names something twice"),
        ({"deck": "2345 CDHC"}, ["deck"], "'2345 CDHC' names something twice"),
        ({"deck": "2345 CD\u2665S"}, ["deck"], "has a character that is not plain"),
        ({"deck": "".join(map(chr, range(33, 127))) + " CDH"}, ["deck"], "has 282 cards, not 4 to 256"),
        ({"deals": []}, ["deals"], "not a list of"),
        ({"deals": "13"}, ["deals"], "not a list of"),
        ({"deals": {"1": 0}}, ["deals"], "not a list of"),
        ({"deals": [[1, 0], 2]}, ["deals", 1], "2 is not a pair"),
        ({"deals": [[1, 0, 0]]}, ["deals", 0], "is not a pair"),
        ({"deals": [[1.0, 0]]}, ["deals", 0], "is not a pair"),
        ({"deals": [[1, True]]}, ["deals", 0], "is not a pair"),
        ({"deals": [[1, 0], [0, 0]]}, ["deals", 1, 0], "0 cards each: 52 cards give 4 players 1 to 13"),
        ({"deals": [[14, 0]]}, ["deals", 0, 0], "14 cards each"),
        ({"deals": [[1, 4]]}, ["deals", 0, 1], "starter 4 is not a seat 0..3"),
        ({"deals": [[1, -1]]}, ["deals", 0, 1], "starter -1 is not a seat 0..3"),
        ({"seats": 3, "deals": [[1, 3]]}, ["deals", 0, 1], "starter 3 is not a seat 0..2"),
        ({"deck": "2 CD"}, ["deck"], "has 2 cards, not 4 to 256"),
        ({"deels": []}, ["deels"], "unknown option of planning (did you mean deals?)"),
    ],
    "codepiece": [
        ({"dealers": [0, 4]}, ["dealers", 1], "dealer 4 is not a seat 0..3"),
        ({"dealers": [True]}, ["dealers", 0], "dealer True is not a seat"),
        ({"dealers": []}, ["dealers"], "[] is not a list of seats"),
        ({"dealers": 3}, ["dealers"], "3 is not a list of seats"),
        ({"partners": "sane"}, ["partners"], "'sane' is not known"),
        ({"deck": "23 CD"}, ["deck"], "unknown option of codepiece"),
    ],
    "dou_dizhu": [
        ({"landlords": []}, ["landlords"], "[] is not a list of seats"),
        ({"landlords": 1}, ["landlords"], "1 is not a list of seats"),
        ({"landlords": "012"}, ["landlords"], "'012' is not a list of seats"),
        ({"landlords": [0, 3]}, ["landlords", 1], "landlord 3 is not a seat 0..2"),
        ({"landlords": [-1]}, ["landlords", 0], "landlord -1 is not a seat 0..2"),
        ({"landlords": [True]}, ["landlords", 0], "landlord True is not a seat"),
        ({"landlords": [1.0]}, ["landlords", 0], "landlord 1.0 is not a seat"),
        ({"bombs": "triple"}, ["bombs"], "'triple' is not known"),
        ({"bombs": True}, ["bombs"], "True is not known"),
        ({"bombs": ["double"]}, ["bombs"], "['double'] is not known"),
    ],
    "chefs_hat": [
        ({"rules": "boko"}, ["rules"], "'boko' is not known"),
        ({"rules": ["book"]}, ["rules"], "is not known"),
        ({"matches": 0}, ["matches"], "0 is not a number from 1 to 1000"),
        ({"matches": True}, ["matches"], "True is not a number"),
        ({"points": "15"}, ["points"], "'15' is not a number"),
        ({"points": 15, "matches": 3}, ["points"], "not both"),
        ({"max_rounds": 9}, ["max_rounds"], "rules: gym2 alone"),
        ({"rules": "gym2", "max_rounds": -1}, ["max_rounds"], "-1 is not a number"),
        ({"match": 3}, ["match"], "unknown option of chefs_hat"),
    ],
}


@pytest.mark.parametrize(
    ("name", "options", "path", "message"),
    [(name, *row) for name, rows in WRONG_OPTIONS.items() for row in rows],
)
def test_a_wrong_option_is_refused_with_its_path(
    name: str, options: dict[str, Any], path: list[str | int], message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        make(name, options)
    (problem,) = caught.value.problems
    assert list(problem.path) == path
    assert message in str(caught.value)


def test_all_wrong_options_are_told_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        make("dou_dizhu", {"landlords": [3, 4], "bombs": 2, "landlord": 1})
    assert len(caught.value.problems) == 4


CHEFS = [
    [1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5, 6, 12],
    [6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 8, 8, 8, 8, 8],
    [8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 10, 10, 10, 10, 12],
]
FULL = [*CHEFS, [10, 10, 10, 10, 10, 10, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11]]
ROLES = ["Chef", "Souschef", "Waiter", "Dishwasher"]
WRONG_DEALS: dict[str, list[tuple[Any, str]]] = {
    "planning": [
        ({"hands": [["AC"], ["KC"], ["QC"]]}, "needs 4 hands"),
        ({"hands": [["AC"], ["AC"], ["QC"], ["JC"]]}, "without a card twice"),
        ({"hands": [["AC"], ["KC"], ["QC"], ["1C"]]}, "has an unknown card '1C'"),
        ({"hands": [["AC"], ["KC"], ["QC"], ["JC"]], "starter": 4}, "starter is not a seat 0..3"),
        ({"hands": [["AC"], ["KC"], ["QC"], ["JC"]], "dealer": 1}, "unknown key 'dealer'"),
        ({"starter": 1}, "has no hands"),
        ([], "is not {"),
        (
            {"hands": [["2C", "3C"], ["4C"], ["5C"], ["6C"]]},
            "given deal 0: all hands must have the same size",
        ),
    ],
    "codepiece": [({"hands": [["2C"], ["3C"], ["4C"], ["5C"]]}, "every hand needs 13 cards")],
    "dou_dizhu": [
        ({"hands": [["3"], ["4"]]}, "needs 3 hands of 1 to 20 cards"),
        ({"hands": [["3"], ["4"], []]}, "needs 3 hands of 1 to 20 cards"),
        ({"hands": [list("33"), list("33"), ["3"]]}, "has a 3 more than the deck"),
        ({"hands": [["B"], ["B"], ["3"]]}, "has a B more than the deck"),
        ({"hands": [["3"], ["4"], ["1"]]}, "has an unknown card '1'"),
        ({"hands": [["3"], ["4"], ["10"]]}, "has an unknown card '10'"),
        ({"hands": [["3"], ["4"], [3]]}, 'is not {"hands"'),
        ({"hands": 3}, 'is not {"hands"'),
        ({"hands": [["3"], ["4"], ["5"]], "extra": ["4"]}, "extra card 4 is not in the landlord's hand"),
        ({"hands": [["3"], ["4"], ["5"]], "extra": ["3", "3"]}, "extra card 3 is not in the landlord's hand"),
        ({"hands": [["3"], ["4"], ["5"]], "landlord": 3}, "landlord is not a seat 0..2"),
        ({"hands": [["3"], ["4"], ["5"]], "landlord": True}, "landlord is not a seat 0..2"),
        ({"hands": [["3"], ["4"], ["5"]], "starter": 1}, "unknown key 'starter'"),
        ([], "a given deal"),
        (None, "a given deal"),
        ({"landlord": 1}, "a given deal has no hands"),
    ],
    "chefs_hat": [
        ([], "a given deal is not"),
        ({}, "a given deal is not"),
        ({"hands": CHEFS}, "needs 4 hands"),
        ({"hands": [*CHEFS, []]}, "lists of 1 to 17 cards"),
        ({"hands": [*CHEFS, [13]]}, "the card 13, expected 1..12"),
        ({"hands": [*CHEFS, ["x"]]}, "the card 'x'"),
        ({"hands": [*CHEFS, [True]]}, "the card True"),
        ({"hands": [[1], [1], [2], [3]]}, "2 cards 1; there are 1"),
        ({"hands": FULL, "golden": 11}, "golden is 11, not 0..10"),
        ({"hands": FULL, "opener": 4}, "opener has 4, not a seat 0..3"),
        ({"hands": FULL, "roles": ["Chef"] * 3}, "roles are not one of"),
        ({"hands": FULL, "roles": ROLES, "special": [0, "none"]}, "special is neither null nor"),
        ({"hands": FULL, "roles": ROLES, "exchange": [[0, 1, [1]]]}, "neither null nor four gifts"),
        ({"hands": FULL, "exchange": [[0, 1, [1]]] * 4}, "equal gifts between two pairs of seats"),
        (
            {"hands": FULL, "exchange": [[0, 1, [7]], [1, 0, [7]], [2, 3, [9]], [3, 2, [10]]]},
            "seat 0 gives cards that it does not hold",
        ),
        ({"hands": FULL, "stock": []}, "an unknown key 'stock'"),
        ({"hands": FULL, "forced": [3]}, "forced is not a list"),
    ],
}


@pytest.mark.parametrize(
    ("name", "shape", "message"), [(name, *row) for name, rows in WRONG_DEALS.items() for row in rows]
)
def test_a_deal_that_cannot_be_is_refused_with_the_reason(name: str, shape: Any, message: str) -> None:
    game = make(name, {})
    with pytest.raises(ConfigError) as caught:
        game.given([game.deal_from_json(shape)])
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", [*(form for form, _, _ in GAMES.values()), "{name: planning, seats: 3}"])
def test_two_versions_meet_on_equal_terms(text: str) -> None:
    game = game_of(yaml.safe_load(text))
    held = Counter((seat, version) for _, versions in game.duels for seat, version in enumerate(versions))
    ahead = [held[seat, 0] for seat in range(game.seats)]
    assert ahead == [held[seat, 1] for seat in range(game.seats)]
    assert min(ahead) > 0


def test_a_registered_game_that_cannot_be_loaded_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = EntryPoints([EntryPoint("whist", "arbiter.games:Whist", games.GROUP)])
    monkeypatch.setattr(games, "_entries", lambda: entries)
    with pytest.raises(ConfigError, match=r"the game 'whist' cannot be loaded from arbiter\.games:Whist: "):
        games.find("whist")
