"""What a season keeps: its seed, its rounds, every match, the ratings after each round."""

from __future__ import annotations

from arbiter.store.season import SeasonStore, StoredMatch, StoredRound
from arbiter.store.store import Store

__all__ = ["SeasonStore", "Store", "StoredMatch", "StoredRound"]
