"""Find the harm that an attack did.

An attack did no harm if its match ended within its time plus 50 ms, kill included, no process is left, the
referee's memory has grown by less than two longest outputs, and the other bots and a process beside the table
are unchanged.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from arbiter.match.clock import TimeControl
from arbiter.match.protocol import OUTPUT_LIMIT
from arbiter.trials.sandboxcheck.attack_folder import SHORT

MatchReport: TypeAlias = "dict[str, Any]"
"""The worker's report of a match."""
MS = 1_000_000
LONG, GRACE_NS = "2s", 50 * MS
"""Time enough for a match not to time out on a busy machine; and the tolerance."""
MOST_GROWTH_BYTES, MOST_KEPT_BYTES = 2 * OUTPUT_LIMIT, 6200
"""The referee holds one output up to its limit."""
REPORT = re.compile(r"nice (-?\d+), cores (\d+), descriptors \d+\n")


def time_of(expected: str) -> str:
    """Return the time limit of a match with this expected end: short for a timeout."""
    return SHORT if "timeout" in expected else LONG


def most_ns(expected: str) -> int:
    """Return the maximum of an attacker's charged time plus the time to kill it."""
    return TimeControl.parse(time_of(expected)).budget_ns + GRACE_NS


def charged_and_kill_ns(told: MatchReport) -> int:
    """Return the attacker's charged time plus the time to kill it."""
    bot = told["record"]["bots"][1]
    waited_ns = told["kill_ns"] if "did not end on quit" not in bot["notes"] else 0
    return int(bot["charged_ns"] + waited_ns)


def harm_of(told: MatchReport, expected: str) -> str:
    """Return the harm: another's forfeit, time held, output kept, or `harm_to_others`; "" for none."""
    if told["void"] is not None:
        return _left_text(told)
    record = told["record"]
    forfeit = record["forfeit"]
    if forfeit is not None and forfeit["player"] != "attacker":
        return f"another bot forfeits: {forfeit['detail']}"
    if (taken := charged_and_kill_ns(told)) > most_ns(expected):
        return f"it held the table for {taken / 1e9:.2f} s of the {most_ns(expected) / 1e9:.2f} that it may"
    bot = record["bots"][1]
    if (kept := len((bot.get("stderr_head", "") + bot["stderr_tail"]).encode())) > MOST_KEPT_BYTES:
        return f"{kept} bytes of its standard error are kept"
    return harm_to_others(told)


def harm_to_others(told: MatchReport) -> str:
    """Return the harm to the other bots or the referee: processes left, memory, exits; "" for none."""
    if left := _left_text(told):
        return left
    if (grown := told["growth_bytes"]) >= MOST_GROWTH_BYTES:
        return f"the referee's memory has grown by {grown} bytes"
    for seat in (0, 2, 3):
        report = told["record"]["bots"][seat]
        if report["exit"] not in (None, 0):
            return f"the bot in seat {seat} ended with status {report['exit']}"
        said = REPORT.fullmatch(report["stderr_tail"])
        # A confined bot always sees the nice value 0.
        if said is not None and int(said[1]) not in (0, told["bystander_before"]["nice"]):
            return f"the bot in seat {seat} got the nice value {said[1]}"
    return ""


def _left_text(told: MatchReport) -> str:
    return f"{len(told['left'])} processes are left" if told["left"] else ""


def change_of(told: MatchReport) -> str:
    """Return what the attack changed of a process of the same user beside the table, "" for nothing."""
    before, after = told["bystander_before"], told["bystander"]
    changed = [what for what in ("nice", "policy", "cores", "descriptors") if after[what] != before[what]]
    if after["state"] != "S":
        changed.append("state")
    return f"changed a process of the same user: {', '.join(changed)}" if changed else ""
