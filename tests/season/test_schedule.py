"""Who meets whom, where they sit, and who fills up."""

from __future__ import annotations

from pathlib import Path

import pytest

from arbiter.games.cards import Stream
from arbiter.games.planning import Planning
from arbiter.match.position import planned_deals
from arbiter.season.config import Config, load
from arbiter.season.schedule import drawn_tables, entrants, match_specs


def load_config(tmp_path: Path, ordinary: int, house: tuple[str, ...] = ()) -> Config:
    lines = ["game: planning", f"house_bots: [{', '.join(house)}]", "players:"]
    lines += [f"  - {{name: p{number}, command: [python3]}}" for number in range(ordinary)]
    lines += [f"  - {{name: {name}, command: [python3], house: true}}" for name in house]
    path = tmp_path / "season.yaml"
    path.write_text("\n".join(lines))
    return load(path)


def test_the_four_rotations_seat_each_player_once_on_each_seat(tmp_path: Path) -> None:
    specs = list(match_specs(load_config(tmp_path, 4), "1", 1, [["p0", "p1", "p2", "p3"]]))
    assert [spec.id for spec in specs] == [f"r001/t01/m{rotation}" for rotation in range(4)]
    for rotation, spec in enumerate(specs):
        seats = {player.name: seat for seat, player in enumerate(spec.players)}
        assert [seats[f"p{number}"] for number in range(4)] == [
            (number + rotation) % 4 for number in range(4)
        ]


def test_every_match_of_a_round_has_the_same_deals(tmp_path: Path) -> None:
    config = load_config(tmp_path, 8)
    tables = drawn_tables([f"p{n}" for n in range(8)], 4, "1", 3)
    hashes = {
        planned_deals(Planning(**spec.options), spec.seed, spec.round or 0).hash
        for spec in match_specs(config, "1", 3, tables)
    }
    assert len(hashes) == 1
    assert hashes != {planned_deals(Planning(), "1", 4).hash}


def test_a_drawn_round_is_a_partition_and_depends_on_seed_and_round_alone() -> None:
    names = [f"p{n}" for n in range(40)]
    drawn = drawn_tables(names, 4, "1", 1)
    assert sorted(name for table in drawn for name in table) == sorted(names)
    assert {len(table) for table in drawn} == {4}
    assert drawn == drawn_tables(names, 4, "1", 1)
    assert drawn != drawn_tables(names, 4, "1", 2)
    assert drawn != drawn_tables(names, 4, "2", 1)


def test_the_draw_takes_nothing_from_the_streams_of_the_deals() -> None:
    before = Stream.of_deal("1", 1, 0).shuffled(52)
    drawn_tables(["a", "b", "c", "d"], 4, "1", 1)
    assert Stream.of_deal("1", 1, 0).shuffled(52) == before


@pytest.mark.parametrize(
    ("ordinary", "house", "round_number", "joined"),
    [
        (4, ("h0",), 1, []),
        (3, ("h0", "h1"), 1, ["h1"]),
        (3, ("h0", "h1"), 2, ["h0"]),
        (2, ("h0", "h1", "h2"), 2, ["h2", "h0"]),
        (5, ("h0",), 1, ["h0", "h0#2", "h0#3"]),
        (5, ("h0", "h1"), 1, ["h1", "h0", "h1#2"]),
    ],
)
def test_house_bots_fill_up_in_list_order_from_the_rounds_number(
    ordinary: int, house: tuple[str, ...], round_number: int, joined: list[str], tmp_path: Path
) -> None:
    names = [player.name for player in entrants(load_config(tmp_path, ordinary, house), round_number)]
    assert names == [f"p{number}" for number in range(ordinary)] + joined


def test_batched_delivery_needs_all_players_of_the_match(tmp_path: Path) -> None:
    path = tmp_path / "season.yaml"
    lines = ["game: planning", "delivery: batched", "players:"]
    lines += [f"  - {{name: p{n}, command: [python3], batched: {str(n != 7).lower()}}}" for n in range(8)]
    path.write_text("\n".join(lines))
    tables = [[f"p{n}" for n in range(4)], [f"p{n}" for n in range(4, 8)]]
    modes = [spec.limits.delivery for spec in match_specs(load(path), "1", 1, tables)]
    assert modes == ["batched"] * 4 + ["strict"] * 4
