"""Games that were cut off, joined or tagged twice: each fault stays with its game."""

from __future__ import annotations

import io
import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rating.errors import MalformedGame, ReadError
from rating.reading.files import Reading, read_results
from rating.reading.pgn import read_pgn
from rating.reading.rows import read_csv, read_jsonl
from tests.fixtures.profiles import examples
from tests.rating.recorded_results import split

REPORTS = Path(__file__).parents[2] / "data" / "rating" / "reports"
HEADER = '[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n'
GAME = HEADER + "1. e4 e5 1-0\n\n"
Row = tuple[str, ...]


def found_in(text: str) -> tuple[list[Row], list[MalformedGame]]:
    """Games and problems of a PGN text, the same by games and by lines."""
    whole = split(read_pgn([text], "f"))
    assert whole == split(read_pgn(list(io.StringIO(text)), "f"))
    return whole


def test_a_game_cut_off_in_a_comment_takes_no_other_with_it() -> None:
    reading = read_results([REPORTS / "killed-worker.pgn"], skip_bad=True)
    table = reading.table
    assert table.round.tolist() == [1, 3, 4]
    assert [(problem.line, problem.text) for problem in reading.problems] == [
        (15, "this comment is never closed")
    ]


def test_tags_behind_a_result_are_the_next_games() -> None:
    glued, apart = (read_results([REPORTS / name]).table for name in ("glued.pgn", "same-games.pgn"))
    for column in ("first", "second", "outcome", "round", "match", "played"):
        assert getattr(glued, column).tolist() == getattr(apart, column).tolist()


@pytest.mark.parametrize(
    "end", ["1-0", "1-0 ", "1-0\t", "1-0 {end}", "1-0 {a {b} ", "*", "2. d4 (2. c4", "2. d4 {[%clk 1]} "]
)
def test_a_tag_within_a_line_of_moves_begins_the_next_game(end: str) -> None:
    games, problems = found_in(f'{HEADER}1. e4 {end}[Event "x"]\n{HEADER}1-0[Event "y"][Round "2"]\n{GAME}')
    assert [(row[5], row[3]) for row in games] == [("", ""), ("x", ""), ("y", "2")]
    assert problems == []


@pytest.mark.parametrize("tag", ["Annotator", "Site", "WhiteElo"])
@pytest.mark.parametrize("place", range(4))
def test_a_repeated_tag_that_is_not_read_is_passed_over(tag: str, place: int) -> None:
    lines = HEADER.splitlines(keepends=True)
    for other in range(place, 4):
        text = [*lines]
        text.insert(other, f'[{tag} "y"]\n')
        text.insert(place, f'[{tag} "x"]\n')
        games, problems = found_in(("".join(text) + "1-0\n\n") * 3)
        assert (len(games), problems) == (3, [])


@pytest.mark.parametrize("tag", ["White", "Black", "Result", "Round", "Table", "Event", "MatchId"])
@pytest.mark.parametrize("place", range(4))
def test_a_repeated_tag_that_is_read_makes_one_malformed_game(tag: str, place: int) -> None:
    lines = HEADER.splitlines(keepends=True)
    value = "1-0" if tag == "Result" else "z"
    for gap in ("", "\n"):
        text = [*lines, gap]
        if tag not in HEADER:
            text.insert(0, f'[{tag} "y"]\n')
        text.insert(max(place, 1), f'[{tag} "{value}"]\n')
        games, problems = found_in(GAME + "".join(text) + "1-0\n\n" + GAME)
        assert len(games) == 2
        assert [problem.text for problem in problems] == [f"the game has two tags {tag}: remove one"]


def test_a_header_twice_without_moves_is_two_games() -> None:
    assert len(found_in(HEADER * 2 + GAME)[0]) == 3
    assert len(found_in((HEADER * 2 + GAME).replace("\n\n", "\n"))[0]) == 3


MOVES = (
    "{}",
    "1. e4 e5 2. Nf3 (2. d4 (2. c4) d5) {}",
    "1. e4 {{+0.21/9 0.4s}} e5 {{-0.1/8\n0.3s}} 2. Nf3 {{[%clk 1]}} {}",
    "1. e4 $1 ; a note [\n% an escape {{\ne5 {}",
)
names = st.sampled_from(["ann", "bob", "Tal, M", "x [y]", "{e}", 'q"r', "c;d", "%"])


@st.composite
def written(draw: st.DrawFn) -> tuple[str, Row]:
    """A game, Result being the last of its tags, and its row."""
    white, black = draw(st.lists(names, min_size=2, max_size=2, unique=True))
    result, number = draw(st.sampled_from(["1-0", "0-1", "1/2-1/2"])), str(draw(st.integers(1, 9)))
    tags = {"Event": "Ev", "Site": "?", "Round": number, "White": white, "Black": black, "Result": result}
    lines = [f'[{name} "{value.replace(chr(34), chr(92) + chr(34))}"]\n' for name, value in tags.items()]
    moves = draw(st.sampled_from(MOVES)).format(result)
    return f"{''.join(lines)}\n{moves}\n\n", (white, black, result, number, "", "Ev", "")


@examples(600)
@given(st.lists(written(), min_size=3, max_size=6), st.data())
def test_a_game_cut_off_anywhere_leaves_the_others_as_they_are(
    games: list[tuple[str, Row]], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(games) - 1))
    text, row = games[place]
    # Behind its first tag alone it cannot be told from a tag that is given twice.
    first = text.index("]") + 1
    cut = data.draw(st.integers(1, len(text)).filter(lambda at: at not in (first, first + 1)))
    kept, after = text[:cut], data.draw(st.sampled_from(["", "\n", "\n\n", "\r\n"]))
    if after == "" and any(mark in kept.rpartition("\n")[2] for mark in ";%"):
        after = "\n"  # what follows on such a line belongs to it
    before, behind = games[:place], games[place + 1 :]
    found, problems = found_in("".join([*(t for t, _ in before), kept + after, *(t for t, _ in behind)]))
    rows = [*(r for _, r in before), row, *(r for _, r in behind)]
    if found == rows:
        assert problems == []
    else:
        del rows[place]
        assert found == rows
        assert len(problems) == 1


@examples(300)
@given(st.integers(0, 3), st.integers(0, 40), st.integers(1, 30))
def test_a_row_of_csv_cut_off_anywhere_leaves_the_others_as_they_are(place: int, at: int, piece: int) -> None:
    rows = [("Tal, M", "b", "1-0", str(k)) for k in range(4)]
    lines = ["".join(f'"{cell}",' for cell in row)[:-1] + "\n" for row in rows]
    lines[place] = lines[place][:at].rstrip("\n") + "\n"
    lines.append("b,c,0-1\n")
    text = "".join(lines)
    cuts = [*range(0, len(lines), piece), len(lines)]
    pieces = ["".join(lines[a:b]) for a, b in pairwise(cuts)]
    games, found = split(read_csv(pieces, "f"))
    problems = [problem.line for problem in found]
    assert [row[:4] for row in games if row[1] == "c"] == [("b", "c", "0-1", "")]
    kept = [row[:4] for row in games if row[1] == "b"]
    others = [row for k, row in enumerate(rows) if k != place]
    assert [row for row in kept if row in others] == others, text
    assert len(kept) + len(problems) <= 4 and set(problems) <= {place + 1}


RECORD = '{"id": "%s", "players": ["a", "b"], "points": [1, 0], "forfeit": null, "bots": [{"id": 1}]}'


@examples(300)
@given(st.integers(0, 3), st.integers(1, 90), st.sampled_from(["", "\n", "\r\n"]))
def test_a_record_cut_off_anywhere_leaves_the_others_as_they_are(place: int, at: int, end: str) -> None:
    lines = [RECORD % k + "\n" for k in range(5)]
    lines[place] = lines[place].rstrip()[:at] + end
    found = list(read_jsonl(io.StringIO("".join(lines)), "f"))
    ids = [item[0].id for item in found if not isinstance(item, MalformedGame)]
    problems = [item.line for item in found if isinstance(item, MalformedGame)]
    assert [one for one in ids if one != str(place)] == [str(k) for k in range(5) if k != place]
    assert problems == ([] if str(place) in ids else [place + 1])


def test_records_over_several_lines_are_read() -> None:
    shapes = [json.loads(RECORD % k) for k in range(3)]
    text = "".join(json.dumps(shape, indent=1) + "\n" for shape in shapes)
    cut = text[: text.index("forfeit")] + "\n" + text
    found = list(read_jsonl(io.StringIO(cut), "f"))
    assert [item.line for item in found if isinstance(item, MalformedGame)] == [1]
    assert [item[0].id for item in found if not isinstance(item, MalformedGame)] == ["0", "1", "2"]


MARK = "\ufeff"
JOINED = {
    "pgn": GAME + GAME,
    "csv": "white,black,result,round\na,b,1-0,1\nb,a,1-0,2\n",
    "jsonl": RECORD % 1 + "\n" + RECORD % 2 + "\n",
}


def read(text: str, form: str) -> Reading:
    return read_results(["-"], form=form, stdin=io.BytesIO(text.encode()))  # type: ignore[arg-type]


@pytest.mark.parametrize("end", ["\n", "", "\n\n"])
@pytest.mark.parametrize("form", JOINED)
def test_a_byte_order_mark_where_files_were_joined_is_skipped_with_a_note(form: str, end: str) -> None:
    other = JOINED[form].replace('"id": "', '"id": "x')
    first = JOINED[form].rstrip("\n") + end
    reading = read(MARK + first + MARK + other + MARK, form)
    assert reading.table.first.size == 4
    line, last = first.count("\n") + 1, (first + other).count("\n") + 1
    assert [notice.text for notice in reading.notices if notice.name == "joined-files"] == [
        f"<stdin>: byte order mark skipped at line {line}, line {last}: files were joined there"
    ]


def test_lines_are_counted_on_behind_a_byte_order_mark() -> None:
    for form, bad, line in (("pgn", HEADER + "0-1\n", 17), ("csv", "a,a,1-0\n", 4), ("jsonl", "{}\n", 3)):
        with pytest.raises(ReadError) as error:
            read(JOINED[form] + MARK + bad, form)
        assert [problem.line for problem in error.value.problems] == [line]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("pgn", GAME.replace('"a', f'"{MARK}a').replace('b"', f'b{MARK}"')),
        ("csv", f'a{MARK},"{MARK}b, c",1-0\n'),
        ("jsonl", (RECORD % 1).replace('"a"', f'"{MARK}a"')),
    ],
)
def test_a_byte_order_mark_in_a_name_is_part_of_it(form: str, text: str) -> None:
    reading = read(text, form)
    assert reading.notices == ()
    assert "".join(reading.table.players).count(MARK) == text.count(MARK)


def test_the_heading_of_a_joined_csv_file_is_no_row() -> None:
    assert read(JOINED["csv"] * 2, "csv").table.first.size == 4
    with pytest.raises(ReadError, match="malformed"):
        read(JOINED["csv"] + "black,white,result\n", "csv")
