"""A bot's regression suite: named checks of one bot, under the rules and limits of a tournament."""

from __future__ import annotations

from arbiter.suite.checks import Made, run_checks
from arbiter.suite.suite_file import Check, Suite, load_suite

__all__ = ["Check", "Made", "Suite", "load_suite", "run_checks"]
