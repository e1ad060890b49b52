"""The players of a match from Python: functions, commands, shipped bots, random players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from threadpoolctl import threadpool_limits

from arbiter.errors import BotCheckFailed, ConfigError
from arbiter.games import find, make, make_shared
from arbiter.games.game import Game
from arbiter.games.samples import bot_names
from arbiter.match.follower import EXPECTED_POLICY, RandomPlayers, conduct_with, misfit_of
from arbiter.match.limits import USUAL, check_written, override_limits
from arbiter.match.position import Position
from arbiter.match.referee import referee
from arbiter.match.spec import COPY_MARK, Player, original
from arbiter.python.player_digests import ProgramDigest
from arbiter.sandbox.player_command import make_names_unique, refuse_stray_links

if TYPE_CHECKING:
    from collections.abc import Set

    from arbiter.envs.policies import Policy
    from arbiter.games.game import AnyGame, Seat
    from arbiter.match.follower import Follower
    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import Limits, MatchSpec
    from arbiter.python.player_digests import Place

RANDOM = "random"


@dataclass(frozen=True, slots=True, eq=False)
class Contender:
    """A player by its unique name; `policy` decides for a function, and is None for others."""

    player: Player
    policy: Any = None

    def __eq__(self, other: object) -> bool:
        # The policy by identity: comparing models may compare arrays.
        return isinstance(other, Contender) and self.policy is other.policy and self.player == other.player

    @property
    def is_program(self) -> bool:
        return bool(self.player.command)


def game_of_call(game: str | AnyGame, options: Mapping[str, Any] | None, seats: int | None) -> AnyGame:
    """Return the game of a call, for `seats` players if it can have several numbers of them; ConfigError."""
    if isinstance(game, Game):
        if options:
            raise ConfigError(f"options go to the constructor of the game: {', '.join(options)}")
        return game
    if not isinstance(game, str):
        raise ConfigError(f"game: expected its name or a Game, got {game!r}")
    if options is not None and not isinstance(options, Mapping):
        raise ConfigError(f"options: expected a mapping of names to values, got {options!r}")
    given = dict(options or {})
    if seats is not None and "seats" in find(game).option_help:
        given.setdefault("seats", seats)
    try:
        return make(game, given)
    except ConfigError as error:
        raise error.in_one_line() from None


def contenders(players: object, game: str) -> tuple[Contender, ...]:
    """Return the players of a list, or of a mapping by name; ConfigError names another value.

    The same player again in a list is a copy, ``greedy#2``; a different one of its name is ``greedy-2``. No
    given name has a #.
    """
    if isinstance(players, Mapping):
        named = []
        for name, one in players.items():
            if not isinstance(name, str):
                raise ConfigError(f"players: expected a name of printable text, got {name!r}")
            found = contender(one, game)
            named.append(replace(found, player=replace(found.player, name=name)))
    elif isinstance(players, Sequence) and not isinstance(players, str | bytes):
        named = [contender(one, game) for one in players]
    else:
        raise ConfigError(f"players: expected a list, or a mapping of names to players, got {players!r}")
    for name in (one.player.name for one in named):
        if COPY_MARK in name:
            message = f"the name {name} means a copy of {original(name) or 'a player'}"
            raise ConfigError(f"players: {message}", hint="choose another name, in a mapping")
        if not name or not name.isprintable():
            raise ConfigError(f"players: expected a name of printable text, got {name!r}")
    different: list[Contender] = []
    for one in named:
        if one not in different:
            different.append(one)
    unique = make_names_unique(one.player for one in different)
    seated, copies = [], Counter[int]()
    for one in named:
        which = different.index(one)
        copies[which] += 1
        number, player = copies[which], unique[which]
        named_copy = replace(player, name=f"{player.name}{COPY_MARK}{number}") if number > 1 else player
        seated.append(replace(one, player=named_copy))
    return tuple(seated)


def contender(one: object, game: str, parameter: str = "players") -> Contender:
    """Return a player, named after its function or program; ConfigError, which names the parameter."""
    try:
        return _contender(one, game)
    except ConfigError as error:
        raise error.in_one_line(parameter) from None


def _contender(one: object, game: str) -> Contender:
    if isinstance(one, str) and one == RANDOM:
        return Contender(Player(RANDOM, ()))
    if not isinstance(one, type) and (callable(one) or callable(getattr(one, "predict", None))):
        name = _name_of(one)
        if misfit := misfit_of(one):
            raise ConfigError(f"{name} is not a player", hint=f"expected {EXPECTED_POLICY}, got {misfit}")
        return Contender(Player(name, ()), one)
    # Imported here: starting processes works only on Linux.
    from arbiter.table.program_players import program_of

    player = program_of(one, game)
    if player is None:
        if isinstance(one, type):
            hint = f"give an object of the class: {one.__name__}()"
            raise ConfigError(f"the class {one.__name__} is not a player", hint=hint)
        known = ", ".join(f'"{name}"' for name in dict.fromkeys((RANDOM, *bot_names(game))))
        hint = f"expected {known}, a function of observation and mask, an object with `predict`, or a command"
        raise ConfigError(f"{one!r} is not a player", hint=hint)
    return Contender(player)


def _name_of(policy: object) -> str:
    """Return the name of a function, also behind `functools.partial`, or of an object's class."""
    while isinstance(policy, partial):
        policy = policy.func
    if getattr(policy, "__name__", None) == "__call__":
        policy = getattr(policy, "__self__", policy)
    return str(getattr(policy, "__name__", type(policy).__name__)).strip("<>")


class Table:
    """Plays matches between these players, functions in memory and programs in processes.

    Use it in ``with``, which ends the processes. `limits` are those of the programs, by their keys in a
    season's file. With `strict` the first forfeit raises BotCheckFailed.
    """

    def __init__(
        self,
        game: AnyGame,
        players: Sequence[Contender],
        limits: Mapping[str, str] | None = None,
        strict: bool = False,
    ) -> None:
        self._game, self._strict = game, strict
        self._given = {one.player.name: one.policy for one in players if not one.is_program}
        self._programs = {one.player.name: ProgramDigest(one.player, one.policy) for one in players}
        self._digests: dict[str, str] = {}
        self._policies: dict[tuple[str, Seat], Policy] = {}
        self._looked = False
        programs = [one.player for one in players if one.is_program]
        written = check_written(limits or {})
        self._starts = bool(programs)
        if not programs:
            self.limits: Limits = override_limits(USUAL.limits(), **written)
            return
        from arbiter.table.program_players import default_limits

        self.limits = default_limits(**written)
        if self.limits.isolation != "plain":
            refuse_stray_links(programs)

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *_: object) -> None:
        if self._starts:
            from arbiter.table.conductor import close_table

            close_table()

    def play(self, spec: MatchSpec) -> MatchRecord:
        """Play a match; VoidMatch if the machine failed, BotCheckFailed if strict."""
        game = self._game
        if spec.options != game.options:
            game = make_shared(spec.game, spec.options)
        seated = enumerate(spec.players)
        policies = {seat: self._policy(player.name, seat) for seat, player in seated if not player.command}
        in_memory = _players_in_memory(game, spec, policies)
        if in_memory is not None and len(policies) == game.seats:
            record = conduct_with(referee(game, spec), {}, in_memory)
        else:
            from arbiter.table.conductor import play_match

            record = play_match(spec, in_memory)
        if self._strict and (forfeit := record.forfeit) is not None:
            text = f"{forfeit.player} forfeits {record.id} ({forfeit.fault}): {forfeit.detail}"
            raise BotCheckFailed(text) from getattr(in_memory, "error", None)
        return record

    def take(self, played: Played) -> MatchRecord:
        """Return the match that a worker played, and note the state that it found in the functions there."""
        for name, changed in played.changed.items():
            self._programs[name].add_state(changed)
        return played.record

    def play_in_fork(self, spec: MatchSpec) -> Played:
        """Play a match in a worker; the worker's first comes with what the functions changed by playing."""
        from arbiter.table.executors.forked import seed_generators

        seed_generators(f"{spec.seed}|{spec.id}")
        first, self._looked = not self._looked, True
        if first:
            # A library's threads do not survive a fork, and one would wait for them.
            threadpool_limits(1)
        record = self.play(spec)
        return Played(
            record, {name: one.find_state() for name, one in self._programs.items()} if first else {}
        )

    def with_digests(self, record: MatchRecord) -> MatchRecord:
        """Return a played match with the digests of its players, after all matches of the table."""
        names = [player if player in self._programs else original(player) for player in record.players]
        for name in names:
            if name not in self._digests:
                self._digests[name] = self._programs[name].digest()
        return replace(record, programs=tuple(self._digests[name] for name in names))

    def _policy(self, name: str, seat: Seat) -> Policy | None:
        """Return the policy of a function at a seat, made once; None for a random player."""
        policy = self._given[name if name in self._given else original(name)]
        if policy is not None and (name, seat) not in self._policies:
            from arbiter.envs.policies import policy_of

            self._policies[name, seat] = policy_of(policy)
        return self._policies.get((name, seat))


class Played(NamedTuple):
    """A match played by a worker, and the paths of state in its functions, by name of the player."""

    record: MatchRecord
    changed: Mapping[str, Set[Place]]


def _players_in_memory(
    game: AnyGame, spec: MatchSpec, policies: Mapping[Seat, Policy | None]
) -> Follower | None:
    """Return the players of these seats, None without seats; random players alone need no extra package."""
    if any(policy is not None for policy in policies.values()):
        from arbiter.envs.policy_players import PolicyPlayers

        return PolicyPlayers(game, spec, policies)
    number = spec.round or 1
    chance = f"{spec.seed}|{number}|{spec.rotation}"
    return RandomPlayers(Position.opening(game, spec.seed, number), chance) if policies else None
