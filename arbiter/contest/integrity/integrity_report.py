"""All questions about the players of a season as one report, and the groups of those that they connect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.contest.integrity.schema import FORMAT
from arbiter.store.audit import moment

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arbiter.contest.integrity.schema import CopyRow, Integrity, SimilarGroup, Twins
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore


def ask(config: Config, stored: SeasonStore, against: Sequence[str], read: Callable[[], object]) -> Integrity:
    """Make the report; sources are compared with those of the stores `against`, too. `read` is called after
    each match.
    """
    # A site that shows a report does without numpy and scipy.
    from arbiter.contest.integrity.similar_play import twins
    from arbiter.contest.integrity.similar_sources import copies
    from arbiter.contest.integrity.soft_play import soft_play

    last = stored.complete
    # First: a store that is missing is reported before minutes of reading.
    alike, compared = copies(stored, config, against)
    helping, met = soft_play(stored, config, last)
    deciding, asked = twins(stored, config, last, read)
    return {
        "format": FORMAT,
        "season": stored.name,
        "round": last,
        "made": moment(),
        "soft_play": helping,
        "twins": deciding,
        "copies": alike,
        "reach": {"soft_play": met, "twins": asked, "copies": compared},
        "groups": families(deciding, alike),
    }


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
