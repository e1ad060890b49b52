"""All forms of environment under one face, so that what they promise alike is tested once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

import gymnasium
import numpy as np

from arbiter import envs
from arbiter.envs import dou_dizhu_v4
from arbiter.envs.batches import batch
from arbiter.envs.codepiece import Engine
from arbiter.games import make

OPTIONS: dict[str, dict[str, Any]] = {
    "planning": {},
    "planning, few cards": {"deals": [[2, 1], [3, 0]]},
    "planning of two": {"seats": 2, "deck": "789TJQKA SH", "deals": [[8, 1], [1, 0]]},
    "codepiece": {"dealers": [3, 1]},
    "dou_dizhu": {},
    "dou_dizhu, bombs": {"landlords": [2, 1], "bombs": "double"},
    "chefs_hat": {"matches": 2},
    "chefs_hat, gym2": {"rules": "gym2", "matches": 2},
}
"""Games that together do all that games can do, with their options."""

SHORT: dict[str, dict[str, Any]] = {
    "planning": {"deals": [[2, 1], [3, 0]]},
    "codepiece": {"dealers": [1]},
    "dou_dizhu": {"landlords": [1]},
    "chefs_hat": {"matches": 2},
}
"""Each game with few deals."""

KITCHEN = {
    "hands": [["1", "2", "11"], ["3", "3", "9"], ["5", "6", "7"], ["12", "12", "4"]],
    "roles": ["Chef", "Souschef", "Waiter", "Dishwasher"],
    "opener": 0,
}
"""A deal of Chef's Hat with a special action and an exchange to be decided."""


def name_of(kind: str) -> str:
    """The game of one of `OPTIONS`."""
    return kind.partition(",")[0].partition(" ")[0]


def made(kind: str, build: Callable[..., Any] = envs.aec, **more: Any) -> Any:
    """The environment of one of `OPTIONS`."""
    return build(name_of(kind), **OPTIONS[kind], **more)


def first(observation: Any, action_mask: Any) -> int:
    """A policy: the first of the legal ids."""
    return int(np.flatnonzero(action_mask)[0])


def last(observation: Any, action_mask: Any) -> int:
    """A policy: the last of the legal ids."""
    return int(np.flatnonzero(action_mask)[-1])


def to_the_end(env: Any, seed: Any = None, policy: Callable[[Any, Any], int] = first, **options: Any) -> Any:
    """Play a match of one of Gymnasium's environments; what the last step returned, and what was seen."""
    seen, info = env.reset(seed=seed, options=options or None)
    steps, over = [], False
    while not over:
        steps.append((seen, info))
        result = env.step(policy(seen, info["action_mask"]) if info["legal_ids"] else 0)
        seen, _, terminated, truncated, info = result
        over = terminated or truncated
    return result, steps


@dataclass
class Form:
    """One environment, and how to speak to it: by the ids of whoever is to act."""

    env: Any

    numbers_alone = False
    """Whether seeds are integers alone."""
    refuses = False
    """Whether an illegal action is refused, and does not end the match."""

    def reset(self, seed: Any = None, **options: Any) -> None:
        self.env.reset(seed=seed, **({"options": options} if options else {}))

    def step(self, action: Any) -> None:
        self.result = self.env.step(action)

    def rewards(self) -> list[float]:
        """Those of the last step, by seat."""
        return list(self.result[4]["rewards"])

    def legal(self) -> list[int]:
        return list(self.env._legal_ids())

    def view(self) -> Any:
        """What whoever is to act sees."""
        return self.env.observer.vector(self.env.play, self.env._acting_seat())

    def mask(self) -> Any:
        """The mask of whoever is to act."""
        return self.env.action_masks()

    def state(self) -> Any:
        """What no mistake may change."""
        return self.env.play.state

    def over(self) -> bool:
        return bool(self.env.play.over)

    def seen(self) -> list[Any]:
        """All that can be seen."""
        return [self.env.observer.vector(self.env.play, seat) for seat in range(self.env.play.game.seats)]

    def space(self) -> Any:
        return self.env.observation_space

    def play_randomly(self, seed: Any, steps: int = 10**6) -> list[Any]:
        """What was seen along a match by lot, or its first steps."""
        chance, found = Random(repr(seed)), self.seen()
        while not self.over() and steps:
            self.step(chance.choice(self.legal()))
            found += self.seen()
            steps -= 1
        return [view.tolist() for view in found]


class Cycle(Form):
    def rewards(self) -> list[float]:
        return list(self.env.rewards.values())

    def view(self) -> Any:
        return self.env.vector(self.env.agent_selection)

    def legal(self) -> list[int]:
        return list(self.env.legal_ids(self.env.agent_selection))

    def mask(self) -> Any:
        return self.env.observe(self.env.agent_selection)["action_mask"]

    def state(self) -> Any:
        return self.env.play.state, self.env.agent_selection, dict(self.env.rewards)

    def space(self) -> Any:
        return self.env.observation_space(self.env.possible_agents[0])["observation"]


class Parallel(Cycle):
    def mover(self) -> str:
        return str(self.env.possible_agents[self.env.play.turn])

    def step(self, action: Any) -> None:
        env = self.env
        if not env.agents:
            env.step({})
        others = {agent: ids[0] for agent in env.agents if (ids := env.legal_ids(agent))}
        self.result = env.step(others | {self.mover(): action})

    def rewards(self) -> list[float]:
        return list(self.result[1].values())

    def view(self) -> Any:
        return self.env.vector(self.mover())

    def legal(self) -> list[int]:
        return list(self.env.legal_ids(self.mover()))

    def mask(self) -> Any:
        return self.env.observe(self.mover())["action_mask"]

    def state(self) -> Any:
        return self.env.play.state, list(self.env.agents)


class Roles(Cycle):
    numbers_alone = True


class RolesAtOnce(Parallel):
    numbers_alone = True


class Hat(Form):
    refuses = True

    def legal(self) -> list[int]:
        return list(self.env.legal_ids())

    def state(self) -> Any:
        return self.env._play.moment

    def over(self) -> bool:
        return bool(self.env.over)

    def seen(self) -> list[Any]:
        return [self.env.vector(seat) for seat in range(4)]


class OfCodepiece(Form):
    numbers_alone = refuses = True

    def reset(self, seed: Any = None, **options: Any) -> None:
        if seed is not None:
            self.env = Engine(seed=seed)
        self.env.init_game()

    def legal(self) -> list[int]:
        player = self.env.get_player_id()
        return np.flatnonzero(self.env.observe(player)[156:219]).tolist()  # type: ignore[no-any-return]

    def mask(self) -> Any:
        return self.env.observe(self.env.get_player_id())[156:219]

    def state(self) -> Any:
        return self.env._state

    def over(self) -> bool:
        return bool(self.env.is_over())

    def seen(self) -> list[Any]:
        return [self.env.observe(player) for player in range(4)]

    def space(self) -> Any:
        return gymnasium.spaces.Box(0, 1, (233,), np.float32)


class SideBySide(Form):
    def reset(self, seed: Any = None, **options: Any) -> None:
        if seed is None:
            self.env.begin([None] * self.env.n)
        else:
            self.env.reset(seed)
        self.ended = False

    def step(self, action: Any) -> None:
        self.env.ends = {}
        self.won, over = self.env.step([action])
        self.ended = bool(over[0])

    def rewards(self) -> list[float]:
        return self.won[0].tolist()  # type: ignore[no-any-return]

    def view(self) -> Any:
        return self.env.observations()[0]

    def legal(self) -> list[int]:
        return self.env.legal_ids()[0].tolist()  # type: ignore[no-any-return]

    def mask(self) -> Any:
        return self.env.masks()[0]

    def state(self) -> Any:
        return [play.state for play in self.env._plays], self.env.turns.tolist()

    def over(self) -> bool:
        return self.ended

    def seen(self) -> list[Any]:
        return list(self.env.observations())

    def space(self) -> Any:
        observer = self.env.observer
        return gymnasium.spaces.Box(observer.low, observer.high, (self.env.size,), observer.dtype)


def turns(kind: str, **more: Any) -> Any:
    """The environment of Gymnasium in which every step is an action of the seat to act."""
    options = OPTIONS[kind] | more
    return gymnasium.make(
        "arbiter/Planning-v0", game=name_of(kind), disable_env_checker=True, **options
    ).unwrapped


def _hat(**options: Any) -> Any:
    return gymnasium.make(envs.CHEFS_HAT, matches=2, **options).unwrapped


def _side_by_side(kind: str) -> Any:
    return batch(make(name_of(kind), OPTIONS[kind]), n=1)


RENDERED: dict[str, tuple[type[Form], Callable[..., Any]]] = {
    **{f"aec, {kind}": (Cycle, partial(made, kind)) for kind in OPTIONS},
    **{f"parallel, {kind}": (Parallel, partial(made, kind, envs.parallel)) for kind in OPTIONS},
    **{f"single, {kind}": (Form, partial(made, kind, envs.single)) for kind in OPTIONS},
    **{f"turns, {kind}": (Form, partial(turns, kind)) for kind in ("planning", "codepiece", "dou_dizhu")},
    "dou_dizhu_v4": (Roles, dou_dizhu_v4.env),
    "dou_dizhu_v4, parallel": (RolesAtOnce, dou_dizhu_v4.parallel_env),
    "dou_dizhu_v4, as RLCard has it": (Roles, partial(dou_dizhu_v4.env, compat="rlcard-1.2.0")),
    "ChefsHat-v1": (Hat, _hat),
    "ChefsHat-v1, gym2": (Hat, partial(_hat, rules="gym2")),
}
"""The forms that can be rendered and, like all of them, are reset by `reset` with seeds and deals."""
FORMS = RENDERED | {
    "Engine": (OfCodepiece, Engine),
    **{f"batch, {kind}": (SideBySide, partial(_side_by_side, kind)) for kind in OPTIONS},
}  # fmt: skip
