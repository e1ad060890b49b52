"""The output of `rating`: documents for programs, rows for people (by rich on a terminal, else plain lines).

The JSON keys are fixed (docs/reference/rating.md). All figures are unscaled Elo.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rating.presets import display_scale
from rating.ranks import shared_ranks
from rating.ratings import Ranking, Rating
from rating.text import csv_cell, printable

if TYPE_CHECKING:
    from rating.arrays import Ints
    from rating.equilibrium import Nash
    from rating.multiplayer import Skill
    from rating.notices import Notice
    from rating.simulation import Simulation

Cell = str | int | float | None

# Keys that differ from the names in Rating.
_KEYS = {"results": "games"}
_CLUSTERED = {"round": "rounds", "table": "tables", "match": "matches"}


def fit_document(
    ranking: Ranking,
    *,
    preset: str | None = None,
    ranks: Ints | None = None,
    skills: Sequence[Skill] = (),
    scores: Nash | None = None,
    skipped: int = 0,
    pointed: bool = True,
    notices: Sequence[Notice] = (),
) -> dict[str, Any]:
    """Return the JSON of `rating fit`; `ranks` (2, n) in the table's order; no `points` unless `pointed`.

    `notices` are those of the files.
    """
    fit, of = ranking.fit, ranking.intervals
    index = {name: k for k, name in enumerate(fit.table.players)}
    names = [column.name for column in fields(Rating)]
    players = []
    for row in ranking.rows:
        line: dict[str, Any] = {_KEYS.get(name, name): getattr(row, name) for name in names}
        if not pointed:
            line["points"] = None
        if ranks is not None:
            best, worst = ranks[:, index[row.player]].tolist()
            line |= {"rank_best": best or None, "rank_worst": worst or None}
        for skill in skills:
            k = skill.players.index(row.player)
            figures = {"mu": skill.mu[k], "sigma": skill.sigma[k], "spread": skill.spread[k]}
            line[skill.model] = {name: float(figure) for name, figure in figures.items()}
        if scores is not None:
            line["nash"] = scores.figures(row.player)
        players.append(line)
    document: dict[str, Any] = {
        "players": players,
        "drawelo": fit.drawelo,
        "advantage": fit.advantage,
        "loglik": fit.loglik,
        "prior": fit.prior,
        "ridge": fit.ridge,
        "intervals": of.kind,
        "level": of.level,
        "clusters": of.clusters,
        "quantile": of.quantile,
        "results": int(fit.table.first.size),
        "scale": display_scale(fit.drawelo) if preset else 1.0,
        "preset": preset,
        "skipped": skipped,
        "notices": [notice.name for notice in (*ranking.notices, *notices)],
        "warnings": [notice.text for notice in (*ranking.notices, *notices)],
    }
    for skill in skills:
        document[skill.model] = {
            "shuffles": skill.shuffles,
            "games": skill.games,
            "draw_probability": skill.draw_probability,
        }
    if scores is not None:
        document["nash"] = {"cycles": scores.cycles, "met": scores.met, "samples": scores.samples}
    return document


def fit_rows(document: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return heading and rows of text for a document of `fit_document`."""
    lines = document["players"]
    share = f"{100.0 * document['level']:g} %"
    symmetric = document["intervals"] != "exactdist"
    heading = ["Rank", "Player", "Elo", *([f"± {share}"] if symmetric else [f"+ {share}", f"- {share}"])]
    heading += ["Matches", "Results", "Won", "Drawn", "Lost", "Score"]
    faulty = any(line["faults"] for line in lines)
    grouped = len({line["component"] for line in lines} - {None}) > 1
    ranked_so = any("rank_best" in line for line in lines)
    models = [name for name in ("trueskill", "openskill") if name in document]
    heading += ["Faults"] * faulty + ["Group"] * grouped + ["Ranks"] * ranked_so
    heading += [word for name in models for word in (name, "sigma", "spread")]
    heading += ["nash", share, "in it"] * ("nash" in document)
    rows = []
    for line in lines:
        known = line["elo"] is not None
        row = [
            str(line["rank"]),
            line["player"],
            f"{line['elo']:+.1f}".replace("-0.0", "+0.0") if known else "-",
        ]
        plus, minus = (line["high"] - line["elo"], line["elo"] - line["low"]) if known else (0.0, 0.0)
        row += [f"{width:.1f}" if known else "-" for width in ([plus] if symmetric else [plus, minus])]
        row += [str(line[name]) for name in ("matches", "games", "wins", "draws", "losses")]
        score = (line["wins"] + line["draws"] / 2.0) / line["games"] if line["games"] else 0.0
        row.append(f"{100.0 * score:.1f} %" if line["games"] else "-")
        if faulty:
            row.append(str(line["faults"]))
        if grouped:
            row.append(str(line["component"] + 1) if known else "-")
        if ranked_so:
            row.append(f"{line['rank_best']}-{line['rank_worst']}" if known else "-")
        for name in models:
            row += [f"{line[name][figure]:.2f}" for figure in ("mu", "sigma", "spread")]
        if "nash" in document:
            row += nash_cells(line["nash"])
        rows.append(row)
    return heading, rows


def nash_cells(figures: Mapping[str, float | None]) -> list[str]:
    """Return score against the equilibrium, its interval and the player's share, in percent, "-" for none."""
    score, low, high, share = (
        None if part is None else 100.0 * part for part in map(figures.get, ("score", "low", "high", "share"))
    )
    return [
        "-" if score is None else f"{score:.1f} %",
        "-" if low is None or high is None else f"{low:.1f}-{high:.1f}",
        "-" if share is None else f"{share:.0f} %",
    ]


def footer(document: dict[str, Any]) -> str:
    """Return the line below the table: the settings, and the number of results."""
    kind, clusters = document["intervals"], document["clusters"]
    by = f"{kind} ({clusters} {_CLUSTERED[kind]})" if clusters else kind
    count = f"{document['results']} result{'' if document['results'] == 1 else 's'}"
    return (
        f"drawelo {document['drawelo']:.1f}, advantage {document['advantage']:.1f}, prior "
        f"{document['prior']:g}, intervals by {by}, {count}; mean rating 0"
    )


def fit_csv(document: dict[str, Any]) -> tuple[list[str], list[list[Cell]]]:
    """Return heading and rows of the CSV: the keys of a player's line, models as `trueskill_mu` and so on."""
    flat = []
    for line in document["players"]:
        cells: dict[str, Cell] = {}
        for name, value in line.items():
            inner = value.items() if isinstance(value, dict) else None
            cells |= {f"{name}_{key}": figure for key, figure in inner} if inner else {name: value}
        flat.append(cells)
    heading = list(flat[0]) if flat else ["rank", "player", "elo"]
    return heading, [[cells[name] for name in heading] for cells in flat]


def los_rows(
    names: Sequence[str], elo: Sequence[float | None], los: Sequence[Sequence[float]]
) -> tuple[list[str], list[list[str]]]:
    """Return heading and rows of text: percent, row better than column, columns in the order of rows."""
    heading = ["Rank", "Player", *(str(k) for k in range(1, len(names) + 1))]
    rows = []
    for k, (rank, name) in enumerate(zip(shared_ranks(elo), names, strict=True)):
        shares = ["" if other == k else f"{100.0 * share:.1f}" for other, share in enumerate(los[k])]
        rows.append([str(rank), name, *shares])
    return heading, rows


def print_table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows of text under a heading; names, in the second column, are left-aligned."""
    heading, *rows = [[printable(cell) for cell in row] for row in (heading, *rows)]
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, header_style="bold", pad_edge=False)
        for number, name in enumerate(heading):
            table.add_column(name, justify="left" if number == 1 else "right", no_wrap=True)
        for row in rows:
            # `[b]` in a name is not markup.
            table.add_row(*(Text(cell) for cell in row))
        # A truncated cell would be a wrong number, so the terminal wraps instead.
        widest = Console(width=10_000).measure(table).maximum
        Console(width=max(Console().width, widest)).print(table)
        return
    widths = [max(map(len, column)) for column in zip(heading, *rows, strict=True)]
    for row in (heading, *rows):
        cells = [
            f"{cell:{'<' if k == 1 else '>'}{width}}"
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


def print_data(
    form: str, document: dict[str, Any], heading: Sequence[str], rows: Sequence[Sequence[Cell]]
) -> None:
    """Print the document as JSON, or the rows as CSV (RFC 4180 with bare line feeds); None is empty."""
    if form == "csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows(map(csv_cell, row) for row in (heading, *rows))
        click.echo(text.getvalue(), nl=False)
        return
    # Other encodings may lack a character, and its replacement would not be JSON.
    unicode = sys.stdout.encoding.lower().replace("-", "") == "utf8"
    click.echo(json.dumps(document, ensure_ascii=not unicode, allow_nan=False))


def recovery(*, players: int, rounds: int, seed: int, **options: Any) -> tuple[dict[str, Any], Simulation]:
    """Simulate a season and rate it; return the document of `rating simulate` and the season.

    rmse is the root of the mean squared (elo - true) in Elo, tau Kendall's (the share of pairs in the right
    order less the share in the wrong one), coverage the share of players with low <= true <= high.
    """
    import numpy as np

    from rating.crosstable import PairTable
    from rating.ratings import rate
    from rating.simulation import simulate

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
    """Return heading and rows of text, without players that have no results."""
    rows = []
    for line in lines:
        if line["elo"] is not None:
            figures = [f"{line['true']:+.1f}", f"{line['elo']:+.1f}", f"{line['high'] - line['elo']:.1f}"]
            rows.append([str(line["rank"]), line["player"], *figures, str(line["true_rank"])])
    return ["Rank", "Player", "True", "Elo", "±", "True rank"], rows


def recovery_summary(document: dict[str, Any]) -> str:
    return (
        f"mean error {document['rmse']:.1f} Elo, order (tau) {document['tau']:.3f}, "
        f"{100 * document['coverage']:.1f} % of the intervals cover the true rating"
    )


def write_matches(file: Path, made: Simulation) -> None:
    """Write the matches as JSON lines for `rating fit`; OSError if they cannot be written."""
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
