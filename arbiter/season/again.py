"""Annulled matches played again, under the ids and settings that they had."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

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

    from arbiter.executors import Slots
    from arbiter.match import MatchSpec, MatchSummary
    from arbiter.packing import PackedMatch
    from arbiter.season.events import Event
    from arbiter.season.programs import Programs
    from arbiter.season.results import Results
    from arbiter.season.rounds import Rounds
    from arbiter.store import SeasonStore


def rounds_to_replay(stored: SeasonStore) -> list[int]:
    """The rounds that have matches to be played again, in order."""
    ids = force(stored.orders.read().given).to_replay
    return sorted(set(map(round_of, ids)))


def play_again(
    rounds: Rounds,
    results: Results,
    executor: Slots,
    enough: Callable[[MatchSummary], bool] = lambda _: False,
) -> Iterator[Event]:
    """Play the annulled matches that are to be played again; each one counts as soon as it is stored.

    `enough` as in `play_matches`.
    """
    ids = force(rounds.stored.orders.read().given).to_replay
    if ids:
        yield MatchesAgain(len(ids))
        programs: dict[str, Programs] = {}
        specs, keep = _specs(rounds, ids, programs), partial(_replace, results, programs)
        yield from play_matches(rounds.stored, specs, executor, keep=keep, enough=enough)


def _specs(rounds: Rounds, ids: Collection[str], programs: dict[str, Programs]) -> Iterator[MatchSpec]:
    """Stored matches as they were planned, under the settings of their rounds.

    Their players' files, as they are when each one is begun, are put into `programs`.
    """
    stored = rounds.stored
    for known in stored.rounds():
        if any(match_id.startswith(f"r{known.number:03d}/") for match_id in ids):
            config = rounds.config_to_play(known.number)
            specs = list(match_specs(config, stored.seed, known.number, known.tables))
            again = substitutes_as_stored(config, specs, stored.summaries(known.number, known.number))
            wanted = [spec for spec in (*specs, *again) if spec.id in ids]
            refuse_gone(config, wanted)
            for spec in wanted:
                programs[spec.id] = programs_of(spec.players, config.file)
                yield spec


def _replace(results: Results, programs: Mapping[str, Programs], match: PackedMatch) -> None:
    """Keep a match in the place of the annulled one, unless somebody took the annulment back meanwhile."""
    name = match.summary.id
    put_match(results, match, Verb.REPLAYED, lambda now: name in now.annulled, programs[name])
