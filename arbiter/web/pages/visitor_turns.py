"""The turn at an interactive table, as a visitor or the applet's owner sees it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from typing_extensions import TypedDict

from arbiter.match.spec import COPY_MARK
from arbiter.replay.emblem import emblems
from arbiter.replay.result_text import say_own_place, say_points, winners

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.games.game import Seat
    from arbiter.replay.schema import Replay
    from arbiter.table.interactive.session import TableSnapshot

VISITOR = "you"
_SUBJECT = re.compile(rf"(^|\. )\u2068{VISITOR}\u2069((?: as \w+)?)(?: (\w+))?([^.\u2068]*)")
_VERBS = {"is": "are", "has": "have", "does": "do", "passes": "pass"}
_REST = {" and becomes ": " and become ", " and leads": " and lead", " what it ": " what you "}


class Points(TypedDict):
    """The points of a finished match by seat; `say` is a sentence about them."""

    points: list[int]
    say: str


class Turn(TypedDict):
    """The seat to act, after `made` decisions, and its `legal` answers.

    `must` is what the rules require of it, "" for nothing. `lays` are the cards of each answer, `says` how
    they are read aloud; `hint` describes the form of an answer of several words.
    """

    to_act: int | None
    request: str | None
    asks: str | None
    must: str
    legal: list[str]
    lays: list[tuple[str, ...]]
    says: list[str]
    hint: str
    made: int
    over: bool
    result: Points | None


def turn_of(seen: TableSnapshot, players: Sequence[str], seat: Seat | None = None) -> Turn:
    """Return the turn for the public, or for a seat, which sees requests only at its turn."""
    position = seen.position
    to_act, over = position.to_act, position.to_act is None
    shows_request = not over and seat in (None, to_act)
    words, legal = (position.answer_words, position.words()) if shows_request else (0, [])
    lays = [position.game.cards_of(word) for word in legal]
    totals = position.totals
    if seat is not None and seat not in (winners(totals) or (seat,)):
        say = say_own_place(players, totals, seat, position.game.sides)
    else:
        say = in_second_person(say_points(players, totals, position.game.sides))
    return {
        "to_act": to_act,
        "request": position.request if shows_request else None,
        "asks": position.game.asks(position.request) if shows_request else None,
        "must": position.game.must(position.state, to_act) if shows_request and to_act is not None else "",
        "legal": legal,
        "lays": lays,
        "says": list(map(position.game.say_cards, lays)),
        "hint": f"{words} words with blanks between" if words > 1 else "",
        "made": position.made,
        "over": over,
        "result": {"points": list(position.totals), "say": say} if over else None,
    }


def in_second_person(text: str) -> str:
    """Return sentences with the visitor as "You" as the subject: ``You pass.``, not ``you passes.``"""

    def reword(found: re.Match[str]) -> str:
        start, role, verb, rest = found.groups()
        for old, new in _REST.items():
            rest = rest.replace(old, new)
        does = f" {_VERBS.get(verb) or verb.removesuffix('s')}" if verb else ""
        return f"{start}You{role}{does}{rest}"

    return _SUBJECT.sub(reword, text)


def address_visitor(replay: Replay) -> Replay:
    """Put a replay's sentences into the second person, and give copies of a house bot their own emblems."""
    players = replay["players"]
    # Copies of a player share an emblem: a blank makes another name of it.
    names = [player["name"].replace(COPY_MARK, " ") for player in players]
    for player, mark in zip(players, emblems(names, [player["side"] for player in players]), strict=True):
        player["mark"] = mark
    for event in replay["events"]:
        if "shown" in event and event["shown"].get("say"):
            event["shown"]["say"] = in_second_person(event["shown"]["say"])
    for moment in replay["marks"]:
        moment["text"] = in_second_person(moment["text"])
    return replay


def number_copies(names: Sequence[str]) -> list[str]:
    """Return names in which copies are numbered: ``random``, ``random#2``."""
    counts = [names[: place + 1].count(name) for place, name in enumerate(names)]
    return [
        name if count == 1 else f"{name}{COPY_MARK}{count}" for name, count in zip(names, counts, strict=True)
    ]
