"""Many matches of one game side by side, with arrays in and out, for rollouts.

    games = batch("dou_dizhu", n=1024, seed=0)
    while True:
        ids, starts = games.legal_ids()
        chosen = ids[starts[:-1] + (random(1024) * np.diff(starts)).astype(int)]
        rewards, over = games.step(chosen)

A match that ends is replaced at once by its next one, so that all stay in play.

    games = Batch.of([play] * 256)

begins in given situations instead; a match that ends returns to its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arbiter.envs.argument_checks import NoSuchAction, WrongActionType, check_number, check_seed
from arbiter.envs.match_state import Play
from arbiter.envs.observers import Observer, observer_of
from arbiter.envs.pettingzoo_base import arena_of
from arbiter.envs.view_form import ViewForm
from arbiter.errors import IllegalAction
from arbiter.games import load
from arbiter.games.game import AnyGame


def batch(game: str | AnyGame, n: int, seed: int | str = 0, **options: Any) -> Batch:
    """Return `n` matches of a game by its name and options, or of a `Game`; ConfigError.

    `seed` is an integer from 0 or a string, as in `Batch`. With ``dtype="float32"`` `Batch.observations`
    returns arrays of that type. ``"dou_dizhu_v4"`` is `arbiter.envs.dou_dizhu_v4.batch`.
    """
    if game == "dou_dizhu_v4":
        made: Batch = load("arbiter.envs.dou_dizhu_v4:batch")(n, seed, **options)
        return made
    dtype = ViewForm(dtype=options.pop("dtype", None)).dtype
    play, observer, _ = arena_of(game, options)
    kind: type[Batch] = load(observer.batch)
    games = kind(play.game, n, seed)
    games.dtype = np.dtype(dtype or observer.dtype)
    return games


class Batch:
    """`n` matches in play. Arrays are by match; observations are of the seat to act in it.

    This class plays them one after the other by the rules of any game; `batch` and `of` return the class that
    the game's observer names, which may be much faster.

    `turns`, int64[n], are the seats to act, `observations` are (n, `size`), `masks` int8 (n, `actions`). An
    illegal action ends its match, with -1 for its author. Match k of a batch with seed s is the first of a
    `Play` with seed ``"s/k"``, then its second, and so on: with the same n, seed and actions all matches are
    the same.

    If `ends` is a dictionary, `step` stores in it the final observations of matches that end, by match, of
    the seat that acted last, or of the seats `viewers`, int64[n].
    """

    def __init__(self, game: str | AnyGame, n: int, seed: int | str = 0, **options: Any) -> None:
        n = check_number(n, "a number of matches is an integer from 1", least=1)
        first, observer, _ = arena_of(game, options)
        self._prepare(first.game, observer, [Play(first.game) for _ in range(n)])
        self.reset(seed)

    @classmethod
    def of(cls, plays: Sequence[Play]) -> Batch:
        """Return a batch of copies of these matches; an ended one starts again at the copied situation.

        ValueError unless all are of one `Game` and none is over. `reset` starts ordinary matches instead.
        """
        try:
            plays = list(plays)
        except TypeError:
            plays = []
        game = getattr(plays[0], "_programme", None) if plays else None
        if game is None or any(
            not isinstance(play, Play) or play._programme is not game or play.over for play in plays
        ):
            raise ValueError("a batch is made of one or more matches of one Game, none of them over")
        observer = observer_of(game)
        form: type[Batch] = load(observer.batch)
        if not form._can_start_from(plays):
            form = Batch
        self = form.__new__(form)
        self._prepare(game, observer, [copy(play) for play in plays])
        self._starts = plays = [copy(play) for play in plays]
        self._refresh()
        return self

    @classmethod
    def _can_start_from(cls, plays: Sequence[Play]) -> bool:  # noqa: ARG003
        """Return True if this class can start from the situations of these matches."""
        return True

    def _prepare(self, game: AnyGame, observer: Observer, plays: list[Play]) -> None:
        self.game, self.observer, self._plays = game, observer, plays
        self.dtype = np.dtype(observer.dtype)
        self.n, self.seats, self.actions = len(plays), game.seats, observer.actions
        self.size = max(observer.size(seat) for seat in range(game.seats))
        self._starts: list[Play] | None = None
        self._legal: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
        self._rows = np.zeros(0, np.int64)
        # The last array given to `masks`, and the rows and ids of its ones.
        self._filled: tuple[Any, ...] = (None,)
        self.ends: dict[int, NDArray[Any]] | None = None
        self.viewers: NDArray[np.int64] | None = None

    def reset(self, seed: int | str = 0) -> None:
        """Restart all matches from a seed."""
        checked = check_seed(seed)
        seed = 0 if checked is None else checked
        self.begin([f"{seed}/{number}" for number in range(self.n)])

    def begin(self, seeds: Sequence[int | str | None], which: NDArray[np.bool_] | None = None) -> None:
        """Restart all matches, or those of `which`, bool (n,), by their seeds; None continues a sequence."""
        self._starts = None
        numbers = range(self.n) if which is None else which.nonzero()[0].tolist()
        for number in numbers:
            self._plays[number].reset(seeds[number])
        self._refresh(numbers)

    def observations(self, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return the observations of the seats to act, (n, `size`); smaller ones are padded with zeros.

        Returns a new array, or `out`, which is overwritten.
        """
        seen = np.zeros((self.n, self.size), self.observer.dtype)
        for row, play in zip(seen, self._plays, strict=True):
            view = self.observer.vector(play, play.turn)
            row[: len(view)] = view
        return self._given(seen, out)

    def _given(self, seen: NDArray[Any], out: NDArray[Any] | None) -> NDArray[Any]:
        """Return the observations as `dtype`, or in `out`."""
        return seen.astype(self.dtype, copy=False) if out is None else _copy_into(out, seen)

    def legal_ids(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return all legal ids, one match after the other, and the start of each match.

        Match k has ``ids[starts[k]:starts[k + 1]]``, ascending; `starts` has n + 1 entries.
        """
        if self._legal is None:
            self._legal = self._enumerate_legal()
        return self._legal

    def masks(self, out: NDArray[np.int8] | None = None) -> NDArray[np.int8]:
        """Return 1 for each legal id: int8 (n, `actions`), a new array, or `out`, which is overwritten.

        With the same `out` as in the last call only changes are written: do not modify it in between.
        """
        ids, _ = self.legal_ids()
        if out is None:
            out = np.zeros((self.n, self.actions), np.int8)
        else:
            if out is self._filled[0]:
                out[self._filled[1:]] = 0
            else:
                _copy_into(out, np.zeros(self.actions, np.int8))
            self._filled = out, self._rows, ids
        out[self._rows, ids] = 1
        return out

    def step(
        self, actions: Sequence[int] | NDArray[Any], wait: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Do one action in every match. Return rewards, float32 (n, seats), and ended matches, bool (n,).

        Matches of `wait`, bool (n,), stay as they are; their actions are ignored. Rewards are 0 until a match
        ends, then each seat's points in it; an illegal action ends it with -1 for its author and 0 for the
        others. ValueError unless there are n existing ids, TypeError unless they are integers; nothing is
        changed then.
        """
        given = self._check_actions(actions, wait)
        rewards, over = np.zeros((self.n, self.seats), np.float32), np.zeros(self.n, np.bool_)
        for number, (play, action) in enumerate(zip(self._plays, given.tolist(), strict=True)):
            if wait is not None and wait[number]:
                continue
            seat = play.turn
            try:
                self.observer.act(play, seat, action)
            except IllegalAction:
                rewards[number, seat] = -1.0
                play.stop()
            else:
                if not play.over:
                    continue
                rewards[number] = play.totals
            over[number] = True
            if self.ends is not None:
                viewer = seat if self.viewers is None else int(self.viewers[number])
                seen = self.observer.vector(play, viewer)
                self.ends[number] = np.pad(seen, (0, self.size - len(seen)))
            self._renew(number)
        self._refresh()
        return rewards, over

    def _check_actions(
        self, actions: Sequence[int] | NDArray[Any], wait: NDArray[np.bool_] | None
    ) -> NDArray[Any]:
        """Return the actions as an array of ids, existing ones except for `wait`; see `step` for errors."""
        given = self._integers(actions)
        known = (given >= 0) & (given < self.actions)
        if not np.all(known if wait is None else known | wait):
            raise self._no_such_id_error()
        return given

    def _no_such_id_error(self) -> NoSuchAction:
        return NoSuchAction(f"an action is an integer from 0 to {self.actions - 1}")

    def _integers(self, actions: Sequence[int] | NDArray[Any]) -> NDArray[Any]:
        """Return the actions as an array of n integers."""
        try:
            given = np.asarray(actions)
        except ValueError:
            raise NoSuchAction(f"actions are {self.n} integers, not lists of several lengths") from None
        whole = given.dtype.kind in "iu"
        if not whole or given.shape != (self.n,):
            what = f"actions are {self.n} integers, not {given.dtype} of shape {given.shape}"
            raise (NoSuchAction if whole else WrongActionType)(what)
        return given

    def _renew(self, number: int) -> None:
        """Begin the next match of a play that is over, or return it to its given situation."""
        if self._starts is None:
            self._plays[number].reset()
        else:
            self._plays[number] = copy(self._starts[number])

    def _refresh(self, numbers: Iterable[int] | None = None) -> None:  # noqa: ARG002
        """Update `turns` and caches after changes of these plays, or all."""
        self.turns = np.array([play.turn for play in self._plays])
        self._legal = None

    def _enumerate_legal(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the value of `legal_ids`, and store the match of each id."""
        lists = [self.observer.legal(play, play.turn) for play in self._plays]
        counts, starts = np.fromiter(map(len, lists), np.int64, self.n), np.zeros(self.n + 1, np.int64)
        np.cumsum(counts, out=starts[1:])
        self._rows = np.repeat(np.arange(self.n), counts)
        return np.fromiter(chain.from_iterable(lists), np.int64, int(starts[-1])), starts


def _copy_into(out: NDArray[Any], made: NDArray[Any]) -> NDArray[Any]:
    """Copy `made` into `out` and return that; ValueError or TypeError if it does not fit."""
    np.copyto(out, made)
    return out
