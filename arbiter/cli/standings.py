"""`standings`, `crosstable`, `matches`: results as tables."""

from __future__ import annotations

from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from arbiter.cli.match_filter import MatchFilter, filter_options, find_names
from arbiter.cli.match_source import is_match_source
from arbiter.cli.open_season import open_stored, read_state
from arbiter.cli.options import season_options, season_output_options, table_format_option
from arbiter.cli.output import (
    print_as,
    print_json,
    print_table,
    result_text,
    say,
    seat_names,
    suspended_line,
)
from arbiter.errors import ConfigError
from arbiter.season.snapshot import season_figures as figures
from arbiter.season.snapshot.model_costs import COSTS
from arbiter.season.snapshot.ranking import ranking_after
from arbiter.season.snapshot.season_state import SeasonState
from arbiter.season.snapshot.standing_marks import RankSpread, notices, rank_spreads
from arbiter.season.snapshot.viewer import AS_ORGANISER
from arbiter.store import OrderKind
from arbiter.text import UNMARKED, counted, faults_text, joined, money, number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from arbiter.cli.output import Table
    from arbiter.season.snapshot.schema import History, SeasonCosts, Standings
    from rating.equilibrium import Nash
    from rating.ratings import Ranking
FIGURES = ["rank", "player", "elo", "low", "high", "matches", "results", "wins", "draws", "losses", "points"]
RATED = ["rank", "player", "elo", "low", "high"]
NO_SPREADS: Mapping[str, RankSpread] = MappingProxyType({})
SHOWN_ROUNDS = 10
"""Columns of a history in text: more are too wide for a terminal."""


@click.command()
@click.option("--after-round", type=click.IntRange(min=1), help="Standings after this round.")
@click.option("--history", is_flag=True, help="Show each player's rating after each round.")
@click.option("--official", is_flag=True, help="Leave out house bots, rungs and withdrawn players.")
@click.option(
    "--also",
    type=click.Choice(["nash"]),
    help="Add a column: the score against the equilibrium mixture of players.",
)
@season_options
@table_format_option
def standings(
    config: str,
    after_round: int | None,
    history: bool,
    official: bool,
    also: str | None,
    store_url: str | None,
    style: str,
) -> None:
    """Show ratings with their intervals.

    They are the ratings after the last complete round, with 95 % intervals. CSV also has the 95 % interval of
    each rank, and the players that it is not told apart from.

    Example: arbiter standings configs/demo.yaml --format json
    """
    state = read_state(config, store_url)
    last = state.complete
    if after_round is not None and after_round > last:
        expected = f"expected at most {last}, the number of complete rounds"
        raise ConfigError(f"--after-round: {expected}, got {after_round}")
    if history and (official or also):
        raise ConfigError(f"{'--official' if official else '--also'} cannot be combined with --history")
    if history:
        show_history(figures.history(state, after_round, official=False), style)
        return
    earlier = (
        ranking_after(state.config, state.stored, after_round)
        if official and after_round not in (None, last)
        else None
    )
    shape = figures.standings(state, after_round, official, earlier)
    if official:
        shape["players"] = [row for row in shape["players"] if row["rank"] is not None]
    scores = None
    if also is not None and shape["players"]:
        scores = _equilibrium_scores(ranking_after(state.config, state.stored, after_round or last))
    spreads: Mapping[str, RankSpread] = {}
    if style == "csv" and shape["players"]:
        now = after_round in (None, last)
        ranking = (
            state.ranking
            if now
            else earlier or ranking_after(state.config, state.stored, after_round or last)
        )
        names = [row["player"] for row in shape["players"] if row["elo"] is not None]
        spreads = {} if ranking is None else rank_spreads(ranking, names)
    show_standings(shape, style, scores, spreads)


@click.command()
@season_options
@table_format_option
def crosstable(config: str, store_url: str | None, style: str) -> None:
    """Show pairwise results.

    Cells are won-drawn-lost of the row against the column, in all complete rounds.

    Example: arbiter crosstable configs/demo.yaml
    """
    table = figures.crosstable(SeasonState.of(*open_stored(config, store_url)), official=False)
    assert table is not None
    names, cells = table["players"], table["cells"]
    lines = [
        [number, name, *("" if cell is None else "{wins}-{draws}-{losses}".format(**cell) for cell in row)]
        for number, (name, row) in enumerate(zip(names, cells, strict=True), 1)
    ]
    headings = ["#", "player", *map(str, range(1, len(names) + 1))]
    print_as(style, table, figures.pairs_of(table), (headings, lines), left=(1,))


@click.command()
@click.option("--round", "round_number", type=click.IntRange(min=1), help="List only this round.")
@click.option("--player", help="List only matches of this player; a name without @V is all its versions.")
@filter_options
@click.option("--tag", help="List only matches in which a bot noted this tag.")
@season_output_options
def matches(
    config: str,
    round_number: int | None,
    player: str | None,
    lost: str | None,
    forfeits: bool,
    tag: str | None,
    store_url: str | None,
    style: str,
) -> None:
    """List the matches of a season.

    Each has its points, or the forfeit and its reason. Options add up: --lost ann --forfeits lists the faults
    of ann.

    Example: arbiter matches configs/demo.yaml --round 1 --player greedy
    """
    if is_match_source(config):
        hint = f"arbiter show {config} lists them, with --lost and --forfeits, too"
        raise ConfigError("is a file of matches, not a season's", config, hint)
    state = read_state(config, store_url)
    playing = {name for match in state.matches for name in match.players}
    known = playing or {entry.player.name for entry in state.config.entries}
    named = [None if name is None else find_names(name, known) for name in (player, lost)]
    names = named[0] or named[1]
    last = max((stored.number for stored in state.rounds), default=0)
    if round_number is not None and round_number > last:
        from arbiter.season.administration import unknown_round

        raise unknown_round(round_number, last)
    from arbiter.season.snapshot import listings

    listed = listings.matches(state, round_number, names, tag=tag, viewer=AS_ORGANISER)
    wanted = MatchFilter(lost, forfeits)
    chosen = [match for match in listed.part(0, len(listed)) if wanted.accepts(match)]
    if style == "json":
        print_json({"matches": [listings.match_with_reason(state, match) for match in chosen], "next": None})
        return
    rows = []
    for match in chosen:
        seats, ended = seat_names(match), ""
        if match.points is None:
            ended = result_text(match)
        else:
            seats = [f"{name} {points}" for name, points in zip(seats, match.points, strict=True)]
        if (why := state.annulled.get(match.id)) is not None:
            ended = "; ".join(filter(None, [f"annulled: {why}", ended]))
        again = []
        for one in state.reruns.get(match.id, ()):
            new = one.order.verb is OrderKind.REPLAYED
            what = "replayed, before" if new else f"run {one.counts} counts again, instead of"
            again += [] if one.order.before is None else [f"{what}: {result_text(one.order.before)}"]
        rows.append([match.id, *seats, "; ".join(filter(None, [ended, *again]))])
    seats = [f"seat {seat}" for seat in range(state.file.game.seats)]
    print_table(["match", *seats, "forfeit"], rows, left=range(len(seats) + 2))


def show_standings(
    standings: Standings,
    style: str,
    scores: Nash | None = None,
    spreads: Mapping[str, RankSpread] = NO_SPREADS,
) -> None:
    """Print standings, with `scores` against the equilibrium if given; as text, with notes below.

    CSV has the `spreads` of ranks.
    """
    players: Sequence[Mapping[str, Any]] = standings["players"]
    columns = [*FIGURES, "faults", "fault_kinds", "wins_by_fault", "marks"]
    rows = [
        [
            *itemgetter(*FIGURES)(row),
            sum(row["faults"].values()),
            faults_text(row["faults"]),
            row.get("wins_by_fault"),
            " ".join(row["marks"]),
        ]
        for row in players
    ]
    if "costs" in standings:
        columns += COSTS
        rows = [[*row, *map(of.get, COSTS)] for row, of in zip(rows, players, strict=True)]
    headings, lines = _text_table(standings)
    if scores is not None:
        from rating.cli.report import nash_cells

        found = [scores.figures(row["player"]) for row in players]
        players = [{**row, "nash": figures} for row, figures in zip(players, found, strict=True)]
        columns += [f"nash_{name}" for name in found[0]] if found else []
        rows = [[*row, *figures.values()] for row, figures in zip(rows, found, strict=True)]
        headings = [*headings, "nash", "95 %", "in it"]
        lines = [[*line, *nash_cells(figures)] for line, figures in zip(lines, found, strict=True)]
    rounds = counted(standings["rounds_played"], "round")
    if spreads:
        columns += RankSpread._fields
        rows = [
            [*row, *spread_cells(spreads.get(of["player"]))] for row, of in zip(rows, players, strict=True)
        ]
    title = f"{standings['season']}: {standings['game']}, {rounds} played"
    texts = [headings.index(heading) for heading in ("player", "faults", "mark") if heading in headings]
    print_as(style, {**standings, "players": players}, (columns, rows), (headings, lines), title, left=texts)
    if style == "text":
        if standings["drawelo"] is not None:
            click.echo(f"95 % intervals by {standings['intervals']}; drawelo {standings['drawelo']:.1f}")
        if anchors := standings.get("anchors"):
            known = joined([f"{name} ({number(elo)})" for name, elo in anchors.items()])
            click.echo(f"Elo and intervals from the mean of {known}")
        if (costs := standings.get("costs")) is not None and costs["counted"] is not None:
            click.echo(_costs_in_words(costs))
        if standings["first"]:
            click.echo(standings["first"]["say"].translate(UNMARKED))
        for warning in _short_notes(standings):
            say(f"note: {warning}")


def spread_cells(spread: RankSpread | None) -> list[object]:
    """Return the cells of a rank's spread in CSV; names are separated by semicolons."""
    return [None, None, None] if spread is None else [*spread[:2], "; ".join(spread.not_apart)]


def _costs_in_words(costs: SeasonCosts) -> str:
    """``all models: 12.40 EUR, and 0.35 EUR in plays that do not count``."""
    counted, more, currency = costs["counted"] or 0.0, costs["uncounted"] or 0.0, costs["currency"]
    said = f"all models: {money(counted, counted, currency)}"
    return f"{said}, and {money(more, more, currency)} in plays that do not count" if more else said


def _equilibrium_scores(ranking: Ranking) -> Nash:
    from rating.equilibrium import nash
    from rating.errors import OptionError

    try:
        return nash(ranking.fit)
    except OptionError as error:
        raise ConfigError(f"--also nash: {error}") from None


def _short_notes(standings: Standings) -> list[str]:
    """Return the notes, with those on suspended players joined into one."""
    noticed = notices(standings["suspended"])
    out = [warning for warning in standings["warnings"] if warning in noticed]
    if len(out) < 2:
        return list(standings["warnings"])
    others = [warning for warning in standings["warnings"] if warning not in noticed]
    return [*others, suspended_line(len(out))]


def _text_table(standings: Standings) -> Table:
    """Return headings and rows for people; rarely used columns only if they have a value."""
    players = standings["players"]
    halves = [
        None if row["high"] is None or row["low"] is None else (row["high"] - row["low"]) / 2
        for row in players
    ]
    costs, each = (row.get("cost") for row in players), (row.get("cost_a_match") for row in players)
    firsts = [row.get("legal_first") for row in players]
    columns: dict[str, Sequence[object]] = {
        "#": [row["rank"] for row in players],
        "player": [row["player"] for row in players],
        "Elo": [number(row["elo"]) for row in players],
        "±": [number(half) for half in halves],
        "cost": _money(costs),
        "a match": _money(each),
        "legal first": ["" if share is None else f"{share:.1%}" for share in firsts],
        "matches": [row["matches"] for row in players],
        "points": [number(row["points"]) for row in players],
        "won": [row["wins"] for row in players],
        "drawn": [row["draws"] for row in players],
        "lost": [row["losses"] for row in players],
        "by faults": [row.get("wins_by_fault", 0) for row in players],
        "faults": [faults_text(row["faults"]) for row in players],
        "mark": [", ".join(row["marks"]) for row in players],
    }
    for seldom in ("cost", "a match", "legal first", "by faults", "mark"):
        if not any(columns[seldom]):
            del columns[seldom]
    return list(columns), list(zip(*columns.values(), strict=True))


def _money(amounts: Iterable[float | None]) -> list[str]:
    """Format amounts with equal decimals, "" for None."""
    cells = list(amounts)
    largest = max((cell for cell in cells if cell is not None), default=0.0)
    return ["" if cell is None else money(cell, largest) for cell in cells]


def show_history(history: History, style: str) -> None:
    """Print ratings after each round: all for programs, `SHOWN_ROUNDS` rounds for people."""
    rounds = history["history"]
    if not rounds and style in ("text", "markdown"):
        return
    rows = [[of["round"], *itemgetter(*RATED)(row)] for of in rounds for row in of["players"]]
    last = len(rounds)
    shown = sorted({1 + (last - 1) * k // (SHOWN_ROUNDS - 1) for k in range(SHOWN_ROUNDS)})
    elos = [{row["player"]: row["elo"] for row in rounds[after - 1]["players"]} for after in shown if rounds]
    names = [row["player"] for row in rounds[-1]["players"]] if rounds else []
    columns = ["player", *(f"round {after}" for after in shown)]
    table = [[name, *(number(elo.get(name)) for elo in elos)] for name in names]
    title = f"{history['season']}: Elo after each round"
    print_as(style, history, (["round", *RATED], rows), (columns, table), title)
