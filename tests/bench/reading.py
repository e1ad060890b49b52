"""Figures of `rating fit` on files for `make bench`: CPU seconds beside the least that reading them takes.

    python -m tests.bench.reading            # prints one JSON object

The least is one pass of a regular expression over the tags of a PGN, read whole, and one of a bare
`csv.reader`. Both are measured in turn with the command, from its first byte read to its last line printed,
without its start. Every time is the smallest of a few runs.
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
from textwrap import fill

from rating.cli import main
from tests.bench.ratings import timed

__all__ = ["figures"]

GAMES, PLAYERS, ROUNDS, RUNS = 300_000, 200, 300, 2
COMMENTED = 40_000
BARS = {"pgn_per_tags": 1.8, "commented_pgn_per_tags": 1.4, "csv_per_reader": 2.0}
"""The most that each ratio may be."""


def write_games(folder: Path) -> tuple[Path, Path]:
    """The same games as PGN with the seven tags of the standard and no moves, and as CSV."""
    rng = random.Random(1)
    pgn, table = folder / "games.pgn", folder / "games.csv"
    with pgn.open("w") as tags, table.open("w") as cells:
        cells.write("white,black,result,round\n")
        for number in range(GAMES):
            white, black = rng.sample(range(PLAYERS), 2)
            result = rng.choice(("1-0", "0-1", "1/2-1/2"))
            number = number * ROUNDS // GAMES + 1
            tags.write(
                f'[Event "Test"]\n[Site "?"]\n[Date "2026.11.01"]\n[Round "{number}"]\n[White "p{white}"]\n'
                f'[Black "p{black}"]\n[Result "{result}"]\n\n{result}\n\n'
            )
            cells.write(f"p{white},p{black},{result},{number}\n")
    return pgn, table


def write_commented_games(file: Path) -> Path:
    """40,000 games with twelve tags, 90 moves and a comment after each: 90 MB."""
    rng = random.Random(1)
    comments = [
        f"{{{rng.uniform(-3, 3):+.2f}/{rng.randrange(8, 30)} 0.{rng.randrange(999):03}s}}" for _ in range(90)
    ]
    moves = [f"{ply // 2 + 1}. Nf{ply % 8 + 1}" if ply % 2 == 0 else "Qxe7+" for ply in range(90)]
    text = fill(" ".join(word for pair in zip(moves, comments, strict=True) for word in pair), 80)
    with file.open("w") as pgn:
        for number in range(COMMENTED):
            white, black = rng.sample(range(PLAYERS), 2)
            result = rng.choice(("1-0", "0-1", "1/2-1/2"))
            tags = {
                "Event": "Test",
                "Site": "?",
                "Date": "2026.11.01",
                "Round": number // 100 + 1,
                "White": f"p{white}",
            }
            tags |= {
                "Black": f"p{black}",
                "Result": result,
                "ECO": "B12",
                "GameDuration": f"00:00:{number % 60:02}",
            }
            tags |= {"GameStartTime": "2026-11-01T10:00:00", "PlyCount": 90, "TimeControl": "8+0.08"}
            pgn.write("".join(f'[{name} "{value}"]\n' for name, value in tags.items()))
            pgn.write(f"\n{text} {result}\n\n")
    return file


def tags(file: Path) -> None:
    for _ in re.finditer(rb'^\[(\w+) "(.*)"\]', file.read_bytes(), re.MULTILINE):
        pass


def fit(file: Path) -> None:
    """`rating fit`, its output thrown away."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        main(["fit", str(file)], standalone_mode=False)


def rows(file: Path) -> None:
    with file.open(newline="") as stream:
        for _ in csv.reader(stream):
            pass


def figures() -> dict[str, float]:
    """Seconds of 300,000 games, and of 40,000 with moves and comments, and their ratios."""
    with TemporaryDirectory() as folder:
        pgn, table = write_games(Path(folder))
        commented = write_commented_games(Path(folder) / "commented.pgn")
        small = Path(folder) / "small.csv"
        small.write_text("a,b,1-0\n")
        fit(small)  # what the command imports is not measured
        work: dict[str, Callable[[], object]] = {
            "tags": lambda: tags(pgn),
            "fit_pgn": lambda: fit(pgn),
            "commented_tags": lambda: tags(commented),
            "fit_commented_pgn": lambda: fit(commented),
            "csv_reader": lambda: rows(table),
            "fit_csv": lambda: fit(table),
        }
        best = dict.fromkeys(work, float("inf"))
        for _ in range(RUNS):
            for name, run in work.items():
                best[name] = min(best[name], timed(run, 1)[0])
    best["pgn_per_tags"] = best["fit_pgn"] / best["tags"]
    best["commented_pgn_per_tags"] = best["fit_commented_pgn"] / best["commented_tags"]
    best["csv_per_reader"] = best["fit_csv"] / best["csv_reader"]
    return {name: round(figure, 3) for name, figure in best.items()} | {
        f"{name}_bar": bar for name, bar in BARS.items()
    }


if __name__ == "__main__":
    print(json.dumps(figures(), indent=2))
