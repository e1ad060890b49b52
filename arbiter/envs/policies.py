"""Policies: a callable, or an object with `predict`, such as a model of Stable-Baselines3.

A callable takes an observation and an action mask and returns an id. `predict` takes the observation and, by
the names that it has among its parameters, `action_masks` (truth values), `state` and `episode_start`; it
returns the action, or the action and the next state. One that takes no masks may choose what is not legal.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, TypeAlias

import numpy as np

from arbiter.envs.observers.observer import Vector

Policy: TypeAlias = "Callable[[Vector, Vector], Any]"
"""Observation and action mask, as `GameEnv.observe` has them, to the id of a legal action."""


class Predictor:
    """An object with `predict` as a policy; `begin` is called before each match."""

    def __init__(self, model: Any) -> None:
        self.__name__ = type(model).__name__
        self._predict = model.predict
        try:
            self._takes = frozenset(signature(model.predict).parameters)
        except (TypeError, ValueError):
            self._takes = frozenset()
        self.begin()

    def begin(self) -> None:
        """Forget the state of the match before."""
        self._state: Any = None
        self._fresh = True

    def __call__(self, observation: Vector, action_mask: Vector) -> Any:
        """The action, as the model gives it, or the number in an array of one."""
        known = {
            "action_masks": action_mask.view(np.ndarray) != 0,
            "state": self._state,
            "episode_start": np.array([self._fresh]),
        }
        said = self._predict(observation, **{name: known[name] for name in known if name in self._takes})
        self._fresh = False
        action, self._state = said if isinstance(said, tuple) else (said, None)
        return action.item() if isinstance(action, np.ndarray) and action.size == 1 else action


def is_policy(thing: object) -> bool:
    """Return True if it can play; a class cannot."""
    return not isinstance(thing, type) and (callable(getattr(thing, "predict", None)) or callable(thing))


def policy_of(thing: Any) -> Policy:
    """Return the policy as a callable; TypeError for what cannot play."""
    if not is_policy(thing):
        what = "a callable of an observation and an action mask, or has a method predict"
        raise TypeError(f"a policy is {what}, not {thing!r}")
    # Before the call: what has both is a model.
    return Predictor(thing) if callable(getattr(thing, "predict", None)) else thing


def begin(policy: Policy) -> None:
    """Tell a policy that a match begins, where it wants to know."""
    if isinstance(policy, Predictor):
        policy.begin()
