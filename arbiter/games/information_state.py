"""Information states: a match as one seat knows it, from its commands, with unknown cards.

    hearing = hearing_of(game, seat=0)
    hearing.hear("set_cards 2 TD AS")
    hearing.hear("declare 0 1")
    hearing.asked("gen_move").legal(0)

Theory of operation. A card that the seat has not seen is `UNKNOWN` or a number above: it has no name, suit
or rank, and the rules treat it as any other card. So a partly unknown state is an ordinary state, and nothing
is invented.

A deal begins with unknown cards only. The rules generate its commands, which are compared with the received
ones: a received word names the unknown card in its place. A card that another seat lays was in its hand, so
one of its unknown cards is that card, and the deal is replayed from its start.

If several seats decide simultaneously, placeholder actions replace earlier decisions until they are reported.
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
"""The command that begins a deal and names a seat's cards."""
_SAMPLE = 8
_FIRST_NAME = 0xE000
UNKNOWN_NAMES = re.compile("[\ue000-\uf8ff]")
"""The names of unknown cards: characters that occur in no command."""


class BadCommand(Exception):
    """A command is refused, with the reason; nothing is changed."""


class PlayedDeal(NamedTuple):
    """A deal that is over: its cards, the actions with their seats, its last state, the points by seat."""

    deal: Deal
    seats: tuple[Seat, ...]
    actions: tuple[Action, ...]
    state: Any
    points: tuple[int, ...]


class Hearing:
    """The information state of `seat` in a match.

    `deal` is the one in progress, `first` its first state and `state` the present one, None until all
    commands of the deal have come; `seats` and `actions` are its actions, in order; `played` are the deals
    that are over. A game whose cards change hands in secret names a subclass in `Game.hearing`.
    """

    derived_news: ClassVar[frozenset[str]] = frozenset()
    """Commands that report consequences of the play, and may differ from the rules' own."""

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
        self._worded = 0  # commands at the start of the deal received so far
        self._placeholders: dict[Seat, int] = {}  # by seat, the index of its placeholder in `actions`
        self._following: list[Command] = []
        self.naming = _name_unknown(game)
        """The game with names for unknown cards, which `UNKNOWN_NAMES` finds."""

    def hear(self, command: Command) -> None:
        """Apply a command that is not a request; BadCommand."""
        words = command.split()
        if words[0] == DEALS:
            self.begin(words)
        elif self.deal is None:
            raise BadCommand(f"no cards have been dealt: {DEALS} comes first")
        elif command in self._following:
            del self._following[: self._following.index(command) + 1]
        elif (
            not self.complete_deal(command)
            and not self.apply_news(words)
            and words[0] not in self.derived_news
        ):
            raise BadCommand(f"cannot do {words[0][:40]}")

    def asked(self, request: Command) -> None:
        """Advance to the state in which this seat answers the request; BadCommand if it is not due."""
        self._check_begun()
        while self.seat in self.state.to_act and self.state.to_act[0] != self.seat:
            other = self.state.to_act[0]
            action = self.state.legal(other)[0]
            self._placeholders[other] = len(self.actions)
            self._record_action(other, action, self.state.apply(other, action))
        if self.state.to_act[:1] != (self.seat,):
            raise BadCommand("it is not my turn")
        if (wanted := self.game.request(self.state, self.seat)) != request:
            raise BadCommand(f"it is time for {wanted}")

    @property
    def placeholders(self) -> frozenset[int]:
        """The indices in `actions` of placeholders for unreported decisions."""
        return frozenset(self._placeholders.values())

    @property
    def done(self) -> list[tuple[Seat, Action]]:
        """The actions of the deal with their seats, without placeholders."""
        both, placeholders = zip(self.seats, self.actions, strict=True), self.placeholders
        return [done for place, done in enumerate(both) if place not in placeholders]

    # What a subclass may override.

    def due_request(self, *, further: bool) -> Command:  # noqa: ARG002
        """Return the request that this seat answers next, even before it comes; BadCommand.

        `further` means that the last request was answered, though no news came since.
        """
        self._check_begun()
        return self.game.request(self.state, self.seat)

    def single_deal(self) -> tuple[AnyGame, Deal]:
        """Return game and deal of a match of this deal alone, as far as known; `done` is legal in it."""
        game = copy(self.game)
        game._given = ()
        return game, self.deal

    def excluded_cards(self, seat: Seat) -> Iterable[Card]:  # noqa: ARG002
        """Return cards that another seat cannot have had beyond those of the rules; by default ()."""
        return ()

    def is_consistent(self, deal: Deal) -> bool:  # noqa: ARG002
        """Return False for a deal that cannot be this one beyond the rules; by default True."""
        return True

    def begin(self, words: Sequence[str]) -> None:
        """Begin the next deal with ``set_cards``; BadCommand."""
        command = " ".join(words)
        last = self.played[-1].state if self.played else None
        dealt = self.game.deal(self._number, Stream("arbiter-heard", self._number), last)
        if dealt is None:
            raise BadCommand("no deal is left")
        deal = self._fill_in(_hide_cards(dealt, self.seat), 0, command)
        if deal is None:
            # Not a deal of the programme: a smaller given one, such as a puzzle.
            sizes = [size for size in range(1, len(command)) if words[1:2] == [str(size)]]
            deal = next(
                (self._fill_in(_hide_cards(dealt, self.seat, size), 0, command) for size in sizes), None
            )
        if deal is None:
            raise BadCommand("expected the number of cards, then cards of the deck")
        self.begin_deal(deal)
        self._count_command(deal)

    def complete_deal(self, command: Command) -> bool:
        """Apply another command of the start of a deal; False for any other command."""
        deal = self._fill_in(self.deal, self._worded, command) if self.state is None else None
        if deal is not None:
            self._count_command(deal)
        return deal is not None

    def apply_news(self, words: Sequence[str]) -> bool:
        """Apply the action that a command such as ``play 2 TD`` reports; False for others; BadCommand."""
        if len(words) < 3 or not words[1].isdecimal() or int(words[1]) >= self.game.seats:
            return False
        self._check_begun()
        game, seat, text = self.game, int(words[1]), " ".join(words[2:])
        place = self._placeholders.get(seat, len(self.actions))
        stood = seat in self._placeholders
        before = _replay(self.first, self.seats[:place], self.actions[:place]) if stood else self.state
        if seat not in before.to_act:
            return False
        try:
            action = game.parse(before, seat, text)
        except IllegalAction:
            return False
        laid = self.laid[seat] + Counter(game.cards_of(text))
        try:
            deal = self.deal_after_laying(seat, action, laid)
            first = self.first if deal is self.deal else game.start(deal)
            if first is not self.first:
                before = _replay(first, self.seats[:place], self.actions[:place])
            after = _replay(before.apply(seat, action), self.seats[place + 1 :], self.actions[place + 1 :])
        except IllegalAction:
            raise BadCommand("that cannot be done in this deal") from None
        heard = [said for seats, said in game.news(before, seat, action, after) if self.seat in seats]
        following: list[Command] = []
        if heard and not stood:
            if (line := " ".join(words)) not in heard:
                # It does not report the action.
                return False
            following = heard[heard.index(line) + 1 :]
        self.deal, self.first, self.laid[seat], self._following = deal, first, laid, following
        if stood:
            self.actions[self._placeholders.pop(seat)] = action
            self.state = after
        else:
            self._record_action(seat, action, after)
        return True

    def deal_after_laying(self, seat: Seat, action: Action, cards: Counter[str]) -> Deal:  # noqa: ARG002
        """Return this deal given that another seat has laid `cards` with its action; BadCommand."""
        hand = self.deal.hands[seat]
        missing = cards - Counter(self.game.card_name(card) for card in hand if card < UNKNOWN)
        if not missing:
            deal: Deal = self.deal
            return deal
        free = [card for card in hand if card >= UNKNOWN]
        if missing.total() > len(free):
            raise BadCommand("more such cards than the deck has")
        return self._name_cards(self.deal, dict(zip(free, missing.elements(), strict=False)))

    def begin_deal(self, deal: Deal) -> None:
        """Begin a deal, before any of its commands."""
        self.deal, self.state, self._worded = deal, None, 0
        self.seats, self.actions, self._placeholders, self._following = [], [], {}, []
        self.laid = [Counter() for _ in deal.hands]
        self._number += 1

    def start(self, deal: Deal) -> None:
        """Begin the play of a deal whose commands are complete."""
        self.deal = deal
        self.first = self.state = self.game.start(deal)

    def _fill_in(self, deal: Deal, place: int, command: Command) -> Deal | None:
        """Return the deal with the cards named by `command`; None unless it is its number `place`, from 0."""
        for wording in [wording[self.seat] for wording in self.naming.dealt(deal)][place : place + 1]:
            found = re.fullmatch(UNKNOWN_NAMES.sub(r"(\\S+?)", re.escape(wording)), command)
            if found is not None and all(map(self.game.cards_of, found.groups())):
                unknown = [ord(name) - _FIRST_NAME + UNKNOWN for name in UNKNOWN_NAMES.findall(wording)]
                return self._name_cards(deal, dict(zip(unknown, found.groups(), strict=True)))
        return None

    def _name_cards(self, deal: Deal, names: Mapping[Card, str]) -> Deal:
        """Return the deal with unknown cards named; BadCommand if the deck has too few of them."""
        dealt, found = {card for hand in deal.hands for card in hand}, {}
        for card, name in names.items():
            copies = (self.game.card_of(name), *_cards_by_name(self.game).get(name, ()))
            # Cards besides the hands may be in a hand too.
            free = [copy for copy in copies if copy not in dealt] if card in dealt else [copies[0]]
            if not free and len(set(copies)) == 1:
                raise BadCommand("more such cards than the deck has")
            found[card] = next(iter(free), copies[0])
            dealt.add(found[card])
        hands = tuple(tuple(found.get(card, card) for card in hand) for hand in deal.hands)
        return replace(deal, hands=hands, extra=tuple(found.get(card, card) for card in deal.extra))

    def _count_command(self, deal: Deal) -> None:
        """Count a command of the deal's start, and begin the play after the last."""
        self.deal = deal
        self._worded += 1
        if self._worded == len(list(self.naming.dealt(deal))):
            self.start(deal)

    def _check_begun(self) -> None:
        """Raise BadCommand if commands of the deal are missing."""
        if self.deal is None:
            raise BadCommand(f"no cards have been dealt: {DEALS} comes first")
        if self.state is None:
            missing = list(self.naming.dealt(self.deal))[self._worded]
            raise BadCommand(f"{missing[self.seat].split()[0]} comes first")

    def _record_action(self, seat: Seat, action: Action, after: Any) -> None:
        """Append an action and store the state after it; keep a finished deal in `played`."""
        self.seats.append(seat)
        self.actions.append(action)
        self.state = after
        if not after.to_act:
            done = tuple(self.seats), tuple(self.actions), after, after.points()
            self.played.append(PlayedDeal(self.deal, *done))


def _replay(state: Any, seats: Sequence[Seat], actions: Sequence[Action]) -> Any:
    """Return the state after the actions; IllegalAction."""
    for seat, action in zip(seats, actions, strict=True):
        state = state.apply(seat, action)
    return state


def _hide_cards(deal: Deal, seat: Seat, size: int | None = None) -> Deal:
    """Return the deal with unknown cards only; with a `size`, in hands of that size without extra cards.

    An extra card that is also in the hand of a seat other than `seat` is the same unknown card.
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
def _cards_by_name(game: AnyGame) -> dict[str, list[Card]]:
    """Return the cards of each name that occur in sample deals."""
    found: dict[str, set[Card]] = {}
    for number in range(_SAMPLE):
        deal = game.deal(0, Stream("arbiter-heard", "deck", number), None)
        for card in (card for hand in deal.hands for card in hand) if deal is not None else ():
            found.setdefault(game.card_name(card), set()).add(card)
    return {name: sorted(cards) for name, cards in found.items()}


def _name_unknown(game: AnyGame) -> AnyGame:
    """Return the game with names for unknown cards."""
    named, name = copy(game), game.card_name

    def card_name(card: Card) -> str:
        return chr(_FIRST_NAME + card - UNKNOWN) if card >= UNKNOWN else name(card)

    vars(named)["card_name"] = card_name
    return named
