"""Whether matches in C are those in Python, action by action; as a program, over 10,000 matches of a game.

python -m tests.envs.same_matches planning --matches 10000
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import click
import numpy as np

from arbiter.envs.batches import Batch, batch
from arbiter.envs.match_state import Play
from arbiter.envs.observers import observer_of
from arbiter.games import make
from arbiter.games.game import AnyGame

WILD = 0.0005
"""How often any id is tried, which is hardly ever legal."""


def choice(ids: Any, starts: Any, chance: np.random.Generator) -> Any:
    """A random legal id for each match."""
    return ids[starts[:-1] + (chance.random(len(starts) - 1) * np.diff(starts)).astype(np.int64)]


def compare(quick: Batch, plain: Batch, matches: int, seed: int = 0, plays: list[Play] | None = None) -> int:
    """Play both until so many matches have ended, all that they show being equal; the number of actions.

    `plays` are the same matches, each alone.
    """
    quick.ends, plain.ends = {}, {}
    chance = np.random.default_rng(seed)
    observer, masks, seen = plain.observer, quick.masks(), quick.observations()
    ended = actions = 0
    while ended < matches:
        ids, starts = plain.legal_ids()
        mine, mine_from = quick.legal_ids()
        assert (ids.tolist(), starts.tolist()) == (mine.tolist(), mine_from.tolist())
        assert quick.turns.tolist() == plain.turns.tolist()
        views = plain.observations()
        assert views.dtype == seen.dtype
        assert np.array_equal(quick.observations(seen), views)
        assert np.array_equal(quick.masks(masks), plain.masks())
        chosen = choice(ids, starts, chance)
        wild = chance.random(plain.n) < WILD
        chosen[wild] = chance.integers(plain.actions, size=int(wild.sum()))
        for number, play in enumerate(plays or ()):
            assert plain.turns[number] == play.turn
            legal = list(observer.legal(play, play.turn))
            assert mine[starts[number] : starts[number + 1]].tolist() == legal
            view = observer.vector(play, play.turn)
            assert np.array_equal(seen[number, : len(view)], view)
            if chosen[number] in legal:
                observer.act(play, play.turn, int(chosen[number]))
            else:
                play.stop()
            if play.over:
                play.reset()
        for one, other in zip(quick.step(chosen), plain.step(chosen), strict=True):
            assert np.array_equal(one, other)
        assert quick.ends.keys() == plain.ends.keys()
        for number, view in plain.ends.items():
            assert np.array_equal(quick.ends[number], view)
        ended += len(plain.ends)
        actions += plain.n
        quick.ends.clear()
        plain.ends.clear()
    return actions


def both(game: AnyGame, n: int, seed: int | str) -> tuple[Batch, Batch, list[Play]]:
    """The same matches at once in C, at once in Python, and each alone."""
    plays = [Play(game) for _ in range(n)]
    for number, play in enumerate(plays):
        play.reset(f"{seed}/{number}")
    return batch(game, n, seed), Batch(game, n, seed), plays


def digest(games: Batch, steps: int) -> str:
    """SHA-256 of all that is shown in so many random steps."""
    chance, shown = np.random.default_rng(1), sha256()
    for _ in range(steps):
        ids, starts = games.legal_ids()
        rewards, over = games.step(choice(ids, starts, chance))
        for array in (ids, starts, games.observations(), games.masks(), games.turns, rewards, over):
            shown.update(np.ascontiguousarray(array).tobytes())
    return shown.hexdigest()


@click.command()
@click.argument("name")
@click.option("--matches", default=10_000)
def main(name: str, matches: int) -> None:
    """Compare so many matches of a game."""
    game = make(name, {})
    quick, plain, plays = both(game, 128, "same")
    assert type(quick) is not type(plain), f"{name} is not compiled"
    assert observer_of(game).actions == quick.actions
    print(f"{name}: {matches} matches, {compare(quick, plain, matches, plays=plays)} actions, all equal")


if __name__ == "__main__":
    main()
