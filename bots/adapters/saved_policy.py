#!/usr/bin/env python3
"""A saved policy plays: MaskablePPO's .zip, or TorchScript's .pt, which gives each id a score."""
# pip: torch sb3-contrib==2.9.2

import argparse
import os

# Read when the libraries are imported: a thread for every core would take the time of others.
os.environ["OMP_NUM_THREADS"] = "1"

import torch

from arbiter.envs import PolicyBot


def load(file):
    """Return the policy of a file, read once."""
    torch.set_num_threads(1)
    if file.endswith(".zip"):
        from sb3_contrib import MaskablePPO

        trained = MaskablePPO.load(file, device="cpu")

        def likeliest(observation, action_mask):
            return int(trained.predict(observation, action_masks=action_mask != 0, deterministic=True)[0])

        return likeliest
    model = torch.jit.load(file, map_location="cpu").eval()

    def policy(observation, action_mask):
        with torch.inference_mode():
            scores = model(torch.as_tensor(observation, dtype=torch.float32)[None])[0]
        return int(scores.masked_fill(torch.as_tensor(action_mask) == 0, -torch.inf).argmax())

    return policy


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("file")
    options.add_argument("--game", default="planning")
    given = options.parse_args()
    PolicyBot(load(given.file), game=given.game).run()
