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

from arbiter.envs.argument_checks import NoMatch, check_number, check_seed
from arbiter.envs.chefs_hat.info import Info, action_of, hidden_from_others, start_info, step_info, vector
from arbiter.envs.chefs_hat.steps import HatPlay, Moment, StepTaken
from arbiter.envs.match_state import NOBODY, given_deals
from arbiter.envs.observers.chefs_hat import CELLS, FIRST_STEP, Observation, observe
from arbiter.envs.pettingzoo_base import check_names
from arbiter.envs.render import RENDER_MODES, Pixels, check_mode, render_match
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
    four different names; `dataset` is a file with the rows of every game until `close`, in the format of its
    suffix: .csv, .pkl or .parquet; `render_mode` is ``human``, which prints every step, ``ansi``,
    whose `render` returns text, or ``rgb_array``, whose `render` returns a picture. ConfigError for an
    invalid value.

    An observation is float32[228] for the seat that acts next: the board and its hand, cards divided by 13,
    then the possible actions. An action is an id 0..199, or a vector of 200 whose largest value selects it.
    An action that is not possible changes nothing: `Action_Valid` is False, and the same player acts again.
    Under `book` the game terminates once, and the reward of a match's last step is the acting player's
    points in the match. Under `gym2` each match terminates, `step` continues with the next, and the reward
    is 0.
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
        self.render_mode = check_mode(render_mode)
        self.game = ChefsHat(rules, matches, points, max_rounds)
        self.player_names = check_names(player_names, SEATS)
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
        """Begin a game. `seed` restarts the sequence of games; without it the sequence continues.

        ``options={"deals": [...]}`` gives the deals, one for each match, as in a match record's ``deals``.
        TypeError or ValueError for a seed, ConfigError for invalid deals or another option; then nothing is
        changed.
        """
        seed = check_seed(seed)
        self._play.reset(seed, given_deals(options, others=False))
        super().reset(seed=seed if isinstance(seed, int) else None)
        self._last = None
        if self.render_mode == "human":
            self.render()
        moment = self._play.moment
        return vector(moment, moment.actor), start_info(moment, self.player_names)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Do or refuse an action; TypeError or ValueError if it is not one, RuntimeError after the end.

        The `info` is for the seat that acted; see `info_for`.
        """
        play = self._play
        if play.turn == NOBODY:
            raise NoMatch("the game is over, or has not begun: call reset")
        self._last = step = play.step(action_of(action))
        if self.render_mode == "human":
            self.render()
        # Built on first access.
        info = Info(partial(step_info, step, self.player_names, book=self._book))
        now, after, author = step.now, step.after, step.before.actor
        if over := now.actor == NOBODY:
            seen = observe(now.state, author)
        else:
            seen = observe(now.state, now.actor, *now.chances)
        match_over = over or now is not after
        if not self._book:
            return seen, 0.0, match_over, False, info
        return seen, float(after.state.points()[author]) if match_over else 0.0, over, False, info

    def render(self) -> str | Pixels | None:
        """Show the match in progress with all hands, by the render mode; see `Renderable.render`."""
        return render_match(self._play, self.player_names, self._refusal(), self.render_mode)

    def _repr_html_(self) -> str:
        """Return the table for a notebook, as the seat to act sees it; at the end without hands."""
        play = self._play
        return play.svg(play.turn, self.player_names, self._refusal()) if play.begun else play._repr_html_()

    def _refusal(self) -> str:
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
        """True when the game is over: under `gym2`, `terminated` refers to a match."""
        return self._play.over

    @property
    def scores(self) -> tuple[int, ...]:
        """The points by seat over finished matches."""
        return self._moment.tally.points

    @property
    def performance(self) -> tuple[float, ...]:
        """The performance scores by seat: the mean over matches of ten times the points by the rounds."""
        return self._moment.tally.performance

    def legal_ids(self, player: Seat | None = None) -> tuple[Action, ...]:
        """Return the possible ids, ascending, of a player, by default of the next to act.

        () for a player that does not act next, and when the game is over.
        """
        if self._play.over or (player is not None and _check_player(player) != self.player):
            return ()
        return tuple(self._moment.chances[0])

    def action_masks(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Return bool[200]: the possible actions of `player`."""
        mask = np.zeros(STEPS, np.bool_)
        mask[list(self.legal_ids())] = True
        return mask

    def vector(self, player: Seat) -> Observation:
        """Return a player's observation; only the next to act has possible actions."""
        return vector(self._moment, _check_player(player))

    def info_for(self, player: Seat) -> dict[str, Any]:
        """Return the `info` of the last step for a player.

        For others than the seat that acted, its observations, its possible actions and whether the action was
        random are "", and in the exchange the cards.
        """
        _check_player(player)
        if self._last is None:
            return start_info(self._moment, self.player_names)
        info = step_info(self._last, self.player_names, book=self._book)
        return info if player == self._last.author else hidden_from_others(info, self._last)

    @property
    def _moment(self) -> Moment:
        return self._play.moment


def _check_player(player: Seat) -> Seat:
    return check_number(player, f"a player is a seat from 0 to {SEATS - 1}", bound=SEATS)
