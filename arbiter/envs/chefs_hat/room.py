"""A room of Chef's Hat: four agents of one process play a game.

    from arbiter.envs.chefs_hat import Room

    room = Room(matches=10, dataset="games.parquet")
    for name in ("ada", "bob", "eve", "joe"):
        room.add_player(name, my_agent)
    result = room.play(seed=7)
    result.scores, result.ranking, result.performance

An agent is a callable, or an object with a method `action`:
``action(observation, info)`` returns an id 0..199 or a vector of 200. The observation is the
float32[228] of the environment; `info` is that of the last step for this player, a mapping built on
first access. An object may have three more methods:

- ``on_reset(seat, names)``: a game begins;
- ``on_step(info)``: a player acted, possibly this one;
- ``on_match_over(info)``: the last step ended a match.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from arbiter.envs.argument_checks import NoSuchAction, WrongActionType, check_seed
from arbiter.envs.chefs_hat.info import (
    Info,
    action_of,
    hidden_from_others,
    is_secret,
    start_info,
    step_info,
    vector,
)
from arbiter.envs.chefs_hat.steps import HatPlay, StepTaken
from arbiter.errors import ConfigError
from arbiter.games.chefs_hat import ChefsHat
from arbiter.games.chefs_hat.deal import SEATS
from arbiter.games.chefs_hat.gym2 import PATIENCE
from arbiter.games.game import Action, Seat


class Result(NamedTuple):
    """The result of a game, by name.

    `scores` are points, `performance` the performance scores; `ranking` is by points, then by place in the
    last match. `replaced` counts an agent's actions that were replaced by random ones.
    """

    matches: int
    scores: dict[str, int]
    ranking: tuple[str, ...]
    performance: dict[str, float]
    replaced: dict[str, int]


class Room:
    """Four agents, as the module's docstring describes, and the options of their games.

    `rules`, `matches` or `points`, and `max_rounds` are the options of the game. `dataset` is a file for all
    games of the room, complete after `close`, which the end of a `with` calls. ConfigError for an invalid
    value.
    """

    def __init__(
        self,
        players: Mapping[str, object] | None = None,
        *,
        rules: str = "book",
        matches: int | None = None,
        points: int | None = None,
        max_rounds: int | None = None,
        dataset: str | None = None,
    ) -> None:
        self._game = ChefsHat(rules, matches, points, max_rounds)
        self._book = rules == "book"
        self._dataset = dataset
        self._play: HatPlay | None = None
        self._players: dict[str, Any] = {}
        for name, agent in (players or {}).items():
            self.add_player(name, agent)

    def add_player(self, name: str, agent: object) -> None:
        """Seat an agent at the next free seat; ConfigError if all are taken, or the name is."""
        if self._play is not None or len(self._players) == SEATS:
            raise ConfigError(f"the room has its {SEATS} players")
        if not isinstance(name, str) or not name or name in self._players:
            raise ConfigError(
                f"{name!r} is not a name, or is taken", hint="choose a text that no other player has"
            )
        if not callable(getattr(agent, "action", agent)):
            raise ConfigError(
                f"the agent of {name} cannot be asked", hint="a callable, or an object with a method action"
            )
        self._players[name] = agent

    def play(self, seed: int | str | None = None, deals: Sequence[Mapping[str, Any]] | None = None) -> Result:
        """Play one game.

        Without `seed` the sequence of games continues; `deals` are given ones, as for the environment. After
        five impossible actions in a row an agent gets a random one. TypeError or ValueError, with the
        agent's name, for an answer that is not an action.
        """
        seed = check_seed(seed)
        play, names = self._ensure_play(), tuple(self._players)
        agents = [getattr(agent, "action", agent) for agent in self._players.values()]
        heard, ended = self._agent_methods("on_step"), self._agent_methods("on_match_over")
        play.reset(seed, deals)
        luck = random.Random(seed)
        for seat, hook in self._agent_methods("on_reset"):
            hook(seat, names)
        infos: list[Mapping[str, Any]] = [Info(partial(start_info, play.moment, names))] * SEATS
        replaced = [0] * SEATS
        misses = 0
        while True:
            moment = play.moment
            seat = moment.actor
            if self._book and misses >= PATIENCE:
                step = play.step(luck.choice(moment.chances[0]), replaced=True)
            else:
                seen = vector(moment, seat)
                step = play.step(_ask_agent(agents[seat], names[seat], seen, infos[seat]))
            misses = 0 if step.valid else misses + 1
            replaced[step.author] += step.replaced
            infos = self._infos_after(step, names, infos)
            quiet = is_secret(step)
            for listener, hook in heard:
                if not quiet or listener == step.author:
                    hook(infos[listener])
            if step.match_over:
                for listener, hook in ended:
                    hook(infos[listener])
                if step.over:
                    return _game_result(names, step, replaced)

    def close(self) -> None:
        """Complete the data set, if any."""
        if self._play is not None:
            self._play.close()

    def __enter__(self) -> Room:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ensure_play(self) -> HatPlay:
        """Return the games of the room; the first call opens their data set; ConfigError without four."""
        if self._play is None:
            if len(self._players) < SEATS:
                raise ConfigError(
                    f"expected {SEATS} players, got {len(self._players)}", hint="add_player adds one"
                )
            self._play = HatPlay(self._game, tuple(self._players), self._dataset)
        return self._play

    def _agent_methods(self, name: str) -> list[tuple[Seat, Callable[..., object]]]:
        """Return the agents' methods of this name, with their seats."""
        methods = enumerate(getattr(agent, name, None) for agent in self._players.values())
        return [(seat, method) for seat, method in methods if method is not None]

    def _infos_after(
        self, step: StepTaken, names: tuple[str, ...], before: list[Mapping[str, Any]]
    ) -> list[Mapping[str, Any]]:
        """Return the latest `info` by seat; the three seats that did not act share one."""
        author = step.author
        own = Info(partial(step_info, step, names, book=self._book))
        if is_secret(step):
            infos = list(before)
        else:
            infos = [Info(lambda: hidden_from_others(dict(own), step))] * SEATS
        infos[author] = own
        return infos


def _ask_agent(agent: Callable[..., object], name: str, seen: object, info: Mapping[str, Any]) -> Action:
    """Call an agent's method and return its action; TypeError or ValueError with the agent's `name`."""
    answer = agent(seen, info)
    try:
        return action_of(answer)
    except (WrongActionType, NoSuchAction) as error:
        raise type(error)(f"{name}: {error}") from None


def _game_result(names: tuple[str, ...], step: StepTaken, replaced: list[int]) -> Result:
    tally, last = step.after.tally, step.after.state.points()
    order = sorted(range(SEATS), key=lambda seat: (-tally.points[seat], -last[seat], seat))
    return Result(
        matches=tally.matches,
        scores=dict(zip(names, tally.points, strict=True)),
        ranking=tuple(names[seat] for seat in order),
        performance=dict(zip(names, tally.performance, strict=True)),
        replaced=dict(zip(names, replaced, strict=True)),
    )
