"""A table of real processes, and small bots that misbehave in one way each."""

from tests.fixtures.bot_template import bot, table

__all__ = ["bot", "table"]
