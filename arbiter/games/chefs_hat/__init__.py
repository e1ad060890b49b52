"""Chef's Hat: the game by the rule book and by the published environment, its rows and its score sheet."""

from arbiter.games.chefs_hat.game import ChefsHat

__all__ = ["ChefsHat"]
