"""Bytes in, replies out: every liberty, every fault, and no difference by how the bytes were cut."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.errors import MalformedReply
from arbiter.match.protocol import (
    BETWEEN_LIMIT,
    DONE,
    OUTPUT_LIMIT,
    PLAIN,
    REPLY_LIMIT,
    Answer,
    Connection,
    words_of,
)
from tests.fixtures.profiles import examples

CR = "line ends of carriage return and newline"
TRAILING = "blanks or control characters at the end of a line"
BLANK_LINES = "blank lines between replies"
COMMENTS = "comment lines"
SEVERAL = "several lines in a reply"
REFUSALS = "refusals (?)"


def fed(*chunks):
    """What a connection makes of chunks: texts with their acceptance, the fault, the notes.

    The fault is (kind, whether it tells what stood there instead of a reply): that one is seen
    as early as its first byte, so its bytes depend on the cut; all others are given in full.
    """
    connection, answers, fault = Connection(), [], None
    try:
        for chunk in chunks:
            connection.feed(chunk)
            while (answer := connection.reply()) is not None:
                answers.append(answer)
    except MalformedReply as error:
        early = error.detail.startswith("a reply starts with")
        fault = (error.kind, "" if early else error.detail)
    return answers, fault, list(connection.notes)


def words(data):
    """The texts of the replies in some bytes that hold no fault."""
    answers, fault, notes = fed(data)
    assert fault is None
    return [(answer.accepted, answer.text) for answer in answers], notes


# Liberties


@pytest.mark.parametrize(
    ("data", "text", "notes"),
    [
        (b"=\n\n", b"", []),
        (b"= \n\n", b"", []),
        (b"=  \t\n\n", b"", []),
        (b"=AS\n\n", b"AS", []),
        (b"= AS\n\n", b"AS", []),
        (b"=   AS\n\n", b"AS", []),
        (b"= 03\n\n", b"03", []),
        (b"=\tAS\n\n", b"AS", []),
        (b"= AS\n \t\n", b"AS", []),
        (b"= AS\r\n\r\n", b"AS", [CR]),
        (b"= AS\r\n\n", b"AS", [CR]),
        (b"=\r\n\r\n", b"", [CR]),
        (b"= AS \n\n", b"AS", [TRAILING]),
        (b"= AS\t\t\n\n", b"AS", [TRAILING]),
        (b"= AS\x07\x1b\n\n", b"AS", [TRAILING]),
        (b"= AS\x7f\n\n", b"AS", [TRAILING]),
        (b"\n\n \r\n= AS\n\n", b"AS", [BLANK_LINES]),
        (b"# thinking\n= AS\n\n", b"AS", [COMMENTS]),
        (b"#\n\n# \xff\x00 = 3\n\n= AS\n\n", b"AS", [COMMENTS, BLANK_LINES]),
        (b"= AS\nreason: high\n\n", b"AS", [SEVERAL]),
        (b"= AS\n= KS\n? no\n# x\n\n", b"AS", [SEVERAL]),
        (b"= " + b"x" * 300 + b"\n\n", b"x" * 300, []),
        (b"= \xc3\xa9\n\n", b"\xc3\xa9", []),
    ],
)
def test_a_liberty_is_accepted_and_noted(data, text, notes):
    assert words(data) == ([(True, text)], notes)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"?\n\n", b""),
        (b"? unknown command\n\n", b"unknown command"),
        (b"?no\n\n", b"no"),
        (b"? nieznane polecenie: \xc4\x85\n\n", b"nieznane polecenie: \xc4\x85"),
        (b"? \xff\xfe\n\n", b"\xff\xfe"),
    ],
)
def test_a_refusal_is_a_reply_with_any_text(data, text):
    assert words(data) == ([(False, text)], [REFUSALS])


def test_several_replies_in_one_read_are_taken_one_by_one():
    answers, _ = words(b"=\n\n= 3\n\n? x\n\n= TD\n\n")
    assert answers == [(True, b""), (True, b"3"), (False, b"x"), (True, b"TD")]


def test_notes_are_kept_once_in_the_order_of_their_first_appearance():
    _, notes = words(b"? x\n\n= 3\r\n\r\n? x\n\n#\n= 3\r\n\r\n")
    assert notes == [REFUSALS, CR, COMMENTS]


def test_the_raw_bytes_of_a_reply_are_kept():
    answers, _, _ = fed(b"\n# hm\n= AS \nwhy\n \n=\n\n")
    assert [answer.raw for answer in answers] == [b"= AS \nwhy\n \n", PLAIN]


@pytest.mark.parametrize(
    "data", [b"", b"\n", b" ", b"#", b"# = 3\n", b"=", b"= AS", b"= AS\n", b"= AS\r", b"=\n#\n"]
)
def test_an_incomplete_reply_is_waited_for(data):
    assert fed(data)[:2] == ([], None)


# Faults


@pytest.mark.parametrize(
    "data",
    [
        b"3\n\n",
        b"TD\n\n",
        b"ok",
        b"h",
        b" = 3\n\n",
        b"\x00",
        b"\x00\n\n",
        b"\xef\xbb\xbf= 3\n\n",
        b"-3\n\n",
        b"\n\n>",
    ],
)
def test_a_reply_that_starts_with_something_else_is_malformed_at_once(data):
    assert fed(data)[:2] == ([], ("malformed", ""))


def test_the_message_shows_what_came_instead_of_a_reply():
    connection = Connection()
    connection.feed(b"\nHello, I am a bot\n")
    with pytest.raises(MalformedReply, match="not b'Hello, I am a bot") as caught:
        connection.reply()
    assert caught.value.reply == b"Hello, I am a bot\n"


@pytest.mark.parametrize("data", [b"= A\x00S\n\n", b"=\x00", b"? \x00\n\n", b"= AS\n\x00\n\n"])
def test_a_nul_byte_in_a_reply_is_malformed(data):
    assert fed(data)[:2] == ([], ("malformed", "a NUL byte in a reply"))


@pytest.mark.parametrize("ending", [b"\n\n", b"", b"\n"])
def test_a_reply_longer_than_the_limit_is_malformed(ending):
    fault = ("malformed", f"a reply longer than {REPLY_LIMIT} bytes")
    assert fed(b"=" + b"x" * REPLY_LIMIT + ending)[:2] == ([], fault)


def test_a_reply_of_short_lines_longer_than_the_limit_is_malformed():
    fault = ("malformed", f"a reply longer than {REPLY_LIMIT} bytes")
    assert fed(b"=\n" + b"x\n" * (REPLY_LIMIT // 2))[:2] == ([], fault)


def test_a_reply_of_exactly_the_limit_is_accepted():
    answers, fault, _ = fed(b"=" + b"x" * (REPLY_LIMIT - 3) + b"\n\n")
    assert (len(answers[0].raw), fault) == (REPLY_LIMIT, None)


def test_output_of_exactly_the_limit_of_a_match_is_accepted():
    connection = Connection()
    connection.feed(b"#" * (OUTPUT_LIMIT - 1) + b"\n")
    assert (connection.reply(), connection.received) == (None, OUTPUT_LIMIT)


def test_output_beyond_the_limit_of_a_match_is_a_fault_of_its_own():
    connection = Connection()
    chunk = PLAIN * 1000
    with pytest.raises(MalformedReply) as caught:
        for _ in range(OUTPUT_LIMIT // len(chunk) + 1):
            connection.feed(chunk)
            connection.take(1000)
    assert caught.value.kind == "output"


def test_a_flood_of_blank_lines_up_to_the_limit_is_skipped():
    connection = Connection()
    connection.feed(b"\n" * (OUTPUT_LIMIT - 3) + PLAIN)
    assert connection.reply() == DONE


# What stands unread


@pytest.mark.parametrize("data", [b"", b"\n", b" \r\n\n", b"# note\n", b"# half", b"  ", b"\n#\n \t"])
def test_blank_and_comment_lines_may_stand_unread(data):
    connection = Connection()
    connection.feed(data)
    assert connection.unasked_output() == b""


@pytest.mark.parametrize("data", [b"= 3\n\n", b"=", b"\n# x\n= 3", b"?\n\n", b"hello", b"\n\n\x00"])
def test_anything_else_that_stands_unread_is_stale(data):
    connection = Connection()
    connection.feed(data)
    assert connection.unasked_output() == data.rpartition(b"# x\n")[2].lstrip(b"\n")


def test_a_reply_beyond_those_asked_for_is_stale():
    connection = Connection()
    connection.feed(b"=\n\n= 3\n\n")
    answers = connection.take(1)
    assert (answers, connection.unasked_output(), connection.buffer) == ((DONE,), b"= 3\n\n", b"= 3\n\n")


# Batches


def test_a_batch_is_taken_when_its_last_reply_is_complete():
    connection = Connection()
    connection.feed(PLAIN * 4 + b"= T")
    assert not connection.take(5)
    connection.feed(b"D\n\n=\n\n")
    assert connection.take(5) == (*[DONE] * 4, Answer(True, b"TD", b"= TD\n\n"))
    assert connection.unasked_output() == PLAIN


# Words


@pytest.mark.parametrize(
    ("text", "word"), [(b"TD", "TD"), (b"03", "03"), (b"C11;Q2;J1", "C11;Q2;J1"), (b"\xc3\xa9", "\u00e9")]
)
def test_one_word_is_an_answer(text, word):
    assert words_of(Answer(True, text, b"")) == word


def test_bytes_that_are_no_text_become_a_word_that_is_no_action():
    assert words_of(Answer(True, b"T\xff", b"")) == "T\\xff"


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        (b"", "an answer without a word"),
        (b"TD TC", "more than one word in an answer: TD TC"),
        (b"12 TD", "more than one word in an answer: 12 TD"),
        (b"T\tD", "more than one word in an answer: T\tD"),
    ],
)
def test_no_word_or_several_are_malformed(text, detail):
    with pytest.raises(MalformedReply) as caught:
        words_of(Answer(True, text, b"raw"))
    assert (caught.value.kind, caught.value.detail, caught.value.reply) == ("malformed", detail, b"raw")


@pytest.mark.parametrize(("text", "words"), [(b"3 12", "3 12"), (b"3\t 12", "3 12")])
def test_an_answer_has_as_many_words_as_are_asked_for(text, words):
    assert words_of(Answer(True, text, b""), 2) == words


def test_another_number_of_words_is_malformed():
    with pytest.raises(MalformedReply, match="expected 2 words, got 1 in an answer: 3"):
        words_of(Answer(True, b"3", b"raw"), 2)


# Cutting

FRAGMENTS = st.sampled_from(
    [
        b"=", b"?", b"#", b"\n", b"\r\n", b" ", b"\t", b"\r", b"\x07", b"\x7f", b"\x00", b"\xff", b"x",
        b"TD", b"3",
        b"=\n\n", b"= 3\n\n", b"=TD\n\n", b"? no\n\n", b"= TD\r\n\r\n", b"= 3 \n\n", b"# c\n", b"=\nmore\n\n",
        b"=\n", b"= TD\n", b"\n\n", b"= TD TC\n\n", PLAIN * 5, b"hello\n",
        b"= " + b"y" * 64 + b"\n\n", b"= " + b"y" * 65 + b"\n\n",
    ]
)  # fmt: skip
STREAMS = st.lists(FRAGMENTS, max_size=25).map(b"".join)


def cut(data, places):
    """The bytes in chunks that end at `places` (taken modulo the length)."""
    ends = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[start:end] for start, end in pairwise(ends)]


EVERYWHERE = range(10**4)


@given(
    data=STREAMS | st.binary(max_size=40),
    places=st.lists(st.integers(0, 10**4), max_size=20) | st.just(EVERYWHERE),
)
@examples(700)
def test_any_chunking_gives_the_same_answers_fault_and_notes(data, places):
    assert fed(*cut(data, places)) == fed(data)


@given(
    data=STREAMS,
    places=st.lists(st.integers(0, 10**4), max_size=10),
    sizes=st.lists(st.integers(1, 6), min_size=1, max_size=10),
)
@examples(300)
def test_batches_of_any_size_give_the_replies_one_by_one(data, places, sizes):
    expected, fault, _ = fed(data)
    connection, got = Connection(), list[Any]()
    try:
        chunks = iter(cut(data, places))
        for size in sizes:
            while not (batch := connection.take(size)) and (chunk := next(chunks, None)) is not None:
                connection.feed(chunk)
            if not batch:
                break
            got += batch
    except MalformedReply:
        assert fault is not None
    assert got == expected[: len(got)]
    whole = 0
    for size in sizes:
        if whole + size > len(expected):
            break
        whole += size
    assert fault is not None or len(got) == whole


@pytest.mark.parametrize("nul", [10, REPLY_LIMIT - 1, REPLY_LIMIT, REPLY_LIMIT + 500])
@pytest.mark.parametrize("step", [1000, REPLY_LIMIT, REPLY_LIMIT + 1])
def test_the_fault_of_an_overlong_reply_with_a_nul_does_not_depend_on_the_cut(nul, step):
    data = bytearray(b"=" + b"x" * (REPLY_LIMIT + 2000))
    data[nul] = 0
    chunks = [bytes(data[i : i + step]) for i in range(0, len(data), step)]
    assert fed(*chunks) == fed(bytes(data))


@given(data=STREAMS, places=st.lists(st.integers(0, 10**4), max_size=10), size=st.integers(1, 6))
@examples(300)
def test_receiving_is_feeding_and_taking(data, places, size):
    def run(receive):
        connection, seen = Connection(), list[Any]()
        try:
            seen.extend(receive(connection, chunk) for chunk in cut(data, places))
        except MalformedReply as fault:
            seen.append((fault.kind, fault.detail))
        return seen, connection.received, connection.notes

    def fed_and_taken(connection, chunk):
        connection.feed(chunk)
        return (connection.take(size) or [None])[-1]

    assert run(lambda connection, chunk: connection.receive(chunk, size)) == run(fed_and_taken)


class Counted(bytearray):
    """Counts the bytes that are copied out of it or searched."""

    looked_at = 0

    def __getitem__(self, where):
        found = super().__getitem__(where)
        self.looked_at += len(found) if isinstance(where, slice) else 1
        return found

    def find(self, what, start=0, end=None):
        self.looked_at += (len(self) if end is None else min(end, len(self))) - start
        return super().find(what, start, len(self) if end is None else end)


@pytest.mark.parametrize("filled", [b"= 2C" + b" " * 60_000, b"=" + b"\nx" * 30_000, b" " * 60_000])
def test_what_comes_byte_by_byte_is_looked_at_a_few_times(filled):
    connection = Connection()
    connection.buffer = Counted()
    for place in range(len(filled)):
        connection.feed(filled[place : place + 1])
        assert connection.take(1) == ()
    # The first line of a reply, which may be a plain one, is matched again at each byte until a line has begun.
    assert connection.buffer.looked_at < 10 * len(filled)


@pytest.mark.parametrize("start", [b"#", b" "])
def test_what_no_newline_ends_between_replies_is_not_kept(start):
    connection = Connection()
    for _ in range(10):
        connection.feed(start + b" " * 50_000)
        assert connection.reply() is None
        assert len(connection.buffer) <= BETWEEN_LIMIT
    connection.feed(b"\n= AS\n\n")
    answer = connection.reply()
    assert answer is not None
    assert answer.text == b"AS"
