"""Losses of players over many matches, by phase, with standard errors; all by one reviewer and budget."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from typing_extensions import TypedDict

from arbiter.match.spec import original
from arbiter.replay.decision_loss import LossSums, clustered_loss
from arbiter.replay.match_review import PHASES, LossByPhase, Phase

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arbiter.store.reviews import ReviewBrief


class PlayerLoss(LossByPhase):
    """The losses of a player, and the number of its matches."""

    matches: int


class SeasonLosses(TypedDict):
    """The losses of players as the program `by` finds them, the smallest mean loss first."""

    by: str
    budget: int
    matches: int
    players: list[PlayerLoss]


def losses_of(briefs: Iterable[ReviewBrief]) -> SeasonLosses | None:
    """Return the losses of all players in reviewed matches; None without reviews.

    With several reviewers, those by the one with the most reviews; copies count as their original.
    """
    by_reviewer: dict[tuple[str, int], list[ReviewBrief]] = defaultdict(list)
    for brief in briefs:
        by_reviewer[brief.by, brief.budget_ms].append(brief)
    if not by_reviewer:
        return None
    (by, budget), chosen = max(by_reviewer.items(), key=lambda item: (len(item[1]), item[0]))
    of: dict[str, list[dict[Phase, LossSums]]] = defaultdict(list)
    mistakes: Counter[str] = Counter()
    for brief in chosen:
        in_match: dict[str, dict[Phase, LossSums]] = {}
        for seat in brief.shape["seats"]:
            name = original(seat["player"])
            mine = in_match.setdefault(name, dict.fromkeys(PHASES, LossSums()))
            mistakes[name] += seat["mistakes"]
            for phase in PHASES:
                number, total = seat["sums"].get(phase, (0, 0.0))
                mine[phase] = LossSums(mine[phase].decisions + number, mine[phase].total + total)
        for name, losses in in_match.items():
            of[name].append(losses)
    players: list[PlayerLoss] = [
        {
            "player": name,
            "matches": len(matches),
            "mistakes": mistakes[name],
            "phases": {phase: clustered_loss([match[phase] for match in matches]) for phase in PHASES},
            **clustered_loss([LossSums.together(match.values()) for match in matches]),
        }
        for name, matches in of.items()
    ]
    players.sort(key=lambda row: (row["mean_loss"] is None, row["mean_loss"] or 0, row["player"]))
    return {"by": by, "budget": budget, "matches": len(chosen), "players": players}
