"""Ratings from pairwise results, with intervals that hold, and what follows from them.

Nothing heavy is loaded by `import rating`: names are fetched from their modules when first used. Functions
that are called as their module is (`rating.bayeselo.bayeselo`, `rating.intervals.intervals`) are imported
from there, since one name cannot be both.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rating.bayeselo import Fit
    from rating.crosstable import Pairs, PairTable
    from rating.errors import OptionError, Problem, RatingError, ReadError, ResultError
    from rating.intervals import Intervals, rating_covariance
    from rating.matches import Match
    from rating.multiplayer import Skill, openskill, trueskill
    from rating.notices import Notice
    from rating.pairing import next_round, rule_of_round
    from rating.presets import PRESETS, Preset
    from rating.ratings import Ranking, Rating, rank, rate
    from rating.reading import Reading, read_results
    from rating.sequential import Gsprt, Run

__all__ = [
    "PRESETS",
    "Fit",
    "Gsprt",
    "Intervals",
    "Match",
    "Notice",
    "OptionError",
    "PairTable",
    "Pairs",
    "Preset",
    "Problem",
    "Ranking",
    "Rating",
    "RatingError",
    "ReadError",
    "Reading",
    "ResultError",
    "Run",
    "Skill",
    "next_round",
    "openskill",
    "rank",
    "rate",
    "rating_covariance",
    "read_results",
    "rule_of_round",
    "trueskill",
]

_MODULES = {
    "bayeselo": ("Fit",),
    "crosstable": ("PairTable", "Pairs"),
    "errors": ("OptionError", "Problem", "RatingError", "ReadError", "ResultError"),
    "intervals": ("Intervals", "rating_covariance"),
    "matches": ("Match",),
    "multiplayer": ("Skill", "openskill", "trueskill"),
    "notices": ("Notice",),
    "pairing": ("next_round", "rule_of_round"),
    "presets": ("PRESETS", "Preset"),
    "ratings": ("Ranking", "Rating", "rank", "rate"),
    "reading": ("Reading", "read_results"),
    "sequential": ("Gsprt", "Run"),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'rating' has no attribute {name!r}")
    value = getattr(import_module(f"rating.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
