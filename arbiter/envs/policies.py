"""Policies: a callable, or an object with `predict`, such as a model of Stable-Baselines3.

A callable takes an observation and an action mask and returns an id. `predict` takes the observation and,
if its parameters have these names, `action_masks` (booleans), `state` and `episode_start`; it
returns the action, or the action and the next state. Without masks it may choose illegal actions.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arbiter.envs.argument_checks import WrongType
from arbiter.envs.observers.observer import Vector
from arbiter.match.follower import EXPECTED_POLICY, KNOWN_TO_PREDICT, misfit_of

Policy: TypeAlias = "Callable[[Vector, Vector], Any]"
"""Maps observation and action mask, as in `GameEnv.observe`, to the id of a legal action."""


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
        """Return the model's action; an array of one number becomes that number."""
        masks, fresh = action_mask.view(np.ndarray) != 0, np.array([self._fresh])
        known = dict(zip(KNOWN_TO_PREDICT, (masks, self._state, fresh), strict=True))
        said = self._predict(observation, **{name: known[name] for name in known if name in self._takes})
        self._fresh = False
        action, self._state = said if isinstance(said, tuple) else (said, None)
        return action.item() if isinstance(action, np.ndarray) and action.size == 1 else action

    def many(self, observations: Vector, action_masks: Vector) -> Any:
        """Return the model's actions for rows of observations and masks; ValueError if it has a state."""
        masks = {"action_masks": action_masks != 0} if "action_masks" in self._takes else {}
        said = self._predict(observations, **masks)
        action, state = said if isinstance(said, tuple) else (said, None)
        if state is not None:
            raise ValueError(f"{self.__name__} has a state, and plays one match at a time")
        return action


def is_policy(thing: object) -> bool:
    """Return True for a callable or an object with `predict`, False for classes."""
    return not isinstance(thing, type) and (callable(getattr(thing, "predict", None)) or callable(thing))


def policy_of(thing: Any) -> Policy:
    """Return a callable of observation and mask as it is, an object with `predict` in a `Predictor`.

    WrongType for anything else, for a class, and for another number of parameters.
    """
    if not is_policy(thing):
        raise WrongType(f"a policy is {EXPECTED_POLICY}, not {thing!r}")
    if misfit := misfit_of(thing):
        raise WrongType(f"a policy is {EXPECTED_POLICY}, not {misfit}")
    # First, since a model may be callable, too.
    return Predictor(thing) if callable(getattr(thing, "predict", None)) else thing


def many(policy: Policy, observations: Vector, action_masks: Vector) -> NDArray[np.int64]:
    """Return a policy's choice for each row of observations and masks: int64 (rows,)."""
    if isinstance(policy, Predictor):
        return np.asarray(policy.many(observations, action_masks), np.int64)
    rows = zip(observations, action_masks, strict=True)
    return np.array([int(policy(seen, mask)) for seen, mask in rows], np.int64)


def begin(policy: Policy) -> None:
    """Reset a policy with state at the start of a match."""
    if isinstance(policy, Predictor):
        policy.begin()
