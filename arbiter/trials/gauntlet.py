"""Rate one player of a season against the others, out of competition.

The matches have the season's game, limits and players, but other deals. They are stored under a name that
holds a digest of all that they depend on, programs included: an interrupted gauntlet continues, and no
result counts in the season.

In a round the player meets every opponent, at tables of the game's size in all seatings, on the same deals.
Tables are drawn at random, each opponent once before any comes again; copies of opponents fill tables for
which there are too few.
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
from arbiter.trials.regression.program_identity import CONTENTS, Digests, name_of, player_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy as np

    from arbiter.match.record import MatchSummary
    from arbiter.match.spec import MatchSpec
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore, Store

OF_THE_SEASON = keys_that_are(Key.BETWEEN)
"""Settings of a season that change no match."""


RatingEnds: TypeAlias = "tuple[float, float, float] | tuple[None, None, None]"
"""A rating and the ends of its interval."""


class OpponentRow(TypedDict):
    """The results against an opponent, over all seats; `score` is the share won.

    `faults` are the opponent's; results stored by older versions lack them.
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
    """A gauntlet: its `name` in the store, its `player` and its `opponents` by their rated names.

    `settings` are what the name's digest covers; `notes` name files whose content is not in it.
    """

    name: str
    config: Config
    player: str
    opponents: tuple[str, ...]
    notes: tuple[str, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, config: Config, player: str, against: Sequence[str] = ()) -> Gauntlet:
        """Return the gauntlet of a player `against` some, by default all but house bots. ConfigError."""
        me = _rated_name_of(config, player, "--player")
        named = tuple(dict.fromkeys(_rated_name_of(config, name, "--against") for name in against))
        if me in named:
            raise ConfigError(f"--against {me}: a player cannot meet itself", str(config.file))
        others = [
            entry.player.name for entry in config.entries if not entry.house and entry.player.name != me
        ]
        opponents = named or tuple(others)
        if not opponents:
            raise ConfigError(f"no opponents for {me}", str(config.file), "name a house bot with --against")
        there = file_of(config.store)
        ours = (config.file, *(() if there is None else (there, *companions(str(there)))))
        digests = Digests(map(type(config.file), ours))
        by_name = {entry.player.name: entry.player for entry in config.entries}
        settings: dict[str, Any] = {
            "season": config.season,
            "settings": {key: value for key, value in config.settings.items() if key not in OF_THE_SEASON},
            "players": [player_settings(by_name[name], digests) for name in (me, *opponents)],
            CONTENTS: digests.contents,
        }
        name = name_of(settings, GAUNTLET)
        return cls(name, replace(config, season=name), me, opponents, tuple(digests.notes), settings)

    def resume(
        self,
        store: Store,
        rounds: int = 0,
        fresh: bool = False,
        accept: bool = False,
        tell: Callable[[str], None] = lambda _: None,
    ) -> Self:
        """Find the gauntlet's name in the store, by `find_name`, and return the gauntlet under it.

        It is over after `rounds` rounds. `tell` is called with a line about changed programs.
        """

        def is_over(name: str) -> bool:
            """True if all matches of `rounds` rounds are stored."""
            season = store.season(name)
            return season is not None and all(
                len(season.match_ids(number)) == len(self.specs(season.seed, number))
                for number in range(1, rounds + 1)
            )

        name = find_name(self.name, self.settings, store, is_over, fresh, accept, tell)
        return replace(self, name=name, config=replace(self.config, season=name))

    def open(self, store: Store) -> SeasonStore:
        """Find the gauntlet in the store, or create it with a random seed."""
        return open_season(store, self.name, self.config.game.name, self.settings)

    def specs(self, seed: str, number: int) -> list[MatchSpec]:
        """Return the matches of a round, counted from 1."""
        return list(match_specs(self.config, seed, number, self.tables(seed, number)))

    def tables(self, seed: str, number: int) -> list[list[str]]:
        """Return the tables of a round, the player first at each."""
        room = self.config.game.table_size - 1
        copies = range(1, -(-room // len(self.opponents)) + 1)
        pool = [
            f"{name}{COPY_MARK}{copy}" if copy > 1 else name for copy in copies for name in self.opponents
        ]
        a_round = tables_of(len(self.opponents), room)
        drawn = _draw_tables(pool, room, seed)
        every = [next(drawn) for _ in range(number * a_round)]
        return [[self.player, *others] for others in every[-a_round:]]


def tables_of(opponents: int, room: int) -> int:
    """Return the number of tables in a round that has this many opponents, `room` at each table."""
    copies = max(-(-room // opponents), 1)
    return -(-opponents * copies // room)


def _rated_name_of(config: Config, name: str, option: str) -> str:
    """Return the rated name of a player by that or a registered one; ConfigError names the `option`."""
    rated = [entry.player.name for entry in config.entries]
    if name in rated:
        return name
    versions = [entry.player.name for entry in config.entries if entry.registered_name == name]
    if len(versions) != 1:
        hint = f"one of {', '.join(versions)}" if versions else did_you_mean(name, rated)
        raise ConfigError(f"{option} {name}: no such player", str(config.file), hint)
    return versions[0]


def _draw_tables(pool: Sequence[str], room: int, seed: str) -> Iterator[list[str]]:
    """Yield tables without end, each of `room` of the pool: all once in random order before any again."""
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


def gauntlet_result(
    gauntlet: Gauntlet, matches: Iterable[MatchSummary], standings: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the documented result of a gauntlet; `standings` are the season's, None before its first round.

    If all opponents have ratings in them, those stay fixed. Otherwise all are fitted together from the
    gauntlet's results, and the player's rating is relative to their mean.
    """
    played = list(matches)
    table = results_of(played, gauntlet.player, gauntlet.opponents)
    rated = {row["player"]: row["elo"] for row in standings["players"]} if standings else {}
    anchored = all(rated.get(name) is not None for name in gauntlet.opponents)
    if anchored and standings:
        # Imported here, so that a site starts without it.
        import numpy as np

        elo = np.array([0.0, *(rated[name] for name in gauntlet.opponents)])
        found = rating.rate_one(table, gauntlet.player, elo, standings["drawelo"])
        mine: RatingEnds = (None, None, None) if found is None else (found.elo, found.low, found.high)
        theirs = dict(zip(gauntlet.opponents, elo[1:].tolist(), strict=True))
    else:
        mine, theirs = _rate_jointly(table, gauntlet)
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


def _rate_jointly(table: rating.PairTable, gauntlet: Gauntlet) -> tuple[RatingEnds, dict[str, float | None]]:
    """Return the player's rating above its opponents' mean with its interval, and theirs around that mean."""
    rows = {row.player: row for row in rating.rate(table).rows}
    own = rows[gauntlet.player]
    if own.elo is None or own.low is None or own.high is None:
        return (None, None, None), dict.fromkeys(gauntlet.opponents)
    there = [row for name, row in rows.items() if name != gauntlet.player and row.elo is not None]
    middle = sum(row.elo or 0.0 for row in there) / len(there)
    # All together have the mean 0, so the distance to the others' mean is the own rating times this.
    scale = (len(there) + 1) / len(there)
    mine = own.elo * scale, own.low * scale, own.high * scale
    return mine, {
        name: None if (elo := rows[name].elo) is None else elo - middle for name in gauntlet.opponents
    }


def rows_against(
    table: rating.PairTable, played: Sequence[MatchSummary], opponents: Sequence[str]
) -> list[OpponentRow]:
    """Return each opponent's results against player 0 of the table, and its faults in these matches."""
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
                "faults": sum(_at_fault(match) == name for match in played),
            }
        )
    return rows


def faults_of(matches: Iterable[MatchSummary], player: str) -> dict[str, int]:
    """Return the number of matches ended by faults of a player or its copies, by kind."""
    return dict(sorted(Counter(str(match.fault) for match in matches if _at_fault(match) == player).items()))


def score_of(wins: int, draws: int, losses: int) -> float | None:
    """Return the share of results won, a draw counting half; None without results."""
    return (wins + 0.5 * draws) / (wins + draws + losses) if wins + draws + losses else None


def results_of(matches: Iterable[MatchSummary], player: str, opponents: Sequence[str]) -> rating.PairTable:
    """Return the results of matches, copies under their originals' names; the player has the number 0."""
    found = [
        replace(to_rating(match), players=[original(name) for name in match.players], owners=None)
        for match in matches
    ]
    return rating.PairTable.from_matches(found, players=(player, *opponents))


def _results_against(table: rating.PairTable, number: int) -> np.ndarray:
    """Return player 0's results against another player: 1 for a win, 0 for a draw, -1 for a loss."""
    import numpy as np

    mine = (table.first == 0) & (table.second == number)
    theirs = (table.first == number) & (table.second == 0)
    return np.concatenate([table.outcome[mine], -table.outcome[theirs]])


def _at_fault(match: MatchSummary) -> str | None:
    """Return the player, a copy as its original, whose fault ended a match; None without one."""
    return None if match.faulty is None else original(match.players[match.faulty])
