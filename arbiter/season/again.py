"""Annulled matches played again, under the ids and settings that they had."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from arbiter.season.administration import put_match
from arbiter.season.events import MatchesAgain
from arbiter.season.matches import play_matches
from arbiter.season.orders import force, round_of
from arbiter.season.programs import programs_of
from arbiter.season.schedule import match_specs
from arbiter.season.settings import refuse_gone
from arbiter.season.substitutes import substitutes_as_stored
from arbiter.store import Verb

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from arbiter.config import Config
    from arbiter.executors import Slots
    from arbiter.match import MatchSpec, MatchSummary
    from arbiter.packing import PackedMatch
    from arbiter.season.events import Event
    from arbiter.season.programs import Programs
    from arbiter.store import Orders, SeasonStore


class Played(Protocol):
    """The part of a season that is needed here."""

    stored: SeasonStore

    def config_to_play(self, number: int) -> Config:
        """The config that a round was planned with, fit for this machine."""

    def standings_under(
        self, number: int, orders: Orders, instead: Mapping[str, MatchSummary] | None = None
    ) -> dict[str, Any]:
        """The standings after a round under orders, with some matches replaced."""


def rounds_to_replay(stored: SeasonStore) -> list[int]:
    """The rounds that have matches to be played again, in order."""
    ids = force(stored.orders.read().given).to_replay
    return sorted(set(map(round_of, ids)))


def play_again(
    season: Played, executor: Slots, enough: Callable[[MatchSummary], bool] = lambda _: False
) -> Iterator[Event]:
    """Play the annulled matches that are to be played again; each one counts as soon as it is stored.

    `enough` as in `play_matches`.
    """
    ids = force(season.stored.orders.read().given).to_replay
    if ids:
        yield MatchesAgain(len(ids))
        programs: dict[str, Programs] = {}
        specs, keep = _specs(season, ids, programs), partial(_replace, season, programs)
        yield from play_matches(season.stored, specs, executor, keep=keep, enough=enough)


def _specs(season: Played, ids: Collection[str], programs: dict[str, Programs]) -> Iterator[MatchSpec]:
    """Stored matches as they were planned, under the settings of their rounds.

    Their players' files, as they are when each one is begun, are put into `programs`.
    """
    for known in season.stored.rounds():
        if any(match_id.startswith(f"r{known.number:03d}/") for match_id in ids):
            config = season.config_to_play(known.number)
            specs = list(match_specs(config, season.stored.seed, known.number, known.tables))
            again = substitutes_as_stored(config, specs, season.stored.summaries(known.number, known.number))
            wanted = [spec for spec in (*specs, *again) if spec.id in ids]
            refuse_gone(config, wanted)
            for spec in wanted:
                programs[spec.id] = programs_of(spec.players, config.file)
                yield spec


def _replace(season: Played, programs: Mapping[str, Programs], match: PackedMatch) -> None:
    """Keep a match in the place of the annulled one, unless somebody took the annulment back meanwhile."""
    name = match.summary.id
    put_match(season, match, Verb.REPLAYED, lambda now: name in now.annulled, programs[name])
