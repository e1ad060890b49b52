"""One player of a season against the others, out of competition: what is it worth?

The matches are those of the season's game, limits and players, with deals of their own, and lie in the store
under a name of their own, which holds a digest of all that they depend on, programs included: so an
interrupted gauntlet goes on, and no result counts in the season.

In a round the player meets every opponent, at tables of the game's size in all their seatings, on the same
deals. Who sits together is drawn by lot, each opponent once before any comes again; where there are too few
to fill a table, copies of them join.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NotRequired, Self, TypeAlias

from typing_extensions import TypedDict

import rating
from arbiter.errors import ConfigError, did_you_mean
from arbiter.games.cards import Stream
from arbiter.match.spec import COPY_MARK, original
from arbiter.season.config.keys import Key, keys_that_are
from arbiter.season.ledger import to_rating
from arbiter.season.schedule import match_specs
from arbiter.season.settings import GAUNTLET
from arbiter.store.address import file_of
from arbiter.store.sqlite import companions
from arbiter.trials.regression.own_season import find_name, open_season
from arbiter.trials.regression.program_identity import CONTENTS, Digests, kept, name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy as np

    from arbiter.match.record import MatchSummary
    from arbiter.match.spec import MatchSpec
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore, Store

OF_THE_SEASON = keys_that_are(Key.BETWEEN)
"""Settings of a season that change no match."""


Ends: TypeAlias = "tuple[float, float, float] | tuple[None, None, None]"
"""A rating and the ends of its interval."""


class OpponentRow(TypedDict):
    """The results against an opponent, in all seats at once; `score` is the share of them won.

    `faults` are the opponent's; those that were kept of earlier requests lack them.
    """

    player: str
    matches: int
    wins: int
    draws: int
    losses: int
    score: float | None
    faults: NotRequired[int]


@dataclass(frozen=True, slots=True)
class Gauntlet:
    """A gauntlet's `name` in the store, its `player` and `opponents` by the names that they are rated by.

    `settings` are what its name stands for; `notes` name files that do not count by their content.
    """

    name: str
    config: Config
    player: str
    opponents: tuple[str, ...]
    notes: tuple[str, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, config: Config, player: str, against: Sequence[str] = ()) -> Gauntlet:
        """A gauntlet of a season's player, `against` some or, without any, all others but house bots.

        ConfigError for names that are none of the season's.
        """
        me = _called(config, player, "--player")
        named = tuple(dict.fromkeys(_called(config, name, "--against") for name in against))
        if me in named:
            raise ConfigError(f"--against {me}: it does not meet itself", str(config.file))
        others = [
            entry.player.name for entry in config.entries if not entry.house and entry.player.name != me
        ]
        opponents = named or tuple(others)
        if not opponents:
            raise ConfigError(f"{me} has nobody to meet", str(config.file), "name a house bot with --against")
        there = file_of(config.store)
        ours = (config.file, *(() if there is None else (there, *companions(str(there)))))
        digests = Digests(map(type(config.file), ours))
        by_name = {entry.player.name: entry.player for entry in config.entries}
        settings: dict[str, Any] = {
            "season": config.season,
            "settings": {key: value for key, value in config.settings.items() if key not in OF_THE_SEASON},
            "players": [kept(by_name[name], digests) for name in (me, *opponents)],
            CONTENTS: digests.contents,
        }
        name = name_of(settings, GAUNTLET)
        return cls(name, replace(config, season=name), me, opponents, tuple(digests.notes), settings)

    def resumed(
        self,
        store: Store,
        rounds: int = 0,
        fresh: bool = False,
        accept: bool = False,
        tell: Callable[[str], None] = lambda _: None,
    ) -> Self:
        """The gauntlet where it stands in the store, or begins, by `find_name`; `tell` gets why.

        It is over once it has so many `rounds`.
        """

        def is_over(name: str) -> bool:
            season = store.season(name)
            return season is not None and all(
                len(season.match_ids(number)) == len(self.specs(season.seed, number))
                for number in range(1, rounds + 1)
            )

        name = find_name(self.name, self.settings, store, is_over, fresh, accept, tell)
        return replace(self, name=name, config=replace(self.config, season=name))

    def open(self, store: Store) -> SeasonStore:
        """Find the gauntlet in the store, or make it, with a seed drawn for it."""
        return open_season(store, self.name, self.config.game.name, self.settings)

    def specs(self, seed: str, number: int) -> list[MatchSpec]:
        """The matches of a round, counted from 1."""
        return list(match_specs(self.config, seed, number, self.tables(seed, number)))

    def tables(self, seed: str, number: int) -> list[list[str]]:
        """Return the tables of a round, the player first at every one."""
        room = self.config.game.table_size - 1
        copies = range(1, -(-room // len(self.opponents)) + 1)
        pool = [
            f"{name}{COPY_MARK}{copy}" if copy > 1 else name for copy in copies for name in self.opponents
        ]
        a_round = tables_of(len(self.opponents), room)
        drawn = _drawn_tables(pool, room, seed)
        every = [next(drawn) for _ in range(number * a_round)]
        return [[self.player, *others] for others in every[-a_round:]]


def tables_of(opponents: int, room: int) -> int:
    """How many tables a round has in which so many opponents, and copies of few, are met, `room` at each."""
    copies = max(-(-room // opponents), 1)
    return -(-opponents * copies // room)


def _called(config: Config, name: str, option: str) -> str:
    """The name that a player is rated by, given that or the one that it is registered under."""
    rated = [entry.player.name for entry in config.entries]
    if name in rated:
        return name
    versions = [entry.player.name for entry in config.entries if entry.registered_name == name]
    if len(versions) != 1:
        hint = f"one of {', '.join(versions)}" if versions else did_you_mean(name, rated)
        raise ConfigError(f"{option} {name}: there is no such player", str(config.file), hint)
    return versions[0]


def _drawn_tables(pool: Sequence[str], room: int, seed: str) -> Iterator[list[str]]:
    """Tables without end, each of `room` of the pool: all once, in the order of a lot, before any again."""
    waiting: list[str] = []
    lots = 0
    while True:
        table: list[str] = []
        while len(table) < room:
            able = next((name for name in waiting if name not in table), None)
            if able is None:
                lots += 1
                waiting += [
                    pool[place] for place in Stream("arbiter-gauntlet-1", seed, lots).shuffled(len(pool))
                ]
                continue
            waiting.remove(able)
            table.append(able)
        yield table


def outcome(
    gauntlet: Gauntlet, matches: Iterable[MatchSummary], standings: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The documented result of a gauntlet; `standings` are the season's, None before its first round.

    Where all opponents have ratings in them, those hold. Else all are fitted together from the gauntlet's
    results, and the player's is what it has above their mean.
    """
    played = list(matches)
    table = results_of(played, gauntlet.player, gauntlet.opponents)
    rated = {row["player"]: row["elo"] for row in standings["players"]} if standings else {}
    anchored = all(rated.get(name) is not None for name in gauntlet.opponents)
    if anchored and standings:
        # A site starts without it.
        import numpy as np

        elo = np.array([0.0, *(rated[name] for name in gauntlet.opponents)])
        found = rating.rate_one(table, gauntlet.player, elo, standings["drawelo"])
        mine: Ends = (None, None, None) if found is None else (found.elo, found.low, found.high)
        theirs = dict(zip(gauntlet.opponents, elo[1:].tolist(), strict=True))
    else:
        mine, theirs = _fitted(table, gauntlet)
    return {
        "name": gauntlet.name,
        "player": gauntlet.player,
        "game": gauntlet.config.game.name,
        "rounds": max((match.round or 0 for match in played), default=0),
        "matches": len(played),
        "elo": mine[0],
        "low": mine[1],
        "high": mine[2],
        "anchored": anchored,
        "points": float(table.points[0]),
        "faults": faults_of(played, gauntlet.player),
        "opponents": [
            {"player": row["player"], "elo": theirs[row["player"]], **row}
            for row in rows_against(table, played, gauntlet.opponents)
        ],
    }


def _fitted(table: rating.PairTable, gauntlet: Gauntlet) -> tuple[Ends, dict[str, float | None]]:
    """The player's rating above the mean of its opponents, its ends, and theirs around that mean."""
    rows = {row.player: row for row in rating.rate(table).rows}
    own = rows[gauntlet.player]
    if own.elo is None or own.low is None or own.high is None:
        return (None, None, None), dict.fromkeys(gauntlet.opponents)
    there = [row for name, row in rows.items() if name != gauntlet.player and row.elo is not None]
    middle = sum(row.elo or 0.0 for row in there) / len(there)
    # All together have the mean 0, so the distance to the others' is so many times the own rating.
    scale = (len(there) + 1) / len(there)
    mine = own.elo * scale, own.low * scale, own.high * scale
    return mine, {
        name: None if (elo := rows[name].elo) is None else elo - middle for name in gauntlet.opponents
    }


def rows_against(
    table: rating.PairTable, played: Sequence[MatchSummary], opponents: Sequence[str]
) -> list[OpponentRow]:
    """A row for each opponent, seen from player 0 of a table of `results_of` these matches."""
    rows: list[OpponentRow] = []
    for number, name in enumerate(opponents, 1):
        seen = _results_against(table, number)
        wins, losses = int((seen > 0).sum()), int((seen < 0).sum())
        draws = seen.size - wins - losses
        rows.append(
            {
                "player": name,
                "matches": sum(name in map(original, match.players) for match in played),
                "wins": wins,
                "draws": draws,
                "losses": losses,
                "score": score_of(wins, draws, losses),
                "faults": sum(_faulty(match) == name for match in played),
            }
        )
    return rows


def faults_of(matches: Iterable[MatchSummary], player: str) -> dict[str, int]:
    """How often matches were ended by faults of a player, or of its copies, by kind."""
    return dict(sorted(Counter(str(match.fault) for match in matches if _faulty(match) == player).items()))


def score_of(wins: int, draws: int, losses: int) -> float | None:
    """The share of results won, a draw being half of one; None without any."""
    return (wins + 0.5 * draws) / (wins + draws + losses) if wins + draws + losses else None


def results_of(matches: Iterable[MatchSummary], player: str, opponents: Sequence[str]) -> rating.PairTable:
    """The results of matches, copies under the names of their originals; the player has the number 0."""
    found = [
        replace(to_rating(match), players=[original(name) for name in match.players], owners=None)
        for match in matches
    ]
    return rating.PairTable.from_matches(found, players=(player, *opponents))


def _results_against(table: rating.PairTable, number: int) -> np.ndarray:
    """What player 0 of a table had of each result against another one: 1 for a win, 0, -1."""
    import numpy as np

    mine = (table.first == 0) & (table.second == number)
    theirs = (table.first == number) & (table.second == 0)
    return np.concatenate([table.outcome[mine], -table.outcome[theirs]])


def _faulty(match: MatchSummary) -> str | None:
    return None if match.faulty is None else original(match.players[match.faulty])
