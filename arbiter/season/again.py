"""Annulled matches played again, under the ids and settings that they had."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from arbiter.season.events import MatchesAgain
from arbiter.season.matches import play_matches
from arbiter.season.orders import force, now_text
from arbiter.season.schedule import match_specs
from arbiter.season.settings import refuse_gone
from arbiter.season.substitutes import substitutes_as_stored
from arbiter.store import Order, Orders, Outdated, Verb

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from arbiter.config import Config
    from arbiter.executors import Slots
    from arbiter.match import MatchSpec, MatchSummary
    from arbiter.packing import PackedMatch
    from arbiter.season.events import Event
    from arbiter.store import SeasonStore


class Played(Protocol):
    """The part of a season that is needed here."""

    stored: SeasonStore

    def config_to_play(self, number: int) -> Config:
        """The config that a round was planned with, fit for this machine."""

    def standings_under(
        self, number: int, orders: Orders, instead: Mapping[str, MatchSummary]
    ) -> dict[str, Any]:
        """The standings after a round under orders, with some matches replaced."""


def play_again(season: Played, executor: Slots) -> Iterator[Event]:
    """Play the annulled matches that are to be played again; each one counts as soon as it is stored."""
    ids = force(season.stored.orders.read().given).to_replay
    if ids:
        yield MatchesAgain(len(ids))
        yield from play_matches(season.stored, _specs(season, ids), executor, keep=partial(_replace, season))


def _specs(season: Played, ids: Collection[str]) -> Iterator[MatchSpec]:
    """Stored matches as they were planned, under the settings of their rounds."""
    for known in season.stored.rounds():
        if any(match_id.startswith(f"r{known.number:03d}/") for match_id in ids):
            config = season.config_to_play(known.number)
            specs = list(match_specs(config, season.stored.seed, known.number, known.tables))
            again = substitutes_as_stored(config, specs, season.stored.summaries(known.number, known.number))
            wanted = [spec for spec in (*specs, *again) if spec.id in ids]
            refuse_gone(config, wanted)
            yield from wanted


def _replace(season: Played, match: PackedMatch) -> None:
    """Keep a match in the place of the annulled one, with the standings that it changes."""
    stored, name = season.stored, match.summary.id
    while True:
        known = stored.orders.read()
        if name not in force(known.given).annulled:
            # Somebody took the annulment back while it was played.
            return
        rounds = stored.rounds()
        complete = sum(each.complete for each in rounds)
        order = Order(Verb.REPLAYED, name, "", now_text(), len(rounds), complete)
        standings = None
        if complete:
            orders = Orders(known.revision, (*known.given, order))
            standings = complete, season.standings_under(complete, orders, {name: match.summary})
        with suppress(Outdated):
            stored.orders.replace_match(match, order, known.revision, standings)
            return
