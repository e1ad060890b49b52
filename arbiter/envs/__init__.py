"""Environments for reinforcement learning, over the same rules that tournaments use.

    from arbiter import envs
    env = envs.aec("planning")                      # PettingZoo, one agent after the other
    env = envs.parallel("planning")                 # PettingZoo, all agents in every step
    env = envs.single("planning", "random")         # Gymnasium, one agent and its opponents
    envs.PolicyBot(policy, "planning").run()        # a policy as a bot for tournaments
    print(envs.evaluate(policy, "planning", ["random", "greedy"]))
    from arbiter.envs import dou_dizhu_v4
    env = dou_dizhu_v4.env()
    gymnasium.make("arbiter/Planning-v0")           # registered by the import
    gymnasium.make_vec("arbiter/DouDizhu-v0", num_envs=128)
    gymnasium.make("arbiter/ChefsHat-v1")
    gymnasium.make("arbiter/Single-v0", game="planning", opponents="random")
    envs.register()                                 # with PettingZoo, too
    pettingzoo.make("aec", "arbiter/Planning-v0")

Names are imported on first use.
The package imports `games`, `match`, `replay`, `table`, `sandbox` and `rating`, and has no season, store or
config.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from arbiter.errors import MissingPackage

if TYPE_CHECKING:
    from arbiter.envs.batches import Batch, batch
    from arbiter.envs.determinization import Worlds
    from arbiter.envs.each_against_each import Crossplay, crossplay
    from arbiter.envs.evaluation import Evaluation, evaluate
    from arbiter.envs.exploiting import BestResponse, best_response
    from arbiter.envs.pettingzoo_forms import GameEnv, ParallelGameEnv, aec, parallel
    from arbiter.envs.pool import Pool
    from arbiter.envs.protocol_bot import PolicyBot
    from arbiter.envs.rollout_bot import RolloutBot
    from arbiter.envs.rollouts import Rollouts
    from arbiter.envs.single_env import SingleEnv, single

for _package in ("gymnasium", "pettingzoo"):
    if find_spec(_package) is None:
        raise MissingPackage(
            f"arbiter.envs needs {_package}: pip install 'arbiter-cards[envs]'", name=_package
        )

import gymnasium  # noqa: E402  (after the check that it is installed)

CHEFS_HAT = "arbiter/ChefsHat-v1"
SINGLE = "arbiter/Single-v0"
CHEFS_HAT_AS_IT_WAS = "chefshat-v1"
GAMES = {"Planning": "planning", "Codepiece": "codepiece", "DouDizhu": "dou_dizhu"}
"""The games of ``arbiter/NAME-v0``, in which each step is one action."""


def _register_with_gymnasium() -> None:
    # Gymnasium imports the module when an environment is made.
    known: dict[str, dict[str, Any]] = {
        CHEFS_HAT: {"entry_point": "chefs_hat:ChefsHatEnv", "vector_entry_point": "vector:chefs_hat"},
        SINGLE: {"entry_point": "single_env:single"},
        # Without wrappers, which would hide the methods that scripts call.
        CHEFS_HAT_AS_IT_WAS: {
            "entry_point": "chefs_hat:ChefsHatV1",
            "order_enforce": False,
            "disable_env_checker": True,
        },
    }
    for name, game in GAMES.items():
        forms = {"entry_point": "turns_env:turns", "vector_entry_point": "vector:vector"}
        known[f"arbiter/{name}-v0"] = {**forms, "kwargs": {"game": game}}
    for name, facts in known.items():
        if name not in gymnasium.registry:
            for form in ("entry_point", "vector_entry_point"):
                if form in facts:
                    facts[form] = f"arbiter.envs.{facts[form]}"
            gymnasium.register(name, **facts)


def register() -> None:
    """Register all environments with Gymnasium, and with PettingZoo, which has had a registry since 1.27.

    Importing this package does, with PettingZoo only if that was imported before: bots do without it.
    """
    _register_with_gymnasium()
    pettingzoo = import_module("pettingzoo")
    for kind in ("aec", "parallel") if hasattr(pettingzoo, "register") else ():
        for name, game in {**GAMES, "ChefsHat": "chefs_hat"}.items():
            if f"arbiter/{name}-v0" not in getattr(pettingzoo, f"{kind}_registry"):
                entry_point = f"arbiter.envs.pettingzoo_forms:{kind}"
                pettingzoo.register(kind, f"arbiter/{name}-v0", entry_point, kwargs={"game": game})


(register if "pettingzoo" in sys.modules else _register_with_gymnasium)()

# The modules of names that are imported on first use; no module has the name of a function.
_HOMES = {
    "aec": "pettingzoo_forms", "GameEnv": "pettingzoo_forms",
    "parallel": "pettingzoo_forms", "ParallelGameEnv": "pettingzoo_forms",
    "single": "single_env", "SingleEnv": "single_env",
    "batch": "batches", "Batch": "batches",
    "evaluate": "evaluation", "Evaluation": "evaluation",
    "best_response": "exploiting", "BestResponse": "exploiting",
    "crossplay": "each_against_each", "Crossplay": "each_against_each",
    "PolicyBot": "protocol_bot",
    "Pool": "pool",
    "RolloutBot": "rollout_bot",
    "Rollouts": "rollouts",
    "Worlds": "determinization",
}  # fmt: skip
__all__ = [
    "Batch", "BestResponse", "Crossplay", "Evaluation", "GameEnv", "ParallelGameEnv", "PolicyBot", "Pool",
    "RolloutBot", "Rollouts", "SingleEnv", "Worlds", "aec", "batch", "best_response", "crossplay", "evaluate",
    "parallel", "single",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
