"""Testing without processes: bots in memory, and a check of everything a `Game` promises.

    check_game(MyGame())                                          # raises BrokenPromise
    record = play_by_policy(MyGame(), random_policy("any seed"))
    bots = [ScriptedBot.replaying(record, seat) for seat in range(4)]
    play_in_memory(MyGame(), bots, match_spec(MyGame(), delivery="batched"), cost=1000)

Public, for the authors of games and bots too; it needs no test framework. A whole Planning match between
scripted bots takes less than 15 ms. It imports `match`, `games` and `replay`.
"""

from __future__ import annotations

from arbiter.match.in_memory import (
    Bot,
    Cost,
    Policy,
    Said,
    ScriptedBot,
    match_spec,
    play_by_policy,
    play_in_memory,
    random_policy,
)
from arbiter.testing.leak_check import Reveals
from arbiter.testing.rule_checks import BrokenPromise, check_game

__all__ = [
    "Bot",
    "BrokenPromise",
    "Cost",
    "Policy",
    "Reveals",
    "Said",
    "ScriptedBot",
    "check_game",
    "match_spec",
    "play_by_policy",
    "play_in_memory",
    "random_policy",
]
