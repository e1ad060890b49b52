"""The types of the names that `arbiter` imports at their first use."""

from arbiter import envs as envs
from arbiter import errors as errors
from arbiter import types as types
from arbiter.envs.each_against_each import crossplay as crossplay
from arbiter.envs.evaluation import evaluate as evaluate
from arbiter.errors import ArbiterError as ArbiterError
from arbiter.match.record import MatchRecord as MatchRecord
from arbiter.notebook import ShownReplay as ShownReplay
from arbiter.python.comparison import Comparison as Comparison
from arbiter.python.comparison import compare as compare
from arbiter.python.match_loop import PlayInterrupted as PlayInterrupted
from arbiter.python.match_results import MatchResults as MatchResults
from arbiter.python.match_results import load_results as load_results
from arbiter.python.playing import play as play
from arbiter.python.rating_fit import RatingFit as RatingFit
from arbiter.python.rating_fit import fit as fit
from arbiter.python.season_reader import SeasonReader as SeasonReader
from arbiter.python.season_reader import open_season as open_season
from arbiter.python.table_types import Contestant as Contestant

__version__: str
__all__ = [
    "ArbiterError", "Comparison", "Contestant", "MatchRecord", "MatchResults", "PlayInterrupted", "RatingFit",
    "SeasonReader", "ShownReplay", "compare", "crossplay", "evaluate", "fit", "load_results", "open_season",
    "play",
]  # fmt: skip
