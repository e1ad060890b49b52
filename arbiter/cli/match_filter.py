"""Filters of lists of matches: of a player, under any version, lost by it, or ended by a fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import click

from arbiter.cli.options import combine_options
from arbiter.errors import ConfigError, did_you_mean
from arbiter.match.spec import original
from arbiter.replay.result_text import lead_of
from arbiter.season.config.settings_diff import registered_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arbiter.match.record import MatchSummary

filter_options = combine_options(
    click.option(
        "--lost",
        metavar="NAME",
        help="List only matches that this player lost: by a fault, or with less than the others' mean.",
    ),
    click.option("--forfeits", is_flag=True, help="List only matches that a fault ended."),
)


class MatchFilter(NamedTuple):
    """What `filter_options` ask for."""

    lost: str | None
    forfeits: bool

    def accepts(self, match: MatchSummary) -> bool:
        """True for a match to list; one between versions of the player is lost by any of them."""
        if self.forfeits and match.faulty is None:
            return False
        if self.lost is None:
            return True
        own = names_of(self.lost, match.players)
        if match.faulty is not None:
            return match.players[match.faulty] in own
        return any((lead_of(match, original(name)) or 0.0) < 0 for name in own)


ALL = MatchFilter(None, False)


def names_of(player: str, rated: Iterable[str]) -> set[str]:
    """Return those of these rated names that are the player's: its own, of copies, of any version."""
    return {name for name in rated if player in (name, original(name), registered_name(original(name)))}


def find_names(player: str, rated: Iterable[str]) -> tuple[str, ...]:
    """Return the rated names of a player, sorted; ConfigError with the nearest name if it has none."""
    rated = list(rated)
    if found := names_of(player, rated):
        return tuple(sorted(found))
    known = {registered_name(original(name)) for name in rated} | set(rated)
    raise ConfigError(f"no player {player!r}", hint=did_you_mean(player, sorted(known)))
