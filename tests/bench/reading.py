"""Figures of `rating fit` on files for `make bench`: CPU seconds beside the least that reading them takes.

    python -m tests.bench.reading            # prints one JSON object

The least is one `re.findall` of the tags over a PGN's text, and one pass of a bare `csv.reader`. Both are
measured in turn with the command, from its first byte read to its last line printed, without its start. Every
time is the smallest of a few runs.
"""

from __future__ import annotations

import csv
import io
import json
import random
import re
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

from rating.cli import main
from tests.bench.ratings import timed

__all__ = ["figures"]

GAMES, PLAYERS, ROUNDS, RUNS = 300_000, 200, 300, 2
BARS = {"pgn_per_findall": 3.5, "csv_per_reader": 6.0}
"""The most that each ratio may be."""


def write_games(folder: Path) -> tuple[Path, Path]:
    """The same games as PGN and as CSV."""
    rng = random.Random(1)
    pgn, table = folder / "games.pgn", folder / "games.csv"
    with pgn.open("w") as tags, table.open("w") as cells:
        cells.write("white,black,result,round\n")
        for number in range(GAMES):
            white, black = rng.sample(range(PLAYERS), 2)
            result = rng.choice(("1-0", "0-1", "1/2-1/2"))
            number = number * ROUNDS // GAMES + 1
            tags.write(
                f'[White "p{white}"]\n[Black "p{black}"]\n[Round "{number}"]\n[Result "{result}"]\n\n{result}\n\n'
            )
            cells.write(f"p{white},p{black},{result},{number}\n")
    return pgn, table


def fit(file: Path) -> None:
    """`rating fit`, its output thrown away."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        main(["fit", str(file)], standalone_mode=False)


def rows(file: Path) -> None:
    with file.open(newline="") as stream:
        for _ in csv.reader(stream):
            pass


def figures() -> dict[str, float]:
    """Seconds of 300,000 games, and their ratios."""
    tag = re.compile(r'\[(\w+) "([^"]*)"\]')
    with TemporaryDirectory() as folder:
        pgn, table = write_games(Path(folder))
        text = pgn.read_text()
        small = Path(folder) / "small.csv"
        small.write_text("a,b,1-0\n")
        fit(small)  # what the command imports is not measured
        work: dict[str, Callable[[], object]] = {
            "findall": lambda: tag.findall(text),
            "fit_pgn": lambda: fit(pgn),
            "csv_reader": lambda: rows(table),
            "fit_csv": lambda: fit(table),
        }
        best = dict.fromkeys(work, float("inf"))
        for _ in range(RUNS):
            for name, run in work.items():
                best[name] = min(best[name], timed(run, 1)[0])
    best["pgn_per_findall"] = best["fit_pgn"] / best["findall"]
    best["csv_per_reader"] = best["fit_csv"] / best["csv_reader"]
    return {name: round(figure, 3) for name, figure in best.items()} | {
        f"{name}_bar": bar for name, bar in BARS.items()
    }


if __name__ == "__main__":
    print(json.dumps(figures(), indent=2))
