"""Planning (Planowanie): declare simultaneously how many tricks you will take, then take them.

A deal of c cards: each seat declares 0..c without knowing the others' declarations; c tricks
with the first suit as trump; each trick counts one point, and a player who took exactly as many as
declared gets c more. Action ids: declarations 0..top, then the cards in index order; `top` is the
largest number of cards in the programme (13 in the tournament, so cards are 14..65).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from arbiter.errors import ConfigError, IllegalAction, Problem
from arbiter.games import KEEP_HAND
from arbiter.games.cards import Card, Deck, Stream
from arbiter.games.game import Action, Command, Deal, Seat, Tell
from arbiter.games.tricks import FOLLOW_SUIT, DeckGame, Tricks, play_news
from arbiter.text import joined

TOURNAMENT_DECK = "23456789TJQKA CDHS"
TOURNAMENT_DEALS = tuple((count, (count - 1) % 4) for count in range(1, 14))
MAX_DECK = 256
_new = tuple.__new__


class PlanningState(NamedTuple):
    """A deal of Planning in progress; a tuple, so immutable, hashable and quick to make.

    `hands` are masks of action ids; `declared` has None for seats that have not declared yet;
    `trick` is None until all have declared, then the cards of the trick in order of play;
    `leader` leads the current trick; `size` is the number of cards dealt to each.
    """

    game: Planning
    to_act: tuple[Seat, ...]
    hands: tuple[int, ...]
    declared: tuple[int | None, ...]
    taken: tuple[int, ...]
    trick: tuple[Action, ...] | None
    leader: Seat
    size: int

    def legal(self, seat: Seat) -> Sequence[Action]:
        if self.trick is None:
            return range(self.size + 1)
        if self.trick:
            return self.game.tricks.to_follow(self.hands[seat], self.trick[0])
        return self.game.tricks.actions_of(self.hands[seat])

    def allows(self, seat: Seat, action: Action) -> bool:
        if seat not in self.to_act or action < 0:
            return False
        if self.trick is None:
            return action <= self.size
        hand = self.hands[seat]
        if not hand >> action & 1:
            return False
        if not self.trick:
            return True
        suit = self.game.tricks.suit_mask[self.trick[0]]
        return bool(suit >> action & 1 or not hand & suit)

    def apply(self, seat: Seat, action: Action) -> PlanningState:
        game, to_act, hands, declared, taken, trick, leader, size = self
        if trick is None:
            if not self.allows(seat, action):
                raise self._refusal(seat, action)
            declared = (*declared[:seat], action, *declared[seat + 1 :])
            to_act = tuple(other for other in to_act if other != seat)
            if not to_act:
                to_act, trick = (leader,), ()
        else:
            # `allows` inlined: a call would cost an eighth of a ply.
            if (
                seat not in to_act
                or action < 0
                or not hands[seat] >> action & 1
                or (
                    trick
                    and hands[seat] & (suit := game.tricks.suit_mask[trick[0]])
                    and not suit >> action & 1
                )
            ):
                raise self._refusal(seat, action)
            left = list(hands)
            left[seat] ^= 1 << action
            hands = tuple(left)
            trick += (action,)
            if len(trick) < game.seats:
                to_act = game.after[seat]
            else:
                leader = (leader + game.tricks.winner(trick)) % game.seats
                taken = (*taken[:leader], taken[leader] + 1, *taken[leader + 1 :])
                to_act = (leader,) if left[seat] else ()
                trick = ()
        # `tuple.__new__`: the named constructor would cost a third of a ply.
        fields = (game, to_act, hands, declared, taken, trick, leader, size)
        return _new(PlanningState, fields)

    def points(self) -> tuple[int, ...]:
        """Return the tricks taken by seat, plus `size` for seats that took as many as declared."""
        return tuple(
            taken + (self.size if taken == declared else 0)
            for taken, declared in zip(self.taken, self.declared, strict=True)
        )

    def _refusal(self, seat: Seat, action: Action) -> IllegalAction:
        game = self.game
        if seat not in self.to_act:
            return IllegalAction(f"it is not seat {seat}'s turn")
        if self.trick is None:
            what = f"a declaration is an integer from 0 to {self.size}"
            return IllegalAction(what, fix="declare no more tricks than the number of cards in set_cards")
        if not game.tricks.offset <= action < game.actions:
            return IllegalAction("a card is to be played, not a declaration")
        name = game.card_name(action - game.tricks.offset)
        if not self.hands[seat] >> action & 1:
            return IllegalAction(f"{name} is not in hand", name, KEEP_HAND)
        led = game.card_name(self.trick[0] - game.tricks.offset) if self.trick else ""
        return IllegalAction(f"{name} does not follow suit ({led} was led)", name, FOLLOW_SUIT)


class Planning(DeckGame[PlanningState]):
    """The game with its deck, number of players and list of deals.

    `deck` is the values, weakest first, a blank, and the suits, trump first; `deals` a list of
    (cards for each, starting seat). ConfigError, with the option's path, for invalid values.
    """

    name: ClassVar[str] = "planning"
    title: ClassVar[str] = "Planning"
    about: ClassVar[str] = (
        "A game of tricks and forecasts. Before each deal all players declare in secret how many "
        "tricks they will take; then the cards are played, following suit, with one suit as trump. Each "
        "trick is a point, and a forecast that comes exactly true is worth as many points more as cards "
        "were dealt to each. Most points of all deals win."
    )
    observer: ClassVar[str] = "arbiter.envs.observers.planning:PlanningObserver"
    option_help: ClassVar[Mapping[str, str]] = {
        "seats": "number of players, 2 to 4",
        "deck": 'values, weakest first, and suits, trump first: "23456789TJQKA CDHS"',
        "deals": "list of [cards for each player, starting seat]",
    }

    def __init__(
        self,
        seats: int = 4,
        deck: str = TOURNAMENT_DECK,
        deals: Sequence[Sequence[int]] | None = None,
    ) -> None:
        problems: list[Problem] = []
        self.seats = self._checked_seats(seats, problems)
        self.deck = self._checked_deck(deck, problems)
        self.programme = self._checked_deals(deals, problems)
        if problems:
            raise ConfigError(problems)
        top = max(count for count, _ in self.programme)
        self.tricks = Tricks(self.deck, trump=0, offset=top + 1)
        self.actions = top + 1 + len(self.deck)
        self.after = tuple(((seat + 1) % seats,) for seat in range(seats))
        self._plays = play_news(self.deck, seats, top + 1)

    @property
    def options(self) -> dict[str, Any]:
        return {
            "seats": self.seats,
            "deck": f"{self.deck.values} {self.deck.suits}",
            "deals": [list(deal) for deal in self.programme],
        }

    def next_deal(self, number: int, stream: Stream, last: PlanningState | None) -> Deal | None:  # noqa: ARG002
        """Shuffle the whole deck; seat s gets cards s*c .. s*c+c-1."""
        if number >= len(self.programme):
            return None
        count, starter = self.programme[number]
        cards = stream.shuffled(len(self.deck))
        hands = tuple(tuple(cards[seat * count : (seat + 1) * count]) for seat in range(self.seats))
        return Deal(hands, starter)

    def options_for(self, deals: Sequence[Deal]) -> dict[str, Any]:
        """Return the sizes and starters of these deals; ConfigError if hands of a deal differ in size."""
        for number, deal in enumerate(deals):
            if len({len(hand) for hand in deal.hands}) != 1:
                raise ConfigError(f"given deal {number}: all hands must have the same size")
        return {"deals": [(len(deal.hands[0]), deal.seat) for deal in deals]}

    def start(self, deal: Deal) -> PlanningState:
        """Return the first state, in which all seats declare."""
        seats = tuple(range(self.seats))
        hands = tuple(self.tricks.mask_of(hand) for hand in deal.hands)
        undeclared = (None,) * self.seats
        zero = (0,) * self.seats
        return PlanningState(self, seats, hands, undeclared, zero, None, deal.seat, len(deal.hands[0]))

    def greeting(self) -> Iterable[tuple[Command, ...]]:
        yield (f"set_deck {self.deck.values} {self.deck.suits}",) * self.seats
        yield tuple(f"set_players {self.seats} {seat}" for seat in range(self.seats))
        flat = " ".join(f"{count} {starter}" for count, starter in self.programme)
        yield (f"set_game {len(self.programme)} {flat}",) * self.seats

    @classmethod
    def options_told(cls, greeting: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        options: dict[str, Any] = {}
        if "set_deck" in greeting:
            options["deck"] = " ".join(greeting["set_deck"])
        if "set_players" in greeting:
            options["seats"] = int(greeting["set_players"][0])
        if "set_game" in greeting:
            numbers = list(map(int, greeting["set_game"][1:]))
            options["deals"] = [list(pair) for pair in zip(numbers[::2], numbers[1::2], strict=True)]
        return options

    def request(self, state: PlanningState, seat: Seat) -> Command:  # noqa: ARG002
        return "gen_declare" if state.trick is None else "gen_move"

    def parse(self, state: PlanningState, seat: Seat, text: str) -> Action:  # noqa: ARG002
        """Parse an integer without sign (leading zeros are allowed), or a card's name; IllegalAction."""
        if state.trick is None:
            digits = text.lstrip("0") or "0"
            if not (text.isascii() and text.isdigit()) or len(digits) > 3:
                raise IllegalAction("a declaration is an integer from 0 to the number of cards")
            return int(digits)
        card = self.deck.index.get(text)
        if card is None:
            raise IllegalAction(f"there is no such card in the deck ({self.options['deck']})")
        return card + self.tricks.offset

    def action_text(self, state: PlanningState, seat: Seat, action: Action) -> str:  # noqa: ARG002
        if state.trick is None:
            return str(action)
        return self.deck.names[action - self.tricks.offset]

    def news(self, before: PlanningState, seat: Seat, action: Action, after: PlanningState) -> Iterable[Tell]:
        """Report all declarations after the last, and every card, to all seats."""
        if before.trick is not None:
            return self._plays[seat][action]
        if after.trick is None:
            return ()
        everybody = tuple(range(self.seats))
        return [Tell(everybody, f"declare {i} {n}") for i, n in enumerate(after.declared)]

    def hand(self, state: PlanningState, seat: Seat) -> tuple[Card, ...]:
        return self.tricks.cards_of(state.hands[seat])

    def table(self, state: PlanningState) -> tuple[tuple[Seat, str], ...]:
        names, first = self.deck.names, self.tricks.offset
        return tuple(
            ((state.leader + place) % self.seats, names[card - first])
            for place, card in enumerate(state.trick or ())
        )

    def roles(self, state: PlanningState) -> dict[str, Any]:
        """Return declarations (None until all have declared), tricks taken, the trick's number, the trump."""
        declared = [None] * self.seats if state.trick is None else list(state.declared)
        number = sum(state.taken) + bool(state.trick)
        return {
            "declared": declared,
            "taken": list(state.taken),
            "trick": f"{number or 1} of {state.size}",
            "trump": self.deck.suits[0],
        }

    def asks(self, request: Command) -> str:
        return "declare a number of tricks" if request == "gen_declare" else super().asks(request)

    def says(self, request: Command, words: str) -> str:
        return f"declares {words}" if request == "gen_declare" else super().says(request, words)

    def must(self, state: PlanningState, seat: Seat) -> str:
        return self.tricks.must_follow(state.hands[seat], state.trick[0]) if state.trick else ""

    def says_deal(self, state: PlanningState, names: Sequence[str]) -> str:
        exact = [names[seat] for seat in range(self.seats) if state.taken[seat] == state.declared[seat]]
        if len(exact) in (0, self.seats):
            return f"{'all' if exact else 'none'} took what they declared"
        return f"{joined(exact)} took what {'each' if len(exact) > 1 else 'it'} declared"

    def revealed(
        self, before: PlanningState, seat: Seat, action: Action, after: PlanningState
    ) -> tuple[tuple[Seat, str], ...]:
        """See `Game.revealed`: each card; all declarations after the last."""
        if before.trick is not None:
            return ((seat, self.action_text(before, seat, action)),)
        if after.trick is None:
            return ()
        return tuple((declarer, str(number)) for declarer, number in enumerate(after.declared))

    def taker(self, before: PlanningState, after: PlanningState) -> Seat | None:
        """Return the winner of the trick that ended between the states, or None."""
        return after.leader if after.taken != before.taken else None

    def _checked_seats(self, seats: object, problems: list[Problem]) -> int:
        """Return a number of players from 2 to 4; for anything else 4, and add to `problems`."""
        if type(seats) is int and 2 <= seats <= 4:
            return seats
        problems.append(Problem(("seats",), f"{seats!r} is not a number of players from 2 to 4"))
        return 4

    def _checked_deck(self, deck: object, problems: list[Problem]) -> Deck:
        """Return the deck of "VALUES SUITS"; for an invalid text the tournament's, and add to `problems`."""
        words = deck.split() if isinstance(deck, str) else []
        message = ""
        if len(words) != 2:
            message = f"{deck!r} is not a deck"
        elif any(len(set(word)) != len(word) for word in words):
            message = f"{deck!r} names something twice"
        elif not all(word.isascii() and word.isprintable() for word in words):
            message = f"{deck!r} has a character that is not plain"
        elif not self.seats <= len(words[0]) * len(words[1]) <= MAX_DECK:
            message = f"{deck!r} has {len(words[0]) * len(words[1])} cards, not {self.seats} to {MAX_DECK}"
        if message:
            hint = 'write the values, a blank, the suits: "23456789TJQKA CDHS"'
            problems.append(Problem(("deck",), message, hint))
            words = TOURNAMENT_DECK.split()
        return Deck(*words)

    def _checked_deals(self, deals: object, problems: list[Problem]) -> tuple[tuple[int, Seat], ...]:
        """Return the programme, for None the tournament's that the cards allow; add to `problems`."""
        most = len(self.deck) // self.seats
        if deals is None:
            return tuple((count, start % self.seats) for count, start in TOURNAMENT_DEALS if count <= most)
        if not isinstance(deals, list | tuple) or not deals:
            problems.append(Problem(("deals",), "not a list of [cards, starter] pairs"))
            return ((1, 0),)
        for number, deal in enumerate(deals):
            path = ("deals", number)
            if not isinstance(deal, list | tuple) or [type(n) for n in deal] != [int, int]:
                problems.append(Problem(path, f"{deal!r} is not a pair [cards, starter]"))
                continue
            count, starter = deal
            if not 1 <= count <= most:
                message = f"{count} cards each: {len(self.deck)} cards give {self.seats} players 1 to {most}"
                problems.append(Problem((*path, 0), message))
            if not 0 <= starter < self.seats:
                message = f"starter {starter} is not a seat 0..{self.seats - 1}"
                problems.append(Problem((*path, 1), message))
        return ((1, 0),) if problems else tuple((count, starter) for count, starter in deals)
