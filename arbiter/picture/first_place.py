"""Who stands first, and how sure it is.

The rule: of those who rank officially, neither house bots nor withdrawn, the highest rating after the last
complete round; equals share the place. Nothing else breaks a tie, as nothing else says who is better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.picture.marks import elo_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arbiter.picture.shapes import FirstPlace, Rated

RULE = "rating"
APART = 0.975
"""Probability of being better from which two players are told apart."""


def first_place(
    rows: Sequence[Rated], over: bool, better: Callable[[str, str], float] | None
) -> FirstPlace | None:
    """The first place of ranked rows as JSON values; None before anybody is rated.

    `better` is the probability that one is better than another, None where it is not known. `players` share
    the place; `next` is the best of those behind, `lead` in Elo; `apart` says whether the two are told apart.
    """
    rated = [row for row in rows if row["rank"] is not None and row["elo"] is not None]
    if not rated:
        return None
    first = [row for row in rated if row["rank"] == rated[0]["rank"]]
    behind = rated[len(first)] if len(rated) > len(first) else None
    alone = len(first) == 1 and behind is not None
    chance = better(first[0]["player"], behind["player"]) if alone and behind and better else None
    return {
        "rule": RULE,
        "over": over,
        "players": [row["player"] for row in first],
        "next": None if behind is None else behind["player"],
        "lead": None if behind is None else elo_of(first[0]) - elo_of(behind),
        "better": chance,
        "apart": None if chance is None else chance >= APART,
    }


def in_words(first: FirstPlace) -> str:
    """The first place in one line."""
    names, over = first["players"], first["over"]
    if len(names) > 1:
        return f"{', '.join(names[:-1])} and {names[-1]} share the first place: their ratings are equal"
    said = f"{names[0]} {'wins' if over else 'leads'} by rating"
    if first["next"] is not None:
        said += f", {first['lead']:.0f} Elo ahead of {first['next']}"
    if first["better"] is not None:
        said += "" if first["apart"] else "; the two are not told apart"
        said += f" (better with a probability of {min(first['better'], 0.999):.1%})"
    return said
