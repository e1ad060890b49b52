"""The base of the PettingZoo environments: agents, spaces, observations, rendering, checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from arbiter.envs.argument_checks import check_seed
from arbiter.envs.masks import Ids, mask_of
from arbiter.envs.match_state import Play, given_deals
from arbiter.envs.observers import observer_of
from arbiter.envs.render import Renderable, check_mode, env_metadata
from arbiter.envs.view_form import ViewForm
from arbiter.errors import ConfigError
from arbiter.games import load, make
from arbiter.games.game import Game

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.envs.observers import Observer
    from arbiter.envs.observers.observer import Vector
    from arbiter.games.game import AnyGame, Seat

ILLEGAL = -1.0
"""The reward of an illegal move."""


class Arena(Renderable):
    """A match between named agents, `agents` in seat order.

    `render_mode` is ``human``, which prints, ``ansi``, whose `render` returns text, or ``rgb_array``, whose
    `render` returns a picture; `player_names`, one for each seat, replace the agents' names there. `form` is
    that of observations and infos. ConfigError for invalid values.
    """

    metadata = env_metadata()
    agents: list[str]

    def __init__(
        self,
        play: Play,
        observer: Observer,
        agents: Sequence[str],
        *,
        render_mode: str | None = None,
        player_names: Sequence[str] | None = None,
        form: ViewForm = ViewForm("observation"),  # noqa: B008 (immutable)
    ) -> None:
        self.render_mode = check_mode(render_mode)
        self.metadata = env_metadata(f"arbiter_{play.game.name}")
        self.play = play
        self.observer = observer
        self.possible_agents = list(agents)
        self.player_names = check_names(agents if player_names is None else player_names, len(agents))
        self._seats = {agent: seat for seat, agent in enumerate(agents)}
        self.form, self._usual = form, form == ViewForm("observation")
        sizes = [observer.size(seat) for seat in range(len(agents))]
        self.observation_spaces = {
            agent: form.space(observer, size) for agent, size in zip(agents, sizes, strict=True)
        }
        self.state_space = form.box(observer, sum(sizes))
        self.action_spaces = {agent: Ids(observer.actions) for agent in agents}

    def _begin(self, seed: int | str | None, options: dict[str, Any] | None) -> None:
        """Begin a match; TypeError, ValueError or ConfigError, then nothing is changed."""
        self.play.reset(check_seed(seed), given_deals(options))
        self.agents = self.possible_agents[:]
        self._refused: Mapping[str, str] = {}
        self._unread = True
        self._note = ""

    def seat_of(self, agent: str) -> Seat:
        """Return the seat of an agent; ValueError for an unknown name."""
        try:
            return self._seats[agent]
        except (KeyError, TypeError):
            raise ValueError(f"there is no agent {agent!r}: agents are {', '.join(self._seats)}") from None

    def vector(self, agent: str) -> Vector:
        """Return an agent's observation without the mask, as a new array."""
        return self.observer.vector(self.play, self.seat_of(agent))

    def observe(self, agent: str) -> Any:
        """Return the observation of an agent in the environment's form, also when the match is over."""
        seat = self.seat_of(agent)
        vector, mask = self.observer.vector(self.play, seat), self._mask(seat)
        if self._usual:
            return {"observation": vector, "action_mask": mask}
        return self.form.observation(vector, mask)

    def state(self) -> Vector:
        """Return the vectors of all agents, one after the other: what all of them know together."""
        views = [self.observer.vector(self.play, seat) for seat in range(len(self.possible_agents))]
        return np.concatenate(views, dtype=self.state_space.dtype)

    def _mask(self, seat: Seat) -> Vector:
        observer = self.observer
        if self._decides(seat):
            return mask_of(observer.legal(self.play, seat), observer.actions)
        return self.form.idle_mask(observer.actions)

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """The infos of the last step by agent, made when read."""
        if self._unread:
            self._unread = False
            self._infos = {agent: self._info_of(agent) for agent in self.possible_agents}
        return self._infos

    def _info_of(self, agent: str) -> dict[str, Any]:
        if self._usual and not self._refused:
            return {}
        form = self.form
        info: dict[str, Any] = {}
        if form.mask != "observation":
            info[form.keys[1]] = self._mask(self._seats[agent])
        if form.infos == "numeric":
            info["illegal"] = np.int8(agent in self._refused)
        elif agent in self._refused:
            info["illegal"] = self._refused[agent]
        return info

    def _record_step(self, action: int) -> None:  # noqa: ARG002
        """Note that an action was done, or refused."""
        # Infos in the usual form are empty until then, so that an info a step need not be made.
        if self._refused or not self._usual:
            self._unread = True

    def legal_ids(self, agent: str) -> list[int]:
        """Return an agent's legal ids, ascending; [] if it is not to act."""
        seat = self.seat_of(agent)
        return list(self.observer.legal(self.play, seat)) if self._decides(seat) else []

    def _decides(self, seat: Seat) -> bool:
        raise NotImplementedError

    def observation_space(self, agent: str) -> Any:
        self.seat_of(agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Ids:
        self.seat_of(agent)
        return self.action_spaces[agent]

    def _names_by_seat(self) -> Sequence[str]:
        return self.player_names

    def _end_by_illegal_moves(self, reasons: Mapping[str, str]) -> dict[str, float]:
        """End the match by illegal moves. Return the reward by agent."""
        self.play.stop()
        self._note = "; ".join(f"{agent}: illegal move {reason}" for agent, reason in reasons.items())
        self._refused = reasons
        if self._writer is not None:
            agent, reason = next(iter(reasons.items()))
            self._writer.add(self.play, self.player_names, (self._seats[agent], reason))
        return {agent: ILLEGAL if agent in reasons else 0.0 for agent in self.possible_agents}

    def _write_match(self) -> dict[str, float]:
        """Add the finished match to the data set, if any; return its points by agent."""
        if self._writer is not None:
            self._writer.add(self.play, self.player_names)
        return dict(zip(self.possible_agents, map(float, self.play.totals), strict=True))


def arena_of(game: str | AnyGame, options: Mapping[str, Any]) -> tuple[Play, Observer, list[str]]:
    """Return play, observer and agents for a game, by its name and options or a `Game`; ConfigError."""
    if isinstance(game, str):
        try:
            game = make(game, options)
        except ConfigError as error:
            raise error.in_one_line() from None
    elif not isinstance(game, Game):
        raise ConfigError(f"{game!r} is neither the name of a game nor a Game")
    elif options:
        raise ConfigError(
            f"{', '.join(options)}: give these options to the constructor of {type(game).__name__}"
        )
    return Play(game), observer_of(game), [f"seat_{seat}" for seat in range(game.seats)]


def environment(kind: str, game: str | AnyGame, dataset: str | None, options: Any, **shown: Any) -> Any:
    """Return a game's PettingZoo environment: the class that its observer names as `kind`, such as ``aec``.

    `options` are the game's, and those of `ViewForm`. Matches are written to `dataset`, if any; `shown` are
    arguments of `Arena`. ConfigError.
    """
    form = ViewForm.taken_from(options, "observation")
    play, observer, agents = arena_of(game, options)
    env = load(getattr(observer, kind))(play, observer, agents, form=form, **shown)
    if dataset is not None:
        env.write_to(dataset)
    return env


def check_names(names: object, seats: int) -> tuple[str, ...]:
    """Return valid names of players by seat; ConfigError."""
    if isinstance(names, Sequence) and not isinstance(names, str):
        given = tuple(names)
        if all(isinstance(name, str) and name for name in given) and len(set(given)) == len(given) == seats:
            return given
    raise ConfigError(f"player_names is {names!r}, not a list of {seats} different names")
