"""The moments of a match worth a look: who took the lead when, and its best, worst and closest deals.

moments(["ada", "grace"], [Ended(41, 0, (3, 1)), Ended(90, 1, (0, 4))])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from arbiter.replay.frame import said_names, signed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.replay.schema import ReplayMark


class Ended(NamedTuple):
    """A deal that is over: the event, its number from 0, its points by seat."""

    i: int
    deal: int
    points: Sequence[int]


def moments(players: Sequence[str], ended: Sequence[Ended]) -> list[ReplayMark]:
    """Places of a match with their kinds: ``lead``, ``best``, ``worst`` and ``closest``.

    A deal is the best, worst or closest one where it is the only one; deals that are all alike have none.
    """
    names = said_names(players)
    found = _leads(names, ended)

    def of(one: Ended, value: int) -> str:
        who = [name for name, won in zip(names, one.points, strict=True) if won == value]
        return (
            f"{' and '.join(who)} {signed(one.points)[list(one.points).index(value)]} in deal {one.deal + 1}"
        )

    # Above or below the mean of a deal, times the seats.
    best = _only(ended, [len(one.points) * max(one.points) - sum(one.points) for one in ended])
    worst = _only(ended, [sum(one.points) - len(one.points) * min(one.points) for one in ended])
    closest = _only(ended, [min(one.points) - max(one.points) for one in ended])
    if best is not None:
        found.append({"i": best.i, "kind": "best", "text": f"best deal: {of(best, max(best.points))}"})
    if worst is not None:
        found.append({"i": worst.i, "kind": "worst", "text": f"worst deal: {of(worst, min(worst.points))}"})
    if closest is not None:
        text = f"closest deal: {' : '.join(signed(closest.points))} in deal {closest.deal + 1}"
        found.append({"i": closest.i, "kind": "closest", "text": text})
    return found


def _leads(names: Sequence[str], ended: Sequence[Ended]) -> list[ReplayMark]:
    """Where others lead than before; a tie changes nothing, and who leads first takes it from nobody."""
    found: list[ReplayMark] = []
    totals = [0] * len(names)
    leading: list[int] = []
    for one in ended:
        totals = [total + won for total, won in zip(totals, one.points, strict=True)]
        now = [seat for seat, total in enumerate(totals) if total == max(totals)]
        if leading and not set(now) & set(leading):
            who = " and ".join(names[seat] for seat in now)
            text = f"{who} {'takes' if len(now) == 1 else 'take'} the lead in deal {one.deal + 1}"
            found.append({"i": one.i, "kind": "lead", "text": text})
            leading = now
        leading = leading or (now if len(now) < len(names) else [])
    return found


def _only(ended: Sequence[Ended], values: Sequence[int]) -> Ended | None:
    """The deal with the greatest value, where there are others and it alone has it."""
    most = max(values, default=0)
    return ended[values.index(most)] if len(ended) > 1 and values.count(most) == 1 else None
