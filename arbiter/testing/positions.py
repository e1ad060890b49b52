"""The promises of a game for each position: what is legal is allowed, written, read and applied alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NoReturn, Protocol

from arbiter.errors import IllegalAction
from arbiter.games.game import Action, AnyGame, Seat, State

LINE = re.compile(r"[!-~]+(?: [!-~]+)*")
_JUNK = ("?", "-1", "+1", "00", "9" * 40, "1e3", "0x1", "\u0663", "\u00e9", "\\xff", "zzz", "PASS", "[]")
_SWEEP = 100_000
"""Action ids that a run tries one by one; after these, a sample in each position."""
_SAMPLE = 24


class Break(Protocol):
    def __call__(self, promise: str, detail: str, cause: Exception | None = None) -> NoReturn:
        """Raise with all that is needed to reproduce it."""


class Positions:
    """Checks the positions of one run; calls `broken` at the first broken promise."""

    def __init__(self, game: AnyGame, draw: Callable[[int], int], broken: Break) -> None:
        self._game, self._draw, self._break = game, draw, broken
        self._sweep = _SWEEP

    def _check(self, kept: bool, promise: str, detail: str = "") -> None:
        """Report a broken promise unless it is `kept`."""
        if not kept:
            self._break(promise, detail)

    def check(self, state: State, twin: State) -> None:
        """Check one state; `twin` is an equal one, reached by separate calls."""
        game, hold = self._game, self._check
        same = state == twin and hash(state) == hash(twin)
        hold(same, "states are equal and hash alike when the same actions led there")
        legals = {seat: tuple(state.legal(seat)) for seat in state.to_act}
        for seat, legal in legals.items():
            # Once before all else: a state that changes would break other promises too.
            hold(bool(legal), "legal is never empty for a seat in to_act", f"seat {seat}")
            if state.allows(seat, legal[0]):
                state.apply(seat, legal[0])
            hold(state == twin, "apply leaves the state unchanged", f"seat {seat}")
        for seat in range(self._game.seats):
            if seat in legals:
                self._check_seat(state, seat, legals[seat])
            else:
                self.check_none_legal(state, seat, "only seats in to_act may act")
        if len(legals) > 1:
            self._check_simultaneous(state, legals)
        unchanged = state == twin and hash(state) == hash(twin)
        hold(unchanged, "apply leaves the state unchanged")
        for seat, legal in legals.items():
            hold(tuple(state.legal(seat)) == legal, "apply leaves the state unchanged")
        command = game.request(state, state.to_act[0])
        asks = bool(LINE.fullmatch(command)) and command.startswith("gen_")
        hold(asks, "a request is one line that begins with gen_", repr(command))

    def _check_seat(self, state: State, seat: Seat, legal: tuple[Action, ...]) -> None:
        """Check a seat to act: legal, allows, action_text, parse and apply agree."""
        game, hold, where = self._game, self._check, f"seat {seat}"
        ascending = all(one < higher for one, higher in pairwise(legal))
        hold(ascending, "legal is ascending, without duplicates", f"{where}: {legal}")
        in_table = legal[0] >= 0 and legal[-1] < game.actions
        hold(in_table, "action ids lie in 0..actions-1", f"{where}: {legal}")
        member = frozenset(legal)
        for action in self._ids_to_try(legal):
            if state.allows(seat, action) != (action in member):
                detail = f"{where}, action {action}, legal {legal}"
                self._break("allows agrees with legal", detail)
        for action in self._sample(legal):
            word = game.action_text(state, seat, action)
            detail = f"{where}, action {action}, {word!r}"
            hold(bool(LINE.fullmatch(word)), "action_text is plain words", detail)
            try:
                read = game.parse(state, seat, word) == action
                after = state.apply(seat, action)
            except IllegalAction as error:
                self._break("parse and apply accept what legal lists", f"{detail}: {error}", error)
            hold(read, "parse reads action_text", detail)
            hold(after is not state, "apply returns a new state", detail)
        illegal = [action for action in self._ids_to_try(legal, sample=True) if action not in member]
        promise = "apply raises IllegalAction where allows is False"
        self._check_refused(state, seat, illegal, promise)
        for word in _JUNK:
            try:
                action = game.parse(state, seat, word)
            except IllegalAction:
                continue
            except Exception as error:
                self._break("parse raises nothing but IllegalAction", f"{word!r}: {error!r}", error)
            hold(isinstance(action, int), "parse gives an action id", f"{word!r}: {action!r}")

    def check_none_legal(self, state: State, seat: Seat, promise: str) -> None:
        """BrokenPromise if any action is legal for the seat."""
        self._check_refused(state, seat, self._ids_to_try(()), promise)

    def _check_refused(self, state: State, seat: Seat, actions: Iterable[Action], promise: str) -> None:
        """Report `promise` as broken if one of `actions` is allowed, or applied without IllegalAction."""
        for action in actions:
            allowed = state.allows(seat, action)
            try:
                state.apply(seat, action)
            except IllegalAction:
                if not allowed:
                    continue
            self._break(promise, f"seat {seat}, action {action}")

    def _check_simultaneous(self, state: State, legals: Mapping[Seat, Sequence[Action]]) -> None:
        """Check that the first two seats can decide in either order with one result."""
        one, other = list(legals)[:2]
        first, second = legals[one][-1], legals[other][0]
        promise = "simultaneous decisions may be made in any order"
        between = state.apply(one, first)
        self._check(tuple(between.legal(other)) == legals[other], promise, f"seat {other}")
        this_way = between.apply(other, second)
        that_way = state.apply(other, second).apply(one, first)
        self._check(this_way == that_way, promise, f"seats {one} and {other}")

    def _ids_to_try(self, legal: Sequence[Action], *, sample: bool = False) -> Iterator[Action]:
        """Yield action ids to try: all while `_SWEEP` lasts, then the neighbours of limits and legal ids."""
        size = self._game.actions
        yield from (-1, -size, size, size + 1, 10**6)
        if legal and not sample and self._sweep > 0:
            self._sweep -= size
            yield from range(size)
            return
        for action in self._sample(legal):
            yield from (action - 1, action, action + 1)
        for _ in range(4):
            yield self._draw(size)

    def _sample(self, legal: Sequence[Action]) -> Sequence[Action]:
        """Return all of a short list, a random sample of a long one."""
        if len(legal) <= _SAMPLE:
            return legal
        return [legal[self._draw(len(legal))] for _ in range(_SAMPLE)]
