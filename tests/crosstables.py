"""Crosstables of two kinds, what `rating` read and what the ledger has, in one form to compare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rating
from arbiter.season.ledger import to_rating

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arbiter.record import MatchSummary
    from rating.crosstable import PairTable


def pairwise(summaries: Iterable[MatchSummary], names: Iterable[str] = ()) -> dict[str, Any]:
    """The crosstable: players, and matrices of the row's wins, draws, losses against the column.

    `names` come first, in their order.
    """
    table = rating.PairTable.from_matches(map(to_rating, summaries), players=names)
    n = len(table.players)
    counts = {name: [[0] * n for _ in range(n)] for name in ("wins", "draws", "losses")}
    pairs = table.pairs()
    for i, j, won, drawn, lost in zip(
        pairs.i.tolist(), pairs.j.tolist(), *pairs.counts.astype(int).tolist(), strict=True
    ):
        counts["wins"][i][j] = counts["losses"][j][i] = won
        counts["draws"][i][j] = counts["draws"][j][i] = drawn
        counts["losses"][i][j] = counts["wins"][j][i] = lost
    return {"players": list(table.players), **counts}


def counted(table: PairTable) -> dict[tuple[str, str], list[int]]:
    """Wins, draws and losses by pair of names, in the order of the names."""
    found = {}
    pairs = table.pairs()
    for i, j, *counts in zip(
        pairs.i.tolist(), pairs.j.tolist(), *pairs.totals.astype(int).tolist(), strict=True
    ):
        one, other = table.players[i], table.players[j]
        if one > other:
            one, other, counts = other, one, counts[::-1]
        found[one, other] = counts
    return found


def crosstable(shape: dict[str, Any]) -> dict[tuple[str, str], list[int]]:
    """The same of what `pairwise` gives."""
    names = shape["players"]
    cells = {
        (one, other): [shape[kind][i][j] for kind in ("wins", "draws", "losses")]
        for i, one in enumerate(names)
        for j, other in enumerate(names)
        if one < other
    }
    return {pair: counts for pair, counts in cells.items() if any(counts)}
