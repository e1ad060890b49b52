"""Files of results: what is read, and what is refused by line."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rating.crosstable import PairTable
from rating.errors import MalformedGame, OptionError, ReadError
from rating.reading.files import Reading, read_results
from rating.reading.gathering import whole_number
from rating.reading.pgn import read_pgn
from rating.reading.rows import read_csv, read_jsonl
from tests.fixtures.profiles import examples
from tests.rating.recorded_results import split

OLD = """[Event "Club, \\"A\\""]
[Site "?"]
[Round "2.1"]
[White "Zappa Mexico II"]
[Black "O'Kelly"]
[Result "1/2-1/2"]
[WhiteElo "2800"]

1. e4 {a comment with [White "nobody"] and
[Black "nobody"] on two lines} e5 2. Nf3 ; to the end [1-0
% escaped [White "nobody"]
Nc6 1/2-1/2

[White "O'Kelly"][Black "Zappa Mexico II"] [Result "0-1"] 0-1
[White "c"]
[Black "O'Kelly"]
[Result "1-0"]
[White "c"]
[Black "O'Kelly"]
[Result "0-1"]

*
"""


def read(text: str | bytes, **options: object) -> Reading:
    stream = io.BytesIO(text.encode() if isinstance(text, str) else text)
    return read_results(["-"], stdin=stream, **options)  # type: ignore[arg-type]


def listed(table: PairTable) -> list[tuple[str, str, int, int, int]]:
    columns = (table.first, table.second, table.outcome, table.round, table.table)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [(table.players[a], table.players[b], *rest) for a, b, *rest in rows]  # type: ignore[misc]


def test_old_pgn() -> None:
    assert split(read_pgn([OLD], "old.pgn")) == (
        [
            ("Zappa Mexico II", "O'Kelly", "1/2-1/2", "2.1", "", 'Club, "A"', ""),
            ("O'Kelly", "Zappa Mexico II", "0-1", "", "", "", ""),
            ("c", "O'Kelly", "1-0", "", "", "", ""),
            ("c", "O'Kelly", "0-1", "", "", "", ""),
        ],
        [],
    )


GAME = '[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1-0\n\n'


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ('[White "a"]\n[Result "1-0"]\n\n1-0\n', 7, "no Black"),
        ('[White "a"]\n[Black ""]\n[Result "1-0"]\n\n1-0\n', 8, "no Black"),
        ('[White "a"]\n[Black "b"]\n\n1-0\n', 7, "no Result"),
        ('[White "a"]\n[Black "b"]\n[Result "2-0"]\n', 9, "got '2-0'"),
        ('[White "a"]\n[Black "b"]\n[Result "*"]\n\n*\n', 9, "not finished"),
        ('[White "a"]\n[Black "a"]\n[Result "1-0"]\n', 7, "a plays against itself"),
        ('[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1. e4 0-1\n', 11, "moves end in 0-1"),
        ('[White "a]\n[Black "b"]\n[Result "1-0"]\n', 7, "expected a tag such as"),
        ("1. e4 e5 1-0\n", 7, "moves"),
        ('[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1. e4 {no end\n' + GAME, 11, "never closed"),
    ],
)
def test_malformed_pgn_is_reported_by_line(text: str, line: int, says: str) -> None:
    _, problems = split(read_pgn([GAME + text], "bad.pgn"))
    assert [problem.line for problem in problems] == [line]
    assert says in problems[0].text
    assert str(problems[0]).startswith(f"bad.pgn:{line}: ")


def test_what_follows_a_bad_game_counts() -> None:
    bad = '[White "a]\n[Black "b"]\n[Result "1-0"]\n\n1-0\n\n'
    with pytest.raises(ReadError, match="2 malformed games") as error:
        read(GAME + bad + GAME + bad)
    assert [problem.line for problem in error.value.problems] == [7, 19]
    reading = read(GAME + bad + GAME + bad, skip_bad=True)
    assert reading.table.first.size == 2
    assert len(reading.problems) == 2


def test_moves_without_tags_at_the_start() -> None:
    games, problems = split(read_pgn(["1. e4 1-0\n" + GAME], "f"))
    assert problems == [
        MalformedGame("f", 1, "moves without tags: a game starts with [White], [Black] and [Result]")
    ]
    assert len(games) == 1


@pytest.mark.parametrize(("text", "number"), [("3", 3), ("3.2", 3), ("?", -1), ("-", -1), ("final", -1)])
def test_round_tags(text: str, number: int) -> None:
    assert whole_number(text) == number


def test_rounds_of_events_stay_apart_and_games_of_a_match_together() -> None:
    def game(event: str, number: int, match: str) -> str:
        tags = {"Event": event, "Round": number, "Table": 4, "MatchId": match}
        return "".join(f'[{name} "{value}"]\n' for name, value in tags.items()) + GAME

    reading = read(game("x", 1, "m1") + game("x", 1, "m1") + game("x", 2, "m2") + game("y", 1, "m1"))
    table = reading.table
    assert [row[3:] for row in listed(table)] == [(1, 4), (1, 4), (2, 4), (4, 4)]
    assert table.match.tolist() == [0, 0, 1, 2]
    assert table.played.tolist() == [3, 3]


def test_bytes_of_all_kinds() -> None:
    text = GAME.replace('"a"', '"Müller"')
    for stored in (text.encode(), text.encode("latin-1"), b"\xef\xbb\xbf" + text.encode()):
        assert read(stored).table.players == ("Müller", "b")
    assert read(text.replace("\n", "\r\n")).table.players == ("Müller", "b")


def test_csv() -> None:
    games, problems = split(read_csv(["a,b,1-0\n", 'c "d",a,1/2-1/2,3,7\n', "\n", "a,b,0-1,4\n"], "f.csv"))
    assert games == [
        ("a", "b", "1-0", "", "", "", ""),
        ('c "d"', "a", "1/2-1/2", "3", "7", "", ""),
        ("a", "b", "0-1", "4", "", "", ""),
    ]
    assert problems == []
    named, _ = split(read_csv(["Round,black,White,Result,match,x\n", '2,b,"c, d",1-0,m1,9\n'], "f.csv"))
    assert named == [("c, d", "b", "1-0", "2", "", "", "m1")]


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("a,b", "no result"),
        ("a,,1-0", "no black"),
        ("a,b,1", "got '1'"),
        ("a,a,1-0", "against itself"),
        ("a,b,1-0,x", "round 'x'"),
        ("a,b,1-0,1,-2", "table '-2'"),
        ('a,"b"c,1-0', "not CSV"),
    ],
)
def test_malformed_csv_is_reported_by_line(row: str, says: str) -> None:
    games, problems = split(read_csv(["a,b,1-0\n", row + "\n", "b,a,1-0\n"], "f.csv"))
    assert [game[:2] for game in games] == [("a", "b"), ("b", "a")]
    assert [problem.line for problem in problems] == [2]
    assert says in problems[0].text


RECORD = (
    '{"id":"r001/t02/m0","players":["a","b","c","d"],"points":[3,1,1,0],"round":1,"table":2,"forfeit":null}'
)


def test_match_records() -> None:
    faulty = (
        RECORD.replace("/m0", "/m1")
        .replace("[3,1,1,0]", "null")
        .replace('"forfeit":null', '"forfeit":{"seat":1,"fault":"crash"}')
    )
    reading = read(RECORD + "\n\n" + faulty + "\n")
    table = reading.table
    assert table.first.size == 9
    assert {row[3:] for row in listed(table)} == {(1, 2)}
    assert table.match.tolist() == [0] * 6 + [1] * 3
    assert table.faults.tolist() == [0, 1, 0, 0]
    assert table.points.tolist() == [3, 1, 1, 0]
    assert table.played.tolist() == [2, 2, 2, 2]
    assert reading.matches is not None
    assert reading.matches[1].faulty == 1
    assert read(RECORD + "\n" + faulty, faults="drop").table.first.size == 6


def test_partners_and_copies_in_records() -> None:
    sides = RECORD.replace('"round"', '"sides":[0,1,0,1],"round"')
    assert read(sides).table.first.size == 4
    copies = RECORD.replace('["a","b","c","d"]', '["a","random","random#2","d"]')
    assert read(copies).table.first.size == 5
    owned = copies.replace('"round"', '"owners":["a","x","y","d"],"round"')
    assert read(owned).table.first.size == 6


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "not JSON"),
        ("[1]", "not a match record"),
        ('{"points":[1,2]}', "needs players"),
        ('{"players":["a"],"points":[1]}', "at least two"),
        ('{"players":["a","b"],"points":[1]}', "points for 1 of 2"),
        ('{"players":["a","b"],"points":null}', "points, places or a faulty seat"),
        ('{"players":["a","b"],"points":[1,true]}', "points: expected null or a list"),
        ('{"players":["a","b"],"points":[1,NaN]}', "not numbers"),
        ('{"players":["a","b"],"points":[1,Infinity]}', "points: expected null or a list"),
        ('{"players":["a","b"],"points":[1,2],"round":"x"}', "round is 'x'"),
        ('{"players":["a","b"],"points":null,"forfeit":{"seat":5}}', "faulty seat 5"),
        ('{"players":["a","b"],"points":null,"forfeit":3}', "forfeit: expected null or an object"),
    ],
)
def test_malformed_records_are_reported_by_line(line: str, says: str) -> None:
    found = list(read_jsonl([RECORD, line, RECORD], "f"))
    assert isinstance(found[1], MalformedGame)
    assert found[1].line == 2
    assert says in found[1].text
    assert not isinstance(found[2], MalformedGame)


def test_several_files_of_several_kinds(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text(GAME)
    (tmp_path / "b.csv").write_text("white,black,result\nb,c,0-1\n")
    (tmp_path / "c.jsonl").write_text(RECORD + "\n")
    (tmp_path / "d").write_text(RECORD.replace("/m0", "/m1") + "\n")
    reading = read_results([tmp_path / name for name in ("a.pgn", "b.csv", "c.jsonl", "d")])
    assert reading.table.players == ("a", "b", "c", "d")
    assert reading.table.match.tolist() == [0, 1, *[2] * 6, *[3] * 6]
    assert reading.table.played.tolist() == [3, 4, 3, 2]
    assert reading.matches is None


def test_records_are_read_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rating.reading.gathering._BATCH", 2)
    whole = read("\n".join(RECORD.replace("/m0", f"/m{k}") for k in range(5))).table
    assert whole.match.tolist() == [k for k in range(5) for _ in range(6)]
    assert whole.points.tolist() == [15, 5, 5, 0]


@pytest.mark.parametrize("text", ["", "\n\n", "white,black,result\n"])
def test_empty_files_hold_an_empty_table(text: str) -> None:
    assert read(text).table.first.size == 0


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="No such file"):
        read_results([tmp_path / "none.pgn"])
    with pytest.raises(ReadError, match="directory"):
        read_results([tmp_path])
    with pytest.raises(OptionError, match="faults"):
        read("", faults="ignore")


@examples(60)
@given(st.binary(max_size=300), st.sampled_from(["pgn", "csv", "jsonl"]))
def test_any_bytes_are_read_or_reported(text: bytes, form: str) -> None:
    try:
        reading = read(text, form=form, skip_bad=True)
    except ReadError as error:
        assert "\n" not in str(error)
    else:
        assert reading.table.first.size + len(reading.problems) >= 0


def test_files_given_twice_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text(GAME)
    (tmp_path / "again").symlink_to(tmp_path / "a.pgn")
    for other in ("a.pgn", "./a.pgn", "again"):
        with pytest.raises(ReadError, match="given twice"):
            read_results([tmp_path / "a.pgn", f"{tmp_path}/{other}"])
    with pytest.raises(ReadError, match="<stdin>: given twice"):
        read_results(["-", "-"], stdin=io.BytesIO(GAME.encode()))


def test_a_match_that_is_given_twice_counts_once(tmp_path: Path) -> None:
    other = RECORD.replace('"round"', '"season":"autumn","round"')
    (tmp_path / "a.jsonl").write_text(f"{RECORD}\n{other}\n")
    (tmp_path / "b.jsonl").write_text(f"{RECORD.replace('/m0', '/m1')}\n{other}\n")
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    with pytest.raises(ReadError) as error:
        read_results(files)
    assert [(problem.file, problem.line, problem.text) for problem in error.value.problems] == [
        (str(files[1]), 2, "match r001/t02/m0 of season autumn is given twice")
    ]
    assert read_results(files, skip_bad=True).table.first.size == 18
    nameless = RECORD.replace('"id":"r001/t02/m0",', "")
    assert read(f"{nameless}\n{nameless}").table.first.size == 12


@pytest.mark.parametrize(
    ("name", "stored", "says"),
    [
        ("games.pgn", b"\x1f\x8b\x08\x00\x00", "gzip"),
        ("games.csv", "a,b,1-0\n".encode("utf-16"), "UTF-16"),
        ("games.csv", b"a,b,1-0\rb,a,1-0\r", "line feed"),
        ("games.pgn", GAME.replace("\n", "\r").encode(), "line feed"),
        ("games.csv", b"white;black;result\na;b;1-0\n", "semicolons"),
        ("games.csv", b"a\tb\t1-0\n", "tabs"),
        ("games.pgn", RECORD.encode() + b"\n", "--input jsonl"),
        ("games.csv", RECORD.encode() + b"\n", "--input jsonl"),
        ("games.json", b"[" + RECORD.encode() + b"]\n", "one record per line"),
        ("games", b"[\n  " + RECORD.encode() + b"\n]\n", "one record per line"),
    ],
)
def test_files_of_another_kind_get_one_helpful_line(
    tmp_path: Path, name: str, stored: bytes, says: str
) -> None:
    (tmp_path / name).write_bytes(stored)
    with pytest.raises(ReadError, match=says) as error:
        read_results([tmp_path / name], skip_bad=True)
    assert error.value.problems == ()
    assert str(error.value).startswith(str(tmp_path / name))


def test_pgn_may_begin_with_a_comment() -> None:
    assert read("; made by hand\n" + GAME).table.first.size == 1


@pytest.mark.parametrize(
    "tag", ['[White-Title "GM"]', '[Annotator "x" y]', '[Site "The "Hall""]', '[Note "open]']
)
def test_broken_tags_that_are_not_needed_do_no_harm(tag: str) -> None:
    lines = GAME.splitlines(keepends=True)
    for place in range(4):
        text = "".join([*lines[:place], tag + "\n", *lines[place:]])
        games, problems = split(read_pgn([text * 2], "f"))
        assert (len(games), problems) == (2, [])


def test_quotes_in_the_name_of_an_event_need_no_escape() -> None:
    first = '[Event "The "Big" one"]\n[Round "1"]\n' + GAME
    other = '[Event "The "Small" one"]\n[Round "1"]\n' + GAME
    table = read(first + first + other).table
    assert table.round.tolist() == [1, 1, 3]


@pytest.mark.parametrize("tag", ['[Round "3]', '[MatchId "a" b]', '[Result "1-0]', '["White" "a"]', "[1-0"])
def test_broken_tags_that_are_needed_are_reported(tag: str) -> None:
    games, problems = split(read_pgn([tag + "\n" + GAME], "f"))
    assert (games, len(problems)) == ([], 1)
