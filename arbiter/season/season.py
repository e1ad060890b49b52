"""A season: plan the next round, play what is missing of it, rate; store and executor are passed in.

Plans are pure functions of seed, config and complete rounds, and a match's id is derived from
its place in the plan, so going on after any interruption is: planned ids minus stored ids.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from arbiter.config_changes import changes, in_one_line
from arbiter.errors import ConfigError, VoidMatch
from arbiter.season.ledger import Ledger
from arbiter.season.schedule import drawn_tables, entrants, match_specs, matches_of
from arbiter.table import play_packed
from rating.pairing import next_round as next_tables
from rating.pairing import rule_of_round

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from concurrent.futures import Executor, Future
    from datetime import datetime

    from arbiter.config import Config
    from arbiter.match import MatchSpec
    from arbiter.packing import PackedMatch
    from arbiter.store import SeasonStore, Store, StoredRound

SEED_BYTES = 32
MOST_VOIDS = 2
"""So many voids of one match in a row stop the run."""
RECENT = 3
"""So many rounds tell how long the next one takes."""
STOP_SECONDS = 1.0
"""How long a wish to stop may go unheard while no match ends."""


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """A round with the matches of it that are still to be played, and who is suspended from it."""

    stored: StoredRound
    missing: tuple[MatchSpec, ...]
    total: int
    suspended: tuple[str, ...]


def open_season(config: Config, store: Store) -> SeasonStore:
    """The season's place in the store, made at its first round with a seed drawn for `auto`."""
    season = store.season(config.season)
    if season is None:
        if config.seed == "auto" and config.seed_commitment is not None:
            message = "seed_commitment: a seed that is still to be drawn cannot have been committed to"
            raise ConfigError(message, str(config.file), "give the seed, or add the line after round 1")
        seed = secrets.token_hex(SEED_BYTES) if config.seed == "auto" else config.seed
        return store.make_season(config.season, config.game.name, seed)
    check_seed(config, season)
    if season.game != config.game.name:
        raise ConfigError(
            f"the season {config.season} in {store.name} is one of {season.game}, not {config.game.name}",
            str(config.file),
            "name another season or another store",
        )
    return season


def check_seed(config: Config, season: SeasonStore) -> None:
    """ConfigError if the config gives another seed than the season has."""
    if config.seed not in ("auto", season.seed):
        message = f"the seed is not the one that {config.season} was begun with, and cannot change"
        raise ConfigError(message, str(config.file), "give that one, or name another season")


class Tournament:
    """A season on the way: what comes next, played and rated; one round at a time."""

    def __init__(self, config: Config, season: SeasonStore) -> None:
        self._config, self._season = config, season
        self._ledger = ledger(config, season)

    def next_round(self, accept_changes: bool = False, more: bool = False) -> RoundPlan | None:
        """The round to be played now: a broken one's rest or a new one; None after the last.

        `more` plans a round beyond the config's number of them. ConfigError when the config has
        changed since the round before in what changes results, unless the change is accepted; a
        round that was begun is finished as it was planned.
        """
        config, season = self._config, self._season
        rounds = season.rounds()
        begun = next((stored for stored in rounds if not stored.complete), None)
        if begun is not None:
            if begun.digest == config.digest:
                return self._plan(begun)
            if not accept_changes or season.match_ids(begun.number):
                raise changed(config, season, begun)
            season.drop_round(begun.number)
            rounds.remove(begun)
        if rounds and rounds[-1].digest != config.digest and not accept_changes:
            raise changed(config, season, rounds[-1])
        if len(rounds) >= config.rounds and not more:
            return None
        number = len(rounds) + 1
        planned = tables(config, self._ledger, season.seed, number)
        return self._plan(season.add_round(number, config.digest, planned, config.settings))

    def changes(self) -> str:
        """How the config differs from the last round's, in words; "" if it does not."""
        rounds = self._season.rounds()
        if not rounds or rounds[-1].digest == self._config.digest:
            return ""
        return _what_changed(self._config, self._season, rounds[-1])

    def _plan(self, stored: StoredRound) -> RoundPlan:
        self._ledger.read(stored.number - 1)
        return plan_round(self._config, self._season, stored, self._ledger.unfit(self._config))

    def finish_round(self, number: int) -> dict[str, Any]:
        """Rate, and keep the standings with the round that is now complete."""
        self._ledger.read(number)
        standings = self._ledger.standings(self._config)
        self._season.complete_round(number, standings)
        return standings


def plan_round(
    config: Config,
    season: SeasonStore,
    stored: StoredRound,
    unfit: Iterable[str] = (),
    share: Callable[[int, int], bool] = lambda _round, _table: True,
) -> RoundPlan:
    """What of a round is not in the store yet; `share` says which of a round's tables are ours."""
    specs = [
        spec
        for spec in match_specs(config, season.seed, stored.number, stored.tables)
        if share(stored.number, spec.table or 0)
    ]
    there = season.match_ids(stored.number)
    seated = {name for names in stored.tables for name in names}
    missing = tuple(spec for spec in specs if spec.id not in there)
    return RoundPlan(stored, missing, len(specs), tuple(name for name in unfit if name not in seated))


def time_for_another(config: Config, season: SeasonStore, at_once: int, now: datetime) -> bool:
    """Whether a round beyond the config's number of them would end before `until`.

    It is expected to take as long as the longest of the last few, `at_once` matches at a time.
    """
    if config.until is None:
        return False
    longest = 0.0
    for stored in [stored for stored in season.rounds() if stored.complete][-RECENT:]:
        matches = matches_of(config.game, stored.tables)
        turns = -(-matches // max(at_once, 1))
        longest = max(longest, turns * season.wall_ns(stored.number) / matches)
    return now + timedelta(microseconds=longest / 1000) < config.until


def changed(config: Config, season: SeasonStore, last: StoredRound) -> ConfigError:
    """What to say of a config that is not the one of the round before."""
    hint = (
        "give --accept-changes to go on with the new one"
        if last.complete or not season.match_ids(last.number)
        else "finish it with the old config first"
    )
    what = _what_changed(config, season, last)
    state = "complete" if last.complete else "begun"
    message = f"the config has changed since round {last.number}, which is {state}: {what}"
    return ConfigError(message, str(config.file), hint)


def _what_changed(config: Config, season: SeasonStore, last: StoredRound) -> str:
    before = season.settings(last.digest)
    return "what it was is not known" if before is None else in_one_line(changes(before, config.settings))


def tables(config: Config, results: Ledger, seed: str, number: int) -> Sequence[Sequence[str]]:
    """Who meets in a round: by lot in the opening rounds, then by the config's rule of pairing.

    `results` is read up to the round before, and tells who is suspended.
    """
    results.read(number - 1)
    names = [player.name for player in entrants(config, number, results.unfit(config))]
    rule = rule_of_round(config.pairing, number, config.opening_rounds)
    if rule == "random":
        return drawn_tables(names, config.game.table_size, seed, number)
    return next_tables(results.fit, names, rule=rule, size=config.game.table_size)


def play_round(
    season: SeasonStore,
    plan: RoundPlan,
    executor: Executor,
    on_match: Callable[[PackedMatch], None] = lambda _: None,
    on_void: Callable[[str, str], None] = lambda _id, _why: None,
) -> bool:
    """Play what is missing, storing each match as it completes; VoidMatch after two voids in a row.

    False where matches were left out because somebody asked the season to stop; those in flight
    then were still played and stored.
    """
    return play_matches(season, plan.missing, executor, on_match, on_void)


def play_matches(
    season: SeasonStore,
    specs: Iterable[MatchSpec],
    executor: Executor,
    on_match: Callable[[PackedMatch], None] = lambda _: None,
    on_void: Callable[[str, str], None] = lambda _id, _why: None,
    ahead: int | None = None,
) -> bool:
    """The same for any matches. `specs` is asked for the next one where fewer than `ahead` are under way,
    so it may depend on those that `on_match` has been told of; without `ahead` for all at once.
    """
    voids: Counter[str] = Counter()
    ended: SimpleQueue[Future[PackedMatch]] = SimpleQueue()
    running: dict[Future[PackedMatch], MatchSpec] = {}
    waiting = iter(specs)
    stopping = season.asked_to_stop()
    left_out = False

    looked = time.monotonic()

    def submit(spec: MatchSpec) -> None:
        future = executor.submit(play_packed, spec)
        running[future] = spec
        future.add_done_callback(ended.put)

    def submit_more() -> None:
        nonlocal left_out
        while ahead is None or len(running) < ahead:
            spec = next(waiting, None)
            if spec is None:
                return
            if stopping:
                left_out = True
                return
            submit(spec)

    try:
        submit_more()
        while running:
            try:
                future = ended.get(timeout=STOP_SECONDS)
            except Empty:
                future = None
            if not stopping and time.monotonic() - looked >= STOP_SECONDS:
                looked = time.monotonic()
                stopping = season.asked_to_stop()
                for pending in list(running) if stopping else ():
                    pending.cancel()
            if future is None:
                continue
            spec = running.pop(future)
            if future.cancelled():
                left_out = True
                continue
            try:
                match = future.result()
            except VoidMatch as void:
                voids[spec.id] += 1
                on_void(spec.id, str(void))
                if voids[spec.id] >= MOST_VOIDS:
                    raise VoidMatch(f"match {spec.id} was void twice in a row: {void}") from None
                if stopping:
                    left_out = True
                else:
                    submit(spec)
                continue
            season.add_packed(match)
            on_match(match)
            submit_more()
    finally:
        for future in running:
            future.cancel()
    return not left_out


def ledger(config: Config, season: SeasonStore) -> Ledger:
    """The season's results, with the config's players in its order before all others."""
    return Ledger(season, [entry.player.name for entry in config.entries])


def standings_after(config: Config, season: SeasonStore, number: int) -> dict[str, Any]:
    """The standings after a round: those kept with it, or else computed from its matches and all before."""
    kept = season.standings(number)
    if kept is not None:
        return kept
    results = ledger(config, season)
    results.read(number)
    return results.standings(config)
