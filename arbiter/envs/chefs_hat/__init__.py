"""Chef's Hat for learning: an environment of Gymnasium, two of PettingZoo, and rooms of agents."""

from arbiter.envs.chefs_hat.chefshat_v1 import GAMETYPE, ChefsHatV1
from arbiter.envs.chefs_hat.gymnasium_env import ID, ChefsHatEnv
from arbiter.envs.chefs_hat.room import Result, Room

__all__ = ["GAMETYPE", "ID", "ChefsHatEnv", "ChefsHatV1", "Result", "Room"]
