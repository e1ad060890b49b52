"""Results as the points tell them: a block's margin in points on the scale of its results.

Points say more about a block than who was ahead: they tell a narrow win from a wide one. What a point is
worth is learnt from the blocks themselves. With x a block's mean result, p = x - 1/2 and y its mean margin in
points, the line through the origin (versions exchanged, both change their signs) nearest to the results is

    p ~ c y,    c = sum p y / sum y^2,

and z = 1/2 + c y what the margin alone tells of x. Its variance is that of x times the square of their
correlation, so a test on z takes so much fewer blocks. Its mean is that of x as far as a new version's
additional points win as many matches as any other points do; where it is stronger in another way, c is off by
some factor, and so is the strength. No strength at all stays none: y is 0 in the mean, whatever c is. So of
bounds in Elo only elo0 = 0 is held; in units of the noise c cancels out.

A match lost by a fault has no points. It counts as lost in z, too: an `offset` is the mean of -1/2 for each
such match and 0 for the others, and p is without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from rating.arrays import Floats
    from rating.sequential.runs import Run


class PointSums(NamedTuple):
    """Sums of z and of its square over blocks, and c in results a point, 0 where none was learnt."""

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
    """From sums over blocks of y, y^2, p y, offsets, their squares, offset times y; arrays that broadcast."""
    known = np.asarray(margin_squares, np.float64)
    slope = np.maximum(cross, 0.0) / np.where(known > 0.0, known, 1.0)
    above = offsets + slope * margins
    around = offset_squares + 2.0 * slope * offset_cross + slope**2 * margin_squares
    return PointSums(0.5 * blocks + above, 0.25 * blocks + above + around, slope)


def told_by(run: Run) -> PointSums:
    return sums_of(
        run.blocks, run.margins, run.margin_squares, run.cross,
        run.offsets, run.offset_squares, run.offset_cross,
    )  # fmt: skip
