"""A season's file: its keys, their places, what is wrong with them, what a change of them changes."""

from __future__ import annotations

from arbiter.config.season import Config, Entry, as_it_was, digest_of, game_of, load, within_reach

__all__ = ["Config", "Entry", "as_it_was", "digest_of", "game_of", "load", "within_reach"]
