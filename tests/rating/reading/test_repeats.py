"""Results that were given twice are named; seasons whose results merely look alike are not."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

from rating.reading.files import read_results
from rating.reading.repeats import _FEW

Game = tuple[str, str, str, int]


def games(seed: int, rounds: int = 6, players: int = 6) -> list[Game]:
    """Games of everybody against everybody, a part each round."""
    rng = random.Random(seed)
    names = [f"p{k}" for k in range(players)]
    found: list[Game] = []
    for number in range(1, rounds + 1):
        rng.shuffle(names)
        pairs = zip(names[::2], names[1::2], strict=False)
        found += [(one, two, rng.choice(["1-0", "0-1", "1/2-1/2"]), number) for one, two in pairs]
    return found


def pgn(some: Sequence[Game], event: str = "Ev") -> str:
    texts = []
    for white, black, result, number in some:
        tags = {"Event": event, "Round": number, "White": white, "Black": black, "Result": result}
        texts.append("".join(f'[{name} "{value}"]\n' for name, value in tags.items()) + f"\n{result}\n\n")
    return "".join(texts)


def table(some: Sequence[Game]) -> str:
    return "white,black,result,round\n" + "".join(",".join(map(str, game)) + "\n" for game in some)


def records(some: Sequence[Game]) -> str:
    points = {"1-0": [1, 0], "0-1": [0, 1], "1/2-1/2": [1, 1]}
    shapes = [
        {"id": f"m{k}", "players": [one, two], "points": points[result], "round": number}
        for k, (one, two, result, number) in enumerate(some)
    ]
    return "".join(json.dumps(shape) + "\n" for shape in shapes)


def bare(some: Sequence[Game]) -> str:
    return "".join(",".join(game[:3]) + "\n" for game in some)


def named(some: Sequence[Game]) -> str:
    rows = [(one, two, result, f"m{k}") for k, (one, two, result, _) in enumerate(some)]
    return "white,black,result,match\n" + "".join(",".join(row) + "\n" for row in rows)


WRITERS: dict[Callable[[Sequence[Game]], str], str] = {
    pgn: "pgn",
    table: "csv",
    records: "jsonl",
    bare: "csv",
}


def notes(folder: Path, *texts: tuple[str, str]) -> list[str]:
    files = []
    for number, (text, ending) in enumerate(texts):
        files.append(folder / f"{number}.{ending}")
        files[-1].write_text(text)
    return [notice.text for notice in read_results(files).notices if notice.name == "repeated-results"]


# Records in both are malformed: a match whose id was read before.
@pytest.mark.parametrize(
    ("one", "other"), [pair for pair in product(WRITERS, WRITERS) if pair != (records, records)]
)
@pytest.mark.parametrize("shuffled", [False, True])
def test_the_same_games_in_two_files_are_named(
    tmp_path: Path,
    one: Callable[[Sequence[Game]], str],
    other: Callable[[Sequence[Game]], str],
    shuffled: bool,
) -> None:
    some = games(1)
    again = random.Random(2).sample(some, len(some)) if shuffled else some
    (said,) = notes(tmp_path, (one(some), WRITERS[one]), (other(again), WRITERS[other]))
    assert said == (
        f"{tmp_path}/0.{WRITERS[one]} and {tmp_path}/1.{WRITERS[other]}: 18 results are in both "
        "and count twice"
    )


@pytest.mark.parametrize("write", [pgn, table])
def test_an_export_of_some_rounds_in_one_of_more_is_named(
    tmp_path: Path, write: Callable[[Sequence[Game]], str]
) -> None:
    some, ending = games(1, 12), WRITERS[write]
    assert "18 results are in both" in notes(tmp_path, (write(some[:18]), ending), (write(some), ending))[0]
    assert (
        "9 results are in both" in notes(tmp_path, (write(some[:18]), ending), (write(some[9:]), ending))[0]
    )


@pytest.mark.parametrize("write", [pgn, table, bare])
@pytest.mark.parametrize("shuffled", [False, True])
def test_a_file_joined_to_itself_is_named(
    tmp_path: Path, write: Callable[[Sequence[Game]], str], shuffled: bool
) -> None:
    some = games(1, 8)
    twice = some + some
    if shuffled:
        random.Random(3).shuffle(twice)
    (said,) = notes(tmp_path, (write(twice), WRITERS[write]))
    assert "occur twice" in said
    if write is not bare:
        assert "occur twice" in notes(tmp_path, (write(some[:12] + some), WRITERS[write]))[0]


def test_a_large_file_joined_to_itself_in_order_of_rounds_is_named(tmp_path: Path) -> None:
    some = games(1, _FEW // 40, 60)
    twice = sorted(some + some, key=lambda game: game[3])
    assert "occur twice" in notes(tmp_path, (table(twice), "csv"))[0]
    assert notes(tmp_path, (table(games(1, _FEW // 20, 60)), "csv")) == []


def test_match_ids_that_repeat_as_a_whole_are_named(tmp_path: Path) -> None:
    some = games(1)
    text, longer = named(some), named(some + games(2, 9))
    assert "18 results are in both" in notes(tmp_path, (text, "csv"), (longer, "csv"))[0]
    assert "occur twice" in notes(tmp_path, (text + text, "csv"))[0]


def test_other_seasons_of_the_same_players_are_not_named(tmp_path: Path) -> None:
    for seed in range(20):
        one, other = games(seed), games(seed + 100)
        assert (
            notes(tmp_path, (table(one), "csv"), (table(other), "csv"), (pgn(games(seed + 200)), "pgn")) == []
        )
        assert notes(tmp_path, (pgn(one, "x") + pgn(one, "y"), "pgn")) == []
        assert notes(tmp_path, (pgn(one, "x"), "pgn"), (pgn(one, "y"), "pgn")) == []
        assert notes(tmp_path, (table(one + other), "csv")) == []


def test_programs_that_always_play_alike_are_not_named(tmp_path: Path) -> None:
    """Four matches of a table in each round end the same, each in its rotation."""
    shapes: list[dict[str, Any]] = []
    for number in range(1, 9):
        for rotation in range(4):
            order = [(seat + rotation) % 4 for seat in range(4)]
            shapes.append(
                {
                    "id": f"r{number}/m{rotation}",
                    "players": [f"p{k}" for k in order],
                    "points": [3 - k for k in order],
                    "round": number,
                }
            )
    text = "".join(json.dumps(shape) + "\n" for shape in shapes)
    assert notes(tmp_path, (text, "jsonl")) == []
    rows = [
        f"{one},{two},{'1-0' if one < two else '0-1'},{shape['round']},{shape['id']}\n"
        for shape in shapes
        for one, two in combinations(shape["players"], 2)
    ]
    assert notes(tmp_path, ("white,black,result,round,match\n" + "".join(rows), "csv")) == []


def test_a_few_results_prove_nothing() -> None:
    for text in ("a,b,1-0\n" * 10, "a,b,1-0\nb,a,1-0\n" * 2):
        assert read_results(["-"], stdin=io.BytesIO(text.encode())).notices == ()
