"""Gymnasium: one agent at the table of any game, with fixed opponents in all other seats.

    from arbiter import envs

    env = envs.single("chefs_hat", opponents="random", seat="rotate", matches=1)
    observation, info = env.reset(seed=7)
    over = False
    while not over:
        action = env.action_space.sample(info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
    env.close()

A step is one decision of the agent and all events up to its next one.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from arbiter.envs.argument_checks import Forfeited, IllegalPolicy, check_number, check_seed
from arbiter.envs.gymnasium_base import TurnBasedEnv
from arbiter.envs.match_state import NOBODY, Play, given_deals
from arbiter.envs.observers import Observer
from arbiter.envs.opponents import ROLE, FromPool, Opponent, check_opponents
from arbiter.envs.pettingzoo_base import ILLEGAL, arena_of
from arbiter.envs.render import env_metadata
from arbiter.envs.view_form import ViewForm
from arbiter.errors import ConfigError, IllegalAction
from arbiter.games.game import Action, AnyGame, Seat
from arbiter.match.limits import check_written
from arbiter.match.spec import Limits, Player

if TYPE_CHECKING:
    from arbiter.envs.bot_opponents import ProgramOpponents

ROTATE = "rotate"


def single(
    game: str | AnyGame,
    opponents: object = "random",
    seat: int | str = 0,
    *,
    render_mode: str | None = None,
    limits: Limits | Mapping[str, str] | None = None,
    dataset: str | None = None,
    **options: Any,
) -> SingleEnv:
    """Return the environment of one agent in a game, by its name with its options, or in a `Game`.

    `opponents` is one for all other seats, or a list with one for each, clockwise from the agent. Each is
    ``"random"``; a policy: a callable of observation and action mask to an id, or an object with `predict`
    (see `policies`); a bot: the name of a shipped one (``"greedy"``), its command (a string, or in a list a
    list of words) or a `Player`; or a `Pool` of past policies. `seat` is the agent's, or ``"rotate"``: the
    n-th match since a seed was given is in seat n - 1, and so on round the table. `limits` are for bots, by
    default as in ``arbiter play``; others by their keys in a season's file, such as ``{"time": "1m"}``.
    Matches played to their end, or ended by the agent's illegal move, are written to `dataset`, .csv or
    .parquet, complete after `close`. `options` also has those of `ViewForm`. ConfigError for
    invalid values.
    """
    form = ViewForm.taken_from(options, "info")
    play, observer, _ = arena_of(game, options)
    more: dict[str, Any] = {"render_mode": render_mode, "limits": limits, "dataset": dataset}
    return SingleEnv(play.game, observer, opponents, seat, form, **more)


class SingleEnv(TurnBasedEnv):
    """Successive matches with one agent; `single` makes it.

    Observations are the vectors of `arbiter.envs.aec` for the seat, (cells,); actions are ids, 0..ids - 1.
    ``info`` is as in `TurnBasedEnv`, for the agent's ``seat``. The reward is 0 until the match ends, then the
    points of the agent's seat. An illegal action ends the match with reward -1. A bot's fault ends it too: it
    is truncated, with reward 0, and ``info["fault"]`` names the bot and the fault.

    A match may be over before the agent's first decision. Then the mask of `reset` is all zeros, and
    one step, with any action, returns the result.

    `play` is the match in progress, for reading.
    """

    play: LastActionPlay
    _whose = "the agent"
    metadata = env_metadata("arbiter_single")
    _numbers: dict[str, Any] = {"illegal": np.int8(0), "fault": np.int8(0)}  # noqa: RUF012 (never changed)

    def __init__(
        self,
        game: AnyGame,
        observer: Observer,
        opponents: object,
        seat: int | str = 0,
        form: ViewForm = ViewForm("info"),  # noqa: B008 (immutable)
        *,
        render_mode: str | None = None,
        limits: Limits | Mapping[str, str] | None = None,
        dataset: str | None = None,
    ) -> None:
        limits = limits_of(limits)
        super().__init__(LastActionPlay(game), observer, form, render_mode=render_mode)
        self.seat: Seat = 0
        self._wanted = seat if seat == ROTATE else check_seat(seat, game)
        self.opponents = check_opponents(opponents, game.seats - 1, game.name)
        self.limits: Limits | None = None
        """Those of its programs."""
        self._programs: ProgramOpponents | None = None
        if any(isinstance(opponent, Player) for opponent in self.opponents):
            from arbiter.envs.bot_opponents import ProgramOpponents
            from arbiter.table.program_players import default_limits

            self.limits = limits = limits or default_limits()
            self._programs = ProgramOpponents(limits)
            # Also without a call of `close`.
            weakref.finalize(self, self._programs.close)
        self._seated: dict[Seat, Opponent] = {}
        self._match = 0
        self._fault = ""
        self.faulty: Seat | None = None
        """The seat of the bot whose fault ended the match."""
        if dataset is not None:
            self.write_to(dataset)

    def reset(
        self, *, seed: int | str | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin a match, and play to the agent's first decision.

        A `seed`, an integer from 0 or a string, begins a sequence of matches, the n-th with the deals of
        round n of a season with that seed, and determines random opponents; None continues the sequence.
        ``options={"deals": [...]}`` as in `arbiter.envs.aec`; ``options={"seat": 2}`` seats the agent there
        for this match only. TypeError or ValueError for a seed, ConfigError for options; then nothing is
        changed.
        """
        seed = check_seed(seed)
        deals = given_deals(options, ("deals", "seat"))
        wanted = (options or {}).get("seat", self._wanted)
        if wanted != ROTATE:
            wanted = check_seat(wanted, self.play.game)
        self.play.reset(seed, deals)
        super().reset(seed=seed if isinstance(seed, int) else None)
        self._match = self._match + 1 if seed is None else 1
        self.seat = seat = (self._match - 1) % self.play.game.seats if wanted == ROTATE else int(wanted)
        self._fault = self._note = ""
        self._open, self.play.done, self.faulty = False, None, None
        self._seat_opponents(seat)
        self._open = True
        self._advance()
        return self._observe(seat, fault=self._fault)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Do the agent's action, an id, and play to its next decision; an illegal one ends the match.

        TypeError, ValueError, or RuntimeError without a match in progress; nothing is changed then.
        """
        action, illegal = self._check_action(action), ""
        if not self._over:
            illegal = self._act(self.seat, action)
            if not illegal:
                self._advance()
        over = self._over
        seen, info = self._observe(self.seat, illegal=illegal, fault=self._fault)
        if not over:
            return seen, 0.0, False, False, info
        self._end_match()
        if self._fault:
            return seen, 0.0, False, True, info
        self._write_match(self.seat, illegal)
        self._report_to_pools(bool(illegal))
        return seen, ILLEGAL if illegal else float(self.play.totals[self.seat]), True, False, info

    def close(self) -> None:
        """End all processes and the match in progress, complete the data set. `reset` begins another."""
        if self._programs is not None:
            self._programs.close()
        super().close()

    def called(self, seat: Seat) -> str:
        """Return what messages call the opponent in a seat."""
        opponent = self._seated[seat]
        return f"the {getattr(opponent, 'role', ROLE)} {opponent.name}"

    def _names_by_seat(self) -> list[str]:
        return [
            f"seat_{seat} " + (self._seated[seat].name if seat in self._seated else "agent")
            for seat in range(self.play.game.seats)
        ]

    def _viewer(self) -> Seat:
        # After a bot's fault that bot is still to act.
        return NOBODY if self._over else self.seat

    @property
    def _over(self) -> bool:
        return self.play.over or bool(self._fault)

    def _acting_seat(self) -> Seat:
        return self.seat

    def _seat_opponents(self, seat: Seat) -> None:
        """Seat the opponents clockwise from the agent, and start their processes."""
        play = self.play
        places = [(seat + 1 + place) % play.game.seats for place in range(play.game.seats - 1)]
        self._seated = dict(zip(places, self.opponents, strict=True))
        seed = play.seed
        programs = {}
        for place, opponent in sorted(self._seated.items()):
            if isinstance(opponent, Player):
                programs[place] = opponent
            else:
                opponent.begin(f"arbiter-opponents|{seed}|{self._match}|{place}")
        if self._programs is not None:
            self._programs.begin(play.game, seed, self._match, programs)

    def _advance(self) -> None:
        """Play to the agent's next decision, or the end of the match."""
        play, programs = self.play, self._programs
        try:
            while True:
                self._forward_decision()
                if play.over or play.turn == self.seat:
                    break
                self._play_opponent(play.turn)
            if programs is not None:
                programs.advance()
        except Forfeited as forfeited:
            self._fault = self._note = str(forfeited)
            self.faulty = forfeited.forfeit.seat
        except BaseException:
            # An opponent's policy, or the machine, has failed: the match cannot continue.
            self._end_match()
            raise

    def _forward_decision(self) -> None:
        """Forward the last decision to the referee, if a player in memory made it."""
        done, self.play.done = self.play.done, None
        if done is not None and self._programs is not None:
            state, seat, action = done
            if not isinstance(self._seated.get(seat), Player):
                self._programs.send_decision(self.play.game.action_text(state, seat, action))

    def _play_opponent(self, seat: Seat) -> None:
        """Do an opponent's action; IllegalPolicy if a policy's is illegal, Forfeited by a program."""
        play, opponent = self.play, self._seated[seat]
        if not isinstance(opponent, Player):
            action = opponent.choose(play, self.observer, seat)
            try:
                self.observer.act(play, seat, action)
            except IllegalAction as error:
                name = self.observer.action_name(action)
                what = f"{self.called(seat)} in seat {seat} wants {action} ({name})"
                raise IllegalPolicy(f"{what}: {error}") from None
            return
        assert self._programs is not None
        game, state = play.game, play.state
        words = self._programs.answer(game.answer_words(state, seat))
        play.act(seat, game.parse(state, seat, words))

    def _report_to_pools(self, illegal: bool) -> None:
        """Report the result of a match to the pools at the table."""
        play = self.play
        pools = [opponent.pool for opponent in self._seated.values() if isinstance(opponent, FromPool)]
        for pool in {id(pool): pool for pool in pools}.values():
            names = [
                self._seated[seat].name if seat in self._seated else pool.learner
                for seat in range(play.game.seats)
            ]
            if illegal:
                pool.note(names, None, self.seat, play.game.sides)
            else:
                pool.note(names, play.totals, None, play.game.sides)

    def _end_match(self) -> None:
        """End the match and its processes."""
        self._open = False
        if self._programs is not None:
            self._programs.end()


class LastActionPlay(Play):
    """A play that stores its last action, with the state before it and its seat."""

    done: tuple[Any, Seat, Action] | None = None

    @property
    def seed(self) -> str:
        """The seed of the deals."""
        return str(self._seed)

    def _advance(self, seat: Seat, action: Action, state: Any) -> None:
        before = self.state
        super()._advance(seat, action, state)
        self.done = before, seat, action


def limits_of(limits: object) -> Limits | None:
    """Return limits from a mapping with keys of a season's file, others as they are; ConfigError."""
    if limits is None or isinstance(limits, Limits):
        return limits
    written = check_written(limits)
    from arbiter.table.program_players import default_limits

    return default_limits(**written)


def check_seat(seat: object, game: AnyGame) -> Seat:
    """Return an existing seat; ConfigError."""
    try:
        return check_number(seat, "seat", bound=game.seats)
    except (TypeError, ValueError):
        raise ConfigError(f"seat is {seat!r}, not 0..{game.seats - 1}", hint=f'or "{ROTATE}"') from None
