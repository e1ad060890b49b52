"""Bots as beginners write them: each plays well but for one fault, in every game that ships.

    source_of("planning", "no flush")       # the text of a program

The rules are those of the random bots in `bots/python`; the loop around them has the fault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tests.fixtures.commands import BOTS

if TYPE_CHECKING:
    from collections.abc import Mapping

LOOP = """
import os
LOT = random.SystemRandom()
{early}
for line in {lines}:
    words = line.split({split})
    if not line.strip():
        continue
    reply = answer(words[0], words[1:])
{each}
    text = "? unknown" if reply is None else ("= " + reply).strip()
    {say}
    if words[0] == "quit":
        break
"""
SOUND = {
    "early": "",
    "lines": "sys.stdin",
    "split": "",
    "each": "    pass",
    "say": "print(text + '\\n', flush=True)",
}


class GameOfBeginners(NamedTuple):
    """A game: a short match, where its random bot's loop begins, and `answer(command, words)` before ours."""

    options: Mapping[str, Any]
    loop: str
    answer: str = "bot = Bot()\nanswer = bot.answer"


GAMES = {
    "planning": GameOfBeginners({"deals": [[2, 0], [3, 1]]}, "sys.stdin.reconfigure", ""),
    "codepiece": GameOfBeginners(
        {"dealers": [0]},
        'if __name__ == "__main__":',
        "bot = Bot()\ndef answer(command, words): return bot.reply(' '.join((command, *words)))",
    ),
    "dou_dizhu": GameOfBeginners({"landlords": [0]}, "def main("),
    "chefs_hat": GameOfBeginners({"matches": 1}, "def main("),
}
ASKED = "    if words[0] == '{}': reply = {}"
FIRST = "    if words[0] == 'set_deck' or words[0] == 'set_rules': "
FAULTS: dict[str, dict[str, str]] = {
    "no flush": {"say": "print(text + '\\n')"},
    "debug line": {"say": "print('thinking', flush=True); print(text + '\\n', flush=True)"},
    "no flush, debug line": {"say": "print('thinking'); print(text + '\\n')"},
    "no flush, no empty line": {"say": "print(text)"},
    "no flush, no sign": {"say": "print(reply + '\\n')"},
    "no sign": {"say": "print((reply or 'ok') + '\\n', flush=True)"},
    "no sign on news": {"say": "print((reply or '') + '\\n', flush=True)"},
    "no empty line": {"say": "print(text, flush=True)"},
    "wrong id": {"say": "print(text.replace('=', '=1', 1) + '\\n', flush=True)"},
    "line end kept": {"split": "' '"},
    "relative path": {"early": "table = open('bots/ann/table.txt').read()"},
    "all input first": {"lines": "sys.stdin.readlines()"},
    "one command": {"say": "print(text + '\\n', flush=True); break"},
    "dies of unknown": {"each": "    if reply is None: raise KeyError(words[0])"},
    "dies of time_left": {"each": "    if words[0] == 'time_left': raise KeyError(words[0])"},
    "crashes by lot": {
        "each": "    if words[0] == 'gen_move' and LOT.random() < 0.2: raise KeyError('by lot')"
    },
}
"""In every game: how the loop differs."""
OF_GAMES: dict[tuple[str, str], str] = {
    ("bid too high", "planning"): ASKED.format("gen_declare", "str(len(hand) + 1)"),
    ("bid too high", "codepiece"): ASKED.format("gen_bid", "'bid_14'"),
    ("bid too low", "codepiece"): ASKED.format("gen_bid", "'bid_8'"),
    ("no following", "planning"): ASKED.format(
        "gen_move", "next((c for c in hand if trick and c[1] != trick[0][1]), reply)"
    ),
    ("no following", "codepiece"): ASKED.format(
        "gen_move",
        "next((c for c in bot.hand if len(bot.trick) % 4 and c[1] != bot.trick[0][1][1]"
        " and any(d[1] == bot.trick[0][1][1] for d in bot.hand)), reply)",
    ),
    ("no beating", "dou_dizhu"): ASKED.format("gen_move", "RANKS[min(r for r in range(15) if bot.held[r])]"),
    ("no beating", "chefs_hat"): ASKED.format("gen_move", "f'C{max(c for c in bot.hand if c < 12)};Q1;J0'"),
    ("any card by lot", "planning"): ASKED.format("gen_move", "LOT.choice(hand)"),
    ("any card by lot", "codepiece"): ASKED.format("gen_move", "LOT.choice(bot.hand)"),
    ("any card by lot", "dou_dizhu"): ASKED.format(
        "gen_move", "RANKS[LOT.choice([r for r in range(15) if bot.held[r]])]"
    ),
    ("any card by lot", "chefs_hat"): ASKED.format(
        "gen_move", "f'C{LOT.choice([c for c in bot.hand if c < 12])};Q1;J0'"
    ),
    ("any bid by lot", "planning"): ASKED.format("gen_declare", "str(LOT.randrange(2 * len(hand) + 2))"),
    ("any bid by lot", "codepiece"): ASKED.format("gen_bid", "LOT.choice(['pass', 'bid_8', 'bid_12'])"),
}
"""In one: what is answered there."""


def source_of(game: str, fault: str = "") -> str:
    """The program of a beginner; without a fault a sound one."""
    _, loop, answer = GAMES[game]
    changes = FAULTS[fault] if fault in FAULTS else {"each": OF_GAMES[fault, game]} if fault else {}
    rules, found, _ = (BOTS / f"{game}_random.py").read_text().partition(f"\n{loop}")
    assert found, f"the random bot of {game} has another loop"
    if "split" in changes:
        rules = rules.replace("line.split()", f"line.split({changes['split']})")
    return f"{rules}\n{answer}\n{LOOP.format(**{**SOUND, **changes})}"


def cases() -> list[tuple[str, str]]:
    """Every fault in every game that can have it."""
    return [(fault, game) for fault in FAULTS for game in GAMES] + list(OF_GAMES)
