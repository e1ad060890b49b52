"""A season of every game: tables of two, three and four are planned, played, rated, verified, exported."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from arbiter.games import make, names
from arbiter.replay.export import text
from arbiter.season.config import game_of, load
from arbiter.season.season import Season
from arbiter.season.verify import verify
from arbiter.season.verify_findings import FindingKind
from arbiter.store import Store
from arbiter.testing import ScriptedBot, play_by_policy, play_in_memory, random_policy
from rating import read_results
from tests.fixtures.crosstables import counted, crosstable, pairwise

if TYPE_CHECKING:
    from pathlib import Path

    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore

ROUNDS = 3
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
        "opening_rounds: 2",
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


@pytest.mark.parametrize("name", names())
def test_the_default_game_says_what_it_is(name: str) -> None:
    game = make(name, {})
    assert game.name == name
    assert set(game.options) <= set(game.option_help)


@pytest.mark.parametrize("text", [*(form for form, _, _ in GAMES.values()), "{name: planning, seats: 3}"])
def test_two_versions_meet_on_equal_terms(text: str) -> None:
    game = game_of(yaml.safe_load(text))
    held = Counter((seat, version) for _, versions in game.duels for seat, version in enumerate(versions))
    ahead = [held[seat, 0] for seat in range(game.seats)]
    assert ahead == [held[seat, 1] for seat in range(game.seats)]
    assert min(ahead) > 0
