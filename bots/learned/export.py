#!/usr/bin/env python3
"""Write the learned player's network of Planning for the search bot, which plays its worlds with it.

    python bots/learned/export.py

makes ``bots/cpp/planning_search.weights`` of ``planning_weights.npz``: 32-bit floats of this machine's byte
order, the network of declarations first and that of cards after it, each its parts in the order of `PARTS`.
A row of outputs gets a 0 at its end, so that it fills whole registers.
"""

import argparse
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
PARTS = ("seen", "done", "bias", "weight1", "bias1", "weight2", "bias2")
OUTPUTS = ("weight2", "bias2")


def exported(weights):
    """The bytes that the search bot is built with."""
    parts = []
    with np.load(weights) as arrays:
        for name in ("declare", "play"):
            for part in PARTS:
                array = arrays[f"{name}.{part}"].astype(np.float32)
                if part in OUTPUTS:
                    array = np.pad(array, [(0, 0)] * (array.ndim - 1) + [(0, 1)])
                parts.append(array.tobytes())
    return b"".join(parts)


def main():
    """Command line."""
    line = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    line.add_argument("--weights", type=Path, default=HERE / "planning_weights.npz", metavar="FILE")
    out = HERE.parent / "cpp" / "planning_search.weights"
    line.add_argument("--out", type=Path, default=out, metavar="FILE")
    options = line.parse_args()
    options.out.write_bytes(exported(options.weights))


if __name__ == "__main__":
    main()
