"""`chefshat-v1`: the environment under `gym2`, by the names that scripts for ChefsHatGym 2 use.

    import gymnasium, arbiter.envs
    from arbiter.envs.chefs_hat import GAMETYPE

    env = gymnasium.make("chefshat-v1")
    env.startExperiment(gameType=GAMETYPE["MATCHES"], stopCriteria=3, playerNames=["a", "b", "c", "d"])
    observation, info = env.reset(seed=7)
    while not env.gameFinished:
        observation, reward, match_over, truncated, info = env.step(action_of(env.getObservation()))

`ChefsHatV1` lists the differences from the published environment.
"""
# ruff: noqa: N802, N803 (the published names)

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from arbiter.envs.chefs_hat.gymnasium_env import NAMES, ChefsHatEnv
from arbiter.envs.observers.chefs_hat import Observation
from arbiter.errors import ConfigError, did_you_mean
from arbiter.games.chefs_hat.gym2 import PATIENCE
from arbiter.games.game import Seat

GAMETYPE = {"POINTS": "POINTS", "MATCHES": "MATCHES"}
DATASET = "Datasets/Dataset.pkl"


class ChefsHatV1(ChefsHatEnv):
    """One game of Chef's Hat, step for step as ChefsHatGym 2.4.0.4 plays it, but:

    - ``reset(seed=s)`` seeds cards and random actions, as ``random.seed(s)`` before `reset` did there;
    - `reset` returns an `info` with the 23 keys, and `step` takes ids 0..199 besides vectors of 200;
    - after a match `step` asks the Chef twice and the Sous-Chef once which cards they give, by the ids of
      single cards; there the room called `exchange_cards`;
    - `currentPlayer` is -1 when the game is over, and a step then raises RuntimeError;
    - `maxInvalidActions` is 5; `saveDataset` writes Datasets/Dataset.pkl in `logDirectory`, complete after
      `close`; there are no logs, and `verbose` prints every step;
    - `players` and the methods that only the room calls do not exist.
    """

    def __init__(self, render_mode: str | None = None) -> None:
        """A game with the defaults of `startExperiment`."""
        self._wanted_mode = render_mode
        super().__init__(rules="gym2", points=3, render_mode=render_mode)

    def startExperiment(
        self,
        gameType: str = GAMETYPE["POINTS"],
        stopCriteria: int = 3,
        maxRounds: int = -1,
        maxInvalidActions: int = PATIENCE,
        playerNames: Sequence[str] = (),
        logDirectory: str = "",
        verbose: int = 0,
        saveLog: bool = False,  # noqa: ARG002 (there are no logs)
        saveDataset: bool = False,
    ) -> None:
        """Set the options of later games, and close those before; ConfigError for invalid options.

        A game lasts `stopCriteria` points or matches, by `gameType`; `maxRounds` below 1 is no limit.
        `maxInvalidActions` must have its default; `saveLog` has no effect; any `verbose` but 0 prints each
        step. With `saveDataset` create `logDirectory`, where the data set is written.
        """
        if gameType not in GAMETYPE:
            raise ConfigError(f"gameType is {gameType!r}", hint=did_you_mean(str(gameType), GAMETYPE))
        if maxInvalidActions != PATIENCE:
            raise ConfigError(f"maxInvalidActions is {maxInvalidActions!r}, and here it is always {PATIENCE}")
        if saveDataset and not logDirectory:
            raise ConfigError("saveDataset needs a logDirectory", hint=f"{DATASET} is written there")
        dataset = Path(logDirectory) / DATASET if saveDataset else None
        if dataset is not None:
            dataset.parent.mkdir(parents=True, exist_ok=True)
        self.close()
        super().__init__(
            "gym2",
            max_rounds=maxRounds if maxRounds > 0 else None,
            player_names=playerNames or NAMES,
            dataset=None if dataset is None else str(dataset),
            render_mode="human" if verbose else self._wanted_mode,
            **{gameType.lower(): stopCriteria},
        )

    @property
    def gameFinished(self) -> bool:
        """True when the game is over; False before the first `reset`."""
        return self._last is not None and self.over

    @property
    def currentPlayer(self) -> Seat:
        return self.player

    def getObservation(self) -> Observation:
        """Return the observation of `currentPlayer`, float32[228]; after the end, of the last to act."""
        last = self._last
        return self.vector(last.author if last is not None and self.over else self.player)
