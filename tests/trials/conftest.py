"""A store for a season; processes that start bots are used again."""

from tests.fixtures.warm_processes import warm_processes
from tests.season.conftest import store

__all__ = ["store", "warm_processes"]
