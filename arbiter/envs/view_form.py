"""The form of observations, masks and infos: the same options for all environments.

    envs.parallel("planning", mask="info", dtype="float32", infos="numeric")

Libraries for learning differ in what they read; an environment itself knows none of them.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from gymnasium import spaces

from arbiter.envs.masks import mask_of
from arbiter.envs.observers import Observer
from arbiter.envs.observers.observer import Vector
from arbiter.errors import ConfigError, did_you_mean

_KNOWN: dict[str, tuple[str, ...]] = {
    "mask": ("observation", "info", "both"),
    "waiting": ("none", "first", "all"),
    "infos": ("full", "numeric"),
}


@dataclass(frozen=True, slots=True)
class ViewForm:
    """Options of `aec`, `parallel`, `single`, Gymnasium's `make` and `make_vec`; of `batch` only `dtype`.

    `mask` is its place: ``observation``, a dictionary of vector and mask; ``info``; or ``both``. By default
    it is in observations of PettingZoo's environments, and in infos of Gymnasium's.
    `keys` are the names of vector and mask.
    `dtype` is the type of observations, and of masks in them: ``float32``, or None for the game's own, with
    int8 masks. Masks in infos are always int8.
    `waiting` is the mask without a decision to make, when others act or the match is over: of ``none`` of the
    ids, the ``first``, or ``all``. The action is ignored then.
    `infos` are ``full``, or ``numeric``: the same keys in each, with NumPy's numbers or arrays of the same
    shape. `illegal` and `fault` are then 0 or 1, and lists and texts are left out.
    """

    mask: str = "info"
    keys: tuple[str, str] = ("observation", "action_mask")
    dtype: str | None = None
    waiting: str = "none"
    infos: str = "full"

    def __post_init__(self) -> None:
        for name, known in _KNOWN.items():
            if (given := getattr(self, name)) not in known:
                hint = did_you_mean(str(given), known)
                raise ConfigError(f"{name} is {given!r}, not one of {', '.join(known)}", hint=hint)
        if self.dtype not in (None, "float32"):
            raise ConfigError(f'dtype is {self.dtype!r}, neither "float32" nor None, the game\'s own')
        if len(set(self.keys)) != 2 or not all(isinstance(key, str) for key in self.keys):
            raise ConfigError(f"keys are {self.keys!r}, not two names, of the vector and of the mask")

    @classmethod
    def taken_from(cls, options: dict[str, Any], mask: str) -> ViewForm:
        """Return the form in an environment's options, from which it is removed; `mask` is the default."""
        given = {field.name: options.pop(field.name) for field in fields(cls) if field.name in options}
        if "keys" in given:
            try:
                given["keys"] = tuple(given["keys"])
            except TypeError:
                given["keys"] = ()
        return cls(**{"mask": mask, **given})

    def box(self, observer: Observer, size: int) -> spaces.Box:
        """Return the space of vectors of `size` cells."""
        # Gymnasium's annotation has no type but float32 as a name.
        dtype: Any = self.dtype or observer.dtype
        return spaces.Box(observer.low, observer.high, (size,), dtype)

    def space(self, observer: Observer, size: int) -> spaces.Space[Any]:
        """Return the space of observations with vectors of `size` cells."""
        box = self.box(observer, size)
        if self.mask == "info":
            return box
        dtype: Any = self.dtype or np.int8
        mask = spaces.Box(0, 1, (observer.actions,), dtype)
        return spaces.Dict({self.keys[0]: box, self.keys[1]: mask})

    def observation(self, vector: Vector, mask: Vector) -> Any:
        """Return the observation of a vector and its mask, or of one for each match."""
        if (dtype := self.dtype) is not None:
            vector = vector.astype(dtype, copy=False)
        if self.mask == "info":
            return vector
        observation, action_mask = self.keys
        return {observation: vector, action_mask: mask if dtype is None else mask.astype(dtype)}

    def idle_mask(self, actions: int) -> Vector:
        """Return the mask without a decision to make."""
        if self.waiting == "all":
            return np.ones(actions, np.int8)
        return mask_of((0,) if self.waiting == "first" else (), actions)
