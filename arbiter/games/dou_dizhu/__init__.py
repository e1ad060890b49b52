"""Dou Dizhu: the game, its table of combinations, and the legal moves of a hand."""

from arbiter.games.dou_dizhu.game import DouDizhu

__all__ = ["DouDizhu"]
