"""Whether an attack harmed anybody.

In every match it is over within its time and 50 ms, kill included, no process is left, the referee has not
grown, and who sits at the table or runs beside it is as before.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from arbiter.match.clock import TimeControl
from arbiter.trials.sandboxcheck.attack_folder import SHORT

Told: TypeAlias = "dict[str, Any]"
"""What the worker tells of a match."""
MS = 1_000_000
LONG, GRACE_NS = "2s", 50 * MS
"""The time of a match that does not end by it, however busy the machine is; and what there is beyond."""
MOST_GROWTH_BYTES, MOST_TAIL_BYTES = 1_000_000, 4096
REPORT = re.compile(r"nice (-?\d+), cores (\d+), descriptors \d+\n")


def time_of(expected: str) -> str:
    """The time of a match that ends like this."""
    return SHORT if "timeout" in expected else LONG


def most_ns(expected: str) -> int:
    """What an attacker may be charged, and what it may take to be rid of it."""
    return TimeControl.parse(time_of(expected)).budget_ns + GRACE_NS


def taken_ns(told: Told) -> int:
    """What the attacker was charged, and how long it took to be rid of it."""
    bot = told["record"]["bots"][1]
    waited_ns = told["kill_ns"] if "did not end on quit" not in bot["notes"] else 0
    return int(bot["charged_ns"] + waited_ns)


def harm_of(told: Told, expected: str) -> str:
    """What the attack did to others, or took of their time."""
    if told["void"] is not None:
        return _left(told)
    record = told["record"]
    forfeit = record["forfeit"]
    if forfeit is not None and forfeit["player"] != "attacker":
        return f"another one forfeits: {forfeit['detail']}"
    if (taken := taken_ns(told)) > most_ns(expected):
        return f"it held the table for {taken / 1e9:.2f} s of the {most_ns(expected) / 1e9:.2f} that it may"
    if (kept := len(record["bots"][1]["stderr_tail"].encode())) > MOST_TAIL_BYTES:
        return f"{kept} bytes of its standard error are kept"
    return harm_to_others(told)


def harm_to_others(told: Told) -> str:
    if left := _left(told):
        return left
    if (grown := told["growth_bytes"]) >= MOST_GROWTH_BYTES:
        return f"the referee's memory has grown by {grown} bytes"
    for seat in (0, 2, 3):
        report = told["record"]["bots"][seat]
        if report["exit"] not in (None, 0):
            return f"the bot in seat {seat} ended with status {report['exit']}"
        said = REPORT.fullmatch(report["stderr_tail"])
        # Who is confined is told that it is not nice.
        if said is not None and int(said[1]) not in (0, told["bystander_before"]["nice"]):
            return f"the bot in seat {seat} was made nice: {said[1]}"
    return ""


def _left(told: Told) -> str:
    return f"{len(told['left'])} processes are left" if told["left"] else ""


def change_of(told: Told) -> str:
    """What was changed of a process of the same user that sits at no table."""
    before, after = told["bystander_before"], told["bystander"]
    changed = [what for what in ("nice", "policy", "cores", "descriptors") if after[what] != before[what]]
    if after["state"] != "S":
        changed.append("state")
    return f"of a process of the same user was changed: {', '.join(changed)}" if changed else ""
