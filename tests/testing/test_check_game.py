"""`check_game` passes what keeps its promises and names the promise that a game breaks.

The games broken here are `HighCard`, a small game of its own, each with one thing changed.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import pytest

from arbiter.errors import IllegalAction
from arbiter.games.cards import Stream
from arbiter.games.game import Deal, Game, Tell
from arbiter.games.planning import Planning
from arbiter.testing import BrokenPromise, check_game, match_spec, play_by_policy, random_policy

CARDS = 12
BIDS = 2


class HighCardState(NamedTuple):
    """Everyone bids 0 or 1 in secret; then tricks, led from the opener, to the highest card.

    Ids: the bids, then the cards. A bid of 1 wins a point with the first trick and loses one
    without it.
    """

    game: Any
    to_act: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]
    bids: tuple[int | None, ...]
    trick: tuple[tuple[int, int], ...]
    won: tuple[int, ...]
    opener: int

    def legal(self, seat):
        if None in self.bids:
            return range(BIDS)
        return tuple(card + BIDS for card in sorted(self.hands[seat]))

    def allows(self, seat, action):
        return seat in self.to_act and action in self.legal(seat)

    def apply(self, seat, action):
        if not self.allows(seat, action):
            raise IllegalAction(f"{action} is not open to seat {seat}")
        return self.bid(seat, action) if None in self.bids else self.play(seat, action - BIDS)

    def bid(self, seat, action):
        bids = (*self.bids[:seat], action, *self.bids[seat + 1 :])
        waiting = tuple(other for other in self.to_act if other != seat)
        return self._replace(bids=bids, to_act=waiting or (self.opener,))

    def play(self, seat, card):
        n = len(self.hands)
        hands = list(self.hands)
        hands[seat] = tuple(held for held in hands[seat] if held != card)
        trick: tuple[tuple[int, int], ...] = (*self.trick, (card, seat))
        to_act: tuple[int, ...] = ((seat + 1) % n,)
        won = self.won
        if len(trick) == n:
            winner = max(trick)[1]
            won = (*won, winner)
            trick = ()
            to_act = (winner,) if hands[winner] else ()
        return self._replace(hands=tuple(hands), trick=trick, won=won, to_act=to_act)

    def points(self):
        first = self.won[0]
        return tuple(
            self.won.count(seat) + (bid or 0) * (1 if seat == first else -1)
            for seat, bid in enumerate(self.bids)
        )


class HighCard(Game):
    name = "high_card"
    title = "High card"
    seat_word = "opener"
    option_help = {"seats": "players", "size": "cards each", "deals": "how many"}  # noqa: RUF012
    state: Any = HighCardState

    def __init__(self, seats=3, size=3, deals=4):
        self.seats, self.size, self.count = seats, size, deals
        self.actions = BIDS + CARDS

    @property
    def options(self):
        return {"seats": self.seats, "size": self.size, "deals": self.count}

    def next_deal(self, number, stream, last):
        if number == self.count:
            return None
        cards, size = stream.shuffled(CARDS), self.size
        hands = tuple(tuple(cards[seat * size : (seat + 1) * size]) for seat in range(self.seats))
        return Deal(hands, number % self.seats)

    def start(self, deal):
        n = self.seats
        return self.state(self, tuple(range(n)), deal.hands, (None,) * n, (), (), deal.seat)

    def greeting(self):
        yield ("set_rules high_card 1",) * self.seats
        yield tuple(f"set_players {self.seats} {seat}" for seat in range(self.seats))

    def dealt(self, deal):
        yield tuple("set_cards " + " ".join(map(self.card_name, hand)) for hand in deal.hands)
        yield (f"opener {deal.seat}",) * self.seats

    def request(self, state, seat):
        return "gen_bid" if None in state.bids else "gen_move"

    def parse(self, state, seat, text):
        if None in state.bids:
            if text not in ("0", "1"):
                raise IllegalAction("a bid is 0 or 1")
            return int(text)
        try:
            return self.card_of(text) + BIDS
        except KeyError:
            raise IllegalAction("there is no such card") from None

    def action_text(self, state, seat, action):
        return str(action) if None in state.bids else self.card_name(action - BIDS)

    def news(self, before, seat, action, after):
        everybody = tuple(range(self.seats))
        if None not in before.bids:
            return [Tell(everybody, f"play {seat} {self.action_text(before, seat, action)}")]
        if None in after.bids:
            return []
        return [Tell(everybody, f"bid {other} {bid}") for other, bid in enumerate(after.bids)]

    def hand(self, state, seat):
        return tuple(sorted(state.hands[seat]))

    def card_name(self, card):
        return "abcdefghijkl"[card]

    def card_of(self, name):
        if len(name) != 1 or name not in "abcdefghijkl":
            raise KeyError(name)
        return "abcdefghijkl".index(name)


class WinnerOpens(HighCard):
    """The seat that won the last trick opens the next deal."""

    chained = True

    def next_deal(self, number, stream, last):
        deal = super().next_deal(number, stream, last)
        return Deal(deal.hands, last.won[-1]) if deal and last else deal


class EqualCards(HighCard):
    """The deck holds every card twice, under one name."""

    def card_name(self, card):
        return "abcdef"[card // 2]

    def card_of(self, name):
        if len(name) != 1 or name not in "abcdef":
            raise KeyError(name)
        return 2 * "abcdef".index(name)


# What keeps its promises


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"seats": 2, "deck": "23456 AB", "deals": [[1, 0], [5, 1]]},
        {"seats": 3, "deals": [[4, 2], [17, 0]]},
        {"deck": "123456789abcdef x", "deals": [[3, 3]]},
        {"deck": "12 abcdefgh", "deals": [[1, 0], [4, 3]]},
    ],
    ids=["tournament", "two seats", "three seats", "one suit", "many suits"],
)
def test_planning_keeps_its_promises(options):
    check_game(Planning(**options), matches=1)


def test_planning_with_given_deals_keeps_its_promises():
    game = Planning()
    deals = []
    for number in (3, 7):
        deal = game.next_deal(number, Stream("given", number), None)
        assert deal is not None
        deals.append(deal)
    check_game(game.given(deals), matches=1)


@pytest.mark.parametrize("game", [HighCard(), HighCard(2, 6, 1), HighCard(4, 3, 2), WinnerOpens()], ids=repr)
def test_a_third_partys_game_keeps_its_promises(game):
    check_game(game)


def test_a_chained_game_can_be_conducted_by_policy():
    game = WinnerOpens(deals=6)
    record = play_by_policy(game, random_policy(2), match_spec(game))
    assert (len(record.deals), record.forfeit) == (6, None)


# What does not


class NotToldToAll(HighCard):
    def news(self, before, seat, action, after):
        told = super().news(before, seat, action, after)
        return [
            Tell((0, 1), command) if command.startswith("play 0") else (seats, command)
            for seats, command in told
        ]


class NamesHiddenCards(HighCard):
    def start(self, deal):
        assert all(self.card_name(card) for hand in deal.hands for card in hand)
        return super().start(deal)


class LeakInNews(HighCard):
    def news(self, before, seat, action, after):
        told = super().news(before, seat, action, after)
        if after.bids.count(None) or not after.hands[0]:
            return told
        return [*told, Tell((2,), f"hint {self.card_name(after.hands[0][0])}")]


class LeakInDealt(HighCard):
    def dealt(self, deal):
        yield from super().dealt(deal)
        yield (f"bottom {self.card_name(deal.hands[-1][-1])}",) * self.seats


class LeakInRequest(HighCard):
    def request(self, state, seat):
        highest = max(card for hand in state.hands for card in (*hand, 0))
        return f"{super().request(state, seat)} {highest}"


class LeakInGreeting(HighCard):
    def greeting(self):
        yield from super().greeting()
        if self._given:
            yield (f"seed {sum(self._given[0].hands[0])}",) * self.seats


class LegalByOthersHands(HighCardState):
    def legal(self, seat):
        legal = super().legal(seat)
        others = [card for other, hand in enumerate(self.hands) if other != seat for card in hand]
        best = max(others, default=0)
        beaten = tuple(action for action in legal if action - BIDS < best)
        return legal if None in self.bids else beaten or legal


class Unsorted(HighCardState):
    def legal(self, seat):
        return tuple(reversed(super().legal(seat)))


class Repeated(HighCardState):
    def legal(self, seat):
        legal = tuple(super().legal(seat))
        return (legal[0], *legal)


class NothingLegal(HighCardState):
    def legal(self, seat):
        return () if len(self.trick) == 2 else super().legal(seat)


class HighIds(HighCardState):
    def legal(self, seat):
        return tuple(action + 13 * (None not in self.bids) for action in super().legal(seat))


class AllowsTooMuch(HighCardState):
    def allows(self, seat, action):
        return seat in self.to_act and (action in self.legal(seat) or action == -1)


class AllowsTooLittle(HighCardState):
    def allows(self, seat, action):
        return super().allows(seat, action) and action != 5


class AnybodysTurn(HighCardState):
    def allows(self, seat, action):
        return bool(self.to_act) and action in self.legal(seat)


class AppliesAnything(HighCardState):
    def apply(self, seat, action):
        return self.bid(seat, action) if None in self.bids else self.play(seat, action - BIDS)


class CrashesOnNonsense(HighCardState):
    def allows(self, seat, action):
        return seat in self.to_act and bool([False] * 50 and action in self.legal(seat)) | ([0] * 20)[action]


class Mutable:
    """A state that plays in place."""

    def __init__(self, state):
        self.inner = state

    def __getattr__(self, name):
        return getattr(self.__dict__["inner"], name)

    def __reduce__(self):
        return Mutable, (self.inner,)

    def __eq__(self, other):
        return self.inner == other.inner

    def __hash__(self):
        return hash(self.inner)

    def apply(self, seat, action):
        self.inner = self.inner.apply(seat, action)
        return Mutable(self.inner)


class PlaysInPlace(HighCard):
    def start(self, deal):
        return Mutable(super().start(deal))


class ByIdentity(HighCardState):
    __eq__ = object.__eq__
    __hash__ = object.__hash__


class ShortPoints(HighCardState):
    def points(self):
        return super().points()[:-1]


class ListOfPoints(HighCardState):
    def points(self):
        return list(super().points())


class FloatPoints(HighCardState):
    def points(self):
        return tuple(n / 2 for n in super().points())


class SeatZeroIsFavoured(HighCardState):
    def points(self):
        first, *others = super().points()
        return (first + 1, *others)


class OrderMatters(HighCardState):
    def bid(self, seat, action):
        return super().bid(seat, action)._replace(opener=seat)


class Endless(HighCardState):
    def play(self, seat, card):
        return self._replace(to_act=((seat + 1) % len(self.hands),))


class UnorderedTurns(HighCardState):
    def bid(self, seat, action):
        after = super().bid(seat, action)
        return after._replace(to_act=after.to_act[::-1])


class TellsBidsAtOnce(HighCard):
    def news(self, before, seat, action, after):
        if None in before.bids:
            return [Tell(tuple(range(self.seats)), f"bid {seat} {action}")]
        return super().news(before, seat, action, after)


class TellsNobody(HighCard):
    def news(self, before, seat, action, after):
        return [Tell((*seats, self.seats), text) for seats, text in super().news(before, seat, action, after)]


class TwoLinesOfNews(HighCard):
    def news(self, before, seat, action, after):
        return [Tell(seats, f"{text}\nmore") for seats, text in super().news(before, seat, action, after)]


class SpeaksWithAccents(HighCard):
    def greeting(self):
        yield ("set_title Königsrufen",) * self.seats


class SpeaksAsTheReferee(HighCard):
    def greeting(self):
        yield ("time_left 5",) * self.seats


class ForgetsASeat(HighCard):
    def greeting(self):
        yield ("set_rules high_card 1",) * (self.seats - 1)


class AsksPolitely(HighCard):
    def request(self, state, seat):
        return "please_move"


class MumblesCards(HighCard):
    def action_text(self, state, seat, action):
        return super().action_text(state, seat, action).upper()


class ConfusesCards(HighCard):
    def action_text(self, state, seat, action):
        if None in state.bids:
            return str(action)
        return self.card_name((action - BIDS) ^ 1)


class TalksInSentences(HighCard):
    def action_text(self, state, seat, action):
        return super().action_text(state, seat, action) + " "


class ChokesOnWords(HighCard):
    def parse(self, state, seat, text):
        return int(text) if None in state.bids else self.card_of(text) + BIDS


class ReadsWords(HighCard):
    def parse(self, state, seat, text):
        try:
            return super().parse(state, seat, text)
        except IllegalAction:
            return None


class DealsFromPlay(HighCard):
    def next_deal(self, number, stream, last):
        deal = super().next_deal(number, stream, last)
        return Deal(deal.hands, last.won[-1]) if deal and last else deal


class DealsFromMemory(HighCard):
    calls = 0

    def next_deal(self, number, stream, last):
        self.calls += 1
        return super().next_deal(number + self.calls % 2, stream, last)


class DealsTwice(HighCard):
    def next_deal(self, number, stream, last):
        deal = super().next_deal(number, stream, last)
        return deal and Deal((deal.hands[1], *deal.hands[1:]), deal.seat)


class DealsTooFewHands(HighCard):
    def next_deal(self, number, stream, last):
        deal = super().next_deal(number, stream, last)
        return deal and Deal(deal.hands[1:], deal.seat)


class DealsForever(HighCard):
    chained = True

    def next_deal(self, number, stream, last):
        return super().next_deal(number % self.count, stream, last)


class LosesCards(HighCard):
    def card_of(self, name):
        return max(0, super().card_of(name) - 1)


class LosesTheOpener(HighCard):
    def deal_json(self, deal):
        return {"hands": super().deal_json(deal)["hands"]}


class PlaysItsOwnDeals(HighCard):
    def deal(self, number, stream, last):
        return self.next_deal(number, stream, last)


class ForgetsAnOption(HighCard):
    @property
    def options(self):
        return {"seats": self.seats}


class HasASecretOption(HighCard):
    option_help = {"seats": "players", "size": "cards each"}  # noqa: RUF012


class OptionsOfTuples(HighCard):
    @property
    def options(self):
        return {**super().options, "size": (self.size,)}


class HoldsALambda(HighCard):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.rank = lambda card: card


class HidesACard(HighCard):
    def hand(self, state, seat):
        return super().hand(state, seat)[1:]


class SeatsNobody(HighCard):
    seatings = ((0, 1, 1),)


class TooFewSides(HighCard):
    sides = (0, 1)


class HasACrash(HighCard):
    def news(self, before, seat, action, after):
        raise LookupError("no news")


@cache
def with_state(state_class):
    """The class of a `HighCard` whose deals are played by other states; one alone, or it could not be pickled."""
    name = state_class.__name__
    game = type(name, (HighCard,), {"state": state_class, "__module__": __name__})
    globals()[name + "Game"] = game
    game.__qualname__ = game.__name__ = name + "Game"
    return game


LEAK = "a seat learns nothing of cards that it cannot see"
COMMAND = "greeting is one line of plain words"
UNCHANGED = "apply leaves the state unchanged"
POINTS = "points is a tuple of an integer for each seat"
TOLD = "what a seat received yields all that it may see"
DEALT_ALIKE = "a deal depends only on its number, its stream and the previous deal"
NO_CRASH = "no method raises anything but IllegalAction"
BROKEN = [
    (NotToldToAll, TOLD),
    (NamesHiddenCards, TOLD),
    (LeakInNews, LEAK),
    (LeakInDealt, LEAK),
    (LeakInRequest, LEAK),
    (LeakInGreeting, LEAK),
    (with_state(LegalByOthersHands), LEAK),
    (with_state(Unsorted), "legal is ascending, without duplicates"),
    (with_state(Repeated), "legal is ascending, without duplicates"),
    (with_state(NothingLegal), "legal is never empty for a seat in to_act"),
    (with_state(HighIds), "action ids lie in 0..actions-1"),
    (with_state(AllowsTooMuch), "allows agrees with legal"),
    (with_state(AllowsTooLittle), "allows agrees with legal"),
    (with_state(AnybodysTurn), "only seats in to_act may act"),
    (with_state(AppliesAnything), "apply raises IllegalAction where allows is False"),
    (with_state(CrashesOnNonsense), NO_CRASH),
    (PlaysInPlace, UNCHANGED),
    (with_state(ByIdentity), "states are equal and hash alike when the same actions led there"),
    (with_state(ShortPoints), POINTS),
    (with_state(ListOfPoints), POINTS),
    (with_state(FloatPoints), POINTS),
    (with_state(SeatZeroIsFavoured), "rotating a deal's hands and roles rotates its play and points"),
    (with_state(OrderMatters), "simultaneous decisions may be made in any order"),
    (with_state(Endless), "a match ends"),
    (with_state(UnorderedTurns), "to_act is seats, ascending"),
    (TellsBidsAtOnce, "no news is sent before the last of simultaneous decisions"),
    (TellsNobody, "news goes to seats, ascending"),
    (TwoLinesOfNews, "news is one line of plain words"),
    (SpeaksWithAccents, COMMAND),
    (SpeaksAsTheReferee, "greeting uses no command of the referee"),
    (ForgetsASeat, "greeting has a command for each seat"),
    (AsksPolitely, "a request is one line that begins with gen_"),
    (MumblesCards, "parse and apply accept what legal lists"),
    (ConfusesCards, "parse reads action_text"),
    (TalksInSentences, "action_text is plain words"),
    (ChokesOnWords, "parse raises nothing but IllegalAction"),
    (ReadsWords, "parse gives an action id"),
    (DealsFromPlay, "a deal does not depend on play unless the game is chained"),
    (DealsFromMemory, DEALT_ALIKE),
    (DealsTwice, "no card is dealt twice"),
    (DealsTooFewHands, "a deal has a hand for each seat"),
    (DealsForever, "a match ends"),
    (EqualCards, "every card has a unique name"),
    (LosesCards, "card_of finds what card_name named"),
    (LosesTheOpener, "deal_from_json reads what deal_json wrote"),
    (PlaysItsOwnDeals, "given deals are played exactly"),
    (ForgetsAnOption, "options build an equal game"),
    (HasASecretOption, "every option is in option_help"),
    (OptionsOfTuples, "options are JSON values"),
    (HoldsALambda, NO_CRASH),
    (HidesACard, "a hand is what was dealt, until its seat acts"),
    (SeatsNobody, "every player of a table sits on every seat as often"),
    (TooFewSides, "sides has an entry per seat"),
    (HasACrash, NO_CRASH),
]


@pytest.mark.parametrize(("game", "promise"), BROKEN, ids=[game.__name__ for game, _ in BROKEN])
def test_a_broken_promise_is_named(game, promise):
    with pytest.raises(BrokenPromise) as caught:
        check_game(game(size=2, deals=5), bound=300)
    assert caught.value.promise == promise
    assert str(caught.value).startswith(f"broken promise: {promise}\nhigh_card: ")


class PlanningWithAnOpenTrump(Planning):
    """Tells seat 1, when the declarations are revealed, whether seat 3 holds the highest trump."""

    def news(self, before, seat, action, after):
        told = list(super().news(before, seat, action, after))
        if before.trick is None and after.trick is not None:
            highest = self.card_of("AC") + self.tricks.offset
            told.append(Tell((1,), f"trump {after.hands[3] >> highest & 1}"))
        return told


class PlanningWithEarlyDeclarations(Planning):
    def news(self, before, seat, action, after):
        if before.trick is None:
            return [Tell((0, 1, 2, 3), f"declare {seat} {action}")]
        return super().news(before, seat, action, after)


def test_one_card_that_planning_would_give_away_is_found():
    with pytest.raises(BrokenPromise, match=LEAK):
        check_game(PlanningWithAnOpenTrump())


def test_a_declaration_that_planning_would_tell_too_early_is_found():
    with pytest.raises(BrokenPromise, match="no news is sent before the last of simultaneous decisions"):
        check_game(PlanningWithEarlyDeclarations())


def test_the_message_names_the_deal_and_what_was_played():
    with pytest.raises(BrokenPromise) as caught:
        check_game(LeakInNews())
    lines = str(caught.value).splitlines()
    assert lines[2].startswith("deal: Deal(hands=((")
    assert lines[3].startswith("after (seat, action): [(0, ")


def test_a_leak_that_the_rules_provide_is_let_pass():
    def bottom_shown(deal, other, seat):
        return seat >= 0 and deal.hands[-1][-1] != other.hands[-1][-1]

    check_game(LeakInDealt(), reveals=bottom_shown, rotations=False)


def test_seats_that_are_not_alike_are_let_pass_on_request():
    check_game(with_state(SeatZeroIsFavoured)(), rotations=False)


class ForgivingEqualCards(EqualCards):
    """Reads equal cards of a deal back as different ones."""

    def deal_from_json(self, shape):
        left = list(range(CARDS))
        hands = []
        for names in shape["hands"]:
            hand = []
            for name in names:
                card = next(card for card in left if self.card_name(card) == name)
                left.remove(card)
                hand.append(card)
            hands.append(tuple(hand))
        return Deal(tuple(hands), shape["opener"])

    class state(HighCardState):  # noqa: N801 -- stands for the attribute of HighCard
        def legal(self, seat):
            return (
                super().legal(seat)
                if None in self.bids
                else tuple(sorted({card // 2 * 2 + BIDS for card in self.hands[seat]}))
            )

        def play(self, seat, card):
            held = next(other for other in self.hands[seat] if other // 2 == card // 2)
            return super().play(seat, held)


def test_equal_cards_are_let_pass_on_request():
    # Which of two equal cards wins a trick, nobody is told.
    check_game(ForgivingEqualCards(), copies=True, heard=False)
