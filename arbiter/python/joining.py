"""Which matches are joined and rated together: of one game and its options, with one program of each name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from arbiter.errors import ConfigError
from arbiter.match.spec import original

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arbiter.match.record import MatchRecord

SHOWN = 80
"""Characters of a value in a message."""


class PlayedGame(NamedTuple):
    """The game of a match: its season, "" outside one; its name; its options as JSON, "" if unknown."""

    season: str
    game: str
    options: str

    @classmethod
    def of(cls, record: MatchRecord) -> PlayedGame:
        return cls(record.season, record.game, options_text(record))


def options_text(record: MatchRecord) -> str:
    """Return the options of a match's game as JSON, equal for equal options."""
    return json.dumps(record.options, sort_keys=True)


def check_games(played: Iterable[PlayedGame]) -> None:
    """Raise ConfigError for matches of different games or options; one season may change its options."""
    found = {*played}
    games = sorted({one.game for one in found})
    options = sorted({one.options for one in found if one.options})
    seasons = {one.season for one in found}
    if len(games) > 1:
        what = f"different games: {', '.join(games)}"
    elif len(options) > 1 and (len(seasons) > 1 or "" in seasons):
        what = f"{games[0]} with different {_first_difference(*options[:2])}"
    else:
        return
    raise ConfigError(f"results: of {what}", hint="keep and rate each alone")


def _first_difference(one: str, other: str) -> str:
    """Return the first option in which two texts of options differ, with its values."""
    try:
        left, right = json.loads(one), json.loads(other)
        name = next(key for key in {**left, **right} if left.get(key) != right.get(key))
        return f"{name}: {one_line(left.get(name))} and {one_line(right.get(name))}"
    except (ValueError, TypeError, AttributeError, StopIteration):
        # A frame's column may have any text.
        return f"options: {one_line(one)} and {one_line(other)}"


def check_programs(seated: Iterable[tuple[str, str]], known: dict[str, str]) -> None:
    """Add the digests of programs by player to `known`; ConfigError for two programs of one name."""
    for player, program in seated:
        if program and known.setdefault(name := original(player), program) != program:
            message = f"different programs are named {name}"
            names = f'{{"{name}": "{name}-old"}}'
            hint = (
                f"give one another name, as in old.renamed({names}), or the same to keep both as one player"
            )
            raise ConfigError(message, hint=hint)


def one_line(value: object) -> str:
    """Return a value for a message, cut where it is long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
