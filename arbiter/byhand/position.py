"""Where a match stands: an immutable value, with what the seats have yet to be told.

The order of commands is the referee's, in strict delivery. A position lies between two decisions:
the last one has been made and the next one not yet asked for; `news` is what is said in between,
the greeting and the cards of a new deal included.

    position = Position.opening(game, "seed")
    while (seat := position.to_act) is not None:
        position = position.decided(position.state.legal(seat)[0])
    position.totals
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from arbiter.cards import Stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from arbiter.rules import Action, AnyGame, Command, Deal, Seat, State


class Told(NamedTuple):
    """One command to one seat."""

    seat: Seat
    command: Command


class Decision(NamedTuple):
    """One decision that was made, in the words of the protocol; `deal` from 0."""

    deal: int
    seat: Seat
    request: Command
    word: str


@dataclass(frozen=True, slots=True)
class Position:
    """A match between two decisions; `state` is of the last of `deals`.

    `known` are deals that take the place of the drawn ones, as far as they go.
    """

    game: AnyGame
    seed: str
    round_number: int
    known: tuple[Deal, ...]
    deals: tuple[Deal, ...]
    state: State
    totals: tuple[int, ...]
    decisions: tuple[Decision, ...]
    news: tuple[Told, ...]

    @classmethod
    def opening(
        cls, game: AnyGame, seed: str, round_number: int = 1, known: tuple[Deal, ...] = ()
    ) -> Position:
        """The first deal is given out, and nobody has been told anything."""
        deal = _deal(game, seed, round_number, known, 0, None)
        assert deal is not None, "a game has a deal"
        news = (*_worded(game.greeting()), *_worded(game.dealt(deal)))
        start = game.start(deal)
        return cls(game, seed, round_number, known, (deal,), start, (0,) * game.seats, (), tuple(news))

    @property
    def to_act(self) -> Seat | None:
        """Who decides next; None when the match is over."""
        return self.state.to_act[0] if self.state.to_act else None

    @property
    def request(self) -> Command:
        """The command that asks for the next decision."""
        return self.game.request(self.state, self.state.to_act[0])

    @property
    def answer_words(self) -> int:
        """How many words the answer to the request has."""
        return self.game.answer_words(self.state, self.state.to_act[0])

    def parse(self, word: str) -> Action:
        """The legal action that a word means for the seat to act; IllegalAction with the reason."""
        seat = self.state.to_act[0]
        action = self.game.parse(self.state, seat, word)
        self.state.apply(seat, action)
        return action

    def words(self) -> list[str]:
        """All that the seat to act may answer."""
        seat = self.state.to_act[0]
        return [self.game.action_text(self.state, seat, action) for action in self.state.legal(seat)]

    def decided(self, action: Action) -> Position:
        """The position after a decision of the seat to act; IllegalAction if it may not do that."""
        game, before, seat = self.game, self.state, self.state.to_act[0]
        state = before.apply(seat, action)
        word = game.action_text(before, seat, action)
        decision = Decision(len(self.deals) - 1, seat, game.request(before, seat), word)
        told = game.news(before, seat, action, state)
        news = [Told(hearer, command) for hearers, command in told for hearer in hearers]
        totals, deals = self.totals, self.deals
        if not state.to_act:
            totals = tuple(map(sum, zip(totals, state.points(), strict=True)))
            deal = _deal(game, self.seed, self.round_number, self.known, len(deals), state)
            if deal is not None:
                deals = (*deals, deal)
                news += _worded(game.dealt(deal))
                state = game.start(deal)
        return replace(
            self,
            deals=deals,
            state=state,
            totals=totals,
            decisions=(*self.decisions, decision),
            news=tuple(news),
        )

    def hand(self, seat: Seat) -> str:
        """What a seat has left of its cards, for people."""
        return self.game.hand_text(self.game.hand(self.state, seat))


def _deal(
    game: AnyGame, seed: str, round_number: int, known: tuple[Deal, ...], number: int, last: State | None
) -> Deal | None:
    """Deal `number` of a match: the known one, else the next of the programme."""
    if number < len(known):
        return known[number]
    return game.deal(number, Stream.of_deal(seed, round_number, number), last)


def _worded(wordings: Iterable[tuple[Command, ...]]) -> Iterator[Told]:
    """Commands to all seats, each in its own words, one after the other."""
    for wording in wordings:
        for seat, command in enumerate(wording):
            yield Told(seat, command)
