"""Brownian motion between two bounds: the expected exit time, and intervals of the drift from the end.

A sequential test moves like Brownian motion that starts at 0 and stops at a lower bound -a or an upper bound
b. Tests tend to stop at lucky moments, so at a stop the plain mean is biased. The correction is the
stage-wise ordering of all ends of a walk, by the evidence for a high drift: stopped above, earlier is higher;
not stopped, by the position; stopped below, later is higher. P(an end at least as high as the observed one)
rises with the drift; the drift at which it is 1/2 is a median-unbiased estimate, those at 2.5 % and 97.5 %
are the ends of a 95 % interval.

For variance 1 per step, drift m, w = a + b (all by the method of images):

    P(above by time t)         = e^{m b} sum_k sgn(y) [ e^{-|m y|} F((|m| t - |y|) / r) + e^{|m y|} F((-|m| t
                                 - |y|) / r) ],      y = b + 2 k w,  r = sqrt(t),
    P(neither by t, end > x)   = sum_k [ G(2 k w) - G(2 b - 2 k w) ],
    G(c)                       = e^{m c} P(x < c + m t + r Z < b),

F being the normal distribution function, Z a standard normal variable, k all whole numbers. Below is above in
the mirror: (a, b, m) becomes (b, a, -m).

Source: Siegmund, Sequential Analysis (1985), chapters 3 and 4; Borodin and Salminen, Handbook of Brownian
Motion (2002), for the series.
"""

from __future__ import annotations

import math

import numpy as np

from rating.arrays import Floats

# Images k = -8 .. 8: the rest is below rounding until t is 25 times w^2, long after a walk has stopped.
_IMAGES: Floats = np.arange(-8.0, 9.0)


def expected_exit(below: float, above: float, drift: float, variance: float) -> float:
    """Return the expected time until a walk with `drift` and `variance` per step has gone down by `below` or
    up by `above`.

    By Wald: (P(up) above - P(down) below) / drift, P(up) = (1 - e^{-g below}) / (1 - e^{-g (below + above)}),
    g = 2 drift / variance; below x above / variance without drift.
    """
    if below <= 0.0 or above <= 0.0:
        return 0.0
    if drift < 0.0:
        below, above, drift = above, below, -drift
    g = 2.0 * drift / variance
    if g * (below + above) < 1e-4:
        return below * above / variance
    up = math.expm1(-g * below) / math.expm1(-g * (below + above))
    return (up * above - (1.0 - up) * below) / drift


def drift_interval(
    time: float, end: float, lower: float, upper: float, stopped: bool, level: float
) -> tuple[float, float, float]:
    """Return low end, median and high end of the drift of a walk of variance 1 per step that was at `end`
    after `time` steps, `stopped` by a bound or not; infinite bounds give the plain interval.

    If stopped, `end` replaces the bound on its side of 0.
    """
    from scipy.special import ndtri

    tail = 0.5 - level / 2.0
    root, plain = math.sqrt(time), end / time
    reach = -float(ndtri(tail)) / root
    if not (math.isfinite(lower) and math.isfinite(upper)) or (stopped and end == 0.0):
        return plain - reach, plain, plain + reach
    low, middle, high = (
        _drift_where(chance, time, end, lower, upper, stopped, reach) for chance in (tail, 0.5, 1.0 - tail)
    )
    return low, middle, high


def _drift_where(
    chance: float, time: float, end: float, lower: float, upper: float, stopped: bool, reach: float
) -> float:
    """Return the drift for which an end at least as high has probability `chance`."""
    low, high = end / time - 8.0 * reach, end / time + 8.0 * reach
    for _ in range(50):
        drift = 0.5 * (low + high)
        if _at_least(drift, time, end, lower, upper, stopped) < chance:
            low = drift
        else:
            high = drift
    return 0.5 * (low + high)


def _at_least(drift: float, time: float, end: float, lower: float, upper: float, stopped: bool) -> float:
    """Return P(an end at least as high as the observed one)."""
    if stopped and end > 0.0:
        return _above(drift, time, -lower, end)
    if stopped:
        return 1.0 - _above(-drift, time, upper, -end)
    inside = min(max(end, lower), upper)
    return _above(drift, time, -lower, upper) + _between(drift, time, -lower, upper, inside)


def _above(drift: float, time: float, a: float, b: float) -> float:
    """Return P(stopped at b by `time`), with bounds -a and b."""
    from scipy.special import log_ndtr

    y = b + 2.0 * (a + b) * _IMAGES
    far, m, root = np.abs(y), abs(drift), math.sqrt(time)
    # In logarithms, since factors can overflow though their products are below 1.
    terms = np.exp(drift * b - m * far + log_ndtr((m * time - far) / root))
    terms += np.exp(drift * b + m * far + log_ndtr((-m * time - far) / root))
    return min(max(float(np.sum(np.sign(y) * terms)), 0.0), 1.0)


def _between(drift: float, time: float, a: float, b: float, x: float) -> float:
    """Return P(not stopped by `time` and then above x), with bounds -a and b."""
    width = 2.0 * (a + b) * _IMAGES
    total = np.sum(_image(width, drift, time, x, b) - _image(2.0 * b - width, drift, time, x, b))
    return min(max(float(total), 0.0), 1.0)


def _image(c: Floats, drift: float, time: float, x: float, b: float) -> Floats:
    """Return G(c), shape (K,): the normal's mass between x and b, from the more accurate tail."""
    from scipy.special import log_ndtr

    root, mean = math.sqrt(time), c + drift * time
    side = np.where(mean > 0.5 * (x + b), 1.0, -1.0)
    near, far = np.where(side > 0, b, x), np.where(side > 0, x, b)
    larger = np.exp(drift * c + log_ndtr(side * (near - mean) / root))
    mass: Floats = larger - np.exp(drift * c + log_ndtr(side * (far - mean) / root))
    return mass
