"""Matches of one opponent of any kind against copies of another, at the referee of tournaments.

A policy's matches are those of `policy_pairing`, with the policy as the agent of an environment. Here the
single copy is a program, a random player or a member of a pool, which no environment has as its agent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import rating
from arbiter.envs.argument_checks import IllegalPolicy
from arbiter.envs.opponents import FromPool, PolicyOpponent
from arbiter.envs.pairings import place_text
from arbiter.envs.policy_players import PolicyPlayers, describe
from arbiter.errors import ArbiterError, BotCheckFailed
from arbiter.match.follower import conduct_with
from arbiter.match.limits import USUAL
from arbiter.match.referee import referee
from arbiter.match.spec import MatchSpec, Player

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.envs.opponents import Opponent
    from arbiter.envs.pairings import Tried
    from arbiter.envs.policies import Policy
    from arbiter.games.game import AnyGame, Seat
    from arbiter.match.spec import Limits


class MixedPairing:
    """The first of `pair` from every seat against copies of the second; `names` are theirs in the matches.

    A program's fault loses its match; a policy's illegal action or exception raises an error that names
    player, seat, round, deal and decision. Deals as in `policy_pairing`.
    """

    def __init__(
        self,
        game: AnyGame,
        pair: tuple[Opponent, Opponent],
        names: tuple[str, str],
        seed: int | str,
        limits: Limits | None,
    ) -> None:
        self._game, self._pair, self._names, self.seed = game, pair, names, seed
        self.title = " against ".join(names)
        self._programs = any(isinstance(one, Player) for one in pair)
        if self._programs and limits is None:
            from arbiter.table.program_players import default_limits

            limits = default_limits()
        self.limits: Limits | None = limits or USUAL.limits()

    def play_round(self, number: int) -> list[Tried]:
        """Play a match from every seat, on the deals of a round from 1."""
        return [self._play_match(number, seat) for seat in range(self._game.seats)]

    def close(self) -> None:
        """End the programs' processes."""
        if self._programs:
            from arbiter.table.conductor import close_table

            close_table()

    def _play_match(self, number: int, seat: Seat) -> Tried:
        game = self._game
        seated = [self._pair[place != seat] for place in range(game.seats)]
        names = [self._names[place != seat] for place in range(game.seats)]
        assert self.limits is not None
        match = _play(game, seated, names, f"{self.seed}/{number}", seat, number, self.limits)
        return match, 0.0 if match.points is None else float(match.points[seat])


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
    forfeit, error = record.forfeit, in_memory.error
    if forfeit is not None and error is not None:
        text = f"{place_text(forfeit.seat, number, in_memory.play)}: the policy {names[forfeit.seat]}"
        if isinstance(error, ArbiterError):
            raise IllegalPolicy(f"{text}: {forfeit.reason}") from None
        raise BotCheckFailed(f"{text} raised {describe(error)}") from error
    faulty = None if forfeit is None else forfeit.seat
    return rating.Match(list(names), points=record.points, faulty=faulty, sides=game.sides, round=number)


def _policy(one: Opponent, seed: str) -> Policy | None:
    """Return the policy of an opponent in memory, None for the random player."""
    if isinstance(one, FromPool):
        one = one.member(seed)
    return one.policy if isinstance(one, PolicyOpponent) else None
