"""A referee and tournament runner for card-game bots."""

__version__ = "0.1.0"
