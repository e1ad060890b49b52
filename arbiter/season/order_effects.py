"""The effect of an organiser's orders: which matches count, who sits out.

Theory of operation. Orders are never deleted, only followed by others, and each stores how many rounds
were planned and complete when it was given. A round's plan follows the orders given before it was
planned, the standings after a round those given before the next one was complete; so both can be computed
again, regardless of later orders.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from arbiter.match.spec import AGAIN_MARK
from arbiter.season.config.settings_diff import rated_name, registered_name
from arbiter.store import OrderKind
from arbiter.store.orders import SUSPENDING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from arbiter.games.game import Seat
    from arbiter.match.record import MatchSummary
    from arbiter.store import Order, SeasonStore


@dataclass(frozen=True, slots=True)
class EffectiveOrders:
    """The effect of orders: annulled matches by id, suspended players by registered name."""

    annulled: Mapping[str, Order] = field(default_factory=dict)
    earlier: Mapping[str, MatchSummary] = field(default_factory=dict)
    """Matches that were played again later, in their state at that time."""
    suspended: Mapping[str, Order] = field(default_factory=dict)
    reinstated: Mapping[str, int] = field(default_factory=dict)
    """Complete rounds when a player was last reinstated, its earlier faults being forgiven."""
    tried: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Digests of the tried entries, by registered name."""
    undoable: frozenset[str] = frozenset()
    """Matches whose last order is their replay, which can be taken back."""
    replayed: int = 0
    """The number of matches that were played again."""

    def counted(self, summaries: Iterable[MatchSummary]) -> Iterator[MatchSummary]:
        """Yield the matches that count, in their state at that time; `summaries` are whole rounds by id.

        A match with a substitute counts while the match that it follows, annulled or not, has the same fault.
        """
        faulty: dict[str, Seat | None] = {}
        for summary in summaries:
            match = self.earlier.get(summary.id, summary)
            faulty[match.id] = match.faulty
            if match.substitute is not None and faulty.get(first_id(match.id)) != match.substitute:
                continue
            if match.id not in self.annulled:
                yield match

    def superfluous(self, summaries: Iterable[MatchSummary]) -> list[str]:
        """Return the ids of matches with substitutes that do not count although not annulled."""
        found = list(summaries)
        counted = {match.id for match in self.counted(found)}
        return [match.id for match in found if match.id not in counted and match.id not in self.annulled]

    @property
    def to_replay(self) -> list[str]:
        """The ids of matches to replay."""
        return sorted(name for name, order in self.annulled.items() if order.verb is OrderKind.REPLAY)


def effective_orders(
    orders: Iterable[Order], holds: Callable[[Order], bool] = lambda _: True
) -> EffectiveOrders:
    """Return the effect of those of all `orders`, oldest first, that hold; others give the `earlier` runs."""
    annulled: dict[str, Order] = {}
    earlier: dict[str, MatchSummary] = {}
    suspended: dict[str, Order] = {}
    reinstated: dict[str, int] = {}
    tried: dict[str, tuple[str, ...]] = {}
    last: dict[str, OrderKind] = {}
    replayed: set[str] = set()
    for order in orders:
        name = order.subject
        if not holds(order):
            if order.before is not None:
                earlier.setdefault(name, order.before)
            continue
        last[name] = order.verb
        match order.verb:
            case OrderKind.ANNUL | OrderKind.REPLAY:
                annulled[name] = order
            case OrderKind.UNDO | OrderKind.REPLAYED | OrderKind.RESTORED:
                annulled.pop(name, None)
                if order.verb is OrderKind.REPLAYED:
                    replayed.add(name)
            case OrderKind.SUSPEND | OrderKind.FAILED:
                suspended[name] = order
            case OrderKind.REINSTATE:
                suspended.pop(name, None)
                reinstated[name] = order.complete
            case OrderKind.TRIED:
                tried[name] = (*tried.get(name, ()), order.because)
    undoable = frozenset(name for name, verb in last.items() if verb is OrderKind.REPLAYED)
    return EffectiveOrders(annulled, earlier, suspended, reinstated, tried, undoable, len(replayed))


def orders_when_planned(orders: Iterable[Order], number: int) -> EffectiveOrders:
    """Return the orders in effect when round `number` was planned."""
    return effective_orders(orders, lambda order: order.planned < number)


def orders_after(orders: Iterable[Order], number: int) -> EffectiveOrders:
    """Return the orders in effect in the standings after round `number`."""
    return effective_orders(orders, lambda order: order.complete <= number)


def first_round(orders: Iterable[Order], name: str, number: int) -> int:
    """Return the first round, from `number` on, that is planned while a player is not suspended by order.

    `orders` are all, the oldest first; a suspension still in effect is ignored.
    """
    since = None
    for order in orders:
        if order.subject != name:
            continue
        if order.verb in SUSPENDING and since is None:
            since = order.planned
        elif order.verb is OrderKind.REINSTATE and since is not None:
            if since < number <= order.planned:
                number = order.planned + 1
            since = None
    return number


def order_history(orders: Sequence[Order], match_id: str) -> Iterator[str]:
    """Yield a line for each order on a match."""
    reruns = reruns_of(orders).get(match_id, ())
    restored = (rerun.counts for rerun in reruns if rerun.order.verb is OrderKind.RESTORED)
    said = {
        OrderKind.ANNUL: "annulled",
        OrderKind.REPLAY: "annulled, to be played again",
        OrderKind.UNDO: "counts again",
        OrderKind.REPLAYED: "played again",
    }
    for order in orders:
        if order.subject == match_id:
            because = f": {order.because}" if order.because else ""
            what = said.get(order.verb) or f"run {next(restored)} counts again"
            yield f"{match_id} {what} since {order.moment}{because}"


def as_first_played(orders: Iterable[Order]) -> Mapping[str, MatchSummary]:
    """Return the first runs of replayed matches, by id."""
    return effective_orders(orders, lambda _: False).earlier


def uncounted_matches(
    holds: EffectiveOrders, given: Sequence[Order], find: Callable[[Collection[str]], list[MatchSummary]]
) -> dict[str, str]:
    """Return reasons by id of the matches that do not count; `given` are all orders, `find` loads matches."""
    out = {name: order.because for name, order in holds.annulled.items()}
    # A match with a substitute is superfluous once a replay has removed the fault.
    again = {first_id(order.subject) for order in given if order.before is not None}
    found = find([name for first in again for name in (first, f"{first}{AGAIN_MARK}")]) if again else []
    return out | {name: f"{first_id(name)} was played again" for name in holds.superfluous(found)}


class Rerun(NamedTuple):
    """Replacement `place` of a match, from 1: run `counts`, new or restored, instead of `replaces`.

    Runs are numbered from 1 as they were played; `order` keeps the replaced one as `before`.
    """

    place: int
    replaces: int
    counts: int
    order: Order
    because: str


def reruns_of(orders: Iterable[Order]) -> dict[str, list[Rerun]]:
    """Return the replacements of replayed and restored matches by id, each match's oldest first."""
    found: dict[str, list[Rerun]] = {}
    reasons: dict[str, str] = {}
    for order in orders:
        if order.verb is OrderKind.REPLAY:
            reasons[order.subject] = order.because
        elif order.before is not None:
            because = reasons.get(order.subject, "") if order.verb is OrderKind.REPLAYED else order.because
            runs = found.setdefault(order.subject, [])
            if order.verb is OrderKind.RESTORED:
                # The store restores the run that the last replay replaced.
                counts = runs[-1].replaces if runs else 1
            else:
                counts = max([1, *(run.counts for run in runs)]) + 1
            runs.append(Rerun(len(runs) + 1, runs[-1].counts if runs else 1, counts, order, because))
    return found


def undoable_orders(given: Sequence[Order], limit: int) -> list[tuple[str, str, Order, str]]:
    """Return the last `limit` annulments and replays that can be taken back, the last first.

    Each is a match's id, what was decided, the order and its reason; `given` are all orders.
    """
    now, reruns = effective_orders(given), reruns_of(given)
    found = [
        (name, "to be played again" if order.verb is OrderKind.REPLAY else "annulled", order, order.because)
        for name, order in now.annulled.items()
    ]
    for name in now.undoable:
        last = reruns[name][-1]
        found.append((name, "played again", last.order, last.because))
    return sorted(found, key=lambda one: (one[2].moment, one[0]), reverse=True)[:limit]


def orders_until_replaced(orders: Sequence[Order], match_id: str, run: int) -> Sequence[Order]:
    """Return the orders given before run `run` of a match, from 1, was first replaced; all for its last."""
    replacing = (one.order for one in reruns_of(orders).get(match_id, ()) if one.replaces == run)
    first = next(replacing, None)
    return orders if first is None else orders[: orders.index(first)]


def first_id(match_id: str) -> str:
    """Return the id of the match that a match with a substitute follows."""
    return match_id.removesuffix(AGAIN_MARK)


def round_of(match_id: str) -> int:
    return int(match_id[1:].partition("/")[0])


def now_text() -> str:
    """Return the present time as orders store it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def suspended_now(stored: SeasonStore, standings: Mapping[str, Any] | None) -> dict[str, str]:
    """Load the players suspended from the next round on, with reasons; `standings` are the last ones."""
    authors = stored.authors.all()
    playing = {one.name: rated_name(one.name, one.active) for one in authors if one.active is not None}
    return suspended_of(standings, stored.orders.read().given, playing)


def withdrawn_authors(stored: SeasonStore, given: Iterable[Order]) -> set[str]:
    """Load the authors suspended by these orders none of whose members has a token."""
    out = {
        name for name, order in effective_orders(given).suspended.items() if order.verb is OrderKind.SUSPEND
    }
    if out:
        out &= {author.name for author in stored.authors.all()} - stored.members.all().keys()
    return out


def suspended_of(
    standings: Mapping[str, Any] | None, orders: Iterable[Order], playing: Mapping[str, str]
) -> dict[str, str]:
    """Return the players suspended after these standings and orders, by rated name, with reasons.

    An author is suspended with its `playing` version, by rated name: by order whichever that is, for faults
    only for its own. Before the first standings names are as registered.
    """
    ordered = effective_orders(orders).suspended
    found = {name: order.because for name, order in ordered.items()}
    if standings is not None:
        found = dict(standings.get("suspended", {}))
    for author, rated in playing.items():
        order = ordered.get(author)
        for name in [name for name in found if registered_name(name) == author and name != rated]:
            del found[name]
        if order is not None and order.verb is OrderKind.SUSPEND:
            found[rated] = order.because
    return found
