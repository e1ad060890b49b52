"""The course of a match: what is dealt, who is to act, what is sent, and what comes next.

A `Position` is immutable and between two decisions: the last has been made, the next has not been
requested. Its `news` are the commands in between, in the order of strict delivery: the greeting at
the opening, the news of the last action, after a deal's end the next deal.

    position = Position.opening(game, "seed")
    while (seat := position.to_act) is not None:
        position = position.apply(position.state.legal(seat)[0])
    position.totals

`retrace` follows a record, which may end in the middle of a deal.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from arbiter.errors import ConfigError, IllegalAction, StoreError
from arbiter.games.cards import Stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from arbiter.games.game import Action, AnyGame, Command, Deal, Seat, State
    from arbiter.match.record import MatchRecord, Move

HASHED_DEALS = 10
"""Planned deals of an endless game that enter the hash."""
MOST_DEALS = 10_000
"""The most planned deals."""
_DECIDED = ("special", "exchange")
"""Keys of a recorded deal that may have been decided at the table."""


def hash_of_deals(deals: Sequence[Mapping[str, Any]]) -> str:
    """Return SHA-256 of the canonical JSON (sorted keys, no blanks) of a round's planned deals."""
    text = json.dumps(list(deals), sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


def deal_of(
    game: AnyGame, seed: str | int, round_number: int, number: int, last: State | None
) -> Deal | None:
    """Return deal `number` (from 0), None after the last; `last` is the final state of the deal before."""
    return game.deal(number, Stream.of_deal(seed, round_number, number), last)


class PlannedDeals(NamedTuple):
    """The planned deals of a match, as dealt, as JSON, and their hash."""

    deals: tuple[Deal, ...]
    shapes: tuple[dict[str, Any], ...]
    hash: str


@lru_cache(maxsize=8)
def planned_deals(game: AnyGame, seed: str, round_number: int) -> PlannedDeals:
    """Return the deals of a round, as if none depended on the previous deal."""
    deals = []
    for number in range(HASHED_DEALS if game.endless else MOST_DEALS):
        deal = deal_of(game, seed, round_number, number, None)
        if deal is None:
            break
        deals.append(deal)
    shapes = tuple(game.deal_json(deal) for deal in deals)
    return PlannedDeals(tuple(deals), shapes, hash_of_deals(shapes))


def planned_deal(game: AnyGame, seed: str, round_number: int, number: int, last: State | None) -> Deal | None:
    """Return deal `number` of a match, as `deal_of`; from the cached `planned_deals` where possible."""
    if game.chained:
        return deal_of(game, seed, round_number, number, last)
    deals = planned_deals(game, seed, round_number).deals
    return deals[number] if number < len(deals) else None


class SentCommand(NamedTuple):
    """One command to one seat."""

    seat: Seat
    command: Command


class Decision(NamedTuple):
    """One decision, in the words of the protocol; `deal` from 0."""

    deal: int
    seat: Seat
    request: Command
    word: str


@dataclass(frozen=True)
class Position:
    """A match between two decisions; `state` belongs to the last of `deals`.

    `before` is the position before the last decision, `action`; None at the opening. `made` is the number of
    decisions.
    """

    game: AnyGame
    seed: str
    round_number: int
    deals: tuple[Deal, ...]
    state: State
    totals: tuple[int, ...]
    before: Position | None = field(default=None, compare=False, repr=False)
    action: Action = -1
    made: int = 0

    @classmethod
    def opening(cls, game: AnyGame, seed: str, round_number: int = 1) -> Self:
        """The position in which the first deal is dealt and nothing has been sent."""
        deal = planned_deal(game, seed, round_number, 0, None)
        assert deal is not None, "a game has a deal"
        return cls(game, seed, round_number, (deal,), game.start(deal), (0,) * game.seats)

    @property
    def to_act(self) -> Seat | None:
        """The seat that decides next; None when the match is over."""
        return self.state.to_act[0] if self.state.to_act else None

    @property
    def request(self) -> Command:
        """The command that asks for the next decision."""
        return self.game.request(self.state, self.state.to_act[0])

    @property
    def answer_words(self) -> int:
        """The number of words in the answer to the request."""
        return self.game.answer_words(self.state, self.state.to_act[0])

    @cached_property
    def news(self) -> tuple[SentCommand, ...]:
        """The commands between the last decision and the next one, in order."""
        game, before = self.game, self.before
        sent: list[SentCommand] = []
        if before is None:
            sent += _to_each_seat(game.greeting())
        else:
            seat = before.state.to_act[0]
            after = before.state.apply(seat, self.action)
            for receivers, command in game.news(before.state, seat, self.action, after):
                sent += [SentCommand(receiver, command) for receiver in receivers]
        if before is None or len(self.deals) > len(before.deals):
            sent += _to_each_seat(game.dealt(self.deals[-1]))
        return tuple(sent)

    @cached_property
    def decisions(self) -> tuple[Decision, ...]:
        """All decisions, in order."""
        found, after = [], self
        while (position := after.before) is not None:
            seat = position.state.to_act[0]
            word = self.game.action_text(position.state, seat, after.action)
            found.append(Decision(len(position.deals) - 1, seat, position.request, word))
            after = position
        return tuple(reversed(found))

    def parse(self, word: str) -> Action:
        """Return the legal action that a word means for the seat to act; IllegalAction with the reason."""
        seat = self.state.to_act[0]
        action = self.game.parse(self.state, seat, word)
        self.state.apply(seat, action)
        return action

    def words(self) -> list[str]:
        """Return the legal answers of the seat to act."""
        seat = self.state.to_act[0]
        return [self.game.action_text(self.state, seat, action) for action in self.state.legal(seat)]

    def apply(self, action: Action) -> Self:
        """Return the position after a decision of the seat to act; IllegalAction if it is not legal."""
        game, totals, deals = self.game, self.totals, self.deals
        state = self.state.apply(self.state.to_act[0], action)
        if not state.to_act:
            totals = tuple(map(sum, zip(totals, state.points(), strict=True)))
            number = len(deals)
            deal = planned_deal(game, self.seed, self.round_number, number, state)
            if deal is not None:
                deals = (*deals, deal)
                state = game.start(deal)
        given = game, self.seed, self.round_number
        return type(self)(*given, deals, state, totals, self, action, self.made + 1)


def _to_each_seat(wordings: Iterable[tuple[Command, ...]]) -> Iterator[SentCommand]:
    """Yield commands to all seats; each wording has one command by seat."""
    for wording in wordings:
        for seat, command in enumerate(wording):
            yield SentCommand(seat, command)


class Dealt(NamedTuple):
    """A deal of a record begins; `shape` is its JSON there."""

    number: int
    shape: Mapping[str, Any]
    deal: Deal
    state: Any


class Moved(NamedTuple):
    """A move of a record, with the states before and after it."""

    move: Move
    before: Any
    action: Action
    after: Any


class DealOver(NamedTuple):
    """A deal of a record is over; `state` is its final state."""

    number: int
    state: Any


def retrace(record: MatchRecord, game: AnyGame) -> Iterator[Dealt | Moved | DealOver]:
    """Yield the events of a recorded match; StoreError where the record does not follow the game's rules."""
    moves = iter(record.moves)
    move = next(moves, None)
    for number, shape in enumerate(record.deals):
        deal = recorded_deal(record, game, number)
        state = game.start(deal)
        yield Dealt(number, shape, deal, state)
        while move is not None and move.deal == number:
            if not state.to_act or game.request(state, move.seat) != move.request:
                raise StoreError(
                    f"{record.id}: {move.action} of seat {move.seat}: the game did not request it"
                )
            try:
                action = game.parse(state, move.seat, move.action)
                after = state.apply(move.seat, action)
            except IllegalAction as error:
                raise StoreError(f"{record.id}: {move.action} of seat {move.seat}: {error}") from None
            yield Moved(move, state, action, after)
            state = after
            move = next(moves, None)
        if not state.to_act:
            yield DealOver(number, state)
    if move is not None:
        raise StoreError(f"{record.id}: {move.action} of seat {move.seat} belongs to no deal")


def recorded_deal(record: MatchRecord, game: AnyGame, number: int) -> Deal:
    """Return a recorded deal as dealt, without `special` and `exchange` decided at the table; StoreError."""
    shape = dict(record.deals[number])
    asked = {move.request.partition(" ")[0] for move in record.moves if move.deal == number}
    if "gen_special" in asked or "gen_exchange" in asked:
        # Given deals may contain these keys; here they were decided at the table.
        for key in _DECIDED:
            shape.pop(key, None)
    try:
        return game.deal_from_json(shape)
    except ConfigError as error:
        raise StoreError(f"{record.id}: deal {number}: {error}") from None
