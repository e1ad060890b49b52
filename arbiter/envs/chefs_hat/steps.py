"""A table of Chef's Hat for learners: one step after the other, refused ones included.

    table = Table(make("chefs_hat", {"rules": "gym2"}))
    table.reset(seed=7)
    while not table.over:
        can, _ = table.possible()
        step = table.step(can[0])

Theory of operation. All decisions are steps in the 200 ids of the play: 198 declares the one special
action that is open to a role and 199 none; to give cards is a step for each card. A `Position` holds
all there is to know at one moment, and is immutable; a `Step` keeps those around it. What is shown
of a step is made from it when somebody asks (`info`), so a step that nobody looks at
costs little more than the rules.

Under `book`, deal k of the n-th game since a seed was given is that of the documented stream for
(seed, n, k). Under `gym2` everything is drawn from one `random.Random(seed)`, in the order of the
published environment: the cards, then the opener; the cards of the next match in the step that
ends one; a random action when it is forced.
"""

from __future__ import annotations

import random
import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from arbiter.cards import Stream
from arbiter.envs.play import NOBODY, given_game
from arbiter.errors import IllegalAction
from arbiter.games.chefs_hat import ChefsHat
from arbiter.games.chefs_hat.actions import (
    DECK,
    HAND,
    LONE_JOKER,
    NO_SPECIAL,
    PASS,
    TWO_JOKERS,
    card_of_step,
    gift,
    step_of_card,
)
from arbiter.games.chefs_hat.book import BookState
from arbiter.games.chefs_hat.deal import SEATS, ChefsHatDeal, roles_after
from arbiter.games.chefs_hat.gym2 import NOTHING, Gym2State
from arbiter.games.chefs_hat.opening import Opening
from arbiter.games.chefs_hat.shown import Tally, rounds_of
from arbiter.rules import Action, Seat

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arbiter.cards import Card
    from arbiter.games.chefs_hat.opening import ChefsHatState

SILENT = (NOTHING,) * SEATS
Chances: TypeAlias = tuple[tuple[Action, ...], tuple[Action, ...]]
"""The ids of what can be done, and of what is listed but refused; each ascending."""
NO_CHANCES: Chances = ((), ())


class Position(NamedTuple):
    """Everything at one moment: the state of the match, and what came before it.

    `picked` is the card that the Chef has already chosen to give; `said` the last action of each
    seat since the last pizza, `NOTHING` for none; `tally` counts the matches that are over.
    """

    state: ChefsHatState
    picked: Card | None
    said: tuple[Action, ...]
    tally: Tally

    @property
    def actor(self) -> Seat:
        """Who acts next; `NOBODY` when the match is over."""
        to_act = self.state.to_act
        return to_act[0] if to_act else NOBODY


class Step(NamedTuple):
    """One try, and what came of it.

    `before` and `after` belong to the same match; `now` is the position in which somebody acts next,
    another one than `after` where a match ended and the next was dealt. `action` is what was done, or
    refused; `replaced` says that it took the place of what was tried. `chances` are what was possible.
    """

    author: Seat
    action: Action
    valid: bool
    replaced: bool
    pizza: bool
    match_over: bool
    over: bool
    chances: Chances
    before: Position
    after: Position
    now: Position


class Log(Protocol):
    """Whoever writes down what happens at a table; actions are those of the rules."""

    def begin(self) -> None:
        """A game begins."""

    def dealt(self, state: ChefsHatState) -> None:
        """A match begins with this state."""

    def done(self, before: ChefsHatState, seat: Seat, action: Action, after: ChefsHatState) -> None:
        """An action that was carried out; refused ones are not told."""

    def end(self) -> None:
        """The game is over."""


class Table:
    """One game after the other. `position` is the present one, `over` says that the game has ended."""

    position: Position
    over: bool = True

    def __init__(self, game: ChefsHat, log: Log | None = None) -> None:
        self._programme = self.game = game
        self._book = game.rules == "book"
        self._seed: int | str | None = None
        self._games = 0
        self._random = random.Random()
        self._log = log
        self._chances: Chances | None = None
        self._leader = 0

    def reset(self, seed: int | str | None = None, deals: Sequence[Mapping[str, Any]] | None = None) -> None:
        """Begin a game; `seed` starts the sequence of games anew, without it the sequence goes on.

        `deals` replaces the programme of this one game. ConfigError where they cannot be, nothing being
        changed.
        """
        game: Any = self._programme
        if deals is not None:
            game = given_game(game, deals)
        if seed is None and self._seed is None:
            seed = secrets.token_hex(16)
        if seed is not None:
            self._seed, self._games = seed, 0
            if not self._book:
                self._random.seed(seed)
        self._games += 1
        self.game, self.over = game, False
        if self._log is not None:
            self._log.begin()
        now = self._next_match(Tally(), None)
        assert now is not None
        self.position, self._chances = now, None

    @property
    def actor(self) -> Seat:
        """Who acts next; `NOBODY` when the game is over."""
        return NOBODY if self.over else self.position.actor

    def possible(self) -> Chances:
        """What whoever acts next can do, and what is listed but refused; ids 0..199, ascending."""
        if self._chances is None:
            self._chances = possible(self.position)
        return self._chances

    def lot(self) -> Action:
        """One of the possible actions by the generator of this table."""
        can = list(self.possible()[0])
        self._random.shuffle(can)
        return can[0]

    def step(self, action: Action, *, replaced: bool = False) -> Step:
        """What comes of an action 0..199 of whoever acts next; not to be called when the game is over.

        `replaced` only marks the step: the action is not the player's own.
        """
        before, chances = self.position, self.possible()
        state, picked, said, tally = before
        seat = state.to_act[0]
        after_state: ChefsHatState
        valid = True
        done: Action | None = action
        if isinstance(state, BookState):
            try:
                after_state = state.apply(seat, action)
            except IllegalAction:
                valid, after_state = False, state
            else:
                said = (*said[:seat], action, *said[seat + 1 :])
        elif isinstance(state, Gym2State):
            forced = self._forced(state, seat) if state.forced(seat) else None
            if forced is not None:
                action = done = forced
                replaced = True
            after_state = state.advance(seat, action, forced)
            # Only a refused try leaves the actions as they were.
            valid = after_state.misses[seat] <= state.misses[seat]
        else:
            assert isinstance(state, Opening)
            valid = action in chances[0]
            done, picked = _decision(state, picked, action) if valid else (None, picked)
            after_state = state if done is None else self._led(state.apply(seat, done))
        if not valid:
            after = before._replace(state=after_state)
            self.position = after
            return Step(seat, action, False, replaced, False, False, False, chances, before, after, after)
        self._chances = None
        if done is not None and self._log is not None:
            self._log.done(state, seat, done, after_state)
        pizza = rounds_of(after_state) > rounds_of(state)
        if pizza and isinstance(after_state, BookState):
            out = after_state.done
            said = tuple([what if out >> other & 1 else NOTHING for other, what in enumerate(said)])
        if after_state.to_act:
            self.position = now = Position(after_state, picked, said, tally)
            return Step(seat, action, True, replaced, pizza, False, False, chances, before, now, now)
        after = Position(after_state, None, said, tally.after(after_state))
        following = self._next_match(after.tally, after_state)
        self.over = following is None
        self.position = now = following or after
        if self.over and self._log is not None:
            self._log.end()
        return Step(seat, action, True, replaced, pizza, True, self.over, chances, before, after, now)

    # Dealing and luck.

    def _next_match(self, tally: Tally, last: ChefsHatState | None) -> Position | None:
        deal = self._deal(tally, last)
        if deal is None:
            return None
        self._leader = last.last if isinstance(last, Gym2State) else 0
        state = self._led(self.game.start(deal))
        if self._log is not None:
            self._log.dealt(state)
        return Position(state, None, SILENT, tally)

    def _deal(self, tally: Tally, last: ChefsHatState | None) -> ChefsHatDeal | None:
        game, number = self.game, tally.matches
        if self._book or game is not self._programme:
            # Deals that are given are taken from here, too, and then nothing is drawn.
            deal = game.deal(number, Stream.of_deal(self._seed, self._games, number), last)
            assert deal is None or isinstance(deal, ChefsHatDeal)
            if deal is None or self._book or deal.opener is not None:
                return deal
            return replace(deal, counted_from=self._first_seat())
        if game.matches is not None and number >= game.matches:
            return None
        if game.points is not None and max(tally.points) >= game.points:
            return None
        cards = list(DECK)
        self._random.shuffle(cards)
        hands = tuple(tuple(sorted(cards[HAND * seat : HAND * (seat + 1)])) for seat in range(SEATS))
        return ChefsHatDeal(
            hands=hands,
            counted_from=self._first_seat(),
            roles=None if last is None else roles_after(last.points()),
            number=number,
            totals=tally.points,
        )

    def _led(self, state: ChefsHatState) -> ChefsHatState:
        """The same state with the published environment's idea of who discarded last while nobody has.

        That seat leads if all four pass at once: in the first match seat 0, later whoever discarded
        last in the match before. At a tournament's table it is the opener, so that no seat is
        singled out.
        """
        return state._replace(last=self._leader) if isinstance(state, Gym2State) else state

    def _first_seat(self) -> Seat:
        """The seat from which the holder of a joker is looked for.

        It is drawn with the cards: nothing else is drawn between them and the first discard.
        """
        seats, places = list(range(SEATS)), list(range(SEATS))
        self._random.shuffle(seats)
        self._random.shuffle(places)
        return seats[places[0]]

    def _forced(self, state: Gym2State, seat: Seat) -> Action:
        """The random action of a seat: the one that a given deal knows, else one that is drawn."""
        number = len(state.random_actions)
        known = state.deal.lots[number : number + 1]
        if known and state.allows(seat, known[0][1]):
            return known[0][1]
        return self.lot()


def possible(position: Position) -> Chances:
    """What whoever acts next can do, and what is listed but refused; nothing when a match is over."""
    state = position.state
    if not state.to_act:
        return (), ()
    seat = state.to_act[0]
    if isinstance(state, BookState):
        return state.legal(seat), ()
    if isinstance(state, Gym2State):
        # Nothing else is listed and refused.
        return state.possible(seat) if state.masks[seat] & TWO_JOKERS else (state.legal(seat), ())
    assert isinstance(state, Opening)
    if state.asking_special:
        return (LONE_JOKER, PASS), ()
    hand = list(state.setting.hands[seat])
    if position.picked is not None:
        hand.remove(position.picked)
    return tuple(sorted(step_of_card(card) for card in set(hand))), ()


def _decision(state: Opening, picked: Card | None, action: Action) -> tuple[Action | None, Card | None]:
    """The action of the rules that a step completes, if it does; and the card kept in mind until then."""
    seat = state.to_act[0]
    if state.asking_special:
        return (NO_SPECIAL if action == PASS else state.legal(seat)[1]), None
    card = card_of_step(action)
    if state.wanted == 1:
        return gift([card]), None
    return (None, card) if picked is None else (gift([picked, card]), None)
