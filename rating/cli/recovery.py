"""The output of `rating simulate`: how well the true ratings of a made season are found again.

rmse is the root of the mean squared (elo - true) in Elo, tau Kendall's (of all pairs the share in the right
order less the share in the wrong one), coverage the share of players with low <= true <= high.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rating.crosstable import PairTable
from rating.ranks import shared_ranks
from rating.ratings import rate
from rating.simulation import Simulation, simulate


def recovery(*, players: int, rounds: int, seed: int, **options: Any) -> tuple[dict[str, Any], Simulation]:
    """The document of `rating simulate`, and the season; arguments and errors are those of `simulate`."""
    made = simulate(players, rounds, seed=seed, **options)
    ranking = rate(PairTable.from_matches(made.matches, players=made.elo))
    order = sorted(made.elo, key=lambda name: -made.elo[name])
    true_rank = dict(zip(order, shared_ranks(made.elo[name] for name in order), strict=True))
    lines = [
        {
            "rank": row.rank,
            "player": row.player,
            "true": made.elo[row.player],
            "true_rank": true_rank[row.player],
        }
        | {"elo": row.elo, "low": row.low, "high": row.high}
        for row in ranking.rows
    ]
    fit, of = ranking.fit, ranking.intervals
    truth = np.array([made.elo[name] for name in fit.table.players])
    rated = fit.rated
    error = (fit.elo - truth)[rated]
    above = np.triu_indices(int(rated.sum()), 1)
    agree = [np.sign(np.subtract.outer(of_all[rated], of_all[rated]))[above] for of_all in (fit.elo, truth)]
    held = ((of.low <= truth) & (truth <= of.high))[rated]
    document = {
        "players": lines,
        "rounds": rounds,
        "rule": options["rule"],
        "seed": seed,
        "results": int(fit.table.first.size),
        "rmse": float(np.sqrt(np.mean(error**2))) if error.size else 0.0,
        "tau": float(np.mean(agree[0] * agree[1])) if above[0].size else 0.0,
        "coverage": float(held.mean()) if held.size else 0.0,
        "intervals": of.kind,
        "warnings": list(ranking.warnings),
    }
    return document, made


def recovery_rows(lines: Sequence[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Heading and rows of text; players without results are left out."""
    rows = []
    for line in lines:
        if line["elo"] is not None:
            figures = [f"{line['true']:+.1f}", f"{line['elo']:+.1f}", f"{line['high'] - line['elo']:.1f}"]
            rows.append([str(line["rank"]), line["player"], *figures, str(line["true_rank"])])
    return ["Rank", "Player", "True", "Elo", "±", "True rank"], rows


def summary(document: dict[str, Any]) -> str:
    """One line below the rows."""
    return (
        f"mean error {document['rmse']:.1f} Elo, order (tau) {document['tau']:.3f}, "
        f"{100 * document['coverage']:.1f} % of the intervals hold"
    )


def write_matches(file: Path, made: Simulation) -> None:
    """The matches as JSON lines that `rating fit` reads. Raises OSError where they cannot be written."""
    with file.open("w", encoding="utf-8") as stream:
        for match in made.matches:
            record = {
                "players": list(match.players),
                "points": None if match.points is None else list(match.points),
                "forfeit": None,
                "round": match.round,
                "table": match.table,
            }
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")
