"""A block of a regression test: its matches and its score.

If the versions meet each other, a block is one set of deals in all seatings of `Game.duels`, and its score
the mean over all results between candidate and base. With a field it is one table with randomly drawn
places, once with the candidate and once with the base, in all seatings; its score is (1 + mean result of the
candidate - mean result of the base) / 2.

The margin is the mean lead in points of candidate over base, match by match; with a field it is the
candidate's mean lead less the base's.

A fault of a version loses all its results in that match, and those of its copy. After a fault of any other
player the block does not count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import stdev
from typing import TYPE_CHECKING, NamedTuple

from arbiter.games.cards import Stream
from arbiter.match.spec import COPY_MARK, MatchSpec, original
from arbiter.season.schedule import agreed_limits
from arbiter.trials.regression.program_identity import BASE, CANDIDATE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from arbiter.games.game import AnyGame
    from arbiter.match.record import MatchSummary
    from arbiter.match.spec import Limits, Player


LEVEL = 0.95
"""Confidence of the interval of a mean over blocks."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """The versions and players that meet in blocks under this `name`, the game, and the limits.

    `field` are the players that both versions meet; it is empty if they meet each other.
    """

    name: str
    game: AnyGame
    base: Player
    candidate: Player
    field: tuple[Player, ...]
    limits: Limits


class BlockScore(NamedTuple):
    """The candidate's `score` from 0 to 1, None if the block does not count, and each match's score by id.

    With a field, `matches` has those of the base too. `margin` is the mean lead in points, `offset` the
    share of the score from matches lost by faults, which have no points.
    """

    score: float | None
    matches: Mapping[str, float | None]
    margin: float = 0.0
    offset: float = 0.0


def block_specs(meeting: Meeting, seed: str, block: int, table: int | None = None) -> Iterator[MatchSpec]:
    """Yield the matches of a block, counted from 1; its deals are those of the round with its number.

    With several candidates each has its own `table`, on the same deals.
    """
    place = f"b{block:04d}" if table is None else f"b{block:04d}/t{table:02d}"
    for number, (game, players) in enumerate(_seatings(meeting, seed, block)):
        yield MatchSpec(
            id=f"{place}/m{number}",
            season=meeting.name,
            round=block,
            table=table or 1,
            rotation=number,
            game=game.name,
            options=game.options,
            seed=seed,
            players=players,
            limits=agreed_limits(meeting.limits, players),
        )


def block_score(against_field: bool, matches: Iterable[MatchSummary]) -> BlockScore:
    """Return score, margin and offset of a complete block; the score is None if it does not count.

    `against_field`: the second half of `matches` are the base's.
    """
    played = list(matches)
    scores = {match.id: match_score(match) for match in played}
    if None in scores.values():
        return BlockScore(None, scores)
    # With a field, the second half are the base's matches.
    half = len(played) // 2 if against_field else len(played)
    score, margin, offset = _means(played[:half])
    if against_field:
        base_score, base_margin, base_offset = _means(played[half:])
        score, offset = (1.0 + score - base_score) / 2.0, (offset - base_offset) / 2.0
        margin -= base_margin
    return BlockScore(score, scores, margin, offset)


def half_width(scores: Sequence[float]) -> float | None:
    """Return half the 95 % interval of a mean over blocks, by Student's t; None for fewer than two blocks.

    Blocks are independent; the matches in a block are not, since they have the same cards.
    """
    from scipy.special import stdtrit

    if len(scores) < 2:
        return None
    return float(stdtrit(len(scores) - 1, 0.5 + LEVEL / 2)) * stdev(scores) / math.sqrt(len(scores))


def match_score(match: MatchSummary) -> float | None:
    """Return the mean result of the version at the table (see `version_at`); None after others' faults."""
    own = version_at(match.players)
    mine = [seat for seat, name in enumerate(match.players) if original(name) == own]
    if match.faulty is not None:
        return 0.0 if match.faulty in mine else None
    return sum(0.5 + 0.5 * ((lead > 0) - (lead < 0)) for lead in leads(match)) / len(leads(match))


def leads(match: MatchSummary) -> list[int]:
    """Return the leads in points of the version's seats over each opponent's seat; [] after a fault."""
    own, points, sides = version_at(match.players), match.points or (), match.sides
    mine = [seat for seat in range(len(points)) if original(match.players[seat]) == own]
    return [
        points[seat] - points[other]
        for seat in mine
        for other in range(len(points))
        if other not in mine and (sides is None or sides[seat] != sides[other])
    ]


def version_at(players: Sequence[str]) -> str:
    """Return the version whose match it is: the candidate, or the base in its matches with the field."""
    return CANDIDATE if CANDIDATE in players else BASE


def _means(matches: Sequence[MatchSummary]) -> tuple[float, float, float]:
    """Return mean score, margin and offset of matches that all have a score."""
    many = len(matches)
    ahead = [leads(match) for match in matches if match.faulty is None]
    return (
        sum(match_score(match) or 0.0 for match in matches) / many,
        sum(sum(lead) / len(lead) for lead in ahead) / many,
        -0.5 * (many - len(ahead)) / many,
    )


def _seatings(meeting: Meeting, seed: str, block: int) -> Iterator[tuple[AnyGame, tuple[Player, ...]]]:
    """Yield the game of each match of a block, and the players by seat."""
    game = meeting.game
    if not meeting.field:
        versions = (meeting.candidate, meeting.base)
        for played, seats in game.duels:
            players = tuple(versions[version] for version in seats)
            # A version that has both seats of a side is one player.
            yield played, players if played.sides is not None else _rename_copies(players)
        return
    order = Stream("arbiter-field-1", seed, block).shuffled(len(meeting.field))
    rivals = [meeting.field[order[place % len(order)]] for place in range(game.table_size - 1)]
    for version in (meeting.candidate, meeting.base):
        table = _rename_copies([version, *rivals])
        for places in game.seatings:
            yield game, tuple(table[place] for place in places)


def _rename_copies(players: Sequence[Player]) -> tuple[Player, ...]:
    """Rename repeated players as copies, like those of house bots."""
    seen: dict[str, int] = {}
    found = []
    for player in players:
        seen[player.name] = count = seen.get(player.name, 0) + 1
        found.append(player if count == 1 else replace(player, name=f"{player.name}{COPY_MARK}{count}"))
    return tuple(found)
