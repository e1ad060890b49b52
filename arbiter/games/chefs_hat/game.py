"""Chef's Hat: get rid of your cards; the first to do so becomes Chef, an advantage in the next deal.

A match is a number of deals, or deals until a seat has enough points. From the second deal on, roles
by the result of the deal before decide who gives which cards to whom. Chef's Hat's own words are "game"
for our match, and "match" for our deal.

`rules: book` is the printed rule book, `rules: gym2` the published environment with its deviations from
it. The actions are in `actions`, the states in `opening` (before the play), `rule_book_play` and `gym2`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, TypeAlias

from arbiter.errors import ConfigError, Problem
from arbiter.games import check_choice
from arbiter.games.cards import Card, Stream
from arbiter.games.chefs_hat.actions import (
    ACTIONS,
    CLEARED,
    DECK,
    FOOD_FIGHT,
    NO_SPECIAL,
    SPECIALS,
    STEP_NAMES,
    STEPS,
    gift_cards,
)
from arbiter.games.chefs_hat.deal import (
    ROLES,
    SEATS,
    ChefsHatDeal,
    deal_of_shape,
    golden_eleven,
    reversed_roles,
    roles_after,
    shape_of_deal,
    shape_of_gifts,
    shape_of_special,
)
from arbiter.games.chefs_hat.gym2 import Gym2Play, joker_holder
from arbiter.games.chefs_hat.opening import first_state
from arbiter.games.chefs_hat.protocol_words import (
    EVERYBODY,
    ChefsHatFaces,
    ending,
    gift_wording,
    opening_news,
    set_roles,
    short,
    special,
    winner,
    words,
)
from arbiter.games.chefs_hat.rule_book_play import BookState
from arbiter.games.chefs_hat.state import Begin, ChefsHatState
from arbiter.games.game import Action, Command, Deal, Exchange, Game, Seat, Tell
from arbiter.text import joined

RULES = ("book", "gym2")
MATCHES = 3
MOST = 1000
"""The most matches, or points; more count as a typing error."""
_Deal: TypeAlias = Any
"""A `ChefsHatDeal`; `Game` has no type parameter for its deals."""
_GOLDEN = DECK.count(11)
PLACES = ("first", "second", "third", "fourth")


class ChefsHat(ChefsHatFaces, Game[ChefsHatState]):
    """The game with its rule set and its length: `matches`, or until a seat has `points`.

    `max_rounds` ends each deal of `gym2` after that many rounds. ConfigError, with the option's
    path, for an invalid value.
    """

    name: ClassVar[str] = "chefs_hat"
    title: ClassVar[str] = "Chef's Hat"
    about: ClassVar[str] = (
        "A game of getting rid of cards in a kitchen of four. Each plays a lower value than the last, "
        "and at least as many cards of it, or passes. The first without cards becomes Chef, the last "
        "becomes Dishwasher, who gives its two best cards to the Chef before the next deal. Places give "
        "3, 2, 1 and 0 points; most points of all deals win."
    )
    observer: ClassVar[str] = "arbiter.envs.observers.chefs_hat:ChefsHatObserver"
    hearing: ClassVar[str] = "arbiter.games.chefs_hat.information_state:ChefsHatHearing"
    seat_word: ClassVar[str] = "opener"
    takes: ClassVar[str] = "calls a pizza and leads"
    option_help: ClassVar[Mapping[str, str]] = {
        "rules": "book (the printed rules) or gym2 (as the published environment)",
        "matches": f"number of deals, {MATCHES} by default",
        "points": "instead of matches: ends with the deal in which a seat reaches this number of points",
        "max_rounds": "only with gym2: a deal ends after this number of rounds",
    }
    seats = SEATS
    actions = ACTIONS
    chained = True

    def __init__(
        self,
        rules: str = "book",
        matches: int | None = None,
        points: int | None = None,
        max_rounds: int | None = None,
    ) -> None:
        problems: list[Problem] = []
        check_choice(RULES, "rules", rules, problems)
        for key, value in (("matches", matches), ("points", points), ("max_rounds", max_rounds)):
            if value is not None and (type(value) is not int or not 1 <= value <= MOST):
                problems.append(Problem((key,), f"{value!r} is not a number from 1 to {MOST}"))
        if matches is not None and points is not None:
            problems.append(Problem(("points",), "a game ends after matches or at points, not both"))
        if max_rounds is not None and rules == "book":
            problems.append(Problem(("max_rounds",), "is an option of rules: gym2 alone"))
        if problems:
            raise ConfigError(problems)
        self.rules, self.points, self.max_rounds = rules, points, max_rounds
        self.matches = MATCHES if matches is None and points is None else matches
        self.endless = points is not None
        self._book = rules == "book"
        self._begin: Begin = BookState.begin
        if not self._book:
            self._begin = Gym2Play(max_rounds or -1)
        self._plays = tuple(
            tuple((Tell(EVERYBODY, f"play {seat} {name}"),) for name in STEP_NAMES) for seat in range(SEATS)
        )

    @property
    def options(self) -> dict[str, Any]:
        options: dict[str, Any] = {"rules": self.rules}
        for key in ("matches", "points", "max_rounds"):
            if (value := getattr(self, key)) is not None:
                options[key] = value
        return options

    # Dealing.

    def next_deal(self, number: int, stream: Stream, last: ChefsHatState | None) -> ChefsHatDeal | None:
        """Shuffle; seat s gets cards 17s .. 17s+16; then draw the golden 11.

        Roles and points come from the state `last`. Without it, a deal after the first has no
        roles: it is only planned, not played.
        """
        deal = ChefsHatDeal(())
        if last is not None:
            deal = _continued(deal, number, last)
        if self.over(number, deal.totals):
            return None
        cards = [DECK[i] for i in stream.shuffled(len(DECK))]
        size = len(DECK) // SEATS
        hands = tuple(tuple(cards[seat * size : (seat + 1) * size]) for seat in range(SEATS))
        deal = replace(deal, hands=hands, golden=stream.draw(_GOLDEN), number=number)
        if not self._book:
            deal = replace(deal, counted_from=stream.draw(SEATS), luck=stream.draw(1 << 64))
        if number:
            return deal
        # The first deal has no exchange, so its opener is known.
        if self._book:
            opener = golden_eleven(hands, deal.golden)
        else:
            opener = joker_holder(hands, deal.counted_from)
        return replace(deal, opener=opener, seat=opener)

    def over(self, number: int, totals: Sequence[int]) -> bool:
        """Return True if a match is over after `number` deals with these points."""
        if self.points is not None:
            return max(totals) >= self.points
        return self.matches is not None and number >= self.matches

    def deal(self, number: int, stream: Stream, last: ChefsHatState | None) -> _Deal | None:
        """See `Game.deal`; a given deal without roles gets them from the deal before."""
        deal: _Deal = super().deal(number, stream, last)
        if self._given is None or number >= len(self._given) or deal is None or last is None:
            return deal
        return _continued(deal, number, last)

    def options_for(self, deals: Sequence[Deal]) -> dict[str, Any]:
        """Return as many matches as `deals`, and no points: their number ends the match."""
        return {"matches": len(deals), "points": None}

    def start(self, deal: _Deal) -> ChefsHatState:
        """Return the state of the first decision: special action, cards to give, or first discard."""
        return first_state(deal, self._begin, specials=self._book)

    def deal_json(self, deal: _Deal) -> dict[str, Any]:
        return shape_of_deal(deal, golden=self._book)

    def deal_record(self, deal: Deal, state: ChefsHatState) -> dict[str, Any]:
        """Return a deal with its opener, special action and exchange; null for decisions not reached."""
        shape, setting = self.deal_json(deal), state.setting
        shape["opener"] = setting.opener if state.in_play else None
        if setting.deal.roles is not None:
            shape["special"] = shape_of_special(setting.special)
            shape["exchange"] = shape_of_gifts(setting.exchange)
        if state.random_actions:
            shape["forced"] = [[seat, STEP_NAMES[action]] for seat, action in state.random_actions]
        return shape

    def deal_from_json(self, shape: Mapping[str, Any]) -> ChefsHatDeal:
        return deal_of_shape(shape)

    # The protocol.

    def greeting(self) -> Iterable[tuple[Command, ...]]:
        yield ("set_rules chefs_hat 1" + ("" if self._book else f" {self.rules}"),) * SEATS
        yield tuple(f"set_players {SEATS} {seat}" for seat in range(SEATS))
        if self.points is not None:
            yield (f"set_game points {self.points}",) * SEATS
        else:
            yield (f"set_game matches {self.matches}",) * SEATS

    @classmethod
    def options_told(cls, greeting: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        """Return rules by ``set_rules`` (`max_rounds` None under book), matches or points by ``set_game``."""
        options: dict[str, Any] = {}
        if "set_rules" in greeting:
            options["rules"] = "gym2" if "gym2" in greeting["set_rules"][2:] else "book"
            if options["rules"] == "book":
                options["max_rounds"] = None
        if "set_game" in greeting:
            what, number = greeting["set_game"]
            options |= {"matches": None, "points": None, what: int(number)}
        return options

    def dealt(self, deal: _Deal) -> Iterable[tuple[Command, ...]]:
        """Yield set_cards, in the order dealt; set_roles; and the decisions that a given deal contains."""
        yield tuple(f"set_cards {len(hand)} {words(hand)}" for hand in deal.hands)
        if deal.roles is not None:
            yield (set_roles(deal.roles),) * SEATS
        if deal.special is not None:
            yield (special(*deal.special),) * SEATS
            if deal.special[1] == FOOD_FIGHT and deal.roles is not None:
                yield (set_roles(reversed_roles(deal.roles)),) * SEATS
        for given in deal.exchange or ():
            yield gift_wording(given)

    def request(self, state: ChefsHatState, seat: Seat) -> Command:  # noqa: ARG002
        return state.request

    def answer_words(self, state: ChefsHatState, seat: Seat) -> int:  # noqa: ARG002
        return state.wanted

    def parse(self, state: ChefsHatState, seat: Seat, text: str) -> Action:  # noqa: ARG002
        """Parse a discard or ``pass``; cards in any order; a special action."""
        return state.parse(text)

    def action_text(self, state: ChefsHatState, seat: Seat, action: Action) -> str:  # noqa: ARG002
        if action < STEPS:
            return STEP_NAMES[action]
        if action < STEPS + len(SPECIALS):
            return SPECIALS[action - STEPS]
        return words(gift_cards(action))

    def news(self, before: ChefsHatState, seat: Seat, action: Action, after: ChefsHatState) -> Iterable[Tell]:
        """Report the action to all seats, the cards of an exchange only to giver and taker."""
        if not before.in_play:
            return opening_news(before, seat, action, after)
        news_of_it = self._plays[seat][before.carried_out(action, after)]
        return news_of_it if after.to_act and after.rounds == before.rounds else (*news_of_it, *ending(after))

    # Cards.

    def hand(self, state: ChefsHatState, seat: Seat) -> tuple[Card, ...]:
        return state.hand(seat)

    def table(self, state: ChefsHatState) -> tuple[tuple[Seat, str], ...]:
        """Return the seat and the discard to beat, as people write it; () without one."""
        return ((state.last, short(state.table)),) if state.table < CLEARED else ()

    def roles(self, state: ChefsHatState) -> dict[str, Any]:
        """Return the roles (if any), the places of finished seats, the round, the special action."""
        setting, places = state.setting, [""] * SEATS
        for place, seat in zip(PLACES, state.order, strict=False):
            places[seat] = place
        role = {} if setting.roles is None else {"role": _role_names(setting.roles)}
        special = setting.special and SPECIALS[setting.special[1] - NO_SPECIAL].replace("_", " ")
        return {**role, "finished": places, "round": state.rounds, "special": special}

    def laid(
        self,
        before: ChefsHatState,
        seat: Seat,  # noqa: ARG002
        action: Action,
        after: ChefsHatState,
    ) -> str:
        """Return the discard or pass that was carried out, which may be a random one."""
        return STEP_NAMES[before.carried_out(action, after)] if before.in_play else ""

    def deal_roles(self, deal: _Deal, state: ChefsHatState) -> dict[str, Any]:  # noqa: ARG002
        """Return the roles, the special action, and the opener once it is visible."""
        setting = state.setting
        begun = state.in_play and (state.rounds > 1 or state.to_act != (setting.opener,))
        return {
            "opener": setting.opener if begun else None,
            "roles": _role_names(setting.roles),
            "special": shape_of_special(setting.special),
        }

    def revealed(
        self, before: ChefsHatState, seat: Seat, action: Action, after: ChefsHatState
    ) -> tuple[tuple[Seat, str], ...]:
        """See `Game.revealed`; an answer that a random action replaced is not revealed."""
        return (
            ()
            if before.carried_out(action, after) != action
            else super().revealed(before, seat, action, after)
        )

    def taker(self, before: ChefsHatState, after: ChefsHatState) -> Seat | None:
        """Return the seat that leads after a pizza; None without one, and at the end of the deal."""
        return after.to_act[0] if after.to_act and after.rounds > before.rounds else None

    def exchanged(self, before: ChefsHatState | None, after: ChefsHatState) -> Sequence[Exchange]:
        """Return the gifts if `after` begins the play, with all cards' names; () otherwise."""
        if not after.in_play or (before is not None and before.in_play):
            return ()
        return [
            Exchange(giver, taker, tuple(map(self.card_name, cards)))
            for giver, taker, cards in after.setting.exchange or ()
        ]

    def says_deal(self, state: ChefsHatState, names: Sequence[str]) -> str:
        first, *others = (names[seat] for seat in state.order)
        return f"{first} is first and becomes Chef, then {joined(others)}"

    def conclusion(self, points: Sequence[int], state: ChefsHatState) -> str:
        return winner(points, state)


def _continued(deal: ChefsHatDeal, number: int, last: ChefsHatState) -> ChefsHatDeal:
    """Return the deal with the roles and totals that follow from the deal before it."""
    won = last.points()
    totals = tuple(map(sum, zip(last.deal.totals, won, strict=True)))
    return replace(deal, roles=deal.roles or roles_after(won), totals=totals, number=number)


def _role_names(roles: tuple[int, ...] | None) -> list[str] | None:
    return None if roles is None else [ROLES[role] for role in roles]
