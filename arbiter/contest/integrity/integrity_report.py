"""The integrity report of a season: all questions, and the groups of programs that they connect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.contest.integrity.schema import FORMAT
from arbiter.store.audit import timestamp

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arbiter.contest.integrity.schema import CopyRow, Integrity, SimilarGroup, Twins
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore


def make_report(
    config: Config, stored: SeasonStore, against: Sequence[str], read: Callable[[], object]
) -> Integrity:
    """Report on the season's matches and sources, and those `against`; call `read` after each match."""
    # Imported here: showing a report needs neither numpy nor scipy.
    from arbiter.contest.integrity.similar_play import find_twins
    from arbiter.contest.integrity.similar_sources import find_copies
    from arbiter.contest.integrity.soft_play import find_soft_play

    last = stored.complete
    # First: a missing store is reported before minutes of reading.
    alike, compared = find_copies(stored, config, against)
    helping, met = find_soft_play(stored, config, last)
    deciding, asked = find_twins(stored, config, last, read)
    return {
        "format": FORMAT,
        "season": stored.name,
        "round": last,
        "made": timestamp(),
        "soft_play": helping,
        "twins": deciding,
        "copies": alike,
        "reach": {"soft_play": met, "twins": asked, "copies": compared},
        "groups": connected_groups(deciding, alike),
    }


def connected_groups(deciding: Sequence[Twins], alike: Sequence[CopyRow]) -> list[SimilarGroup]:
    """Return the connected components of the pairs of twins and copies, largest first."""
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
