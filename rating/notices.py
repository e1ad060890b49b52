"""Notices: what a reader of ratings must know before trusting them, by name and in plain words.

A notice is not an error. The numbers beside it are finite and may be shown; the notice says what they rest
on. Programs match on `name`, people read `text`.

| name | when |
|---|---|
| no-results | nothing has been played |
| idle | players without a single result |
| disconnected | groups that never met: differences between groups mean nothing |
| undefeated, winless | won (lost) every result: the rating rests on the prior |
| no-draws | drawelo fitted, yet no result is a draw |
| drawelo-held | drawelo fitted, yet the likelihood has no maximum: held |
| advantage-held | advantage fitted, yet the likelihood has no maximum: held |
| ratings-unbounded | without a prior some ratings are infinite: held by a ridge |
| draws-at-zero | drawelo 0 says that draws cannot happen, yet there are some |
| not-converged | rounding stays above 1e-6 Elo; needs extremes, such as a prior of 1e-6 and wins alone |
| rough-intervals | many players linked by long chains only: conjugate gradients stopped short |
| no-rounds, few-rounds, no-tables, few-tables, few-matches | intervals of another kind than asked for |
| few-rounds-of-player, few-tables-of-player, few-matches-of-player | some have fewer than 10 of their own |
| alike | some had the same results in each round (table, match) |
| joined-files | a byte order mark within a file was skipped |
| repeated-results | results that two files, or two parts of one, both hold as a whole |
| open-above, open-below | intervals that do not hold upwards (downwards): players who won (lost) everything |
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
    """The first few names, and how many more there are: `a, b and 3 more`."""
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"
