"""The interface of a game, built-in or of another package.

A `Game` is stateless and picklable: options go to its constructor, and play changes only immutable
`State` values, one per deal. The referee asks the first seat in `to_act`, applies the answer, and sends
the `news`. The commands for each seat are data, so that a test can find leaks.

    deal = game.next_deal(0, stream, None)
    state = game.start(deal)
    while state.to_act:
        seat = state.to_act[0]
        state = state.apply(seat, state.legal(seat)[0])
    state.points()
"""

from __future__ import annotations

import json
from abc import abstractmethod
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeAlias, TypeVar

from arbiter.errors import ConfigError
from arbiter.games.cards import Card
from arbiter.games.labels import PASS, Faces

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from arbiter.games.cards import Stream

Seat = int
Action = int
Command = str
"""One line of a game's protocol, without its line end."""


class Tell(NamedTuple):
    """One command, and the seats that receive it, in order."""

    seats: tuple[Seat, ...]
    command: Command


class Answered(NamedTuple):
    """A request to a seat, and its answer in canonical words."""

    seat: Seat
    request: Command
    words: str


class Exchange(NamedTuple):
    """Cards that one seat gave another; only these two seats know their names."""

    giver: Seat
    taker: Seat
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Deal:
    """The cards and roles given out once.

    `hands` are by seat, in the order dealt; `seat` has the deal's special role (starter, dealer,
    landlord, opener: `Game.seat_word`); `extra` has cards of no seat yet, or of all.
    """

    hands: tuple[tuple[Card, ...], ...]
    seat: Seat = 0
    extra: tuple[Card, ...] = ()

    def rotated(self, shift: int) -> Deal:
        """Return the deal with every hand and role moved `shift` seats on."""
        n = len(self.hands)
        hands = tuple(self.hands[(seat - shift) % n] for seat in range(n))
        return Deal(hands, (self.seat + shift) % n, self.extra)


class State(Protocol):
    """One deal in progress. Immutable and hashable; `apply` returns a new one."""

    @property
    def to_act(self) -> tuple[Seat, ...]:
        """The seats that decide now, several if simultaneously; () when the deal is over."""

    def legal(self, seat: Seat) -> Sequence[Action]:
        """Return the legal actions of a seat in `to_act`: ascending, never empty."""

    def allows(self, seat: Seat, action: Action) -> bool:
        """Return True if `action` is legal, without enumerating all."""

    def apply(self, seat: Seat, action: Action) -> Self:
        """Return the state after the action; IllegalAction."""

    def points(self) -> tuple[int, ...]:
        """Return the points by seat of a deal that is over."""


S = TypeVar("S", bound=State)


class Game(Faces, Generic[S]):
    """A game with its options: the rules and the protocol.

    `S` is its type of state. Two games of one class with equal options are equal.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    seat_word: ClassVar[str] = "starter"
    option_help: ClassVar[Mapping[str, str]] = {}
    """Every option of the constructor with a line of explanation."""
    observer: ClassVar[str] = ""
    """``module:class`` of its `arbiter.envs.observers.Observer`; "" for the default, for any game."""
    hearing: ClassVar[str] = ""
    """``module:class`` of its `information_state.Hearing`; "" for the default, for most games."""
    manual: ClassVar[str] = ""
    """Rules and commands for authors of bots, as Markdown with headings ``##``, shown by sites."""

    seats: int
    actions: int
    """Size of the action table: actions are 0..actions-1."""
    sides: tuple[int, ...] | None = None
    """Fixed partnerships by seat, such as (0, 1, 0, 1)."""
    chained: bool = False
    """True if a deal depends on the result of the deal before."""
    endless: bool = False
    """True if only the play ends a match, as in one to a number of points."""
    _given: tuple[Deal, ...] | None = None
    _continues: bool = False  # the programme continues after the given deals

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        options = ", ".join(f"{key}={value!r}" for key, value in self.options.items())
        return f"{type(self).__name__}({options})"

    def _identity(self) -> tuple[str, tuple[Deal, ...] | None, bool]:
        return json.dumps(self.options, sort_keys=True), self._given, self._continues

    @property
    def seatings(self) -> tuple[tuple[int, ...], ...]:
        """For each match of a table, by seat, the index of the player in the table's list.

        By default all cyclic shifts; shift s moves each player s seats on.
        """
        n = self.seats
        return tuple(tuple((seat - shift) % n for seat in range(n)) for shift in range(n))

    @property
    def table_size(self) -> int:
        """The number of players of a table."""
        return max(self.seatings[0]) + 1

    @property
    def duels(self) -> tuple[tuple[Game[S], tuple[int, ...]], ...]:
        """Balanced matches between two versions of a bot, 0 and 1: for each its game, and the version in
        each seat.

        By default each version has half of the table, in all seatings; of an odd table, each has the
        larger part once.
        """
        size = self.table_size
        halves = {size // 2, size - size // 2}
        tables = [(0,) * part + (1,) * (size - part) for part in sorted(halves)]
        return tuple(
            (self, tuple(table[place] for place in places)) for table in tables for places in self.seatings
        )

    @property
    @abstractmethod
    def options(self) -> dict[str, Any]:
        """The options that build this game again, as JSON values."""

    @abstractmethod
    def next_deal(self, number: int, stream: Stream, last: S | None) -> Deal | None:
        """Return deal `number` (from 0), drawn from `stream`; None ends the match.

        `last` is the final state of the deal before, for games in which its result matters.
        """

    @abstractmethod
    def start(self, deal: Deal) -> S:
        """Return the first state of a deal."""

    @abstractmethod
    def greeting(self) -> Iterable[tuple[Command, ...]]:
        """Return the commands at the start of a match: each item is one command, with its wording by seat."""

    @classmethod
    def options_told(cls, greeting: Mapping[str, Sequence[str]]) -> dict[str, Any]:  # noqa: ARG003
        """Return the options in a greeting, given the words after each of its commands; by default {}.

        ValueError, IndexError or ConfigError for a greeting of another game.
        """
        return {}

    @abstractmethod
    def dealt(self, deal: Deal) -> Iterable[tuple[Command, ...]]:
        """Return the commands at the start of a deal: each item is one command, with its wording by seat."""

    @abstractmethod
    def request(self, state: S, seat: Seat) -> Command:
        """Return the ``gen_`` command that asks a seat for its decision."""

    def answer_words(self, state: S, seat: Seat) -> int:  # noqa: ARG002
        """Return the number of words in the answer, by default 1; `parse` gets them with single blanks."""
        return 1

    @abstractmethod
    def parse(self, state: S, seat: Seat, text: str) -> Action:
        """Return the action of a reply, legal or not; IllegalAction with a reason.

        May also raise, with a reason, for actions that `State.allows` refuses.
        """

    @abstractmethod
    def action_text(self, state: S, seat: Seat, action: Action) -> str:
        """Return the canonical word for an action, as a bot would send it."""

    @abstractmethod
    def news(self, before: S, seat: Seat, action: Action, after: S) -> Iterable[Tell]:
        """Return the commands after an action, each with the seats that receive it."""

    @abstractmethod
    def hand(self, state: S, seat: Seat) -> tuple[Card, ...]:
        """Return the cards of a seat, ascending."""

    def deal_json(self, deal: Deal) -> dict[str, Any]:
        """Return a deal as in a match record's ``deals``."""
        shape: dict[str, Any] = {"hands": [[self.card_name(c) for c in hand] for hand in deal.hands]}
        shape[self.seat_word] = deal.seat
        if deal.extra:
            shape["extra"] = [self.card_name(card) for card in deal.extra]
        return shape

    def deal_record(self, deal: Deal, state: S) -> dict[str, Any]:  # noqa: ARG002
        """Return a deal whose last state is `state` as a match record stores it; see `deal_json`."""
        return self.deal_json(deal)

    def deal_from_json(self, shape: Mapping[str, Any]) -> Deal:
        """Return the deal that `deal_json` wrote; ConfigError if it is not a deal of this game."""
        try:
            hands = [tuple(map(self.card_of, hand)) for hand in shape["hands"]]
            extra = tuple(map(self.card_of, shape.get("extra", ())))
            seat = shape.get(self.seat_word, 0)
        except KeyError as error:
            what = f"has an unknown card {error}" if "hands" in shape else "has no hands"
            raise ConfigError(f"a given deal {what}") from None
        except (TypeError, AttributeError):
            example = f'{{"hands": [["{self.card_name(0)}", ...], ...], ...}}'
            raise ConfigError(f"a given deal is not {example}") from None
        if unknown := sorted(set(shape) - {"hands", "extra", self.seat_word}):
            raise ConfigError(f"a given deal has an unknown key {unknown[0]!r}")
        if type(seat) is not int or not 0 <= seat < self.seats:
            raise ConfigError(f"a given deal's {self.seat_word} is not a seat 0..{self.seats - 1}")
        return self._given_deal(hands, seat, extra)

    def _given_deal(self, hands: Sequence[tuple[Card, ...]], seat: Seat, extra: tuple[Card, ...]) -> Deal:
        """Return the deal with these hands; ConfigError if it is not a deal of this game."""
        cards = [card for hand in hands for card in hand]
        if len(hands) != self.seats or len(set(cards)) != len(cards):
            hint = f"got {len(hands)} hands with {len(cards)} cards, {len(set(cards))} of them different"
            raise ConfigError(f"a given deal needs {self.seats} hands without a card twice", hint=hint)
        return Deal(tuple(hands), seat, extra)

    def table(self, state: S) -> tuple[tuple[Seat, str], ...]:  # noqa: ARG002
        """Return the plays on the table, in order: seat and word; by default ()."""
        return ()

    def roles(self, state: S) -> dict[str, Any]:  # noqa: ARG002
        """Return public facts other than cards: trump, declarations, tricks taken.

        A list with a value for each seat is shown beside the seats, others beside the table; None means not
        known yet, "" nothing to show; of ``role`` only the value is shown.
        """
        return {}

    def deal_roles(self, deal: Deal, state: S) -> dict[str, Any]:  # noqa: ARG002
        """Return public facts of a deal in `state`: the seat with the special role, open cards."""
        roles: dict[str, Any] = {self.seat_word: deal.seat}
        if deal.extra:
            roles["extra"] = [self.card_name(card) for card in deal.extra]
        return roles

    def revealed(self, before: S, seat: Seat, action: Action, after: S) -> tuple[tuple[Seat, str], ...]:
        """Return the answers, by seat, that an action makes public; by default its own if all receive it."""
        all_hear = any(len(seats) == self.seats for seats, _ in self.news(before, seat, action, after))
        return ((seat, self.action_text(before, seat, action)),) if all_hear else ()

    def laid(self, before: S, seat: Seat, action: Action, after: S) -> str:
        """Return the word of an action that lays cards on the table in public; "" for other actions."""
        word = dict(self.revealed(before, seat, action, after)).get(seat, "")
        return word if self.cards_of(word) or (word == PASS and self.table(before)) else ""

    def taker(self, before: S, after: S) -> Seat | None:  # noqa: ARG002
        """Return the seat that took the table's cards by the action between two states; by default None."""
        return None

    def exchanged(self, before: S | None, after: S) -> Sequence[Exchange]:  # noqa: ARG002
        """Return the cards that changed hands by the action between two states, or when the deal began."""
        return ()

    def conclusion(self, points: Sequence[int], state: S) -> str:  # noqa: ARG002
        """Return the winner of a match that ended in this state, for people; by default "", no need."""
        return ""

    def options_for(self, deals: Sequence[Deal]) -> dict[str, Any]:  # noqa: ARG002
        """Return the options that differ if exactly these deals are played, by default {}; ConfigError."""
        return {}

    def given(self, deals: Sequence[Deal]) -> Self:
        """Return the game with exactly these deals as its programme; ConfigError if they cannot be."""
        changed = self.options_for(deals)
        game = type(self)(**{**self.options, **changed}) if changed else copy(self)
        game._given = tuple(deals)
        return game

    def begun(self, deals: Sequence[Deal]) -> Self:
        """Return the game with these deals first, then the remaining deals of this one."""
        game = copy(self)
        game._given = (*deals, *(self._given or ())[len(deals) :])
        game._continues = self._given is None or self._continues
        return game

    def deal(self, number: int, stream: Stream, last: S | None) -> Deal | None:
        """Return deal `number`, from 0: a given one, or else from `next_deal`; None ends the match.

        `last` is the final state of the deal before, None for the first.
        """
        if self._given is not None and number < len(self._given):
            return self._given[number]
        return self.next_deal(number, stream, last) if self._given is None or self._continues else None


AnyGame: TypeAlias = Game[Any]
"""A game with states of any type."""
