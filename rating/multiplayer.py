"""TrueSkill and openskill: other models on other scales, from the same matches as the ratings.

Both learn match by match, so their values depend on the order of matches. For programs that do not change
(tau = 0) the order has no meaning: matches are shuffled several times by a seed, and so are the teams of each
match, since trueskill links tied teams as a chain in the given order. `mu` and `sigma` are means over the
shuffles and `spread` is the standard deviation of mu between them. All players together drift by chance: in
each order the mean of those that played is moved back to the start.

A match without a fault is one game of its seats (of its sides, with partners), ranked by points. A fault,
seats of one owner and a player in two seats leave single results instead, which are games of two.

Draws: TrueSkill's draw_probability is that of two equals. It follows from the margin eps at which the
expected draws equal the observed ones,

    sum over results of Phi((eps - m)/s) - Phi((-eps - m)/s) = draws,   m = mu_i - mu_j,   s = sqrt 2 beta,
    draw_probability = 2 Phi(eps/s) - 1,

with mu from a first run at the share of draws. openskill has no such parameter.

mu, sigma: TrueSkill's 25 and 25/3 at the start, beta 25/6 (Herbrich, Minka and Graepel 2007); openskill's
Plackett-Luce with its defaults except tau = 0 (Weng and Lin 2011). Their numbers are comparable neither with
Elo nor with each other.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from types import ModuleType
from typing import Any, Literal

import numpy as np

from rating.arrays import Floats, Ints
from rating.crosstable import PairTable
from rating.errors import OptionError, RatingError
from rating.matches import FaultRule, Match, rated_parts
from rating.seeded_shuffle import Seed, shuffle, shuffle_with, words

MU, SIGMA, BETA = 25.0, 25.0 / 3.0, 25.0 / 6.0
"""TrueSkill's initial mean and deviation, and the deviation of a performance."""

Teams = tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]
"""One game: players of each team (indices), and the rank of each team (0 is best)."""

_Rating = Any
_Seated = list[tuple[_Rating, ...]]
_Play = Callable[[_Seated, Sequence[int]], Sequence[Sequence[_Rating]]]


@dataclass(frozen=True, slots=True, eq=False)
class Skill:
    """Ratings by a model: arrays of shape (n,), one entry per player; without games it is the initial value.

    `mu` and `sigma` are means over `shuffles` orders of the games, `spread` is the standard deviation of mu
    between them (0 for one order); `draw_probability` is None for openskill; `played` counts games.
    """

    model: Literal["trueskill", "openskill"]
    players: tuple[str, ...]
    mu: Floats
    sigma: Floats
    spread: Floats
    played: Ints
    shuffles: int
    games: int
    draw_probability: float | None


def trueskill(
    matches: Sequence[Match],
    *,
    players: Sequence[str] = (),
    shuffles: int = 8,
    seed: Seed = 0,
    faults: FaultRule = "seed",
) -> Skill:
    """Return TrueSkill ratings; OptionError below one shuffle, RatingError if the package is missing."""
    _check_shuffles(shuffles)
    package = _load("trueskill", "trueskill")
    games, names = games_of(matches, players, faults)

    def play_orders(share: float, orders: int) -> tuple[Floats, Floats]:
        """Return mu and sigma after each of `orders` orders, at the draw probability `share`; RatingError."""
        env = package.TrueSkill(mu=MU, sigma=SIGMA, beta=BETA, tau=0.0, draw_probability=share, backend=None)

        def rate_game(teams: _Seated, ranks: Sequence[int]) -> Sequence[Sequence[_Rating]]:
            try:
                rated: Sequence[Sequence[_Rating]] = env.rate(teams, ranks=ranks)
            except FloatingPointError as error:
                text = "trueskill gives a result the probability 0: remove such results"
                raise RatingError(text) from error
            return rated

        return _play_shuffled(games, len(names), env.create_rating, rate_game, orders, seed)

    drawn = [drew for _, _, drew in _results(games)]
    share = min(sum(drawn) / max(len(drawn), 1), 0.99)
    if any(drawn):
        share = _fitted_share(games, sum(drawn), play_orders(share, min(shuffles, 2))[0].mean(axis=0))
    return _summarise_orders("trueskill", names, games, *play_orders(share, shuffles), share)


def openskill(
    matches: Sequence[Match],
    *,
    players: Sequence[str] = (),
    shuffles: int = 8,
    seed: Seed = 0,
    faults: FaultRule = "seed",
) -> Skill:
    """Return openskill's Plackett-Luce ratings of `matches`; arguments and errors as for `trueskill`."""
    _check_shuffles(shuffles)
    package = _load("openskill.models", "openskill")
    games, names = games_of(matches, players, faults)
    model = package.PlackettLuce(tau=0.0)

    def rate_game(teams: _Seated, ranks: Sequence[int]) -> Sequence[Sequence[_Rating]]:
        rated: Sequence[Sequence[_Rating]] = model.rate([list(team) for team in teams], ranks=list(ranks))
        return rated

    found = _play_shuffled(games, len(names), model.rating, rate_game, shuffles, seed)
    return _summarise_orders("openskill", names, games, *found, None)


def _result_rows(table: PairTable) -> Iterator[tuple[int, int, int]]:
    """Yield first player, second player, and +1, 0 or -1 for the first, of each result."""
    return zip(table.first.tolist(), table.second.tolist(), table.outcome.tolist(), strict=True)


def matches_of(table: PairTable) -> list[Match]:
    """Return the results of a table, each as a match of two, for results without matches."""
    names = table.players
    return [Match((names[a], names[b]), (outcome, 0)) for a, b, outcome in _result_rows(table)]


def games_of(
    matches: Sequence[Match], players: Sequence[str], faults: FaultRule
) -> tuple[list[Teams], tuple[str, ...]]:
    """Return games for the models, and the names of the players, `players` first."""
    matches = rated_parts(matches)
    names = list(dict.fromkeys([*players, *(name for match in matches for name in match.players)]))
    index = {name: number for number, name in enumerate(names)}
    games: list[Teams] = []
    for match in matches:
        owners = match.players if match.owners is None else match.owners
        if match.faulty is None and len(set(owners)) == len(set(match.players)) == len(owners):
            games.append(_game_of_match(match, index))
            continue
        table = PairTable.from_matches([match], players=match.players, faults=faults)
        k = [index[name] for name in table.players]
        games += [(((k[a],), (k[b],)), (int(won < 0), int(won > 0))) for a, b, won in _result_rows(table)]
    return games, tuple(names)


def _game_of_match(match: Match, index: Mapping[str, int]) -> Teams:
    """Return the game of a match without a fault: teams are sides, ranked by the sum of their scores."""
    sides = range(len(match.players)) if match.sides is None else match.sides
    scores = match.points if match.points is not None else [-place for place in match.places or ()]
    teams: dict[int, list[int]] = {}
    total: dict[int, float] = {}
    for name, side, score in zip(match.players, sides, scores, strict=True):
        teams.setdefault(side, []).append(index[name])
        total[side] = total.get(side, 0.0) + score
    better = sorted(set(total.values()), reverse=True)
    return tuple(map(tuple, teams.values())), tuple(better.index(score) for score in total.values())


def _play_shuffled(
    games: Sequence[Teams], n: int, fresh: Callable[[], _Rating], play: _Play, shuffles: int, seed: Seed
) -> tuple[Floats, Floats]:
    """Return mu and sigma after all games in each of several orders, shape (shuffles, n) each."""
    mu, sigma = np.empty((shuffles, n)), np.empty((shuffles, n))
    played = _count_games(games, n) > 0
    for number in range(shuffles):
        current = [fresh() for _ in range(n)]
        drawn = words(f"{seed}|{number}|teams")
        for game in shuffle(games, f"{seed}|{number}"):
            if len(game[0]) < 2:
                continue
            teams, ranks = zip(*shuffle_with(list(zip(*game, strict=True)), drawn), strict=True)
            rated = play([tuple(current[k] for k in team) for team in teams], ranks)
            for team, after in zip(teams, rated, strict=True):
                for k, one in zip(team, after, strict=True):
                    current[k] = one
        mu[number], sigma[number] = [one.mu for one in current], [one.sigma for one in current]
        if played.any():
            mu[number, played] += fresh().mu - mu[number, played].mean()
    return mu, sigma


def _count_games(games: Sequence[Teams], n: int) -> Ints:
    """Return the number of games of each player, shape (n,)."""
    seated = [k for teams, _ in games for team in teams for k in team]
    return np.bincount(np.array(seated, np.int64), minlength=n)


def _results(games: Sequence[Teams]) -> list[tuple[int, int, bool]]:
    """Return the pairs of teams that met, as a player of each, and whether they drew."""
    return [
        (one[0], other[0], rank == its)
        for teams, ranks in games
        for (one, rank), (other, its) in combinations(zip(teams, ranks, strict=True), 2)
    ]


def _fitted_share(games: Sequence[Teams], drawn: int, mu: Floats) -> float:
    """Return the draw probability of two equals at which the expected draws equal `drawn`; `mu` is (n,)."""
    from scipy.optimize import brentq
    from scipy.special import ndtr

    i, j = np.array([(a, b) for a, b, _ in _results(games)]).T
    gap = mu[i] - mu[j]
    deviation = math.sqrt(2.0) * BETA

    def excess_draws(margin: float) -> float:
        expected = ndtr((margin - gap) / deviation) - ndtr((-margin - gap) / deviation)
        return float(expected.sum()) - drawn

    widest = 10.0 * BETA
    margin = widest if excess_draws(widest) <= 0.0 else brentq(excess_draws, 0.0, widest)
    return float(min(2.0 * ndtr(margin / deviation) - 1.0, 0.99))


def _summarise_orders(
    model: Literal["trueskill", "openskill"],
    names: tuple[str, ...],
    games: Sequence[Teams],
    mu: Floats,
    sigma: Floats,
    share: float | None,
) -> Skill:
    spread = mu.std(axis=0, ddof=1) if len(mu) > 1 else np.zeros(len(names))
    mean, deviation, played = mu.mean(axis=0), sigma.mean(axis=0), _count_games(games, len(names))
    return Skill(model, names, mean, deviation, spread, played, len(mu), len(games), share)


def _check_shuffles(shuffles: int) -> None:
    """Raise OptionError below 1."""
    if shuffles < 1:
        raise OptionError(f"shuffles {shuffles}: give at least 1")


def _load(module: str, package: str) -> ModuleType:
    """Import a module, its warnings suppressed; RatingError if the package is not installed."""
    from importlib import import_module

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return import_module(module)
    except ImportError as error:
        text = f"{package} is not installed: pip install 'arbiter-cards[multiplayer]'"
        raise RatingError(text) from error
