"""A small referee of Planning for the tests of the bots, with rules of its own so that it does not share the
kit's.

It deals, asks, checks that every answer is legal, tells the news in the order of the protocol and counts the
points. A ``Seat`` is anything that answers a batch of commands with as many replies: a process behind pipes,
or a kit session in memory.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

PROGRAMME = [(cards, (cards - 1) % 4) for cards in range(1, 14)]


@dataclass(frozen=True)
class Rules:
    """Deck, number of players and programme of a match."""

    values: str = "23456789TJQKA"
    suits: str = "CDHS"
    seats: int = 4
    deals: Sequence[tuple[int, int]] = field(default_factory=lambda: PROGRAMME)

    def hands(self, seed: int) -> list[list[list[str]]]:
        """The cards of every deal and seat, for this seed."""
        rng = random.Random(f"deals {seed}")
        dealt = []
        for cards, _ in self.deals:
            deck = rng.sample([v + s for s in self.suits for v in self.values], cards * self.seats)
            dealt.append([deck[i * cards : (i + 1) * cards] for i in range(self.seats)])
        return dealt


class Seat(Protocol):
    def ask(self, commands: list[str]) -> list[str]: ...


class Answers(Protocol):
    def answer(self, line: str) -> str | None: ...


class Memory:
    """A bot in this process: whatever answers a line, such as a kit session."""

    def __init__(self, session: Answers) -> None:
        self.session = session

    def ask(self, commands: list[str]) -> list[str]:
        return [self.session.answer(command) or "" for command in commands]


class Valued:
    """A seat that is asked for its values before each answer, and has said them of nothing but options."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.values_asked = 0
        self._hand: list[str] = []
        self._size = 0

    def ask(self, commands: list[str]) -> list[str]:
        replies = []
        for command in commands:
            if command.startswith("set_cards"):
                self._hand = command.split()[2:]
                self._size = len(self._hand)
            if command.startswith("gen_"):
                self.values_asked += 1
                words = self.seat.ask(["gen_values"])[0].split()
                options = [word.split(":")[0] for word in words[1:]]
                assert words[0] == "=", (command, words)
                assert len(set(options)) == len(options) > 0
                points = [float(word.split(":")[1]) for word in words[1:]]
                assert all(0 <= value <= 2 * self._size for value in points)
                if command == "gen_declare":
                    assert options == [str(tricks) for tricks in range(self._size + 1)]
                else:
                    assert set(options) <= set(self._hand)
            replies += self.seat.ask([command])
        return replies


@dataclass
class Result:
    points: list[int]
    answers: list[list[str]]  # by seat: declarations and cards in order


def play(
    rules: Rules,
    seats: Sequence[Seat],
    hands: list[list[list[str]]],
    batched: bool = False,
    time_left: Callable[[int], int] = lambda _: 1_000_000,
) -> Result:
    """One match. ``batched``: commands wait for a seat until it has something to decide; ``time_left``: ms by
    seat."""
    n = rules.seats
    waiting: list[list[str]] = [[] for _ in seats]
    result = Result([0] * n, [[] for _ in seats])

    def flush(seat: int) -> str:
        replies = seats[seat].ask(waiting[seat])
        for command, reply in zip(waiting[seat], replies, strict=True):
            asked = command.startswith("gen_")
            assert reply.startswith("= ") if asked else reply.strip() == "=", (command, reply)
        waiting[seat] = []
        return replies[-1][1:].strip()

    def tell(command: str, i: int) -> None:
        waiting[i].append(command)
        if not batched:
            flush(i)

    def tell_all(command: str) -> None:
        for i in range(n):
            tell(command, i)

    def ask(command: str, i: int) -> str:
        tell(f"time_left {time_left(i)}", i)
        waiting[i].append(command)
        answer = flush(i)
        result.answers[i].append(answer)
        return answer

    tell_all(f"set_deck {rules.values} {rules.suits}")
    for i in range(n):
        tell(f"set_players {n} {i}", i)
    tell_all(" ".join(["set_game", str(len(rules.deals)), *(f"{c} {s}" for c, s in rules.deals)]))
    for (cards, starter), dealt in zip(rules.deals, hands, strict=True):
        held = [list(hand) for hand in dealt]
        for i in range(n):
            tell(" ".join(["set_cards", str(cards), *held[i]]), i)
        declared = [int(ask("gen_declare", i)) for i in range(n)]
        assert all(0 <= tricks <= cards for tricks in declared)
        for i, tricks in enumerate(declared):
            tell_all(f"declare {i} {tricks}")
        taken, leader = [0] * n, starter
        for _ in range(cards):
            trick: list[str] = []
            for turn in range(n):
                i = (leader + turn) % n
                card = ask("gen_move", i)
                assert card in held[i]
                if trick and card[1] != trick[0][1]:
                    assert all(other[1] != trick[0][1] for other in held[i]), "did not follow suit"
                held[i].remove(card)
                trick.append(card)
                tell_all(f"play {i} {card}")

            def worth(turn: int, trick: list[str] = trick) -> tuple[bool, bool, int]:
                value, suit = tuple(trick[turn])
                return suit == rules.suits[0], suit == trick[0][1], rules.values.index(value)

            leader = (leader + max(range(n), key=worth)) % n
            taken[leader] += 1
        for i in range(n):
            result.points[i] += taken[i] + (cards if taken[i] == declared[i] else 0)
    for i in range(n):
        if waiting[i]:
            flush(i)
    return result
