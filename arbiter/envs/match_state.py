"""A match in progress, of any game: deals, current state, points, actions.

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
"""The seat to act when the match is over."""


class Play:
    """Successive matches of one game.

    `game` is the game being played, with its given deals if any; `deal`, `state`, `first` (the state
    after dealing), and the actions so far, `seats` and `actions`, belong to the deal in progress, or to
    the last one when the match is over. `turn` is the seat that acts next, the lowest if several decide
    simultaneously, or `NOBODY`. `totals` are the points by seat of the finished deals, which are in `played`.

    A stopped match is over although its `state` has seats to act.

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
        """Return an independent copy of the match."""
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
        """Return a match in its first deal, after the actions `done`; IllegalAction."""
        play = cls(game)
        play._seed, play._match, play.totals, play.played = 0, 1, (0,) * game.seats, []
        play._begin(deal)
        state = play.first
        for seat, action in done:
            state = state.apply(seat, action)
        # All at once: calls of `act` would take as long as the rules.
        play.seats, play.actions = [seat for seat, _ in done], [action for _, action in done]
        play.state, play.turn = state, next(iter(state.to_act), NOBODY)
        return play

    @property
    def begun(self) -> bool:
        """True after the first `reset`."""
        return "state" in self.__dict__

    @property
    def over(self) -> bool:
        return self.turn == NOBODY

    @property
    def to_act(self) -> tuple[Seat, ...]:
        return self.state.to_act if self.turn != NOBODY else ()

    def reset(self, seed: int | str | None = None, deals: Sequence[Mapping[str, Any]] | None = None) -> None:
        """Begin the next match.

        `seed` restarts its sequence of matches; without one the sequence continues, and the first one has a
        random seed. `deals` replaces the programme for this match, as in a match record's ``deals``.
        ConfigError for invalid deals; then nothing is changed.
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
            raise ConfigError("the game has no deal to play")
        self._seed, self._match, self.game = seed, match, game
        self.totals = (0,) * game.seats
        self.played = []
        self._begin(first)

    def begin_match(self, seed: int | str, number: int) -> None:
        """Begin the match with this number since `seed`, from 1: it has the deals of that round."""
        self._seed, self._match = seed, number - 1
        self.reset()

    def act(self, seat: Seat, action: Action) -> None:
        """Do the action of a seat of `to_act`; IllegalAction with the reason, then nothing is changed."""
        self._advance(seat, action, self.state.apply(seat, action))

    def _advance(self, seat: Seat, action: Action, state: Any) -> None:
        """Store an action and the state after it; after the deal's last, begin the next deal."""
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
        """End the match in its present state, as after an illegal move."""
        self.turn = NOBODY

    def legal(self, seat: Seat) -> Sequence[Action]:
        """Return the legal actions of a seat of `to_act`, ascending; do not modify them."""
        if seat != self._asked:
            self._legal = self.state.legal(seat)
            self._asked = seat
        return self._legal

    def answers(self) -> list[Answered]:
        """Return the answers of this deal, in protocol words."""
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
        """Return the table as a standalone `svg` element, as `seat` sees it; None shows all hands.

        `names` are the players by seat, `note` a sentence that replaces the turn or the result.
        """
        # Imported here: most matches are never drawn.
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
        """Return the table for a notebook, as the seat to act sees it; at the end without hands."""
        if not self.begun:
            return f"<p>{svg_text(self.game.title)}: no match has begun, call reset()</p>"
        return self.svg(self.turn)

    _deal_of = staticmethod(deal_of)

    def _begin(self, deal: Deal) -> None:
        """Begin a deal; one without decisions is finished at once."""
        self.deal = deal
        self.first = self.state = self.game.start(deal)
        self.seats, self.actions = [], []
        self.pending, self._asked = (), NOBODY
        if to_act := self.state.to_act:
            self.turn = to_act[0]
        else:
            self._finish_deal()

    def _finish_deal(self) -> None:
        """Add the deal's points to `totals`, and begin the next deal or end the match."""
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
    """Return the answers of seats in a deal, in protocol words."""
    state, found = game.start(deal), []
    for seat, action in zip(seats, actions, strict=True):
        found.append(Answered(seat, game.request(state, seat), game.action_text(state, seat, action)))
        state = state.apply(seat, action)
    return found


def given_game(game: AnyGame, deals: object) -> AnyGame:
    """Return the game with exactly these deals, as in a match record's ``deals``; ConfigError."""
    if not isinstance(deals, Sequence) or isinstance(deals, str | bytes) or not deals:
        raise ConfigError('given deals are a list of one or more {"hands": [[card, ...], ...], ...}')
    for number, shape in enumerate(deals):
        if not isinstance(shape, Mapping):
            raise ConfigError(f'given deal {number} is not {{"hands": [[card, ...], ...], ...}}')
    return game.given([game.deal_from_json(shape) for shape in deals])


def given_deals(
    options: object, known: Sequence[str] = ("deals",), *, others: bool = True
) -> Sequence[Mapping[str, Any]] | None:
    """Return the ``deals`` of a `reset`'s options, or None; ConfigError for a misspelt `known` key.

    Other keys are ignored, as they may be for wrappers, or refused without `others`.
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
