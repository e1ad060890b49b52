"""The command `rating`."""

from rating.cli.commands import main

__all__ = ["main"]
