"""The kit for authors of Planning bots: dialogue, state of the table, refusals; mostly in memory."""

from __future__ import annotations

import ast
import random
import shutil
import subprocess
import sys
from pathlib import Path

import planning_kit as kit
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fixtures.profiles import examples

OPENING = ["set_deck 23456789TJQKA CDHS", "set_players 3 1", "set_game 2 2 0 2 1", "set_cards 2 AS 2C"]


class First(kit.Bot):
    def declare(self, table: kit.Table) -> int:
        return 0

    def move(self, table: kit.Table) -> str:
        return table.legal()[0]


def after(*lines: str, bot: kit.Bot | None = None) -> kit.Session:
    """A session in which every one of these lines was accepted."""
    session = kit.Session(bot or First())
    for line in lines:
        assert session.answer(line) == "=", line
    return session


def spoken(raw: bytes, bot: kit.Bot | None = None) -> bytes:
    """What a bot writes when it reads this."""
    written: list[bytes] = []
    kit.serve(bot or First(), raw.splitlines(keepends=True), written.append)
    return b"".join(written)


def test_one_reply_to_each_command_and_none_to_a_blank_line() -> None:
    raw = "\n".join([*OPENING, "", "   ", "time_left 5000", "gen_declare"]).encode() + b"\n"
    assert spoken(raw) == b"=\n\n" * 5 + b"= 0\n\n"


def test_carriage_returns_and_stray_bytes_do_no_harm() -> None:
    raw = "\r\n".join(OPENING).encode() + b"\r\n\r\n\xff\xfe\r\ngen_declare\r\n"
    assert spoken(raw) == b"=\n\n" * 4 + "? unknown command \ufffd\ufffd\n\n".encode() + b"= 0\n\n"


def test_each_reply_is_written_at_once() -> None:
    written: list[bytes] = []

    def commands():  # type: ignore[no-untyped-def]
        for count, line in enumerate(OPENING):
            assert len(written) == count  # everything before this command has been answered
            yield line.encode()

    kit.serve(First(), commands(), written.append)


class Noting(First):
    """Notes what it is about to do, in more than one line."""

    def declare(self, table: kit.Table) -> int:
        self.notes += ["value 0.5", "note a\nb"]
        return 0


def test_notes_stand_once_before_the_reply_a_line_each() -> None:
    raw = "\n".join([*OPENING, "gen_declare", "time_left 5000"]).encode() + b"\n"
    assert spoken(raw, Noting()) == b"=\n\n" * 4 + b"# value 0.5\n# note a b\n= 0\n\n=\n\n"


def test_quit_is_answered_and_nothing_after_it() -> None:
    assert spoken(b"quit\nset_deck 23 AB\n") == b"=\n\n"


def test_end_of_input_ends() -> None:
    assert spoken(b"") == b""
    assert spoken(b"set_deck 23 AB") == b"=\n\n"


def test_a_deal_is_followed_by_the_rules() -> None:
    session = after(*OPENING, "time_left 1234")
    table = session.table
    assert (table.seats, table.me, table.trump, table.deal, table.size) == (3, 1, "C", 0, 2)
    assert (table.hand, table.dealt, table.time_left) == (["2C", "AS"], ["AS", "2C"], 1234)
    for line in ("declare 0 1", "declare 1 1", "declare 2 0"):
        assert session.answer(line) == "="
    assert table.declared == [1, 1, 0]
    assert session.answer("gen_move") == "? it is not my turn"
    assert session.answer("play 0 KS") == "="
    assert table.winning() == (0, "KS")
    assert table.legal() == ["AS"]  # follow suit
    assert "KS" not in table.unseen() and "AS" not in table.unseen() and len(table.unseen()) == 49
    assert session.answer("gen_move") == "= AS"
    assert table.hand == ["2C", "AS"]  # a choice only: it is played when play comes
    assert session.answer("play 1 AS") == "="
    assert session.answer("play 2 3D") == "="
    assert table.void == [set(), set(), {"S"}]
    assert (table.taken, table.turn, table.trick, table.tricks_left) == ([0, 1, 0], 1, [], 1)
    for line in ("play 1 2C", "play 2 4D", "play 0 AC"):
        assert session.answer(line) == "="
    assert table.void == [set(), set(), {"S", "C"}]
    assert (table.taken, table.turn) == ([1, 1, 0], None)
    assert table.points == [1 + 2, 1 + 2, 0 + 2]
    assert session.answer("set_cards 2 3C 4C") == "="
    assert (table.deal, table.turn, table.taken, table.played, table.points) == (
        1,
        1,
        [0, 0, 0],
        [],
        [3, 3, 2],
    )
    assert table.declared == [None, None, None] and table.void == [set(), set(), set()]


def test_a_new_programme_begins_a_new_match() -> None:
    session = after(*OPENING, "play 0 KS", "set_game 1 1 2")
    assert (session.table.deal, session.table.points, session.table.turn) == (-1, [0, 0, 0], None)


@pytest.mark.parametrize(
    "line",
    [
        "genmove",
        "SET_DECK 23 AB",
        "gen_declare now",
        "gen_move",
        "quit please",
        "set_deck 23456",
        "set_deck 223 AB",
        "set_players 5 0",
        "set_players 3 3",
        "set_players 3 -1",
        "set_game 2 1 0",
        "set_game 1 18 0",
        "set_game 1 1 3",
        "set_game",
        "set_cards 3 2C 3C 4C",
        "set_cards 2 2C 2C",
        "set_cards 2 2C 1C",
        "set_cards",
        "time_left soon",
        "time_left ²",
        "declare 3 0",
        "declare 0 3",
        "play 1 2C",
        "play 0 2C",
        "play 0 XX",
        "play 0",
        "play zero KS",
    ],
)
def test_what_cannot_be_obeyed_is_refused_and_changes_nothing(line: str) -> None:
    session = after(*OPENING)
    before = repr(vars(session.table))
    reply = session.answer(line)
    assert reply is not None and reply.startswith("? ") and "\n" not in reply
    assert repr(vars(session.table)) == before


def test_too_many_deals_and_too_early_commands_are_refused() -> None:
    session = kit.Session(First())
    for line in ("set_game 1 1 0", "set_cards 1 2C", "gen_declare", "declare 0 0", "play 0 2C"):
        assert (session.answer(line) or "").startswith("? ")
    session = after(*OPENING, "set_cards 2 2C 3C")
    assert (session.answer("set_cards 2 2C 3C") or "").startswith("? no deal is left")


@examples(150)
@given(
    st.lists(
        st.sampled_from([*" ".join(OPENING).split(), "play", "declare", "gen_move", "0", "1"]), max_size=7
    )
)
def test_no_line_from_the_referee_raises(words: list[str]) -> None:
    reply = after(*OPENING).answer(" ".join(words))
    assert reply is None if not words else reply is not None and reply[0] in "=?"


@pytest.mark.parametrize("answer", [-1, 3, 1.0, "1", None])
def test_a_wrong_declaration_of_the_author_raises(answer: object) -> None:
    bot = First()
    bot.declare = lambda _: answer  # type: ignore[method-assign,assignment,return-value]
    with pytest.raises(ValueError, match=r"declare\(\) gave"):
        after(*OPENING, bot=bot).answer("gen_declare")


def test_a_wrong_card_of_the_author_raises() -> None:
    bot = First()
    bot.move = lambda _: "2C"  # type: ignore[method-assign,assignment]
    with pytest.raises(ValueError, match=r"move\(\) gave '2C'"):
        after(*OPENING, "play 0 KS", bot=bot).answer("gen_move")


def luck(seed: int, *lines: str) -> float:
    return after(*lines, bot=First(seed)).bot.rng.random()


def test_luck_depends_on_seed_deal_and_cards_and_on_nothing_else() -> None:
    deck, _, game, cards = OPENING
    reference = luck(1, *OPENING)
    assert reference == random.Random("1|0|2C AS").random()
    assert luck(1, deck, "set_players 4 3", game, "set_cards 2 2C AS") == reference
    assert luck(2, *OPENING) != reference
    assert luck(1, *OPENING, cards) != reference
    assert luck(1, deck, "set_players 3 1", game, "set_cards 2 2C KS") != reference


def test_the_kit_is_one_file_for_python_3_9() -> None:
    source = Path(kit.__file__).read_text()
    tree = ast.parse(source, feature_version=(3, 9))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    assert {str(name).split(".")[0] for name in imported} <= sys.stdlib_module_names


BROKEN = """
import planning_kit as kit

class Broken(kit.Bot):
    def declare(self, table):
        print("thinking")
        return 0

    def move(self, table):
        return table.legal()[99]

kit.serve(Broken())
"""


@pytest.mark.process
def test_an_exception_in_the_bot_ends_the_program_and_is_seen(tmp_path: Path) -> None:
    shutil.copy(kit.__file__, tmp_path)
    bot = tmp_path / "broken.py"
    bot.write_text(BROKEN)
    lines = [*OPENING, "gen_declare", "play 0 KS", "gen_move", "play 1 AS"]
    done = subprocess.run(
        [sys.executable, "-B", bot],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "=\n\n" * 4 + "= 0\n\n=\n\n"
    assert done.returncode == 1
    assert "thinking" in done.stderr  # print does not spoil the dialogue
    assert "IndexError" in done.stderr


class Valuing(First):
    """Values declarations by chance and cards by their place, without a chance to win."""

    def values(self, table: kit.Table) -> dict[int | str, tuple[float, float | None]]:
        if table.declaring:
            return {tricks: (tricks + self.rng.random(), 0.25) for tricks in range(table.size + 1)}
        return {card: (float(place), None) for place, card in enumerate(table.legal())}


def test_a_bot_with_values_is_asked_for_those_of_declarations_and_of_cards() -> None:
    session = after(*OPENING, bot=Valuing())
    words = (session.answer("gen_values") or "").split()
    assert words[0] == "="
    assert [word.split(":")[0] for word in words[1:]] == ["0", "1", "2"]
    assert all(word.endswith(":0.2500") for word in words[1:])
    for line in ("declare 0 1", "declare 1 1", "declare 2 1", "play 0 3D"):
        assert session.answer(line) == "="
    assert session.answer("gen_values") == "= 2C:0.000 AS:1.000"


def test_values_are_new_each_time_and_leave_the_luck_of_play_alone() -> None:
    session = after(*OPENING, bot=Valuing())
    before = session.bot.rng.getstate()
    assert session.answer("gen_values") != session.answer("gen_values")
    assert session.bot.rng.getstate() == before


@pytest.mark.parametrize("bot", [First(), Valuing()], ids=["no values", "values"])
def test_values_are_refused_without_any_or_where_nothing_is_asked(bot: kit.Bot) -> None:
    session = after(*OPENING[:-1], bot=bot)
    assert (session.answer("gen_values") or "").startswith("? ")
    for line in (OPENING[-1], "declare 0 1", "declare 1 1", "declare 2 1"):
        assert session.answer(line) == "="
    assert (session.answer("gen_values") or "").startswith("? ")
    assert session.answer("play 0 3D") == "="
    refused = (session.answer("gen_values") or "").startswith("? ")
    assert refused == (type(bot) is First)


@pytest.mark.parametrize(
    ("values", "mistake"),
    [({}, "of"), ({"3H": (1.0, None)}, "of"), ({0: (1.0, 1.5)}, "chance")],
    ids=["none", "no option", "no chance"],
)
def test_values_that_cannot_be_are_an_error(
    values: dict[int | str, tuple[float, float]], mistake: str
) -> None:
    bot = Valuing()
    bot.values = lambda table: values  # type: ignore[method-assign, assignment, return-value] # noqa: ARG005
    with pytest.raises(ValueError, match=mistake):
        after(*OPENING, bot=bot).answer("gen_values")
