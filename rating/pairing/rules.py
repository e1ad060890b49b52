"""The rules of pairing.

| rule | tables | by |
|---|---|---|
| variance | one after the other: the leader's variance falls most | `rating.pairing.greedy` |
| variance-sequential | the same, ranked again after each choice | `rating.pairing.greedy` |
| a-optimal | all together: the sum of the ratings' variances falls most | `rating.pairing.partition` |
| d-optimal | all together: the volume of their joint uncertainty falls most | `rating.pairing.partition` |
| swiss | one after the other: fewest earlier meetings, then nearest rating | `rating.pairing.greedy` |
| random | drawn at random | `rating.seeded_shuffle` |

Pairing by estimated ratings stretches their scale a little; random rounds correct this.
"""

from __future__ import annotations

from typing import Literal, get_args

Rule = Literal["variance", "variance-sequential", "a-optimal", "d-optimal", "swiss", "random"]
RULES: tuple[Rule, ...] = get_args(Rule)

RANDOM_EVERY = 4
"""Under `a-optimal` one round in this many is random."""


def rule_of_round(rule: Rule, round: int, opening_rounds: int) -> Rule:
    """Return the rule of a round, from 1: `random` in the opening rounds and every fourth of `a-optimal`."""
    if round <= opening_rounds or (rule == "a-optimal" and (round - opening_rounds) % RANDOM_EVERY == 0):
        return "random"
    return rule
