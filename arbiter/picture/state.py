"""One season at one moment, read from its store: whatever is shown comes from one of these."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, cast

from arbiter.cards import told_commitment
from arbiter.packing import unpack
from arbiter.season.calendar import next_round
from arbiter.season.orders import first_id, force, suspended_now
from arbiter.season.roster import rostered
from arbiter.store.happenings import Happening
from arbiter.store.running import NO_WISH, Wish

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from arbiter.config import Config
    from arbiter.match import MatchRecord, MatchSummary
    from arbiter.picture.shapes import StoredStandings
    from arbiter.rules import AnyGame
    from arbiter.season.calendar import NextRound
    from arbiter.season.ledger import Ledger
    from arbiter.season.orders import Force
    from arbiter.store import Orders, SeasonStore, StoredRound
    from arbiter.store.happenings import Happened
    from rating.ratings import Ranking


class Held(NamedTuple):
    """The results that a state shows while later ones are held back, in place of what the store has by now.

    `orders` are those given up to then, `entered` by rated name who played last, True for house bots.
    `events` are those sent after the `first_event`, numbered on from there.
    """

    orders: Orders
    entered: Mapping[str, bool]
    first_event: int = 0
    events: tuple[Happened, ...] = ()


@dataclass(frozen=True, slots=True)
class AsStored:
    """A season as its last round was planned, for those who only look at it; its file is not checked.

    `players` are by rated name, True for house bots. Files with the keys below are always read whole.
    """

    path: str
    season: str
    game: AnyGame
    rounds: int
    players: Mapping[str, bool]
    until: ClassVar[None] = None
    submissions: ClassVar[None] = None
    seed_commitment: ClassVar[None] = None
    freeze: ClassVar[int] = 0

    @property
    def folder(self) -> Path:
        """The folder where relative names start."""
        return Path(self.path).parent


@dataclass(frozen=True, eq=False)
class SeasonState:
    """A season as its store had it at `moment`; `event` is the number of its last event.

    `paused` and `closed` say since when it is so; `following` is the round that begins at a known moment.
    `frozen` is the round after which the public sees nothing until the season is over, None if it sees all;
    `held` is there in what it then sees.

    `revision` counts orders and rounds. `seed` is None until the season is over, `commitment` None where it
    would tell the seed. What is large is read when it is first asked for, unless `read_state` has read it.
    """

    file: Config | AsStored
    stored: SeasonStore
    event: int
    revision: int
    rounds: tuple[StoredRound, ...]
    seed: str | None
    commitment: str | None
    holder: str | None
    stopping: bool
    moment: datetime
    paused: str | None = None
    closed: str | None = None
    wish: Wish = NO_WISH
    following: NextRound | None = None
    frozen: int | None = None
    held: Held | None = None

    @classmethod
    def of(cls, file: Config | AsStored, stored: SeasonStore) -> Self:
        """A season as it is now; who asks for more of it may read what happened meanwhile."""
        change, moment, running = stored.last_change(), datetime.now(UTC), stored.running.read()
        rounds, seed_told = tuple(stored.rounds()), stored.seed_told() is not None
        over = seed_told or running.closed is not None
        return cls(
            file=file,
            stored=stored,
            event=change[0],
            revision=change[1],
            rounds=rounds,
            seed=stored.seed if seed_told else None,
            commitment=told_commitment(stored.seed, file.seed_commitment is not None),
            holder=stored.holder(),
            stopping=stored.asked_to_stop(),
            moment=moment,
            paused=running.paused,
            closed=running.closed,
            wish=stored.running.wish(),
            following=None if isinstance(file, AsStored) else next_round(file, rounds, over, moment),
            frozen=stored.frozen_after() if file.freeze else None,
        )

    @property
    def name(self) -> str:
        """The season's name."""
        return self.file.season

    @cached_property
    def config(self) -> Config:
        """The whole of the season's file."""
        if not isinstance(self.file, AsStored):
            return self.file
        from arbiter.config import load

        return load(self.file.path)

    @cached_property
    def complete(self) -> int:
        """Number of complete rounds."""
        return sum(known.complete for known in self.rounds)

    @cached_property
    def matches(self) -> tuple[MatchSummary, ...]:
        """The stored matches, in the order of the plan."""
        return tuple(self.stored.summaries())

    @cached_property
    def annulled(self) -> Mapping[str, str]:
        """By id the matches that do not count, and why."""
        return out_of_count(force(self.stored.orders.read().given), self.matches)

    @cached_property
    def suspended(self) -> Mapping[str, str]:
        """The players suspended from the next round on, with the reasons."""
        return suspended_now(self.stored, self.complete)

    @cached_property
    def standings(self) -> tuple[StoredStandings, ...]:
        """The standings after each complete round."""
        return tuple(map(self._kept, range(1, self.complete + 1)))

    def standings_after(self, number: int) -> StoredStandings:
        """The standings after a complete round."""
        return self.standings[number - 1] if "standings" in self.__dict__ else self._kept(number)

    def _kept(self, number: int) -> StoredStandings:
        """The standings kept after a round; computed where none are kept."""
        kept = self.stored.standings(number)
        if kept is None:
            from arbiter.season.results import SeasonResults

            kept = SeasonResults(self.config, self.stored).standings(number)
        return cast("StoredStandings", kept)

    @property
    def begun(self) -> StoredRound | None:
        """The round under way, if there is one."""
        return next((known for known in self.rounds if not known.complete), None)

    @property
    def stamp(self) -> str:
        """A string that differs for every state: a cache key, shown in the footer."""
        return f"{self.event}-{self.revision}-{len(self.matches)}"

    def events(self, after: int, most: int) -> list[Happened]:
        """The first `most` events with numbers above `after` that the public may hear of.

        None is newer than this state: those who hear of one look at once.
        """
        if self.held is None:
            return self.stored.events(after, min(most, max(self.event - after, 0)))
        before = max(min(most, self.held.first_event - after), 0)
        stored = self.stored.events(after, before) if before else []
        return [*stored, *(event for event in self.held.events if event.number > after)][:most]

    def is_complete(self, round_number: int | None) -> bool:
        """True when all of a round may be known."""
        return round_number is not None and round_number <= self.complete

    @cached_property
    def by_id(self) -> Mapping[str, MatchSummary]:
        """Matches by id."""
        return {match.id: match for match in self.matches}

    @cached_property
    def counted(self) -> tuple[MatchSummary, ...]:
        """The matches of complete rounds that count."""
        return tuple(
            match for match in self.matches if match.id not in self.annulled and self.is_complete(match.round)
        )

    def record(self, match_id: str) -> MatchRecord | None:
        """The record of a match; None where there is none."""
        # First of all: it may be played again, unseen, at any moment.
        now = self.stored.match(match_id)
        if self.held is None or match_id not in self._unseen():
            return now
        replayed = [order for order in self.held.orders.given if order.before and order.subject == match_id]
        return unpack(self.stored.orders.earlier(match_id)[len(replayed)].record, match_id)

    def _unseen(self) -> Mapping[str, MatchSummary]:
        """The matches that were played again by now while results are held back, as they are shown."""
        return force(self.stored.orders.read().given, lambda order: order.planned <= self.revision).earlier

    def records(self, round_number: int) -> Iterator[MatchRecord]:
        """The records of a round's matches, one at a time."""
        for match in self.matches:
            if match.round == round_number and (record := self.record(match.id)) is not None:
                yield record

    @cached_property
    def players(self) -> Mapping[str, bool]:
        """The players of the next round by rated name; True for house bots."""
        if self.held is not None:
            return self.held.entered
        if isinstance(self.file, AsStored):
            return self.file.players
        now = rostered(self.config, self.stored)
        return {entry.player.name: entry.house for entry in now.entries}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Everybody who is or was in the season, the best first, then those without results."""
        last = self.standings_after(self.complete)["players"] if self.complete else ()
        ranked = [row["player"] for row in last]
        seated = {name for match in self.matches for name in match.players}
        return tuple(dict.fromkeys([*ranked, *self.players, *sorted(seated)]))

    @property
    def ranking(self) -> Ranking | None:
        """The rating behind the last standings; None before the first round is complete."""
        return self.ranked[1] if self.complete else None

    @cached_property
    def ranked(self) -> tuple[Ledger, Ranking]:
        """The results of all complete rounds, and their rating."""
        from arbiter.season.ledger import Ledger
        from arbiter.season.results import SeasonResults
        from arbiter.season.settings import config_at

        config = config_at(SeasonResults(self.config, self.stored).config, self.stored, self.complete)
        if self.held is None:
            return _rank(Ledger.of(config, self.stored), self)
        while True:
            unseen = self._unseen()
            ledger = Ledger.of(config, self.stored, unseen)
            if unseen == self._unseen():
                return _rank(ledger, self)

    def ranking_after(self, number: int) -> Ranking:
        """The rating behind the standings after an earlier round."""
        from arbiter.season.results import SeasonResults

        return SeasonResults(self.config, self.stored).ranking(number)


MOST_NEWS = 1000
"""Events that are read one by one; after more of them all matches are read again."""


def read_state(config: Config, stored: SeasonStore, before: SeasonState | None = None) -> SeasonState:
    """Read all of a season; what has not changed since `before` is taken from it.

    A round that is completed, or an order that is given, while it is read makes it read again, so that all
    figures are of one moment. A match that is stored meanwhile does not: on a busy machine they come faster
    than a season is read. It is there or not, and `event` is older than it.
    """
    if before is not None and before.file is not config:
        before = None
    while True:
        change, holder = stored.last_change(), stored.holder()
        if before is not None and (before.event, before.revision) == change:
            if before.holder == holder:
                return before
            return renewed(before, holder=holder, moment=datetime.now(UTC))
        state = SeasonState.of(config, stored)
        old = before.standings if before is not None and before.complete <= state.complete else ()
        # An order changes the standings after the last complete round alone.
        kept = old[: max(len(old) - 1, 0)]
        new = map(state._kept, range(len(kept) + 1, state.complete + 1))
        knowing(state, matches=_matches(stored, before), standings=(*kept, *new))
        knowing(state, annulled=state.annulled, suspended=state.suspended)
        if stored.last_change()[1] == state.revision:
            if before is not None and before.revision == state.revision:
                # Matches of the round under way are not rated yet.
                if "ranked" in before.__dict__:
                    knowing(state, ranked=before.ranked)
            elif before is not None:
                _rank_on(before, state)
            return state


def out_of_count(holds: Force, summaries: Sequence[MatchSummary]) -> dict[str, str]:
    """By id the matches that do not count, and why."""
    out = {name: order.because for name, order in holds.annulled.items()}
    return out | {name: f"{first_id(name)} was played again" for name in holds.superfluous(summaries)}


def knowing(state: SeasonState, **found: Any) -> SeasonState:
    """A state of which this needs no more be read."""
    state.__dict__.update(found)
    return state


def renewed(state: SeasonState, **changes: Any) -> SeasonState:
    """A state with other fields; what was read or computed of it stays."""
    found = {name: value for name, value in state.__dict__.items() if name not in _FIELDS}
    return knowing(replace(state, **changes), **found)


_FIELDS = frozenset(field.name for field in fields(SeasonState))


def _rank(ledger: Ledger, state: SeasonState) -> tuple[Ledger, Ranking]:
    ledger.read_after(state.complete, None if state.held is None else state.held.orders)
    return ledger, ledger.ranking()


def _rank_on(before: SeasonState, after: SeasonState) -> None:
    """Rank what came since, if the ranking before was asked for; the ledger then reads nothing twice."""
    settings = {known.number: known.digest for known in after.rounds}
    if "ranked" in before.__dict__ and settings.get(before.complete) == settings.get(after.complete):
        knowing(after, ranked=_rank(before.ranked[0], after))


def _matches(stored: SeasonStore, before: SeasonState | None) -> tuple[MatchSummary, ...]:
    """All stored matches; rounds in which none was stored since `before` are taken from it."""
    if before is None:
        return tuple(stored.summaries())
    news = stored.events(before.event, MOST_NEWS)
    if len(news) == MOST_NEWS:
        return tuple(stored.summaries())
    touched = [event.round for event in news if event.kind is Happening.MATCH]
    if not touched:
        return before.matches
    first = min(touched)
    kept = (match for match in before.matches if match.round is not None and match.round < first)
    return (*kept, *stored.summaries(first_round=first))
