"""Codepiece: two sides bid, the highest bidder names trump, and a seat that can overtake an opponent must.

Seats 0 and 2 play against 1 and 3. Action ids: 0 pass, 1..6 the bids 8..13, 7..10 trumps S, H, D,
C, then the 52 cards in index order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

from arbiter.errors import ConfigError, IllegalAction, Problem
from arbiter.games import KEEP_HAND, check_choice, check_seats
from arbiter.games.cards import Card, Deck, Stream
from arbiter.games.game import Action, Command, Deal, Seat, Tell
from arbiter.games.labels import SUITS
from arbiter.games.tricks import FOLLOW_SUIT, DeckGame, Tricks, play_news

DECK = Deck("23456789TJQKA", "CDHS")
SEATS = 4
HAND = 13
TRICKS = 13
LOWEST, HIGHEST, FORCED = 8, 13, 7
PASS = 0
TRUMPS = "SHDC"
FIRST_TRUMP = 7
FIRST_CARD = 11
WORDS = (
    "pass",
    *(f"bid_{bid}" for bid in range(LOWEST, HIGHEST + 1)),
    *(f"trump_{suit}" for suit in TRUMPS),
    *DECK.names,
)
"""The word of every action."""
IDS = {word: action for action, word in enumerate(WORDS)}
ASKED = {
    "gen_bid": "pass or a bid from bid_8 to bid_13",
    "gen_trump": "one of trump_S, trump_H, trump_D, trump_C",
    "gen_move": "a card of your hand, value then suit, such as TD",
}
OUTBID = "answer gen_bid with a higher bid than all before, or with pass"
OVERTAKE = (
    "where an opponent wins the trick so far and cards that you may play beat it, answer with one of these"
)
"""Advice for bots."""
NO_TRUMP = -1
EVERYBODY = (0, 1, 2, 3)
AFTER = ((1,), (2,), (3,), (0,))
DEFAULT_DEALERS = (0, 1, 2, 3)
# The three partnerings of a table's players a, b, c, d, by seat before they are shifted.
PARTNERINGS = ((0, 1, 2, 3), (0, 2, 1, 3), (0, 1, 3, 2))

_tricks = tuple(Tricks(DECK, trump, FIRST_CARD) for trump in range(len(DECK.suits)))
_any = _tricks[0]
_new = tuple.__new__

# By the highest bid so far (0: no bid), the actions of the next bidder; 7 is only ever the last bid.
_BIDS = tuple((PASS, *range(max(bid, LOWEST - 1) - LOWEST + 2, FIRST_TRUMP)) for bid in range(HIGHEST + 1))
_TRUMPS = tuple(range(FIRST_TRUMP, FIRST_CARD))
_PLAYS = play_news(DECK, SEATS, FIRST_CARD)
OVER = tuple(tricks.over(trump) for trump, tricks in enumerate(_tricks))


def card_beats(card: str, other: str, led_suit: str, trump_suit: str) -> bool:
    """Return True if a card takes a trick from another, all by their names; ValueError for unknown names.

    A card that is neither of the suit led nor a trump takes no trick.
    """
    for name, known in ((card, DECK.names), (other, DECK.names), (led_suit, "CDHS"), (trump_suit, "CDHS")):
        if name not in tuple(known):
            raise ValueError(f"expected a card such as TD, or a suit, one of C, D, H, S, got {name!r}")
    suits = {led_suit: 1, trump_suit: 2}
    one, two = ((suits.get(name[1], 0), DECK.values.index(name[0])) for name in (card, other))
    return one[0] > 0 and one > two


class CodepieceState(NamedTuple):
    """A deal of Codepiece in progress.

    `hands` are masks of action ids. `bids` are (seat, bid) in order, 0 for a pass; `bid` is the highest
    and `leader` its bidder, -1 before the first. `trump` is a suit's number, -1 before it is named.
    `trick` has the actions of the trick on the table, led by `opened`; `best` wins it so far, played by
    `ahead`. The last trick of a deal stays on the table. `won` is the number of tricks by side.
    """

    to_act: tuple[Seat, ...]
    hands: tuple[int, ...]
    bids: tuple[tuple[Seat, int], ...]
    bid: int
    leader: Seat
    trump: int
    trick: tuple[Action, ...]
    opened: Seat
    best: Action
    ahead: Seat
    won: tuple[int, int]

    def legal(self, seat: Seat) -> Sequence[Action]:
        """Return higher bids and pass, the four trumps, or the cards that may be played."""
        if self.trump != NO_TRUMP:
            return _any.actions_of(self.playable(seat))
        return _BIDS[self.bid] if len(self.bids) < SEATS else _TRUMPS

    def allows(self, seat: Seat, action: Action) -> bool:
        if seat not in self.to_act or action < 0:
            return False
        if self.trump != NO_TRUMP:
            return bool(self.playable(seat) >> action & 1)
        return action in self.legal(seat)

    def apply(self, seat: Seat, action: Action) -> CodepieceState:
        to_act, hands, bids, bid, leader, trump, trick, opened, best, ahead, won = self
        if trump == NO_TRUMP:
            return self._after_bid_or_trump(seat, action)
        if seat not in to_act or action < 0 or not self.playable(seat) >> action & 1:
            raise self._refusal(seat, action)
        left = list(hands)
        left[seat] ^= 1 << action
        if not trick or len(trick) == SEATS:
            trick, opened, best, ahead = (action,), seat, action, seat
        else:
            trick += (action,)
            if OVER[trump][best] >> action & 1:
                best, ahead = action, seat
        if len(trick) < SEATS:
            to_act = AFTER[seat]
        else:
            mine, theirs = won
            won = (mine, theirs + 1) if ahead & 1 else (mine + 1, theirs)
            over = not left[seat] or won[1 - (leader & 1)] > TRICKS - bid
            if over:
                to_act = ()
            else:
                to_act, trick = (ahead,), ()
        fields = (to_act, tuple(left), bids, bid, leader, trump, trick, opened, best, ahead, won)
        return _new(CodepieceState, fields)

    def points(self) -> tuple[int, ...]:
        """Return by seat the bid if it was made, for the bidders, or twice that for the others."""
        side = self.leader & 1
        made = self.won[side] >= self.bid
        gain = self.bid if made else -2 * self.bid
        return tuple(gain if seat & 1 == side else -gain for seat in EVERYBODY)

    def playable(self, seat: Seat) -> int:
        """Return the mask of legal cards: follow suit, then overtake an opponent if possible."""
        hand, trick = self.hands[seat], self.trick
        if not trick:
            return hand
        cards = hand & _any.suit_mask[trick[0]] or hand
        if (self.ahead ^ seat) & 1:
            return cards & OVER[self.trump][self.best] or cards
        return cards

    def _after_bid_or_trump(self, seat: Seat, action: Action) -> CodepieceState:
        """Return the state after a bid, or after trump is named; IllegalAction."""
        to_act, hands, bids, bid, leader, _, trick, opened, best, ahead, won = self
        if seat not in to_act or action not in (_BIDS[bid] if len(bids) < SEATS else _TRUMPS):
            raise self._refusal(seat, action)
        if action >= FIRST_TRUMP:
            return self._replace(trump=DECK.suits.index(TRUMPS[action - FIRST_TRUMP]))
        value = action and action + LOWEST - 1
        bids = (*bids, (seat, value))
        if value:
            bid, leader = value, seat
        to_act = AFTER[seat]
        if len(bids) == SEATS:
            if not bid:
                bid, leader = FORCED, to_act[0]
                bids = (*bids, (leader, FORCED))
            to_act = (leader,)
        fields = (to_act, hands, bids, bid, leader, NO_TRUMP, trick, opened, best, ahead, won)
        return _new(CodepieceState, fields)

    def _refusal(self, seat: Seat, action: Action) -> IllegalAction:
        if seat not in self.to_act:
            return IllegalAction(f"it is not seat {seat}'s turn")
        bidding = len(self.bids) < SEATS
        if bidding:
            if PASS < action < FIRST_TRUMP:
                highest = WORDS[self.bid - LOWEST + 1]
                return IllegalAction(f"the highest bid is {highest} already", fix=OUTBID)
            return IllegalAction(f"{ASKED['gen_bid']} is asked for")
        if self.trump == NO_TRUMP:
            return IllegalAction(f"{ASKED['gen_trump']} is asked for")
        if not FIRST_CARD <= action < len(WORDS):
            return IllegalAction("a card is to be played")
        name, hand = WORDS[action], self.hands[seat]
        if not hand >> action & 1:
            return IllegalAction(f"{name} is not in hand", name, KEEP_HAND)
        led = _any.suit_mask[self.trick[0]]
        if hand & led and not led >> action & 1:
            led_card = WORDS[self.trick[0]]
            return IllegalAction(f"{name} does not follow suit ({led_card} was led)", name, FOLLOW_SUIT)
        what = f"{name} does not overtake {WORDS[self.best]}, and another card does"
        return IllegalAction(what, name, OVERTAKE)


class Codepiece(DeckGame[CodepieceState]):
    """The game with its dealers, one for each deal of a match.

    `partners` is the kind of tables: `mixed`, four players in all three partnerings and four
    shifts, or `same`, two players who each hold both seats of a side, and change sides.
    """

    name: ClassVar[str] = "codepiece"
    title: ClassVar[str] = "Codepiece"
    about: ClassVar[str] = (
        "A game of bids and tricks for two pairs, partners facing each other. Each player may once bid "
        "how many of the 13 tricks its pair will take, and the highest bidder names the trump. A bid "
        "that is made wins its points from the other pair; a bid that fails costs twice as many. Most "
        "points of all deals win."
    )
    observer: ClassVar[str] = "arbiter.envs.observers.codepiece:CodepieceObserver"
    seat_word: ClassVar[str] = "dealer"
    option_help: ClassVar[Mapping[str, str]] = {
        "dealers": "list of dealing seats, one for each deal",
        "partners": "mixed (tables of four, in all partnerings) or same (tables of two)",
    }
    deck = DECK
    seats = SEATS
    actions = len(WORDS)
    sides = (0, 1, 0, 1)

    def __init__(
        self,
        dealers: Sequence[Seat] = DEFAULT_DEALERS,
        partners: Literal["mixed", "same"] = "mixed",
    ) -> None:
        problems: list[Problem] = []
        self.dealers = check_seats("dealers", dealers, SEATS, problems)
        self.partners = check_choice(("mixed", "same"), "partners", partners, problems)
        if problems:
            raise ConfigError(problems)

    @property
    def options(self) -> dict[str, Any]:
        return {"dealers": list(self.dealers), "partners": self.partners}

    @property
    def seatings(self) -> tuple[tuple[int, ...], ...]:
        """See `Game.seatings`: three partnerings in four shifts each, or both sides in turn."""
        if self.partners == "same":
            return (0, 1, 0, 1), (1, 0, 1, 0)
        return tuple(
            tuple(players[(seat - shift) % SEATS] for seat in EVERYBODY)
            for players in PARTNERINGS
            for shift in EVERYBODY
        )

    @property
    def duels(self) -> tuple[tuple[Codepiece, tuple[int, ...]], ...]:
        """See `Game.duels`: a version has both seats of a side, then of the other, for any `partners`."""
        game = type(self)(**{**self.options, "partners": "same"})
        return tuple((game, places) for places in game.seatings)

    def next_deal(self, number: int, stream: Stream, last: CodepieceState | None) -> Deal | None:  # noqa: ARG002
        """Shuffle the deck; seat s gets cards 13s .. 13s+12."""
        if number >= len(self.dealers):
            return None
        cards = stream.shuffled(len(DECK))
        hands = tuple(tuple(cards[seat * HAND : (seat + 1) * HAND]) for seat in EVERYBODY)
        return Deal(hands, self.dealers[number])

    def options_for(self, deals: Sequence[Deal]) -> dict[str, Any]:
        """Return the dealers of these deals; ConfigError if a hand does not have 13 cards."""
        for number, deal in enumerate(deals):
            if any(len(hand) != HAND for hand in deal.hands):
                raise ConfigError(f"given deal {number}: every hand needs {HAND} cards")
        return {"dealers": [deal.seat for deal in deals]}

    def start(self, deal: Deal) -> CodepieceState:
        """Return the first state; the seat on the dealer's left bids first."""
        hands = tuple(map(_any.mask_of, deal.hands))
        first = AFTER[deal.seat]
        return _new(CodepieceState, (first, hands, (), 0, -1, NO_TRUMP, (), first[0], 0, first[0], (0, 0)))

    def greeting(self) -> Iterable[tuple[Command, ...]]:
        yield ("set_rules codepiece 1",) * SEATS
        yield (f"set_deck {DECK.values} {DECK.suits}",) * SEATS
        yield tuple(f"set_players {SEATS} {seat}" for seat in EVERYBODY)
        yield (f"set_game {len(self.dealers)} {' '.join(map(str, self.dealers))}",) * SEATS

    @classmethod
    def options_told(cls, greeting: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        return {"dealers": list(map(int, greeting["set_game"][1:]))} if "set_game" in greeting else {}

    def request(self, state: CodepieceState, seat: Seat) -> Command:  # noqa: ARG002
        if state.trump != NO_TRUMP:
            return "gen_move"
        return "gen_bid" if len(state.bids) < SEATS else "gen_trump"

    def parse(self, state: CodepieceState, seat: Seat, text: str) -> Action:
        """Return the action of any bid, trump or card, legal or not; IllegalAction for other words."""
        action = IDS.get(text)
        if action is None:
            request = self.request(state, seat)
            raise IllegalAction("it is no bid, trump or card", fix=f"answer {request} with {ASKED[request]}")
        return action

    def action_text(self, state: CodepieceState, seat: Seat, action: Action) -> str:  # noqa: ARG002
        return WORDS[action]

    def news(
        self, before: CodepieceState, seat: Seat, action: Action, after: CodepieceState
    ) -> Iterable[Tell]:
        """Report every bid, the forced one too, the trump, every card, and the points at the end."""
        if before.trump != NO_TRUMP:
            if after.to_act:
                return _PLAYS[seat][action]
            points = " ".join(map(str, after.points()))
            return (*_PLAYS[seat][action], Tell(EVERYBODY, f"end_deal {points}"))
        if action >= FIRST_TRUMP:
            return (Tell(EVERYBODY, f"trump {seat} {WORDS[action]}"),)
        bid = (Tell(EVERYBODY, f"bid {seat} {WORDS[action]}"),)
        if after.bid == FORCED:
            return (*bid, Tell(EVERYBODY, f"bid {after.leader} bid_{FORCED}"))
        return bid

    def hand(self, state: CodepieceState, seat: Seat) -> tuple[Card, ...]:
        return _any.cards_of(state.hands[seat])

    def table(self, state: CodepieceState) -> tuple[tuple[Seat, str], ...]:
        """Return the cards of the trick; the last one of a deal stays."""
        return tuple(((state.opened + place) % SEATS, WORDS[card]) for place, card in enumerate(state.trick))

    def roles(self, state: CodepieceState) -> dict[str, Any]:
        """Return declarer, bids and the side's tricks by seat; the highest bid, the trump, the tricks."""
        named = state.trump != NO_TRUMP
        bids = [[str(bid or "pass") for bidder, bid in state.bids if bidder == seat] for seat in EVERYBODY]
        return {
            "role": ["declarer" if named and seat == state.leader else "" for seat in EVERYBODY],
            "bids": [", ".join(said) or None for said in bids],
            "side\N{RIGHT SINGLE QUOTATION MARK}s tricks": [state.won[seat % 2] for seat in EVERYBODY],
            "bid": state.bid or "none yet",
            "trump": DECK.suits[state.trump] if named else "none yet",
            "tricks": "{} : {}".format(*state.won),
        }

    def asks(self, request: Command) -> str:
        return {"gen_bid": "bid or pass", "gen_trump": "name the trump"}.get(request) or super().asks(request)

    def says(self, request: Command, words: str) -> str:
        kind, _, what = words.partition("_")
        if request == "gen_trump":
            return f"names {SUITS[what]} trump"
        return f"bids {what}" if kind == "bid" else super().says(request, words)

    def must(self, state: CodepieceState, seat: Seat) -> str:
        """Return the suit to follow within a trick, "" if the hand has none; overtaking is not mentioned."""
        if state.trump == NO_TRUMP or len(state.trick) in (0, SEATS):
            return ""
        return _any.must_follow(state.hands[seat], state.trick[0])

    def says_deal(self, state: CodepieceState, names: Sequence[str]) -> str:
        taken = state.won[state.leader & 1]
        bid = f"{state.bid} bid with {SUITS[DECK.suits[state.trump]]} as trump"
        return f"{names[state.leader]}: {bid}, {taken} made: {'made' if taken >= state.bid else 'failed'}"

    def taker(self, before: CodepieceState, after: CodepieceState) -> Seat | None:
        """Return the winner of the trick that ended between the states, or None."""
        return after.ahead if after.won != before.won else None
