"""Games of Chef's Hat in single steps, refused ones included.

    play = StepwisePlay(make("chefs_hat", {"rules": "gym2"}))
    play.reset(seed=7)
    while not play.over:
        can, _ = play.possible()
        step = play.step(can[0])

Theory of operation. All decisions are steps in the 200 ids of the play (`ChefsHatState`). A `Moment`
holds all there is to know at one time, and is immutable; a `StepTaken` keeps those around it. What is
shown of a step is made from it when somebody asks (`info`), so a step that nobody looks at costs
little more than the rules.

Under `book`, deal k of the n-th game since a seed was given is that of the documented stream for
(seed, n, k). Under `gym2` everything is drawn from one `random.Random(seed)`, in the order of the
published environment: the cards, then the opener; the cards of the next match in the step that
ends one; a random action when it is forced.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, TypeAlias

from arbiter.cards import Card, Stream
from arbiter.envs.play import NOBODY, given_game
from arbiter.games.chefs_hat import ChefsHat
from arbiter.games.chefs_hat.actions import DECK, HAND, NOTHING
from arbiter.games.chefs_hat.deal import SEATS, ChefsHatDeal, roles_after
from arbiter.games.chefs_hat.shown import Tally
from arbiter.games.chefs_hat.state import ChefsHatState
from arbiter.rules import Action, Seat

SILENT = (NOTHING,) * SEATS
Chances: TypeAlias = tuple[tuple[Action, ...], tuple[Action, ...]]
"""The ids of what can be done, and of what is listed but refused; each ascending."""
NO_CHANCES: Chances = ((), ())


class Moment(NamedTuple):
    """The state of the match, and what came before it.

    `picked` are the cards that the Chef has already chosen to give; `said` the last action of each
    seat since the last pizza, `NOTHING` for none; `tally` counts the matches that are over.
    """

    state: ChefsHatState
    picked: tuple[Card, ...]
    said: tuple[Action, ...]
    tally: Tally

    @property
    def actor(self) -> Seat:
        """Who acts next; `NOBODY` when the match is over."""
        to_act = self.state.to_act
        return to_act[0] if to_act else NOBODY


class StepTaken(NamedTuple):
    """One try, and what came of it.

    `before` and `after` belong to the same match; `now` is the moment in which somebody acts next,
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
    before: Moment
    after: Moment
    now: Moment


class Log(Protocol):
    """Takes down what happens; actions are those of the rules."""

    def begin(self) -> None:
        """A game begins."""

    def dealt(self, state: ChefsHatState) -> None:
        """A match begins with this state."""

    def done(self, before: ChefsHatState, seat: Seat, action: Action, after: ChefsHatState) -> None:
        """An action that was carried out; refused ones are not told."""

    def end(self) -> None:
        """The game is over."""


class StepwisePlay:
    """One game after the other, told to `logs`. `over` says that the game has ended."""

    moment: Moment
    over: bool = True

    def __init__(self, game: ChefsHat, *logs: Log) -> None:
        self._programme = self.game = game
        self._book = game.rules == "book"
        self._seed: int | str | None = None
        self._games = 0
        self._random = random.Random()
        self._logs = logs
        self._chances: Chances | None = None

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
        for log in self._logs:
            log.begin()
        now = self._next_match(Tally(), None)
        assert now is not None
        self.moment, self._chances = now, None

    @property
    def actor(self) -> Seat:
        """Who acts next; `NOBODY` when the game is over."""
        return NOBODY if self.over else self.moment.actor

    def possible(self) -> Chances:
        """What whoever acts next can do, and what is listed but refused; ids 0..199, ascending."""
        if self._chances is None:
            self._chances = possible(self.moment)
        return self._chances

    def lot(self) -> Action:
        """One of the possible actions, drawn by the generator that deals."""
        can = list(self.possible()[0])
        self._random.shuffle(can)
        return can[0]

    def step(self, action: Action, *, replaced: bool = False) -> StepTaken:
        """Do or refuse an action 0..199 of whoever acts next; not to be called when the game is over.

        `replaced` only marks the step: the action is not the player's own.
        """
        before, chances = self.moment, self.possible()
        state, picked, said, tally = before
        seat = state.to_act[0]
        forced = self._forced(state, seat) if state.forced(seat) else None
        if forced is not None:
            action, replaced = forced, True
        done: Action | None = action
        valid = action in chances[0]
        if forced is not None or not valid:
            after_state = state.advance(seat, action, forced)
        else:
            if not state.in_play:
                done, picked = state.decision(picked, action)
            after_state = state if done is None else state.apply(seat, done)
        if not valid:
            after = before._replace(state=after_state)
            self.moment = after
            return StepTaken(
                seat, action, False, replaced, False, False, False, chances, before, after, after
            )
        self._chances = None
        if done is not None:
            for log in self._logs:
                log.done(state, seat, done, after_state)
        pizza = after_state.rounds > state.rounds
        said = state.said_after(said, action, after_state)
        if after_state.to_act:
            self.moment = now = Moment(after_state, picked, said, tally)
            return StepTaken(seat, action, True, replaced, pizza, False, False, chances, before, now, now)
        after = Moment(after_state, (), said, tally.after(after_state))
        following = self._next_match(after.tally, after_state)
        self.over = following is None
        self.moment = now = following or after
        if self.over:
            for log in self._logs:
                log.end()
        return StepTaken(seat, action, True, replaced, pizza, True, self.over, chances, before, after, now)

    # Dealing and luck.

    def _next_match(self, tally: Tally, last: ChefsHatState | None) -> Moment | None:
        deal = self._deal(tally, last)
        if deal is None:
            return None
        state = self.game.start(deal)
        for log in self._logs:
            log.dealt(state)
        return Moment(state, (), SILENT, tally)

    def _deal(self, tally: Tally, last: ChefsHatState | None) -> ChefsHatDeal | None:
        game, number = self.game, tally.matches
        # If all four pass at once, seat 0 leads in the published environment's first match, and later
        # whoever discarded last in the match before.
        leader = 0 if last is None else last.last
        if self._book or game is not self._programme:
            # Deals that are given are taken from here, too, and then nothing is drawn.
            deal: ChefsHatDeal | None = game.deal(
                number, Stream.of_deal(self._seed, self._games, number), last
            )
            if deal is None or self._book:
                return deal
            first = deal.counted_from if deal.opener is not None else self._first_seat()
            return replace(deal, counted_from=first, leader=leader)
        if game.over(number, tally.points):
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
            leader=leader,
        )

    def _first_seat(self) -> Seat:
        """The seat from which the holder of a joker is looked for.

        It is drawn with the cards: nothing else is drawn between them and the first discard.
        """
        seats, places = list(range(SEATS)), list(range(SEATS))
        self._random.shuffle(seats)
        self._random.shuffle(places)
        return seats[places[0]]

    def _forced(self, state: ChefsHatState, seat: Seat) -> Action:
        """The random action of a seat: the one that a given deal knows, else one that is drawn."""
        number = len(state.random_actions)
        known = state.deal.lots[number : number + 1]
        if known and state.allows(seat, known[0][1]):
            return known[0][1]
        return self.lot()


def possible(moment: Moment) -> Chances:
    """What whoever acts next can do, and what is listed but refused; nothing when a match is over."""
    state = moment.state
    if not state.to_act:
        return NO_CHANCES
    seat = state.to_act[0]
    if state.in_play:
        return state.legal(seat), state.refused(seat)
    return state.steps(seat, moment.picked), ()
