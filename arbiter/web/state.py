"""One season at one moment, read from its store: whatever is shown comes from one of these."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from arbiter.season.calendar import next_round
from arbiter.season.ledger import Ledger
from arbiter.season.marks import official_ranks, ranked
from arbiter.season.orders import force
from arbiter.season.plan import commitment
from arbiter.season.results import Results
from arbiter.season.roster import rostered
from arbiter.season.schedule import matches_of
from arbiter.store.happenings import Happening
from arbiter.store.running import NO_WISH, Wish

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arbiter.config import Config
    from arbiter.match import MatchSummary
    from arbiter.season.calendar import NextRound
    from arbiter.season.orders import Force
    from arbiter.store import SeasonStore, StoredRound
    from arbiter.store.happenings import Happened
    from rating.ratings import Ranking


@dataclass(frozen=True, eq=False)
class State:
    """A season as its store had it at `moment`; `event` is the number of its last event.

    `paused` and `closed` say since when it is so; `following` is the round that begins at a known moment.
    `frozen` is the round after which the public sees nothing until the season is over; None if it sees all.

    `revision` counts orders and rounds. `standings` are those after each complete round. `seed` is
    None until the season is over.
    """

    config: Config
    stored: SeasonStore
    event: int
    revision: int
    rounds: tuple[StoredRound, ...]
    matches: tuple[MatchSummary, ...]
    annulled: Mapping[str, str]
    standings: tuple[dict[str, Any], ...]
    suspended: Mapping[str, str]
    seed: str | None
    commitment: str
    holder: str | None
    stopping: bool
    moment: datetime
    paused: str | None = None
    closed: str | None = None
    wish: Wish = NO_WISH
    following: NextRound | None = None
    frozen: int | None = None

    @property
    def name(self) -> str:
        """The season's name."""
        return self.config.season

    @property
    def complete(self) -> int:
        """Number of complete rounds."""
        return len(self.standings)

    @property
    def begun(self) -> StoredRound | None:
        """The round under way, if there is one."""
        return next((known for known in self.rounds if not known.complete), None)

    @property
    def stamp(self) -> str:
        """What state it is, for caches and for readers."""
        return f"{self.event}-{self.revision}-{len(self.matches)}"

    def events(self, after: int, most: int) -> list[Happened]:
        """The first `most` events with numbers above `after` that the public may hear of."""
        return self.stored.events(after, most, self.frozen)

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

    @cached_property
    def players(self) -> Mapping[str, bool]:
        """The players of the next round by rated name; True for house bots."""
        now = rostered(self.config, self.stored)
        return {entry.player.name: entry.house for entry in now.entries}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Everybody who is or was in the season, the best first, then those without results."""
        ranked = [row["player"] for row in self.standings[-1]["players"]] if self.standings else []
        seated = {name for match in self.matches for name in match.players}
        return tuple(dict.fromkeys([*ranked, *self.players, *sorted(seated)]))

    @property
    def ranking(self) -> Ranking | None:
        """The rating behind the last standings; None before the first round is complete."""
        return self.ranked[1] if self.standings else None

    @cached_property
    def ranked(self) -> tuple[Ledger, Ranking]:
        """The results of all complete rounds, and their rating."""
        return _rank(Ledger.of(Results(self.config, self.stored).config_of(self.complete), self.stored), self)

    def official(self, after: int) -> dict[str, Any]:
        """The standings after a round, with marks; house and withdrawn players have no rank."""
        return ranked(self.standings[after - 1], self.players)

    def ranks(self, after: int) -> list[int | None]:
        """The ranks of these alone, in the order of `standings`."""
        return official_ranks(self.standings[after - 1], self.players)

    def planned_matches(self, round_: StoredRound) -> int:
        """Number of matches that a round has before any is played once more."""
        return matches_of(self.config.game, round_.tables)


MOST_NEWS = 1000
"""Events that are read one by one; after more of them all matches are read again."""


def read_state(config: Config, stored: SeasonStore, before: State | None = None) -> State:
    """Read a season; what has not changed since `before` is taken from it.

    A round that is completed, or an order that is given, while it is read makes it read again, so that all
    figures are of one moment. A match that is stored meanwhile does not: on a busy machine they come faster
    than a season is read. It is there or not, and `event` is older than it.
    """
    if before is not None and before.config is not config:
        before = None
    while True:
        change, holder = stored.last_change(), stored.holder()
        if before is not None and (before.event, before.revision) == change:
            if before.holder == holder:
                return before
            same = replace(before, holder=holder, moment=datetime.now(UTC))
            keep_ranking(before, same)
            return same
        rounds, running = tuple(stored.rounds()), stored.running.read()
        complete = sum(known.complete for known in rounds)
        summaries = _matches(stored, before)
        out = out_of_count(force(stored.orders.read().given), summaries)
        results = Results(config, stored)
        old = before.standings if before is not None and before.complete <= complete else ()
        # An order changes the standings after the last complete round alone.
        kept = old[: max(len(old) - 1, 0)]
        standings = (*kept, *(results.standings(number) for number in range(len(kept) + 1, complete + 1)))
        seed_told = stored.seed_told() is not None
        state = State(
            config=config,
            stored=stored,
            event=change[0],
            revision=change[1],
            rounds=rounds,
            matches=summaries,
            annulled=out,
            standings=standings,
            suspended=results.suspended(),
            seed=stored.seed if seed_told else None,
            commitment=commitment(stored.seed),
            holder=holder,
            stopping=stored.asked_to_stop(),
            moment=datetime.now(UTC),
            paused=running.paused,
            closed=running.closed,
            wish=stored.running.wish(),
            following=next_round(config, rounds, seed_told or running.closed is not None, datetime.now(UTC)),
            frozen=stored.frozen_after() if config.freeze else None,
        )
        if stored.last_change()[1] == state.revision:
            if before is not None and before.revision == state.revision:
                # Matches of the round under way are not rated yet.
                keep_ranking(before, state)
            elif before is not None:
                _rank_on(before, state)
            return state


def out_of_count(holds: Force, summaries: Sequence[MatchSummary]) -> dict[str, str]:
    """By id the matches that do not count, and why."""
    out = {name: order.because for name, order in holds.annulled.items()}
    return out | dict.fromkeys(holds.superfluous(summaries), "its first match was played again")


def _rank(ledger: Ledger, state: State) -> tuple[Ledger, Ranking]:
    ledger.read_after(state.complete)
    return ledger, ledger.ranking()


def keep_ranking(before: State, after: State) -> None:
    """Take over what takes longest to compute, if it was asked for."""
    if "ranked" in before.__dict__:
        after.__dict__["ranked"] = before.ranked


def _rank_on(before: State, after: State) -> None:
    """Rank what came since, if the ranking before was asked for; the ledger then reads nothing twice."""
    settings = {known.number: known.digest for known in after.rounds}
    if "ranked" in before.__dict__ and settings.get(before.complete) == settings.get(after.complete):
        after.__dict__["ranked"] = _rank(before.ranked[0], after)


def _matches(stored: SeasonStore, before: State | None) -> tuple[MatchSummary, ...]:
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
