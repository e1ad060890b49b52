"""A small network that values actions, in NumPy alone: what a learned player thinks with."""

import numpy as np


class Network:
    """Values of actions from what is seen and what each action would do, by layers with rectifiers between.

    The first layer is in two parts, so that what is seen is read once for all actions of a decision:
    `weights` are "seen" (cells, width), "done" (cells of an action, width), "bias", and for each further
    layer "weight1", "bias1", ...
    """

    def __init__(self, weights):
        self.weights = weights
        self.layers = len(weights) // 2  # "seen" and "done" are the first one, with one bias

    @classmethod
    def load(cls, file, name):
        """The network of this name in a file of weights."""
        with np.load(file) as arrays:
            mine = [key for key in arrays.files if key.startswith(f"{name}.")]
            return cls({key[len(name) + 1 :]: arrays[key].astype(np.float32) for key in mine})

    def __call__(self, seen, done, rows):
        """(actions, outputs) of `done` (actions, cells), each being one of those open in ``seen[row]``."""
        weights = self.weights
        values = (seen @ weights["seen"] + weights["bias"])[rows]
        values += done @ weights["done"]
        for layer in range(1, self.layers):
            np.maximum(values, 0, out=values)
            values = values @ weights[f"weight{layer}"]
            values += weights[f"bias{layer}"]
        return values
