"""What a season keeps: its seed, its rounds, every match, the ratings after each round."""

from __future__ import annotations

from arbiter.store.store import SeasonStore, Store

__all__ = ["SeasonStore", "Store"]
