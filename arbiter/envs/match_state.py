"""A match in progress, over any game: deals, current state, points, what was done.

    play = Play(make("planning", {}))
    play.reset(seed=7)
    while not play.over:
        play.act(play.turn, play.legal(play.turn)[0])
    play.totals

Deals come from the documented stream: deal k of the n-th match since a seed was given is drawn
from `Stream.of_deal(seed, n, k)`, n counting from 1 and k from 0. So the first match after
`reset(seed=s)` has the deals of round 1 of a season with that seed.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Self

from arbiter.envs.argument_checks import NotBegun
from arbiter.errors import ConfigError, slip_of
from arbiter.games.game import Action, Answered, AnyGame, Deal, Seat
from arbiter.games.information_state import PlayedDeal
from arbiter.match.position import deal_of
from arbiter.replay.score_sheet import SheetStep, score_sheet
from arbiter.text import svg_text

NOBODY = -1
"""In the place of the seat to act: the match is over."""


class Play:
    """One match after another of one game.

    `game` is the game being played, with given deals where there are any; `deal`, `state` and
    `first` (the state when the cards had just been dealt) belong to the deal in progress, or to
    the last one when the match is over, as do `seats` and `actions`, what was done in order.
    `turn` is the seat that acts next, the lowest where several decide simultaneously, or `NOBODY`.
    `totals` are the points by seat of the deals that are over, which are in `played`.

    A match that was stopped is over though somebody is to act in its `state`.

    `pending` is for actions that take several steps: the steps of `turn` so far.
    """

    game: AnyGame
    deal: Deal
    first: Any
    state: Any
    turn: Seat = NOBODY
    seats: list[Seat]
    actions: list[Action]
    totals: tuple[int, ...]
    played: list[PlayedDeal]
    pending: tuple[int, ...] = ()

    def __init__(self, game: AnyGame) -> None:
        self._programme = game
        self._seed: int | str | None = None
        self._match = 0
        self._legal: Sequence[Action] = ()
        self._asked = NOBODY
        self.game = game

    def __copy__(self) -> Play:
        """A match that goes its own way from here."""
        double = object.__new__(type(self))
        double.__dict__.update(self.__dict__)
        if "seats" in self.__dict__:
            double.seats, double.actions, double.played = self.seats[:], self.actions[:], self.played[:]
        return double

    def __getattr__(self, name: str) -> Any:
        if name in Play.__annotations__ or name in type(self).__annotations__:
            raise NotBegun(f"there is no {name} before the first match: call reset() first")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @classmethod
    def of(cls, game: AnyGame, deal: Deal, done: Sequence[tuple[Seat, Action]]) -> Self:
        """A match in its first deal, in which this was done; IllegalAction where it cannot be."""
        play = cls(game)
        play._seed, play._match, play.totals, play.played = 0, 1, (0,) * game.seats, []
        play._begin(deal)
        state = play.first
        for seat, action in done:
            state = state.apply(seat, action)
        # All at once: step by step `act` would take as long as the rules.
        play.seats, play.actions = [seat for seat, _ in done], [action for _, action in done]
        play.state, play.turn = state, next(iter(state.to_act), NOBODY)
        return play

    @property
    def begun(self) -> bool:
        """True from the first `reset` on."""
        return "state" in self.__dict__

    @property
    def over(self) -> bool:
        return self.turn == NOBODY

    @property
    def to_act(self) -> tuple[Seat, ...]:
        return self.state.to_act if self.turn != NOBODY else ()

    def reset(self, seed: int | str | None = None, deals: Sequence[Mapping[str, Any]] | None = None) -> None:
        """Begin the next match.

        `seed` starts its sequence of matches anew; without one the sequence goes on, and the first of all
        is seeded by the system. `deals` replaces the programme for this one match, in the shape of a match
        record's ``deals``. ConfigError where they cannot be, nothing being changed.
        """
        game = self._programme if deals is None else given_game(self._programme, deals)
        match = self._match + 1
        if seed is not None:
            match = 1
        elif self._seed is None:
            seed = secrets.token_hex(16)
        else:
            seed = self._seed
        first = self._deal_of(game, seed, match, 0, None)
        if first is None:
            raise ConfigError("there is no deal to be played")
        self._seed, self._match, self.game = seed, match, game
        self.totals = (0,) * game.seats
        self.played = []
        self._begin(first)

    def act(self, seat: Seat, action: Action) -> None:
        """The action of a seat of `to_act`; IllegalAction with the reason, nothing being changed."""
        self._go_on(seat, action, self.state.apply(seat, action))

    def _go_on(self, seat: Seat, action: Action, state: Any) -> None:
        self.state = state
        self.seats.append(seat)
        self.actions.append(action)
        self.pending = ()
        self._asked = NOBODY
        if to_act := state.to_act:
            self.turn = to_act[0]
        else:
            self._finish_deal()

    def stop(self) -> None:
        """End the match as it stands, as after an illegal move: nobody is to act any more."""
        self.turn = NOBODY

    def legal(self, seat: Seat) -> Sequence[Action]:
        """The legal actions of a seat of `to_act`, ascending; do not change the answer."""
        if seat != self._asked:
            self._legal = self.state.legal(seat)
            self._asked = seat
        return self._legal

    def answers(self) -> list[Answered]:
        """Return the answers of this deal, in the words of the protocol."""
        return answers(self.game, self.deal, self.seats, self.actions)

    def scoresheet(self) -> Iterable[str]:
        return score_sheet(self.game, self.first, self._steps())

    def _steps(self) -> Iterator[SheetStep]:
        """Yield the answers of this deal with the states around them."""
        state = self.first
        for answered, action in zip(self.answers(), self.actions, strict=True):
            after = state.apply(answered.seat, action)
            yield SheetStep(*answered, action, state, after)
            state = after

    def svg(self, seat: Seat | None = None, names: Sequence[str] = (), note: str = "") -> str:
        """Return the table as an `svg` element that stands alone: as `seat` sees it, None for every hand.

        `names` are the players by seat, `note` a sentence in place of who is to act, or who won.
        """
        # Imported where it is used: most matches are looked at by no person.
        from arbiter.replay.frame import frame_of
        from arbiter.replay.result_text import say_points
        from arbiter.replay.svg_table import draw

        game, state, turn = self.game, self.state, self.turn
        names = names or [f"seat_{place}" for place in range(game.seats)]
        further: dict[str, Any] = {"points": self.totals}
        if turn != NOBODY:
            further |= {"to_act": turn, "request": game.request(state, turn)}
            note = note or f"{names[turn]} is to {game.asks(further['request'])}"
        elif not note:
            note = "the match was stopped" if state.to_act else say_points(names, self.totals, game.sides)
        number = len(self.played) + bool(state.to_act)
        extra = game.deal_roles(self.deal, state).get("extra", ())
        title = f"{game.title}, deal {number}"
        return draw(
            game, frame_of(game, state, seat, say=note, **further), names, seat=seat, title=title, extra=extra
        )

    def _repr_html_(self) -> str:
        """The table for a notebook, as the seat to act sees it; when the match is over, with no hand."""
        if not self.begun:
            return f"<p>{svg_text(self.game.title)}: no match has begun, call reset()</p>"
        return self.svg(self.turn)

    _deal_of = staticmethod(deal_of)

    def _begin(self, deal: Deal) -> None:
        self.deal = deal
        self.first = self.state = self.game.start(deal)
        self.seats, self.actions = [], []
        self.pending, self._asked = (), NOBODY
        if to_act := self.state.to_act:
            self.turn = to_act[0]
        else:
            self._finish_deal()

    def _finish_deal(self) -> None:
        points = self.state.points()
        self.totals = tuple([total + won for total, won in zip(self.totals, points, strict=True)])
        self.played.append(PlayedDeal(self.deal, tuple(self.seats), tuple(self.actions), self.state, points))
        assert self._seed is not None
        deal = self._deal_of(self.game, self._seed, self._match, len(self.played), self.state)
        if deal is None:
            self.turn = NOBODY
        else:
            self._begin(deal)


def answers(game: AnyGame, deal: Deal, seats: Sequence[Seat], actions: Sequence[Action]) -> list[Answered]:
    """Return the answers of seats in a deal, in the words of the protocol."""
    state, found = game.start(deal), []
    for seat, action in zip(seats, actions, strict=True):
        found.append(Answered(seat, game.request(state, seat), game.action_text(state, seat, action)))
        state = state.apply(seat, action)
    return found


def given_game(game: AnyGame, deals: object) -> AnyGame:
    """The game that plays exactly these deals, in the shape of a match record's ``deals``; ConfigError."""
    if not isinstance(deals, Sequence) or isinstance(deals, str | bytes) or not deals:
        raise ConfigError('given deals are a list of one or more {"hands": [[card, ...], ...], ...}')
    for number, shape in enumerate(deals):
        if not isinstance(shape, Mapping):
            raise ConfigError(f'given deal {number} is not {{"hands": [[card, ...], ...], ...}}')
    return game.given([game.deal_from_json(shape) for shape in deals])


def given_deals(
    options: object, known: Sequence[str] = ("deals",), *, others: bool = True
) -> Sequence[Mapping[str, Any]] | None:
    """The ``deals`` of a `reset`'s options, or None; ConfigError for a slip of a word that is `known`.

    Other keys are left to whatever wraps the environment, or refused, too, without `others`.
    """
    if options is None:
        return None
    if not isinstance(options, Mapping):
        raise ConfigError('the options of reset are a mapping, {"deals": [...]} or nothing')
    for key in options:
        if key not in known:
            hint = slip_of(str(key).lower(), known)
            if hint or not others:
                raise ConfigError(f"unknown option {key!r} of reset", hint=hint)
    return options.get("deals")
