"""The rounds of a season: the next tables, and the settings that each is played or replayed under."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from arbiter.season.administration import OrderOutcome, replace_match
from arbiter.season.calendar import SeasonClock
from arbiter.season.config.readable_secrets import UNDECIDED, check_bot_access, confine
from arbiter.season.consent import change_error, is_as_before, require_consent
from arbiter.season.events import AnnulledReplayed, ReplaysRated
from arbiter.season.ledger import Ledger
from arbiter.season.match_runner import play_matches
from arbiter.season.order_effects import effective_orders, round_of
from arbiter.season.program_digests import ProgramWatch, programs_of
from arbiter.season.roster import with_active_versions
from arbiter.season.round_plan import plan_round, plan_substitutes, plan_tables
from arbiter.season.schedule import match_specs, matches_of
from arbiter.season.settings import (
    check_programs_exist,
    config_at,
    config_of,
    players_of_tables,
    startable_players,
    with_begun_settings,
)
from arbiter.season.substitutes import number_of_substitutes, substitutes_as_stored
from arbiter.store import OrderKind, Orders, Outdated

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from arbiter.match.packing import PackedMatch
    from arbiter.match.record import MatchSummary
    from arbiter.match.spec import MatchSpec, Player
    from arbiter.season.config import Config
    from arbiter.season.events import Event
    from arbiter.season.order_effects import EffectiveOrders
    from arbiter.season.program_digests import Programs
    from arbiter.season.results import SeasonResults
    from arbiter.season.round_plan import RoundPlan
    from arbiter.store import SeasonStore, StoredRound
    from arbiter.table.executors import SizedExecutor


class Rounds:
    """Plans the rounds of a config's season; `config` becomes that of each round as it is planned.

    If the isolation of `config` is decided, that of rounds begun under other settings is decided, too.
    """

    def __init__(self, config: Config, stored: SeasonStore, clock: SeasonClock | None = None) -> None:
        self.config, self.stored = with_active_versions(with_begun_settings(config, stored), stored), stored
        self.programs = ProgramWatch(config, stored)
        self._clock = clock or SeasonClock()
        self._notes: list[str] = []
        self._settled: dict[str, Config] = {}
        self._ledgers: dict[str, Ledger] = {}

    def plan(self, accept_changes: bool = False, total_rounds: int | None = None) -> RoundPlan | None:
        """Plan and store the next round, or take one begun; return it with its matches, None after the last.

        A round with matches is finished under its first settings; one without is deleted if these changed.
        `total_rounds` replaces the config's number of rounds. ConfigError without the required consent: to a
        change of the config since the round before, or to a round whose cards follow from the published seed.
        """
        config, stored = self.config, self.stored
        total_rounds, rounds = total_rounds or config.rounds, stored.rounds()
        begun = next((known for known in rounds if not known.complete), None)
        last = rounds[-1] if rounds else None
        if begun is not None and (
            begun is not last or is_as_before(config, stored, begun) or stored.match_ids(begun.number)
        ):
            return self.plan_of(begun)
        number = len(rounds) if begun else len(rounds) + 1
        over = number > total_rounds or stored.running.read().closed is not None
        shown_after = stored.seed_told()
        accepted = require_consent(
            config, stored, last, None if over else number, shown_after, accept_changes
        )
        if begun is not None:
            stored.drop_round(begun.number)
        if over:
            return None
        if shown_after is not None and number > shown_after:
            stored.publish_seed(max(number, total_rounds))
        if accepted and last is not None:
            accepted = "; ".join([accepted, *self._released_phrases(number)])
        return replace(self.plan_of(self._new_round(number)), accepted=accepted)

    def _new_round(self, number: int) -> StoredRound:
        """Plan a round under the present orders, with the authors' active versions, and store it."""
        stored = self.stored
        while True:
            # First, so that an order given meanwhile causes a new plan.
            revision = stored.orders.read().revision
            self._update_roster()
            planned = self.tables(number)
            config = self.config
            # A player whose files are lost can still be suspended before the round is planned.
            self.programs.check_files(config, number, self._ledger(config).suspended_players(config))
            with suppress(Outdated):
                return stored.add_round(
                    number, config.digest, planned, config.settings, revision, planned_at=self._clock.now()
                )

    def _update_roster(self) -> None:
        """Use the active versions; ConfigError if one could read the season's secrets."""
        now = with_active_versions(self.config, self.stored)
        if now.digest != self.config.digest:
            check_bot_access(now)
            self.config = now
            self._ledgers.clear()

    def tables(self, number: int) -> Sequence[Sequence[str]]:
        """Plan the tables of a round; nothing is stored."""
        return plan_tables(self.config, self._ledger(self.config), self.stored.seed, number)

    def players(self) -> list[Player]:
        """Load the players to start: the config's, and those of other rounds to finish or to replay."""
        found = startable_players(self.config)
        again = {
            match_id.partition("/")[0]
            for match_id in effective_orders(self.stored.orders.read().given).to_replay
        }
        for known in self.stored.rounds():
            replayed = f"r{known.number:03d}" in again
            if known.digest == self.config.digest or (known.complete and not replayed):
                continue
            then = config_at(self.config, self.stored, known.number)
            there = len(self.stored.match_ids(known.number))
            every = matches_of(then.game, known.tables)
            every += number_of_substitutes(then, self.stored, known.number)
            if replayed or 0 < there < every:
                found += [player for player in players_of_tables(known.tables, then) if player not in found]
        return found

    def plan_of(self, stored: StoredRound) -> RoundPlan:
        """Plan a stored round under its own settings, and store the digests of its programs.

        ConfigError if those are not stored, if their players cannot be started any more, or could read the
        season's secrets; VoidMatch if the config's own players cannot be started.
        """
        config = config_of(self.config, self.stored, stored)
        if config is None:
            raise change_error(self.config, self.stored, stored)
        ledger = self._ledger(config)
        ledger.read_before(stored.number)
        unfit = ledger.suspended_players(config)
        plan = plan_round(config, self.stored, stored, unfit)
        if not (plan.missing or plan_substitutes(plan, self.stored)[1]):
            return plan
        if config.digest == self.config.digest:
            self.programs.keep_round(config, stored.number, plan.suspended)
            # Again: files may have moved or links changed since the round was planned.
            check_bot_access(config)
            return plan
        check_programs_exist(config, plan.missing)
        return plan_round(self.config_to_play(stored.number), self.stored, stored, unfit)

    def config_to_play(self, number: int) -> Config:
        """Return the config of round `number` with its isolation decided here, cached; collect remarks."""
        then = config_at(self.config, self.stored, number)
        if then.digest == self.config.digest or self.config.limits.isolation == UNDECIDED:
            return then
        if then.digest not in self._settled:
            self._settled[then.digest], notes = confine(then)
            self._notes += notes
        return self._settled[then.digest]

    def finish(self, number: int) -> dict[str, Any]:
        """Rate a round whose matches are all stored, under its own settings, and store its standings."""
        config = config_at(self.config, self.stored, number)
        ledger = self._ledger(config)
        while True:
            ledger.read_after(number)
            rated = ledger.rated_round(config)
            with suppress(Outdated):
                standings = dict(rated.standings)
                self.stored.complete_round(number, standings, ledger.revision, rated.ranking)
                return standings

    def take_notes(self) -> list[str]:
        """Return and clear the remarks on earlier settings on this machine."""
        notes, self._notes = self._notes, []
        return notes

    def _released_phrases(self, number: int) -> list[str]:
        """Return a phrase for each player no longer suspended in round `number` as its entry has changed."""
        ledger = self._ledger(self.config)
        ledger.read_before(number)
        return [f"{name} is no longer suspended" for name in ledger.released_players(self.config)]

    def _ledger(self, config: Config) -> Ledger:
        """Return the cached ledger of a config's settings, at first a new one with nothing read."""
        return self._ledgers.setdefault(config.digest, Ledger.of(config, self.stored))


def rounds_to_replay(stored: SeasonStore) -> list[int]:
    """Load the orders, and return the rounds with matches to replay, in order."""
    ids = effective_orders(stored.orders.read().given).to_replay
    return sorted(set(map(round_of, ids)))


def replay_annulled(
    rounds: Rounds,
    results: SeasonResults,
    executor: SizedExecutor,
    enough: Callable[[MatchSummary | None], bool] = lambda _: False,
) -> Iterator[Event]:
    """Replay annulled matches; each counts as soon as it is stored. `enough` as in `play_matches`.

    Ends with `ReplaysRated` unless stopped, or before a complete round.
    """
    known, complete = rounds.stored.orders.read(), rounds.stored.complete
    now = effective_orders(known.given)
    ids = now.to_replay
    if ids:
        annulled = [now.annulled[name] for name in ids]
        others = tuple(order for order in known.given if order not in annulled)
        before = results.rated_under(complete, Orders(known.revision, others)).standings if complete else None
        yield AnnulledReplayed(len(ids))
        programs: dict[str, Programs] = {}
        specs, keep = _specs(rounds, ids, programs), partial(_store_replay, results, programs, before)
        yield from play_matches(rounds.stored, specs, executor, keep=keep, enough=enough)
        if before is not None:
            yield ReplaysRated(OrderOutcome(tuple(ids), dict(before), results.standings(complete)))


def _specs(rounds: Rounds, ids: Collection[str], programs: dict[str, Programs]) -> Iterator[MatchSpec]:
    """Yield stored matches as planned, under the settings of their rounds.

    The digests of their players' files at the start of each are put into `programs`.
    """
    stored = rounds.stored
    for known in stored.rounds():
        if any(match_id.startswith(f"r{known.number:03d}/") for match_id in ids):
            config = rounds.config_to_play(known.number)
            specs = list(match_specs(config, stored.seed, known.number, known.tables))
            again = substitutes_as_stored(config, specs, stored.summaries(known.number, known.number))
            wanted = [spec for spec in (*specs, *again) if spec.id in ids]
            check_programs_exist(config, wanted)
            for spec in wanted:
                programs[spec.id] = programs_of(spec.players, config.file)
                yield spec


def _store_replay(
    results: SeasonResults,
    programs: Mapping[str, Programs],
    before: Mapping[str, Any] | None,
    match: PackedMatch,
) -> None:
    """Store a match in place of the annulled one, unless the annulment was undone meanwhile."""
    name = match.summary.id

    def wanted(now: EffectiveOrders) -> bool:
        return name in now.annulled

    replace_match(results, match, OrderKind.REPLAYED, wanted, programs[name], since=before)
