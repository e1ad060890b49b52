"""Many matches of Codepiece at once, played by `arbiter.envs.core.codepiece`."""

from __future__ import annotations

from arbiter.envs.compiled import CompiledBatch
from arbiter.envs.match_state import Play
from arbiter.games.codepiece import FIRST_CARD, NO_TRUMP, SEATS, Codepiece, CodepieceState

_NONE = 4
"""No leader, no trump."""


class CodepieceBatch(CompiledBatch):
    """`Batch` for Codepiece; see the module."""

    core = "codepiece"

    def _options(self, game: Codepiece) -> list[int]:
        return list(game.dealers)

    def _numbers_of(self, play: Play) -> list[int]:
        """In the order of `load_match` in codepiece.c; cards are without the ids of bids and trumps."""
        state: CodepieceState = play.state
        game = play.game
        (turn, *_), hands, bids, bid, leader, trump, trick, _, best, ahead, won = state
        numbers = [
            play._match,
            len(play.played),
            game._given is None or game._goes_on,
            turn,
            min(len(bids), SEATS),
            bid,
            leader if leader >= 0 else _NONE,
            trump if trump != NO_TRUMP else _NONE,
            len(trick),
            best - FIRST_CARD if trick else 0,
            ahead,
            *won,
        ]
        numbers += [*[card - FIRST_CARD for card in trick], *[0] * (SEATS - len(trick))]
        numbers += [hand >> FIRST_CARD for hand in hands]
        # Points may be below zero, and numbers are of 64 bits without a sign.
        numbers += [total % (1 << 64) for total in play.totals]
        for deal in game._given or ():
            numbers += [deal.seat, *[sum(1 << card for card in hand) for hand in deal.hands]]
        return numbers
