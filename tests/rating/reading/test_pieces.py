"""Files are read in pieces, whole games at once where they are alike: what is found does not depend on it."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rating.errors import MalformedGame
from rating.reading.files import read_results
from rating.reading.gathering import ResultCollector
from rating.reading.pgn import read_pgn
from rating.reading.pgn_lines import TAGS, PgnGame, PgnLines
from rating.reading.plain_csv import PlainCsv
from rating.reading.rows import read_csv
from rating.text import unescape_csv_cell
from tests.fixtures.profiles import examples
from tests.rating.recorded_results import split

Row = tuple[str, ...]

OUTCOMES = {"1-0": 1, "0-1": -1, "1/2-1/2": 0}


def found_in(pieces: list[str], form: str) -> tuple[list[Row], list[MalformedGame]]:
    return split(read_pgn(pieces, "f") if form == "pgn" else read_csv(pieces, "f"))


def lines_of(text: str) -> list[str]:
    return list(io.StringIO(text))


def by_line(text: str) -> tuple[list[Row], list[MalformedGame]]:
    """PGN, a line after the other."""
    found: list[PgnGame] = []
    reader = PgnLines("f", found.append)
    for number, line in enumerate(lines_of(text), 1):
        reader.read_line(number, line)
    reader.finish()
    problems = [game.find_problem() for game in found]
    rows = [tuple(map(game.tag_value, TAGS)) for game, bad in zip(found, problems, strict=True) if not bad]
    return rows, [bad for bad in problems if bad]


@dataclass(frozen=True)
class Written:
    """A game as somebody wrote it, and the row that it stands for, None where it cannot be counted."""

    text: str
    row: Row | None


names = st.sampled_from(["a", "b", "Tal, Mihail", "Müller", "x [y]", "%", "½", "c;d", "{e}", "a\rb", " f "])
plain_names = st.sampled_from(["a", "b", "Tal, Mihail", "Müller", "½"])
endings = st.sampled_from(
    ["", "\n", "{end}\n", "1. e4 e5\n2. d4 *\n", "=\n", "; well played [1-0\n", "% 0-1\n"]
)


@st.composite
def games(draw: st.DrawFn, name: st.SearchStrategy[str] = names) -> Written:
    white, black = draw(name), draw(name)
    result = draw(st.sampled_from([*OUTCOMES, "*", "2-0"]))
    number = draw(st.integers(0, 3))
    tags = [("White", white), ("Black", black), ("Result", result)]
    if draw(st.booleans()):
        tags.insert(draw(st.integers(0, 3)), ("Round", str(number)))
    else:
        number = 0
    if draw(st.booleans()):
        tags.insert(draw(st.integers(0, len(tags))), ("Site", draw(st.sampled_from(["?", 'the "Hall"']))))
    missing = draw(st.integers(0, 30))
    if missing < 3:
        tags = [tag for tag in tags if tag[0] != ("White", "Black", "Result")[missing]]
    gap = draw(st.sampled_from([" ", " ", " ", "  "]))
    lines = []
    for tag, value in tags:
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'[{tag}{gap}"{escaped}"]\n')
    moves = draw(
        st.sampled_from(["", "1. e4 {[%clk 1]} e5\n", "1. e4 e5\n", f"{result}\n", f"1. d4 {result}\n"])
    )
    text = (
        "".join(lines) + draw(st.sampled_from(["", "\n"])) + moves + draw(st.sampled_from(["", "\n", "\n\n"]))
    )
    white, black = white.strip(), black.strip()
    counted = result in OUTCOMES and white != black and missing >= 3
    row = (white, black, result, str(number) if ("Round", str(number)) in tags else "", "", "", "")
    return Written(text, row if counted else None)


@examples(300)
@given(st.lists(games(), max_size=8), st.integers(1, 5), st.data())
def test_pgn_is_what_was_written_however_it_is_cut(
    written: list[Written], repeated: int, data: st.DataObject
) -> None:
    # Every game ends with moves, so that no tag belongs to another.
    text = "".join((game.text.rstrip("\n") + "\n=\n\n") * repeated for game in written)
    lines = lines_of(text)
    expected = [game.row for game in written for _ in range(repeated) if game.row is not None]
    if not any(game.text.rstrip("\n").endswith(tuple(OUTCOMES)) for game in written):
        assert found_in([text], "pgn")[0] == expected
    cuts = sorted(data.draw(st.lists(st.integers(0, len(lines)), max_size=4)))
    pieces = ["".join(lines[a:b]) for a, b in zip([0, *cuts], [*cuts, len(lines)], strict=True)]
    assert found_in([text], "pgn") == found_in(pieces, "pgn") == found_in(lines, "pgn") == by_line(text)


@examples(500)
@given(
    st.lists(games(plain_names), min_size=1, max_size=3), st.lists(st.integers(0, 2), max_size=12), st.data()
)
def test_a_change_anywhere_in_pgn_is_seen_alike_by_lines_and_by_games(
    written: list[Written], order: list[int], data: st.DataObject
) -> None:
    text = "".join(written[k % len(written)].text * 3 for k in order)
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 3))
        new = data.draw(st.sampled_from(["", "1-0", "[Event x]\n", '[White "z"]\n', *'\n[]"{};%\\ *\r']))
        text = text[:at] + new + text[at + cut :]
    assert found_in([text], "pgn") == found_in(lines_of(text), "pgn") == by_line(text)


@pytest.mark.parametrize(
    "tags", [[], ['[Site "?"]'], ['[Round "3"]', '[Event "x?"]', '[MatchId "m"]', '[Table "2"]']]
)
@pytest.mark.parametrize(
    "moves",
    [
        "",
        "1-0\n\n",
        "\n1. e4 e5\n2. d4 1-0\n\n",
        "*\n",
        "\n1. e4 {[%clk 0:01] -0.1/9,\nwell [played]} e5 {\n\nbook} 1-0\n",
        "\n" + "1. e4 {-1.0/12 0.1s} e5 {+0.1/10} " * 20 + "{mates} 1-0\n",
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_games_that_are_alike_are_taken_whole(
    monkeypatch: pytest.MonkeyPatch, tags: list[str], moves: str, end: str
) -> None:
    text = "".join(f"{line}\n" for line in [*tags, '[White "a"]', '[Black "b"]', '[Result "1-0"]']) + moves
    pieces = [(text * 50).replace("\n", end)] * 3
    expected = by_line("".join(pieces))
    assert len(expected[0]) == 150
    taken = 0

    def read_line(self: object, number: int, line: str) -> None:
        nonlocal taken
        taken += 1
        original(self, number, line)  # type: ignore[arg-type]

    original = PgnLines.read_line
    monkeypatch.setattr(PgnLines, "read_line", read_line)
    assert found_in(pieces, "pgn") == expected
    assert taken < 150


TAGS_OF_GAME = '[Event "E"]\n[White "a"]\n[Black "b"]\n[Result "1-0"]\n'
BROKEN = '[Event "E"]\n[White "c"]\n\n1-0\n'


@pytest.mark.parametrize("moves", ["1-0\n\n", "1. e4 {-1.0/2} " * 30 + "1-0\n\n"])
@pytest.mark.parametrize(
    "game",
    [
        "0-1\n",
        "1-0\n0-1\n",
        "1. e4 1-0\n{ } e5 1-0\n",
        "1. e4 * e5\n* 1-0\n",
        "1. e4 {open 1-0\n",
        "{open}\n{again\n\n1-0\n",
        "{alone}\n" + BROKEN,
        "; 1-0\n" + BROKEN,
        "% 1-0\n" + BROKEN,
        "1. e4\n[broken\n1-0\n",
        "1. e4\n  [broken\n1-0\n",
        "1. e4 [broken 1-0\n",
        "1. e4 {1-0}\n",
        "1. e4 e5{1-0}\n",
        "1. e4 1-0;\n",
        "1. e4 1-0\x85\n",
        "1. e4\u20031-0\n",
        '1. e4 [White "d"] 1-0\n',
        "1-0\n\n" + TAGS_OF_GAME[1:] + "1-0\n",
        "\n" + BROKEN,
        BROKEN,
        "1. e4",
    ],
)
def test_what_follows_the_tags_of_a_game_is_seen_alike_by_lines_and_by_games(game: str, moves: str) -> None:
    good = TAGS_OF_GAME + moves
    text = good * 3 + TAGS_OF_GAME + game
    assert found_in([text + good * 2], "pgn") == by_line(text + good * 2)
    assert found_in([text], "pgn") == by_line(text)


@pytest.mark.parametrize(
    "tags",
    [
        TAGS_OF_GAME.replace('"a"', '" a"'),
        TAGS_OF_GAME.replace('"a"', '""'),
        TAGS_OF_GAME.replace('"a"', '"b"'),
        TAGS_OF_GAME.replace('"a"', '"a\\\\c"'),
        TAGS_OF_GAME.replace('"a"', '"a\nc"'),
        TAGS_OF_GAME.replace('"a"', '"a\\""'),
        TAGS_OF_GAME.replace('"]\n[Black', '"] [Black'),
        TAGS_OF_GAME.replace('"E"', '"?E"'),
        TAGS_OF_GAME.replace('"E"', '"\x85E"'),
        TAGS_OF_GAME.replace('"1-0"', '"2-0"'),
        TAGS_OF_GAME.replace("[Black", "[Site"),
        TAGS_OF_GAME.replace('[Black "b"]\n', ""),
        TAGS_OF_GAME.replace('[Black "b"]\n', '[Black "b"]\n[Black "b"]\n'),
        TAGS_OF_GAME.replace("[Result", "[ Result"),
    ],
)
def test_tags_that_differ_are_seen_alike_by_lines_and_by_games(tags: str) -> None:
    good = TAGS_OF_GAME + "1-0\n\n"
    text = good * 3 + tags + "1-0\n\n" + good * 2
    assert found_in([text], "pgn") == by_line(text)


def test_lines_are_counted_behind_games_that_were_taken_whole() -> None:
    game = '[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1-0\n\n'
    bad = game.replace('"1-0"', '"*"')
    _, problems = found_in([game * 20, game * 20 + bad + game * 20 + bad], "pgn")
    assert [problem.line for problem in problems] == [40 * 6 + 3, 61 * 6 + 3]


def by_row(text: str) -> tuple[list[Row], list[MalformedGame]]:
    """CSV, a row after the other."""
    order = ["white", "black", "result", "round", "table", "event", "match"]
    games: list[Row] = []
    problems: list[Any] = []
    place: dict[str, int] = {}
    heading: list[str] = []
    lines = lines_of(text)
    line = 0
    while line < len(lines):
        rows = csv.reader(lines[line:], strict=True)
        try:
            row = next(rows)
        except csv.Error as error:
            # A row that is none is its first line.
            line += 1
            problems.append(MalformedGame("f", line, f"not CSV: {error}"))
            continue
        line += rows.line_num
        cells = [unescape_csv_cell(cell.strip()).strip() for cell in row]
        if not any(cells):
            continue
        if not place:
            names = [cell.lower() for cell in cells]
            if {"white", "black", "result"} <= set(names):
                heading = names
                place = {name: heading.index(name) for name in order if name in heading}
                continue
            place = {name: k for k, name in enumerate(order[:5])}
        cell = {name: cells[at] if at < len(cells) else "" for name, at in place.items()}
        game = tuple(cell.get(name, "") for name in order)
        whole = all(not text or (text.isdecimal() and len(text) <= 15) for text in game[3:5])
        if all(game[:3]) and game[0] != game[1] and game[2] in {*OUTCOMES, "1/2", "½-½"} and whole:
            games.append(game)
        elif not heading or [cell.lower() for cell in cells] != heading:
            problems.append(MalformedGame("f", line, ""))
    return games, problems


cells = st.sampled_from(
    [
        "a",
        "b",
        " c ",
        "'=d",
        '"e,f"',
        '"g\nh"',
        '"i\r\nj"',
        "",
        "1-0",
        "0-1",
        "1/2-1/2",
        "7",
        "x",
        '"k',
        'l"m',
    ]
)
rows_of_cells = st.lists(cells, max_size=6).map(",".join)
good_rows = st.tuples(
    plain_names.map('"{}"'.format), st.just("z"), st.sampled_from(["1-0", "1/2-1/2", "0-1"]), st.just("12")
).map(",".join)


@examples(400)
@given(
    st.sampled_from(
        [
            "",
            "white,black,result\n",
            "white,black,result\nwhite,Black,result\n",
            "Round,result,black,x,white,match\n",
            '"\nwhite",black,result\n',
        ]
    ),
    st.lists(st.one_of(good_rows, good_rows, rows_of_cells), max_size=12),
    st.sampled_from(["\n", "\r\n"]),
    st.integers(1, 5),
)
def test_csv_is_what_its_rows_are_however_many_are_read_together(
    heading: str, rows: list[str], end: str, batch: int
) -> None:
    text = heading + "".join(row + end for row in rows)
    games, problems = by_row(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rating.reading.rows._BATCH", batch)
        found, reported = found_in(lines_of(text), "csv")
    assert found == games
    assert [problem.line for problem in reported] == [problem.line for problem in problems]
    assert found_in([text], "csv") == (found, reported)


plain_rows = st.tuples(
    st.sampled_from(["a", "b", "Müller", "'=d", " c ", '"c"', "123456789", "1234567890abcdefgh", "x" * 65]),
    st.sampled_from(["z", "'z", '"z"', "12345678", "1234567890abcdefgi", "q" * 64]),
    st.sampled_from(["1-0", "0-1", "1/2", "½-½", '"1-0"']),
    st.sampled_from(["", "7", "007", "99999999999999999"]),
).map(",".join)


@examples(400)
@given(
    st.sampled_from(["", "white,black,result,round\n", "White,Event,result,black,x\n"]),
    st.lists(st.one_of(*[plain_rows] * 8, rows_of_cells), min_size=1, max_size=6),
    st.integers(1, 4),
    st.sampled_from(["\n", "\r\n"]),
    st.data(),
)
def test_rows_read_many_at_once_are_those_read_one_by_one(
    heading: str, rows: list[str], repeated: int, end: str, data: st.DataObject
) -> None:
    text = heading + "".join(row + end for row in rows * repeated)
    at = data.draw(st.integers(0, len(text)))
    text = text[:at] + data.draw(st.sampled_from(["", "", "", *'",\n\r\0']) | st.text(max_size=2)) + text[at:]
    lines = lines_of(text)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(lines)), max_size=4)))
    pieces = ["".join(lines[a:b]) for a, b in zip([0, *cuts], [*cuts, len(lines)], strict=True)]

    def read(pieces: list[str]) -> tuple[object, ...]:
        collector = ResultCollector("seed")
        collector.begin_source("f", 1)
        collector.add_games(read_csv(pieces, "f"))
        table = collector.table()
        columns = (
            table.first,
            table.second,
            table.outcome,
            table.match,
            table.round,
            table.table,
            table.played,
        )
        return table.players, [column.tolist() for column in columns], collector.problems

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PlainCsv, "number_games", lambda *_: None)
        expected = read([text])
    assert read(pieces) == expected
    assert read([text]) == expected


def test_plain_rows_are_not_read_one_by_one() -> None:
    pieces = ["white,black,result\na,b,1-0\n", "b,longer than eight,0-1\r\n"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rating.reading.rows.good_games", lambda *_: [])
        assert found_in(pieces, "csv")[0] == [
            ("a", "b", "1-0", "", "", "", ""),
            ("b", "longer than eight", "0-1", "", "", "", ""),
        ]


@examples(200)
@given(
    st.lists(st.binary(max_size=30).map(lambda text: text.replace(b"\n", b"") + b"\n"), max_size=6),
    st.sampled_from([b"", b"\xef\xbb\xbf"]),
    st.sampled_from(["pgn", "csv", "jsonl"]),
    st.integers(1, 40),
)
def test_the_size_of_pieces_does_not_matter(lines: list[bytes], mark: bytes, form: str, piece: int) -> None:
    game = '[White "Müller"]\n[Black "b"]\n[Result "1-0"]\n\n1-0\n\n'.encode()
    text = mark + b"".join(lines) + game * 3 + game.decode().encode("latin-1") * 3

    def read() -> tuple[object, ...]:
        reading = read_results(["-"], form=form, skip_bad=True, stdin=io.BytesIO(text))  # type: ignore[arg-type]
        table = reading.table
        return table.players, table.first.tolist(), table.outcome.tolist(), reading.problems

    try:
        whole = read()
    except Exception as error:
        assert "line feed" in str(error) or ": " in str(error)
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rating.reading.files._PIECE", piece)
        assert read() == whole
