"""Whether a bot plays a match as it was recorded: it hears the same, so it should answer the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.botcheck.one_bot import Follower, conduct_one
from arbiter.course import Position, programme
from arbiter.errors import ArbiterError, ConfigError
from arbiter.games import make
from arbiter.match import MatchSpec, Player
from arbiter.protocol import words_of
from arbiter.referee import referee
from arbiter.table.launcher import Launcher
from arbiter.table.single import SingleBot

if TYPE_CHECKING:
    from arbiter.match import Limits, MatchRecord, Move
    from arbiter.protocol import Answer
    from arbiter.rules import Action, AnyGame, Seat


class _Ended(Exception):
    """The comparison is over; the text is the difference, empty where there is none."""


def difference(record: MatchRecord, seat: Seat, player: Player, limits: Limits) -> str:
    """Where a bot first departs from a record, in words; "" where it does not. The others play as recorded.

    A record that ends with a forfeit is followed up to that. VoidMatch if our machine failed, ConfigError
    for a match that cannot be dealt again.
    """
    game = _game(record)
    players = [Player(name, (name,)) for name in record.players]
    players[seat] = player
    spec = MatchSpec(
        id=record.id,
        season="",
        round=record.round,
        table=record.table,
        rotation=record.rotation,
        game=record.game,
        options=record.options,
        seed=record.seed,
        players=tuple(players),
        limits=limits,
    )
    launcher = Launcher()
    try:
        bot = SingleBot(launcher, player, limits, seat)
        try:
            course = _Course(Position.opening(game, record.seed, record.round or 1), record.moves)
            again = conduct_one(referee(game, spec), bot, seat, course)
        except _Ended as ended:
            return str(ended)
        finally:
            bot.stop()
    finally:
        launcher.close()
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
        """As recorded."""
        return self.position.parse(self._next().action)

    def heard(self, answer: Answer) -> None:
        """Compare; what is not legal is the referee's to judge."""
        try:
            action = self.position.parse(words_of(answer, self.position.answer_words))
        except ArbiterError:
            return
        move = self._next()
        said = self.position.game.action_text(self.position.state, move.seat, action)
        if said != move.action:
            place = f"move {len(self.position.decisions) + 1} (deal {move.deal}, {move.request})"
            raise _Ended(f"{place}: it answers {said}, the record has {move.action}")
        self.decided(action)

    def _next(self) -> Move:
        number = len(self.position.decisions)
        if number == len(self._moves):
            raise _Ended
        return self._moves[number]


def _game(record: MatchRecord) -> AnyGame:
    """The game, with the record's own cards where the seed does not give them."""
    game = make(record.game, record.options)
    if programme(game, record.seed, record.round or 1).hash == record.deal_hash:
        return game
    if game.chained:
        raise ConfigError(f"{record.id} was played with given cards, which play has changed since")
    return game.given([game.deal_from_json(shape) for shape in record.deals])
