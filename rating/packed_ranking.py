"""Pack a ranking into bytes: its rows, intervals and superiorities, but not its results.

An unpacked ranking gives the same answers as the original, to the last bit. Its table has only the counts by
pair; no match can be appended to it.

The format: eight bytes with the length of a JSON object, which names the arrays, then the arrays one after
the other, each in the smallest type that holds it exactly.
"""

from __future__ import annotations

import json
import struct
from dataclasses import asdict
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rating.crosstable import Pairs, PairTable
from rating.errors import ResultError
from rating.fit.bayeselo import Fit
from rating.fit.intervals import Floor, Intervals
from rating.fit.sandwich import Diagonal, Factor, Matrix, Spread
from rating.notices import Notice
from rating.ratings import Ranking, rank

MOST_BYTES = 48_000_000
"""Maximum size of a packed ranking."""
_HEAD = struct.Struct("<Q")
_SPREADS: dict[str, type[Matrix | Diagonal | Factor]] = {
    "matrix": Matrix, "diagonal": Diagonal, "factor": Factor,
}  # fmt: skip
_ALIGNED = 8
"""Alignment of arrays in bytes."""


def pack_ranking(ranking: Ranking) -> bytes | None:
    """Return a ranking as bytes; None if its covariances come from a solver, or if it is too large."""
    fit, of = ranking.fit, ranking.intervals
    table, pairs = fit.table, fit.table.pairs()
    spreads = {"spread": of.spread} | ({} if of.floor is None else {"floor": of.floor.spread})
    kinds = {name: _kind(spread) for name, spread in spreads.items()}
    if "" in kinds.values():
        return None
    arrays: dict[str, npt.NDArray[Any]] = {
        "i": pairs.i, "j": pairs.j, "counts": pairs.counts, "played": table.played, "points": table.points,
        "faults": table.faults, "elo": fit.elo, "component": fit.component,
        "sd": of.sd, "low": of.low, "high": of.high,
    }  # fmt: skip
    arrays |= {name: getattr(spread, kinds[name]) for name, spread in spreads.items()}
    if of.floor is not None:
        arrays |= {"who": of.floor.who, "least": of.floor.variance}
    # Ratings and their errors stay floats, even if they are whole numbers.
    small = {name: _smallest_integers(array) if name in _COUNTED else array for name, array in arrays.items()}
    head = {
        "players": table.players,
        "fault_rule": table.fault_rule,
        "fit": {name: getattr(fit, name) for name in _OF_FIT},
        "of": {name: getattr(of, name) for name in _OF_INTERVALS},
        "notices": [[asdict(notice) for notice in part.notices] for part in (fit, of)],
        "kinds": kinds,
        "arrays": [(name, array.dtype.str, array.shape, _order(array)) for name, array in small.items()],
    }
    text = json.dumps(head, separators=(",", ":")).encode()
    parts = [_HEAD.pack(len(text)), text]
    for array in small.values():
        parts += [bytes(-sum(map(len, parts)) % _ALIGNED), array.tobytes(_order(array))]
    whole = b"".join(parts)
    return whole if len(whole) <= MOST_BYTES else None


_COUNTED = ("i", "j", "counts", "played", "points", "faults", "component", "who")
"""Arrays of indices and counts."""
_OF_FIT = ("drawelo", "advantage", "loglik", "prior", "ridge", "iterations")
_OF_INTERVALS = ("kind", "level", "clusters", "quantile", "factor", "freedom")


def unpack_ranking(packed: bytes) -> Ranking:
    """Return the packed ranking; ResultError for other bytes."""
    try:
        return _unpack(packed)
    except (ValueError, TypeError, KeyError, struct.error) as error:
        raise ResultError(f"a packed ranking cannot be read: {error}") from None


def _unpack(packed: bytes) -> Ranking:
    (length,) = _HEAD.unpack_from(packed)
    place = _HEAD.size + length
    head = json.loads(packed[_HEAD.size : place])
    arrays: dict[str, Any] = {}
    for name, kind, shape, order in head["arrays"]:
        place += -place % _ALIGNED
        size = int(np.prod(shape, dtype=np.int64))
        arrays[name] = np.frombuffer(packed, np.dtype(kind), size, place).reshape(shape, order=order)
        place += arrays[name].nbytes
    none = np.zeros(0, np.int64)
    pairs = Pairs(arrays["i"], arrays["j"], arrays["counts"], False)
    table = PairTable(
        none, none, none, none, none, none, arrays["played"], arrays["points"], arrays["faults"],
        tuple(head["players"]), head["fault_rule"], {False: pairs},
    )  # fmt: skip
    notices = [tuple(Notice(**notice) for notice in part) for part in head["notices"]]
    fit = Fit(table, arrays["elo"], arrays["component"], **head["fit"], notices=notices[0])
    spreads: dict[str, Spread] = {name: _SPREADS[kind](arrays[name]) for name, kind in head["kinds"].items()}
    floor = Floor(arrays["who"], spreads["floor"], arrays["least"]) if "floor" in spreads else None
    # Older packed rankings have no degrees of freedom: they are those of the clusters.
    clusters = head["of"]["clusters"]
    head["of"].setdefault("freedom", None if clusters is None else clusters - 1.0)
    intervals = Intervals(
        fit, sd=arrays["sd"], low=arrays["low"], high=arrays["high"], spread=spreads["spread"],
        notices=notices[1], floor=floor, **head["of"],
    )  # fmt: skip
    return rank(intervals)


def _kind(spread: Spread) -> str:
    """Return the name of a covariance's form and of its array; "" for one that is no array."""
    return next((name for name, kind in _SPREADS.items() if type(spread) is kind), "")


def _order(array: npt.NDArray[Any]) -> Literal["C", "F"]:
    """Return the memory order, which affects the last bits of products."""
    return "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"


def _smallest_integers(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the array in the smallest integer type if all its values are whole numbers."""
    if array.dtype.kind == "b" or not array.size:
        return array
    whole = array.astype(np.int64)
    if not np.array_equal(whole, array):
        return array
    least, most = int(whole.min()), int(whole.max())
    kind = np.promote_types(np.min_scalar_type(least), np.min_scalar_type(most))
    return whole.astype(kind) if kind.kind in "iu" else whole
