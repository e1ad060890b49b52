"""The orders of an organiser: annul matches and undo that, suspend and reinstate players.

Every order is stored together with the standings that it changes, in one transaction, also while the
season is played: the coordinator reads all orders again before a round is planned or rated.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from operator import ne
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from typing_extensions import TypedDict

from arbiter.errors import ConfigError, did_you_mean
from arbiter.season.config.settings_diff import registered_name
from arbiter.season.order_effects import effective_orders, now_text
from arbiter.store import Order, OrderKind, Orders, Outdated
from arbiter.text import number
from rating.ranks import shared_ranks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from arbiter.match.packing import PackedMatch
    from arbiter.match.record import MatchSummary
    from arbiter.season.order_effects import EffectiveOrders
    from arbiter.season.results import SeasonResults
    from arbiter.store import RatedRound, SeasonStore

LONGEST_REASON = 500
"""Characters of a reason."""
MOST_SHOWN = 20
"""Players whose change is stored with a rejudging."""
FEW = 8
"""Matches that a hint may list."""


class BadReason(ConfigError):
    """An invalid reason of an order."""


class SeasonWithOrders(Protocol):
    """The part of a season that orders need."""

    stored: SeasonStore

    def rated_under(
        self, number: int, orders: Orders, instead: Mapping[str, MatchSummary] | None = None
    ) -> RatedRound:
        """Return the standings after a round under orders, with some matches replaced."""


class OrderOutcome(NamedTuple):
    """The subjects of orders, and the standings before and after, None without complete rounds."""

    subjects: tuple[str, ...]
    before: dict[str, Any] | None
    after: dict[str, Any] | None


def close(stored: SeasonStore, who: str) -> None:
    """Store that the current round is the last; without one, and without a coordinator, publish the seed."""
    stored.running.close(who)
    rounds = stored.plan()
    over = (
        all(known.complete for known in rounds) and not effective_orders(stored.orders.read().given).to_replay
    )
    # A coordinator may have planned a round meanwhile, and ends the season then.
    if over and stored.holder() is None and stored.seed_told() is None:
        stored.publish_seed(len(rounds))


def annul(
    season: SeasonWithOrders, ids: Sequence[str], because: str, replay: bool = False, keep: bool = True
) -> OrderOutcome:
    """Annul matches, with `replay` until they are played again; `keep` as in `give_orders`.

    ConfigError for an unknown or annulled match; then nothing is changed.
    """
    reason = check_reason(because)
    _check_matches_exist(ids, season)

    def make_orders(now: EffectiveOrders) -> Iterable[tuple[OrderKind, str, str]]:
        """Yield an order for each match; ConfigError for an annulled one."""
        for match_id in ids:
            if (known := now.annulled.get(match_id)) is not None:
                hint = "--undo takes it back; after that it can be annulled with --replay"
                message = f"{match_id} is annulled already, since {known.moment}: {known.because}"
                raise ConfigError(message, hint=hint if replay else "--undo takes it back")
            yield OrderKind.REPLAY if replay else OrderKind.ANNUL, match_id, reason

    return give_orders(season, make_orders, keep)


def undo_annulment(season: SeasonWithOrders, ids: Sequence[str], because: str = "") -> OrderOutcome:
    """Count annulled matches again, and take back replays that no later order followed.

    ConfigError, with nothing changed, for other matches. `because` is the reason, "" without one.
    """
    reason = check_reason(because) if because else ""
    _check_matches_exist(ids, season)

    def make_orders(now: EffectiveOrders) -> Iterable[tuple[OrderKind, str, str]]:
        """Yield UNDO for each annulled match; ConfigError for one whose last order is not its replay."""
        for match_id in ids:
            if match_id in now.annulled:
                yield OrderKind.UNDO, match_id, reason
            elif match_id not in now.undoable:
                why = f"{match_id} is not annulled now, and its last decision was no replay"
                raise ConfigError(
                    f"nothing to take back: {why}", hint="--list has the last decision on each match"
                )

    given = give_orders(season, make_orders)
    subjects, after = list(given.subjects), given.after
    for match_id in ids:
        if match_id not in given.subjects:
            earlier = season.stored.orders.earlier(match_id)[-1]
            wanted = partial(_is_undoable, match_id)
            after = replace_match(
                season, earlier, OrderKind.RESTORED, wanted, because=reason, since=given.before
            )
            subjects.append(match_id)
    return OrderOutcome(tuple(subjects), given.before, after)


def _effect(outcome: OrderOutcome) -> dict[str, Any]:
    """Return the visible changes of at most `MOST_SHOWN` players, and the number of all; {} if unknown."""
    if outcome.before is None or outcome.after is None:
        return {}
    found = [row for row in rank_changes(outcome) if ne(*shown_change(row))]
    return {"standings": found[:MOST_SHOWN], "changed": len(found)}


def shown_change(row: RankChange) -> tuple[list[str], list[str]]:
    """Return rank, Elo and points as they are shown, before and now."""
    return (
        [str(row["rank_before"] or "-"), number(row["elo_before"]), number(row["points_before"])],
        [str(row["rank"] or "-"), number(row["elo"]), number(row["points"])],
    )


def _is_undoable(match_id: str, now: EffectiveOrders) -> bool:
    return match_id in now.undoable


def replace_match(
    season: SeasonWithOrders,
    match: PackedMatch,
    verb: OrderKind,
    wanted: Callable[[EffectiveOrders], bool],
    programs: Mapping[str, Mapping[str, str | None]] | None = None,
    because: str = "",
    since: Mapping[str, Any] | None = None,
) -> dict[str, Any] | None:
    """Store `match` in place of the stored one, which is kept, if `wanted` holds for the orders; return the
    standings, None if it does not hold, or before a complete round.

    `programs` are the files of the replay; `since` the standings before the decision, to store what changed.
    """
    stored, name = season.stored, match.summary.id
    while True:
        known = stored.orders.read()
        if not wanted(effective_orders(known.given)):
            return None
        rounds = stored.rounds()
        complete = sum(each.complete for each in rounds)
        order = Order(verb, name, because, now_text(), len(rounds), complete, programs=programs)
        after = None
        if complete:
            orders = Orders(known.revision, (*known.given, order))
            after = season.rated_under(complete, orders, {name: match.summary})
        with suppress(Outdated):
            then = None if after is None else dict(after.standings)
            effect = _effect(OrderOutcome((name,), None if since is None else dict(since), then))
            stored.orders.replace_match(match, order, known.revision, after, effect)
            return then


def suspend(season: SeasonResults, player: str, because: str) -> OrderOutcome:
    """Suspend a player from the next round on; ConfigError if it is unknown or suspended."""
    reason, name = check_reason(because), find_registered(season, player)

    def make_orders(now: EffectiveOrders) -> Iterable[tuple[OrderKind, str, str]]:
        """Yield SUSPEND for the player; ConfigError if it is suspended."""
        if (known := now.suspended.get(name)) is not None:
            raise ConfigError(
                f"{name} is suspended already, since {known.moment}: {known.because}",
                hint="arbiter reinstate takes it back",
            )
        yield OrderKind.SUSPEND, name, reason

    return give_orders(season, make_orders)


def reinstate(season: SeasonResults, player: str, because: str = "") -> OrderOutcome:
    """Reinstate a player from the next round on, its faults forgiven; ConfigError unless it is suspended.

    `because` is the reason, "" without one.
    """
    reason, name = check_reason(because) if because else "", find_registered(season, player)
    rated = {rated for rated in season.suspended() if registered_name(rated) == name}

    def make_orders(now: EffectiveOrders) -> Iterable[tuple[OrderKind, str, str]]:
        """Yield REINSTATE for the player; ConfigError if no order or rating suspends it."""
        if name not in now.suspended and not rated:
            raise ConfigError(f"{name} is not suspended")
        yield OrderKind.REINSTATE, name, reason

    return give_orders(season, make_orders)


def give_orders(
    season: SeasonWithOrders,
    make: Callable[[EffectiveOrders], Iterable[tuple[OrderKind, str, str]]],
    keep: bool = True,
) -> OrderOutcome:
    """Store the orders that `make` returns for the present ones; repeat if others were stored meanwhile.

    Without `keep` nothing is stored, and the outcome is a preview.
    """
    stored = season.stored
    while True:
        known = stored.orders.read()
        rounds = stored.rounds()
        planned, complete = len(rounds), sum(each.complete for each in rounds)
        moment = now_text()
        new = [
            Order(verb, subject, because, moment, planned, complete)
            for verb, subject, because in make(effective_orders(known.given))
        ]
        before = after = None
        if complete:
            before = stored.standings(complete)
            after = season.rated_under(complete, Orders(known.revision, (*known.given, *new)))
        with suppress(Outdated):
            if keep:
                stored.orders.give(new, known.revision, after)
            then = None if after is None else dict(after.standings)
            return OrderOutcome(tuple(order.subject for order in new), before, then)


class RankChange(TypedDict):
    """A player whose rank, rating or points change."""

    player: str
    rank_before: int | None
    rank: int | None
    elo_before: float | None
    elo: float | None
    points_before: float | None
    points: float


def rank_changes(given: OrderOutcome) -> Iterator[RankChange]:
    """Yield the players whose rank, rating or points an order changes."""
    if given.before is None or given.after is None:
        return
    before = {row["player"]: row for row in _with_shared_ranks(given.before["players"])}
    for row in _with_shared_ranks(given.after["players"]):
        old = before.get(row["player"], {"rank": None, "elo": None, "points": None})
        if any(old[name] != row[name] for name in ("rank", "elo", "points")):
            yield {"player": row["player"], "rank_before": old["rank"], "rank": row["rank"],
                   "elo_before": old["elo"], "elo": row["elo"],
                   "points_before": old["points"], "points": row["points"]}  # fmt: skip


def _with_shared_ranks(rows: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Return copies of standings' rows with the ranks of their Elo; equals share one."""
    ranks = shared_ranks(row["elo"] for row in rows)
    return ({**row, "rank": rank} for row, rank in zip(rows, ranks, strict=True))


def check_reason(text: str) -> str:
    """Return a reason with single blanks; BadReason if it is empty or too long, or has NUL or surrogates."""
    reason = " ".join(text.split())
    if not reason:
        raise BadReason("the reason is empty: say why, the players will read it")
    if any(mark == "\0" or "\ud800" <= mark <= "\udfff" for mark in reason):
        # No database takes it.
        raise BadReason("the reason has a NUL or half a surrogate pair: remove it")
    if len(reason) > LONGEST_REASON:
        raise BadReason(f"the reason has {len(reason)} characters: {LONGEST_REASON} at most")
    return reason


def unknown_match(match_id: str, summaries: Iterable[MatchSummary]) -> ConfigError:
    """Return the error for an unknown match."""
    known = [match.id for match in summaries]
    hint = did_you_mean(match_id, known) if len(known) <= FEW else "arbiter matches lists them"
    return ConfigError(f"there is no match {match_id!r}", hint=hint)


def unknown_round(number: int, last: int) -> ConfigError:
    """Return the error for a round that was not begun."""
    return ConfigError(
        f"there is no round {number}; " + (f"the last is {last}" if last else "none was begun")
    )


def _check_matches_exist(ids: Iterable[str], season: SeasonWithOrders) -> None:
    """Load the stored matches; ConfigError for an id that is not among them."""
    summaries = season.stored.summaries()
    known = {match.id for match in summaries}
    for match_id in ids:
        if match_id not in known:
            raise unknown_match(match_id, summaries)


def find_registered(season: SeasonResults, player: str) -> str:
    """Look up the registered name of a player or author, also by rated name; ConfigError if unknown."""
    entries = season.config.entries
    for entry in entries:
        if player in (entry.registered_name, entry.player.name):
            return entry.registered_name
    author = registered_name(player)
    if author.isprintable() and season.stored.authors.find(author) is not None:
        return author
    names = sorted({entry.registered_name for entry in entries})
    raise ConfigError(f"no player {player!r}", hint=did_you_mean(player, names))
