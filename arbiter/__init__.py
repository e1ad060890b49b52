"""A referee and tournament runner for card-game bots.

    import arbiter
    results = arbiter.play(game, [policy, "./bot", "greedy", "random"], matches=40, seed=1)
    print(arbiter.fit(results))

`__all__` are the documented names; each is imported at its first use, and their types are in `__init__.pyi`.
"""

from __future__ import annotations

__version__ = "0.1.0"

_HOMES = {
    "play": "python.playing",
    "PlayInterrupted": "python.match_loop",
    "Contestant": "python.table_types",
    "MatchResults": "python.match_results",
    "load_results": "python.match_results",
    "fit": "python.rating_fit",
    "RatingFit": "python.rating_fit",
    "compare": "python.comparison",
    "Comparison": "python.comparison",
    "evaluate": "envs.evaluation",
    "crossplay": "envs.each_against_each",
    "open_season": "python.season_reader",
    "SeasonReader": "python.season_reader",
    "MatchRecord": "match.record",
    "ShownReplay": "notebook",
    "ArbiterError": "errors",
}
_MODULES = ("envs", "errors", "types")
__all__ = [*_HOMES]


def __getattr__(name: str) -> object:
    # Imported here: every command imports this package.
    import sys
    from importlib import import_module

    if name not in (*_HOMES, *_MODULES):
        message = f"module {__name__!r} has no attribute {name!r}"
        # Python looks there for what was meant.
        raise AttributeError(message, name=name, obj=sys.modules[__name__])
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*_HOMES, "__version__", "__doc__", "__file__", "__name__", "__path__", "__all__"])
