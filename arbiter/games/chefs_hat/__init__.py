"""Chef's Hat by the rule book and as the published environment plays it, and its rows of data sets."""

from arbiter.games.chefs_hat.game import ChefsHat

__all__ = ["ChefsHat"]
