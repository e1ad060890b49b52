"""Read the answer to ``gen_values``: options, the value of each, and the chance to win the match."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from arbiter.errors import BotCheckFailed, IllegalAction
from arbiter.replay.decision_loss import OptionValue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.games.game import AnyGame, Seat

REQUEST = "gen_values"
MOST_OPTIONS = 1000
MOST_POINTS = 1e9
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)


def read_values(game: AnyGame, state: Any, seat: Seat, text: str) -> Mapping[str, OptionValue]:
    """Return the options of an answer such as ``0:2.41:0.22 1:5.1:0.29`` by word; BotCheckFailed if bad."""
    found: dict[str, OptionValue] = {}
    parts = text.split()
    if not parts:
        raise BotCheckFailed("expected options, got an empty answer")
    if len(parts) > MOST_OPTIONS:
        raise BotCheckFailed(f"expected at most {MOST_OPTIONS} options, got {len(parts)}")
    for part in parts:
        option, *numbers = part.split(":")
        if not 1 <= len(numbers) <= 2:
            raise BotCheckFailed(f"expected OPTION:VALUE or OPTION:VALUE:WIN, got {part[:60]!r}")
        points, win = (*map(_parse_number, numbers), None)[:2]
        assert points is not None
        if win is not None and not 0 <= win <= 1:
            raise BotCheckFailed(f"expected a chance from 0 to 1 for WIN, got {part[:60]!r}")
        word = _parse_option(game, state, seat, option)
        if word in found:
            raise BotCheckFailed(f"{option[:60]!r} appears twice")
        found[word] = OptionValue(points, win)
    return found


def _parse_option(game: AnyGame, state: Any, seat: Seat, option: str) -> str:
    """Return the answer of an option in canonical form; BotCheckFailed if it is not legal.

    ``_`` may stand for a blank; an option with ``_`` that is legal as written keeps it.
    """
    problem = ""
    for words in dict.fromkeys((option, option.replace("_", " "))):
        try:
            action = game.parse(state, seat, words)
        except IllegalAction as error:
            problem = problem or f": {error}"
            continue
        if state.allows(seat, action):
            return game.action_text(state, seat, action)
    raise BotCheckFailed(f"{option[:60]!r} is not a legal answer{problem}")


def _parse_number(text: str) -> float:
    """Return a number of at most `MOST_POINTS`; BotCheckFailed for other text."""
    value = float(text) if len(text) <= 40 and _NUMBER.fullmatch(text) else math.nan
    if not abs(value) <= MOST_POINTS:
        raise BotCheckFailed(f"expected a number up to {MOST_POINTS:g}, got {text[:40]!r}")
    return value
