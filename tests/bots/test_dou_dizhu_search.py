"""The search bot for Dou Dizhu: right answers, legal and repeatable play, little time."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from planning_referee import BOTS, Process

from arbiter.games.dou_dizhu import DouDizhu
from arbiter.games.dou_dizhu.combinations import PASS, table
from arbiter.match import MatchRecord
from arbiter.testing import match_spec, play_in_memory

pytestmark = pytest.mark.process

GAME = DouDizhu()
QUICK = ("--budget-ms", "500")


@pytest.fixture(scope="module")
def program(cpp_bot: Path) -> str:
    return str(cpp_bot.with_name("dou_dizhu_search"))


@pytest.fixture
def search(program: str) -> Iterator[Process]:
    """One bot, as a process."""
    bot = Process([program, *QUICK])
    yield bot
    bot.process.kill()
    bot.close()


def match(commands: list[list[str]], game: DouDizhu = GAME, seed: str = "search") -> MatchRecord:
    """A match of three processes under the real rules."""
    bots = [Process(command) for command in commands]

    def voice(bot: Process) -> Callable[[str], bytes]:
        return lambda line: f"{bot.ask([line])[0]}\n\n".encode()

    try:
        record = play_in_memory(game, [voice(bot) for bot in bots], match_spec(game, seed=seed))
    finally:
        for bot in bots:
            bot.process.kill()
            bot.close()
    assert record.forfeit is None
    assert [report.notes for report in record.bots] == [()] * 3
    return record


def spoken(record: MatchRecord) -> list[tuple[int, int, str]]:
    return [(move.deal, move.seat, move.action) for move in record.moves]


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

    def voice(player: Process, told: bool) -> Callable[[str], bytes]:
        def answer(line: str) -> bytes:
            line = f"time_left {told_ms}" if told and line.startswith("time_left") else line
            return f"{player.ask([line])[0]}\n\n".encode()

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


def test_unknown_and_malformed_commands_are_refused(search: Process) -> None:
    wrong = [
        "name",
        "set_cards",
        "set_cards 2 3",
        "set_cards 1 1",
        "play",
        "play 0 34",
        "play 3 3",
        "gen_move",
        "\xff",
    ]
    wrong += [
        "set_players two 0",
        "set_players 4 0",
        "set_players 3 3",
        "set_rules chess 1",
        "12 quit",
        "time_left x",
    ]
    wrong += [
        "set_cards 54 " + "".join(4 * card for card in "3456789TJQKA2") + "BR",
        "set_game 1 7",
        "set_game",
    ]
    assert all(reply.startswith("?") for reply in search.ask(["set_game 1 0", *wrong])[1:])
    deal = ["set_game 1 0", "set_players 3 0", "set_cards 1 7", "show_cards 3 777", "gen_move", "play 0 7"]
    assert search.ask([*deal, "end_deal 1 -1 -1"]) == ["=", "=", "=", "=", "= 7", "=", "="]


def test_help_and_wrong_options(program: str) -> None:
    helped = Process([program, "--help"])
    assert helped.process.stdout is not None and b"--budget-ms N" in helped.process.stdout.read()
    assert helped.close() == 0
    assert Process([program, "--budget-ms", "much"], stderr=-3).close() == 2
