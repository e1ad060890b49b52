"""The types of rows, tables and parameters, for annotations.

    from arbiter.types import MatchRow, PolicyLike
    lost: list[MatchRow] = [match for match in season.matches() if match["fault"]]

Each is imported at its first use, as some need the extra `envs`; type checkers read `types.pyi`.
"""

from __future__ import annotations

_NAMES = {
    "arbiter.envs.each_against_each": "Crossplay CrossplayTable Encounter",
    "arbiter.envs.evaluation": "Evaluation LadderTable Rung",
    "arbiter.envs.opponents": "OpponentLike",
    "arbiter.games.game": "AnyGame",
    "arbiter.match.follower": "PolicyLike",
    "arbiter.match.notes": "Note",
    "arbiter.match.record": "BotReport Forfeit MatchSummary Move",
    "arbiter.match.spec": "Limits",
    "arbiter.python.rating_fit": "Rateable",
    "arbiter.python.table_types": "DataFrame LosTable PlayerTotals RatingTable SeatTable",
    "arbiter.season.administration": "RankChange",
    "arbiter.season.snapshot.match_schema": "MatchFault MatchRow MatchRun ModelOfMatch Rejudging",
    "arbiter.season.snapshot.schema": (
        "Cell Crosstable FavourRow FirstPlace History ModelSums Next Progress Rated RoundRatings Row "
        "SeasonCosts SeasonGame Standings Status VoidPlays"
    ),
    "arbiter.table.match_progress": "ProgressLike",
    "arbiter.trials.regression.figures": "Membership StopRule TrialFigures",
    "arbiter.trials.regression.trial_state": "VerdictOfTrial",
    "rating": "Rating",
    "rating.fit.kinds": "Kind",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    import sys
    from importlib import import_module

    if name not in _HOMES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message, name=name, obj=sys.modules[__name__])
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return [*__all__]
