"""A store for a season."""

from tests.season.conftest import store

__all__ = ["store"]
