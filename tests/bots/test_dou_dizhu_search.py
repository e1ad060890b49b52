"""The search bot for Dou Dizhu: right answers, legal and repeatable play, little time."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arbiter.games.dou_dizhu import DouDizhu
from arbiter.games.dou_dizhu.combinations import PASS, table
from arbiter.match.position import Moved, retrace
from arbiter.match.record import MatchRecord
from arbiter.testing import match_spec, play_in_memory
from tests.fixtures.bot_programs import BOTS, Process, at_table, spoken, values_of

pytestmark = pytest.mark.process

GAME = DouDizhu()
QUICK = ("--budget-ms", "500")


@pytest.fixture(scope="module")
def program(cpp_bot: Path) -> str:
    return str(cpp_bot.with_name("dou_dizhu_search"))


@pytest.fixture
def search(program: str) -> Iterator[Process]:
    with at_table([[program, *QUICK]]) as (bot,):
        yield bot


def match(
    commands: list[list[str]], game: DouDizhu = GAME, seed: str = "search", valued: list[str] | None = None
) -> MatchRecord:
    """A match of three processes under the real rules; what they say to `gen_values` goes to `valued`."""

    def voice(bot: Process) -> Callable[[str], bytes]:
        def answer(line: str) -> bytes:
            if line == "gen_move" and valued is not None:
                valued.extend(bot.ask(["gen_values"]))
            return bot(line)

        return answer

    with at_table(commands) as bots:
        record = play_in_memory(game, [voice(bot) for bot in bots], match_spec(game, seed=seed))
    assert record.forfeit is None
    assert [report.notes for report in record.bots] == [()] * 3
    return record


@pytest.mark.parametrize(
    ("hand", "news", "right"),
    [
        pytest.param("34567", "8", "pass", id="passes-if-it-must"),
        pytest.param("45678", "3333", "pass", id="beats-no-bomb-with-a-chain"),
        pytest.param("56789", "34567", "56789", id="goes-out-at-once"),
        pytest.param(
            "9JJB",
            "333444555666 pass pass 777888 pass pass T B pass pass",
            "JJ",
            id="leads-a-pair-where-the-landlord-has-one-card",
        ),
        pytest.param(
            "3AA2",
            "3 pass J pass pass 444555666777 pass pass 88 pass pass Q pass",
            "pass",
            id="lets-its-fellow-lead-its-last-card",
        ),
        pytest.param(
            "357J22",
            "9 pass T J pass Q pass pass 444555666777 pass pass KK AA 22 pass pass",
            "3",
            id="leads-low-to-its-fellow-with-one-card",
        ),
    ],
)
def test_a_position_with_one_right_answer(search: Process, hand: str, news: str, right: str) -> None:
    """It is the peasant after the landlord; `news` is what was played from the first turn on."""
    opening = ["set_rules dou_dizhu 1", "set_players 3 1", "set_game 1 0", f"set_cards {len(hand)} {hand}"]
    plays = [f"play {turn % 3} {word}" for turn, word in enumerate(news.split())]
    replies = search.ask([*opening, *plays, "time_left 10000", "gen_move"])
    assert replies == ["="] * (len(replies) - 1) + [f"= {right}"]


def test_it_knows_every_combination_by_its_cards(search: Process) -> None:
    search.ask(["set_rules dou_dizhu 1", "set_players 3 1"])
    for name in table().names[:PASS:29]:
        mine = next(card for card in "3456789TJQKA2" if card not in name)
        news = ["set_game 1 0", f"set_cards 1 {mine}", f"play 0 {name}"]
        assert search.ask(news) == ["="] * 3, name


@pytest.mark.parametrize(
    "word", ["34", "333344445", "333444555666B", "QKA23", "BBR", "3334445BR", "33333", "x", ""]
)
def test_what_is_no_combination_is_refused(search: Process, word: str) -> None:
    opening = ["set_players 3 1", "set_game 1 0", "set_cards 1 7"]
    assert search.ask([*opening, f"play 0 {word}"])[-1].startswith("?")


def test_a_match_is_legal_and_the_same_again(program: str) -> None:
    game = DouDizhu([2, 1, 0], bombs="double")
    others = [
        [sys.executable, str(BOTS / "python" / f"dou_dizhu_{name}.py")] for name in ("random", "fewest_turns")
    ]
    seats = [[program, *QUICK], *others]
    assert spoken(match(seats, game)) == spoken(match(seats, game))


# Values


def test_values_are_of_every_legal_play_and_change_none(program: str) -> None:
    game, valued = DouDizhu([2, 1, 0], bombs="double"), list[str]()
    seats = [[program, "--budget-ms", "100"]] * 3
    record = match(seats, game, valued=valued)
    assert spoken(record) == spoken(match(seats, game))
    replies = iter(valued)
    for event in retrace(record, game):
        if isinstance(event, Moved):
            values = values_of(next(replies))
            legal = {table().names[action] for action in event.before.legal(event.move.seat)}
            assert set(values) <= legal and len(values) == min(len(legal), 200)
            assert "pass" not in legal or "pass" in values
            assert all(abs(points) <= 32 and 0 <= win <= 1 for points, win in values.values())
    assert next(replies, None) is None


@pytest.mark.parametrize(
    ("seat", "deals", "ends", "win"),
    [
        pytest.param(0, "1 0", [], 1, id="the-landlord-goes-out"),
        pytest.param(1, "1 0", [], 0.5, id="two-peasants-share-the-first-place"),
        pytest.param(1, "2 0 0", ["1 -1 -1"], 1 / 3, id="all-three-are-level"),
        pytest.param(1, "2 0 0", ["-1 1 1"], 0.5, id="ahead-with-its-fellow"),
        pytest.param(1, "2 1 0", ["-2 2 -2"], 1, id="far-ahead"),
        pytest.param(1, "2 0 0", ["2 -2 -2"], 0, id="too-far-behind"),
    ],
)
def test_what_is_certain_is_exact(
    search: Process, seat: int, deals: str, ends: list[str], win: float
) -> None:
    """The last deal, and its last card."""
    start = ["set_rules dou_dizhu 1", f"set_players 3 {seat}", f"set_game {deals}"]
    for end in ends:
        start += ["set_cards 1 3", f"end_deal {end}"]
    news = ["play 0 3"] if seat else []
    *told, reply = search.ask([*start, "set_cards 1 7", *news, "gen_values"])
    assert told == ["="] * len(told)
    values = values_of(reply)
    assert values["7"] == (1, pytest.approx(win, abs=1e-4))
    if win in (0, 1) and ends:
        assert {chance for _, chance in values.values()} == {win}


def test_points_count_as_the_bombs_have_doubled_them(search: Process) -> None:
    news = ["play 0 8888", "play 1 pass", "play 2 pass", "play 0 5"]
    start = ["set_rules dou_dizhu 1 double", "set_players 3 1", "set_game 1 0", "set_cards 2 67"]
    values = values_of(search.ask([*start, *news, "gen_values"])[-1])
    assert set(values) == {"6", "7", "pass"}
    assert all(abs(points) <= 2 for points, _ in values.values())
    assert search.ask(["set_game 1 0", "set_cards 1 6", *news, "gen_values"])[-1].startswith("= 6:2.000:0.5")


def test_values_are_drawn_anew_each_time(search: Process) -> None:
    cards = "set_cards 20 334556778889TJKKAAA2"
    replies = search.ask(["set_players 3 0", "set_game 1 0", cards, *["gen_values"] * 3])[3:]
    assert len(set(replies)) == 3 and len({frozenset(values_of(reply)) for reply in replies}) == 1


def test_values_are_refused_where_no_play_is_due(search: Process) -> None:
    due, out = ["gen_values"], ["play 1 7", "play 2 pass", "play 0 8"]
    assert search.ask(["set_players 3 1", "set_game 2 0 1", *due])[-1].startswith("?")
    for news in (["set_cards 2 77"], out[:1], ["end_deal 1 -1 -1"]):
        assert search.ask([*news, *due])[-1].startswith("?"), news
    assert search.ask(["set_cards 2 77", *due])[-1].startswith("=")


def test_another_seed_plays_otherwise(program: str) -> None:
    first, second = (match([[program, *QUICK, "--seed", seed]] * 3) for seed in "12")
    assert spoken(first) != spoken(second)


def test_a_match_of_50_ms_takes_a_small_part_of_one_of_five_seconds(program: str) -> None:
    # Not so many milliseconds: what else the machine does counts, too.
    assert any(seconds_of_a_match(program, 50) < seconds_of_a_match(program, 5000) / 5 for _ in range(3))


def seconds_of_a_match(program: str, told_ms: int) -> float:
    """CPU time that the system counts, the start of the program included, where so much time is told as left."""
    bot = Process([program])
    others = [Process([program, "--budget-ms", "0"]) for _ in range(2)]

    def voice(player: Process, limited: bool) -> Callable[[str], bytes]:
        def answer(line: str) -> bytes:
            return player(f"time_left {told_ms}" if limited and line.startswith("time_left") else line)

        return answer

    record = play_in_memory(GAME, [voice(player, player is bot) for player in (bot, *others)])
    for player in others:
        player.close()
    assert bot.process.stdin is not None and bot.process.stdout is not None
    bot.process.stdin.close()
    _, status, used = os.wait4(bot.process.pid, 0)
    bot.process.returncode = status
    bot.process.stdout.close()
    assert record.forfeit is None and status == 0
    return used.ru_utime + used.ru_stime
