"""A bot with mistakes, each of which can be mended by itself, and what an agent reads of which one to mend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection

DEALS = 16
SEASON = f"""\
game: {{name: planning, seats: 2, deck: 123 AB, deals: {[[3, deal % 2] for deal in range(DEALS)]}}}
isolation: %s
workers: 1
players:
  - {{name: random, command: %s}}
  - {{name: gone, command: [bots/gone]}}
house_bots: [random]
"""
"""Two players who hold all cards, so that a short program can look to the end of a deal."""
BOT = """\
import sys


def takes(first, second):
    if first[1] == second[1]:
        return VALUES.index(first[0]) > VALUES.index(second[0])
    return second[1] != SUITS[0]


def legal(hand, led):
    return [card for card in hand if led and card[1] == led[1]] or hand


def after(card, mine, theirs, led, my_turn, taken, said):
    mine, theirs = ([other for other in hand if other != card] for hand in (mine, theirs))
    if not led:
        return expected(mine, theirs, card, not my_turn, taken, said)
    my_trick = takes(led, card) != my_turn
    return expected(mine, theirs, "", my_trick, taken + my_trick, said)


def expected(mine, theirs, led, my_turn, taken, said):
    hand = mine if my_turn else theirs
    if not hand:
        return taken + CARDS * (taken == said)
    found = [after(card, mine, theirs, led, my_turn, taken, said) for card in legal(hand, led)]
    return max(found) if my_turn else sum(found) / len(found)


def answer(command, words):
    global VALUES, SUITS, CARDS, me, starters, hand, theirs, led, taken, said
    if command == "set_deck":
        VALUES, SUITS = words
    elif command == "set_players":
        me = words[1]
    elif command == "set_game":
        starters = words[2::2]
    elif command == "set_cards":
        hand, led, taken, CARDS = words[1:], "", 0, len(words) - 1
        theirs = [value + suit for value in VALUES for suit in SUITS if value + suit not in hand]
        first = starters.pop(0) == me
        worth = [expected(hand, theirs, "", first, 0, tricks) for tricks in range(CARDS + 1)]
        said = worth.index(max(worth))
    elif command == "gen_declare":
        return said
    elif command == "gen_move":
        return max(CHOICE, key=lambda card: after(card, hand, theirs, led, True, taken, said))
    elif command == "play":
        mine, card = words[0] == me, words[1]
        (hand if mine else theirs).remove(card)
        if led:
            taken += takes(led, card) != mine
        led = "" if led else card
    elif command not in ("declare", "time_left", "quit"):
        return None
    return ""


LOUD
for line in sys.stdin:
    words = line.split()
    if words:
        reply = answer(words[0], words[1:])
        print("?" if reply is None else f"START{reply}".rstrip() + "\\n", flush=True)
    if words == ["quit"]:
        break
"""
RIGHT = {"CHOICE": "legal(hand, led)", "START": "= ", "LOUD": ""}
WRONG = {"CHOICE": "reversed(hand)", "START": "ok ", "LOUD": 'sys.stderr.write("loud " * 200_000)'}
MENDS = {"only-replies": "START", "rules": "CHOICE"}
"""By the step of check-bot that fails, what to mend."""


def source(wrong: Collection[str] = ()) -> str:
    """The bot, these parts of it being wrong."""
    text = BOT
    for part, right in RIGHT.items():
        text = text.replace(part, WRONG[part] if part in wrong else right)
    return text


def named_by(verdict: dict[str, Any]) -> str:
    """The part of the bot that a refusal is about."""
    (failed,) = [step for step in verdict["steps"] if not step["ok"]]
    assert failed["fix"]
    return MENDS[failed["detail"].partition(":")[0]]
