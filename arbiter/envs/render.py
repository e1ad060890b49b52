"""A match as text for people who watch: every hand is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.envs.play import Play


def text(play: Play, agents: Sequence[str], note: str = "") -> str:
    """Points so far, the hands, what was done in this deal, and who is to act; ends with a line end.

    `agents` are the names by seat, `note` a last line.
    """
    game, width = play.game, max(map(len, agents)) + 2
    # A last deal that is over is among those played, and still the one to be shown.
    number = len(play.played) + bool(play.state.to_act)
    totals = "   ".join(f"{name}: {total}" for name, total in zip(agents, play.totals, strict=True))
    lines = [f"{game.title}, deal {number}   points  {totals}"]
    for seat, name in enumerate(agents):
        mark = " <" if seat == play.turn else ""
        cards = game.hand_text(sorted(game.hand(play.state, seat)))
        lines.append(f"{name:{width}}{cards}{mark}")
    lines += game.scoresheet(play.deal, play.answers())
    if play.over:
        lines.append("the match is over")
    if note:
        lines.append(note)
    return "\n".join(line.rstrip() for line in lines) + "\n"
