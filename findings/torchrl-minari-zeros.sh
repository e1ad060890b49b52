#!/usr/bin/env bash
# torchrl 0.14.1 with tensordict 0.14.3, torch 2.14.1, Minari 0.5.4, Gymnasium 1.4.0, Python 3.11, seen 2026-11-29.
#
# Behaviour: MinariExperienceReplay of a local data set has as many steps as the data set, and zeros in all of them:
# observations, actions and rewards. Nothing is raised. It fills a tensordict with the episodes, and then
# calls memmap_like, which makes files of the same shape without the values. Minari itself reads the same files well.
# Output seen: "replay buffer: 29 steps, sum of observations 0.0, of rewards 0.0; Minari: 66.5, 29.0"
# Who meets it: whoever trains offline from a data set of their own. The loss falls to nothing, as all samples are alike.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check torchrl==0.14.1 tensordict==0.14.3 \
  torch==2.14.1 'minari[create,hdf5]==0.5.4' gymnasium==1.4.0 pillow
MINARI_DATASETS_PATH="$folder/sets" REPLAY="$folder/replay" "$folder/venv/bin/python" - <<'PYTHON'
import os

import gymnasium
import minari
from torchrl.data.datasets.minari_data import MinariExperienceReplay

env = minari.DataCollector(gymnasium.make("CartPole-v1"), data_format="hdf5")
for seed in range(3):
    env.reset(seed=seed)
    over = False
    while not over:
        _, _, over, _, _ = env.step(seed % 2)
env.create_dataset("pole/mine-v0")

episodes = list(minari.load_dataset("pole/mine-v0").iterate_episodes())
observations = sum(float(abs(episode.observations[:-1]).sum()) for episode in episodes)
rewards = sum(float(episode.rewards.sum()) for episode in episodes)
steps = MinariExperienceReplay(
    "pole/mine-v0", batch_size=8, load_from_local_minari=True, root=os.environ["REPLAY"]
)[:]
read = float(steps["observation"].abs().sum()), float(steps["next", "reward"].sum())
print(
    f"replay buffer: {len(steps)} steps, sum of observations {read[0]}, of rewards {read[1]};"
    f" Minari: {observations:.1f}, {rewards}"
)
assert len(steps) == rewards > 0 and observations > 0
assert read == (0.0, 0.0), "changed: the replay buffer has values"
PYTHON
