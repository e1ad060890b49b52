"""All questions about the players of a season, as one report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.contest.integrity.families import families
from arbiter.contest.integrity.schema import FORMAT
from arbiter.contest.integrity.similar_play import twins
from arbiter.contest.integrity.similar_sources import copies
from arbiter.contest.integrity.soft_play import soft_play
from arbiter.store.audit import moment

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arbiter.contest.integrity.schema import Integrity
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore


def ask(config: Config, stored: SeasonStore, against: Sequence[str], read: Callable[[], object]) -> Integrity:
    """Make the report; sources are compared with those of the stores `against`, too. `read` is called after
    each match.
    """
    last = stored.complete
    # First: of a store that is not there an organiser hears before minutes of reading.
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
