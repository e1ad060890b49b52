"""The search bot of Codepiece: legal, the same with the same seed, quick with little time, right where one card is."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from codepiece_random import Bot as Random

from arbiter.games.codepiece import Codepiece
from arbiter.testing import match_spec, play_in_memory

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def search(cpp_bot: Path) -> list[str]:
    return [str(cpp_bot.with_name("codepiece_search"))]


class Spoken:
    """A bot as a process, asked one command at a time."""

    def __init__(self, command: list[str]):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdin is not None and self.process.stdout is not None
        self.stdin, self.stdout = self.process.stdin, self.process.stdout

    def __call__(self, line: str) -> bytes:
        self.stdin.write(line.rstrip("\n").encode() + b"\n")
        self.stdin.flush()
        reply = b""
        while not reply.endswith(b"\n\n"):
            reply += self.stdout.readline()
        return reply


@contextmanager
def spoken(command: list[str]) -> Iterator[Spoken]:
    bot = Spoken(command)
    try:
        yield bot
    finally:
        bot.stdin.close()
        bot.stdout.close()
        bot.process.wait()


def in_process(bot: Random):
    def reply(line: str) -> bytes:
        text = bot.reply(line)
        return b"?\n\n" if text is None else f"= {text}\n\n".encode()

    return reply


def played(command: list[str], seats: tuple[int, ...], seed: str = "search"):
    """A match of two deals in memory, with the search bot in some seats and random ones in the others."""
    with ExitStack() as bots:
        table = [
            bots.enter_context(spoken(command)) if seat in seats else in_process(Random(seat))
            for seat in range(4)
        ]
        return play_in_memory(Codepiece([3, 0]), table, match_spec(Codepiece([3, 0]), seed=seed))


@pytest.mark.parametrize("seats", [(0,), (1, 3), (0, 1, 2, 3)], ids=str)
def test_it_plays_legally(search, seats) -> None:
    record = played([*search, "--budget-ms", "200"], seats)
    assert record.forfeit is None, record.forfeit


def test_the_same_seed_plays_the_same(search) -> None:
    one, other = (played([*search, "--budget-ms", "200", "--seed", "7"], (0, 1, 2, 3)) for _ in range(2))
    assert one.moves == other.moves


def ask(command: list[str], *lines: str) -> list[str]:
    done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split("\n\n")[:-1]


def test_it_refuses_what_it_does_not_know(search) -> None:
    hostile = [
        "fold",
        "set_rules bridge 1",
        "set_players 4 9",
        "gen_move",
        "gen_bid",
        "gen_trump",
        "play 0 AS",
    ]
    hostile += ["bid 0 bid_99", "trump 0 X", "set_cards 1 AS", "set_cards 13" + 13 * " AS", "time_left x"]
    assert ask(search, *hostile) == ["?"] * 11 + ["="]


def great_hand() -> list[str]:
    """Seat 0 plays 13 with the ace of clubs and all trumps but the two."""
    return [
        "set_rules codepiece 1",
        "set_deck 23456789TJQKA CDHS",
        "set_players 4 0",
        "set_game 1 3",
        "set_cards 13 AS KS QS JS TS 9S 8S 7S 6S 5S 4S 3S AC",
        "bid 0 bid_13",
        *(f"bid {seat} pass" for seat in (1, 2, 3)),
        "trump 0 trump_S",
    ]


def test_it_draws_the_last_trump_before_it_leads_its_ace(search) -> None:
    chosen = ask(search, *great_hand(), "time_left 60000", "gen_move")[-1]
    assert chosen.endswith("S")


def test_it_bids_thirteen_where_thirteen_are_sure(search) -> None:
    sure = "set_cards 13 AS KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S"
    assert ask(search, *great_hand()[:4], sure, "time_left 1000", "gen_bid", "gen_trump")[-2:] == [
        "= bid_13",
        "= trump_S",
    ]
