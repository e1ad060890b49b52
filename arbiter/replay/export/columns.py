"""The columns of every data set: content, type and unit.

docs/reference/data-sets.md shows these tables, and Parquet files have them in their schemas.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from arbiter import __version__
from arbiter.games.cards import published_commitment
from arbiter.games.chefs_hat.dataset_rows import CHEFS_HAT_COLUMNS as CHEFS_HAT

if TYPE_CHECKING:
    from arbiter.games.game import AnyGame

Kind: TypeAlias = Literal[
    "int", "short int", "float", "bool", "text", "ints", "texts", "hands",
    "texts by name", "ints by name", "floats by name",
]  # fmt: skip
"""The type of a column's values, which may be null; a ``short int`` has 32 bits, ``hands`` are lists of lists
of integers.
"""


class Column(NamedTuple):
    """A column: its kind, content, and unit, "" without a unit."""

    kind: Kind
    what: str
    unit: str = ""


Columns: TypeAlias = Mapping[str, Column]
_PLACE = {
    "season": Column("text", "the season's name; empty for a match outside of one"),
    "match": Column("text", "the match's id, r001/t01/m0"),
}
RESULT_COLUMNS: Columns = {
    "white": Column("text", "the player in the lower seat"),
    "black": Column("text", "the player in the higher seat"),
    "result": Column("text", "1-0, 0-1 or 1/2-1/2: White's and Black's share"),
    "round": Column("int", "from 1; null outside of a season"),
    "table": Column("int", "of the round, from 1; null outside of a season"),
    "match": Column("text", "the match's id, r001/t01/m0"),
}
"""The columns of a file of pairwise results."""
SEAT_COLUMNS: Columns = {
    **_PLACE,
    "round": Column("short int", "from 1; null outside of a season"),
    "table": Column("short int", "of the round, from 1; null outside of a season"),
    "rotation": Column("short int", "which seating of the table's players, from 0"),
    "seat": Column("short int", "from 0"),
    "player": Column("text", "who sat there"),
    "points": Column("int", "of the match; null after a fault", "points"),
    "wins": Column("short int", "results won against single opponents", "results"),
    "draws": Column("short int", "drawn ones", "results"),
    "losses": Column("short int", "lost ones", "results"),
    "fault": Column("text", "its kind, in the row of the seat that faulted"),
    "charged_ms": Column("float", "time charged to the seat's clock", "ms"),
    "cpu_ms": Column("float", "CPU time of the bot's process", "ms"),
    "peak_memory_bytes": Column("int", "the most memory that the bot's process filled", "bytes"),
    "substitute": Column("bool", "true for one who sat in for a faulty player, without results"),
}
"""The columns of `seat_rows`, in its order."""
EVENT_COLUMNS: Columns = {
    **_PLACE,
    "game": Column("text", "planning, codepiece, dou_dizhu, chefs_hat or another"),
    "round": Column("int", "from 1; null outside of a season"),
    "table": Column("int", "of the round, from 1; null outside of a season"),
    "rotation": Column("int", "which seating of the table's players, from 0"),
    "number": Column("int", "of the row in its match, from 0"),
    "event": Column("text", "deal, move, end_deal or end_match"),
    "deal": Column("int", "from 0; null for end_match"),
    "seat": Column("int", "from 0"),
    "player": Column("text", "who sat there"),
    "request": Column("text", "of a move: the command as sent, gen_move"),
    "action": Column("text", "of a move: the answer in the words of the protocol"),
    "hand": Column("text", "the cards dealt, or held when asked, with blanks between", "cards"),
    "points": Column("int", "of end_deal and end_match; null after a fault", "points"),
    "charged_ms": Column(
        "float", "of a move: time charged since the seat's last one; 0 in environments", "ms"
    ),
    "detail": Column("text", "of deal: its other keys as JSON; of end_match: a seat's fault and why"),
}
"""The columns of `events`."""
CHEFS_HAT_COLUMNS: Columns = {name: Column(*column) for name, column in CHEFS_HAT.items()}


def facts(game: AnyGame | None, season: str = "", seed: str = "") -> dict[str, str]:
    """Return the metadata of a Parquet file: version, rules with their options, season, SHA-256 of its seed.

    Unknown values are left out, and so is the hash of a seed short enough to be guessed.
    """
    known = {
        "arbiter.version": __version__,
        "arbiter.rules": "" if game is None else game.name,
        "arbiter.options": "" if game is None else json.dumps(game.options, sort_keys=True),
        "arbiter.season": season,
        "arbiter.seed_sha256": published_commitment(seed) or "",
    }
    return {name: value for name, value in known.items() if value}
