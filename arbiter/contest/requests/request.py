"""What an author may ask for: checked against the season as it is, and put into names as they are rated."""

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
"""Opponents that are named or met in one request."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What an author asks for, as he wrote it; see `checked`."""

    kind: Kind
    version: int
    against: Sequence[str] = ()
    deals: Sequence[Mapping[str, Any]] | None = None
    matches: int | None = None


class MatchWish(NamedTuple):
    """A request that can be played: the version `player`, whom it meets, given deals, `most` matches."""

    player: str
    against: tuple[str, ...]
    deals: tuple[Mapping[str, Any], ...] | None
    most: int

    def kept(self) -> dict[str, Any]:
        """As the store keeps it, beside its number of matches."""
        deals = {} if self.deals is None else {"deals": list(self.deals)}
        return {"player": self.player, "against": list(self.against), **deals}


def checked(
    config: Config, season: SeasonStore, roster: Collection[Entry], author: str, asked: Asked
) -> MatchWish:
    """The wish of an author; ConfigError says what of it cannot be played, and what can.

    `roster` has the players as they are shown to the author.
    """
    terms = config.requests
    if terms is None:
        raise ConfigError("this season takes no requests")
    order = effective_orders(season.orders.read().given).suspended.get(author)
    if order is not None:
        raise ConfigError(f"{author} is suspended", hint=order.because)
    own = {found.version for found in season.submissions.of(author) if found.state == ACCEPTED}
    if asked.version not in own:
        there = ", ".join(map(str, sorted(own))) or "none yet"
        what = f"version: {asked.version} is no accepted version of yours"
        raise ConfigError(what, hint=f"there are: {there}")
    player = rated_name(author, asked.version)
    known = _Known.of(roster, author, own, terms)
    against = tuple(dict.fromkeys(map(known.called, asked.against)))
    if not against and asked.kind == GAUNTLET:
        against = tuple(name for name in known.others if name != player)[:MOST_AGAINST]
    if player in against:
        raise ConfigError(f"against: {player} does not meet itself", hint="name another version, or a player")
    _check_number(config, asked.kind, len(against))
    deals = None if asked.deals is None else _deals(config, asked.kind, asked.deals)
    return MatchWish(player, against, deals, _most(config, terms, asked, len(against)))


def met(terms: Requests, roster: Collection[Entry], author: str) -> tuple[str, ...]:
    """The rated names of the others whom an author may meet."""
    return _Known.of(roster, author, set(), terms).others


class _Known(NamedTuple):
    """Whom an author may meet, by the names that they are rated by: his own versions, and `others`.

    `names` are others by the names that they are registered under, `closed` those whom nobody may meet.
    """

    own: tuple[str, ...]
    others: tuple[str, ...]
    names: Mapping[str, str]
    closed: frozenset[str]

    @classmethod
    def of(cls, roster: Collection[Entry], author: str, own: set[int], terms: Requests) -> _Known:
        # Whoever asks a model pays for it, and that is the organiser.
        of_file = [entry for entry in roster if not entry.is_sent and entry.player.model is None]
        sent = [entry for entry in roster if entry.is_sent and entry.registered_name != author]
        met = [*of_file, *sent] if terms.against == "all" else of_file
        return cls(
            tuple(rated_name(author, version) for version in sorted(own)),
            tuple(entry.player.name for entry in met),
            {entry.registered_name: entry.player.name for entry in met},
            frozenset() if terms.against == "all" else frozenset(entry.registered_name for entry in sent),
        )

    def called(self, name: str) -> str:
        """The rated name of somebody who may be met; ConfigError for anybody else."""
        if name in (*self.own, *self.others):
            return name
        if name in self.names:
            return self.names[name]
        if name.partition(VERSION_MARK)[0] in self.closed:
            what = f"against: {name!r} is another author's, and is not met here"
            raise ConfigError(what, hint="name a version of yours, or a player of the season's file")
        known = [*self.own, *self.others]
        hint = slip_of(name, known) or f"there are {first_few(known)}"
        raise ConfigError(f"against: there is no {name!r}", hint=hint)


def _check_number(config: Config, kind: Kind, many: int) -> None:
    seats = config.game.table_size - 1
    if kind == REGRESS and many != 1:
        raise ConfigError("against: a test has one base", hint="name one, such as your last version")
    if not many:
        raise ConfigError("against: names nobody", hint="name players, or versions of yours")
    if kind == MATCH and many > seats:
        what = f"against: names {many}, and a table has room for {seats}"
        raise ConfigError(what, hint="ask for a gauntlet")
    if many > MOST_AGAINST:
        raise ConfigError(f"against: names {many}, and {MOST_AGAINST} are met at most")


def _deals(config: Config, kind: Kind, shapes: Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    if kind != MATCH:
        raise ConfigError("deals: are given to a match alone", hint="leave them out, and they are drawn")
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


def _most(config: Config, terms: Requests, asked: Asked, many: int) -> int:
    """How many matches are played at most: whole boards, since only these are fair."""
    game = config.game
    if asked.kind == REGRESS:
        board, usual = len(game.duels), terms.matches
    else:
        tables = 1 if asked.kind == MATCH else tables_of(many, game.table_size - 1)
        board = usual = matches_of(game, [()] * tables)
    wanted = usual if asked.matches is None else asked.matches
    if wanted > terms.matches and asked.matches is not None:
        raise ConfigError(f"matches: {wanted}, and a request has {terms.matches} at most")
    if board > terms.matches:
        what = f"this takes {board} matches, and a request has {terms.matches} at most"
        raise ConfigError(what, hint="name fewer opponents")
    if asked.deals is not None:
        return board
    return max(wanted // board, 1) * board
