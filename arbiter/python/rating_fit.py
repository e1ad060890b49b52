"""Rate match results by BayesElo's model, with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import TYPE_CHECKING, Any, SupportsFloat, SupportsIndex, TypeAlias, cast

import rating
from arbiter.errors import ConfigError, did_you_mean
from arbiter.match.record import MatchRecord, MatchSummary
from arbiter.match.spec import original
from arbiter.python.joining import PlayedGame, check_games, check_programs, one_line
from arbiter.python.match_results import MatchResults
from arbiter.python.season_reader import SeasonReader
from arbiter.python.table_types import DataFrame, LosTable, RatingTable, SeatTable
from arbiter.season.ledger import to_rating
from arbiter.text import counted, html_table, in_columns, number, svg_text

if TYPE_CHECKING:
    from rating.fit.kinds import Kind

Row: TypeAlias = Mapping[str, Any]
"""The row of a table for one seat of a match."""
Rateable: TypeAlias = (
    SeasonReader
    | Iterable[MatchRecord]
    | Iterable[MatchSummary]
    | Iterable[rating.Match]
    | Iterable[Row]
    | Mapping[str, Sequence[Any]]
    | SeatTable
    | DataFrame
)
NO_RESULTS = "no-results"
"""The note that makes all others pointless."""
HEADER = ("#", "player", "Elo", "±", "matches", "won", "drawn", "lost", "faults")


def fit(
    results: Rateable,
    *,
    intervals: Kind = "round",
    level: float = 0.95,
    prior: float = 2.0,
    anchors: Mapping[str, float] | None = None,
) -> RatingFit:
    """Rate results by BayesElo's model, with intervals that allow for correlated results of one deal.

    `results` are `MatchResults`, an open season or its `counted()`, match records, `rating.Match`, or a table
    as `MatchResults.table` returns it, in columns, rows or a data frame: `match`, `player` and `points`, one
    row for each seat, and if known `fault`, `seat`, `side`, `round`, `table`, `season`, `seed`, `substitute`,
    `program`, `game`, `options`. A match needs the rows of all its seats, not rows of a player.

    Matches that share a value of `intervals` (``round``, ``table`` or ``match``) may be correlated; ``model``
    takes all results as independent. `level` is the coverage, `prior` the virtual draws of each player.
    The mean rating is 0, or the ratings of `anchors` have their known mean. ConfigError for what cannot be
    rated, for results of several games or options, and for different programs of one name.
    """
    for name, value in {"level": level, "prior": prior, **_named(anchors)}.items():
        check_number(name, value)
    try:
        matches = _matches(results)
        if not matches:
            raise ConfigError("results: expected at least one match, got none")
        table = rating.PairTable.from_matches(matches)
        for name in anchors or {}:
            if name not in table.players:
                raise ConfigError(f"anchors: no player {name!r}", hint=did_you_mean(str(name), table.players))
        of = rating.intervals(rating.bayeselo(table, prior=prior), intervals, level=level)
        return RatingFit(rating.rank(rating.scaled(of, anchors or {})), level, _repeats(results))
    except rating.RatingError as error:
        raise ConfigError(str(error)) from None


def _named(anchors: object) -> dict[str, Any]:
    """Return the ratings of anchors by what a message calls them; ConfigError for no mapping."""
    if anchors is not None and not isinstance(anchors, Mapping):
        raise ConfigError(f"anchors: expected a mapping of names to ratings, got {one_line(anchors)}")
    return {f"anchors: {name}": elo for name, elo in (anchors or {}).items()}


def check_number(name: str, value: object) -> None:
    """Raise ConfigError for a value that is no number."""
    if isinstance(value, bool) or not isinstance(value, SupportsFloat):
        raise ConfigError(f"{name}: expected a number, got {one_line(value)}")


@dataclass(frozen=True, slots=True, repr=False)
class RatingFit:
    """Fitted ratings; as text and in a notebook, a row for each player, the best first.

    ``fitted["greedy"]`` is a player's row, ``for row in fitted`` goes through all, and ``"greedy" in fitted``
    asks for a name; `ranking` is the fit in the terms of `rating`.
    """

    ranking: rating.Ranking
    level: float = 0.95
    repeats: int = 0
    """Matches with the deals, players and moves of another one."""

    @property
    def rows(self) -> tuple[rating.Rating, ...]:
        """The players from the best to the worst: rank, player, elo, low, high, and their results."""
        return self.ranking.rows

    @property
    def warnings(self) -> tuple[str, ...]:
        """What limits the ratings, in sentences."""
        found = [note.text for note in self.ranking.notices if note.name == NO_RESULTS] or _merged(
            self.ranking.warnings
        )
        if self.repeats:
            repeats = counted(self.repeats, "match")
            found.append(
                f"{repeats} repeated, with the same deals, players and moves: they count twice here, "
                "so leave them out, or play them with another seed"
            )
        return tuple(found)

    def __getitem__(self, player: str) -> rating.Rating:
        """Return a player's row; ConfigError for an unknown name."""
        return self.rows[self._place(player)]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[rating.Rating]:
        return iter(self.rows)

    def __contains__(self, player: object) -> bool:
        return any(row.player == player for row in self.rows)

    def los(self, player: str, other: str) -> float:
        """Return the likelihood of superiority: the probability that `player` is stronger than `other`.

        ConfigError for an unknown name.
        """
        return self.ranking.better(self[player].player, self[other].player)

    def los_table(self) -> LosTable:
        """Return `los` as columns that a data frame takes: a row for each `player` and `opponent`.

        ``pandas.DataFrame(fitted.los_table()).pivot(index="player", columns="opponent", values="los")`` has
        in each row the probabilities that its player is stronger than the others.
        """
        pairs = [*permutations([row.player for row in self.rows], 2)]
        return {
            "player": [one for one, _ in pairs],
            "opponent": [other for _, other in pairs],
            "los": [self.los(one, other) for one, other in pairs],
        }

    def table(self) -> RatingTable:
        """Return the rows as columns that a data frame takes.

        rank, player, elo, low, high, sd (Elo; None without results), matches, results, wins, draws, losses
        (against single opponents), points, faults.
        """
        columns = {name: [getattr(row, name) for row in self.rows] for name in RatingTable.__annotations__}
        return cast("RatingTable", columns)

    def _place(self, player: str) -> int:
        names = [row.player for row in self.rows]
        if player not in names:
            raise ConfigError(f"no player {player!r}", hint=did_you_mean(str(player), names))
        return names.index(player)

    def _lines(self) -> list[list[str]]:
        return [
            [
                str(row.rank),
                row.player,
                number(row.elo),
                number(_half(row)),
                *map(str, (row.matches, row.wins, row.draws, row.losses, row.faults)),
            ]
            for row in self.rows
        ]

    def __repr__(self) -> str:
        best = self.rows[0]
        return f"<RatingFit: {counted(len(self), 'player')}, {best.player} first with {number(best.elo)} Elo>"

    def __str__(self) -> str:
        return "\n".join([in_columns([HEADER, *self._lines()]), *(f"note: {text}" for text in self.warnings)])

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>note: {svg_text(text)}</p>" for text in self.warnings)
        return html_table(HEADER, self._lines()) + notes


def _merged(notes: Iterable[str]) -> list[str]:
    """Join notes of one cause about the same players: ``cause, so this and that: players``."""
    found: dict[tuple[str, str], list[str]] = {}
    for note in notes:
        said, _, players = note.partition(": ")
        cause, _, effect = said.partition(", so ")
        found.setdefault((cause, players), []).extend([effect] if effect else [])
    return [
        cause + (", so " if effects else "") + " and ".join(effects) + (": " if players else "") + players
        for (cause, players), effects in found.items()
    ]


def _half(row: rating.Rating) -> float | None:
    return None if row.high is None or row.low is None else (row.high - row.low) / 2


def _matches(results: Any) -> list[rating.Match]:
    """Return matches for `rating`; ConfigError for what is neither a match nor a row."""
    if isinstance(results, SeasonReader):
        return [to_rating(match) for match in results.counted()]
    if hasattr(results, "columns") and hasattr(results, "collect"):
        raise ConfigError("results: expected a data frame, got a lazy one", hint="call .collect()")
    if isinstance(results, Mapping) or hasattr(results, "columns"):
        columns = results.columns if hasattr(results, "columns") else results
        results = [
            dict(zip(columns, row, strict=True))
            for row in zip(*(list(results[name]) for name in columns), strict=True)
        ]
    if isinstance(results, str | bytes | Mapping) or not isinstance(results, Iterable):
        hint = "arbiter.load_results(file) reads one" if isinstance(results, str) else ""
        expected = "results: expected MatchResults, a season, match records or a table"
        raise ConfigError(f"{expected}, got {one_line(results)}", hint=hint)
    records: list[MatchRecord] = []
    found: list[rating.Match] = []
    rows: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for one in results:
        if isinstance(one, MatchRecord):
            records.append(one)
        elif isinstance(one, rating.Match):
            found.append(one)
        elif isinstance(one, MatchSummary):
            found.append(to_rating(one))
        elif isinstance(one, Mapping):
            if missing := [name for name in ("match", "player", "points") if name not in one]:
                raise ConfigError(f"the table has no column {missing[0]}")
            rows.setdefault((*_event(one), one["match"]), []).append(one)
        else:
            hint = "+ joins results" if isinstance(one, MatchResults) else ""
            message = f"results: expected a match record or a row of a table, got {one_line(one)}"
            raise ConfigError(message, hint=hint)
    check_games(
        [PlayedGame.of(record) for record in records]
        + [_game_of(row) for seats in rows.values() for row in seats if "game" in row]
    )
    programs: dict[str, str] = {}
    rounds: dict[tuple[Any, ...], int] = {}
    for record in records:
        check_programs(zip(record.players, record.programs, strict=False), programs)
        summary = record.summary()
        found.append(
            to_rating(
                replace(
                    summary,
                    players=tuple(map(original, summary.players)),
                    round=_number(rounds, (record.season, record.seed), summary.round),
                )
            )
        )
    # Matches of one game with the same options have as many seats.
    whole: dict[tuple[str, str], int] = {}
    for at_table in rows.values():
        if "game" in at_table[0] and "options" in at_table[0]:
            played = str(at_table[0]["game"]), str(at_table[0]["options"])
            whole[played] = max(whole.get(played, 0), _count_seats(at_table))
    for at_table in rows.values():
        played = str(at_table[0].get("game")), str(at_table[0].get("options"))
        if len(at_table) < (seats := whole.get(played) or _count_seats(at_table)):
            hint = "fit needs the rows of all seats: select whole matches"
            raise ConfigError(
                f"match {at_table[0]['match']} has rows of {len(at_table)} of {seats} seats", hint=hint
            )
        event = _event(at_table[0])
        check_programs(((str(row["player"]), _known(row, "program", "")) for row in at_table), programs)
        found.append(_match_of_rows(at_table, _number(rounds, event, _known(at_table[0], "round"))))
    return found


def _repeats(results: Any) -> int:
    """Return the number of records with the deals, the players and the moves of an earlier one."""
    records = (
        (one for one in results if isinstance(one, MatchRecord)) if isinstance(results, Sequence) else ()
    )
    played = [
        (one.season, one.seed, one.round, one.deal_hash, one.players, *(move[:4] for move in one.moves))
        for one in records
    ]
    return len(played) - len({*played})


def _count_seats(rows: Iterable[Row]) -> int:
    """Return the number of seats that rows show to exist, 0 without seats."""
    seats = (_known(row, "seat") for row in rows)
    found = (
        seat
        for seat in seats
        if isinstance(seat, SupportsIndex) or (type(seat) is float and seat.is_integer())
    )
    return 1 + max(map(int, found), default=-1)


def _game_of(row: Mapping[str, Any]) -> PlayedGame:
    return PlayedGame(*(str(_known(row, name, "")) for name in PlayedGame._fields))


def _event(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what the rounds of a row are counted in: its season and its seed, where the table has them."""
    return _known(row, "season", ""), _known(row, "seed", "")


def _number(rounds: dict[tuple[Any, ...], int], event: tuple[Any, ...], number: Any) -> int | None:
    """Number the rounds of all events from 1: round 1 of another seed has other deals. None if unknown."""
    return None if number is None else rounds.setdefault((*event, number), len(rounds) + 1)


def _match_of_rows(rows: list[Mapping[str, Any]], number: int | None) -> rating.Match:
    """Return the match of its seats' rows, of a round; ConfigError for other values than numbers."""
    seats = [seat for row in rows if (seat := _known(row, "seat")) is not None]
    if len(seats) > len({*seats}):
        hint = "join results with + before table(), which gives each match another id"
        raise ConfigError(f"the table has a seat of match {rows[0]['match']} twice", hint=hint)
    try:
        rows = sorted(rows, key=lambda row: int(_known(row, "seat", 0)))
        points = [_known(row, "points") for row in rows]
        faulty = next((seat for seat, row in enumerate(rows) if _known(row, "fault") is not None), None)
        sides = [_known(row, "side", seat) for seat, row in enumerate(rows)]
        table = _known(rows[0], "table")
        return rating.Match(
            players=[original(str(row["player"])) for row in rows],
            points=None if None in points else [float(value) for value in points],
            faulty=faulty,
            sides=[int(side) for side in sides],
            owners=[original(str(row["player"])) for row in rows],
            round=number,
            table=None if table is None else int(table),
            id=str(rows[0]["match"]),
            unrated=[seat for seat, row in enumerate(rows) if _known(row, "substitute", False)],
        )
    except (TypeError, ValueError, OverflowError) as error:
        raise ConfigError(f"match {rows[0]['match']}: {error}") from None


def _known(row: Mapping[str, Any], name: str, default: Any = None) -> Any:
    """Return a cell; the default for None and for the NaN that data frames have in its place."""
    value = row.get(name)
    return default if value is None or value != value else value
