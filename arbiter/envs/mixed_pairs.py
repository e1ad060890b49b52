"""Matches of one opponent of any kind against copies of another, at the referee of tournaments.

A policy's matches are those of `evaluation`, with the policy as the agent of an environment. Here the single
copy is a program, a random player or a member of a pool, which no environment has as its agent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import rating
from arbiter.envs.opponents import FromPool, PolicyOpponent
from arbiter.envs.policy_players import PolicyPlayers
from arbiter.match.follower import conduct_with
from arbiter.match.limits import USUAL
from arbiter.match.referee import referee
from arbiter.match.spec import MatchSpec, Player

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.envs.opponents import Opponent
    from arbiter.envs.policies import Policy
    from arbiter.games.game import AnyGame
    from arbiter.match.spec import Limits


def play_pair(
    game: AnyGame,
    pair: tuple[Opponent, Opponent],
    names: tuple[str, str],
    rounds: int,
    seed: int | str,
    limits: Limits | None,
) -> list[tuple[rating.Match, float]]:
    """Play a match with the first of `pair` in every seat in each round, copies of the second in the others.

    Return the matches with the first's points, 0 after a fault. Deals as in `evaluation.play_matches`.
    """
    programs = any(isinstance(one, Player) for one in pair)
    if programs and limits is None:
        from arbiter.table.program_players import default_limits

        limits = default_limits()
    limits = limits or USUAL.limits()
    found = []
    try:
        for number in range(1, rounds + 1):
            for seat in range(game.seats):
                seated = [pair[place != seat] for place in range(game.seats)]
                players = [names[place != seat] for place in range(game.seats)]
                match = _play(game, seated, players, f"{seed}/{number}", seat, number, limits)
                found.append((match, 0.0 if match.points is None else float(match.points[seat])))
    finally:
        if programs:
            from arbiter.table.conductor import close_table

            close_table()
    return found


def _play(
    game: AnyGame,
    seated: Sequence[Opponent],
    names: Sequence[str],
    seed: str,
    rotation: int,
    number: int,
    limits: Limits,
) -> rating.Match:
    """Play a match, in new processes if programs are seated, and return its result."""
    spec = MatchSpec(
        id=f"{seed}/m{rotation}",
        season="",
        # The deals of an environment's first match after a seed.
        round=1,
        table=None,
        rotation=rotation,
        game=game.name,
        options=game.options,
        seed=seed,
        players=tuple(one if isinstance(one, Player) else Player(one.name, ()) for one in seated),
        limits=limits,
    )
    policies = {
        seat: _policy(one, f"arbiter-opponents|{seed}|{rotation}|{seat}")
        for seat, one in enumerate(seated)
        if not isinstance(one, Player)
    }
    in_memory = PolicyPlayers(game, spec, policies)
    if len(policies) == game.seats:
        record = conduct_with(referee(game, spec), {}, in_memory)
    else:
        from arbiter.table.conductor import play_match

        record = play_match(spec, in_memory)
    faulty = None if record.forfeit is None else record.forfeit.seat
    return rating.Match(list(names), points=record.points, faulty=faulty, sides=game.sides, round=number)


def _policy(one: Opponent, seed: str) -> Policy | None:
    """Return the policy of an opponent in memory, None for the random player."""
    if isinstance(one, FromPool):
        one = one.member(seed)
    return one.policy if isinstance(one, PolicyOpponent) else None
