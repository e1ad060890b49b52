"""A recorded match played again by a bot: it hears the same, so it should answer the same."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from arbiter.errors import ConfigError
from arbiter.games import make
from arbiter.match.follower import Follower, conduct_with
from arbiter.match.in_memory import match_spec
from arbiter.match.position import Position, programme
from arbiter.match.referee import referee
from arbiter.sandbox.launcher import Launcher
from arbiter.trials.botcheck import Subject

if TYPE_CHECKING:
    from arbiter.games.game import Action, AnyGame, Seat
    from arbiter.match.record import MatchRecord, Move
    from arbiter.match.spec import Limits, Player


class _ComparisonOver(Exception):
    """Ends the comparison; the text is the difference, empty where there is none."""


def difference(record: MatchRecord, seat: Seat, player: Player, limits: Limits) -> str:
    """Return where a bot first departs from a record, in words; "" where it does not. The others play as
    recorded.

    A record that ends with a forfeit is followed up to that. VoidMatch if our machine failed, ConfigError
    for a match that cannot be dealt again.
    """
    game = _game(record)
    spec = match_spec(game, seed=record.seed, round_number=record.round, names=record.players)
    players = tuple(player if other == seat else spec.players[other] for other in range(len(spec.players)))
    spec = replace(spec, players=players, limits=limits)
    course = _Course(Position.opening(game, record.seed, record.round or 1), record.moves)
    try:
        with closing(Launcher()) as launcher, Subject(game, player, limits, launcher).run(seat) as bot:
            again = conduct_with(referee(game, spec), {seat: bot}, course)
    except _ComparisonOver as over:
        return str(over)
    if again.forfeit is not None and again.forfeit.seat == seat:
        moves = sum(move.seat == seat for move in again.moves)
        return f"after {moves} of its moves it forfeits ({again.forfeit.fault}): {again.forfeit.detail}"
    return ""


class _Course(Follower):
    """The others' moves, and what the bot's should be."""

    def __init__(self, position: Position, moves: tuple[Move, ...]) -> None:
        super().__init__(position)
        self._moves = moves

    def action_of(self, seat: Seat) -> Action:  # noqa: ARG002
        return self.position.parse(self._next().action)

    def check(self, action: Action) -> None:
        move, position = self._next(), self.position
        said = position.game.action_text(position.state, move.seat, action)
        if said != move.action:
            place = f"move {position.made + 1} (deal {move.deal}, {move.request})"
            raise _ComparisonOver(f"{place}: it answers {said}, the record has {move.action}")

    def _next(self) -> Move:
        if self.position.made == len(self._moves):
            raise _ComparisonOver
        return self._moves[self.position.made]


def _game(record: MatchRecord) -> AnyGame:
    """The game, with the record's own cards where the seed does not give them."""
    game = make(record.game, record.options)
    if programme(game, record.seed, record.round or 1).hash == record.deal_hash:
        return game
    if game.chained:
        raise ConfigError(f"{record.id} was played with given cards, which play has changed since")
    return game.given([game.deal_from_json(shape) for shape in record.deals])
