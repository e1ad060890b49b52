"""Ratings from pairwise results with reliable intervals, and tests and pairings based on them.

`import rating` loads nothing heavy: names are imported from their modules at first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rating.choose import Choice
    from rating.crosstable import Pairs, PairTable
    from rating.descent import Descent, Tunable
    from rating.equilibrium import Nash, nash
    from rating.errors import MalformedGame, OptionError, RatingError, ReadError, ResultError
    from rating.favours import Favour, Favours, Sitting
    from rating.fit.anchored import Anchored, rate_one, scaled
    from rating.fit.bayeselo import Fit, bayeselo
    from rating.fit.intervals import Intervals, intervals, rating_covariance
    from rating.likeness import GivenAnswer, Likeness
    from rating.matches import Match
    from rating.multiplayer import Skill, openskill, trueskill
    from rating.notices import Notice
    from rating.packed_ranking import pack_ranking, unpack_ranking
    from rating.pairing.rounds import next_round
    from rating.pairing.rules import rule_of_round
    from rating.presets import PRESETS, Preset
    from rating.ratings import Ranking, Rating, rank, rate
    from rating.reading.files import Reading, read_results
    from rating.sequential.gsprt import Gsprt
    from rating.sequential.runs import Run
    from rating.simulation import simulate

__all__ = [
    "PRESETS",
    "Anchored",
    "Choice",
    "Descent",
    "Favour",
    "Favours",
    "Fit",
    "GivenAnswer",
    "Gsprt",
    "Intervals",
    "Likeness",
    "MalformedGame",
    "Match",
    "Nash",
    "Notice",
    "OptionError",
    "PairTable",
    "Pairs",
    "Preset",
    "Ranking",
    "Rating",
    "RatingError",
    "ReadError",
    "Reading",
    "ResultError",
    "Run",
    "Sitting",
    "Skill",
    "Tunable",
    "bayeselo",
    "intervals",
    "nash",
    "next_round",
    "openskill",
    "pack_ranking",
    "rank",
    "rate",
    "rate_one",
    "rating_covariance",
    "read_results",
    "rule_of_round",
    "scaled",
    "simulate",
    "trueskill",
    "unpack_ranking",
]

_MODULES = {
    "choose": ("Choice",),
    "crosstable": ("PairTable", "Pairs"),
    "descent": ("Descent", "Tunable"),
    "errors": ("OptionError", "MalformedGame", "RatingError", "ReadError", "ResultError"),
    "favours": ("Favour", "Favours", "Sitting"),
    "fit.anchored": ("Anchored", "rate_one", "scaled"),
    "fit.bayeselo": ("Fit", "bayeselo"),
    "fit.intervals": ("Intervals", "intervals", "rating_covariance"),
    "packed_ranking": ("pack_ranking", "unpack_ranking"),
    "likeness": ("GivenAnswer", "Likeness"),
    "matches": ("Match",),
    "multiplayer": ("Skill", "openskill", "trueskill"),
    "equilibrium": ("Nash", "nash"),
    "notices": ("Notice",),
    "pairing.rounds": ("next_round",),
    "pairing.rules": ("rule_of_round",),
    "presets": ("PRESETS", "Preset"),
    "ratings": ("Ranking", "Rating", "rank", "rate"),
    "reading.files": ("Reading", "read_results"),
    "sequential.gsprt": ("Gsprt",),
    "sequential.runs": ("Run",),
    "simulation": ("simulate",),
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
