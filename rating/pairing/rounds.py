"""The pairing of the next round.

    table = PairTable.from_matches(matches, players=names)
    tables = next_round(table, names, rule="variance", seed=f"{season}|{round}")

A round follows only from the ratings (rounded to 1e-6 Elo), the results, the list of players and the seed:
neither the order of the list nor the path to the fit matters. Only `random` uses the seed.
`rating.pairing.rules` lists the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rating.arrays import Floats
from rating.crosstable import PairTable
from rating.errors import OptionError
from rating.fit.bayeselo import Fit, bayeselo
from rating.pairing.field import Field, field_of
from rating.pairing.greedy import by_swiss, by_variance, by_variance_in_turn
from rating.pairing.partition import Gain, divide
from rating.pairing.rules import RULES, Rule
from rating.seeded_shuffle import Seed, shuffle
from rating.threads import one_thread


def next_round(
    results: Fit | PairTable,
    players: Sequence[str] | None = None,
    *,
    rule: Rule = "variance",
    size: int = 4,
    seed: Seed = 0,
    games: int | None = None,
    weights: Mapping[str, float] | None = None,
) -> list[list[str]]:
    """Return the tables of the next round, `size` names each.

    `results` is a fit, or a table, which is fitted with defaults; `players` are those in the round (default:
    all of the table), new ones included; a repeated name means copies of one player, which have no results
    with each other. `games` is the number of games of each pairing: by default one under `variance`, and
    `size`, one per rotation, under the other rules. `weights` (only `a-optimal`, default 1) are the weights
    of the players' variances. Raises OptionError for an unknown rule, for players that do not fill the
    tables, and for values out of range.
    """
    table = results.table if isinstance(results, Fit) else results
    names = list(table.players if players is None else players)
    if games is None:
        games = 1 if rule == "variance" else size
    _check_arguments(rule, names, size, games, weights)
    if rule == "random":
        # Sorted, so that the draw does not depend on the order of the list.
        drawn = shuffle(sorted(names), seed)
        return [drawn[start : start + size] for start in range(0, len(drawn), size)]
    with one_thread():
        fit = results if isinstance(results, Fit) else bayeselo(results)
        field = field_of(fit, names)
        return [[field.names[k] for k in ranks] for ranks in _form_tables(field, rule, size, games, weights)]


def _form_tables(
    field: Field, rule: Rule, size: int, games: int, weights: Mapping[str, float] | None
) -> Sequence[Sequence[int]]:
    if rule == "variance":
        return by_variance(field, size, games)
    if rule == "variance-sequential":
        return by_variance_in_turn(field, size, games)
    if rule == "swiss":
        return by_swiss(field, size)
    share: Floats | None = None
    if weights is not None:
        share = np.array([weights.get(name, 1.0) for name in field.names])
    ranks: list[list[int]] = divide(Gain(field, rule, size, games, share), size).tolist()
    return ranks


def _check_arguments(
    rule: str, names: Sequence[str], size: int, games: int, weights: Mapping[str, float] | None
) -> None:
    """Raise OptionError for an unknown rule, unfilled tables, and values out of range."""
    if rule not in RULES:
        raise OptionError(f"rule {rule!r}: give one of {', '.join(RULES)}")
    if size < 2:
        raise OptionError(f"size {size}: a table seats at least two")
    if not names or len(names) % size:
        raise OptionError(
            f"{len(names)} players do not fill tables of {size}: add {-len(names) % size or size}"
        )
    if games < 1:
        raise OptionError(f"games {games}: simulate at least one")
    if weights is not None:
        if rule != "a-optimal":
            raise OptionError(f"weights have no effect with the rule {rule}: give them with a-optimal")
        if any(not 0.0 <= weight < np.inf for weight in weights.values()):
            raise OptionError("weights: give finite numbers from 0 on")
