"""Many matches between the same bots, and their tally, without a season's file.

A block is one set of deals in all seatings of the table. Blocks are independent, matches of a block are not,
since they have the same cards: so intervals are over blocks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from itertools import count, islice
from statistics import fmean
from typing import TYPE_CHECKING, Any

import rating
from arbiter.match.spec import COPY_MARK, MatchSpec, original
from arbiter.trials.gauntlet import faults_of, results_of, score_of
from arbiter.trials.regression.blocks import half_width

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from arbiter.games.game import AnyGame
    from arbiter.match.record import MatchSummary
    from arbiter.match.spec import Limits, Player


@dataclass(frozen=True, slots=True)
class MatchSeries:
    """A table of `players`, and the seed of its deals; block k has the deals of round `first_round` + k.

    With `deals`, all blocks have these.
    """

    game: AnyGame
    players: tuple[Player, ...]
    limits: Limits
    seed: str
    first_round: int = 1
    deals: tuple[Mapping[str, Any], ...] | None = None

    def blocks(self, matches: int) -> Iterator[list[MatchSpec]]:
        """Yield blocks with this number of matches in all; the last block may be incomplete."""
        size = len(self.game.seatings)
        for number, begun in zip(count(self.first_round), range(0, matches, size), strict=False):
            yield list(islice(self._block(number), matches - begun))

    def _block(self, number: int) -> Iterator[MatchSpec]:
        """Yield the matches of round `number`, one for each rotation."""
        for rotation, places in enumerate(self.game.seatings):
            yield MatchSpec(
                id=f"r{number:03d}/t01/m{rotation}",
                season="",
                round=number,
                table=1,
                rotation=rotation,
                game=self.game.name,
                options=self.game.options,
                seed=self.seed,
                players=tuple(self.players[place] for place in places),
                limits=self.limits,
                deals=self.deals,
            )


def name_copies(players: Sequence[Player]) -> tuple[Player, ...]:
    """Rename players with an equal command as copies of the first, with which they have no result."""
    names: dict[tuple[object, ...], str] = {}
    copies: Counter[str] = Counter()
    named = []
    for player in players:
        program = (player.command, player.folder, *sorted(player.env.items()))
        name = names.setdefault(program, player.name)
        copies[name] += 1
        named.append(replace(player, name=f"{name}{COPY_MARK}{copies[name]}" if copies[name] > 1 else name))
    return tuple(named)


def series_tally(series: MatchSeries, matches: Sequence[MatchSummary]) -> dict[str, Any]:
    """Return the documented result of a series: a row for each player, copies as one, the best first.

    Points are means of the player's seats in matches without a fault; intervals are 95 %, None with fewer
    than two blocks. Elo and its interval are those of `rating.rate`, around the mean of all players.
    """
    names = list(dict.fromkeys(original(player.name) for player in series.players))
    table = results_of(matches, names[0], names[1:])
    commands = {original(player.name): list(player.command) for player in series.players}
    rows = [
        {
            "player": row.player,
            "command": commands[row.player],
            "matches": row.matches,
            **_mean_points(matches, row.player, "points_a_match", by_deal=False),
            **_mean_points(matches, row.player, "points_a_deal", by_deal=True),
            "wins": row.wins,
            "draws": row.draws,
            "losses": row.losses,
            "score": score_of(row.wins, row.draws, row.losses),
            "elo": row.elo,
            "low": row.low,
            "high": row.high,
            "faults": faults_of(matches, row.player),
        }
        for row in rating.rate(table).rows
    ]
    return {
        "game": series.game.name,
        "options": series.game.options,
        "seed": series.seed,
        "matches": len(matches),
        "rotations": len(series.game.seatings),
        "players": rows,
    }


def _mean_points(matches: Sequence[MatchSummary], player: str, key: str, by_deal: bool) -> dict[str, Any]:
    """Return under `key` the mean points of a player's seats in a match, or `by_deal` in a deal.

    Under `key`_interval are its ends, None with fewer than two blocks.
    """
    blocks: dict[int, list[float]] = defaultdict(list)
    for match in matches:
        deals = len(match.scores or ()) if by_deal else 1
        for name, points in zip(match.players, match.points or (), strict=False):
            if deals and original(name) == player:
                blocks[match.round or 0].append(points / deals)
    means = [fmean(points) for points in blocks.values()]
    mean, half = fmean(means) if means else None, half_width(means)
    interval = None if mean is None or half is None else [mean - half, mean + half]
    return {key: mean, f"{key}_interval": interval}
