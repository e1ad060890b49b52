"""Many matches of Dou Dizhu at once, played by `arbiter.envs.core.dou_dizhu`."""

from __future__ import annotations

from arbiter.envs.compiled import CompiledBatch
from arbiter.envs.match_state import Play
from arbiter.envs.observers.dou_dizhu import RECENT
from arbiter.games.cards import Card
from arbiter.games.dou_dizhu import DouDizhu
from arbiter.games.dou_dizhu.combinations import UNITS, Counts, table
from arbiter.games.dou_dizhu.game import DouDizhuState
from arbiter.games.game import Deal


class DouDizhuBatch(CompiledBatch):
    """`Batch` for Dou Dizhu; see the module."""

    core = "dou_dizhu"

    def _options(self, game: DouDizhu) -> list[int]:
        entries = table()
        numbers = [game.bombs == "double", len(game.landlords), *game.landlords]
        for members in entries.families.values():
            for main, family in members:
                first = family[0][1]
                numbers += [first, entries.ceiling[first], main]
        return [*numbers, *entries.cards]

    def _numbers_of(self, play: Play) -> list[int]:
        """In the order of `load_match` in dou_dizhu.c."""
        state: DouDizhuState = play.state
        game, (_, hands, best, owner, _, bombs), actions = play.game, state[1:], play.actions
        cards = table().cards
        recent = [cards[action] for action in actions[-RECENT:]]
        return [
            *(play._match, len(play.played), game._given is None or game._goes_on),
            *(len(actions), best, owner, bombs),
            *hands,
            # Points may be below zero, and numbers are of 64 bits without a sign.
            *[total % (1 << 64) for total in play.totals],
            *[0] * (RECENT - len(recent)),
            *recent,
            *_numbers(play.deal),
            *[number for deal in game._given or () for number in _numbers(deal)],
        ]


def _numbers(deal: Deal) -> list[int]:
    return [deal.seat, *[_counts(hand) for hand in (*deal.hands, deal.extra)]]


def _counts(cards: tuple[Card, ...]) -> Counts:
    return sum([UNITS[card] for card in cards])
