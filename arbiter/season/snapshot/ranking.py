"""The rating of a state: as stored with its standings, or computed from the results."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from arbiter.season.order_effects import effective_orders

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arbiter.match.record import MatchSummary
    from arbiter.season.config import Config
    from arbiter.season.ledger import Ledger
    from arbiter.season.snapshot.viewer import HeldResults
    from arbiter.store import Orders, SeasonStore
    from rating.ratings import Ranking


def ranking_of(
    read_config: Callable[[], Config],
    stored: SeasonStore,
    complete: int,
    held: HeldResults | None,
    revision: int,
) -> Ranking | None:
    """Return the rating after the last complete round; None before the first.

    If it is not stored, or results are `held` back, it is computed, which needs the season's file; `revision`
    is then as in `hidden_replays`.
    """
    if not complete:
        return None
    from rating import RatingError, pack_ranking, unpack_ranking

    packed = stored.ranking(complete) if held is None else None
    if packed is not None:
        # A rating packed by another version is ignored.
        with suppress(RatingError):
            return unpack_ranking(packed)
    ranking = _compute_ranking(read_config(), stored, complete, held, revision)
    packed = pack_ranking(ranking)
    return ranking if packed is None else unpack_ranking(packed)


def ranking_after(config: Config, stored: SeasonStore, number: int) -> Ranking:
    """Compute the rating behind the standings after an earlier round, from the store."""
    from arbiter.season.results import SeasonResults

    return SeasonResults(config, stored).ranking(number)


def hidden_replays(stored: SeasonStore, revision: int) -> Mapping[str, MatchSummary]:
    """Load by id the visible runs of matches that were replayed while results were held back.

    `revision` is that of a state with such results: its last visible round.
    """
    return effective_orders(stored.orders.read().given, lambda order: order.planned <= revision).earlier


def _compute_ranking(
    file: Config, stored: SeasonStore, complete: int, held: HeldResults | None, revision: int
) -> Ranking:
    """Compute the rating from the results of all complete rounds."""
    from arbiter.season.ledger import Ledger
    from arbiter.season.results import SeasonResults
    from arbiter.season.settings import config_at

    config = config_at(SeasonResults(file, stored).config, stored, complete)
    if held is None:
        return _read_and_rank(Ledger.of(config, stored), complete, None)
    while True:
        instead = hidden_replays(stored, revision)
        ledger = Ledger.of(config, stored, instead)
        if instead == hidden_replays(stored, revision):
            return _read_and_rank(ledger, complete, held.orders)


def _read_and_rank(ledger: Ledger, number: int, orders: Orders | None) -> Ranking:
    ledger.read_after(number, orders)
    return ledger.ranking()
