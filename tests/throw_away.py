"""A player that gives away every match in which its friend is behind, for tests of what that is worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arbiter.games import make
from arbiter.match import original
from arbiter.testing import ScriptedBot, play_by_policy, play_in_memory, random_policy

if TYPE_CHECKING:
    from arbiter.match import MatchSpec
    from arbiter.record import MatchRecord

DEALS = "{name: planning, deals: [[1, 0], [2, 1], [3, 2], [3, 3], [2, 0], [1, 1]]}"


@dataclass(frozen=True)
class ThrowAway:
    """True records of matches between equals, in which `thrower` crashes at its last request where `friend` sits
    at the table and does not get more points than each of the others would."""

    thrower: str
    friend: str

    def __call__(self, spec: MatchSpec) -> MatchRecord:
        game = make(spec.game, spec.options)
        record = play_by_policy(game, random_policy(spec.id), spec)
        names = [original(player.name) for player in spec.players]
        if not {self.thrower, self.friend} <= set(names) or record.points is None:
            return record
        out, mine = names.index(self.thrower), record.points[names.index(self.friend)]
        rivals = [points for name, points in zip(names, record.points, strict=True) if name != self.friend]
        if mine > max(rivals):
            return record
        asked = sum(move.seat == out and move.request == "gen_move" for move in record.moves)
        bots = [
            ScriptedBot.replaying(record, seat, {("gen_move", asked - 1): None} if seat == out else None)
            for seat in range(len(names))
        ]
        return play_in_memory(game, bots, spec)
