"""A season: plan the next round, play what is missing of it, rate; store and executor are passed in.

Plans are pure functions of seed, config and complete rounds, and a match's id is derived from
its place in the plan, so going on after any interruption is: planned ids minus stored ids.
"""

from __future__ import annotations

import secrets
from collections import Counter, defaultdict
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arbiter.errors import ConfigError, VoidMatch
from arbiter.schedule import drawn_tables, entrants, match_specs, original
from arbiter.table import play_match
from rating.crosstable import PairTable
from rating.matches import Match
from rating.pairing import next_round as next_tables
from rating.pairing import rule_of_round
from rating.ratings import Ranking, rate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from concurrent.futures import Executor, Future

    from arbiter.config import Config
    from arbiter.match import MatchRecord, MatchSpec, MatchSummary
    from arbiter.store import SeasonStore, Store
    from arbiter.store.store import StoredRound

SEED_BYTES = 32
MOST_VOIDS = 2
"""So many voids of one match in a row stop the run."""


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """A round with the matches of it that are still to be played."""

    stored: StoredRound
    missing: tuple[MatchSpec, ...]
    total: int


def open_season(config: Config, store: Store) -> SeasonStore:
    """The season's place in the store, made at its first round with a seed drawn for `auto`."""
    season = store.season(config.season)
    if season is None:
        if config.seed == "auto" and config.seed_commitment is not None:
            message = "seed_commitment: a seed that is still to be drawn cannot have been committed to"
            raise ConfigError(message, str(config.file), "give the seed, or add the line after round 1")
        seed = secrets.token_hex(SEED_BYTES) if config.seed == "auto" else config.seed
        return store.make_season(config.season, config.game.name, seed)
    if season.game != config.game.name:
        raise ConfigError(
            f"the season {config.season} in {store.name} is one of {season.game}, not {config.game.name}",
            str(config.file),
            "name another season or another store",
        )
    return season


def next_round(config: Config, season: SeasonStore, accept_changes: bool = False) -> RoundPlan | None:
    """The round to be played now: a broken one's rest or a new one; None after the last.

    ConfigError when the config has changed since the round before in what changes results,
    unless the change is accepted; a round that was begun is finished as it was planned.
    """
    rounds = season.rounds()
    last = rounds[-1] if rounds else None
    if last is not None and last.digest != config.digest and not (accept_changes and last.complete):
        state = "complete" if last.complete else "begun"
        hint = (
            "give --accept-changes to go on with the new one"
            if last.complete
            else "finish it with the old config first"
        )
        message = f"the config has changed since round {last.number}, which is {state}"
        raise ConfigError(message, str(config.file), hint)
    if last is not None and not last.complete:
        return _plan(config, season, last)
    if len(rounds) >= config.rounds:
        return None
    number = len(rounds) + 1
    return _plan(config, season, season.add_round(number, config.digest, tables(config, season, number)))


def tables(config: Config, season: SeasonStore, number: int) -> Sequence[Sequence[str]]:
    """Who meets in a round: by lot in the opening rounds, then by the config's rule of pairing."""
    names = [player.name for player in entrants(config, number)]
    rule = rule_of_round(config.pairing, number, config.opening_rounds)
    if rule == "random":
        return drawn_tables(names, config.game.seats, season.seed, number)
    results = PairTable.from_matches(map(_rated, season.summaries(number - 1)), players=names)
    return next_tables(results, names, rule=rule, size=config.game.seats)


def _plan(config: Config, season: SeasonStore, stored: StoredRound) -> RoundPlan:
    specs = tuple(match_specs(config, season.seed, stored.number, stored.tables))
    there = season.match_ids(stored.number)
    return RoundPlan(stored, tuple(spec for spec in specs if spec.id not in there), len(specs))


def play_round(
    season: SeasonStore,
    plan: RoundPlan,
    executor: Executor,
    on_match: Callable[[MatchRecord], None] = lambda _: None,
    on_void: Callable[[str, str], None] = lambda _id, _why: None,
) -> None:
    """Play what is missing, storing each match as it completes; VoidMatch after two voids in a row."""
    voids: Counter[str] = Counter()
    running: dict[Future[MatchRecord], MatchSpec] = {}
    try:
        for spec in plan.missing:
            running[executor.submit(play_match, spec)] = spec
        while running:
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                spec = running.pop(future)
                try:
                    record = future.result()
                except VoidMatch as void:
                    voids[spec.id] += 1
                    on_void(spec.id, str(void))
                    if voids[spec.id] >= MOST_VOIDS:
                        raise VoidMatch(f"match {spec.id} was void twice in a row: {void}") from None
                    running[executor.submit(play_match, spec)] = spec
                    continue
                season.add_match(record)
                on_match(record)
    finally:
        for future in running:
            future.cancel()


def finish_round(config: Config, season: SeasonStore, plan: RoundPlan) -> dict[str, Any]:
    """Rate, and keep the standings with the round that is now complete."""
    standings = compute_standings(config, season, plan.stored.number)
    season.complete_round(plan.stored.number, standings)
    return standings


def ranking(summaries: Iterable[MatchSummary], names: Iterable[str] = ()) -> Ranking:
    """Ratings of all players from all matches: BayesElo's model, advantage 0, drawelo fitted."""
    return rate(PairTable.from_matches(map(_rated, summaries), players=names))


def _rated(match: MatchSummary) -> Match:
    """A match as `rating` takes it; copies of one house bot give no result with each other."""
    return Match(
        players=match.players,
        points=match.points,
        faulty=match.faulty,
        sides=match.sides,
        owners=[original(name) for name in match.players],
        round=match.round,
        table=None if match.table is None else match.table,
        id=match.id,
    )


def compute_standings(config: Config, season: SeasonStore, last_round: int) -> dict[str, Any]:
    """The documented standings after a round, from its matches and all before."""
    summaries = season.summaries(last_round)
    names = [entry.player.name for entry in config.entries]
    ranked = ranking(summaries, names)
    faults: dict[str, Counter[str]] = defaultdict(Counter)
    for match in summaries:
        if match.faulty is not None and match.fault is not None:
            faults[match.players[match.faulty]][match.fault] += 1
    return {
        "season": config.season,
        "game": config.game.name,
        "rounds_played": last_round,
        "drawelo": ranked.fit.drawelo,
        "intervals": ranked.intervals.kind,
        "warnings": list(ranked.warnings),
        "players": [
            {
                "rank": row.rank,
                "player": row.player,
                "elo": row.elo,
                "low": row.low,
                "high": row.high,
                "matches": row.matches,
                "results": row.results,
                "wins": row.wins,
                "draws": row.draws,
                "losses": row.losses,
                "points": row.points,
                "faults": dict(sorted(faults[row.player].items())),
            }
            for row in ranked.rows
        ],
    }


def pairwise(summaries: Iterable[MatchSummary], names: Iterable[str] = ()) -> dict[str, Any]:
    """The crosstable: players, and matrices of the row's wins, draws, losses against the column.

    `names` come first, in their order.
    """
    table = PairTable.from_matches(map(_rated, summaries), players=names)
    n = len(table.players)
    counts = {name: [[0] * n for _ in range(n)] for name in ("wins", "draws", "losses")}
    pairs = table.pairs()
    for i, j, won, drawn, lost in zip(
        pairs.i.tolist(), pairs.j.tolist(), *pairs.counts.astype(int).tolist(), strict=True
    ):
        counts["wins"][i][j] = counts["losses"][j][i] = won
        counts["draws"][i][j] = counts["draws"][j][i] = drawn
        counts["losses"][i][j] = counts["wins"][j][i] = lost
    return {"players": list(table.players), **counts}
