"""The rules of pairing.

| rule | tables | by |
|---|---|---|
| variance | one after the other: the mission's rule | `rating.pairing.greedy` |
| variance-sequential | the same, ranked anew after each choice | `rating.pairing.greedy` |
| a-optimal | all together: the sum of the ratings' variances falls most | `rating.pairing.partition` |
| d-optimal | all together: the volume of their joint uncertainty falls most | `rating.pairing.partition` |
| swiss | one after the other: fewest earlier meetings, then nearest rating | `rating.pairing.greedy` |
| random | drawn by lots | `rating.lots` |

Pairing by estimated nearness stretches the scale of ratings a little; random rounds keep it straight.
"""

from __future__ import annotations

from typing import Literal, get_args

Rule = Literal["variance", "variance-sequential", "a-optimal", "d-optimal", "swiss", "random"]
RULES: tuple[Rule, ...] = get_args(Rule)

RANDOM_EVERY = 4
"""Under `a-optimal` one round in this many is random."""


def rule_of_round(rule: Rule, round: int, opening_rounds: int) -> Rule:
    """The rule of a round, counted from 1: `random` in the opening rounds and every fourth of `a-optimal`."""
    if round <= opening_rounds or (rule == "a-optimal" and (round - opening_rounds) % RANDOM_EVERY == 0):
        return "random"
    return rule
