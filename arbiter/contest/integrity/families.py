"""Families: programs that questions of twins and copies connect, each family one group."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.contest.integrity.schema import CopyRow, SimilarGroup, Twins


def families(deciding: Sequence[Twins], alike: Sequence[CopyRow]) -> list[SimilarGroup]:
    """The connected components of the pairs of twins and copies, the largest first."""
    found: list[SimilarGroup] = []
    pairs = [("twins", number, set(row["players"])) for number, row in enumerate(deciding)]
    pairs += [
        ("copies", number, {side["key"] for side in row["players"]}) for number, row in enumerate(alike)
    ]
    for kind, number, names in pairs:
        joined: SimilarGroup = {"members": [], "twins": [], "copies": []}
        for family in [one for one in found if names & set(one["members"])]:
            found.remove(family)
            joined["twins"] += family["twins"]
            joined["copies"] += family["copies"]
            names |= set(family["members"])
        joined[kind].append(number)  # type: ignore[literal-required]
        found.append({**joined, "members": sorted(names)})
    for family in found:
        family["twins"].sort()
        family["copies"].sort()
    return sorted(found, key=lambda one: (-len(one["members"]), one["members"]))
