"""A match at one moment, cut to its reader: computed here, drawn by every face.

frame_at(Position.opening(game, "seed"), seat=0).hands
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arbiter.course import Position
    from arbiter.rules import AnyGame, Command, Seat, State

NOBODY: Seat = -1
"""A reader who sees no hand."""


class Laid(NamedTuple):
    """What a seat has laid, in words, and the names of the cards."""

    seat: Seat
    words: str
    cards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """What a reader may see of a match; JSON values and tuples of them.

    `hands` by seat, names of cards, ascending, None for a hidden hand; `counts` the number of cards in each;
    `table` what was laid, in order; `roles` what else is open: a list of as many values as there are seats is
    by seat. `to_act` is the seat that is to answer `request`, None for nobody or one that the reader does not
    know; `legal` are its answers, empty where they may not be seen. `points` by seat are those of the deals
    that are over; `say` is a sentence about what has just happened.
    """

    hands: tuple[tuple[str, ...] | None, ...]
    counts: tuple[int, ...]
    table: tuple[Laid, ...]
    roles: Mapping[str, Any]
    to_act: Seat | None = None
    request: Command = ""
    legal: tuple[str, ...] = ()
    points: tuple[int, ...] = ()
    say: str = ""


def frame_of(game: AnyGame, state: State, seat: Seat | None = None, **told: Any) -> Frame:
    """What lies where in a deal, as `seat` may see it, None for everything; `told` are further fields."""
    shown = game.shown(state, seat)
    table = tuple(Laid(who, words, game.cards_of(words)) for who, words in shown.table)
    return Frame(shown.hands, shown.counts, table, shown.roles, **told)


def frame_at(position: Position, seat: Seat | None = None) -> Frame:
    """A match between two decisions, as `seat` may see it, None for everything."""
    game, state, to_act = position.game, position.state, position.to_act
    if to_act is None or seat not in (None, to_act):
        return frame_of(game, state, seat, points=position.totals)
    told = {"to_act": to_act, "request": position.request, "legal": tuple(position.words())}
    return frame_of(game, state, seat, points=position.totals, **told)


def hand_line(game: AnyGame, hand: Sequence[str] | None) -> str:
    """A hand of a frame, or of a deal's JSON, for people; "?" for one that is not seen."""
    return "?" if hand is None else game.hand_text(sorted(map(game.card_of, hand)))


def table_line(frame: Frame) -> str:
    """What lies on the table and who laid it, ``0:TD  1:4D``, for people; "" for nothing."""
    return "  ".join(f"{laid.seat}:{laid.words}" for laid in frame.table)


def roles_line(shape: Mapping[str, Any]) -> str:
    """What a deal's JSON says beside hands, roles by seat and nested lists: ``landlord 0, extra 4 6 2``."""
    told = []
    for key, value in shape.items():
        if isinstance(value, list | tuple):
            if key not in ("hands", "roles") and not any(isinstance(item, list | tuple) for item in value):
                told.append(f"{key} {' '.join(map(str, value))}")
        elif value is not None:
            told.append(f"{key} {value}")
    return ", ".join(told)
