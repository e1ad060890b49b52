"""Measures how much of a lead the cards explain, and how sure a lead is without them.

    arbiter run-season table.yaml
    python -m tests.bench.measure_luck table.yaml --by bots/cpp/build/planning_search

The season has one table of the same players in each round, so each has all seats of the same cards as often, and
a player's mean lead is what the luck of the cards does not move. From the odd rounds come the coefficient and the
ends of 95 % of what is left; the even rounds say how often an interval with these ends holds the mean lead.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path
from statistics import fmean

import numpy as np

from arbiter.games import make
from arbiter.match.clock import SECOND
from arbiter.match.position import recorded_deal
from arbiter.match.spec import Player
from arbiter.season.config import load
from arbiter.store import Store
from arbiter.trials.review.evaluator import Evaluator
from arbiter.trials.review.luck import luck_of_deals

THINKING_NS = 2 * SECOND


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("config")
    parser.add_argument("--by", nargs="+", required=True)
    given = parser.parse_args()
    config = load(Path(given.config))
    stored = Store(config.store, create=False).season(config.season)
    by = Player("by", (str(Path(given.by[0]).resolve()), *given.by[1:]))
    assert stored is not None
    rows: list[tuple[int, str, float, float]] = []
    for number in range(1, stored.complete + 1):
        matches = stored.summaries(number, number)
        record = stored.match(matches[0].id)
        assert record is not None
        game = make(record.game, record.options)
        deals = [recorded_deal(record, game, k) for k in range(len(record.deals))]
        with Evaluator(by, config.limits, THINKING_NS // game.seats) as reference:
            luck = luck_of_deals(reference, game, [(deal, [None] * game.seats) for deal in deals])
        for match in matches:
            if match.points is not None:
                middle = fmean(match.points)
                for seat, points in enumerate(match.points):
                    # With another partner it is another table.
                    side = [
                        name
                        for place, name in enumerate(match.players)
                        if game.sides and game.sides[place] == game.sides[seat] and place != seat
                    ]
                    who = " with ".join([match.players[seat], *side])
                    rows.append((number, who, luck[seat] or 0.0, points - middle))
    print_figures(rows)


def print_figures(rows: list[tuple[int, str, float, float]]) -> None:
    """`rows`: round, player, luck, lead."""
    by_player = defaultdict(list)
    for _, player, _, lead in rows:
        by_player[player].append(lead)
    means = {player: fmean(leads) for player, leads in by_player.items()}
    odd = np.array([(luck, lead - means[player]) for number, player, luck, lead in rows if number % 2])
    coefficient = float(odd[:, 0] @ odd[:, 1] / (odd[:, 0] @ odd[:, 0]))
    left = odd[:, 1] - coefficient * odd[:, 0]
    low, high = np.quantile(left, [0.025, 0.975])
    plain = np.quantile(odd[:, 1], [0.025, 0.975])
    print(f"{len(rows)} leads of {len(means)} players, coefficient {coefficient:.3f}")
    print(
        f"what is left: {low:+.2f} to {high:+.2f}; without the correction {plain[0]:+.2f} to {plain[1]:+.2f}"
    )
    print(f"variance left: {left.var() / odd[:, 1].var():.3f}")
    held = defaultdict(list)
    for number, player, luck, lead in rows:
        if number % 2 == 0:
            held[player].append(low <= lead - means[player] - coefficient * luck <= high)
    for player, of in [*held.items(), ("all", [one for each in held.values() for one in each])]:
        print(f"{player}: mean lead {means.get(player, 0):+.2f}, held {np.mean(of):.3f} of {len(of)}")


if __name__ == "__main__":
    main()
