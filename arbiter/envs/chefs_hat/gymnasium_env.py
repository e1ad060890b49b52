"""Chef's Hat for Gymnasium: one action a step, for the seat to act.

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

from arbiter.envs.argument_checks import NoMatch, checked_number, checked_seed
from arbiter.envs.chefs_hat.info import Info, action_of, hidden_from_others, start_info, step_info, vector
from arbiter.envs.chefs_hat.steps import HatPlay, Moment, StepTaken
from arbiter.envs.match_state import NOBODY, given_deals
from arbiter.envs.observers.chefs_hat import CELLS, FIRST_STEP, Observation, shown
from arbiter.envs.pettingzoo_base import checked_names
from arbiter.envs.render import RENDER_MODES, Pixels, checked_mode, rendered
from arbiter.games.chefs_hat import ChefsHat
from arbiter.games.chefs_hat.actions import STEP_NAMES, STEPS
from arbiter.games.chefs_hat.deal import SEATS
from arbiter.games.game import Action, Seat

ID = "arbiter/ChefsHat-v1"
"""Registered by importing `arbiter.envs`."""
NAMES = ("p0", "p1", "p2", "p3")


class ChefsHatEnv(gymnasium.Env[Observation, Any]):
    """One game of Chef's Hat: `step` takes the action of the seat to act, `player`.

    `rules`, `matches` or `points`, and `max_rounds` are the options of the game; `player_names` are
    four different names; `dataset` is a file that takes down every game until `close`, its form given
    by its end: .csv, .pkl or .parquet; `render_mode` is ``human``, which prints every step, ``ansi``,
    whose `render` returns text, or ``rgb_array``, whose `render` returns a picture. ConfigError for a value
    that is none.

    An observation is float32[228], as the seat that acts next sees it: the board and the own hand, cards
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
        self.player_names = checked_names(player_names, SEATS)
        self._book = rules == "book"
        high = np.ones(CELLS, np.float32)
        if not self._book:
            # Two jokers are listed as 2.
            high[FIRST_STEP:] = 2
        self.observation_space = Box(np.zeros(CELLS, np.float32), high, dtype=np.float32)
        self.action_space = Discrete(STEPS)
        self._play = HatPlay(self.game, self.player_names, dataset, shows=render_mode is not None)
        self._last: StepTaken | None = None

    def reset(
        self, *, seed: int | str | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal. `seed` starts the sequence of games anew, without it the sequence goes on.

        ``options={"deals": [...]}`` deals these, one for each match, in the shape of a match record's
        ``deals``. TypeError or ValueError for a seed, ConfigError for deals that cannot be, or another
        option; then nothing is changed.
        """
        seed = checked_seed(seed)
        self._play.reset(seed, given_deals(options, others=False))
        super().reset(seed=seed if isinstance(seed, int) else None)
        self._last = None
        if self.render_mode == "human":
            self.render()
        moment = self._play.moment
        return vector(moment, moment.actor), start_info(moment, self.player_names)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Do it, or refuse it; TypeError or ValueError for what is no action, RuntimeError after the end.

        The `info` is what the step's author may know; see `info_for`.
        """
        play = self._play
        if play.turn == NOBODY:
            raise NoMatch("the game is over, or has not begun: call reset")
        self._last = step = play.step(action_of(action))
        if self.render_mode == "human":
            self.render()
        # It is built when somebody reads it.
        info = Info(partial(step_info, step, self.player_names, book=self._book))
        now, after, author = step.now, step.after, step.before.actor
        if over := now.actor == NOBODY:
            seen = shown(now.state, author)
        else:
            seen = shown(now.state, now.actor, *now.chances)
        match_over = over or now is not after
        if not self._book:
            return seen, 0.0, match_over, False, info
        return seen, float(after.state.points()[author]) if match_over else 0.0, over, False, info

    def render(self) -> str | Pixels | None:
        """The match in progress with all hands, in the way of the render mode; see `Watched.render`."""
        return rendered(self._play, self.player_names, self._note(), self.render_mode)

    def _repr_html_(self) -> str:
        """The table for a notebook, as the seat to act sees it; when the game is over, with no hand."""
        play = self._play
        return play.svg(play.turn, self.player_names, self._note()) if play.begun else play._repr_html_()

    def _note(self) -> str:
        if (step := self._last) is None or step.valid:
            return ""
        return f"{self.player_names[step.author]}: {STEP_NAMES[step.action]} is not possible"

    def close(self) -> None:
        self._play.close()
        super().close()

    @property
    def player(self) -> Seat:
        """The seat that acts next; -1 when the game is over."""
        return self._play.turn

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
        """The ids, ascending, of what a player can do, by default of the one that acts next.

        None for a player who does not act next, and when the game is over.
        """
        if self._play.over or (player is not None and _seat(player) != self.player):
            return ()
        return tuple(self._moment.chances[0])

    def action_masks(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """bool[200]: what `player` can do."""
        mask = np.zeros(STEPS, np.bool_)
        mask[list(self.legal_ids())] = True
        return mask

    def vector(self, player: Seat) -> Observation:
        """Return what a player sees now; only for the one that acts next are any actions possible."""
        return vector(self._moment, _seat(player))

    def info_for(self, player: Seat) -> dict[str, Any]:
        """The `info` of the last step as a player sees it.

        To others than the author the own view, the possible actions and whether the action was random
        are "", in the exchange the cards, too.
        """
        _seat(player)
        if self._last is None:
            return start_info(self._moment, self.player_names)
        info = step_info(self._last, self.player_names, book=self._book)
        return info if player == self._last.author else hidden_from_others(info, self._last)

    @property
    def _moment(self) -> Moment:
        return self._play.moment


def _seat(player: Seat) -> Seat:
    return checked_number(player, f"a player is a seat from 0 to {SEATS - 1}", bound=SEATS)
