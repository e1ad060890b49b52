"""A season: planned, played and rated round by round.

with Store("sqlite:///season.sqlite") as store:
    season = Season.open(load("season.yaml"), store)
    for event in season.play(executor):
        print(event)
    season.results.standings()
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Self

from arbiter.errors import Anomaly, ConfigError
from arbiter.games.cards import published_commitment
from arbiter.season.anomalies import FaultWatch, describe_anomaly
from arbiter.season.calendar import (
    CalendarFile,
    SeasonClock,
    freeze_last_rounds,
    next_due,
    rounds_left,
    submissions_end,
    wait_until,
)
from arbiter.season.config.settings_diff import changes, in_one_line
from arbiter.season.consent import record_deadlines, require_consent
from arbiter.season.events import (
    ChangesAccepted,
    FinishedAsBegun,
    HostRemark,
    PlayersAwaited,
    RoundAwaited,
    RoundComplete,
    RoundPlanned,
    RoundsOver,
    SeasonComplete,
    Stopped,
    StopRuleMet,
    SubstitutesPlanned,
)
from arbiter.season.match_runner import play_matches
from arbiter.season.results import SeasonResults
from arbiter.season.round_plan import check_seed, draw_seed, new_suspensions, plan_substitutes
from arbiter.season.rounds import Rounds, replay_annulled, rounds_to_replay
from arbiter.season.schedule import TooFewPlayers
from arbiter.season.settings import check_programs_exist, check_season_name, file_text, players_of_tables
from arbiter.season.stop_rules import CostBudget, narrow_enough

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from datetime import datetime

    from arbiter.match.record import MatchSummary
    from arbiter.season.config import Config
    from arbiter.season.events import Event
    from arbiter.season.round_plan import RoundPlan
    from arbiter.store import SeasonStore, Store
    from arbiter.table.executors import SizedExecutor


class Season:
    """Plays a season, one round at a time, as `rounds` plans them, and stores what it plays."""

    def __init__(self, config: Config, stored: SeasonStore, clock: SeasonClock | None = None) -> None:
        self.stored, self._clock = stored, clock or SeasonClock()
        self.rounds = Rounds(config, stored, self._clock)
        self._calendar = CalendarFile(config.file)
        self._suspended: set[str] = set()
        self._accepted = False

    @property
    def config(self) -> Config:
        """The config of the next round."""
        return self.rounds.config

    @property
    def results(self) -> SeasonResults:
        return SeasonResults(self.config, self.stored)

    @classmethod
    def open(cls, config: Config, store: Store, accept_changes: bool = False) -> Self:
        """Find the season in the store, or create it with a random seed for `auto`; store file and webhooks.

        ConfigError if the stored season has another seed or game, or if the store has a season of the same
        file under another name, unless `accept_changes`.
        """
        stored = store.season(config.season)
        if stored is None:
            if config.seed == "auto" and config.seed_commitment is not None:
                message = "seed_commitment: a seed that is still to be drawn cannot have been committed to"
                raise ConfigError(message, str(config.file), "give the seed, or add the line after round 1")
            if not accept_changes:
                check_season_name(config, store)
            stored = store.make_season(config.season, config.game.name, draw_seed(config.seed))
        check_seed(config, stored)
        if stored.game != config.game.name:
            message = (
                f"the season {config.season} in {store.name} is one of {stored.game}, not {config.game.name}"
            )
            raise ConfigError(message, str(config.file), "name another season or another store")
        stored.record_file(file_text(config))
        record_deadlines(config, stored, known=False)
        for webhook in config.webhooks:
            # From now on, so that no event before the first delivery is lost.
            stored.deliveries.begin(webhook.digest)
        return cls(config, stored)

    def play(
        self,
        executor: SizedExecutor,
        rounds: int | None = None,
        accept_changes: bool = False,
        only_one: bool = False,
        replays_only: bool = False,
    ) -> Iterator[Event]:
        """Play the missing matches of all rounds, each at its start; with `only_one` the next round, at once.

        Annulled matches to be replayed come first; with `replays_only` no round is played. Ends with
        `RoundsOver`, `SeasonComplete`, `StopRuleMet` or `Stopped`; with `only_one` with `RoundComplete` if
        another round may follow. `rounds` replaces the config's number of rounds. Consent is reported once,
        before the first round that needs it. ConfigError as in `plan`, VoidMatch if a match was void twice or
        a program is missing.
        """
        over = yield from self._play_rounds(executor, rounds, accept_changes, only_one, replays_only)
        last = len(self.stored.rounds())
        closed = self.stored.running.read().closed is not None
        if over and not closed and self._total_rounds(executor) > last:
            yield RoundsOver(last, self.config.rounds)
        elif over:
            if self.stored.seed_told() is None:
                self.stored.publish_seed(last)
            yield SeasonComplete(last, self.stored.seed)

    def _play_rounds(
        self,
        executor: SizedExecutor,
        rounds: int | None,
        accept_changes: bool,
        only_one: bool,
        replays_only: bool,
    ) -> Generator[Event, None, bool]:
        """Clear a stop request; play up to `rounds` in all, True after the last. ConfigError if paused."""
        stored = self.stored
        if (since := stored.running.read().paused) is not None:
            hint = "arbiter resume lets it go on, or an organiser on the site"
            raise ConfigError(f"{stored.name} is paused since {since}", str(self.config.file), hint)
        stored.ask_to_stop(False)
        awaited: datetime | str | None = None
        while True:
            if (yield from self._replay_annulled(executor)):
                return False
            if replays_only:
                over = self._is_over(self._total_rounds(executor, rounds))
                return over and len(stored.rounds()) == stored.complete
            self.rounds.config = self._calendar.apply(self.rounds.config)
            total_rounds = self._total_rounds(executor, rounds)
            if why := self._stop_reason(total_rounds):
                yield StopRuleMet(why)
                return False
            moment = None if only_one else self._next_start(accept_changes, total_rounds)
            if moment is not None:
                if moment != awaited:
                    awaited = moment
                    yield RoundAwaited(self.stored.complete + 1, moment)
                if wait_until(moment, stored, self._clock, self._calendar.is_changed):
                    break
                continue
            if self.stored.complete < total_rounds:
                freeze_last_rounds(self.config, stored, executor.at_once, self._clock.now())
            try:
                plan = self.rounds.plan(accept_changes, total_rounds)
            except TooFewPlayers as few:
                end = None if only_one else submissions_end(self.config, self._clock.now())
                if end is None:
                    raise
                if awaited != (reason := few.problems[0].message):
                    awaited = reason
                    yield PlayersAwaited(self.stored.complete + 1, reason)
                if wait_until(end, stored, self._clock, self._calendar.is_changed):
                    break
                continue
            if plan is None:
                return True
            begun = time.monotonic()
            played = yield from self.play_plan(plan, executor, total_rounds)
            if played is None:
                return False
            seconds = time.monotonic() - begun
            yield RoundComplete(self.rounds.finish(plan.stored.number), played, seconds)
            total_rounds = self._total_rounds(executor, rounds)
            self._check_fault_rate(plan.stored.number)
            if self._is_over(total_rounds):
                stored.ask_to_stop(False)
                return True
            if only_one:
                if why := self._stop_reason(total_rounds):
                    yield StopRuleMet(why)
                return False
            if stored.is_asked_to_stop():
                break
        stored.ask_to_stop(False)
        yield Stopped()
        return False

    def _stop_reason(self, total_rounds: int) -> str:
        """Read why no further round begins although one is left, "" if one may."""
        stored, rounds = self.stored, self.stored.rounds()
        begun, complete = any(not known.complete for known in rounds), len(rounds)
        if begun or complete >= total_rounds or stored.running.read().closed is not None:
            return ""
        stop = self.config.stop_when
        if complete and stop.elo is not None:
            results = self.results
            if why := narrow_enough(self.config, results.standings(), results.suspended()):
                return why
        budget = CostBudget(self.config, stored)
        return budget.why(complete + 1) if budget.exceeded_by_round(complete + 1) else ""

    def _next_start(self, accept_changes: bool, total_rounds: int) -> datetime | None:
        """Return the start of the next round, if it is in the future.

        If that round needs consent, store the question and raise ConfigError: the organiser knows early.
        """
        moment = next_due(self.config, self.stored, total_rounds, self._clock.now())
        if moment is not None:
            rounds, shown_after = self.stored.rounds(), self.stored.seed_told()
            last = rounds[-1] if rounds else None
            require_consent(self.config, self.stored, last, len(rounds) + 1, shown_after, accept_changes)
        return moment

    def _replay_annulled(self, executor: SizedExecutor) -> Generator[Event, None, bool]:
        """Replay annulled matches; return True when stopped. VoidMatch and Anomaly as in a round."""
        rounds, numbers = self.rounds, rounds_to_replay(self.stored)
        for known in self.stored.rounds():
            if known.number in numbers:
                config = rounds.config_to_play(known.number)
                sitting = {player.name for player in players_of_tables(known.tables, config)}
                others = {entry.player.name for entry in config.entries} - sitting
                rounds.programs.keep_round(config, known.number, others)
        yield from map(HostRemark, rounds.take_notes())
        watch, budget = FaultWatch(0, self.config.stop_when.faults, ()), CostBudget(self.config, self.stored)
        if numbers and budget.record(0):
            yield StopRuleMet(budget.why(numbers[0]))
            return True
        events = replay_annulled(rounds, self.results, executor, _stop_check(watch, budget, executor))
        stopped = yield from self._relay_events(events, budget, max(numbers, default=0), watch)
        for number in numbers:
            if not stopped and number <= self.stored.complete:
                self._check_fault_rate(number)
        return stopped

    def _relay_events(
        self, events: Iterable[Event], budget: CostBudget, number: int, watch: FaultWatch | None = None
    ) -> Generator[Event, None, bool]:
        """Yield the events of a round, with StopRuleMet for Stopped if the budget is spent.

        Return True, and clear the stop request, when stopped; Anomaly if `watch` stopped them.
        """
        for event in events:
            if isinstance(event, Stopped) and watch is not None:
                watch.check()
            yield (
                StopRuleMet(budget.why(number)) if isinstance(event, Stopped) and budget.exhausted else event
            )
            if isinstance(event, Stopped):
                self.stored.ask_to_stop(False)
                return True
        return False

    def play_plan(
        self, plan: RoundPlan, executor: SizedExecutor, total_rounds: int | None = None
    ) -> Generator[Event, None, int | None]:
        """Play the missing matches of a planned round, then the matches with substitutes that follow.

        `total_rounds` is the reported number of rounds, by default the config's.
        Return the number of matches played, None when stopped or out of budget.
        """
        number, there = plan.stored.number, plan.total - len(plan.missing)
        commitment = published_commitment(self.stored.seed, self.config.seed_commitment is not None)
        committed = commitment if number == 1 and not there else None
        if plan.accepted and not self._accepted:
            self._accepted = True
            yield ChangesAccepted(plan.accepted)
        if plan.config.digest != self.config.digest:
            what = in_one_line(changes(plan.config.settings, self.config.settings))
            yield FinishedAsBegun(number, what)
        yield from map(HostRemark, self.rounds.take_notes())
        yield from new_suspensions(plan, self.stored, self._suspended)
        self._suspended = set(plan.suspended)
        yield from self.rounds.programs.changes(plan.config, number, begun=there > 0)
        rounds, at_once = max(total_rounds or self.config.rounds, number), min(executor.at_once, plan.total)
        yield RoundPlanned(number, rounds, len(plan.missing), plan.total, at_once, committed)
        watch = FaultWatch(number, self.config.stop_when.faults, self._first_matches(number))
        budget = CostBudget(self.config, self.stored)
        if plan.missing or plan_substitutes(plan, self.stored)[1]:
            watch.check()
            if budget.record(max(min(at_once, len(plan.missing)) - 1, 0)):
                yield StopRuleMet(budget.why(number))
                return None
        enough = _stop_check(watch, budget, executor)
        playing = play_matches(self.stored, plan.missing, executor, enough=enough)
        if (yield from self._relay_events(playing, budget, number, watch)):
            return None
        every, missing = plan_substitutes(plan, self.stored)
        if missing:
            watch.check()
            if plan.config.digest != self.config.digest:
                check_programs_exist(plan.config, missing)
            at_once = min(executor.at_once, len(missing))
            yield SubstitutesPlanned(number, rounds, len(missing), len(every), at_once)
            playing = play_matches(
                self.stored, missing, executor, enough=partial(budget.record, executor.at_once)
            )
            if (yield from self._relay_events(playing, budget, number)):
                return None
        return len(plan.missing) + len(missing)

    def _first_matches(self, number: int) -> list[MatchSummary]:
        """Load the matches of a round that count, without those with substitutes."""
        return [match for match in self.results.counted(number, number) if match.substitute is None]

    def _check_fault_rate(self, number: int) -> None:
        """Load a complete round's matches; raise Anomaly if too many ended by faults, or all oddly."""
        matches = self._first_matches(number)
        FaultWatch(number, self.config.stop_when.faults, matches).check()
        ids = {match.id for match in matches}
        records = (record for record in self.stored.records(number) if record.id in ids)
        if odd := describe_anomaly(number, self.config.game, matches, records):
            raise Anomaly(odd)

    def _is_over(self, total_rounds: int) -> bool:
        """True when no round is left to plan, and no match to replay."""
        closed = self.stored.running.read().closed is not None
        return (closed or self.stored.complete >= total_rounds) and not rounds_to_replay(self.stored)

    def _total_rounds(self, executor: SizedExecutor, rounds: int | None = None) -> int:
        """Return the total number: `rounds`, or the config's number, or one more than complete if it fits."""
        if rounds is not None:
            return rounds
        more = rounds_left(self.config, self.stored, executor.at_once, self._clock.now(), limit=1)
        return max(self.config.rounds, self.stored.complete + more)


def _stop_check(
    watch: FaultWatch, budget: CostBudget, executor: SizedExecutor
) -> Callable[[MatchSummary | None], bool]:
    """Return a function that records a match in both and is True when no further match may begin."""
    return lambda match: any([watch.record(match), budget.record(executor.at_once, match)])
