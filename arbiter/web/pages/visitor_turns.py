"""The turn at an interactive table, as a visitor or the applet's owner sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import TypedDict

from arbiter.replay.result_text import say_points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.games.game import Seat
    from arbiter.table.interactive.session import TableSnapshot


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
    say = say_points(players, position.totals, position.game.sides)
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
