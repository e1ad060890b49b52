"""Many matches of Planning at once, played by `arbiter.envs.core.planning`."""

from __future__ import annotations

from arbiter.envs.compiled import CompiledBatch
from arbiter.envs.match_state import Play
from arbiter.games.planning import Planning, PlanningState

_UNKNOWN = 255
_SEATS = 4


class PlanningBatch(CompiledBatch):
    """`Batch` for Planning; see the module."""

    core = "planning"

    def _options(self, game: Planning) -> list[int]:
        programme = [number for deal in game.programme for number in deal]
        return [game.seats, len(game.deck), len(game.deck.values), *programme]

    def _numbers_of(self, play: Play) -> list[int]:
        """In the order of `load_match` in planning.c; cards are without the ids of declarations."""
        state: PlanningState = play.state
        game, _, hands, declared, taken, trick, leader, size = state
        offset = game.tricks.offset
        played = trick or ()
        numbers = [
            play._match,
            len(play.played),
            game._given is None or game._goes_on,
            trick is not None,
            size,
            leader,
            len(played),
        ]
        by_seat = (
            [card - offset for card in played],
            [_UNKNOWN if number is None else number for number in declared],
            taken,
            [hand >> offset for hand in play.first.hands],
            [hand >> offset for hand in hands],
            play.totals,
        )
        for part in by_seat:
            numbers += [*part, *[0] * (_SEATS - len(part))]
        for deal in game._given or ():
            masks = [sum(1 << card for card in hand) for hand in deal.hands]
            numbers += [len(deal.hands[0]), deal.seat, *masks, *[0] * (_SEATS - len(masks))]
        return numbers
