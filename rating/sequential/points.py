"""Scores estimated from points: a block's margin in points on the scale of its results.

Points carry more information than results: they distinguish a narrow win from a wide one. The value of a
point is estimated from the blocks. With x a block's mean result, p = x - 1/2 and y its mean margin in points,
the regression through the origin (exchanging the versions changes both signs) is

    p ~ c y,    c = sum p y / sum y^2,

and z = 1/2 + c y is the estimate of x from the margin. Its variance is that of x times the square of their
correlation, so a test on z takes fewer blocks by this factor. Its mean is that of x if a new version's
additional points win as many matches as other points do; otherwise c, and the strength, are off by a factor.
At equal strength y is 0 on average for any c. So with bounds in Elo only elo0 = 0 is exact; in units of the
noise c cancels out.

A match lost by a fault has no points. It counts as lost in z, too: an `offset` is the mean of -1/2 for each
such match and 0 for the others, and p excludes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from rating.arrays import Floats
    from rating.sequential.runs import Run


class PointSums(NamedTuple):
    """Sums of z and of its square over blocks, and c in results per point, 0 if unknown or negative."""

    total: Floats
    squares: Floats
    slope: Floats


def sums_of(
    blocks: Floats | float,
    margins: Floats | float,
    margin_squares: Floats | float,
    cross: Floats | float,
    offsets: Floats | float = 0.0,
    offset_squares: Floats | float = 0.0,
    offset_cross: Floats | float = 0.0,
) -> PointSums:
    """Return the sums from those over blocks of y, y^2, p y, offsets, their squares, offsets times y."""
    known = np.asarray(margin_squares, np.float64)
    slope = np.maximum(cross, 0.0) / np.where(known > 0.0, known, 1.0)
    above = offsets + slope * margins
    around = offset_squares + 2.0 * slope * offset_cross + slope**2 * margin_squares
    return PointSums(0.5 * blocks + above, 0.25 * blocks + above + around, slope)


def sums_of_run(run: Run) -> PointSums:
    return sums_of(
        run.blocks, run.margins, run.margin_squares, run.cross,
        run.offsets, run.offset_squares, run.offset_cross,
    )  # fmt: skip
