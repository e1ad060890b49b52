"""Processes that start bots are used again."""

from tests.fixtures.warm_processes import warm_processes

__all__ = ["warm_processes"]
