"""Regression tests that share one significance level: the probability of any false `better` is at most alpha.

The tests of a family are numbered as they begin, in a ledger in the store that gives each number once, even
to concurrent processes. The k-th has the level

    alpha_k = alpha (1 / sqrt(k) - 1 / sqrt(k + 1)),

and all of them together have alpha, however many they are and however they depend on each other (the union
bound: the levels add up to alpha). A test keeps its number, in the ledger and in its settings, so it
continues at the same level after an interruption. `better` needs evidence of 1 / alpha_k (`rating.evidence`);
if the candidate is better, this takes about ln(1 / alpha_k) / ln(1 / alpha) times the matches.

Source: alpha-spending by a sequence of levels with a fixed sum: Foster and Stine, Alpha-investing (JRSS B 70,
2008), without the part that earns alpha back; it so bounds the probability of any false `better`, not only
their share.
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
    """Return the level of a family's test by its number, from 1 on; all levels add up to `alpha`."""
    root, next_root = math.sqrt(number), math.sqrt(number + 1.0)
    # The difference of the two reciprocals without cancellation.
    return alpha / (root * next_root * (root + next_root))


def assign_level(experiment: Experiment, store: Store) -> Experiment:
    """Store the experiment's number in the ledger of its family, if it has one; return it at its level."""
    family = experiment.settings.get("family")
    if family is None or "of_family" in experiment.settings:
        return experiment
    number = _assign_number(_open_ledger(family, experiment.game.name, store), experiment.name)
    level = level_of(number, experiment.settings["alpha"])
    settings = {**experiment.settings, "of_family": {"number": number, "alpha": level}}
    test = stop_rule(experiment.game, settings, bool(experiment.field), experiment.test.most_blocks)
    return replace(experiment, test=test, settings=settings)


def _open_ledger(family: str, game: str, store: Store) -> SeasonStore:
    """Find a family's ledger in the store, or create it."""
    name = f"{FAMILY}{family}"
    while (ledger := store.season(name)) is None:
        # Another process may create it at the same time.
        with suppress(StoreError):
            store.make_season(name, game, "")
    return ledger


def _assign_number(ledger: SeasonStore, test: str) -> int:
    """Find a test's number in the ledger, or store the test under the next one."""
    for number in count(1):
        # Kept settings are never overwritten: of two concurrent tests one gets the number.
        ledger.keep_settings(str(number), {"test": test})
        if (ledger.settings(str(number)) or {}).get("test") == test:
            return number
    raise AssertionError
