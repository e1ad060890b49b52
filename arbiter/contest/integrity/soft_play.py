"""Soft play: players who do better at a table with another player than the strengths of all there predict.

`rating.softplay` tests the points. Reviews of matches, if any, add the helper's mean loss by its decisions at
tables with both, and at its others. They do not enter q, since the organiser chooses which matches to review.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import rating
from arbiter.match.spec import original
from arbiter.replay.decision_loss import LossSums, clustered_loss, rounded
from arbiter.season.config.settings_diff import registered_name
from arbiter.season.order_effects import orders_after
from arbiter.text import counted
from rating.meetings import LEAST
from rating.softplay import PlayedTables, find_soft_play_and_reach

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arbiter.contest.integrity.schema import ReviewedLoss, SoftPlay, SoftPlayReach
    from arbiter.match.record import MatchSummary
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore
    from arbiter.store.reviews import ReviewBrief
    from rating.meetings import Reach
    from rating.softplay import Help


def find_soft_play(
    stored: SeasonStore, config: Config, last_round: int
) -> tuple[list[SoftPlay], SoftPlayReach]:
    """Load matches up to a round; return suspicious pairs, the surest first, and how many had enough data.

    Matches that do not count, have a substitute or ended by a fault are left out.
    """
    force = orders_after(stored.orders.read().given, last_round)
    matches = [match for match in force.counted(stored.summaries(last_round)) if match.substitute is None]
    tables = PlayedTables.from_matches(map(by_author, matches))
    house = {entry.registered_name for entry in config.entries if entry.role}
    found, reach = find_soft_play_and_reach(tables, last_round, config.rounds, house)
    rows = [_soft_play_row(one, _reviewed_loss(stored, matches, one)) for one in found]
    return rows, {**reach._asdict(), "least": LEAST, "say": reach_sentence(reach, config.rounds)}  # type: ignore[typeddict-item]


def reach_sentence(reach: Reach, rounds: int) -> str:
    """Return a sentence on how many pairs can be tested in a season of `rounds`, and from which round on."""
    if reach.able:
        return f"{reach.able} of {counted(reach.pairs, 'pair')} could be tested"
    if not reach.pairs:
        return "no two players sat at a table of three or more; none could be tested yet"
    said = f"{reach.met} of {counted(reach.pairs, 'pair')} were at {LEAST} tables or more together, and apart"
    if reach.earliest is None:
        return f"{said}; a test needs at least five players"
    said += f"; no test before round {reach.earliest}"
    if reach.typical is not None and reach.typical > reach.earliest:
        said += f", for most pairs at this rate not before round {reach.typical}"
    return said + f" (the season has {rounds})" * (max(reach.earliest, reach.typical or 0) > rounds)


def by_author(match: MatchSummary) -> rating.Match:
    """Convert a match for `rating.softplay`: copies of a house bot are one, an author owns all versions."""
    names = [original(name) for name in match.players]
    return rating.Match(
        players=names,
        points=match.points,
        faulty=match.faulty,
        owners=[registered_name(name) for name in names],
        round=match.round,
        table=match.table,
        id=match.id,
    )


def _reviewed_loss(stored: SeasonStore, matches: Iterable[MatchSummary], pair: Help) -> ReviewedLoss | None:
    """Load the helper's losses by the program and budget that reviewed most matches; None without reviews."""
    authors = {match.id: {registered_name(original(name)) for name in match.players} for match in matches}
    table_of = {match.id: (match.round, match.table) for match in matches}
    briefs = list(stored.reviews.briefs([name for name, of in authors.items() if pair.helper in of]))
    if not briefs:
        return None
    ((by, budget), _), *_ = Counter((brief.by, brief.budget_ms) for brief in briefs).most_common(1)
    tables: dict[bool, defaultdict[object, list[LossSums]]] = {
        here: defaultdict(list) for here in (True, False)
    }
    for brief in briefs:
        if (brief.by, brief.budget_ms) == (by, budget):
            of_table = tables[pair.helped in authors[brief.match]][table_of[brief.match]]
            of_table += _losses_of_author(brief, pair.helper)
    # The matches of a table have the same deals, so tables are the clusters.
    there, elsewhere = (
        clustered_loss([LossSums.together(losses) for losses in tables[here].values() if losses])
        for here in (True, False)
    )
    more = se = None
    if there["mean_loss"] is not None and elsewhere["mean_loss"] is not None:
        more = there["mean_loss"] - elsewhere["mean_loss"]
        if there["se"] is not None and elsewhere["se"] is not None:
            se = math.hypot(there["se"], elsewhere["se"])
    return {"by": by, "there": there, "elsewhere": elsewhere, "more": rounded(more), "se": rounded(se)}


def _losses_of_author(brief: ReviewBrief, author: str) -> Iterable[LossSums]:
    for seat in brief.shape["seats"]:
        if registered_name(original(seat["player"])) == author:
            yield from (LossSums(number, total) for number, total in seat["sums"].values())


def _soft_play_row(one: Help, reviewed: ReviewedLoss | None) -> SoftPlay:
    """Return a pair as a row: rounded figures, the `reviewed` losses, and the question in words."""
    return {
        "helper": one.helper,
        "helped": one.helped,
        "effect": round(one.gain, 3),
        "se": round(one.gain_se, 3),
        "q": float(f"{one.q:.2g}"),
        "loss": round(one.loss, 3),
        "loss_se": round(one.loss_se, 3),
        "spread": round(one.spread, 3),
        "together": one.together,
        "apart": one.apart,
        "reviewed": reviewed,
        "say": _question(one, reviewed),
    }


def _question(one: Help, reviewed: ReviewedLoss | None) -> str:
    """Return the question why one does better with the other, with the effects and `reviewed` losses."""
    gain, loss = 1.96 * one.gain_se, 1.96 * one.loss_se
    said = (
        f"Why does {one.helped} do better with {one.helper}? In points per match it is {one.gain:.1f} ±"
        f" {gain:.1f} stronger at their {one.together} tables than at its other {one.apart},"
        f" {one.helper} {abs(one.loss):.1f} ± {loss:.1f} {'weaker' if one.loss >= 0 else 'stronger'}"
    )
    if reviewed is not None and reviewed["more"] is not None:
        there, elsewhere = reviewed["there"]["mean_loss"], reviewed["elsewhere"]["mean_loss"]
        said += (
            f"; by {reviewed['by']} its decisions lose {there:.2f} points there, {elsewhere:.2f} elsewhere"
        )
    return f"{said} (q = {one.q:.0e})"
