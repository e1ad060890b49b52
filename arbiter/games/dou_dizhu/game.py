"""Dou Dizhu (Fight the Landlord): one against two, and the first without cards wins for its side.

The landlord holds 20 cards and leads, the two peasants hold 17 each. A play is beaten by one of the same type
and length with a higher main rank, by a bomb, or by the rocket; when both others pass, the last play's seat
leads. Action ids are those of `arbiter.games.dou_dizhu.combinations`.

Cards are 0..53: 3333 4444 .. 2222 B R. The four cards of a rank have one name, since suits do not matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from arbiter.errors import ConfigError, IllegalAction, Problem
from arbiter.games import KEEP_HAND, check_choice, check_seats
from arbiter.games.cards import Card, Stream
from arbiter.games.dou_dizhu.combinations import (
    ACTIONS,
    FIRST_BOMB,
    FIRST_COPIES,
    GUARD,
    MOST,
    PASS,
    RANKS,
    UNITS,
    Counts,
    cards_in,
    holds,
    kind_with_article,
    table,
)
from arbiter.games.dou_dizhu.moves import follow, lead
from arbiter.games.game import Action, Command, Deal, Game, Seat, Tell
from arbiter.games.labels import Face
from arbiter.text import joined

CARDS, HAND = 54, 17
LEAD = (
    "where both others have passed since your last play, or you begin a deal, answer with cards and not pass"
)
BEAT = "answer with as many cards of the same kind and higher, with a bomb or the rocket, or with pass"
COMBINE = "answer with the cards of one combination as one word, such as 5, 77 or 34567, or with pass"
"""Advice for bots."""
_EVERYBODY = (0, 1, 2)
_JOKERS = {"B": Face("B", "", "black joker"), "R": Face("R", "red", "red joker")}
_AFTER = ((1,), (2,), (0,))
_new = tuple.__new__


class DouDizhuState(NamedTuple):
    """A deal of Dou Dizhu in progress; a tuple, so immutable, hashable and quick to make.

    `best` is the combination to beat and `owner` the seat that played it; `PASS` means that the seat
    to act leads. `bombs` counts bombs and rockets so far.
    """

    game: DouDizhu
    to_act: tuple[Seat, ...]
    hands: tuple[Counts, ...]
    best: Action
    owner: Seat
    landlord: Seat
    bombs: int

    @property
    def trick(self) -> tuple[Action, ...]:
        """The best play on the table and the passes after it; empty when the seat to act leads."""
        if self.best == PASS:
            return ()
        passed = 0 if not self.to_act else (self.to_act[0] - self.owner - 1) % 3
        return (self.best, *(PASS,) * passed)

    def legal(self, seat: Seat) -> Sequence[Action]:
        """Return all combinations of the hand for the leader; else all that beat `best`, and pass."""
        best = self.best
        return lead(self.hands[seat]) if best == PASS else follow(self.hands[seat], best)

    def allows(self, seat: Seat, action: Action) -> bool:
        if seat not in self.to_act or not 0 <= action <= PASS:
            return False
        if action == PASS:
            return self.best != PASS
        entries = table()
        beats = entries.floor[self.best] <= action < entries.ceiling[self.best] or (
            action >= FIRST_BOMB and action > self.best
        )
        return beats and holds(self.hands[seat], entries.cards[action])

    def apply(self, seat: Seat, action: Action) -> DouDizhuState:
        game, to_act, hands, best, owner, landlord, bombs = self
        if action == PASS:
            if best == PASS or seat not in to_act:
                raise self._refusal(seat, action)
            to_act = _AFTER[seat]
            if to_act == (owner,):
                best = PASS
            return _new(DouDizhuState, (game, to_act, hands, best, owner, landlord, bombs))
        # `allows` inlined: a call would cost a quarter of a ply.
        if seat not in to_act or not 0 <= action < PASS:
            raise self._refusal(seat, action)
        entries = table()
        need, hand = entries.cards[action], hands[seat]
        if ((hand | GUARD) - need) & GUARD != GUARD or not (
            best == PASS
            or entries.floor[best] <= action < entries.ceiling[best]
            or (action >= FIRST_BOMB and action > best)
        ):
            raise self._refusal(seat, action)
        left = list(hands)
        left[seat] = hand = hand - need
        if action >= FIRST_BOMB:
            bombs += 1
        # `tuple.__new__`: the named constructor would cost a third of a ply.
        fields = (game, _AFTER[seat] if hand else (), tuple(left), action, seat, landlord, bombs)
        return _new(DouDizhuState, fields)

    def points(self) -> tuple[int, ...]:
        """Return 1 for winners and -1 for losers; with `bombs: double`, doubled for each bomb."""
        stake = 1 << self.bombs if self.game.bombs == "double" else 1
        landlord_won = not self.hands[self.landlord]
        return tuple(stake if (seat == self.landlord) == landlord_won else -stake for seat in _EVERYBODY)

    def _refusal(self, seat: Seat, action: Action) -> IllegalAction:
        if seat not in self.to_act:
            return IllegalAction(f"it is not seat {seat}'s turn")
        if not 0 <= action <= PASS:
            return IllegalAction(f"there is no action {action}")
        if action == PASS:
            return IllegalAction("the seat that leads may not pass", fix=LEAD)
        entries, hand = table(), self.hands[seat]
        name, need = entries.names[action], entries.cards[action]
        if not holds(hand, need):
            short = next(i for i in range(len(RANKS)) if (need >> 4 * i & 7) > (hand >> 4 * i & 7))
            held = hand >> 4 * short & 7
            what = f"{name} is not in hand, which has {held or 'no'} {RANKS[short]}"
            return IllegalAction(what, name, KEEP_HAND)
        kind, best = kind_with_article(action), kind_with_article(self.best)
        what = f"{name}, {kind}, does not beat {entries.names[self.best]}, {best}"
        return IllegalAction(what, name, BEAT)


class DouDizhu(Game[DouDizhuState]):
    """The game with its landlords, one for each deal, and the value of bombs.

    ConfigError, with the option's path, for an invalid value.
    """

    name: ClassVar[str] = "dou_dizhu"
    title: ClassVar[str] = "Dou Dizhu"
    about: ClassVar[str] = (
        "A game of getting rid of cards, one landlord against two peasants. The landlord has three cards "
        "more and leads: a single card, a pair, a chain or another combination, which the others beat, "
        "or they pass. The first without cards wins the deal for its side. Each player is landlord in "
        "turn; most points of all deals win."
    )
    observer: ClassVar[str] = "arbiter.envs.observers.dou_dizhu:DouDizhuObserver"
    seat_word: ClassVar[str] = "landlord"
    option_help: ClassVar[Mapping[str, str]] = {
        "landlords": "list of seats, the landlord of each deal: [0, 1, 2]",
        "bombs": "single, or double: each bomb and rocket doubles the points of its deal",
    }
    takes: ClassVar[str] = "wins the round"
    seats = 3
    actions = ACTIONS

    def __init__(self, landlords: Sequence[int] = (0, 1, 2), bombs: str = "single") -> None:
        problems: list[Problem] = []
        self.landlords = check_seats("landlords", landlords, self.seats, problems)
        self.bombs = check_choice(("single", "double"), "bombs", bombs, problems)
        if problems:
            raise ConfigError(problems)

    @property
    def options(self) -> dict[str, Any]:
        return {"landlords": list(self.landlords), "bombs": self.bombs}

    @property
    def duels(self) -> tuple[tuple[DouDizhu, tuple[int, ...]], ...]:
        """See `Game.duels`: one version is landlord in one match and both peasants in the other.

        The number of deals stays, with the same landlord in all, so that sides last for a match.
        """
        landlord = self.landlords[0]
        game = type(self)(**{**self.options, "landlords": [landlord] * len(self.landlords)})
        alone = tuple(int(seat != landlord) for seat in _EVERYBODY)
        return (game, alone), (game, tuple(1 - version for version in alone))

    def next_deal(self, number: int, stream: Stream, last: DouDizhuState | None) -> Deal | None:  # noqa: ARG002
        """Shuffle; seat s gets cards 17s .. 17s+16, and the landlord the last three too."""
        if number >= len(self.landlords):
            return None
        cards = stream.shuffled(CARDS)
        hands = [tuple(cards[seat * HAND : (seat + 1) * HAND]) for seat in range(self.seats)]
        extra = tuple(cards[self.seats * HAND :])
        landlord = self.landlords[number]
        hands[landlord] += extra
        return Deal(tuple(hands), landlord, extra)

    def options_for(self, deals: Sequence[Deal]) -> dict[str, Any]:
        return {"landlords": [deal.seat for deal in deals]}

    def start(self, deal: Deal) -> DouDizhuState:
        hands = tuple([sum([UNITS[card] for card in hand]) for hand in deal.hands])
        return DouDizhuState(self, (deal.seat,), hands, PASS, deal.seat, deal.seat, 0)

    def greeting(self) -> Iterable[tuple[Command, ...]]:
        variant = " double" if self.bombs == "double" else ""
        yield (f"set_rules dou_dizhu 1{variant}",) * self.seats
        yield tuple(f"set_players {self.seats} {seat}" for seat in range(self.seats))
        flat = " ".join(map(str, self.landlords))
        yield (f"set_game {len(self.landlords)} {flat}",) * self.seats

    @classmethod
    def options_told(cls, greeting: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        options: dict[str, Any] = {}
        if "set_rules" in greeting:
            options["bombs"] = "double" if "double" in greeting["set_rules"][2:] else "single"
        if "set_game" in greeting:
            options["landlords"] = list(map(int, greeting["set_game"][1:]))
        return options

    def dealt(self, deal: Deal) -> Iterable[tuple[Command, ...]]:
        """Yield set_cards, for each seat its own, and the landlord's three extra cards, for all."""
        yield tuple(f"set_cards {len(hand)} {self.hand_text(sorted(hand))}" for hand in deal.hands)
        if deal.extra:
            yield (f"show_cards {len(deal.extra)} {self.hand_text(sorted(deal.extra))}",) * self.seats

    def request(self, state: DouDizhuState, seat: Seat) -> Command:  # noqa: ARG002
        return "gen_move"

    def parse(self, state: DouDizhuState, seat: Seat, text: str) -> Action:  # noqa: ARG002
        """Return the action of a combination, its cards in any order, or ``pass``; IllegalAction."""
        ids = table().ids
        action = ids.get(text)
        if action is not None:
            return action
        if strange := next((letter for letter in text if letter not in RANKS), ""):
            raise IllegalAction(f"{strange!r} is no card: a move is cards of {RANKS} as one word, or pass")
        if len(text) <= MOST:
            action = ids.get("".join(sorted(text, key=RANKS.index)))
        if action is None:
            raise IllegalAction("these cards are no combination of the rules", fix=COMBINE)
        return action

    def action_text(self, state: DouDizhuState, seat: Seat, action: Action) -> str:  # noqa: ARG002
        return table().names[action]

    def news(
        self,
        before: DouDizhuState,  # noqa: ARG002
        seat: Seat,
        action: Action,
        after: DouDizhuState,
    ) -> Iterable[Tell]:
        """Report every play and pass to all; after the last one the points."""
        play = _new(Tell, (_EVERYBODY, f"play {seat} {table().names[action]}"))
        if after.to_act:
            return (play,)
        return play, Tell(_EVERYBODY, "end_deal {} {} {}".format(*after.points()))

    def hand(self, state: DouDizhuState, seat: Seat) -> tuple[Card, ...]:
        return cards_in(state.hands[seat])

    def table(self, state: DouDizhuState) -> tuple[tuple[Seat, str], ...]:
        return tuple(
            ((state.owner + place) % self.seats, table().names[action])
            for place, action in enumerate(state.trick)
        )

    def roles(self, state: DouDizhuState) -> dict[str, Any]:
        role = ["landlord" if seat == state.landlord else "peasant" for seat in _EVERYBODY]
        return {"role": role, "bombs": state.bombs}

    def must(self, state: DouDizhuState, seat: Seat) -> str:
        return "" if state.best == PASS else f"beat {self.action_text(state, seat, state.best)}, or pass"

    def says_deal(self, state: DouDizhuState, names: Sequence[str]) -> str:
        peasants = joined([names[seat] for seat in _EVERYBODY if seat != state.landlord])
        landlord = names[state.landlord]
        if state.owner == state.landlord:
            won = f"{landlord} as landlord beats {peasants}"
        else:
            won = f"{peasants} beat the landlord {landlord}"
        return won + (f", {state.bombs} bomb{'s' * (state.bombs > 1)} played" if state.bombs else "")

    def face(self, name: str) -> Face:
        return _JOKERS.get(name) or super().face(name)

    def cards_of(self, words: str) -> tuple[str, ...]:
        return () if words == "pass" else tuple(words)

    def taker(self, before: DouDizhuState, after: DouDizhuState) -> Seat | None:
        """Return the seat that leads again after an unbeaten play, or that played its last card."""
        if not after.to_act or (after.best == PASS and before.best != PASS):
            return after.owner
        return None

    def card_name(self, card: Card) -> str:
        return RANKS[card // 4 + card // 53]

    def card_of(self, name: str) -> Card:
        if len(name) != 1 or name not in RANKS:
            raise KeyError(name)
        return FIRST_COPIES[RANKS.index(name)]

    def _given_deal(self, hands: Sequence[tuple[Card, ...]], seat: Seat, extra: tuple[Card, ...]) -> Deal:
        """Return the deal, an unused card of its rank for each name; `extra` are of `seat`. ConfigError."""
        if len(hands) != self.seats or not all(1 <= len(hand) <= MOST for hand in hands):
            raise ConfigError(f"a given deal needs {self.seats} hands of 1 to {MOST} cards")
        free = {card: [*range(card, card + (4 if card < 52 else 1))] for card in FIRST_COPIES}
        for card, wanted in Counter(card for hand in hands for card in hand).items():
            if wanted > len(free[card]):
                raise ConfigError(f"a given deal has a {self.card_name(card)} more than the deck")
        dealt = tuple(tuple(free[card].pop(0) for card in hand) for hand in hands)
        loose, shown = list(dealt[seat]), []
        for name in map(self.card_name, reversed(extra)):
            found = next((card for card in reversed(loose) if self.card_name(card) == name), None)
            if found is None:
                raise ConfigError(f"a given deal's extra card {name} is not in the landlord's hand")
            loose.remove(found)
            shown.append(found)
        return Deal(dealt, seat, tuple(reversed(shown)))

    def hand_text(self, cards: Iterable[Card]) -> str:
        """Return cards in the given order as one word, as the protocol and players write them."""
        return "".join(map(self.card_name, cards)) or "-"
