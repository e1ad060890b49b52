"""Dou Dizhu: the game, its table of combinations, and the moves that a hand has."""

from arbiter.games.dou_dizhu.game import DouDizhu

__all__ = ["DouDizhu"]
