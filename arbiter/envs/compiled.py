"""Batches whose rules and observations are in C: the base, and a class for each game with a `Core`.

The matches are in a `Core` (`arbiter/envs/core`), loaded from the situation of a `Play`. The Python rules are
the reference: every state, mask and observation is equal.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arbiter.envs.batches import Batch, _copy_into
from arbiter.envs.core import AGAIN, WHOLE, ZEROS, core_of
from arbiter.envs.match_state import Play
from arbiter.envs.observers import Observer
from arbiter.envs.observers.dou_dizhu import RECENT
from arbiter.games.cards import Card
from arbiter.games.chefs_hat import ChefsHat
from arbiter.games.chefs_hat.actions import gift_cards
from arbiter.games.chefs_hat.deal import SEATS as HAT_SEATS
from arbiter.games.chefs_hat.opening import Opening
from arbiter.games.chefs_hat.rule_book_play import BookState
from arbiter.games.codepiece import FIRST_CARD, NO_TRUMP, SEATS, Codepiece, CodepieceState
from arbiter.games.dou_dizhu import DouDizhu
from arbiter.games.dou_dizhu.combinations import UNITS, table
from arbiter.games.dou_dizhu.game import DouDizhuState
from arbiter.games.game import AnyGame, Deal
from arbiter.games.planning import Planning, PlanningState


class CompiledBatch(Batch):
    """`Batch` over a `Core`; a subclass for each game, for games of exactly its class."""

    core: ClassVar[str]
    """The name of the game's module in `arbiter.envs.core`."""

    @abstractmethod
    def _option_numbers(self, game: Any) -> list[int]:
        """Return the game's options for the `Core`."""

    @abstractmethod
    def _deal_numbers(self, play: Any) -> list[int]:
        """Return the deal in progress, in the order of `load_match` in the game's C file."""

    def _core_numbers(self, play: Play) -> NDArray[np.uint64]:
        """Return a match for `Core.load`."""
        numbers = [play._match, len(play.played), *self._deal_numbers(play)]
        # Points may be negative; the numbers are unsigned.
        return np.array([number % (1 << 64) for number in numbers], np.uint64)

    _loaded = False

    @classmethod
    def _can_start_from(cls, plays: Sequence[Play]) -> bool:
        return all(type(play) is Play for play in plays)

    def _prepare(self, game: AnyGame, observer: Observer, plays: list[Play]) -> None:
        super()._prepare(game, observer, plays)
        self._cells = self.size
        made = core_of(self.core)
        assert made is not None, "a game's observer names this class where there is a core"
        self._core = made(self.n, np.array(self._option_numbers(game), np.uint64))

    def __getstate__(self) -> dict[str, Any]:
        # The copy's core has not written the array of masks.
        return {**self.__dict__, "_core": self._core.state(), "_filled": (None,)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        loads, matches, starts = state["_core"]
        self.__dict__.update(state)
        if (made := core_of(self.core)) is None:
            raise ValueError(f"this batch of {self.core} was made by rules in C, which are not built here")
        self._core = made(self.n, np.array(self._option_numbers(self.game), np.uint64))
        for number, (name, numbers) in enumerate(loads):
            self._core.load(number, name, numbers)
        self._core.restore(matches, starts)

    def begin(self, seeds: Sequence[int | str | None], which: NDArray[np.bool_] | None = None) -> None:
        if self._loaded:
            # The plays do not follow the core; set their match numbers for the next match.
            for number, play in enumerate(self._plays):
                play._match = self._core.match(number)
        super().begin(seeds, which)

    def observations(self, out: NDArray[Any] | None = None) -> NDArray[Any]:
        shape, dtype = (self.n, self.size), self.observer.dtype
        if out is not None and self._core_can_write(out, shape, dtype):
            self._core.observations(out)
            return out
        made: NDArray[Any] = np.empty(shape, dtype)
        self._core.observations(made)
        return self._given(made, out)

    def masks(self, out: NDArray[np.int8] | None = None) -> NDArray[np.int8]:
        shape = self.n, self.actions
        if out is not None and self._core_can_write(out, shape, np.int8):
            self._core.masks(out, AGAIN if out is self._filled[0] else WHOLE)
            self._filled = (out,)
            return out
        made: NDArray[np.int8] = np.zeros(shape, np.int8)
        self._core.masks(made, ZEROS)
        return made if out is None else _copy_into(out, made)

    def step(
        self, actions: Sequence[int] | NDArray[Any], wait: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        given = self._integers(actions)
        if given.dtype != np.int64 or not given.flags.carray:
            given = given.astype(np.int64)
        rewards, over = np.zeros((self.n, self.seats), np.float32), np.empty(self.n, np.bool_)
        last = None if self.ends is None else np.empty((self.n, self._cells), self.observer.dtype)
        if wait is not None:
            wait = np.ascontiguousarray(wait, np.bool_)
        if not self._core.step(given, rewards, over, last, wait, self.viewers):
            raise self._no_such_id_error()
        if self.ends is not None and last is not None:
            ended = over.nonzero()[0]
            seats = self.turns if self.viewers is None else self.viewers
            self.ends.update(zip(ended.tolist(), self._views(last[ended], seats[ended]), strict=True))
        self._update_turns()
        return rewards, over

    def _views(self, seen: NDArray[Any], seats: NDArray[np.int64]) -> NDArray[Any]:  # noqa: ARG002
        """Return the observations of `seats` from the arrays of the core, by default these arrays."""
        return seen

    def _refresh(self, numbers: Iterable[int] | None = None) -> None:
        for number in range(self.n) if numbers is None else numbers:
            self._load_into_core(number)
        if self._starts is not None:
            self._core.mark()
        self._loaded = True
        self._update_turns()

    def _load_into_core(self, number: int) -> None:
        play = self._plays[number]
        name = f"arbiter-deals-1|{play._seed}|".encode()
        self._core.load(number, name, self._core_numbers(play))

    def _update_turns(self) -> None:
        self.turns, self._legal = np.empty(self.n, np.int64), None
        self._core.turns(self.turns)

    def _enumerate_legal(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        starts = np.empty(self.n + 1, np.int64)
        self._core.starts(starts)
        ids = np.empty(int(starts[-1]), np.int64)
        self._core.ids(ids)
        return ids, starts

    @staticmethod
    def _core_can_write(out: NDArray[Any], shape: tuple[int, int], dtype: type[np.generic]) -> bool:
        """Return True if the core can write into the array."""
        return out.shape == shape and out.dtype == dtype and out.flags.carray


def _continues(game: AnyGame) -> bool:
    """Return True if the programme continues after the given deals."""
    return game._given is None or game._continues


def _pad(numbers: Sequence[int], count: int) -> list[int]:
    return [*numbers, *[0] * (count - len(numbers))]


def _card_mask(cards: Sequence[Card]) -> int:
    return sum([1 << card for card in cards])


_MOST_SEATS, _UNKNOWN = 4, 255


class PlanningBatch(CompiledBatch):
    """`Batch` for Planning; cards are without the ids of declarations."""

    core = "planning"

    def _option_numbers(self, game: Planning) -> list[int]:
        programme = [number for deal in game.programme for number in deal]
        return [game.seats, len(game.deck), len(game.deck.values), *programme]

    def _deal_numbers(self, play: Play) -> list[int]:
        state: PlanningState = play.state
        game, _, hands, declared, taken, trick, leader, size = state
        offset = game.tricks.offset
        played = trick or ()
        by_seat = (
            [card - offset for card in played],
            [_UNKNOWN if number is None else number for number in declared],
            taken,
            [hand >> offset for hand in play.first.hands],
            [hand >> offset for hand in hands],
            play.totals,
        )
        numbers = [_continues(game), trick is not None, size, leader, len(played)]
        for part in by_seat:
            numbers += _pad(part, _MOST_SEATS)
        for deal in game._given or ():
            numbers += [len(deal.hands[0]), deal.seat, *_pad([*map(_card_mask, deal.hands)], _MOST_SEATS)]
        return numbers


_NONE = 4
"""No leader, no trump."""


class CodepieceBatch(CompiledBatch):
    """`Batch` for Codepiece; cards are without the ids of bids and trumps."""

    core = "codepiece"

    def _option_numbers(self, game: Codepiece) -> list[int]:
        return list(game.dealers)

    def _deal_numbers(self, play: Play) -> list[int]:
        state: CodepieceState = play.state
        (turn, *_), hands, bids, bid, leader, trump, trick, _, best, ahead, won = state
        return [
            *(_continues(play.game), turn, min(len(bids), SEATS), bid),
            *(leader if leader >= 0 else _NONE, trump if trump != NO_TRUMP else _NONE),
            *(len(trick), best - FIRST_CARD if trick else 0, ahead, *won),
            *_pad([card - FIRST_CARD for card in trick], SEATS),
            *[hand >> FIRST_CARD for hand in hands],
            *play.totals,
            *[n for deal in play.game._given or () for n in (deal.seat, *map(_card_mask, deal.hands))],
        ]


class DouDizhuBatch(CompiledBatch):
    """`Batch` for Dou Dizhu."""

    core = "dou_dizhu"

    def _option_numbers(self, game: DouDizhu) -> list[int]:
        entries = table()
        numbers = [game.bombs == "double", len(game.landlords), *game.landlords]
        for members in entries.families.values():
            for main, family in members:
                first = family[0][1]
                numbers += [first, entries.ceiling[first], main]
        return [*numbers, *entries.cards]

    def _deal_numbers(self, play: Play) -> list[int]:
        state: DouDizhuState = play.state
        (_, hands, best, owner, _, bombs), actions = state[1:], play.actions
        recent = [table().cards[action] for action in actions[-RECENT:]]
        return [
            *(_continues(play.game), len(actions), best, owner, bombs),
            *hands,
            *play.totals,
            *[0] * (RECENT - len(recent)),
            *recent,
            *[one for deal in (play.deal, *(play.game._given or ())) for one in self._hand_counts(deal)],
        ]

    @staticmethod
    def _hand_counts(deal: Deal) -> list[int]:
        return [deal.seat, *[sum([UNITS[card] for card in hand]) for hand in (*deal.hands, deal.extra)]]


_SPECIAL, _CHEFS, _SOUSCHEFS, _PLAYING = range(4)


class ChefsHatBatch(CompiledBatch):
    """`Batch` for Chef's Hat by the rule book, no deals of which are given."""

    core = "chefs_hat"

    @classmethod
    def _can_start_from(cls, plays: Sequence[Play]) -> bool:
        return super()._can_start_from(plays) and all(play.game is play._programme for play in plays)

    def _option_numbers(self, game: ChefsHat) -> list[int]:
        return [game.matches or 0, game.points or 0]

    def _deal_numbers(self, play: Play) -> list[int]:
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
        return [
            *(asked, turn, state.table, state.last, out, done, len(state.order)),
            *(setting.deal.golden, len(picked), *_pad(picked, 2), *_pad(state.order, HAT_SEATS)),
            *(*(setting.roles or (0,) * HAT_SEATS), *play.totals),
            *[sum([1 << 4 * card for card in state.hand(seat)]) for seat in range(HAT_SEATS)],
        ]
