"""Games of Chef's Hat in single steps, refused ones included.

    play = HatPlay(make("chefs_hat", {"rules": "gym2"}))
    play.reset(seed=7)
    while not play.over:
        step = play.step(play.moment.chances[0][0])

Theory of operation. All decisions are steps in the 200 ids of the play (`ChefsHatState`). A `Moment` is an
immutable snapshot of the match; a `StepTaken` has the moments before and after it. The `info` of a step is
built from it on request, so a step costs little more than the rules if its info is not read.

Under `book` cards come from the documented stream, as in any `Play`. Under `gym2` everything is drawn from
one `random.Random(seed)`, in the order of the published environment: the cards, then the opener; the
cards of the next match in the step that ends one; a random action when it is forced.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from arbiter.envs.match_state import NOBODY, Play
from arbiter.games.cards import Card
from arbiter.games.chefs_hat import ChefsHat
from arbiter.games.chefs_hat.actions import DECK, HAND, NOTHING
from arbiter.games.chefs_hat.dataset_rows import ChefsHatRows
from arbiter.games.chefs_hat.deal import NO_POINTS, SEATS, ChefsHatDeal, roles_after
from arbiter.games.chefs_hat.gym_observation import Tally
from arbiter.games.chefs_hat.state import ChefsHatState, LastActions
from arbiter.games.game import Action, Answered, AnyGame, Deal, Seat
from arbiter.replay.export.columns import CHEFS_HAT_COLUMNS, facts
from arbiter.replay.export.row_files import RowFile
from arbiter.replay.score_sheet import SheetStep

SILENT = (NOTHING,) * SEATS
NO_TALLY = Tally()
Chances: TypeAlias = tuple[Sequence[Action], Sequence[Action]]
"""The possible ids, and the ids that are listed but refused; each ascending."""
NO_CHANCES: Chances = ((), ())
_new = tuple.__new__  # the named constructor is slow


class Moment(NamedTuple):
    """A snapshot of the match.

    `picked` are the cards that the Chef has already chosen to give; `said` the last action of each
    seat since the last pizza, `NOTHING` for none; `tally` has the scores of finished matches. `actor` acts
    next, `NOBODY` when the match is over; `chances` are its actions.
    """

    state: ChefsHatState
    picked: Sequence[Card]
    said: LastActions
    tally: Tally
    actor: Seat
    chances: Chances

    @classmethod
    def of(
        cls,
        state: ChefsHatState,
        picked: Sequence[Card] = (),
        said: LastActions = SILENT,
        tally: Tally = NO_TALLY,
    ) -> Moment:
        """Return the moment of a state, by default of the first one of a game."""
        actor, chances = NOBODY, NO_CHANCES
        if to_act := state.to_act:
            actor = to_act[0]
            steps = state.legal(actor) if state.in_play else state.steps(actor, picked)
            chances = steps, state.refused(actor)
        return _new(cls, (state, picked, said, tally, actor, chances))


class StepTaken(NamedTuple):
    """An attempted action and its result.

    `before` and `after` belong to the same match; `now` is the moment of the next decision, different from
    `after` if a match ended and the next was dealt. `action` was carried out if `valid`, else refused;
    `replaced` means that a random one replaced the attempt.
    """

    action: Action
    valid: bool
    replaced: bool
    before: Moment
    after: Moment
    now: Moment

    @property
    def author(self) -> Seat:
        """The seat that acted."""
        return self.before.actor

    @property
    def pizza(self) -> bool:
        """True if all have passed, and a round begins."""
        return self.after.state.rounds > self.before.state.rounds

    @property
    def match_over(self) -> bool:
        return self.now is not self.after or self.over

    @property
    def over(self) -> bool:
        """True if the step ended the game."""
        return self.now.actor == NOBODY

    @classmethod
    def of(cls, before: Moment, action: Action, play: Play, replaced: bool = False) -> StepTaken:
        """Return the step of an action that `play` has just carried out."""
        state, tally, played = before.state, before.tally, play.played
        match_over = len(played) > tally.matches
        left = played[-1].state if match_over else play.state
        if (lots := left.random_actions) != state.random_actions:
            action, replaced = lots[-1][1], True
        said = state.last_actions_after(before.said, action, left)
        if not match_over:
            # The Chef's first card is pending until its second is chosen.
            now = Moment.of(left, play.pending, said, tally)
            return _new(cls, (action, True, replaced, before, now, now))
        after = now = Moment.of(left, (), said, tally.after(left))
        if not play.over:
            now = Moment.of(play.state, tally=after.tally)
        return _new(cls, (action, True, replaced, before, after, now))


class HatPlay(Play):
    """Successive games, rendered if `shows`; `file` is a data set of them with the players' `names`."""

    moment: Moment

    def __init__(
        self, game: ChefsHat, names: Sequence[str] = (), file: str | None = None, *, shows: bool = False
    ) -> None:
        super().__init__(game)
        self._book = game.rules == "book"
        self._random = random.Random()
        self._shows = shows
        self._actions_done: list[tuple[ChefsHatState, Seat, Action, ChefsHatState]] = []
        self._rows = ChefsHatRows(names)
        self._file = None if file is None else RowFile(file, CHEFS_HAT_COLUMNS, facts=facts(game))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def reset(self, seed: int | str | None = None, deals: Sequence[Mapping[str, Any]] | None = None) -> None:
        super().reset(seed, deals)
        self.moment = Moment.of(self.state)

    def draw_action(self) -> Action:
        """Return a random possible action, drawn by the generator that deals."""
        can = list(self.moment.chances[0])
        self._random.shuffle(can)
        return can[0]

    def step(self, action: Action, *, replaced: bool = False) -> StepTaken:
        """Do or refuse an action 0..199 of the seat that acts next; do not call it when the game is over.

        `replaced` marks the step: the action is not the player's own.
        """
        before, state, seat = self.moment, self.state, self.turn
        done: Action | None = action
        if forced := state.forced(seat):
            done = action = self._random_action(seat)
        elif action not in before.chances[0]:
            self.state = after_state = state.advance(seat, action)
            if (after := before).state is not after_state:
                self.moment = after = Moment.of(after_state, before.picked, before.said, before.tally)
            return StepTaken(action, False, replaced, before, after, after)
        elif not state.in_play:
            done, self.pending = state.decision(before.picked, action)
        if done is not None:
            after_state = state.advance(seat, action, done) if forced else state.apply(seat, done)
            if self._shows:
                self._actions_done.append((state, seat, done, after_state))
            if self._file is not None:
                self._file.write(self._rows.done(state, seat, done, after_state))
            self.state = after_state
            if to_act := after_state.to_act:
                self.turn = to_act[0]
            else:
                self._finish_deal()
                if self.over and self._file is not None:
                    self._file.write(self._rows.end(""))
        step = StepTaken.of(before, action, self, replaced)
        self.moment = step.now
        return step

    def answers(self) -> list[Answered]:
        text = self.game.action_text
        return [
            Answered(seat, state.request, text(state, seat, action))
            for state, seat, action, _ in self._actions_done
        ]

    def _steps(self) -> Iterator[SheetStep]:
        for answered, (before, _, action, after) in zip(self.answers(), self._actions_done, strict=True):
            yield SheetStep(*answered, action, before, after)

    # Dealing and luck.

    def _begin(self, deal: Deal) -> None:
        """Begin a deal, and write its rows to the data set, if any."""
        if not self.played and self._file is not None:
            self._file.write(self._rows.begin())
        self._actions_done = []
        super()._begin(deal)
        if self._file is not None:
            self._file.write(self._rows.dealt(self.state))

    def _deal_of(
        self, game: AnyGame, seed: int | str, match: int, number: int, last: Any = None
    ) -> Deal | None:
        """Draw a deal in the published environment's way; by the book, and for given deals, as `Play`."""
        if not self._book and match == 1 and not number:
            self._random.seed(seed)
        # If all four pass at once, seat 0 leads in the published environment's first match, and later
        # the seat that discarded last in the match before.
        leader = 0 if last is None else last.last
        if self._book or game is not self._programme:
            # Given deals come from here, too, without drawing.
            deal = super()._deal_of(game, seed, match, number, last)
            if deal is None or self._book:
                return deal
            assert isinstance(deal, ChefsHatDeal)
            first = deal.counted_from if deal.opener is not None else self._first_seat()
            return replace(deal, counted_from=first, leader=leader)
        totals = self.totals if number else NO_POINTS
        if game.over(number, totals):  # type: ignore[attr-defined]
            return None
        cards = list(DECK)
        self._random.shuffle(cards)
        return ChefsHatDeal(
            hands=tuple(tuple(sorted(cards[HAND * seat : HAND * (seat + 1)])) for seat in range(SEATS)),
            counted_from=self._first_seat(),
            roles=None if last is None else roles_after(last.points()),
            number=number,
            totals=totals,
            leader=leader,
        )

    def _first_seat(self) -> Seat:
        """Draw the seat from which the search for a joker's holder starts.

        Call it right after the cards: nothing else is drawn before the first discard.
        """
        seats, places = list(range(SEATS)), list(range(SEATS))
        self._random.shuffle(seats)
        self._random.shuffle(places)
        return seats[places[0]]

    def _random_action(self, seat: Seat) -> Action:
        """Return the random action of a seat: that of a given deal, or a new one."""
        state = self.state
        known = state.deal.lots[len(state.random_actions) :][:1]
        return known[0][1] if known and state.allows(seat, known[0][1]) else self.draw_action()
