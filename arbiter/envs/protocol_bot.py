"""The dialogue of a bot that knows its match by a `Hearing`, and a policy as such a bot.

    #!/usr/bin/env python3
    from arbiter.envs import PolicyBot

    def policy(observation, action_mask):
        return int(action_mask.argmax())

    PolicyBot(policy, game="planning").run()

The policy, or an object with `predict` (see `policies`), is asked with what the environments show a seat
in the same situation, and answers with an id. How a bot comes by that, hearing so much less, is explained in
`arbiter.games.information_state`.
"""

from __future__ import annotations

import os
import sys
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from arbiter.envs.argument_checks import checked_action
from arbiter.envs.match_state import Play
from arbiter.envs.observers import observer_of
from arbiter.envs.pettingzoo_base import arena_of, mask_of
from arbiter.envs.policies import Policy, begin, policy_of
from arbiter.errors import ConfigError, IllegalAction
from arbiter.games import hearing_of, make, names
from arbiter.games.game import Action, AnyGame, Command, Seat
from arbiter.games.information_state import BadCommand, Hearing

_RULES = "set_rules"
"""The command that names the game, in most of them the first one."""


class BadAnswer(Exception):
    """A policy answered with something that is no legal action."""


class HeardPlay(Play):
    """A match as a seat hears it, up to where that is to act; an action is only kept then."""

    def __init__(self, match: Hearing) -> None:
        super().__init__(match.game)
        self.deal, self.first, self.state = match.deal, match.first, match.state
        self.seats, self.actions = match.seats[:], match.actions[:]
        self.turn = match.seat
        self.played = match.played[:]
        self.totals = tuple(
            map(sum, zip((0,) * match.game.seats, *(deal.points for deal in self.played), strict=True))
        )

    def act(self, seat: Seat, action: Action) -> None:
        if not self.state.allows(seat, action):
            # Which says why.
            self.state.apply(seat, action)
        self.actions.append(action)


class HearingBot(ABC):
    """A bot of one game; `answer` alone is without input and output. A subclass decides.

    `game` and `options` are those of `arbiter.envs.aec`; what a match announces of its options takes their
    place. ConfigError for options that cannot be. `time_left` is what the clock has left, in ms, None
    until that is heard; `seat` the own one, None before the first cards.
    """

    def __init__(self, game: str | AnyGame = "planning", **options: Any) -> None:
        play, observer, _ = arena_of(game, options)
        # Tables that are made when they are first needed are made now: a bot's start is not on its clock.
        play.reset(seed=0)
        observer.vector(play, play.turn)
        observer.legal(play, play.turn)
        self.game = play.game
        self.time_left: int | None = None
        self.over = False
        """True when ``quit`` has come."""
        self._verbs = frozenset(_wording(self.game, 0))
        self._beginning = _beginning(self.game)
        self._other = ""
        """Another game whose match has begun, "" for none."""
        self._said: dict[str, list[str]] = {}
        self._match: Hearing | None = None

    @abstractmethod
    def decide(self, match: Hearing) -> Action:
        """The own action in `match`, of which everything has been heard; BadAnswer."""

    @abstractmethod
    def begin(self, match: Hearing) -> None:
        """A match begins, of which nothing has been heard yet."""

    def gen(self, match: Hearing, request: Command) -> str:
        """The answer to a command that asks for one; BadCommand where it is not due."""
        match.asked(request)
        return match.game.action_text(match.state, match.seat, self.decide(match))

    @property
    def seat(self) -> int | None:
        return self._match.seat if self._match is not None else None

    def answer(self, line: str) -> str | None:
        """The reply to one command, without the empty line that ends it; None for a blank line.

        BadAnswer, or what the policy raises.
        """
        words = line.split()
        if not words:
            return None
        try:
            return f"= {self._done(words)}".rstrip()
        except BadCommand as refusal:
            return f"? {refusal}"

    def run(
        self, commands: Iterable[bytes] | None = None, write: Callable[[bytes], object] | None = None
    ) -> None:
        """Answer commands until ``quit`` or the end of the input: standard input and output unless others
        are given.

        What the policy prints goes to standard error. When it fails, the program ends with status 1, its last
        line there saying where, the policy's own traceback before it.
        """
        if commands is None:
            # Of its own, as is the output below: the policy may run programs that read and print.
            commands = open(os.dup(0), "rb")  # noqa: SIM115 (open until the end)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        if write is None:
            # Unbuffered: each reply is on its way before the next command is looked at.
            write = open(os.dup(1), "wb", buffering=0).write  # noqa: SIM115
            os.dup2(2, 1)
            sys.stdout = sys.stderr
        for line in commands:
            text = line.decode(errors="replace")
            try:
                reply = self.answer(text)
            except BadAnswer as error:
                raise SystemExit(f"the policy's answer to {text.strip()}: {error}") from None
            except (Exception, SystemExit) as error:
                # The frame of this loop is no part of the author's program.
                traceback.print_exception(error.with_traceback(_from_policy(error)))
                what = f"{type(error).__name__}: {error}".splitlines()[0]
                raise SystemExit(f"the policy failed at {text.strip()}: {what}") from None
            if reply is not None:
                write(f"{reply}\n\n".encode())
            if self.over:
                return

    def _done(self, words: list[str]) -> str:
        """Return the answer to a command, empty for most; BadCommand."""
        verb = words[0]
        if verb != "quit" and (other := self._other_game(words)):
            raise BadCommand(f"this bot plays {self.game.name}, and the match is one of {other}")
        if verb == "quit":
            self.over = True
        elif verb == "time_left":
            if len(words) != 2 or not words[1].isdecimal():
                raise BadCommand("time_left tells milliseconds")
            self.time_left = int(words[1])
        elif verb in self._verbs:
            if self._match is not None:
                # Another match begins.
                self._match, self._said = None, {}
            self._said[verb] = words[1:]
        elif verb.startswith("gen_"):
            return self.gen(self._heard(), " ".join(words))
        else:
            self._heard().hear(" ".join(words))
        return ""

    def _other_game(self, words: list[str]) -> str:
        """The game that has begun instead of the bot's own, which the first command tells; "" if none has."""
        begins = not self._said and not self._other
        if begins and words[: len(self._beginning)] != self._beginning:
            self._other = _game_begun_by(words)
        return self._other

    def _heard(self) -> Hearing:
        """The match in progress; BadCommand where none was announced."""
        if self._match is None:
            game, seat = _greeted(self.game, self._said)
            self._match = hearing_of(game, seat)
            self.observer = observer_of(game)
            self.begin(self._match)
        return self._match


class PolicyBot(HearingBot):
    """A `HearingBot` that does what a policy says."""

    def __init__(self, policy: Any, game: str | AnyGame = "planning", **options: Any) -> None:
        self.policy: Policy = policy_of(policy)
        super().__init__(game, **options)

    def begin(self, match: Hearing) -> None:  # noqa: ARG002
        begin(self.policy)

    def decide(self, match: Hearing) -> Action:
        trial, seat, observer = HeardPlay(match), match.seat, self.observer
        done = len(trial.actions)
        # A decision may take several steps, as that of the Chef who gives two cards.
        while len(trial.actions) == done:
            mask = mask_of(observer.legal(trial, seat), observer.actions)
            answer = self.policy(observer.vector(trial, seat), mask)
            try:
                action = checked_action(answer, observer.actions, f"seat {seat}")
                observer.act(trial, seat, action)
            except (TypeError, ValueError) as error:
                raise BadAnswer(str(error)) from None
            except IllegalAction as error:
                name = observer.action_name(action)
                raise BadAnswer(f"{action} ({name}) is not legal: {error}") from None
        return trial.actions[done]


def _from_policy(error: BaseException) -> Any:
    """The traceback of what a policy raised, without the frames of this package."""
    trace = error.__traceback__
    here = Path(__file__).parent
    while trace and trace.tb_next and Path(trace.tb_frame.f_code.co_filename).parent == here:
        trace = trace.tb_next
    return trace


def _greeted(base: AnyGame, said: Mapping[str, Sequence[str]]) -> tuple[AnyGame, Seat]:
    """The game that was announced, and the seat in it; BadCommand where `base` cannot be played so.

    What the greeting does not tell is as in `base`.
    """
    game = base
    try:
        if options := base.options_told(said):
            game = type(base)(**{**base.options, **options})
    except (ValueError, IndexError):
        raise BadCommand("the greeting has not the words that it should have") from None
    except ConfigError as error:
        raise BadCommand(str(error)) from None
    for seat in range(game.seats):
        if all(said.get(verb) == words for verb, words in _wording(game, seat).items()):
            return game, seat
    missing = [verb for verb in _wording(game, 0) if verb not in said]
    if missing:
        raise BadCommand(f"{missing[0]} comes first")
    raise BadCommand(f"this is a bot for {game!r}, which is not what was announced")


def _beginning(game: AnyGame) -> list[str]:
    """The words that tell the game, of a match's first command: ``set_rules codepiece``, ``set_deck``."""
    verb, *words = next(iter(game.greeting()))[0].split()
    return [verb, *words[:1]] if verb == _RULES else [verb]


def _game_begun_by(words: Sequence[str]) -> str:
    """The game whose matches begin with such a command, "" for none that is known."""
    if words[0] == _RULES:
        return words[1] if len(words) > 1 else ""
    for name in names():
        # A game of somebody else's that cannot be loaded is not the bot's business.
        with suppress(Exception):
            if _beginning(make(name, {})) == [words[0]]:
                return name
    return ""


def _wording(game: AnyGame, seat: Seat) -> dict[str, list[str]]:
    commands = (wording[seat].split() for wording in game.greeting())
    return {words[0]: words[1:] for words in commands}
