"""The base of the PettingZoo environments: agents, spaces, observations, rendering, checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from arbiter.envs.argument_checks import check_seed
from arbiter.envs.match_state import Play, given_deals
from arbiter.envs.observers import observer_of
from arbiter.envs.render import Renderable, check_mode, env_metadata
from arbiter.errors import ConfigError
from arbiter.games import load, make
from arbiter.games.game import Game

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.envs.observers import Observer
    from arbiter.envs.observers.observer import Vector
    from arbiter.games.game import AnyGame, Seat

    _Discrete = spaces.Discrete[Any]
else:
    # Older versions of Gymnasium are not generic.
    _Discrete = spaces.Discrete

ILLEGAL = -1.0
"""The reward of an illegal move."""
_MANY = 1000
"""Masks of more ids are of class `Mask`; NumPy is fast enough for shorter ones."""


class Arena(Renderable):
    """A match between named agents, `agents` in seat order.

    `render_mode` is ``human``, which prints, ``ansi``, whose `render` returns text, or ``rgb_array``, whose
    `render` returns a picture; `player_names`, one for each seat, replace the agents' names there.
    ConfigError for invalid values.
    """

    metadata = env_metadata()
    agents: list[str]
    infos: dict[str, dict[str, Any]]

    def __init__(
        self,
        play: Play,
        observer: Observer,
        agents: Sequence[str],
        *,
        render_mode: str | None = None,
        player_names: Sequence[str] | None = None,
    ) -> None:
        self.render_mode = check_mode(render_mode)
        self.metadata = env_metadata(f"arbiter_{play.game.name}")
        self.play = play
        self.observer = observer
        self.possible_agents = list(agents)
        self.player_names = check_names(agents if player_names is None else player_names, len(agents))
        self._seats = {agent: seat for seat, agent in enumerate(agents)}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(
                        observer.low, observer.high, (observer.size(seat),), observer.dtype
                    ),
                    "action_mask": spaces.Box(0, 1, (observer.actions,), np.int8),
                }
            )
            for seat, agent in enumerate(agents)
        }
        self.action_spaces = {agent: Ids(observer.actions) for agent in agents}

    def _begin(self, seed: int | str | None, options: dict[str, Any] | None) -> None:
        """Begin a match; TypeError, ValueError or ConfigError, then nothing is changed."""
        self.play.reset(check_seed(seed), given_deals(options))
        self.agents = self.possible_agents[:]
        self.infos = {agent: {} for agent in self.agents}
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

    def observe(self, agent: str) -> dict[str, Vector]:
        """Return the observation and the mask of an agent, also when the match is over."""
        seat, play, observer = self.seat_of(agent), self.play, self.observer
        legal = observer.legal(play, seat) if self._decides(seat) else ()
        return {
            "observation": observer.vector(play, seat),
            "action_mask": mask_of(legal, observer.actions),
        }

    def legal_ids(self, agent: str) -> list[int]:
        """Return an agent's legal ids, ascending; [] if it is not to act."""
        seat = self.seat_of(agent)
        return list(self.observer.legal(self.play, seat)) if self._decides(seat) else []

    def _decides(self, seat: Seat) -> bool:
        raise NotImplementedError

    def observation_space(self, agent: str) -> spaces.Dict:
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
        for agent, reason in reasons.items():
            self.infos[agent] = {"illegal": reason}
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
        game = make(game, options)
    elif not isinstance(game, Game):
        raise ConfigError(f"{game!r} is neither the name of a game nor a Game")
    elif options:
        raise ConfigError(
            f"{', '.join(options)}: give these options to the constructor of {type(game).__name__}"
        )
    return Play(game), observer_of(game), [f"seat_{seat}" for seat in range(game.seats)]


def environment(form: str, game: str | AnyGame, dataset: str | None, options: Any, **shown: Any) -> Any:
    """Return a game's PettingZoo environment: the class that its observer names as `form`, such as ``aec``.

    Matches are written to `dataset`, if any; `shown` are arguments of `Arena`. ConfigError.
    """
    play, observer, agents = arena_of(game, options)
    env = load(getattr(observer, form))(play, observer, agents, **shown)
    if dataset is not None:
        env.write_to(dataset)
    return env


class Mask(np.ndarray[Any, Any]):
    """An array with a fast `nonzero`, and so `numpy.flatnonzero`.

    NumPy takes ten times as long to find nonzero bytes as booleans, which for 27,472 of them is longer than
    the rest of a step.
    """

    def nonzero(self) -> tuple[NDArray[np.intp], ...]:
        found: NDArray[np.bool_] = self.view(np.ndarray) != 0
        return found.nonzero()

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """Return results of computations as ordinary arrays or numbers."""
        plain = array.view(np.ndarray)
        return plain if plain.ndim else plain[()]


class Ids(_Discrete):
    """All ids of a game; sampling by a `Mask` skips slow checks."""

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Return the same samples as `Discrete`, from the same random numbers."""
        if probability is not None:
            return super().sample(mask, probability)
        if not isinstance(mask, Mask) or mask.shape != (self.n,):
            return super().sample(mask)
        found = (mask.view(np.ndarray) == 1).nonzero()[0]
        return found[self.np_random.integers(found.size)] if found.size else self.start


def mask_of(ids: Sequence[int], actions: int) -> Vector:
    """Return int8[actions] with a 1 for each of the ids."""
    # For a few ids this is faster than indexing an array by a list.
    cells = bytearray(actions)
    for action in ids:
        cells[action] = 1
    mask = np.frombuffer(cells, np.int8)
    return mask.view(Mask) if actions > _MANY else mask


def check_names(names: object, seats: int) -> tuple[str, ...]:
    """Return valid names of players by seat; ConfigError."""
    if isinstance(names, Sequence) and not isinstance(names, str):
        given = tuple(names)
        if all(isinstance(name, str) and name for name in given) and len(set(given)) == len(given) == seats:
            return given
    raise ConfigError(f"player_names is {names!r}, not a list of {seats} different names")
