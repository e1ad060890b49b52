"""Many matches of Chef's Hat by the rule book at once, played by `arbiter.envs.core.chefs_hat`."""

from __future__ import annotations

from collections.abc import Sequence

from arbiter.envs.compiled import CompiledBatch
from arbiter.envs.match_state import Play
from arbiter.games.cards import Card
from arbiter.games.chefs_hat import ChefsHat
from arbiter.games.chefs_hat.actions import gift_cards
from arbiter.games.chefs_hat.deal import SEATS
from arbiter.games.chefs_hat.opening import Opening
from arbiter.games.chefs_hat.rule_book_play import BookState

_SPECIAL, _CHEFS, _SOUSCHEFS, _PLAYING = range(4)


class ChefsHatBatch(CompiledBatch):
    """`Batch` for Chef's Hat by the rule book, no deals of which are given; see the module."""

    core = "chefs_hat"

    @classmethod
    def _takes(cls, plays: Sequence[Play]) -> bool:
        return super()._takes(plays) and all(play.game is play._programme for play in plays)

    def _options(self, game: ChefsHat) -> list[int]:
        return [game.matches or 0, game.points or 0]

    def _numbers_of(self, play: Play) -> list[int]:
        """In the order of `load_match` in chefs_hat.c."""
        state: Opening | BookState = play.state
        setting, (turn, *_) = state.setting, state.to_act
        asked, out, done = _PLAYING, 0, 0
        picked: tuple[Card, ...] = ()
        if isinstance(state, BookState):
            out, done = state.out, state.done
        elif state.asking_special:
            asked = _SPECIAL
        else:
            asked = _SOUSCHEFS if state.chosen else _CHEFS
            picked = gift_cards(state.chosen[0]) if state.chosen else play.pending
        order, roles = state.order, setting.roles or (0,) * SEATS
        return [
            *(play._match, len(play.played), asked, turn, state.table, state.last, out, done, len(order)),
            *(setting.deal.golden, len(picked), *picked, *[0] * (2 - len(picked))),
            *(*order, *[0] * (SEATS - len(order)), *roles, *play.totals),
            *[sum([1 << 4 * card for card in state.hand(seat)]) for seat in range(SEATS)],
        ]
