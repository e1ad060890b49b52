"""An arena whose matches no program plays: what came of each is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.contest.agents.arena import AgentArena
from arbiter.contest.agents.gauntlet_rounds import play
from arbiter.match.record import Fault, Forfeit
from tests.fixtures.executor import Scripted
from tests.fixtures.records import record

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import TypeAlias

    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec

    Points: TypeAlias = Callable[[MatchSpec], Sequence[int] | None]

__all__ = ["AGES", "arena_of", "giving", "play"]

AGES = 1e9
GAME = "{name: planning, seats: 2, deals: [[1, 0]]}"


def arena_of(folder: Path, rungs: Sequence[str] = ("strong", "weak"), versions: int = 1) -> AgentArena:
    """An arena with so many accepted versions, none of which has files."""
    players = "".join(f"  - {{name: {name}, command: [sh, -c, exit]}}\n" for name in rungs)
    text = f"game: {GAME}\nisolation: plain\nplayers:\n{players}"
    (folder / "season.yaml").write_text(text)
    arena = AgentArena.read(folder)
    with arena.open() as (_, stored):
        for number in range(1, versions + 1):
            sent, _ = stored.submissions.add(arena.name, f"{number:064x}", f"file{number}", 9)
            program = {"command": ["sh", "-c", f"exit {number}"], "read": [], "files": {}}
            stored.submissions.accept(sent.id, [], program)
    return arena


def giving(points: Points) -> Scripted:
    """Gives each match these points by seat; None is a fault of the agent's bot."""

    def play_match(spec: MatchSpec) -> MatchRecord:
        names = tuple(player.name for player in spec.players)
        place = {"players": names, "table": spec.table, "rotation": spec.rotation}
        found = points(spec)
        if found is not None:
            return record(spec.id, spec.round or 0, points=tuple(found), **place)
        seat = next(seat for seat, name in enumerate(names) if name.startswith("agent@"))
        fault = Forfeit(seat, names[seat], Fault.ILLEGAL, "2C is not in hand " * 40, "gen_move", "= 2C")
        return record(spec.id, spec.round or 0, points=None, forfeit=fault, **place)

    return Scripted(play_match)
