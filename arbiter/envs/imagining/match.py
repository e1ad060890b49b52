"""A match as one of its seats hears it, with the hidden cards made up.

Observations and masks are made from a whole `Play`, but never depend on what their seat cannot know. So
any match in which a bot would have heard the same will do. In an `Imagined` match the unseen cards are dealt
to the other seats somehow, and what is heard is done in it. The game says what a line means (`parse`,
`news`), and whether it is possible.

Where it is not, the cards are dealt again. A card that a seat has laid was in its hand; where an action is
refused though its card is in hand, the seat has none of the cards that the rules demand instead. With that
the rest is a matching of cards and hands (`filling.py`), until the rules allow all that was heard.

Where several decide simultaneously, something is put in the place of earlier decisions until they are told.

Cards are named as in the protocol, so that it does not matter whether a deck has equal cards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from arbiter.cards import Stream
from arbiter.envs.imagining.filling import filled
from arbiter.envs.play import NOBODY, Play
from arbiter.errors import IllegalAction
from arbiter.rules import Action, AnyGame, Deal, Seat

Said: TypeAlias = "Mapping[str, Sequence[str]]"
"""The words after each command of a greeting."""
DEALS = "set_cards"
"""The command that begins a deal and tells a seat its cards."""


class Unheard(Exception):
    """A command that cannot be obeyed, with the reason; the match is unchanged."""


class HeardPlay(Play):
    """A play that is given its deals one by one."""

    def __init__(self, game: AnyGame) -> None:
        super().__init__(game)
        self._seed = ""
        self.totals = (0,) * game.seats
        self.played = []

    def begin(self, deal: Deal) -> None:
        self._begin(deal)

    def redealt(self, deal: Deal, actions: list[Action], state: Any) -> None:
        """Replace the hidden cards of this deal; `state` follows from `actions` by the same seats."""
        self.deal, self.first, self.state = deal, self.game.start(deal), state
        self.actions = actions
        self.turn = state.to_act[0] if state.to_act else NOBODY
        self.pending, self._asked = (), NOBODY

    def _deal_of(self, *_: object, **__: object) -> None:
        """None: the next deal is unknown until it is told."""
        return


class Imagined:
    """The match that `seat` hears of; `play` is where it stands.

    This class knows games in which an action lays one card or none and is named as the card; a game of
    another kind has a subclass, which it names in `Game.imagining`. `deck` is the names of all cards.
    `starter` is the seat that the deal singles out, as far as the programme tells. `shown`, by seat, are
    cards that this seat is known to have been dealt; a subclass adds what it hears.
    """

    told_besides: frozenset[str] = frozenset()
    """Commands that tell consequences of the play, and may differ from those of the rules."""

    def __init__(self, game: AnyGame, seat: Seat, deck: Sequence[str]) -> None:
        self.game, self.seat = game, seat
        self.play = HeardPlay(game)
        self._deck = Counter(deck)
        self._number = -1
        self._begun = False
        self._own: list[str] = []
        self._sizes: list[int] = []
        self.starter: Seat = 0
        self._barred: set[tuple[str, Seat]] = set()
        self._laid: list[Counter[str]] = []
        self.shown: list[Counter[str]] = []
        self._guessed: dict[Seat, int] = {}
        """By seat, the index in `play.actions` of an action that stands in for an untold one."""
        self._following: list[str] = []

    @classmethod
    def options_told(cls, said: Said) -> dict[str, Any]:  # noqa: ARG003
        """The options of the game that a greeting tells; here none.

        ValueError, IndexError or ConfigError where the greeting is not one of the game.
        """
        return {}

    # What is heard.

    def hear(self, words: Sequence[str]) -> None:
        """Take in a command that asks for nothing; Unheard where it cannot be obeyed."""
        if words[0] == DEALS:
            self._deal(words[1:])
            return
        line = " ".join(words)
        if line in self._following:
            del self._following[: self._following.index(line) + 1]
        elif not self._own:
            raise Unheard(f"no cards have been dealt: {DEALS} comes first")
        elif not self._tells(words) and words[0] not in self.told_besides:
            raise Unheard(f"cannot do {words[0][:40]}")

    def asked(self, request: str) -> Play:
        """The play in which this seat is to answer the request; Unheard where that is not due."""
        if not self._own:
            raise Unheard(f"no cards have been dealt: {DEALS} comes first")
        self._begin()
        play = self.play
        while self.seat in play.to_act and play.turn != self.seat:
            self._guessed[play.turn] = len(play.actions)
            play.act(play.turn, play.legal(play.turn)[0])
        if play.turn != self.seat:
            raise Unheard("it is not my turn")
        if (wanted := self.game.request(play.state, self.seat)) != request:
            raise Unheard(f"it is time for {wanted}")
        return play

    # What a subclass may do otherwise.

    def cards_in(self, words: Sequence[str]) -> list[str]:
        """The cards of a command that names some, after their number."""
        return list(words)

    def cards_of(self, state: Any, seat: Seat, action: Action) -> Sequence[str]:
        """The cards that an action lays; here one, if it is named as a card is."""
        word = self.game.action_text(state, seat, action)
        return (word,) if word in self._deck else ()

    def mixed(self, cards: list[str]) -> list[str]:
        """The order in which hidden cards are dealt."""
        return cards

    def shape(self, hands: list[list[str]]) -> dict[str, Any]:
        """The deal as a match record has it."""
        return {"hands": hands, self.game.seat_word: self.starter}

    def hand(self) -> list[str]:
        """The own cards at the start of the play."""
        return self._own

    def foreseen(self, seat: Seat, text: str) -> bool:  # noqa: ARG002
        """True when an action as told needs a deal that foresees it."""
        return False

    def sizes_of(self, number: int, cards: int) -> tuple[list[int], Seat]:
        """How many cards each seat has in a deal, and the seat that it singles out; Unheard."""
        last = self.play.played[-1].state if self.play.played else None
        deal = self.game.deal(number, Stream("arbiter-imagined", number), last)
        if deal is None:
            raise Unheard("no deal is left")
        sizes = [len(hand) for hand in deal.hands]
        if sizes[self.seat] != cards:
            # Not a deal of the programme: a smaller one, given for a puzzle.
            sizes = [cards] * self.game.seats
        return sizes, deal.seat

    # How it is done.

    def _deal(self, words: Sequence[str]) -> None:
        """``set_cards``: the next deal."""
        cards = self.cards_in(words[1:])
        if words[:1] != [str(len(cards))] or Counter(cards) - self._deck:
            raise Unheard("these are not cards of the deck, after their number")
        self._sizes, self.starter = self.sizes_of(self._number + 1, len(cards))
        self._number += 1
        self._own, self._begun = cards, False
        self._barred, self._guessed, self._following = set(), {}, []
        self._laid = [Counter() for _ in self._sizes]
        self.shown = [Counter() for _ in self._sizes]

    def _begin(self) -> None:
        """Deal, unless that is done already."""
        if not self._begun:
            self.play.begin(self._filled(self._laid))
            self._begun = True

    def _tells(self, words: Sequence[str]) -> bool:
        """Do the action that a command such as ``play 2 TD`` tells of; False if it tells of none."""
        if len(words) < 3 or not words[1].isdecimal() or int(words[1]) >= self.game.seats:
            return False
        seat, text = int(words[1]), " ".join(words[2:])
        self._begin()
        try:
            if seat in self._guessed:
                return self._told_of(seat, text)
            return self._acts(seat, text, " ".join(words))
        except IllegalAction:
            return False

    def _told_of(self, seat: Seat, text: str) -> bool:
        """Put the action that is told now in the place of the guessed one."""
        play, place = self.play, self._guessed[seat]
        state = play.first
        for who, what in zip(play.seats[:place], play.actions, strict=False):
            state = state.apply(who, what)
        actions = [*play.actions]
        actions[place] = self.game.parse(state, seat, text)
        for who, what in zip(play.seats[place:], actions[place:], strict=True):
            state = state.apply(who, what)
        del self._guessed[seat]
        play.redealt(play.deal, actions, state)
        return True

    def _acts(self, seat: Seat, text: str, line: str) -> bool:
        """Do what `line` tells that a seat does openly; False if it tells something else."""
        game, play = self.game, self.play
        if seat not in play.to_act:
            return False
        action = game.parse(play.state, seat, text)
        laid = [*self._laid]
        if seat != self.seat:
            laid[seat] = laid[seat] + Counter(self.cards_of(play.state, seat, action))
        barred = self._barred
        foreseen = self.foreseen(seat, text)
        if foreseen or not play.state.allows(seat, action):
            self._redeal(laid, seat, action)
        before = play.state
        after = before.apply(seat, action)
        told = [command for seats, command in game.news(before, seat, action, after) if self.seat in seats]
        if told and line not in told:
            # It does not tell of the action after all.
            self._barred = barred
            return False
        play.act(seat, action)
        self._laid = laid
        self._following = told[told.index(line) + 1 :] if told else []
        return True

    def _redeal(self, laid: list[Counter[str]], seat: Seat, action: Action) -> None:
        """Deal hidden cards anew so that all that was done, and this action, is legal; Unheard."""
        play, barred = self.play, self._barred
        course = [*zip(play.seats, play.actions, strict=True), (seat, action)]
        try:
            while True:
                deal = self._filled(laid)
                state = before = self.game.start(deal)
                for who, what in course:
                    before = state
                    try:
                        state = state.apply(who, what)
                    except IllegalAction:
                        self._bar(before, who, laid[who])
                        break
                else:
                    break
        except Unheard:
            self._barred = barred
            raise
        play.redealt(deal, play.actions, before)

    def _bar(self, state: Any, seat: Seat, held: Counter[str]) -> None:
        """Bar the cards that a seat could lay instead of the refused one; Unheard if all are barred."""
        alternatives = {card for action in state.legal(seat) for card in self.cards_of(state, seat, action)}
        found = {(card, seat) for card in alternatives if card not in held and card not in self.shown[seat]}
        if seat == self.seat or found <= self._barred:
            raise Unheard("that cannot be done in this deal")
        self._barred = self._barred | found

    def _filled(self, laid: list[Counter[str]]) -> Deal:
        """A deal with this seat's cards, the known cards of others, and the rest where they fit."""
        hands: list[list[str]] = []
        room = []
        left = self._deck - Counter(self.hand())
        for seat, size in enumerate(self._sizes):
            known = self.hand() if seat == self.seat else [*(laid[seat] | self.shown[seat]).elements()]
            hands.append(list(known))
            room.append(size - len(known))
            if seat != self.seat:
                left.subtract(known)
        pool = self.mixed([*left.elements()])
        room.append(len(pool) - sum(room))
        if min(room) < 0 or min(left.values(), default=0) < 0:
            raise Unheard("there are not so many such cards")
        rest = filled(pool, room, self._barred)
        if rest is None:
            raise Unheard("no cards that others may have fit what was told")
        for hand, more in zip(hands, rest, strict=False):
            hand += more
        return self.game.deal_from_json(self.shape(hands))
