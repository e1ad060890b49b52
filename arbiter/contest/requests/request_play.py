"""Play of a request: its matches one after the other, until it is over.

Stored matches count and are not played again, even if the process was killed.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from arbiter.contest.requests.request import GAUNTLET, REGRESS
from arbiter.errors import ConfigError
from arbiter.match.spec import COPY_MARK
from arbiter.season.config.settings_diff import VERSION_MARK
from arbiter.season.roster import with_versions
from arbiter.season.schedule import match_specs, player_called
from arbiter.store.versions import ACCEPTED
from arbiter.trials.gauntlet import Gauntlet
from arbiter.trials.regression.blocks import block_specs
from arbiter.trials.regression.experiment import Experiment, stop_rule
from arbiter.trials.regression.own_season import open_season
from arbiter.trials.regression.program_identity import BASE, CANDIDATE
from arbiter.trials.regression.trial_state import Trial

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arbiter.match.packing import PackedMatch
    from arbiter.match.record import MatchSummary
    from arbiter.match.spec import MatchSpec, Player
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore, Store
    from arbiter.store.request_queue import Request

LEVELS = {"elo0": 0.0, "elo1": 30.0, "evidence": True}
"""The hypotheses of a requested regression test: a smaller difference would need too many matches."""


class RequestBoard(NamedTuple):
    """Matches on the same deals: their number, the tables that meet, and all seatings of these."""

    number: int
    tables: Sequence[Sequence[str]]
    specs: Sequence[MatchSpec]


class RequestPlay:
    """The matches of a request: `next` returns the one to play, `add` stores it.

    `trial` is the regression test if the request is for one, else None.
    """

    def __init__(self, request: Request, config: Config, season: SeasonStore, store: Store) -> None:
        """Read progress from `store`, that of requests; `config` and `season` are the rated season's.

        ConfigError if a program has been removed.
        """
        self.request = request
        self.config = _with_players(config, season, request)
        self.season = open_season(store, request.place, config.game.name)
        self.trial = None if request.kind != REGRESS else Trial(_experiment(self.config, request))
        self.matches: list[MatchSummary] = []
        self._board: list[MatchSpec] = []
        self._boards = self._all_boards()
        for match in self.season.summaries():
            self._add_result(match)

    @property
    def is_whole(self) -> bool:
        """True if no board is in progress: it is over, or `next` has not looked for one yet."""
        return not self._board

    def next(self) -> MatchSpec | None:
        """Store the tables of the next board when it begins; return its next match, None if none is left."""
        if self.trial is not None and self.trial.verdict is not None:
            return None
        while not self._board:
            board = next(self._boards, None)
            if board is None:
                return None
            there = self.season.match_ids(board.number)
            if not there:
                self._store_tables(board)
            self._board = [spec for spec in board.specs if spec.id not in there]
        return self._board[0]

    def add(self, match: PackedMatch) -> None:
        """Store the match that `next` returned, and count it in `matches` and `trial`."""
        self.season.add_packed(match)
        self._board = self._board[1:]
        self._add_result(match.summary)

    def _add_result(self, match: MatchSummary) -> None:
        """Add a stored match to `matches` and to the trial."""
        self.matches.append(match)
        if self.trial is not None:
            self.trial.add(match)

    def _store_tables(self, board: RequestBoard) -> None:
        """Store the board's tables, unless they are stored."""
        if not self.season.tables(board.number):
            self.season.add_round(board.number, self.config.digest, board.tables, self.config.settings)

    def _all_boards(self) -> Iterator[RequestBoard]:
        """Yield boards up to the request's number of matches."""
        most = self.request.most
        for number in count(1):
            board = board_of(self.request, self.config, self.season.seed, number, self.trial)
            most -= len(board.specs)
            if most < 0:
                return
            yield board


def board_of(request: Request, config: Config, seed: str, number: int, trial: Trial | None) -> RequestBoard:
    """Return a board of a request, counted from 1: its matches on the same deals."""
    wish = request.wish
    if trial is not None:
        specs = list(block_specs(trial.experiment, seed, number))
        return RequestBoard(number, [sorted({player.name for player in specs[0].players})], specs)
    player, against = wish["player"], tuple(wish["against"])
    if request.kind == GAUNTLET:
        tables = Gauntlet(request.place, config, player, against, ()).tables(seed, number)
    else:
        tables = [[player, *_filled(against, config.game.table_size - 1)]]
    deals = wish.get("deals")
    given = None if deals is None else tuple(deals)
    specs = [replace(spec, deals=given) for spec in match_specs(config, seed, number, tables)]
    return RequestBoard(number, tables, specs)


def _filled(names: Sequence[str], seats: int) -> list[str]:
    """Fill the seats with names in turn; repeated names become copies."""
    return [
        names[place % len(names)] + (f"{COPY_MARK}{place // len(names) + 1}" if place >= len(names) else "")
        for place in range(seats)
    ]


def _with_players(config: Config, season: SeasonStore, request: Request) -> Config:
    """Load the versions in a request; return the season's config with them, ConfigError if one is gone."""
    of_file = {entry.player.name for entry in config.entries}
    found = []
    for name in (request.wish["player"], *request.wish["against"]):
        if name in of_file:
            continue
        author, _, version = name.partition(VERSION_MARK)
        sent = [
            one
            for one in season.submissions.of(author)
            if str(one.version) == version and one.state == ACCEPTED
        ]
        if not sent:
            raise ConfigError(f"{name} was removed: its files were dropped, or it left the season")
        found += sent
    return with_versions(config, found)


def _experiment(config: Config, request: Request) -> Experiment:
    """Return the regression test of a version against another player, with `arbiter regress`'s stop rule."""
    players = {entry.player.name: entry.player for entry in config.entries}
    game, (base,) = config.game, request.wish["against"]

    def player_in_role(name: str, role: str) -> Player:
        return replace(player_called(players, name), name=role)

    return Experiment(
        name=request.place,
        game=game,
        base=player_in_role(base, BASE),
        candidate=player_in_role(request.wish["player"], CANDIDATE),
        field=(),
        limits=config.limits,
        test=stop_rule(game, LEVELS, most_blocks=request.most // len(game.duels)),
    )
