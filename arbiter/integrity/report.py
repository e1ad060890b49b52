"""All questions about the players of a season, as one report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.integrity.copies import copies
from arbiter.integrity.families import families
from arbiter.integrity.shapes import FORMAT
from arbiter.integrity.soft_play import soft_play
from arbiter.integrity.twins import twins
from arbiter.store.audit import moment

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arbiter.config import Config
    from arbiter.integrity.shapes import Integrity
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
