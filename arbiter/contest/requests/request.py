"""An author's request: checked against the present season, with names as they are rated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from arbiter.errors import ConfigError, slip_of
from arbiter.season.config.settings_diff import VERSION_MARK, rated_name
from arbiter.season.order_effects import effective_orders
from arbiter.season.schedule import matches_of
from arbiter.store.versions import ACCEPTED
from arbiter.text import first_few
from arbiter.trials.gauntlet import tables_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from arbiter.season.config import Config, Entry
    from arbiter.season.config.keys import Requests
    from arbiter.store import SeasonStore

Kind = Literal["match", "gauntlet", "regress"]
MATCH, GAUNTLET, REGRESS = "match", "gauntlet", "regress"
MOST_AGAINST = 64
"""The most opponents in one request."""


@dataclass(frozen=True, slots=True)
class RequestForm:
    """A request as the author wrote it; see `check_request`."""

    kind: Kind
    version: int
    against: Sequence[str] = ()
    deals: Sequence[Mapping[str, Any]] | None = None
    matches: int | None = None


class CheckedRequest(NamedTuple):
    """A playable request: the version `player`, its opponents, given deals, at most `most` matches."""

    player: str
    against: tuple[str, ...]
    deals: tuple[Mapping[str, Any], ...] | None
    most: int

    def kept(self) -> dict[str, Any]:
        """Return the JSON stored as the request's wish."""
        deals = {} if self.deals is None else {"deals": list(self.deals)}
        return {"player": self.player, "against": list(self.against), **deals}


def check_request(
    config: Config, season: SeasonStore, roster: Collection[Entry], author: str, asked: RequestForm
) -> CheckedRequest:
    """Check a request of an author, who may see `roster`; ConfigError names what cannot be played."""
    terms = config.requests
    if terms is None:
        raise ConfigError("this season takes no requests")
    order = effective_orders(season.orders.read().given).suspended.get(author)
    if order is not None:
        raise ConfigError(f"{author} is suspended", hint=order.because)
    own = {found.version for found in season.submissions.of(author) if found.state == ACCEPTED}
    if asked.version not in own:
        there = ", ".join(map(str, sorted(own))) or "none yet"
        what = f"version: {asked.version} is not an accepted version of yours"
        raise ConfigError(what, hint=f"accepted versions: {there}")
    player = rated_name(author, asked.version)
    known = _Opponents.of(roster, author, own, terms)
    against = tuple(dict.fromkeys(map(known.rated_name_of, asked.against)))
    if not against and asked.kind == GAUNTLET:
        against = tuple(name for name in known.others if name != player)[:MOST_AGAINST]
    if player in against:
        raise ConfigError(f"against: {player} cannot meet itself", hint="name another version, or a player")
    _check_number_of_opponents(config, asked.kind, len(against))
    deals = None if asked.deals is None else _deals(config, asked.kind, asked.deals)
    return CheckedRequest(player, against, deals, _match_limit(config, terms, asked, len(against)))


def possible_opponents(terms: Requests, roster: Collection[Entry], author: str) -> tuple[str, ...]:
    """Return the rated names of the other players whom an author may meet."""
    return _Opponents.of(roster, author, set(), terms).others


class _Opponents(NamedTuple):
    """The players whom an author may meet, by rated names: the author's `own` versions, and `others`.

    `names` has the others by registered names, `closed` the registered names that requests may not meet.
    """

    own: tuple[str, ...]
    others: tuple[str, ...]
    names: Mapping[str, str]
    closed: frozenset[str]

    @classmethod
    def of(cls, roster: Collection[Entry], author: str, own: set[int], terms: Requests) -> _Opponents:
        """Return the players to meet by the season's terms, without language models."""
        # Language models are excluded: the organiser pays for their calls.
        of_file = [entry for entry in roster if not entry.is_sent and entry.player.model is None]
        sent = [entry for entry in roster if entry.is_sent and entry.registered_name != author]
        met = [*of_file, *sent] if terms.against == "all" else of_file
        return cls(
            tuple(rated_name(author, version) for version in sorted(own)),
            tuple(entry.player.name for entry in met),
            {entry.registered_name: entry.player.name for entry in met},
            frozenset() if terms.against == "all" else frozenset(entry.registered_name for entry in sent),
        )

    def rated_name_of(self, name: str) -> str:
        """Return the rated name of a player who may be met; ConfigError for others."""
        if name in (*self.own, *self.others):
            return name
        if name in self.names:
            return self.names[name]
        if name.partition(VERSION_MARK)[0] in self.closed:
            what = f"against: {name!r} is another author's; this season does not allow that"
            raise ConfigError(what, hint="name a version of yours, or a player of the season's file")
        known = [*self.own, *self.others]
        hint = slip_of(name, known) or f"there are {first_few(known)}"
        raise ConfigError(f"against: no player {name!r}", hint=hint)


def _check_number_of_opponents(config: Config, kind: Kind, many: int) -> None:
    """Raise ConfigError for none, not one in a test, too many for a match's table, or over `MOST_AGAINST`."""
    seats = config.game.table_size - 1
    if kind == REGRESS and many != 1:
        what = f"against: expected one base for a test, got {many}"
        raise ConfigError(what, hint="name one, such as your last version")
    if not many:
        raise ConfigError("against: no opponents", hint="name players, or versions of yours")
    if kind == MATCH and many > seats:
        what = f"against: expected at most {seats} for a table, got {many}"
        raise ConfigError(what, hint="ask for a gauntlet")
    if many > MOST_AGAINST:
        raise ConfigError(f"against: expected at most {MOST_AGAINST}, got {many}")


def _deals(config: Config, kind: Kind, shapes: Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """Return the given deals; ConfigError if the game cannot use them."""
    if kind != MATCH:
        raise ConfigError("deals: only a match takes given deals", hint="leave them out; they are drawn")
    dealt = []
    for number, shape in enumerate(shapes):
        try:
            dealt.append(config.game.deal_from_json(shape))
        except ConfigError as error:
            raise ConfigError(f"deals: deal {number}: {error}") from None
    try:
        config.game.given(dealt)
    except ConfigError as error:
        raise ConfigError(f"deals: {error}") from None
    return tuple(shapes)


def _match_limit(config: Config, terms: Requests, asked: RequestForm, many: int) -> int:
    """Return the most matches to play, in whole boards for fairness; ConfigError above the season's limit."""
    game = config.game
    if asked.kind == REGRESS:
        board, usual = len(game.duels), terms.matches
    else:
        tables = 1 if asked.kind == MATCH else tables_of(many, game.table_size - 1)
        board = usual = matches_of(game, [()] * tables)
    wanted = usual if asked.matches is None else asked.matches
    if wanted > terms.matches and asked.matches is not None:
        raise ConfigError(f"matches: expected at most {terms.matches}, got {wanted}")
    if board > terms.matches:
        what = f"this takes {board} matches; a request may have at most {terms.matches}"
        raise ConfigError(what, hint="name fewer opponents")
    if asked.deals is not None:
        return board
    return max(wanted // board, 1) * board
