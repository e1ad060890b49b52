"""Tables at which visitors play a season's house bots: unrated, limited in number, closed when abandoned.

Theory of operation. A table is a `Session`, as in the applet, with one person and house bots under the
season's limits; its worker and all that it starts are niced and pinned to the web's core. A visitor is
identified by the table's key alone, and receives what a bot in that seat would receive. Each table has a
separate seed, never the season's.
"""

from __future__ import annotations

import os
import secrets
import threading
import time
from dataclasses import dataclass, field, replace
from itertools import cycle, islice
from typing import TYPE_CHECKING, NamedTuple

from typing_extensions import TypedDict

from arbiter.errors import ConfigError, VoidMatch
from arbiter.match.limits import USUAL
from arbiter.replay.visibility import Reader, replay_of
from arbiter.table.interactive import verbs
from arbiter.table.interactive.occupants import Occupant, Person, ProcessBot
from arbiter.table.interactive.second_opinion import second_opinion
from arbiter.table.interactive.session import Busy, Session
from arbiter.table.interactive.setup import Setup, record_of
from arbiter.trials.review.luck import luck_text
from arbiter.web.http.http_errors import not_found, too_many
from arbiter.web.pages.visitor_turns import VISITOR, Turn, address_visitor, number_copies, turn_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from arbiter.games.game import AnyGame, Deal, Seat
    from arbiter.match.spec import Limits, Player
    from arbiter.replay.schema import Replay
    from arbiter.season.config import Config
    from arbiter.table.interactive.verbs import VerbHost
    from arbiter.web.http.traffic import Log

MOST = 50
"""The largest number of concurrent tables that an organiser may permit."""
MOST_OF_ADDRESS = 2
"""Concurrent tables of one address."""
DECISION_SECONDS = 300.0
"""Without a decision by the visitor, until a table is closed."""
ASK_SECONDS = 90.0
"""Without a request from its page, which polls every 20 s, until a table is closed."""
START_SECONDS = 3
"""Between two new tables of one address: starting bots costs more than playing."""
RETRY_SECONDS = 30
END_SECONDS = 3.0
ADVICE_SECONDS = 20.0
"""For a house bot to say what it would have played."""
MOST_KEPT = 500
"""Finished tables whose cards can be played again, the last ones."""
NICE = 19
"""The niceness of these bots: the pages, on the same core, come first."""


class Offer(NamedTuple):
    """The offer to a season's visitors: game, limits, house bots, and the bots that may estimate luck."""

    game: AnyGame
    limits: Limits
    house: tuple[Player, ...]
    judges: tuple[Player, ...] = ()


def offer_of(config: Config) -> Offer | None:
    """Return the offer of a season to visitors; None for a season without house bots."""
    entries = [one for one in config.entries if one.house or one.registered_name in config.house_bots]
    limits = replace(config.limits, delivery=USUAL.delivery, end=USUAL.end)
    house = tuple(one.player for one in entries)
    named = [
        one.player for one in config.entries if config.review_by in (one.registered_name, one.player.name)
    ]
    return (
        Offer(config.game, limits, house, tuple({one.name: one for one in (*named, *house)}.values()))
        if entries
        else None
    )


class Advice(TypedDict):
    """The answers of the house bot `by` to the visitor's requests, in order; "" for an illegal one.

    There are fewer if it failed, or was too slow.
    """

    by: str
    answers: list[str]


class VisitState(Turn):
    """The state of a table for its visitor; `luck` is a sentence about the cards once it is estimated.

    `advice` is what a house bot would have played, once it was asked.
    """

    revision: int
    running: bool
    seat: int
    players: list[str]
    failed: bool
    seconds_left: int
    luck: str | None
    advice: Advice | None


class NewVisit(VisitState):
    """The state of a new table, and its key."""

    key: str


class TableCards(NamedTuple):
    """The seed of a table's deals, the visitor's seat, and the bots in the others."""

    season: str
    seed: str
    seat: Seat
    house: tuple[Player, ...]


@dataclass
class Visit:
    """One table: its cards, the names in all seats, and the monotonic times of the last actions."""

    session: Session
    key: str
    cards: TableCards
    offer: Offer
    address: str
    names: tuple[str, ...]
    asked: float = field(default_factory=time.monotonic)
    decided: float = field(default_factory=time.monotonic)
    closing: threading.Thread | None = None
    """Ends the bots once the visitor has left."""
    luck: str | None = None
    advice: Advice | None = None
    estimating: threading.Lock = field(default_factory=threading.Lock)
    """Held by the request that estimates the luck: a page may ask twice."""
    reported: bool = False
    """True once the failure of a bot is logged."""
    wake: Callable[[], None] = lambda: None
    """Wakes the one request that waits for a change."""

    @property
    def over(self) -> bool:
        """True once the match is played to its end."""
        seen = self.session.seen
        return seen is not None and seen.position.to_act is None

    @property
    def failed(self) -> bool:
        """True once a house bot has failed: the table is over."""
        seen = self.session.seen
        return seen is not None and seen.trouble is not None

    def state(self) -> VisitState:
        """Return the table for the visitor: legal answers only at their turn, and no hidden cards."""
        session = self.session
        revision, running, seen = session.revision, session.running, session.seen
        assert seen is not None
        return {
            "revision": revision,
            "running": running,
            "seat": self.cards.seat,
            "players": list(self.names),
            **turn_of(seen, self.names, self.cards.seat),
            "failed": self.failed,
            "seconds_left": max(0, round(DECISION_SECONDS - (time.monotonic() - self.decided))),
            "luck": self.luck,
            "advice": self.advice,
        }

    def replay(self, is_open: bool = False) -> Replay:
        """Return the match so far as the visitor sees it; if `is_open`, with all hands once it is over."""
        seen = self.session.seen
        assert seen is not None
        record = record_of(seen.setup, seen.position, seen.moves, self.names)
        if is_open and self.over:
            return address_visitor(replay_of(record, Reader("public")))
        return address_visitor(replay_of(record, Reader("seat", self.cards.seat), complete=False))

    def decide(self, word: str) -> VisitState:
        """Play the visitor's decision, then those of the bots; IllegalAction, ConfigError, Busy."""
        if self.failed:
            raise ConfigError("a house bot has failed: the match is over")
        self.session.do(verbs.answer, word=word, seat=self.cards.seat)
        self.decided = time.monotonic()
        return self.state()

    def estimate_luck(self) -> VisitState:
        """Start to estimate the luck of a finished match, and to ask a bot what it would have played.

        ConfigError before its end, Busy while bots act.
        """
        seen = self.session.seen
        if seen is None or not self.over:
            raise ConfigError("the match is not over")
        if self.luck is None and self.estimating.acquire(blocking=False):
            position = seen.position
            given = {"game": position.game, "deals": position.deals, "points": position.totals}
            try:
                self.session.do(self._estimate_luck, **given)
            except Busy:
                self.estimating.release()
                raise
        return self.state()

    def _estimate_luck(
        self, host: VerbHost, game: AnyGame, deals: Sequence[Deal], points: Sequence[int]
    ) -> None:
        """Estimate the luck in the worker's thread, and store the sentence in `luck`, "" on failure."""
        text = ""
        seat, first = self.cards.seat, self.cards.house[0]
        try:
            other = ProcessBot(first.name, first, self.offer.limits)
            self.advice = {
                "by": first.name,
                "answers": second_opinion(host.machine, seat, other, ADVICE_SECONDS),
            }
            text = luck_text(self.offer.judges, self.offer.limits, game, deals, points, seat)
        finally:
            self.luck = text


class Tables:
    """All tables of a site; `offers` are by season. Call `poll` regularly, and `close` at the end."""

    def __init__(
        self, offers: Mapping[str, Offer], most: int, cores: Iterable[int], log: Log | None = None
    ) -> None:
        self.offers, self._most, self._cores, self._log = offers, most, set(cores), log
        self._visits: dict[str, Visit] = {}
        self._kept: dict[str, TableCards] = {}
        self._begun: dict[str, float] = {}
        self._starting = 0
        self._lock = threading.Lock()
        self._closed = False

    def begin(self, season: str, address: str, against: Sequence[str] = (), again: str = "") -> Visit:
        """Start a table for a visitor from an address, `against` these house bots, by default all in turn.

        With the key of a finished table as `again`, it has the same cards, seats and bots. Refusal for too
        many tables or no house bots, ConfigError for an unknown bot or key, VoidMatch if none start.
        """
        offer = self.offers.get(season)
        if offer is None:
            raise not_found()
        known = {player.name: player for player in offer.house}
        if unknown := [name for name in against if name not in known]:
            raise ConfigError(f"against: {unknown[0][:50]!r} is not a house bot of this season")
        chosen = [known[name] for name in against[: offer.game.seats - 1]] or offer.house
        seats = offer.game.seats
        cards = TableCards(
            season, secrets.token_hex(16), secrets.randbelow(seats), tuple(islice(cycle(chosen), seats - 1))
        )
        if again:
            kept = self._kept.get(again)
            if kept is None or kept.season != season:
                raise ConfigError("these cards are not kept any more", hint="begin a table with other cards")
            cards = kept
        for left in list(self._visits.values()):
            # The table that the visitor has just left, whose place may be the only one.
            if left.address == address and left.closing is not None:
                left.closing.join(END_SECONDS)
        self._reserve(address)
        try:
            visit = self._start(offer, cards, address)
        finally:
            with self._lock:
                self._starting -= 1
        visit.session.do(verbs.play)
        return visit

    def find(self, season: str, key: str) -> Visit:
        """Return the table with this key, and note the time; Refusal if it does not exist or is closed."""
        visit = self._visits.get(key)
        if visit is None or visit.cards.season != season or visit.closing is not None:
            raise not_found()
        visit.asked = time.monotonic()
        return visit

    def leave(self, visit: Visit) -> None:
        """Close a table in a thread: its bots get ``quit``, and its place is free once they have ended."""
        with self._lock:
            if visit.closing is not None:
                return
            if visit.over:
                self._kept[visit.key] = visit.cards
                for key in list(self._kept)[:-MOST_KEPT]:
                    del self._kept[key]
            visit.closing = threading.Thread(target=self._close_visit, args=(visit,), daemon=True)
            visit.closing.start()

    def poll(self) -> None:
        """Close tables without decisions or without a page, and log failures of bots."""
        now = time.monotonic()
        for visit in list(self._visits.values()):
            self._log_failure(visit)
            if now - visit.decided > DECISION_SECONDS or now - visit.asked > ASK_SECONDS:
                self.leave(visit)

    def close(self) -> None:
        """Close all tables, and refuse new ones; what hangs is left to the end of this process."""
        with self._lock:
            self._closed = True
        visits = list(self._visits.values())
        for visit in visits:
            self.leave(visit)
        until = time.monotonic() + END_SECONDS
        for visit in visits:
            visit.session.closed.wait(max(0.0, until - time.monotonic()))

    def _log_failure(self, visit: Visit) -> None:
        """Log the failure of a bot at a table, once."""
        seen = visit.session.seen
        if self._log is None or visit.reported or seen is None or seen.trouble is None:
            return
        visit.reported = True
        entry = seen.trouble
        text = f"{visit.names[entry.seat]} failed at a visitor's table: {entry.kind}: {entry.problem}"
        self._log.write(f"{visit.cards.season}: {' '.join(text.split())}")

    def _reserve(self, address: str) -> None:
        """Reserve a place for another table; Refusal if all are taken."""
        with self._lock:
            now = time.monotonic()
            self._begun = {one: when for one, when in self._begun.items() if now - when < START_SECONDS}
            if self._closed or len(self._visits) + self._starting >= self._most:
                hint = "come back when a visitor has left"
                raise too_many("all tables are taken", self._most, RETRY_SECONDS, hint)
            if sum(visit.address == address for visit in self._visits.values()) >= MOST_OF_ADDRESS:
                hint = "leave one of them first"
                raise too_many("you have too many tables", MOST_OF_ADDRESS, RETRY_SECONDS, hint)
            if address in self._begun:
                raise too_many(
                    "you started a table a moment ago", 1, START_SECONDS, f"try again in {START_SECONDS} s"
                )
            self._begun[address] = now
            self._starting += 1

    def _start(self, offer: Offer, cards: TableCards, address: str) -> Visit:
        """Start the bots of a table; VoidMatch if they do not start."""
        seat, house = cards.seat, cards.house
        bots: list[Occupant] = [ProcessBot(player.name, player, offer.limits) for player in house]
        names = number_copies([player.name for player in house])
        session = Session(prepare=self._pin_thread)
        setup = Setup(offer.game, cards.seed, offer.limits)
        try:
            session.begin(setup, [*bots[:seat], Person(), *bots[seat:]])
            if session.seen is None:
                raise VoidMatch("the bots of a visitor's table did not start in time")
        except BaseException:
            session.close()
            raise
        key = secrets.token_urlsafe(32)
        shown = (*names[:seat], VISITOR, *names[seat:])
        visit = self._visits[key] = Visit(session, key, cards, offer, address, shown)
        return visit

    def _pin_thread(self) -> None:
        """Keep this thread and what it starts off the bots' cores, at the lowest priority."""
        os.nice(NICE)
        os.sched_setaffinity(0, self._cores)

    def _close_visit(self, visit: Visit) -> None:
        """End the bots of a table, then free its place."""
        try:
            visit.session.close()
        finally:
            self._visits.pop(visit.key, None)
