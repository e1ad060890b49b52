"""Notes of bots: which lines are kept, how much of them, and with which move."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.errors import StoreError
from arbiter.games.planning import Planning
from arbiter.match.notes import DROPPED, LONGEST_TAG, MATCH_BYTES, MOVE_BYTES, Note, Notebook, notes_by_move
from arbiter.match.packing import pack, unpack
from arbiter.match.protocol import PLAIN, Connection
from arbiter.match.record import MatchRecord
from arbiter.match.spec import MatchSpec, Player
from arbiter.replay.result_text import escaped_note, note_lines
from arbiter.table.conductor import public_seats
from arbiter.testing import ScriptedBot, match_spec, play_by_policy, play_in_memory, random_policy
from tests.fixtures.profiles import examples
from tests.match.test_protocol import STREAMS, cut

GAME = Planning(deals=[[1, 0], [2, 1]])
SILENT = play_by_policy(GAME, random_policy(1))


def noted(*lines: bytes) -> Note:
    """The note that one move has after these lines."""
    book = Notebook()
    for line in lines:
        book.add(line)
    book.seal(1)
    return dict(book.notes()).get(1, Note())


# What is kept


@pytest.mark.parametrize(
    ("lines", "note"),
    [
        ([b"# value 0.5"], Note(0.5)),
        ([b"# value -3 safe now"], Note(-3.0, (), ("safe now",))),
        ([b"# value 1e-3\r"], Note(0.001)),
        ([b"# value 1", b"# value 2"], Note(2.0)),
        ([b"# tag endgame", b"# tag endgame", b"# tag risky"], Note(None, ("endgame", "risky"))),
        ([b"# note two words", b"# note more"], Note(None, (), ("two words", "more"))),
        ([b"# note \xe2\x99\xa0 led"], Note(None, (), ("\u2660 led",))),
        ([b"# note \xff"], Note(None, (), ("\\xff",))),
        *(([b"# value " + word], Note()) for word in (b"", b"x", b"nan", b"inf", b"1e999", b"1_000", b"0x10")),
        *(([b"# tag " + word], Note()) for word in (b"", b"two words", b"\x1b[2J", "\u202eabc".encode())),
        ([b"# tag " + b"x" * (LONGEST_TAG + 1)], Note()),
        ([b"# note  "], Note()),
    ],
)  # fmt: skip
def test_a_line_says_a_value_a_tag_or_words(lines: list[bytes], note: Note) -> None:
    assert noted(*lines) == note
    assert Note.from_json(json.loads(json.dumps(note.to_json()))) == note


def test_a_note_of_a_move_has_at_most_so_many_bytes() -> None:
    book = Notebook()
    full = b"# note " + b"x" * (MOVE_BYTES - 7)
    assert book.add(full)
    assert not book.add(b"# tag a")
    book.seal(1)
    assert book.add(b"# tag a")
    assert not book.add(full + b"x")
    book.seal(2)
    assert dict(book.notes()) == {1: Note(None, (), (full[7:].decode(),)), 2: Note(None, ("a",))}


def test_the_notes_of_a_match_have_at_most_so_many_bytes() -> None:
    book, line = Notebook(), b"# note " + b"x" * (MOVE_BYTES - 7)
    kept = 0
    for request in range(1, 1000):
        kept += book.add(line)
        book.seal(request)
    assert kept == MATCH_BYTES // MOVE_BYTES
    assert sum(len(note.words[0]) + 7 for _, note in book.notes()) <= MATCH_BYTES


def test_notes_are_safe_for_a_terminal() -> None:
    note = Note(0.25, ("risky",), ("\x1b[2J \u202e",))
    assert list(note_lines(escaped_note(note))) == ["# value 0.25", "# tag risky", "# note \\x1b[2J \\u202e"]


# In the stream


def test_other_comment_lines_are_noted_as_a_liberty_and_not_kept() -> None:
    connection = Connection()
    connection.feed(b"# thinking\n#note x\n# Note x\n# value 2\n" + PLAIN)
    connection.reply()
    connection.notebook.seal(1)
    assert (list(connection.notebook.notes()), list(connection.notes)) == (
        [(1, Note(2.0))],
        ["comment lines"],
    )


def test_a_flood_is_dropped_and_said_once() -> None:
    connection = Connection()
    connection.feed(b"# note flood\n" * 50_000)
    connection.feed(PLAIN)
    connection.reply()
    assert sum(map(len, connection.notebook.open)) <= MOVE_BYTES
    assert list(connection.notes) == [DROPPED]


NOTED = st.lists(
    st.sampled_from([b"# value 1\n", b"# tag a\n", b"# note b c\n", b"# note " + b"x" * 199 + b"\n", PLAIN]),
    max_size=20,
).map(b"".join)


@given(data=st.lists(NOTED | STREAMS, max_size=3).map(b"".join), places=st.lists(st.integers(0, 10**4)))
@examples(200)
def test_any_chunking_gives_the_same_notes(data: bytes, places: list[int]) -> None:
    def kept(*chunks: bytes) -> list[tuple[int, Note]]:
        connection, answers = Connection(), 0
        try:
            for chunk in chunks:
                connection.feed(chunk)
                while connection.reply() is not None:
                    answers += 1
                    connection.notebook.seal(answers)
        except Exception:  # what follows a fault is not kept
            pass
        return list(connection.notebook.notes())

    assert kept(*cut(data, places)) == kept(data)


# With its move


class Noting(ScriptedBot):
    """Notes which command it is answering, before the reply to any of them."""

    def __call__(self, command: str) -> bytes | None:
        reply = super().__call__(command)
        return None if reply is None else b"# note %s\n%s" % (command.encode()[:20], reply)


def test_a_note_stands_with_the_next_answer_to_a_request() -> None:
    bots = [ScriptedBot.replaying(SILENT, seat) for seat in range(4)]
    bots[2] = Noting.replaying(SILENT, 2)
    record = play_in_memory(GAME, bots)
    assert {record.moves[number - 1].seat for number in record.move_notes or ()} == {2}
    heard: list[str] = []
    for number, move in enumerate(record.moves, 1):
        if move.seat == 2:
            words = (record.move_notes or {})[number].words
            assert words[-1] == move.request
            heard += words
    assert heard == [command[:20] for command in bots[2].heard][: len(heard)]
    assert replace(record, move_notes=None, bots=()) == replace(SILENT, bots=())


def test_what_was_noted_before_a_fault_belongs_to_no_move() -> None:
    book = Notebook()
    for request in (1, 2):
        book.add(b"# value %d" % request)
        book.seal(request)
    assert notes_by_move({1: book}, [0, 1]) == {2: Note(1.0)}


# In the record

WITH = replace(SILENT, move_notes={2: Note(0.5, ("a",), ("b",)), 5: Note(-1.0)}, notes_public=(1,))


def test_a_record_keeps_its_notes() -> None:
    assert MatchRecord.from_json(json.loads(json.dumps(WITH.to_json()))) == WITH
    assert unpack(pack(WITH), WITH.id) == WITH
    assert WITH.to_json()["move_notes"] == [
        {"move": 2, "value": 0.5, "tags": ["a"], "words": ["b"]},
        {"move": 5, "value": -1.0},
    ]


def test_the_record_of_silent_bots_is_what_it_was() -> None:
    assert not {"move_notes", "notes_public"} & SILENT.to_json().keys()
    assert len(pack(SILENT)) < len(pack(WITH))


@pytest.mark.parametrize("note", [{}, {"move": 1, "value": "x"}, {"move": 1, "words": [3]}, 7])
def test_a_record_with_other_notes_is_refused(note: object) -> None:
    with pytest.raises(StoreError, match="cannot be read"):
        MatchRecord.from_json({**SILENT.to_json(), "move_notes": [note]})


@pytest.mark.parametrize(("by_season", "said", "public"), [
    (False, None, False), (True, None, True), (False, True, True), (True, False, False),
])  # fmt: skip
def test_a_player_says_whether_its_notes_are_for_all_and_else_the_season(
    by_season: bool, said: bool | None, public: bool
) -> None:
    players = tuple(Player(f"p{seat}", ("x",), publish_notes=said) for seat in range(4))
    spec: MatchSpec = replace(match_spec(GAME), players=players, publish_notes=by_season)
    assert public_seats(spec, {1, 3}) == ((1, 3) if public else ())
