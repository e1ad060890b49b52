"""A match as text for people who watch: every hand is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arbiter.envs.play import NOBODY
from arbiter.view import hand_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arbiter.envs.play import Play
    from arbiter.rules import AnyGame, Seat


def text(play: Play, agents: Sequence[str], note: str = "") -> str:
    """Points so far, the hands, what was done in this deal, and who is to act; ends with a line end.

    `agents` are the names by seat, `note` a last line.
    """
    # A last deal that is over is among those played, and still the one to be shown.
    number = len(play.played) + bool(play.state.to_act)
    sheet = play.game.scoresheet(play.deal, play.answers())
    return scene(play.game, number, play.totals, play.state, play.turn, sheet, agents, note)


def scene(
    game: AnyGame,
    number: int,
    totals: Sequence[int],
    state: Any,
    turn: Seat,
    sheet: Iterable[str],
    agents: Sequence[str],
    note: str,
) -> str:
    """The same of a deal by its parts: its number from 1, the points, who is to act, what was done."""
    width = max(map(len, agents)) + 2
    points = "   ".join(f"{name}: {total}" for name, total in zip(agents, totals, strict=True))
    lines = [f"{game.title}, deal {number}   points  {points}"]
    for seat, (name, hand) in enumerate(zip(agents, game.shown(state).hands, strict=True)):
        mark = " <" if seat == turn else ""
        lines.append(f"{name:{width}}{hand_line(game, hand)}{mark}")
    lines += sheet
    if turn == NOBODY:
        lines.append("the match is over")
    if note:
        lines.append(note)
    return "\n".join(line.rstrip() for line in lines) + "\n"
