"""Play matches between functions and programs in any mix, on the same deals in all seatings."""

from __future__ import annotations

import json
import secrets
from hashlib import sha256
from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex

from arbiter.errors import ConfigError
from arbiter.match.spec import MatchSpec
from arbiter.python.contenders import Table, contenders, game_of_call
from arbiter.python.match_loop import play_through

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from arbiter.games.game import AnyGame
    from arbiter.match.spec import Limits
    from arbiter.python.contenders import Contender
    from arbiter.python.match_results import MatchResults
    from arbiter.python.table_types import Contestant
    from arbiter.table.match_progress import ProgressLike

EVENT_DIGITS = 6


def play(
    game: str | AnyGame,
    players: Sequence[Contestant] | Mapping[str, Contestant],
    *,
    matches: int | None = None,
    seed: int | str | None = None,
    options: Mapping[str, Any] | None = None,
    limits: Mapping[str, str] | None = None,
    strict: bool = False,
    workers: int | None = 1,
    progress: ProgressLike = False,
) -> MatchResults:
    """Play matches between functions and programs in any mix, and return their results.

    Each of `players`, in a list or a mapping by name, is

    - a function of an observation and an action mask that returns the id of a legal action, or an object with
      `predict`, such as a model of Stable-Baselines3: what all environments take;
    - the command of a program, as one string or as a list of words;
    - the name of a shipped bot, such as ``"greedy"``, or ``"random"`` for a random player in memory.

    The same player again in a list is a copy: ``random`` and ``random#2`` count as one player. Different
    ones of one name, such as two programs ``bot``, are ``bot`` and ``bot-2``. A mapping has a player for
    each name, of printable text without #.

    Programs run confined, under `limits` with the keys of a season's file (``{"time": "10s", "memory":
    "400MB", "isolation": "plain"}``); by default those of ``arbiter play``. Functions run in this process and
    their time is not charged.

    Matches come in rounds: all seatings of the players on the same deals. `matches` is one round by default,
    fewer than a round, or a multiple of it. The deals follow from `seed`, which is random by default; so do
    the choices of ``"random"``. `options` are the game's; the number of seats follows from the players where
    a game leaves it open.

    With several `workers`, at most one on each core, or None for all cores, as many matches are played at
    once, each in a process forked from this one: it has a copy of each function, and what it changes stays
    there. A generator that a function keeps is in all workers the same stream, and which match draws which
    numbers differs from call to call; the global ones of `random` and `numpy.random` are seeded for each
    match. For draws that are the same with any number of workers, make a generator from the observation. A
    model on a graphics card cannot be forked. With one worker functions run in this process. `progress` shows
    the matches played on standard error, in a log at most every ten seconds, or is a function of their number
    and that of all (None if unknown).

    An illegal answer, an exception and any other fault forfeits the match, as in a season; with `strict` the
    first one raises BotCheckFailed, with one worker from the function's own exception. ConfigError for a
    game, players or values that do not fit; VoidMatch if the machine failed or a function ended its worker.
    Ctrl-C raises PlayInterrupted; `results` of either are those of the matches played.
    """
    given = len(players) if hasattr(players, "__len__") and not isinstance(players, str | bytes) else None
    made = game_of_call(game, options, given)
    if given is not None and given != made.table_size:
        raise ConfigError(f"{made.name}: expected {made.table_size} players, got {given}")
    seated = contenders(players, made.name)
    number, text = _check_matches(matches, made), seed_text(seed)
    with Table(made, seated, limits, strict) as table:
        specs = _specs(made, seated, text, number, table.limits)
        return play_through(table, specs, workers, progress, number)


def seed_text(seed: object) -> str:
    """Return a seed as text, random for None; ConfigError for other than an integer from 0 or a text."""
    if seed is None:
        return secrets.token_hex(16)
    # Through `__index__`, which NumPy's integers have.
    if hasattr(seed, "__index__") and not isinstance(seed, bool) and int(seed) >= 0:
        return str(int(seed))
    if isinstance(seed, str) and seed and seed.isprintable():
        return seed
    raise ConfigError(f"seed: expected an integer from 0, or printable text, got {seed!r}")


def event_of(game: AnyGame, seed: str, players: Sequence[Contender]) -> str:
    """Return a digest of game, options, seed and players' names, so that ids of different calls differ."""
    parts = [game.name, game.options, seed, [one.player.name for one in players]]
    return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:EVENT_DIGITS]


def _check_matches(matches: object, game: AnyGame) -> int:
    """Return the number of matches, by default a round; ConfigError for several rounds that are not whole."""
    a_round = len(game.seatings)
    if matches is None:
        return a_round
    if isinstance(matches, bool) or not isinstance(matches, SupportsIndex) or index(matches) < 1:
        raise ConfigError(f"matches: expected an integer from 1, got {matches!r}")
    matches = index(matches)
    if matches > a_round and matches % a_round:
        message = f"matches: expected a multiple of {a_round}, got {matches}"
        raise ConfigError(message, hint=f"a round has {a_round} seatings of the players on the same deals")
    return matches


def _specs(
    game: AnyGame, players: Sequence[Contender], seed: str, matches: int, limits: Limits
) -> Iterator[MatchSpec]:
    """Yield the matches: round after round, each with all seatings on the same deals."""
    event = event_of(game, seed, players)
    for number in range(matches):
        before, rotation = divmod(number, len(game.seatings))
        yield MatchSpec(
            id=f"{event}/r{before + 1:03d}/t01/m{rotation}",
            season="",
            round=before + 1,
            table=1,
            rotation=rotation,
            game=game.name,
            options=game.options,
            seed=seed,
            players=tuple(players[place].player for place in game.seatings[rotation]),
            limits=limits,
        )
