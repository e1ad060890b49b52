"""Soft play: test whether a player does better at tables with another than the strengths of both explain.

In a game of more than two a friend can lose on purpose, or play for another at the cost of the rest.
`rating.favours` tests faults; this module tests points.

**Model.** A table plays the same deals in all seatings, so a player's points above the mean of its table do
not depend on the luck of cards and seats, as far as that is additive. They are the player's strength less the
mean strength of the table, plus noise; strengths are fitted by least squares. So a weak player, which helps
all others at its table, is only weak. For an ordered pair of owners, a helper j and a helped i, two more
parameters are fitted, one at a time, at the tables of both:

- the *gain* w: i is stronger by w there;
- the *gift* w: i is stronger and j weaker by w there.

The gift is the more powerful test if j pays for what i gains, the gain if others pay. With r a table's
residuals times the n matches played there, H = n (1 - 11'/m) for its m players, a the direction (e_i, or
e_i - e_j), sums over the tables of both, and b = sum H a,

    w = U / I,    U = sum a'r,    I = sum a'H a - b'(H_all)^+ b,    se^2 = phi / I,

where phi is the variance of a match. Residuals are clipped at four times their median: in some games one deal
outweighs all others.

**Null distribution.** Honest pairs differ, too: one style of play suits another. So a pair is compared with
all pairs of the season: w has the variance se^2 + tau^2, where tau^2, the variance between pairs, is
estimated from all of them so that a few dishonest ones hardly count (an empirical null, Efron 2004; Huber's
proposal 2). Student's t accounts for the uncertainty of tau. One pair's soft play moves the strengths of
both, and so the values of all others: these, and tau, are estimated without the tables of the pair with the
most significant gift.

**Level.** A look is allowed after every round. Rounds are divided into epochs, up to 64, 128, 256 and so on,
the last up to the planned end of the season. Within an epoch that ends with round E the score z sqrt(r / E)
of round r is that of a Brownian motion at r / E (a B-value, Lan and Wittes 1988), so P(x or more at any
look) is at most 2 Phi(-x), by reflection; epochs share the level equally (stitching, Howard and others 2021).
The pair's p is twice the smaller p of gain and gift, and q is adjusted for all pairs by Benjamini and
Hochberg (1995): pairs with q <= `LEVEL` are reported. In a season without soft play the probability that any
pair is ever reported is at most about that; see docs/explanation/integrity.md for measurements.

Not tested are players of one owner, house bots, tables of two, and pairs with fewer than `LEAST` tables
together, or of either without the other.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

import numpy as np

from rating.arrays import Bools, Floats, Ints
from rating.matches import Match
from rating.meetings import LEAST, LEAST_FREEDOM, Meetings, Reach, count_shared_tables

LEVEL = 0.01
"""Pairs with q up to this are reported."""
_FIRST_EPOCH = 64
# Minimum tables together for a pair to affect others, or to count for the spread.
_FEW = LEAST // 2
# Information, and relative residuals, below this are rounding.
_NOTHING = 1e-6
# A gift is considered only if the gain alone is this significant: 5 %.
_GAINS = 1.645
# Residuals are clipped at this multiple of their median: 2.7 standard deviations.
_FAR = 4.0
# Pairs are clipped at this many standard deviations for the spread; E min(Z^2, _CUT^2).
_CUT = 2.0
_CUT_MEAN = (
    math.erf(_CUT / math.sqrt(2.0))
    - 2.0 * _CUT * math.exp(-_CUT * _CUT / 2.0) / math.sqrt(2.0 * math.pi)
    + _CUT**2 * math.erfc(_CUT / math.sqrt(2.0))
)


@dataclass(frozen=True, slots=True)
class Help:
    """`helped` does better at tables with `helper`, both owners.

    In points a match, at shared tables `helped` is stronger by `gain` and `helper` weaker by `loss` than
    elsewhere, with standard errors; gains of honest pairs have an additional standard deviation of `spread`.
    They share `together` tables; `helped` is without `helper` at `apart`.
    """

    helper: str
    helped: str
    together: int
    apart: int
    gain: float
    gain_se: float
    loss: float
    loss_se: float
    spread: float
    q: float


@dataclass(frozen=True, slots=True, eq=False)
class PlayedTables:
    """T tables of at most m players, in order of their rounds.

    `player` and `owner` (T, m) are indices, or the length for an empty place. `points` (T, m) are the means
    over the `matches` (T,) without a fault, less the table's mean; `round` has shape (T,).
    """

    players: tuple[str, ...]
    owners: tuple[str, ...]
    player: Ints
    owner: Ints
    points: Floats
    matches: Floats
    round: Ints

    @classmethod
    def from_matches(cls, matches: Iterable[Match]) -> PlayedTables:
        """Return the tables of matches; matches with a fault and tables of two are left out."""
        by_table: defaultdict[tuple[int, int], list[Match]] = defaultdict(list)
        owner_of: dict[str, str] = {}
        for match in matches:
            if match.faulty is None:
                by_table[match.round or 0, match.table or 0].append(match)
                owner_of.update(zip(match.players, match.owners or match.players, strict=True))
        # At a table of two there is no third player to harm.
        tables = {at: of for at, of in sorted(by_table.items()) if len({*of[0].players}) > 2}
        players, owners = tuple(sorted(owner_of)), tuple(sorted(set(owner_of.values())))
        number = {name: k for k, name in enumerate(players)}
        owner_number = {name: k for k, name in enumerate(owners)}
        seated = {at: sorted({name for match in of for name in match.players}) for at, of in tables.items()}
        shape = len(tables), max(map(len, seated.values()), default=0)
        player, owner = np.full(shape, len(players)), np.full(shape, len(owners))
        points, played = np.zeros(shape), np.zeros(shape[0])
        for row, at in enumerate(tables):
            names = seated[at]
            player[row, : len(names)] = [number[name] for name in names]
            owner[row, : len(names)] = [owner_number[owner_of[name]] for name in names]
            means = np.array([_mean(tables[at], name) for name in names])
            points[row, : len(names)] = means - means.mean()
            played[row] = len(tables[at])
        rounds = np.array([number for number, _ in tables], np.int64)
        return cls(players, owners, player, owner, points, played, rounds)

    def until(self, last: int) -> PlayedTables:
        """Return the tables of the rounds up to `last`."""
        return self._select(self.round <= last)

    def without(self, one: int, other: int) -> PlayedTables:
        """Return the tables without those at which both of these owners, by number, sit."""
        return self._select(~((self.owner == one).any(axis=1) & (self.owner == other).any(axis=1)))

    def _select(self, chosen: Bools) -> PlayedTables:
        arrays = ("player", "owner", "points", "matches", "round")
        return replace(self, **{name: getattr(self, name)[chosen] for name in arrays})


def _mean(matches: list[Match], name: str) -> float:
    """Return the mean of a player's points over all its seats, or of its negative places."""
    found = [
        score if match.points is not None else -score
        for match in matches
        for its, score in zip(match.players, match.points or match.places or (), strict=True)
        if its == name
    ]
    return sum(found) / len(found)


@dataclass(frozen=True, slots=True, eq=False)
class _Strengths:
    """Residuals (T, m), times matches, and information H (T, m, m) of each table; the inverse of the total
    information, with a row and a column of 0 for empty places; the variance of a match.
    """

    score: Floats
    information: Floats
    inverse: Floats
    phi: float


def _fit_strengths(tables: PlayedTables) -> _Strengths:
    """Fit a strength per player to the points at tables; return residuals, information and its inverse."""
    n, of, played = len(tables.players), tables.player, tables.matches[:, None]
    there = (of < n).astype(np.float64)
    seats = there.sum(axis=1)
    centred = there[:, :, None] * (np.eye(of.shape[1]) - there[:, None, :] / seats[:, None, None])
    information = played[:, :, None] * centred
    cells = (of[:, :, None] * (n + 1) + of[:, None, :]).ravel()
    total = np.bincount(cells, information.ravel(), (n + 1) ** 2).reshape(n + 1, n + 1)
    inverse = np.linalg.pinv(total, hermitian=True)
    theta = inverse @ np.bincount(of.ravel(), (played * tables.points).ravel(), n + 1)
    residual = np.sqrt(played) * (tables.points - (centred @ theta[of][:, :, None])[:, :, 0])
    # If strengths explain everything, the residuals are rounding.
    residual[np.abs(residual) < _NOTHING * np.abs(tables.points).max(initial=0.0)] = 0.0
    most = _FAR * float(np.median(np.abs(residual[there > 0.0])))
    residual = np.clip(residual, -most, most)
    freedom = max(float((seats - 1.0).sum()) - (n - 1), 1.0)
    phi = float((residual**2).sum()) / freedom
    return _Strengths(np.sqrt(played) * residual, information, inverse, phi or 1.0)


def _pair_effects(tables: PlayedTables) -> tuple[Floats, Floats]:
    """Return w and se of each ordered pair, (2, owners, owners): of its gain and gift, by helped and helper.

    se is infinite if there is no information.
    """
    n, many = len(tables.players), len(tables.owners)
    w, se = np.zeros((2, many, many)), np.full((2, many, many), np.inf)
    table, place, other = np.nonzero(_pairs(tables))
    if not len(table):
        return w, se
    at = _fit_strengths(tables)
    helped, helper = tables.owner[table, place], tables.owner[table, other]
    key, columns = helped * many + helper, helper[:, None] * (n + 1) + tables.player[table]
    r, h = at.score, at.information
    for kind, gift in enumerate((0.0, 1.0)):
        score = np.bincount(key, r[table, place] - gift * r[table, other], many**2).reshape(many, many)
        own = h[table, place, place] - gift * (2.0 * h[table, place, other] - h[table, other, other])
        known = np.bincount(key, own, many**2).reshape(many, many)
        cross = h[table, place] - gift * h[table, other]
        for one in range(many):
            mine = helped == one
            b = np.bincount(columns[mine].ravel(), cross[mine].ravel(), many * (n + 1)).reshape(many, n + 1)
            known[one] -= ((b @ at.inverse) * b).sum(axis=1)
        there = known > _NOTHING
        np.divide(score, known, out=w[kind], where=there)
        np.sqrt(np.divide(at.phi, known, out=se[kind], where=there), out=se[kind])
    return w, se


def _pairs(tables: PlayedTables) -> Bools:
    """Return (T, S, S): pairs of places with different owners, the second being its owner's first there."""
    owner = tables.owner
    there = owner < len(tables.owners)
    same = owner[:, :, None] == owner[:, None, :]
    first = ~np.tril(same, -1).any(axis=2)
    found: Bools = ~same & there[:, :, None] & (there & first)[:, None, :]
    return found


def _spread(w: Floats, se: Floats) -> float:
    """Return tau^2, the variance between honest pairs, estimated from all pairs."""
    low, high = 0.0, float((w**2).max(initial=0.0))
    for _ in range(60):
        middle = 0.5 * (low + high)
        if np.minimum(w**2 / (se**2 + middle), _CUT**2).mean() > _CUT_MEAN:
            low = middle
        else:
            high = middle
    return low


def _as_normal(w: Floats, se: Floats, spread: float, freedom: int) -> Floats:
    """Return w in standard deviations of the empirical null, as a normal variable."""
    t = w / np.sqrt(se**2 + spread)
    # Wallace (1959): the normal deviate with the same tail as t.
    factor = (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0)
    z: Floats = np.sign(t) * factor * np.sqrt(freedom * np.log1p(t**2 / freedom))
    return z


def _epochs(last: int, rounds: int) -> tuple[int, int]:
    """Return the last round of the epoch of round `last`, and the number of epochs of the season."""
    rounds = max(last, rounds)
    end, number = _FIRST_EPOCH, 1
    while end < rounds:
        end *= 2
        number += 1
    while end >= 2 * last and end > _FIRST_EPOCH:
        end //= 2
    return min(end, rounds), number


def adjust_p_values(p: Floats) -> Floats:
    """Return q by Benjamini and Hochberg: the smallest level at which each p is rejected, shape (m,)."""
    order = np.argsort(p, kind="stable")
    raised = p[order] * len(p) / np.arange(1, len(p) + 1)
    q = np.empty_like(raised)
    q[order] = np.minimum(np.minimum.accumulate(raised[::-1])[::-1], 1.0)
    return q


def find_soft_play(tables: PlayedTables, last: int, rounds: int, house: Collection[str] = ()) -> list[Help]:
    """Return pairs reported after round `last` of `rounds`, smallest q first; `house` is not tested."""
    return find_soft_play_and_reach(tables, last, rounds, house)[0]


def find_soft_play_and_reach(
    tables: PlayedTables, last: int, rounds: int, house: Collection[str] = ()
) -> tuple[list[Help], Reach]:
    """Return `find_soft_play`'s pairs, and how many pairs can be tested."""
    tables = tables.until(last)
    many = len(tables.owners)
    meetings = Meetings.of(tables.owner, tables.owners, house)
    together, apart, known, asked = meetings
    if not asked.any():
        return [], meetings.reach(tables.owners, house, last, tested=False)
    w, se = _pair_effects(tables)
    # The tables of this pair would bias all others, whether it is tested or not.
    surest = divmod(int(np.argmax(np.where(together >= _FEW, w[1] / se[1], 0.0))), many)
    others = tables.without(*surest)
    w_else, se_else = _pair_effects(others)
    rest = known & (count_shared_tables(others.owner, many) >= _FEW)
    freedom = int(rest.sum()) - 2 * many
    reach = meetings.reach(tables.owners, house, last, tested=freedom >= LEAST_FREEDOM)
    if not reach.able:
        return [], reach
    spread, gift_spread = (_spread(of[rest], its[rest]) for of, its in zip(w_else, se_else, strict=True))
    mine = np.zeros_like(known)
    mine[surest] = mine[surest[::-1]] = True
    (gain, gift), (gain_se, gift_se) = np.where(mine, w, w_else), np.where(mine, se, se_else)
    z = _as_normal(gain, gain_se, spread, freedom)
    z_gift = _as_normal(gift, gift_se, gift_spread, freedom // 2)
    end, epochs = _epochs(last, rounds)
    surer = np.where(z > _GAINS, np.maximum(z, z_gift), 0.0)[asked] * math.sqrt(last / end)
    p = np.array([min(1.0, 2.0 * epochs * math.erfc(one / math.sqrt(2.0))) for one in surer])
    found = []
    for (i, j), q in zip(np.argwhere(asked).tolist(), adjust_p_values(p).tolist(), strict=True):
        if q <= LEVEL:
            found.append(
                Help(
                    helper=tables.owners[j],
                    helped=tables.owners[i],
                    together=int(together[i, j]),
                    apart=int(apart[i, j]),
                    gain=float(gain[i, j]),
                    gain_se=float(gain_se[i, j]),
                    loss=-float(gain[j, i]),
                    loss_se=float(gain_se[j, i]),
                    spread=math.sqrt(spread),
                    q=q,
                )
            )
    return sorted(found, key=lambda one: (one.q, -one.gain, one.helper, one.helped)), reach
