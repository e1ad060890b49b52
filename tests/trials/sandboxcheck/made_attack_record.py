"""Records of attacks as JSON has them, without an attack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arbiter.trials.sandboxcheck.attack_record import record, row
from arbiter.trials.sandboxcheck.attack_suite import AttackResult
from arbiter.trials.sandboxcheck.covert_channels import ELSEWHERE
from arbiter.trials.sandboxcheck.expectations import Attack, Promise

if TYPE_CHECKING:
    from arbiter.trials.sandboxcheck.attack_record import AttackRecord

STAGE: dict[str, Any] = {"system": "in memory"}
SPAWN = Attack(
    "spawn",
    "starts a child",
    "match",
    (Promise("", {"plain": "goes on", "landlock": "crash: PermissionError"}),),
)
LOOK = Attack(
    "look",
    "looks around",
    "attempts",
    (
        Promise("list a folder", {"plain": "allowed", "landlock": "ENOENT or EACCES"}),
        Promise("its own time", {"plain": "allowed", "landlock": "allowed"}),
    ),
)


def made_record(*results: AttackResult) -> AttackRecord:
    """The record of some results; without any, of two attacks under both tiers that came to what is promised."""
    usual = (
        AttackResult(SPAWN, "landlock", {"": "crash: it said PermissionError"}, isolation=STAGE),
        AttackResult(
            LOOK, "landlock", {"list a folder": "EACCES", "its own time": "allowed"}, isolation=STAGE
        ),
        AttackResult(SPAWN, "plain", {"": "goes on"}),
        AttackResult(LOOK, "plain", {"list a folder": "allowed", "its own time": "allowed"}),
    )
    return record([row(one) for one in results or usual], ELSEWHERE)
