"""What a late reply's time was spent on, and the rule by which an appeal against it is decided."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from arbiter.match.clock import ClockKind
from arbiter.match.record import Fault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.match.clock import TimeControl
    from arbiter.match.record import MatchRecord

CHARGES = {
    ClockKind.ADJUSTED: ("not charged", "charged"),
    ClockKind.WALL: ("charged", "charged"),
    ClockKind.CPU: ("not charged", "not charged"),
}
"""By clock: whether time that a bot waits for a processor is charged, and time that it sleeps."""
MOST_COMPUTED = 0.9
"""The share of a charge from which on a bot computed for nearly all of it."""
SHORTEST_IDLE_NS = 1_000_000
"""Less time in which a bot neither computed nor waited is not compared with the machine's."""


class LateRule(Enum):
    """The rule of decision on a late reply: the first that fits; each is a condition and a decision."""

    COMPUTED = (
        "it computed for at least 90 % of the charge",
        (
            "the bot was slow, and the result stands; that it was only just late proves nothing, since the"
            " referee stops it at its limit"
        ),
    )
    IDLE = (
        (
            "for most of the charge it neither computed nor waited, and the hypervisor took less than half of"
            " that time"
        ),
        (
            "it slept, or its threads or processes waited for each other, for a file or for a lock: the bot's"
            " own time, and the result stands, even if the charge without the machine's time were just below"
            " the limit"
        ),
    )
    STILL_MORE = (
        "even without the machine's time the charge is still more than allowed",
        "the reply was late on any machine like this one, and the result stands",
    )
    NOT_MORE = (
        "without the machine's time the charge is not more than allowed",
        (
            "the machine may have caused it, and whether the bot would have answered in time is unknown: the"
            " match is played again"
        ),
    )

    def __init__(self, condition: str, decision: str) -> None:
        self.condition, self.decision = condition, decision


def first_rule(
    cpu_ns: int, idle_ns: int, charged_ns: int, taken_ns: int | None, allowed_ns: int | None
) -> LateRule | None:
    """Return the first rule that fits; None if it depends on `taken_ns` or `allowed_ns` and that is None.

    `idle_ns` is the time in which the bot neither computed nor waited, `taken_ns` what the hypervisor took.
    """
    if cpu_ns >= MOST_COMPUTED * charged_ns:
        return LateRule.COMPUTED
    if taken_ns is None:
        return None
    if 2 * idle_ns > charged_ns and 2 * taken_ns < idle_ns:
        return LateRule.IDLE
    if allowed_ns is None:
        return None
    return LateRule.STILL_MORE if charged_ns - taken_ns > allowed_ns else LateRule.NOT_MORE


def late_words(control: TimeControl, record: MatchRecord, times: Mapping[str, Any]) -> list[str]:
    """Return sentences on a late request of this seat: what its time was spent on, what the machine took,
    which rule fits; [] without one.
    """
    move = times["moves"][-1] if times["moves"] else {}
    if move.get("fault") != Fault.TIMEOUT or move["answer_ns"] is None:
        return []
    wall, cpu, waited, cost = (move[key] for key in ("wall_ns", "cpu_ns", "delay_ns", "answer_ns"))
    waits, sleeps = CHARGES[ClockKind(record.clock)]
    idle, taken = max(0, wall - waited - cpu), record.host.get("steal_ns")
    # With several commands in one request each has its own limit, and their number is not recorded.
    known = not (control.per_request and record.delivery == "batched")
    allowed = move["left_ns"] + cost * control.drains if known else None
    rule = first_rule(cpu, idle, cost, taken, allowed)
    found = [
        (
            f"In the late request the bot computed for {ms_text(cpu)}, waited for a busy processor for"
            f" {ms_text(waited)} ({waits}), and did neither for {ms_text(idle)} ({sleeps})"
            + (": then it slept, or waited for itself" if idle >= SHORTEST_IDLE_NS else "")
        ),
        "The referee stops a bot at its limit, so the times do not show how much more time it needed",
    ]
    if taken is None:
        found.append("Time that a hypervisor takes could be the bot's; it is not recorded")
    else:
        text = f"Time of the machine that could be the bot's: at most {ms_text(taken)}, in the whole match"
        if taken and idle >= SHORTEST_IDLE_NS:
            share = min(100, 100 * taken / idle)
            said = "less than 1" if share < 1 else f"{share:.0f}"
            text += f", {said} % of the time in which it did neither"
        if taken and rule not in (LateRule.COMPUTED, LateRule.IDLE):
            rest = ms_text(max(0, cost - taken))
            text += f". Even if all of it were deducted, the charge for this request would be {rest}"
            if allowed is not None:
                more = "still more" if rule is LateRule.STILL_MORE else "not more"
                text += f", {more} than the {ms_text(allowed)} allowed"
        found.append(text)
    if rule is None:
        missing = "hypervisor's time" if taken is None else "time allowed"
        return [*found, f"The rule of decision needs the {missing}, which is not recorded"]
    return [*found, f"The rule of decision that fits first: {rule.condition}. So {rule.decision}"]


def ms_text(ns: int) -> str:
    return f"{ns / 1e6:.2f} ms"
