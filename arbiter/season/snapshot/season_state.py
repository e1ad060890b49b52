"""The state of a season at one moment, read from its store; everything shown comes from it."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, cast

from arbiter.games.cards import published_commitment
from arbiter.match.packing import unpack, unpack_end
from arbiter.match.spec import original
from arbiter.replay.emblem import deal_colours
from arbiter.season.calendar import next_round
from arbiter.season.config.settings_diff import registered_name
from arbiter.season.order_effects import (
    effective_orders,
    reruns_of,
    suspended_now,
    uncounted_matches,
    withdrawn_authors,
)
from arbiter.season.roster import with_active_versions
from arbiter.season.snapshot.ranking import hidden_replays, ranking_of
from arbiter.season.snapshot.standing_marks import in_rank
from arbiter.season.snapshot.viewer import HeldResults, StoredSeasonFile, roles_of
from arbiter.store.controls import NO_ORDER, RunOrder
from arbiter.store.match_lists import MatchRange
from arbiter.store.rating_briefs import brief_in

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from arbiter.match.packing import MatchEnd
    from arbiter.match.record import MatchRecord, MatchSummary
    from arbiter.season.calendar import NextRound
    from arbiter.season.config import Config, Entry
    from arbiter.season.config.settings_diff import Role
    from arbiter.season.order_effects import Rerun
    from arbiter.season.snapshot.schema import StoredStandings
    from arbiter.season.snapshot.standing_marks import Ranked
    from arbiter.store import Order, SeasonStore
    from arbiter.store.event_log import LoggedEvent
    from arbiter.store.rating_briefs import Brief
    from arbiter.store.row_values import PlannedRound
    from rating.ratings import Ranking


@dataclass(frozen=True, eq=False)
class SeasonState:
    """A season as its store had it at `moment`, read on first use; `event` is the number of its last event.

    `paused` and `closed` are since when; `following` is the round with a known start. `frozen` is the round
    after which results are hidden from the public until the season is over, None without hidden results;
    `held` is set in the public's state.

    `revision` counts orders and rounds; with `held` it is the last visible round. `seed` is None until the
    season is over, `commitment` None if it would reveal the seed. Of matches it has only counts, since a
    season may have a million.
    """

    file: Config | StoredSeasonFile
    stored: SeasonStore
    event: int
    revision: int
    rounds: tuple[PlannedRound, ...]
    seed: str | None
    commitment: str | None
    holder: str | None
    stopping: bool
    moment: datetime
    paused: str | None = None
    closed: str | None = None
    wish: RunOrder = NO_ORDER
    following: NextRound | None = None
    frozen: int | None = None
    held: HeldResults | None = None

    @classmethod
    def of(cls, file: Config | StoredSeasonFile, stored: SeasonStore) -> Self:
        """Read the state of a season now; parts read later may be newer."""
        change, moment, running = stored.last_change(), datetime.now(UTC), stored.running.read()
        rounds, seed_told = tuple(stored.plan()), stored.seed_told() is not None
        over = seed_told or running.closed is not None
        return cls(
            file=file,
            stored=stored,
            event=change[0],
            revision=change[1],
            rounds=rounds,
            seed=stored.seed if seed_told else None,
            commitment=published_commitment(stored.seed, file.seed_commitment is not None),
            holder=stored.holder(),
            stopping=stored.is_asked_to_stop(),
            moment=moment,
            paused=running.paused,
            closed=running.closed,
            wish=stored.running.last_order(),
            following=None if isinstance(file, StoredSeasonFile) else next_round(file, rounds, over, moment),
            frozen=stored.frozen_after() if file.freeze else None,
        )

    @property
    def name(self) -> str:
        return self.file.season

    @cached_property
    def config(self) -> Config:
        """The config of the season's file, loaded if necessary."""
        if not isinstance(self.file, StoredSeasonFile):
            return self.file
        from arbiter.season.config import load

        return load(self.file.path)

    @cached_property
    def complete(self) -> int:
        """The number of complete rounds."""
        return sum(known.complete for known in self.rounds)

    @cached_property
    def matches(self) -> tuple[MatchSummary, ...]:
        """All stored matches, in the order of the plan."""
        return tuple(self.as_shown(self.stored.summaries(self.last)))

    @property
    def last(self) -> int:
        """The largest round that may be shown: the last visible one if results are held, else no limit."""
        return MOST_ROUNDS if self.held is None else len(self.rounds)

    @cached_property
    def counts(self) -> Mapping[int, int]:
        """The number of stored matches by round."""
        return self.stored.counts(MatchRange(1, self.last))

    @property
    def number_of_matches(self) -> int:
        return sum(self.counts.values())

    def match(self, match_id: str) -> MatchSummary | None:
        """Return a stored match; None for an unknown id."""
        return next(iter(self.matches_of([match_id])), None)

    def matches_of(self, ids: Collection[str]) -> list[MatchSummary]:
        """Return the stored matches of these ids, in the order of the plan."""
        found = self.stored.summaries_of(ids)
        return self.as_shown([match for match in found if (match.round or 0) <= self.last])

    def as_shown(self, matches: list[MatchSummary]) -> list[MatchSummary]:
        """Replace matches of hidden replays by their visible runs."""
        if self.held is None:
            return matches
        instead = hidden_replays(self.stored, self.revision)
        return [instead.get(match.id, match) for match in matches]

    def tables(self, number: int) -> tuple[tuple[str, ...], ...]:
        """Return the tables of a round, as names of players."""
        if self.begun is not None and number == self.begun.number:
            return self._tables_of_begun_round
        return self.stored.tables(number)

    @cached_property
    def _tables_of_begun_round(self) -> tuple[tuple[str, ...], ...]:
        return () if self.begun is None else self.stored.tables(self.begun.number)

    @cached_property
    def given(self) -> tuple[Order, ...]:
        """All orders up to this state, those undone too, the oldest first."""
        return (self.stored.orders.read() if self.held is None else self.held.orders).given

    @cached_property
    def annulled(self) -> Mapping[str, str]:
        """Reasons by id of the matches that do not count."""
        return uncounted_matches(effective_orders(self.given), self.given, self.matches_of)

    @cached_property
    def awaited_replays(self) -> Mapping[str, str]:
        """Reasons by id of the annulled matches that will be played again."""
        holds = effective_orders(self.given)
        return {name: holds.annulled[name].because for name in holds.to_replay}

    @cached_property
    def reruns(self) -> Mapping[str, Sequence[Rerun]]:
        """The runs from the second on of replayed matches, by id."""
        return reruns_of(self.given)

    @cached_property
    def effects(self) -> Mapping[tuple[str, int], Mapping[str, Any]]:
        """By match and replaced run what each rejudging changed in the standings, if that is known."""
        return self.stored.orders.effects() if self.reruns else {}

    @cached_property
    def suspended(self) -> Mapping[str, str]:
        """The players suspended from the next round on, with the reasons."""
        return suspended_now(self.stored, self.last_standings)

    @cached_property
    def last_standings(self) -> StoredStandings | None:
        """The standings after the last complete round, computed if not stored; None before it."""
        return self._load_standings(self.complete) if self.complete else None

    def standings_after(self, number: int) -> StoredStandings:
        """Return the standings after a complete round; the last one requested is cached."""
        if number == self.complete and self.last_standings is not None:
            return self.last_standings
        before = self.__dict__.get("_asked")
        if before is None or before[0] != number:
            before = self.__dict__["_asked"] = (number, self._load_standings(number))
        return cast("StoredStandings", before[1])

    @cached_property
    def official(self) -> Ranked:
        """The rows of the last standings with their ranks, in display order."""
        last = self.last_standings
        return [] if last is None else in_rank(last, self.players, official=True)

    def briefs(self, rounds: Sequence[int]) -> Iterator[tuple[int, Brief]]:
        """Yield brief ratings after some complete rounds; the last requested are cached."""
        kept = self.known_briefs
        # These never change, except the last round's, which is at hand.
        lacking = [number for number in rounds if number not in kept and number != self.complete]
        names = self._own_names
        for number, brief in self.stored.briefs(lacking):
            kept[number] = brief._replace(players=[names.get(name, name) for name in brief.players])
        for number in rounds:
            found = None if number == self.complete else kept.get(number)
            yield number, brief_in(self.standings_after(number)) if found is None else found
        for number in list(kept)[: max(len(kept) - MOST_BRIEFS, 0)]:
            kept.pop(number, None)

    @cached_property
    def known_briefs(self) -> dict[int, Brief]:
        """Cache of brief ratings by round."""
        return {}

    @cached_property
    def unranked(self) -> frozenset[str]:
        """The players without official rank: house bots, rungs, and withdrawn players."""
        return frozenset(name for name in self.names if self.players.get(original(name), "gone"))

    @cached_property
    def crossed(self) -> list[str]:
        """The players with results, in the order of the crosstable."""
        rated = set() if self.ranking is None else {row.player for row in self.ranking.rows if row.matches}
        return [row["player"] for row, _ in self.official if row["player"] in rated]

    @cached_property
    def known_lines(self) -> dict[str, Any]:
        """Cache of the chart's lines of the best; see `season_figures`."""
        return {}

    @cached_property
    def known_rows(self) -> dict[int, Any]:
        """Cache of the rows after the last two rounds, by name; see `front_page`."""
        return {}

    @cached_property
    def known_highlights(self) -> dict[int, Any]:
        """Cache of the highlights of rounds; see `front_page`."""
        return {}

    @cached_property
    def _own_names(self) -> Mapping[str, str]:
        """Each name as one shared string, to save memory in lists."""
        return {name: name for name in self.names}

    def _load_standings(self, number: int) -> StoredStandings:
        """Load the stored standings after a round; compute them if none are stored."""
        kept = self.stored.standings(number)
        if kept is None:
            from arbiter.season.results import SeasonResults

            kept = SeasonResults(self.config, self.stored).standings(number)
        return cast("StoredStandings", kept)

    @property
    def begun(self) -> PlannedRound | None:
        """The current round, None between rounds."""
        return next((known for known in self.rounds if not known.complete), None)

    @property
    def stamp(self) -> str:
        """The cache key of this state, shown in the footer."""
        return f"{self.event}-{self.revision}-{self.number_of_matches}"

    def events(self, after: int, limit: int) -> list[LoggedEvent]:
        """Return up to `limit` public events above `after`, none newer than this state."""
        if self.held is None:
            return self.stored.events(after, min(limit, max(self.event - after, 0)))
        before = max(min(limit, self.held.first_event - after), 0)
        stored = self.stored.events(after, before) if before else []
        return [*stored, *(event for event in self.held.events if event.number > after)][:limit]

    def is_complete(self, round_number: int | None) -> bool:
        """True when all results of a round are visible."""
        return round_number is not None and round_number <= self.complete

    def record(self, match_id: str) -> MatchRecord | None:
        """Return the record of a match; None for an unknown id."""
        found = self._load_packed(match_id)
        return None if found is None else unpack(found, match_id)

    def end(self, match_id: str) -> MatchEnd | None:
        """Return how a match ended; None for an unknown id."""
        found = self._load_packed(match_id)
        return None if found is None else unpack_end(found, match_id)

    def _load_packed(self, match_id: str) -> bytes | None:
        """Load the packed record of a match, of a hidden replay the visible run; None if unknown."""
        # First, since a hidden replay may replace it at any moment.
        now = self.stored.packed(match_id)
        if self.held is None or match_id not in hidden_replays(self.stored, self.revision):
            return now
        replayed = [order for order in self.held.orders.given if order.before and order.subject == match_id]
        return self.stored.orders.earlier(match_id)[len(replayed)].record

    @cached_property
    def players(self) -> Mapping[str, Role]:
        """The roles of the next round's players, by rated name, without withdrawn authors."""
        if self.held is None and isinstance(self.file, StoredSeasonFile):
            return self.file.players
        gone = withdrawn_authors(self.stored, self.given)
        found = roles_of(self.roster)
        return {name: role for name, role in found.items() if registered_name(name) not in gone}

    @property
    def roster(self) -> tuple[Entry, ...]:
        """The players of the next round; while results are held back, of the last visible round."""
        return (
            with_active_versions(self.config, self.stored).entries if self.held is None else self.held.roster
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All present and past players, the best first, then those without results."""
        last = self.standings_after(self.complete)["players"] if self.complete else ()
        ranked = [row["player"] for row in last]
        return tuple(dict.fromkeys([*ranked, *self.players, *self.stored.seated(self.last)]))

    @cached_property
    def colours(self) -> Mapping[str, int]:
        """The colours of players without their versions, dealt in the order of the file, then by name."""
        return deal_colours([*self.players, *self.stored.seated(self.last)])

    @cached_property
    def ranking(self) -> Ranking | None:
        """The rating of the last standings; None before the first round is complete."""
        return ranking_of(lambda: self.config, self.stored, self.complete, self.held, self.revision)


MOST_ROUNDS = 2**31 - 1
"""The largest round number of a store."""
MOST_BRIEFS = 100
"""Rounds whose brief ratings are cached."""


def preload(state: SeasonState, **found: Any) -> SeasonState:
    """Set lazily read parts of a state, and return it."""
    state.__dict__.update(found)
    return state


def with_changes(state: SeasonState, **changes: Any) -> SeasonState:
    """Return a copy of a state with other fields; parts already read or computed are kept."""
    found = {name: value for name, value in state.__dict__.items() if name not in _FIELDS}
    return preload(replace(state, **changes), **found)


_FIELDS = frozenset(field.name for field in fields(SeasonState))
