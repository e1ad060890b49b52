"""Lines that are sent together: what was typed with line ends between, and openings by their name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.clock import MS
from arbiter.errors import ConfigError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arbiter.byhand.session import Seen
    from arbiter.rules import Command, Seat

MOST_LINES = 500


def lines_of(text: str) -> list[Command]:
    """The lines of a text; ConfigError for none and for too many."""
    found = [line.removesuffix("\r") for line in text.split("\n")]
    if len(found) > 1 and not found[-1]:
        found.pop()
    if not any(found):
        raise ConfigError([Problem(("line",), "there is nothing to send", "write time_left 5000")])
    if len(found) > MOST_LINES:
        raise ConfigError([Problem(("line",), f"{len(found)} lines at once: {MOST_LINES} at most")])
    return found


def lines(name: str, seat: Seat, seen: Seen) -> list[Command]:
    """The ``greeting``, the ``deal``; for ``smoke`` both, the time and, if it is to act, the request."""
    position, game = seen.position, seen.setup.game
    if seat >= game.seats:
        raise ConfigError([Problem(("seat",), f"there is no seat {seat}")])
    greeting = _heard_in(seat, game.greeting())
    deal = _heard_in(seat, game.dealt(position.deals[-1]))
    if name != "smoke":
        return greeting if name == "greeting" else deal
    time = f"time_left {max(0, seen.left[seat]) // MS}"
    return [*greeting, *deal, time, *([position.request] if position.to_act == seat else [])]


def _heard_in(seat: Seat, wordings: Iterable[Sequence[Command]]) -> list[Command]:
    return [wording[seat] for wording in wordings]
