"""Masks of legal ids, and the space of all ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

if TYPE_CHECKING:
    from arbiter.envs.observers.observer import Vector

    _Discrete = spaces.Discrete[Any]
else:
    # Older versions of Gymnasium are not generic.
    _Discrete = spaces.Discrete

_MANY = 1000
"""Masks of more ids are of class `Mask`; NumPy is fast enough for shorter ones."""


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
