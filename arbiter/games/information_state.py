"""A match as one of its seats hears it: its commands, applied to hands of unknown cards.

    hearing = hearing_of(game, seat=0)
    hearing.hear("set_cards 2 TD AS")
    hearing.hear("declare 0 1")
    hearing.asked("gen_move").legal(0)

Theory of operation. A card that the seat has not seen is `UNKNOWN` or a number above: it has no name, no suit
and no rank, and the rules do with it what they do with any other card. So a state of which a part is unknown
is a state, and nothing is made up.

A deal begins with unknown cards alone. The rules word it, and what is heard is laid beside their words: where
they have an unknown card, the heard word says which one it is. A card that another seat lays was in its hand,
so one of the unknown ones there is this card, and the deal is played again from its start.

Where several decide simultaneously, something stands for earlier decisions until they are heard.
"""

from __future__ import annotations

import re
from collections import Counter
from copy import copy
from dataclasses import replace
from functools import lru_cache
from itertools import count, islice
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from arbiter.errors import IllegalAction
from arbiter.games.cards import UNKNOWN, Stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from arbiter.games.cards import Card
    from arbiter.games.game import Action, AnyGame, Command, Deal, Seat

DEALS = "set_cards"
"""The command that begins a deal and tells a seat its cards."""
_SAMPLE = 8
_FIRST_NAME = 0xE000
UNKNOWN_NAMES = re.compile("[\ue000-\uf8ff]")
"""The names of unknown cards: characters that no command has."""


class Unheard(Exception):
    """A command that cannot be obeyed, with the reason; nothing is changed."""


class PlayedDeal(NamedTuple):
    """A deal that is over: its cards, who did what, its last state, and the points by seat."""

    deal: Deal
    seats: tuple[Seat, ...]
    actions: tuple[Action, ...]
    state: Any
    points: tuple[int, ...]


class Hearing:
    """The match that `seat` hears of.

    `deal` is the one in progress, `first` its first state and `state` the present one, None until all that is
    said of the deal has been heard; `seats` and `actions` are what was done in it, in order; `played` are the
    deals that are over. A game whose cards change hands in secret names a subclass in `Game.hearing`.
    """

    told_besides: ClassVar[frozenset[str]] = frozenset()
    """Commands that tell consequences of the play, and may differ from those of the rules."""

    def __init__(self, game: AnyGame, seat: Seat) -> None:
        self.game, self.seat = game, seat
        self.deal: Any = None
        self.first: Any = None
        self.state: Any = None
        self.seats: list[Seat] = []
        self.actions: list[Action] = []
        self.played: list[PlayedDeal] = []
        self.laid: list[Counter[str]] = []
        """By seat, the names of the cards that it has laid in this deal."""
        self._number = 0
        self._worded = 0  # commands of the deal's wording that were heard
        self._standing: dict[Seat, int] = {}  # the place of an action that stands for an untold one
        self._following: list[Command] = []
        self.naming = _naming(game)
        """The game with names for unknown cards, which `UNKNOWN_NAMES` finds."""

    def hear(self, command: Command) -> None:
        """Take in a command that asks for nothing; Unheard where it cannot be obeyed."""
        words = command.split()
        if words[0] == DEALS:
            self.begin(words)
        elif self.deal is None:
            raise Unheard(f"no cards have been dealt: {DEALS} comes first")
        elif command in self._following:
            del self._following[: self._following.index(command) + 1]
        elif not self.completes(command) and not self.tells(words) and words[0] not in self.told_besides:
            raise Unheard(f"cannot do {words[0][:40]}")

    def asked(self, request: Command) -> None:
        """Come to the state in which this seat is to answer the request; Unheard where that is not due."""
        self._check_begun()
        while self.seat in self.state.to_act and self.state.to_act[0] != self.seat:
            other = self.state.to_act[0]
            action = self.state.legal(other)[0]
            self._standing[other] = len(self.actions)
            self._done(other, action, self.state.apply(other, action))
        if self.state.to_act[:1] != (self.seat,):
            raise Unheard("it is not my turn")
        if (wanted := self.game.request(self.state, self.seat)) != request:
            raise Unheard(f"it is time for {wanted}")

    @property
    def untold(self) -> frozenset[int]:
        """The places in `actions` of what stands for decisions that have not been heard."""
        return frozenset(self._standing.values())

    @property
    def done(self) -> list[tuple[Seat, Action]]:
        """What was done in the deal and has been heard: nothing that stands for an untold decision."""
        both, untold = zip(self.seats, self.actions, strict=True), self.untold
        return [done for place, done in enumerate(both) if place not in untold]

    # What a subclass may do otherwise.

    def due(self, *, further: bool) -> Command:  # noqa: ARG002
        """The request that this seat is to answer now, also where nobody has said it; Unheard.

        `further` says that it is another one than the last, though nothing was heard in between.
        """
        self._check_begun()
        return self.game.request(self.state, self.seat)

    def alone(self) -> tuple[AnyGame, Deal]:
        """The deal in progress as the only one of a match: the game, and the deal as far as it is known.

        What was `done` is done in it.
        """
        game = copy(self.game)
        game._given = ()
        return game, self.deal

    def barred(self, seat: Seat) -> Iterable[Card]:  # noqa: ARG002
        """Return cards that another seat cannot have had, beyond those with which it broke the rules."""
        return ()

    def fits(self, deal: Deal) -> bool:  # noqa: ARG002
        """Return False for a whole deal that cannot be this one, beyond those that break the rules."""
        return True

    def begin(self, words: Sequence[str]) -> None:
        """``set_cards``: the next deal; Unheard."""
        command = " ".join(words)
        last = self.played[-1].state if self.played else None
        dealt = self.game.deal(self._number, Stream("arbiter-heard", self._number), last)
        if dealt is None:
            raise Unheard("no deal is left")
        deal = self._told(_hidden(dealt, self.seat), 0, command)
        if deal is None:
            # Not a deal of the programme: a smaller one, given for a puzzle.
            sizes = [size for size in range(1, len(command)) if words[1:2] == [str(size)]]
            deal = next((self._told(_hidden(dealt, self.seat, size), 0, command) for size in sizes), None)
        if deal is None:
            raise Unheard("these are not cards of the deck, after their number")
        self.renew(deal)
        self._hear_of(deal)

    def completes(self, command: Command) -> bool:
        """Take in one more of the commands that word a deal; False if it is none."""
        deal = self._told(self.deal, self._worded, command) if self.state is None else None
        if deal is not None:
            self._hear_of(deal)
        return deal is not None

    def tells(self, words: Sequence[str]) -> bool:
        """Do the action that a command such as ``play 2 TD`` tells of; False if it tells of none; Unheard."""
        if len(words) < 3 or not words[1].isdecimal() or int(words[1]) >= self.game.seats:
            return False
        self._check_begun()
        game, seat, text = self.game, int(words[1]), " ".join(words[2:])
        place = self._standing.get(seat, len(self.actions))
        stood = seat in self._standing
        before = _again(self.first, self.seats[:place], self.actions[:place]) if stood else self.state
        if seat not in before.to_act:
            return False
        try:
            action = game.parse(before, seat, text)
        except IllegalAction:
            return False
        laid = self.laid[seat] + Counter(game.cards_of(text))
        try:
            deal = self.held(seat, action, laid)
            first = self.first if deal is self.deal else game.start(deal)
            if first is not self.first:
                before = _again(first, self.seats[:place], self.actions[:place])
            after = _again(before.apply(seat, action), self.seats[place + 1 :], self.actions[place + 1 :])
        except IllegalAction:
            raise Unheard("that cannot be done in this deal") from None
        heard = [said for seats, said in game.news(before, seat, action, after) if self.seat in seats]
        following: list[Command] = []
        if heard and not stood:
            if (line := " ".join(words)) not in heard:
                # It does not tell of the action after all.
                return False
            following = heard[heard.index(line) + 1 :]
        self.deal, self.first, self.laid[seat], self._following = deal, first, laid, following
        if stood:
            self.actions[self._standing.pop(seat)] = action
            self.state = after
        else:
            self._done(seat, action, after)
        return True

    def held(self, seat: Seat, action: Action, cards: Counter[str]) -> Deal:  # noqa: ARG002
        """This deal where another seat has laid `cards` with its action; Unheard where it cannot."""
        hand = self.deal.hands[seat]
        missing = cards - Counter(self.game.card_name(card) for card in hand if card < UNKNOWN)
        if not missing:
            deal: Deal = self.deal
            return deal
        free = [card for card in hand if card >= UNKNOWN]
        if missing.total() > len(free):
            raise Unheard("there are not so many such cards")
        return self._named(self.deal, dict(zip(free, missing.elements(), strict=False)))

    # How it is done.

    def renew(self, deal: Deal) -> None:
        """A deal begins, nothing of which has been heard."""
        self.deal, self.state, self._worded = deal, None, 0
        self.seats, self.actions, self._standing, self._following = [], [], {}, []
        self.laid = [Counter() for _ in deal.hands]
        self._number += 1

    def start(self, deal: Deal) -> None:
        """All that is said of a deal has been heard."""
        self.deal = deal
        self.first = self.state = self.game.start(deal)

    def _told(self, deal: Deal, place: int, command: Command) -> Deal | None:
        """The deal with what a command tells that words it in this place; None for another command."""
        for wording in [wording[self.seat] for wording in self.naming.dealt(deal)][place : place + 1]:
            found = re.fullmatch(UNKNOWN_NAMES.sub(r"(\\S+?)", re.escape(wording)), command)
            if found is not None and all(map(self.game.cards_of, found.groups())):
                unknown = [ord(name) - _FIRST_NAME + UNKNOWN for name in UNKNOWN_NAMES.findall(wording)]
                return self._named(deal, dict(zip(unknown, found.groups(), strict=True)))
        return None

    def _named(self, deal: Deal, names: Mapping[Card, str]) -> Deal:
        """The deal with unknown cards named; Unheard where the deck has not so many."""
        dealt, found = {card for hand in deal.hands for card in hand}, {}
        for card, name in names.items():
            copies = (self.game.card_of(name), *_copies(self.game).get(name, ()))
            # Cards besides the hands may be in a hand too.
            free = [copy for copy in copies if copy not in dealt] if card in dealt else [copies[0]]
            if not free and len(set(copies)) == 1:
                raise Unheard("there are not so many such cards")
            found[card] = next(iter(free), copies[0])
            dealt.add(found[card])
        hands = tuple(tuple(found.get(card, card) for card in hand) for hand in deal.hands)
        return replace(deal, hands=hands, extra=tuple(found.get(card, card) for card in deal.extra))

    def _hear_of(self, deal: Deal) -> None:
        """A command of the deal's wording has been heard."""
        self.deal = deal
        self._worded += 1
        if self._worded == len(list(self.naming.dealt(deal))):
            self.start(deal)

    def _check_begun(self) -> None:
        """Unheard where not all of the deal has been heard."""
        if self.deal is None:
            raise Unheard(f"no cards have been dealt: {DEALS} comes first")
        if self.state is None:
            missing = list(self.naming.dealt(self.deal))[self._worded]
            raise Unheard(f"{missing[self.seat].split()[0]} comes first")

    def _done(self, seat: Seat, action: Action, after: Any) -> None:
        self.seats.append(seat)
        self.actions.append(action)
        self.state = after
        if not after.to_act:
            done = tuple(self.seats), tuple(self.actions), after, after.points()
            self.played.append(PlayedDeal(self.deal, *done))


def _again(state: Any, seats: Sequence[Seat], actions: Sequence[Action]) -> Any:
    """The state after the actions; IllegalAction."""
    for seat, action in zip(seats, actions, strict=True):
        state = state.apply(seat, action)
    return state


def _hidden(deal: Deal, seat: Seat, size: int | None = None) -> Deal:
    """The deal with unknown cards alone; with a `size`, in hands of that size and with none besides.

    A card besides the hands that is also in the hand of another than `seat` is the same unknown one.
    """
    unknown = count(UNKNOWN)
    hands = tuple(tuple(islice(unknown, len(hand) if size is None else size)) for hand in deal.hands)
    if size is not None:
        return replace(deal, hands=hands, extra=())
    cards = [card for hand in deal.hands for card in hand]
    same = {
        card: hidden
        for other in range(len(hands))
        if other != seat and len(set(cards)) == len(cards)
        for card, hidden in zip(deal.hands[other], hands[other], strict=True)
    }
    extra = tuple([same[card] if card in same else next(unknown) for card in deal.extra])
    return replace(deal, hands=hands, extra=extra)


@lru_cache(maxsize=8)
def _copies(game: AnyGame) -> dict[str, list[Card]]:
    """The cards of each name, as some deals show them."""
    found: dict[str, set[Card]] = {}
    for number in range(_SAMPLE):
        deal = game.deal(0, Stream("arbiter-heard", "deck", number), None)
        for card in (card for hand in deal.hands for card in hand) if deal is not None else ():
            found.setdefault(game.card_name(card), set()).add(card)
    return {name: sorted(cards) for name, cards in found.items()}


def _naming(game: AnyGame) -> AnyGame:
    """The game with names for unknown cards."""
    named, name = copy(game), game.card_name

    def card_name(card: Card) -> str:
        return chr(_FIRST_NAME + card - UNKNOWN) if card >= UNKNOWN else name(card)

    vars(named)["card_name"] = card_name
    return named
