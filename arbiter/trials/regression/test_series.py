"""Regression tests that share one level: of a night of idle changes at most alpha end in a false `better`.

The tests of a family are numbered as they begin, in a ledger in the store that gives a number once, whoever
begins at the same time. The k-th has a level of its own,

    alpha_k = alpha (1 / sqrt(k) - 1 / sqrt(k + 1)),

and all of them together have alpha, however many there are and however they depend on each other (the union
bound: the levels add up to alpha). A test begun keeps its number, in the ledger and with its settings, so it
goes on at the same level after an interruption. Of its candidate being better it takes evidence of 1 /
alpha_k (`rating.evidence`), which costs about ln(1 / alpha_k) / ln(1 / alpha) times the matches where it is.

Source: alpha-spending as a sequence of levels of which the sum is fixed: Foster and Stine, Alpha-investing
(JRSS B 70, 2008), of which this is the part that earns nothing back, and so bounds the probability of any
false `better`, not only their share.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from arbiter.errors import StoreError
from arbiter.season.settings import FAMILY
from arbiter.trials.regression.experiment import stop_rule

if TYPE_CHECKING:
    from arbiter.store import SeasonStore, Store
    from arbiter.trials.regression.experiment import Experiment


def level_of(number: int, alpha: float) -> float:
    """The level of a family's test with this number, from 1 on; all levels add up to `alpha`."""
    root, next_root = math.sqrt(number), math.sqrt(number + 1.0)
    # The difference of the two reciprocals, without losing digits.
    return alpha / (root * next_root * (root + next_root))


def enrol(experiment: Experiment, store: Store) -> Experiment:
    """The experiment at the level of its family, where it has one, numbered in the family's ledger."""
    family = experiment.settings.get("family")
    if family is None or "of_family" in experiment.settings:
        return experiment
    number = _number_in(_ledger(family, experiment.game.name, store), experiment.name)
    level = level_of(number, experiment.settings["alpha"])
    settings = {**experiment.settings, "of_family": {"number": number, "alpha": level}}
    test = stop_rule(experiment.game, settings, bool(experiment.field), experiment.test.most_blocks)
    return replace(experiment, test=test, settings=settings)


def _ledger(family: str, game: str, store: Store) -> SeasonStore:
    name = f"{FAMILY}{family}"
    while (ledger := store.season(name)) is None:
        # Another runner may make it at the same time.
        with suppress(StoreError):
            store.make_season(name, game, "")
    return ledger


def _number_in(ledger: SeasonStore, test: str) -> int:
    """The number of a test in the ledger, the next one if it has none yet."""
    for number in count(1):
        # What is kept stays as it is: of two who want a number, one gets it.
        ledger.keep_settings(str(number), {"test": test})
        if (ledger.settings(str(number)) or {}).get("test") == test:
            return number
    raise AssertionError
