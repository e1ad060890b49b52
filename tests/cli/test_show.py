"""One match as its organiser and a bot's author look at it: times by move, what a seat knew."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.cli.match_text import print_stderr
from arbiter.cli.move_times import print_times
from arbiter.match.notes import Note
from arbiter.match.record import BotReport, Fault, Forfeit, Move
from arbiter.replay.time_account import times_json
from arbiter.replay.visibility import Reader, heard, replay_of
from tests.fixtures.records import record
from tests.fixtures.zoo import CLEAN, TIMEOUT

if TYPE_CHECKING:
    from arbiter.match.record import MatchRecord
    from tests.fixtures.commands import Run
    from tests.fixtures.zoo import Kept


US = 1000
MOVES = (
    # deal, seat, request, action, wall, CPU, delay, charged, left
    Move(0, 0, "gen_declare", "1", 900 * US, 300 * US, 500 * US, 450 * US, 9_550 * US),
    Move(0, 1, "gen_declare", "0", 20 * US, 0, 0, 25 * US, 9_975 * US),
    Move(0, 0, "gen_move 2", "2C", 100 * US, 0, 40 * US, 70 * US, 9_480 * US),
    Move(1, 0, "gen_move 1", "3C", 700 * US, 690 * US, 0, 700 * US, 8_780 * US),
)


def stored(kept: Kept, match: str) -> MatchRecord:
    found = kept.season.match(match)
    assert found is not None
    return found


def timed(**changes: Any) -> MatchRecord:
    bots = (BotReport("a", charged_ns=1_300 * US), BotReport("b", charged_ns=25 * US))
    deals = ({"hands": [["2C"], ["3C"]]},) * 2
    fields = {"players": ("a", "b"), "moves": MOVES, "bots": bots, "deals": deals, "points": (1, 0)} | changes
    return record(**fields)


@pytest.mark.parametrize(
    ("conduct", "answers"),
    [
        # The CPU time of an answer that came at once was not read.
        ({}, [400, 20, 60, 700]),
        ({"clock": "wall"}, [450, 20, 70, 700]),
        ({"clock": "cpu"}, [300, 20, 60, 690]),
        # One exchange, and so one cost.
        ({"delivery": "batched"}, [450, 25, 70, 700]),
    ],
    ids=["adjusted", "wall", "cpu", "batched"],
)
def test_the_charge_of_a_move_is_parted_into_answer_and_news(
    conduct: dict[str, str], answers: list[int]
) -> None:
    moves = times_json(timed(**conduct))["moves"]
    assert [move["answer_ns"] // US for move in moves] == answers
    assert [move["answer_ns"] + move["news_ns"] for move in moves] == [move.charged_ns for move in MOVES]


def test_the_table_of_moves_has_the_time_waited_where_it_was_measured(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_times(timed())
    rows = capsys.readouterr().out.partition("every move")[2].splitlines()[2:]
    at = rows[0].index("waited")
    shown = [line[at : at + 6].strip() for line in rows if line.strip()[:1].isdigit()]
    assert shown == ["0.50", "-", "0.04", "0.00"]


def test_the_sums_of_a_seat_are_all_that_it_was_charged() -> None:
    shape = times_json(timed())
    first, second = shape["seats"]
    assert first["answers_ns"] == {"gen_declare": 400 * US, "gen_move": 760 * US}
    assert first["deals_ns"] == [520 * US, 700 * US]
    assert (first["news_ns"], first["after_last_move_ns"], first["left_ns"]) == (60 * US, 80 * US, 8_780 * US)
    assert (second["news_ns"], second["after_last_move_ns"]) == (5 * US, 0)
    assert shape["slowest"] == [4, 1, 3, 2]


def test_each_move_is_a_line_and_the_slowest_are_marked(kept: Kept, arbiter: Run) -> None:
    code, out, _ = arbiter("show", kept.file, CLEAN, "--moves")
    played = stored(kept, CLEAN).moves
    lines = out.partition("every move")[2].strip().splitlines()[2:]
    assert code == 0
    assert [line.split()[0] for line in lines] == [str(number) for number in range(1, len(played) + 1)]
    assert sorted(line.split()[-1] for line in lines if " slow " in line) == list("12345")
    assert (
        len({line.index(f"{move.left_ns / 1e6:.2f}") for line, move in zip(lines, played, strict=True)}) == 1
    )


def test_what_a_bot_noted_stands_at_its_move(kept: Kept, arbiter: Run) -> None:
    plain = arbiter("show", kept.file, CLEAN, "--moves")[1]
    assert "note" not in plain
    first = next(n for n, move in enumerate(stored(kept, CLEAN).moves, 1) if move.seat == 1)
    note = Note(0.25, ("risky",), ("hides \x1b[2J", "\u202eturns"))
    kept.change(CLEAN, lambda record: replace(record, move_notes={first: note}))
    out = arbiter("show", kept.file, CLEAN, "--moves")[1]
    (line,) = [line for line in out.splitlines() if "0.25 #risky" in line]
    assert line.split()[0] == str(first)
    assert line.rstrip().endswith("0.25 #risky hides \\x1b[2J \\u202eturns")
    assert not {"\x1b[2J", "\u202e"} & {out[at : at + n] for at in range(len(out)) for n in (1, 4)}
    moves = json.loads(arbiter("show", kept.file, CLEAN, "--moves", "--format", "json")[1])["moves"]
    assert [(move["number"], move["note"]["value"]) for move in moves if "note" in move] == [(first, 0.25)]
    assert "    # value 0.25\n    # tag risky\n" in arbiter("show", kept.file, CLEAN, "--seat", "1")[1]
    assert "risky" not in arbiter("show", kept.file, CLEAN, "--seat", "0")[1]


def test_the_times_of_one_seat_are_those_of_its_moves(kept: Kept, arbiter: Run) -> None:
    name = kept.match(CLEAN).players[2]
    shape = json.loads(arbiter("show", kept.file, CLEAN, "--moves", "--seat", name, "--format", "json")[1])
    mine = [(number, move) for number, move in enumerate(stored(kept, CLEAN).moves, 1) if move.seat == 2]
    assert [(move["number"], move["charged_ns"]) for move in shape["moves"]] == [
        (number, move.charged_ns) for number, move in mine
    ]
    (seat,) = shape["seats"]
    charged = sum(seat["answers_ns"].values()) + seat["news_ns"] + seat["after_last_move_ns"]
    assert (seat["seat"], charged) == (2, seat["charged_ns"])
    assert set(shape["slowest"]) <= {number for number, _ in mine}


@pytest.mark.parametrize("match", [CLEAN, TIMEOUT])
def test_a_seat_is_shown_what_it_was_told_and_no_other_hand(kept: Kept, arbiter: Run, match: str) -> None:
    out = arbiter("show", kept.file, match, "--seat", "1")[1]
    made = stored(kept, match)
    told = heard(replay_of(made, Reader("seat", 1)))
    lines = [line.strip().partition("   may ")[0] for line in out.splitlines()]
    assert [line for line in lines if line in told] == told
    # Two spaces stand between the suits of a hand.
    hands = [sorted(line.partition("hand: ")[2].split()) for line in lines if line.startswith("hand: ")]
    assert hands == [sorted(deal["hands"][1]) for deal in made.deals]


def test_standard_error_stands_under_the_moves_during_which_it_was_written(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tail = "hello\nhm\nheard it\nalas\n"
    at = ((6, "during", 1), (9, "since", 3), (18, "during", 5))
    fault = Forfeit(0, "a", Fault.CRASH, "it exited with status 1", "gen_move", "")
    bots = (BotReport("a", stderr_head="first\n", stderr_tail=tail, stderr_at=at), BotReport("b"))
    print_stderr(timed(bots=bots, points=None, forfeit=fault), bots[0])
    assert capsys.readouterr().out.splitlines() == [
        "  first",
        "  hello",
        "  during move 1 (gen_declare in deal 1):",
        "    hm",
        "  since move 3 (gen_move 2 in deal 1):",
        "    heard it",
        "  during move 5 (gen_move in deal 2):",
        "    alas",
    ]


def test_standard_error_of_an_older_record_is_shown_whole(capsys: pytest.CaptureFixture[str]) -> None:
    print_stderr(timed(), BotReport("a", stderr_tail="hm\nalas\n"))
    assert capsys.readouterr().out == "  hm\n  alas\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--moves", "--format", "replay"), "--moves needs --format text or json"),
        (("--seat", "1", "--format", "json"), "--format replay --reader seat:1"),
        (("--seat", "4"), "--seat: expected one of 0 "),
    ],
)
def test_what_does_not_go_together_is_refused(
    kept: Kept, arbiter: Run, words: tuple[str, ...], said: str
) -> None:
    code, out, err = arbiter("show", kept.file, CLEAN, *words)
    assert (code, out) == (2, "")
    assert said in err
