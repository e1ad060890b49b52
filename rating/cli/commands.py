"""The command `rating`: fit, los, pair, simulate.

Results go to standard output, notes and errors to standard error. Exit codes: 0 done, 2 bad input or usage,
with one line that says what to do. Heavy modules are imported by the command that needs them, so that
`--help` is quick.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from rating.cli.options import RatingGroup, add_input_options, interval_option, list_problems, output_option
from rating.errors import OptionError, RatingError
from rating.pairing.rules import RULES
from rating.text import printable

if TYPE_CHECKING:
    from rating.cli.report import Cell
    from rating.equilibrium import Nash
    from rating.fit.bayeselo import Fit
    from rating.fit.intervals import Intervals
    from rating.fit.kinds import Kind
    from rating.multiplayer import Skill
    from rating.pairing.rules import Rule
    from rating.reading.files import Reading

# Maximum offset in Elo; more is a typing error.
_FARTHEST = 1e6


def _version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    """If the option is given, print the installed version and exit; "not installed" for bare sources."""
    if not value or ctx.resilient_parsing:
        return
    from importlib.metadata import PackageNotFoundError, version

    try:
        click.echo(f"rating {version('arbiter-cards')}")
    except PackageNotFoundError:
        click.echo("rating (not installed)")
    ctx.exit()


@click.group(
    cls=RatingGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version."
)
def main() -> None:
    """Rate players from results of two or more, with reliable intervals.

    \b
    rating fit games.pgn                       ratings with intervals
    rating fit games.pgn --preset bayeselo     the table that BayesElo prints
    rating los games.pgn                       probability that each player is better than each other
    rating pair season.jsonl --seed 7          tables of the next round
    rating simulate --players 40 --rounds 60   accuracy of the ratings of such a season
    """


@main.command()
@add_input_options
@interval_option
@click.option("--level", type=float, default=0.95, show_default=True, help="confidence level")
@click.option("--ranks", is_flag=True, help="best and worst rank of each player at that level")
@click.option(
    "--also",
    type=click.Choice(["trueskill", "openskill", "nash"]),
    multiple=True,
    help="further columns, each on another scale",
)
@click.option("--shuffles", type=int, help="random orders to average [default: 8]")
@click.option("--seed", help="seed of --also [default: 0]")
@click.option("--offset", type=float, metavar="ELO", help="added to printed ratings [default: 0]")
@output_option
def fit(form: str, kind: str | None, **options: Any) -> None:
    """Rate all players in FILE (PGN, CSV or match records; - is standard input).

    \b
    Examples:
      rating fit games.pgn
      rating fit season.jsonl --ranks --also trueskill
      rating fit old.pgn --preset bayeselo --intervals exactdist --offset 2000
      zcat games.pgn.gz | rating fit - --format json
    """
    from rating.cli.report import fit_csv, fit_document, fit_rows, footer, print_data, print_table
    from rating.ratings import rank

    offset, preset = options["offset"], options["preset"]
    if offset is not None and not (math.isfinite(offset) and abs(offset) <= _FARTHEST):
        raise OptionError(f"offset {offset!r}: give a number of Elo up to {_FARTHEST:.0f}")
    notes = _notes_on_ignored(form, options)
    reading, of = _read_and_rate(kind, options["level"], options)
    ranking = rank(of)
    bare = preset is not None and form == "text"
    also = [] if bare else list(dict.fromkeys(options["also"]))
    document = fit_document(
        ranking,
        preset=preset,
        ranks=of.rank_interval() if options["ranks"] and not bare else None,
        skills=[_rate_by_model(name, reading, options) for name in also if name != "nash"],
        scores=_nash_scores(of, options) if "nash" in also else None,
        skipped=len(reading.problems),
        pointed=reading.pointed,
        notices=reading.notices,
    )
    if bare:
        from rating.presets import bayeselo_lines

        click.echo("\n".join(bayeselo_lines(of, offset=offset or 0.0)))
    elif form == "text":
        print_table(*fit_rows(document))
        click.echo(footer(document))
    else:
        print_data(form, document, *fit_csv(document))
    _print_notes(notes if form == "json" else [*document["warnings"], *notes])


@main.command()
@add_input_options
@interval_option
@click.option("--top", type=click.IntRange(min=1), help="only the best players, this many")
@output_option
def los(form: str, kind: str | None, **options: Any) -> None:
    """Print the probability that each player is better than each other (likelihood of superiority).

    \b
    Examples:
      rating los games.pgn --top 10
      rating los games.pgn --preset bayeselo --format json
    """
    from rating.cli.report import los_rows, print_data, print_table
    from rating.ratings import order_of

    if options["preset"] and kind is None:
        kind = "covariance"  # BayesElo's `los` always uses it
    reading, of = _read_and_rate(kind, 0.95, options)
    chosen = order_of(of.fit)[: options["top"]]
    names = [of.fit.table.players[k] for k in chosen]
    chances = of.los(chosen).tolist()
    warnings = [*of.fit.warnings, *of.warnings, *map(str, reading.notices)]
    if form == "text":
        elo = [float(of.fit.elo[k]) if of.fit.rated[k] else None for k in chosen]
        print_table(*los_rows(names, elo, chances))
    else:
        document = {"players": names, "los": chances, "intervals": of.kind, "warnings": warnings}
        rows = [[name, *row] for name, row in zip(names, chances, strict=True)]
        print_data(form, document, ["player", *names], rows)
    if form != "json":
        _print_notes(warnings)


@main.command()
@add_input_options
@click.option("--rule", type=click.Choice(RULES), default="variance", show_default=True)
@click.option("--size", type=int, default=4, show_default=True, help="players at a table")
@click.option("--seed", default="0", show_default=True, help="seed of the rule `random`")
@click.option("--players", help="the names in the round, separated by commas [default: all of FILE]")
@click.option("--player", "more", multiple=True, metavar="NAME", help="a name in the round, or one more")
@click.option("--games", type=int, help="games simulated for each pairing")
@output_option
def pair(form: str, rule: str, size: int, seed: str, **options: Any) -> None:
    """Draw the tables of the next round from the results so far.

    With --players or --player only those names play; a name not in FILE is a new player.

    \b
    Examples:
      rating pair season.jsonl --rule variance --size 4 --seed 7
      rating pair games.csv --rule a-optimal --players ann,bob,cid,dan --format json
      rating pair old.pgn --size 2 --player "Tal, Mihail" --player "Petrosian, Tigran"
    """
    from rating.cli.report import print_data
    from rating.pairing.rounds import next_round

    start = int(seed) if seed.isdecimal() and len(seed) <= 18 else seed
    names = options["players"]
    chosen = None if names is None else [name.strip() for name in names.split(",") if name.strip()]
    if options["more"]:
        chosen = [*(chosen or []), *options["more"]]
    # `random` needs no results, so the first round can be drawn without any.
    reading, fit = _read_and_fit(options, empty=rule == "random" and bool(chosen))
    known = set(fit.table.players)
    new = [name for name in dict.fromkeys(chosen or ()) if name not in known]
    notes = [f"new, not in {_join_file_names(options)}: {', '.join(new)}"] if new else []
    tables = next_round(fit, chosen, rule=cast("Rule", rule), size=size, seed=start, games=options["games"])
    warnings = [*fit.warnings, *map(str, reading.notices)]
    if form == "text":
        for number, seats in enumerate(tables, start=1):
            click.echo(printable(f"table {number}: {', '.join(seats)}"))
    else:
        document = {"tables": tables, "rule": rule, "size": size, "seed": start, "warnings": warnings}
        rows: list[list[Cell]] = [
            [t, s, name] for t, seats in enumerate(tables, 1) for s, name in enumerate(seats)
        ]
        print_data(form, document, ["table", "seat", "player"], rows)
    _print_notes(notes if form == "json" else [*warnings, *notes])


@main.command()
@click.option("--players", type=int, default=40, show_default=True)
@click.option("--rounds", type=int, default=60, show_default=True)
@click.option("--size", type=int, default=4, show_default=True, help="players at a table")
@click.option("--rule", type=click.Choice(RULES), default="random", show_default=True)
@click.option("--opening-rounds", type=int, default=12, show_default=True, help="random first rounds")
@click.option("--spread", type=float, default=150.0, show_default=True, help="sd of the true ratings in Elo")
@click.option("--alpha", type=float, default=0.9, show_default=True, help="alpha^2 of the luck is per player")
@click.option("--ties", type=float, default=0.018, show_default=True, help="share of draws between equals")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--matches", type=click.Path(path_type=Path), help="write the matches here (JSON lines)")
@output_option
def simulate(form: str, matches: Path | None, **options: Any) -> None:
    """Simulate a season with known true ratings and report how well they are recovered.

    \b
    Examples:
      rating simulate --players 40 --rounds 60 --rule a-optimal
      rating simulate --players 200 --rounds 24 --matches made.jsonl && rating fit made.jsonl
    """
    from rating.cli.report import (
        print_data,
        print_table,
        recovery,
        recovery_rows,
        recovery_summary,
        write_matches,
    )

    document, made = recovery(**options)
    if matches is not None:
        try:
            write_matches(matches, made)
        except OSError as error:
            raise RatingError(f"{matches}: cannot be written: {error.strerror or error}") from error
    lines = document["players"]
    if form == "text":
        print_table(*recovery_rows(lines))
        click.echo(recovery_summary(document))
        _print_notes(document["warnings"])
    else:
        print_data(form, document, list(lines[0]), [list(line.values()) for line in lines])


def _notes_on_ignored(form: str, options: dict[str, Any]) -> list[str]:
    """Return a line for each option of `fit` that has no effect with the others."""
    notes = []
    if options["preset"] and form == "text":
        given = " and ".join(f"--{name}" for name in ("ranks", "also") if options[name])
        if given:
            notes.append(f"{given} ignored: --preset prints BayesElo's table; use --format json or csv")
    if options["offset"] is not None and not (options["preset"] and form == "text"):
        notes.append("--offset ignored: it changes only the text that --preset prints")
    given = " and ".join(f"--{name}" for name in ("shuffles", "seed") if options[name] is not None)
    if given and not options["also"]:
        notes.append(f"{given} ignored: only --also uses it")
    return notes


def _join_file_names(options: dict[str, Any]) -> str:
    """Return the names of the files with commas between, ``<stdin>`` for ``-``."""
    return ", ".join("<stdin>" if file == "-" else file for file in options["files"])


def _read_and_fit(options: dict[str, Any], *, empty: bool = False) -> tuple[Reading, Fit]:
    """Read the files, print their malformed games, and fit; RatingError if not `empty` without results."""
    from rating.fit.bayeselo import bayeselo
    from rating.presets import Preset, find_preset
    from rating.reading.files import read_results

    reading = read_results(
        options["files"], form=options["kind_of_file"], skip_bad=options["skip_bad"], faults=options["faults"]
    )
    list_problems(reading.problems)
    table = reading.table
    if not table.first.size and not empty:
        raise RatingError(f"{_join_file_names(options)}: no results to rate ({len(table.players)} players)")
    usual = find_preset(options["preset"]) if options["preset"] else Preset(0.0, "fit", 2.0, "round")
    given = {name: options[name] for name in ("advantage", "drawelo", "prior")}
    chosen = {name: getattr(usual, name) if value is None else value for name, value in given.items()}
    return reading, bayeselo(table, ridge=options["ridge"], **chosen)


def _read_and_rate(kind: str | None, level: float, options: dict[str, Any]) -> tuple[Reading, Intervals]:
    """Read and fit the files; return also intervals of this kind, by default the preset's, or by round."""
    from rating.fit.intervals import intervals
    from rating.presets import find_preset

    reading, fit = _read_and_fit(options)
    usual = find_preset(options["preset"]).kind if options["preset"] else "round"
    return reading, intervals(fit, cast("Kind", kind or usual), level=level)


def _rate_by_model(model: str, reading: Reading, options: dict[str, Any]) -> Skill:
    from rating import multiplayer

    matches = multiplayer.matches_of(reading.table) if reading.matches is None else reading.matches
    run = multiplayer.trueskill if model == "trueskill" else multiplayer.openskill
    return run(
        matches,
        players=reading.table.players,
        shuffles=8 if options["shuffles"] is None else options["shuffles"],
        seed="0" if options["seed"] is None else options["seed"],
        faults=options["faults"],
    )


def _nash_scores(of: Intervals, options: dict[str, Any]) -> Nash:
    from rating.equilibrium import nash

    return nash(of.fit, level=of.level, seed="0" if options["seed"] is None else options["seed"])


def _print_notes(warnings: Sequence[str]) -> None:
    """Flush the standard output, then write each warning to standard error."""
    sys.stdout.flush()
    for text in warnings:
        click.echo(f"note: {printable(text)}", err=True)


if __name__ == "__main__":
    main()
