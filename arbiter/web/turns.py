"""How a table stands, as its page is told: the applet's and a visitor's alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import TypedDict

from arbiter.frame import points_line, said_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.byhand.session import Seen
    from arbiter.rules import Seat


class Points(TypedDict):
    """The points of a match that is over, by seat; `say` is a line about them."""

    points: list[int]
    say: str


class Turn(TypedDict):
    """Who is to act, `made` decisions after the beginning, and with which of the `legal` answers.

    `lays` are the cards of each of them, `says` is how they are read aloud; `hint` says how an answer looks
    that is more than a word.
    """

    to_act: int | None
    request: str | None
    asks: str | None
    legal: list[str]
    lays: list[tuple[str, ...]]
    says: list[str]
    hint: str
    made: int
    over: bool
    result: Points | None


def turn_of(seen: Seen, players: Sequence[str], seat: Seat | None = None) -> Turn:
    """The turn for all eyes, or for those of a seat: what is asked is told at its own turn alone."""
    position = seen.position
    to_act, over = position.to_act, position.to_act is None
    told = not over and seat in (None, to_act)
    words, legal = (position.answer_words, position.words()) if told else (0, [])
    lays = [position.game.cards_of(word) for word in legal]
    say = points_line(said_names(players), position.totals)
    return {
        "to_act": to_act,
        "request": position.request if told else None,
        "asks": position.game.asks(position.request) if told else None,
        "legal": legal,
        "lays": lays,
        "says": list(map(position.game.say_cards, lays)),
        "hint": f"{words} words with blanks between" if words > 1 else "",
        "made": position.made,
        "over": over,
        "result": {"points": list(position.totals), "say": say} if over else None,
    }
