"""MatchResults as a sequence of records, as a table, as text, in a notebook and in a file."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import arbiter
from arbiter.errors import ConfigError
from arbiter.games import find
from arbiter.match.record import MatchRecord
from arbiter.testing import match_spec, play_by_policy, random_policy
from rating import read_results
from tests.envs.forms import first, last
from tests.fixtures.replays import faulty

if TYPE_CHECKING:
    from pathlib import Path


def played(seed: int, name: str = "planning") -> MatchRecord:
    game = find(name)()
    record = play_by_policy(game, random_policy(seed), match_spec(game, seed=str(seed), round_number=seed))
    return replace(record, id=f"r{seed:03d}/t01/m0", season="")


@pytest.fixture(scope="module")
def results() -> arbiter.MatchResults:
    whole = [played(seed) for seed in (1, 2, 3)]
    return arbiter.MatchResults([*whole, replace(faulty(played(4), 9), id="r004/t01/m0")])


def test_results_are_a_sequence_of_records(results: arbiter.MatchResults) -> None:
    assert len(results) == 4
    assert isinstance(results[0], MatchRecord)
    assert results[1:3].records == results.records[1:3]
    assert (results[:1] + results[1:]) == results
    assert [record.id for record in results.forfeits] == ["r004/t01/m0"]
    assert results.record("r002/t01/m0") is results[1]


def test_a_match_that_is_not_there_is_named(results: arbiter.MatchResults) -> None:
    with pytest.raises(ConfigError, match="no match 'r009/t01/m0'"):
        results.record("r009/t01/m0")
    with pytest.raises(ConfigError, match="no match 4: there are 4 matches, counted from 0"):
        results.replay(4)


def test_a_data_frame_takes_the_table_in_one_call(results: arbiter.MatchResults) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(results.table())
    assert len(frame) == 16
    assert frame.groupby("match")["points"].count().tolist() == [4, 4, 4, 0]
    assert frame["fault"].dropna().size == 1
    assert frame["side"].tolist() == [0, 1, 2, 3] * 4


def test_partners_share_a_side() -> None:
    table = arbiter.MatchResults([played(1, "codepiece")]).table()
    assert table["side"] == [0, 1, 0, 1]
    assert set(table["game"]) == {"codepiece"}


def test_totals_add_up_to_the_records(results: arbiter.MatchResults) -> None:
    totals = {row["player"]: row for row in results.totals()}
    for seat, name in enumerate(results[0].players):
        points = sum(record.points[seat] for record in results if record.points is not None)
        assert (totals[name]["points"], totals[name]["matches"]) == (points, 4)
    assert sum(row["faults"] for row in totals.values()) == 1
    assert {kind for row in totals.values() for kind in row["fault_kinds"]} == {"illegal"}
    assert sum(row["wins"] for row in totals.values()) == sum(row["losses"] for row in totals.values())


def test_text_names_the_players_and_the_forfeits(results: arbiter.MatchResults) -> None:
    forfeit = results[3].forfeit
    assert forfeit is not None
    assert f"r004/t01/m0, deal 2, decision 2: {forfeit.player} forfeits ({forfeit.fault})" in str(results)
    assert str(results).startswith("player ")


def test_names_are_escaped_in_a_notebook(results: arbiter.MatchResults) -> None:
    nasty = "<script>alert(1)</script>"
    renamed = [replace(record, players=(nasty, *record.players[1:])) for record in results]
    assert "<script>" not in arbiter.MatchResults(renamed)._repr_html_()
    assert "&lt;script&gt;" in arbiter.MatchResults(renamed)._repr_html_()


def test_saved_results_are_loaded_and_rated_by_the_command(
    results: arbiter.MatchResults, tmp_path: Path
) -> None:
    file = tmp_path / "results.jsonl"
    results.save(file)
    assert arbiter.load_results(file) == arbiter.MatchResults(
        MatchRecord.from_json(json.loads(json.dumps(record.to_json()))) for record in results
    )
    assert len(read_results([file]).matches or ()) == 4


def test_a_broken_line_is_named_with_its_number(results: arbiter.MatchResults, tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    results.save(file)
    for line in ("{", "[]", '{"id": "x"}'):
        file.write_text(f"{file.read_text().splitlines()[0]}\n{line}\n")
        with pytest.raises(ConfigError, match=r"results\.jsonl: line 2: "):
            arbiter.load_results(file)
    with pytest.raises(ConfigError, match="cannot be read"):
        arbiter.load_results(tmp_path / "none")
    one = tmp_path / "one.json"
    one.write_text(json.dumps(results[0].to_json(), indent=1))
    assert arbiter.load_results(one) == results[:1]


# Ratings of results.


@pytest.fixture(scope="module")
def many() -> arbiter.MatchResults:
    return arbiter.MatchResults(played(seed) for seed in range(1, 15))


def test_a_table_is_rated_like_the_records_it_was_made_of(many: arbiter.MatchResults) -> None:
    pandas = pytest.importorskip("pandas")
    rated = arbiter.fit(many).table()
    frame = pandas.DataFrame(many.table())
    assert arbiter.fit(many.table()).table() == rated
    assert arbiter.fit(frame).table() == rated
    assert arbiter.fit(frame.to_dict("records")).table() == rated


def test_faults_and_sides_are_rated_alike_from_a_table(results: arbiter.MatchResults) -> None:
    pandas = pytest.importorskip("pandas")
    partners = arbiter.MatchResults(played(seed, "codepiece") for seed in range(1, 5))
    for one in (results, partners):
        assert arbiter.fit(pandas.DataFrame(one.table())).table() == arbiter.fit(one).table()


def test_a_rating_has_its_interval_and_its_likelihood_of_superiority(many: arbiter.MatchResults) -> None:
    fitted = arbiter.fit(many)
    best, *_, worst = fitted.rows
    assert best.elo is not None
    assert best.low is not None
    assert best.high is not None
    assert best.low < best.elo < best.high
    assert fitted.los(best.player, worst.player) > 0.5
    assert math.isclose(fitted.los(best.player, worst.player), 1 - fitted.los(worst.player, best.player))
    table = fitted.los_table()
    pairs = [*zip(table["player"], table["opponent"], strict=True)]
    assert len(pairs) == 12
    assert table["los"] == [fitted.los(one, other) for one, other in pairs]
    assert fitted[worst.player] == worst
    assert fitted.table()["player"] == [row.player for row in fitted.rows]
    assert str(fitted).splitlines()[1].split()[1] == best.player


def test_repeated_matches_are_noted(many: arbiter.MatchResults) -> None:
    assert not [text for text in arbiter.fit(many).warnings if "repeated" in text]
    noted = arbiter.fit(many + many[:3]).warnings[-1]
    assert noted.startswith("3 matches repeated")
    assert "they count twice here" in noted


def test_notes_of_one_cause_are_one() -> None:
    short: dict[str, Any] = {"options": {"deals": [[3, 0]]}, "seed": 1}
    one = arbiter.fit(arbiter.play("planning", [first, last, last, last], matches=1, **short))
    ways = {"won": ("upwards", "first"), "lost": ("downwards", "last")}
    assert list(one.warnings[:2]) == [
        f"{what} every result, so only the prior bounds the rating and the interval is too short {way}: {who}"
        for what, (way, who) in ways.items()
    ]
    none = arbiter.fit(arbiter.play("planning", [first] * 4, matches=1, **short))
    assert none.warnings == ("there is no result yet: no player has a rating",)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"game": "codepiece"}, "of different games: codepiece, planning"),
        ({"options": {"deals": [[3, 0]]}}, r"of planning with different deals: .* and \[\[3, 0\]\]"),
    ],
)
def test_results_of_different_games_or_options_are_neither_joined_nor_rated(
    many: arbiter.MatchResults, changed: dict[str, Any], message: str
) -> None:
    pandas = pytest.importorskip("pandas")
    other = arbiter.MatchResults([replace(many[0], id="other", **changed)])
    frames = pandas.concat([pandas.DataFrame(each.table()) for each in (many, other)])
    for join in (lambda: many + other, lambda: arbiter.fit([*many, *other]), lambda: arbiter.fit(frames)):
        with pytest.raises(ConfigError, match=message):
            join()
    rows = [{**row, "options": "?"} for row in frames.to_dict("records")]
    assert arbiter.fit([row for row in rows if row["match"] != "other"]).table() == arbiter.fit(many).table()


def test_a_season_may_change_its_options(many: arbiter.MatchResults) -> None:
    one = replace(many[0], season="s", options={"deals": [[5, 0]]})
    assert len(arbiter.MatchResults([one, replace(many[1], season="s")])) == 2


def test_anchors_set_the_scale(many: arbiter.MatchResults) -> None:
    name = many[0].players[0]
    assert arbiter.fit(many, anchors={name: 1500.0})[name].elo == pytest.approx(1500.0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (5, "results: expected MatchResults"),
        ([5], "expected a match record or a row of a table, got 5"),
        ([], "at least one match"),
        ({"match": ["a"], "player": ["x"]}, "the table has no column points"),
        ({"match": ["a", "a"], "player": ["x", "y"], "points": ["one", "two"]}, "match a: "),
        ({"match": ["a"], "player": ["x"], "points": [1]}, "has 1 players"),
    ],
)
def test_results_that_cannot_be_rated_are_one_line(given: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        arbiter.fit(given)
    assert "\n" not in str(caught.value)


def test_unknown_names_and_values_are_refused(many: arbiter.MatchResults) -> None:
    with pytest.raises(ConfigError, match="no player 'nobody'"):
        arbiter.fit(many).los("nobody", many[0].players[0])
    with pytest.raises(ConfigError, match="level 2"):
        arbiter.fit(many, level=2)
    with pytest.raises(ConfigError, match="prior: expected a number, got 'x'"):
        arbiter.fit(many, prior="x")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="anchors: no player 'nobody'"):
        arbiter.fit(many, anchors={"nobody": 0.0})


# Which program a name stands for.


def by(program: str, seed: int) -> arbiter.MatchResults:
    record = played(seed)
    return arbiter.MatchResults(
        [replace(record, id="r001/t01/m0", round=1, programs=(program, "b", "c", "d"))]
    )


def test_different_programs_of_one_name_are_not_joined(many: arbiter.MatchResults) -> None:
    old, new = by("old", 1), by("new", 2)
    name = old[0].players[0]
    pandas = pytest.importorskip("pandas")
    frames = pandas.concat([pandas.DataFrame(each.table()) for each in (old, new)])
    for join in (
        lambda: old + new,
        lambda: arbiter.fit([*old, *new]),
        lambda: arbiter.fit(frames),
    ):
        with pytest.raises(ConfigError, match=f"different programs are named {name}"):
            join()
    joined = old.renamed({name: "older"}) + new
    assert {"older", name} <= set(arbiter.fit(joined).table()["player"])
    assert len(many + old) == len(many) + 1


def test_a_name_that_is_unknown_or_taken_is_no_name(results: arbiter.MatchResults) -> None:
    one, other, *_ = results[0].players
    for names, message in (
        ({"nobody": "x"}, "no player 'nobody'"),
        ({one: other}, "the name of two players"),
    ):
        with pytest.raises(ConfigError, match=message):
            results.renamed(names)
    assert results.renamed({one: other, other: one}).forfeits[0].players[:2] == (other, one)


def test_joined_matches_keep_their_own_ids_and_rounds(tmp_path: Path) -> None:
    joined = sum([by("a", seed) for seed in range(1, 13)])
    assert isinstance(joined, arbiter.MatchResults)
    assert len({record.id for record in joined}) == len(joined) == 12
    rated = arbiter.fit(joined)
    assert sum(rated.table()["matches"]) == 4 * 12
    assert arbiter.fit(joined.table()).table() == rated.table()
    # Each is a round with other deals, of which intervals by round need ten.
    assert not any("by round needs" in note for note in rated.warnings)
    joined.save(tmp_path / "joined.jsonl")
    assert len(read_results([tmp_path / "joined.jsonl"]).matches or ()) == 12


def test_a_table_with_a_seat_twice_is_refused(results: arbiter.MatchResults) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(results.table())
    with pytest.raises(ConfigError, match="a seat of match r001/t01/m0 twice"):
        arbiter.fit(pandas.concat([frame, frame]))


def test_a_table_without_the_rows_of_a_seat_is_refused(results: arbiter.MatchResults) -> None:
    table = results.table()
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]  # type: ignore[call-overload]
    for left in (3, 0):
        # Without the last seat of one match, which the others have, and without the first.
        part = [row for row in rows if row["match"] != "r001/t01/m0" or row["seat"] != left]
        with pytest.raises(ConfigError, match="match r001/t01/m0 has rows of 3 of 4 seats"):
            arbiter.fit(part)


def test_a_lazy_frame_is_refused() -> None:
    class LazyFrame:
        columns = ("match",)

        def collect(self) -> None: ...

    with pytest.raises(ConfigError, match=r"call \.collect\(\)"):
        arbiter.fit(LazyFrame())  # type: ignore[arg-type]


def test_files_of_other_kinds_are_named_with_what_reads_them(tmp_path: Path) -> None:
    for name, hint in (("season.yaml", "open_season"), ("games.pgn", "rating fit")):
        with pytest.raises(ConfigError, match=hint) as caught:
            arbiter.load_results(tmp_path / name)
        assert "\n" not in str(caught.value)
    with pytest.raises(ConfigError, match="load_results"):
        arbiter.open_season(tmp_path / "results.jsonl")
