"""Notices: named caveats on ratings, with a text for people.

A notice is not an error: the numbers are finite and may be shown. Programs match on `name`, people read
`text`.

| name | when |
|---|---|
| no-results | no result yet |
| idle | players without results |
| disconnected | groups that never met: differences between groups have no meaning |
| undefeated, winless | won (lost) every result: only the prior bounds the rating |
| no-draws | drawelo fitted, but no result is a draw |
| drawelo-held | drawelo fitted, but the likelihood has no maximum: fixed |
| advantage-held | advantage fitted, but the likelihood has no maximum: fixed |
| ratings-unbounded | without a prior some ratings are infinite: bounded by a ridge |
| draws-at-zero | drawelo 0 makes draws impossible, but there are some |
| not-converged | rounding stays above 1e-6 Elo, in extremes such as a prior of 1e-6 and only wins |
| rough-intervals | only long chains link many players: conjugate gradients did not converge |
| no-rounds, few-rounds, no-tables, few-tables, few-matches | intervals of another kind than requested |
| few-rounds-of-player, few-tables-of-player, few-matches-of-player | some players have fewer than 10 |
| alike | some players had the same results in each round (table, match) |
| joined-files | a byte order mark within a file was skipped |
| repeated-results | two files, or two parts of one, both contain the same results |
| open-above, open-below | intervals too short upwards (downwards): players that won (lost) everything |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Notice:
    """`name` for programs (stable, lower case with hyphens), `text` for people (one line)."""

    name: str
    text: str

    def __str__(self) -> str:
        return self.text


def name_some(names: Sequence[str], most: int = 5) -> str:
    """Return the first few names and the number of others: `a, b and 3 more`."""
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"
