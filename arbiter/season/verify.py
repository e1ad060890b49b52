"""Verification of a season from its seed: every deal, every move, every figure that follows from them.

Theory of operation. The stored seed gives the deals, deals and recorded actions give the points,
points give the pairwise results, results the ratings, and ratings the next tables. Each step is
repeated and compared with the store, and each copy of a figure with its source. A forger of one
value must change all that follow from it, down to moves that are legal in deals fixed by the seed.

It only reads, and holds one match at a time.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from arbiter.errors import ConfigError, StoreError
from arbiter.games import make
from arbiter.games.cards import commitment
from arbiter.match.packing import unpack
from arbiter.match.spec import Player, original
from arbiter.season.config import Entry, as_it_was, digest_of
from arbiter.season.ledger import Ledger
from arbiter.season.order_effects import as_first_played, effective_orders, first_id, round_of
from arbiter.season.program_digests import changes, replay_differences, replay_of
from arbiter.season.roster import altered_files, missing_files
from arbiter.season.round_plan import plan_tables
from arbiter.season.schedule import match_specs
from arbiter.season.substitutes import substitute_id, substitute_specs, with_substitute
from arbiter.season.verify_findings import (
    Coverage,
    Finding,
    FindingKind,
    by_player,
    json_differences,
    match_differences,
    shown,
    without_idle_players,
)
from arbiter.store import StoredMatch
from arbiter.table.llm.replayed_model import other_harness_models
from rating.errors import RatingError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping

    from arbiter.games.game import AnyGame, Seat
    from arbiter.match.record import MatchRecord, MatchSummary
    from arbiter.match.spec import MatchSpec
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore, StoredRound

SPOILT = (StoreError, LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""The exceptions that reading values of the wrong type raises."""


def verify(config: Config, season: SeasonStore) -> Generator[Finding, None, Coverage]:
    """Yield all findings, of the season first, then round by round; return the coverage.

    StoreError if the store cannot be read; a match that cannot be read is a finding.
    """
    audit = _Audit(config, season)
    yield from audit.check_season()
    if season.game != config.game.name:
        return audit.coverage
    rounds = {stored.number: stored for stored in season.rounds()}
    last = max(rounds, default=0)
    settled = max((number for number, stored in rounds.items() if stored.complete), default=0)
    for number in sorted({*range(1, last + 1), *season.match_rounds()}):
        if number in rounds:
            yield from audit.check_round(rounds[number], settled)
            continue
        if 1 <= number <= last:
            yield Finding(_label(number), "missing: a later round is stored")
        for match in season.stored_matches(number):
            yield Finding(shown(match.id), f"surplus: round {number} was never planned")
    return audit.coverage


class _Audit:
    """One verification, whose checks read the store: coverage, and why later rounds cannot be checked."""

    def __init__(self, config: Config, season: SeasonStore) -> None:
        self.coverage = Coverage()
        self._given, self._season = config, season
        self._orders = season.orders.read().given
        now = effective_orders(self._orders)
        self._annulled = now.annulled
        self.coverage.annulled, self.coverage.replayed = len(now.annulled), now.replayed
        self._ledgers: dict[str, Ledger] = {}
        self._gap = ""
        self._use_config(config)

    def _use_config(self, config: Config) -> None:
        """Check against this config from here on."""
        self._config = config
        self._entries = {entry.player.name: entry.player for entry in config.entries}
        # The order of the players is the config's.
        self._ledger = self._ledgers.setdefault(config.digest, Ledger.of(config, self._season))

    def check_season(self) -> Iterator[Finding]:
        """Yield findings on seed, commitment, game, and programs missing or changed."""
        config, season = self._config, self._season
        if config.seed not in ("auto", season.seed):
            yield Finding("season", "seed: the stored one is not the config's")
        if config.seed_commitment is not None:
            found = commitment(season.seed)
            self.coverage.commitment = found == config.seed_commitment
            if not self.coverage.commitment:
                text = f"seed: committed to {config.seed_commitment}, the stored seed's SHA-256 is {found}"
                yield Finding("season", text)
        if season.game != config.game.name:
            yield Finding("season", f"game: stored {season.game}, the config has {config.game.name}")
        for name, file in altered_files(config, season):
            yield Finding("season", f"{file} of {name} is not the file that was accepted")
        for name, what in missing_files(config, season).items():
            yield Finding("season", f"{name} cannot be played again: {what}", FindingKind.UNCHECKED)
        try:
            programs = season.programs()
            for change in changes(programs):
                yield Finding(_label(change.round), str(change), FindingKind.REMARK)
            for name in sorted({order.subject for order in self._orders if order.programs is not None}):
                again = replay_of(self._orders, name)
                for text in replay_differences(programs, round_of(name), (again and again.programs) or {}):
                    yield Finding(name, text, FindingKind.REMARK)
        except SPOILT as error:
            yield Finding(
                "season", f"the programs of its rounds cannot be read: {error!r}", FindingKind.UNREADABLE
            )

    def check_round(self, stored: StoredRound, settled: int) -> Iterator[Finding]:
        """Check a round's tables, matches and standings; `settled` is the last complete round."""
        place, number = _label(stored.number), stored.number
        then, findings = self._load_config(stored)
        yield from findings
        same = then is not None
        self._use_config(then or self._given)
        self.coverage.rounds += 1
        self.coverage.complete += stored.complete
        if not same:
            text = "its config is not known: tables, options and clocks are not compared with it"
            yield Finding(place, text, FindingKind.UNCHECKED)
        elif self._gap:
            yield Finding(place, f"its tables are not checked: {self._gap}", FindingKind.UNCHECKED)
        else:
            yield from self._check_tables(stored)
        yield from self._check_matches(stored, same)
        if stored.complete:
            yield from self._check_standings(number, same)
            return
        if number < settled:
            yield Finding(place, "complete: it is not, but a later round is")
        if self._season.standings(number) is not None:
            yield Finding(place, "standings: stored, but the round is not complete")

    def _load_config(self, stored: StoredRound) -> tuple[Config | None, list[Finding]]:
        """Load a round's config by digest; findings if it is missing, unreadable or of another digest."""
        if stored.digest == self._given.digest:
            return self._given, []
        place = _label(stored.number)
        try:
            settings = self._season.settings(stored.digest)
        except StoreError as error:
            return None, [Finding(place, str(error), FindingKind.UNREADABLE)]
        if settings is None:
            return None, [Finding(place, "config: no settings are stored for its digest")]
        if digest_of(settings) != stored.digest:
            return None, [Finding(place, "config: the stored settings do not match its digest")]
        return as_it_was(self._given, settings), []

    def _check_tables(self, stored: StoredRound) -> Iterator[Finding]:
        """Yield a finding if the stored tables are not those planned again."""
        planned = self._compute("tables", stored.number)
        if isinstance(planned, Finding):
            yield planned
        elif [list(names) for names in planned] != (kept := [list(names) for names in stored.tables]):
            text = f"tables: stored {shown(kept)}, planned {shown(planned)}"
            yield Finding(_label(stored.number), text)

    def _check_standings(self, number: int, same: bool) -> Iterator[Finding]:
        """Yield where the stored standings differ from computed ones; `same`: the config is known."""
        place = _label(number)
        try:
            kept = self._season.standings(number)
        except StoreError as error:
            yield Finding(place, str(error), FindingKind.UNREADABLE)
            return
        if kept is None:
            yield Finding(place, "standings: missing, but the round is complete")
            return
        if self._gap:
            yield Finding(place, f"its standings are not checked: {self._gap}", FindingKind.UNCHECKED)
            return
        # Standings stored before variances were pooled are compared without pooling.
        fresh = self._compute("standings", number, pooled="freedom" in kept)
        if isinstance(fresh, Finding):
            yield fresh
            return
        try:
            if not same:
                # Players without matches are known only from the config of that time.
                kept, fresh = without_idle_players(kept), without_idle_players(fresh)
            for text in json_differences("standings", by_player(kept), by_player(fresh)):
                yield Finding(place, text)
        except SPOILT as error:
            yield Finding(place, f"the standings cannot be read: {error!r}", FindingKind.UNREADABLE)

    def _compute(self, what: str, number: int, pooled: bool = True) -> Any:
        """Compute a round's tables or standings from the store; a Finding if that is impossible."""
        try:
            if what == "tables":
                return plan_tables(self._config, self._ledger, self._season.seed, number)
            self._ledger.read_after(number)
            # As stored: JSON has no tuples and no keys but strings.
            return json.loads(json.dumps(self._ledger.standings(self._config, pooled=pooled)))
        except (RatingError, *SPOILT) as error:
            text = str(error) if isinstance(error, (RatingError, StoreError)) else repr(error)
            return Finding(_label(number), f"{what}: cannot be computed from the stored summaries: {text}")

    def _check_matches(self, stored: StoredRound, same: bool) -> Iterator[Finding]:
        """Check a round's matches against its tables: missing, surplus, and each run in `_check_match`.

        `same`: the round's config is known, else its game is read from a record.
        """
        game = self._config.game if same else self._game_of(stored.number)
        if game is None:
            text = "its matches are not checked: no record has the game that was played"
            yield Finding(_label(stored.number), text, FindingKind.UNCHECKED)
            return
        names, size = [name for table in stored.tables for name in table], game.table_size
        if len(set(names)) != len(names) or any(len(table) != size for table in stored.tables):
            text = f"tables: stored {shown(stored.tables)}: not {size} players each, each at one table"
            yield Finding(_label(stored.number), text)
            return
        missing = {spec.id: spec for spec in self._specs_of_names(stored, game)}
        again = _SubstituteMatches(
            self._config, missing, self._suspended(stored) if same and not self._gap else None
        )
        earlier = as_first_played(self._orders)
        for match in self._season.stored_matches(stored.number):
            place = shown(match.id)
            if match.problem:
                yield Finding(place, match.problem, FindingKind.UNREADABLE)
                if match.summary is None:
                    self._gap = f"the summary of match {place} cannot be read"
            if (order := self._annulled.get(match.id)) is not None:
                text = f"annulled since {order.moment}, so it does not count: {order.because}"
                yield Finding(place, text, FindingKind.UNCHECKED)
            spec = missing.pop(match.id, None) or again.as_stored(match)
            if (first := earlier.get(match.id, match.summary)) is not None:
                missing |= again.follows(first)
            if spec is None:
                yield Finding(place, f"surplus: stored, but not planned in round {stored.number}")
                continue
            for taken in (match, *self._load_earlier_runs(match.id)):
                if taken.record is None:
                    if taken is not match:
                        yield Finding(place, taken.problem, FindingKind.UNREADABLE)
                    continue
                try:
                    yield from self._check_match(game, spec, taken, taken.record, same)
                except (ConfigError, *SPOILT) as error:
                    text = f"the record of match {place} cannot be checked: {error!r}"
                    yield Finding(place, text, FindingKind.UNREADABLE)
        if stored.complete:
            for match_id in missing:
                yield Finding(match_id, "missing: planned, but not stored")

    def _load_earlier_runs(self, match_id: str) -> Iterator[StoredMatch]:
        """Yield the earlier runs of a replayed match, on which later plans depended; unreadable ones too."""
        given = [order for order in self._orders if order.before is not None and order.subject == match_id]
        kept = self._season.orders.earlier(match_id) if given else []
        for order, packed in zip(given, kept, strict=True):
            record, problem = None, ""
            try:
                record = unpack(packed.record, match_id)
            except StoreError as error:
                problem = f"before it was played again: {error}"
            yield StoredMatch(match_id, order.before, record, problem)

    def _game_of(self, number: int) -> AnyGame | None:
        """Load the game of a round under an unknown config, from its first readable record."""
        for match in self._season.stored_matches(number):
            if match.record is not None:
                with suppress(ConfigError, TypeError):
                    return make(match.record.game, match.record.options)
        return None

    def _specs_of_names(self, stored: StoredRound, game: AnyGame) -> Iterable[MatchSpec]:
        """Return the matches of a round's tables by names alone: the players may be gone."""
        entries = []
        for name in (name for table in stored.tables for name in table):
            known = self._entries.get(name) or self._entries.get(original(name))
            player = Player(name, (name,), batched=known is not None and known.batched)
            entries.append(Entry(player, house=False, registered_name=name))
        named = replace(self._config, game=game, entries=tuple(entries))
        return match_specs(named, self._season.seed, stored.number, stored.tables)

    def _suspended(self, stored: StoredRound) -> set[str] | None:
        """Return the players suspended from a round; None if that cannot be computed."""
        try:
            self._ledger.read_before(stored.number)
            seats = {name for names in stored.tables for name in names}
            return self._ledger.suspended_players(self._config).keys() - seats
        except (RatingError, *SPOILT):
            return None

    def _check_match(
        self, game: AnyGame, spec: MatchSpec, match: StoredMatch, record: MatchRecord, same: bool
    ) -> Iterator[Finding]:
        """Count a match as checked; compare its record with its replay, and its summary with the record.

        `same` as in `_check_matches`.
        """
        place = shown(match.id)
        self.coverage.matches += 1
        self.coverage.moves += len(record.moves)
        self.coverage.forfeits += record.forfeit is not None
        for text in match_differences(game, spec, record, same):
            yield Finding(place, text)
        yield from (Finding(place, text, FindingKind.UNCHECKED) for text in other_harness_models(record))
        if match.summary is not None and match.summary != (made := record.summary()):
            kept, fresh = match.summary.to_json(), made.to_json()
            for name in dict.fromkeys([*fresh, *kept]):
                if kept.get(name) != fresh.get(name):
                    old, new = shown(kept.get(name)), shown(fresh.get(name))
                    yield Finding(place, f"summary: {name}: stored {old}, its record has {new}")


class _SubstituteMatches:
    """The matches with substitutes that follow those of a round.

    If `suspended` is None, the house bot of a seat is unknown, and the stored one is used.
    """

    def __init__(self, config: Config, specs: Mapping[str, MatchSpec], suspended: set[str] | None) -> None:
        self._config, self._specs, self._suspended = config, dict(specs), suspended
        self._faulty: dict[str, Seat | None] = {}

    def follows(self, match: MatchSummary) -> dict[str, MatchSpec]:
        """Record a match's fault; return the match with a substitute that follows it, by id."""
        self._faulty[match.id] = match.faulty
        spec = self._specs.get(match.id)
        if spec is None or self._suspended is None:
            return {}
        return {after.id: after for after in substitute_specs(self._config, [spec], [match], self._suspended)}

    def as_stored(self, match: StoredMatch) -> MatchSpec | None:
        """Plan a match with its stored substitute; None if `suspended` is known or its seat is wrong."""
        first, record = first_id(match.id), match.record
        if self._suspended is not None or record is None or first not in self._specs:
            return None
        seat = record.substitute
        if seat is None or seat != self._faulty.get(first) or match.id != substitute_id(first):
            return None
        name = record.players[seat]
        return with_substitute(self._config, self._specs[first], seat, Player(name, (name,)))


def _label(number: int) -> str:
    return f"r{number:03d}"
