"""`standings`, `marks`, `crosstable`, `matches`: what a store holds, as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from arbiter.cli.opening import look, open_stored
from arbiter.cli.options import (
    config_argument,
    format_option,
    format_option_of,
    store_option,
    table_format_option,
)
from arbiter.cli.output import counted, print_as, print_json, print_table, result_text, seat_names
from arbiter.cli.standings import show_history, show_standings
from arbiter.config.changes import registered_name
from arbiter.errors import ConfigError, did_you_mean
from arbiter.picture.first_place import first_place
from arbiter.picture.grades import Grade, grades
from arbiter.picture.marks import marked, ranked
from arbiter.season.administration import unknown_round
from arbiter.season.orders import first_id, force, suspended_now

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.cli.opening import Seen
    from arbiter.match import MatchSummary
    from arbiter.store import Order


@click.command()
@config_argument
@click.option("--after-round", type=click.IntRange(min=1), help="As they were after this round.")
@click.option("--history", is_flag=True, help="Each player's rating after each round.")
@click.option("--official", is_flag=True, help="Without house and withdrawn players; equals share a rank.")
@store_option
@table_format_option
def standings(
    config: str, after_round: int | None, history: bool, official: bool, store_url: str | None, style: str
) -> None:
    """Ratings after the last complete round, with 95 % intervals; or how they came about.

    Example: arbiter standings configs/demo.yaml --format json
    """
    found = look(config, store_url)
    last = found.season.complete
    if after_round is not None and after_round > last:
        raise ConfigError(
            f"--after-round {after_round}: {counted(last, 'round')} {'is' if last == 1 else 'are'} complete"
        )
    if history and official:
        raise ConfigError("--official does not go with --history")
    if history:
        show_history(found.name, [found.standings(n + 1) for n in range(after_round or last)], style)
        return
    shape = found.standings(after_round or last)
    now = suspended_now(found.season, last) if after_round in (None, last) else None
    if official:
        show_standings(_official(found, shape, after_round or last, now), style)
    else:
        show_standings(marked(shape, found.players, now), style)


def _official(
    found: Seen, standings: dict[str, Any], after: int, suspended: Mapping[str, str] | None
) -> dict[str, Any]:
    """Standings of those who rank officially, with the first place."""
    from arbiter.season.results import Results

    shape = ranked(standings, found.players, suspended)
    rows = [row for row in shape["players"] if row["rank"] is not None]
    ranking = Results(found.config(), found.season).ranking(after)
    is_last = after == len(found.season.rounds()) == found.season.complete
    over = is_last and found.season.seed_told() is not None
    return {**shape, "players": rows, "first": first_place(rows, over, ranking.better)}


@click.command()
@config_argument
@store_option
@format_option_of("csv", "text", "json", "markdown", text="A table for a spreadsheet, for people, or JSON.")
def marks(config: str, store_url: str | None, style: str) -> None:
    """A line for each author of a course: rank, Elo with its interval, and a mark.

    The mark says how many of the organiser's bots the author's program is rated above: those of the season's
    file, or where nobody sends programs its house bots, the other players being the authors.

    Example: arbiter marks configs/demo.yaml > marks.csv
    """
    found = look(config, store_url)
    last, authors = found.season.complete, found.season.authors.all()
    names = {author.name for author in authors if not author.organiser}
    rungs = {
        rated
        for rated, house in found.players.items()
        if house or (names and registered_name(rated) not in names)
    }
    names = names or {registered_name(rated) for rated in found.players.keys() - rungs}
    standings = found.standings(last) if last else {"players": []}
    lines = grades(standings, names, rungs, found.players.keys())
    columns = Grade._fields
    rows = [[round(cell) if isinstance(cell, float) else cell for cell in line] for line in lines]
    cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
    texts = [columns.index(name) for name in ("author", "above", "note")]
    print_as(style, [line._asdict() for line in lines], (columns, rows), (columns, cells), left=texts)


@click.command()
@config_argument
@store_option
@table_format_option
def crosstable(config: str, store_url: str | None, style: str) -> None:
    """Pairwise results of all complete rounds: won-drawn-lost of the row against the column.

    Example: arbiter crosstable configs/demo.yaml
    """
    from arbiter.season.results import Results

    table = Results(*open_stored(config, store_url)).crosstable()
    names, outcomes = table["players"], [table[key] for key in ("wins", "draws", "losses")]
    # A cell is won, drawn, lost of the row against the column.
    cells = [[[of[i][j] for of in outcomes] for j in range(len(names))] for i in range(len(names))]
    pairs = [
        (name, names[j], *cell)
        for i, name in enumerate(names)
        for j, cell in enumerate(cells[i])
        if i != j and any(cell)
    ]
    lines = [
        [
            f"{i + 1}",
            name,
            *("-".join(map(str, cell)) if i != j and any(cell) else "" for j, cell in enumerate(cells[i])),
        ]
        for i, name in enumerate(names)
    ]
    headings = ["#", "player", *(str(i + 1) for i in range(len(names)))]
    columns = ("player", "opponent", "wins", "draws", "losses")
    print_as(style, table, (columns, pairs), (headings, lines), left=(1,))


@click.command()
@config_argument
@click.option("--round", "round_number", type=click.IntRange(min=1), help="Of this round only.")
@click.option("--player", help="Of this player only.")
@store_option
@format_option
def matches(
    config: str, round_number: int | None, player: str | None, store_url: str | None, style: str
) -> None:
    """Every stored match with its points, or who forfeited and why.

    Example: arbiter matches configs/demo.yaml --round 1 --player greedy
    """
    looked_at = look(config, store_url)
    season, found = looked_at.season, looked_at.season.summaries()
    playing = {name for match in found for name in match.players}
    if player is not None and player not in playing:
        known = playing or {entry.player.name for entry in looked_at.config().entries}
        raise ConfigError(f"no player {player!r}", hint=did_you_mean(player, sorted(known)))
    last = max((stored.number for stored in season.rounds()), default=0)
    if round_number is not None and round_number > last:
        raise unknown_round(round_number, last)
    holds = force(season.orders.read().given)
    annulled, superfluous = holds.annulled, holds.superfluous(found) if holds.replayed else []
    chosen = [
        match
        for match in found
        if (round_number is None or match.round == round_number)
        and (player is None or player in match.players)
    ]
    if style == "json":
        print_json([_match_json(match, annulled.get(match.id)) for match in chosen])
        return
    rows = []
    for match in chosen:
        seats, ended = seat_names(match), ""
        if match.points is None:
            ended = result_text(match)
        else:
            seats = [f"{name} {points}" for name, points in zip(seats, match.points, strict=True)]
        if (order := annulled.get(match.id)) is not None:
            ended = "; ".join(filter(None, [f"annulled: {order.because}", ended]))
        elif match.id in superfluous:
            again = f"does not count: {first_id(match.id)} was played again"
            ended = "; ".join(filter(None, [again, ended]))
        rows.append([match.id, *seats, ended])
    seats = [f"seat {seat}" for seat in range(looked_at.game.seats)]
    print_table(["match", *seats, "forfeit"], rows, left=range(len(seats) + 2))


def _match_json(match: MatchSummary, annulled: Order | None) -> dict[str, Any]:
    shape = match.to_json()
    forfeit = None
    if match.faulty is not None:
        forfeit = {
            "seat": match.faulty,
            "player": match.players[match.faulty],
            "fault": match.fault,
            "detail": match.detail,
        }
    for name in ("faulty", "fault", "detail", "sides"):
        del shape[name]
    return {**shape, "forfeit": forfeit, "annulled": None if annulled is None else annulled.because}
