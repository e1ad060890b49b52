"""Chef's Hat for Gymnasium: one action a step, for whoever is to act.

    import gymnasium, arbiter.envs
    env = gymnasium.make("arbiter/ChefsHat-v1", matches=3)
    observation, info = env.reset(seed=7)
    over = False
    while not over:
        action = env.unwrapped.legal_ids()[0]
        observation, reward, over, _, info = env.step(action)

`rules="gym2"` behaves as the published environment, seed for seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete

from arbiter.envs.chefs_hat.info import (
    CELLS,
    FIRST_ACTION,
    Observation,
    action_of,
    hidden_from_others,
    start_info,
    step_info,
    vector,
)
from arbiter.envs.chefs_hat.lazy_info import Info
from arbiter.envs.chefs_hat.render_log import RenderLog
from arbiter.envs.chefs_hat.steps import NO_CHANCES, Moment, StepTaken, StepwisePlay
from arbiter.envs.mistakes import NoMatch, NotBegun, checked_number, checked_seed
from arbiter.envs.play import NOBODY
from arbiter.envs.render import RENDER_MODES, checked_mode, shown
from arbiter.errors import ConfigError, did_you_mean
from arbiter.export import Recording
from arbiter.games.chefs_hat import ChefsHat
from arbiter.games.chefs_hat.actions import STEP_NAMES, STEPS
from arbiter.games.chefs_hat.deal import SEATS
from arbiter.rules import Action, Seat

ID = "arbiter/ChefsHat-v1"
"""Registered by importing `arbiter.envs`."""
NAMES = ("p0", "p1", "p2", "p3")
OPTIONS = ("deals",)
"""What `reset` takes as options."""


class ChefsHatEnv(gymnasium.Env[Observation, Any]):
    """One game of Chef's Hat: `step` takes the action of whoever is to act, `player`.

    `rules`, `matches` or `points`, and `max_rounds` are the options of the game; `player_names` are
    four different names; `dataset` is a file that takes down every game until `close`, its form told
    by its end: .csv, .pkl or .parquet; `render_mode` is ``human``, which prints every step, or ``ansi``,
    whose `render` returns text. ConfigError for a value that is none.

    An observation is float32[228], as whoever acts next sees it: the board and the own hand, cards
    divided by 13, then the possible actions. An action is an id 0..199, or a vector of 200 of which the
    greatest counts. An action that is not possible changes nothing: `Action_Valid` is False, and the same
    player acts again. Under `book` the game terminates once, and the reward is what the acting player
    won in a match, on its last step. Under `gym2` each match terminates, `step` goes on with
    the next, and the reward is 0.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        rules: str = "book",
        matches: int | None = None,
        points: int | None = None,
        max_rounds: int | None = None,
        player_names: Sequence[str] = NAMES,
        dataset: str | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.render_mode = checked_mode(render_mode)
        self.game = ChefsHat(rules, matches, points, max_rounds)
        self.player_names = names_of(player_names)
        self._book = rules == "book"
        high = np.ones(CELLS, np.float32)
        if not self._book:
            # Two jokers are listed as 2.
            high[FIRST_ACTION:] = 2
        self.observation_space = Box(np.zeros(CELLS, np.float32), high, dtype=np.float32)
        self.action_space = Discrete(STEPS)
        self._recording = None if dataset is None else Recording(dataset, self.player_names, self.game)
        self._render_log = None if render_mode is None else RenderLog(self.game)
        logs = (self._recording, self._render_log)
        self._play = StepwisePlay(self.game, *(log for log in logs if log is not None))
        self._last: StepTaken | None = None

    def reset(
        self, *, seed: int | str | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal. `seed` starts the sequence of games anew, without it the sequence goes on.

        ``options={"deals": [...]}`` deals these, one for each match, in the shape of a match record's
        ``deals``. TypeError or ValueError for a seed, ConfigError for deals that cannot be, or another
        option; then nothing is changed.
        """
        seed, deals = checked_seed(seed), _deals_of(options)
        self._play.reset(seed, deals)
        super().reset(seed=seed if isinstance(seed, int) else None)
        self._last = None
        moment = self._play.moment
        if self.render_mode == "human":
            self.render()
        seen = vector(moment, moment.actor, self._play.possible())
        return seen, start_info(moment, self.player_names)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Do it, or refuse it; TypeError or ValueError for what is no action, RuntimeError after the end.

        The `info` is what the step's author may know; see `info_for`.
        """
        play = self._play
        if play.over:
            raise NoMatch("the game is over, or has not begun: call reset")
        self._last = step = play.step(action_of(action))
        if self.render_mode == "human":
            self.render()
        chances = play.possible()
        # It is built when somebody reads it.
        info = Info(partial(step_info, step, self.player_names, chances, book=self._book))
        actor = step.now.actor
        seen = vector(step.now, step.author if actor == NOBODY else actor, chances)
        if not self._book:
            return seen, 0.0, step.match_over, False, info
        reward = float(step.after.state.points()[step.author]) if step.match_over else 0.0
        return seen, reward, step.over, False, info

    def render(self) -> str | None:
        """The match in progress with all hands: printed, or returned as text with ``ansi``."""
        if self._render_log is None or self.render_mode is None:
            return None
        note = ""
        if (step := self._last) is not None and not step.valid:
            note = f"{self.player_names[step.author]}: {STEP_NAMES[step.action]} is not possible"
        return shown(self._render_log.text(self._play, self.player_names, note), self.render_mode)

    def close(self) -> None:
        if self._recording is not None:
            self._recording.close()
        super().close()

    @property
    def player(self) -> Seat:
        """Who acts next; -1 when the game is over."""
        return self._play.actor

    @property
    def over(self) -> bool:
        """True when the game is over: under `gym2`, `terminated` only says that a match is."""
        return self._play.over

    @property
    def scores(self) -> tuple[int, ...]:
        """The points by seat of the matches that are over."""
        return self._moment.tally.points

    @property
    def performance(self) -> tuple[float, ...]:
        """The performance scores by seat: the mean over matches of ten times the points by the rounds."""
        return self._moment.tally.performance

    def legal_ids(self, player: Seat | None = None) -> tuple[Action, ...]:
        """The ids, ascending, of what a player can do, by default of whoever acts next.

        None for a player who does not act next, and when the game is over.
        """
        if self._play.over or (player is not None and _seat(player) != self.player):
            return ()
        return self._play.possible()[0]

    def action_masks(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """bool[200]: what `player` can do."""
        mask = np.zeros(STEPS, np.bool_)
        mask[list(self.legal_ids())] = True
        return mask

    def vector(self, player: Seat) -> Observation:
        """What a player sees now; only for who acts next are any actions possible."""
        moment = self._moment
        chances = self._play.possible() if _seat(player) == self.player else NO_CHANCES
        return vector(moment, player, chances)

    def info_for(self, player: Seat) -> dict[str, Any]:
        """The `info` of the last step as a player sees it.

        To others than the author the own view, the possible actions and whether the action was random
        are "", in the exchange the cards, too.
        """
        _seat(player)
        if self._last is None:
            return start_info(self._moment, self.player_names)
        info = step_info(self._last, self.player_names, self._play.possible(), book=self._book)
        return info if player == self._last.author else hidden_from_others(info, self._last)

    @property
    def _moment(self) -> Moment:
        if not hasattr(self._play, "moment"):
            raise NotBegun("no game has begun: call reset")
        return self._play.moment


def names_of(names: Sequence[str]) -> tuple[str, ...]:
    """Four different names; ConfigError otherwise."""
    if isinstance(names, Sequence) and not isinstance(names, str):
        given = tuple(names)
        if all(isinstance(name, str) and name for name in given) and len(set(given)) == len(given) == SEATS:
            return given
    raise ConfigError(f"player_names are {SEATS} different names, not {names!r}")


def _deals_of(options: Mapping[str, Any] | None) -> Any:
    if options is None:
        return None
    if not isinstance(options, Mapping):
        raise ConfigError('the options of reset are a mapping, {"deals": [...]}')
    for key in options:
        if key not in OPTIONS:
            raise ConfigError(f"unknown option {key!r} of reset", hint=did_you_mean(str(key), OPTIONS))
    return options.get("deals")


def _seat(player: Seat) -> Seat:
    return checked_number(player, f"a player is a seat from 0 to {SEATS - 1}", bound=SEATS)
