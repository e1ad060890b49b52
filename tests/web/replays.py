"""Replays to look at: matches played in memory, with times, faults and names made for the purpose."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from arbiter.games import find
from arbiter.match.record import Fault, Forfeit
from arbiter.testing import match_spec, play_by_policy, random_policy

if TYPE_CHECKING:
    from arbiter.games.game import AnyGame
    from arbiter.match.record import MatchRecord

OPTIONS: dict[str, dict[str, Any]] = {
    "planning": {"deals": [[count, count % 4] for count in (1, 2, 3, 13)]},
    "codepiece": {"dealers": [0, 1]},
    "dou_dizhu": {"landlords": [0, 2]},
    "chefs_hat": {"matches": 2},
}
NAMES = ("ada", "grace", "edsger", "barbara")


def game_of(name: str) -> AnyGame:
    return find(name)(**OPTIONS[name])


def match_of(name: str, names: tuple[str, ...] = NAMES, seed: int = 1) -> MatchRecord:
    """A whole match of random moves, of which each took some time."""
    game, luck = game_of(name), random.Random(seed)
    record = play_by_policy(game, random_policy(seed), match_spec(game))
    left, moves = [180.0] * game.seats, []
    for move in record.moves:
        taken = luck.expovariate(1 / 0.02)
        left[move.seat] -= taken
        moves.append(move._replace(charged_ns=int(taken * 1e9), left_ns=int(left[move.seat] * 1e9)))
    named: dict[str, Any] = {
        "id": "r001/t01/m0",
        "season": "spring",
        "round": 1,
        "players": names[: game.seats],
    }
    return replace(record, moves=tuple(moves), **named)


def faulty(record: MatchRecord, after: int, text: str = "9C: it is not in hand") -> MatchRecord:
    """The same match, ended by an illegal move after so many decisions."""
    move = record.moves[after]
    forfeit = Forfeit(move.seat, record.players[move.seat], Fault.ILLEGAL, text, move.request, "9C")
    deals = record.deals[: move.deal + 1]
    return replace(record, deals=deals, moves=record.moves[:after], points=None, forfeit=forfeit)
