"""The protocol loop of bots that use a `Hearing`, and a policy as such a bot.

    #!/usr/bin/env python3
    from arbiter.envs import PolicyBot

    def policy(observation, action_mask):
        return int(action_mask.argmax())

    PolicyBot(policy, game="planning").run()

The policy, or an object with `predict` (see `policies`), gets the observations of the environments for a seat
in the same situation, and returns an id. `arbiter.games.information_state` explains how a bot reconstructs
them from its commands.
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

from arbiter.envs.argument_checks import check_action
from arbiter.envs.masks import mask_of
from arbiter.envs.match_state import Play
from arbiter.envs.observers import observer_of
from arbiter.envs.pettingzoo_base import arena_of
from arbiter.envs.policies import Policy, begin, policy_of
from arbiter.errors import ConfigError, IllegalAction
from arbiter.games import hearing_of, make, names
from arbiter.games.game import Action, AnyGame, Command, Seat
from arbiter.games.information_state import BadCommand, Hearing

_RULES = "set_rules"
"""The command that names the game, the first one of most games."""


class BadAnswer(Exception):
    """A policy's answer is not a legal action."""


class KnownPlay(Play):
    """The match of a `Hearing` at the seat's decision; actions are only stored, not applied."""

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
            # Raises with the reason.
            self.state.apply(seat, action)
        self.actions.append(action)


class ProtocolBot(ABC):
    """A bot of one game; `answer` does no input and output. A subclass decides.

    `game` and `options` are as in `arbiter.envs.aec`; the options in a match's greeting replace them.
    ConfigError for invalid options. `time_left` is the rest of the clock in ms, None before the first
    ``time_left``; `seat` is the bot's, None before the first cards.
    """

    def __init__(self, game: str | AnyGame = "planning", **options: Any) -> None:
        play, observer, _ = arena_of(game, options)
        # Build lazy tables now: a bot's start is not on its clock.
        play.reset(seed=0)
        observer.vector(play, play.turn)
        observer.legal(play, play.turn)
        self.game = play.game
        self.time_left: int | None = None
        self.over = False
        """True after ``quit``."""
        self._verbs = frozenset(_greeting_words(self.game, 0))
        self._first_words = _first_words(self.game)
        self._other = ""
        """The name of another game whose match has begun, or ""."""
        self._said: dict[str, list[str]] = {}
        self._match: Hearing | None = None

    @abstractmethod
    def decide(self, match: Hearing) -> Action:
        """Return the bot's action in `match`; BadAnswer."""

    @abstractmethod
    def begin(self, match: Hearing) -> None:
        """Begin a match, before its first deal."""

    def answer_request(self, match: Hearing, request: Command) -> str:
        """Advance `match` to the request, decide, and return the answer; BadCommand if it is not due."""
        match.asked(request)
        return match.game.action_text(match.state, match.seat, self.decide(match))

    @property
    def seat(self) -> int | None:
        return self._match.seat if self._match is not None else None

    def answer(self, line: str) -> str | None:
        """Return the reply to one command, without its final empty line; None for a blank line.

        BadAnswer, or any exception of the policy.
        """
        words = line.split()
        if not words:
            return None
        try:
            return f"= {self._process(words)}".rstrip()
        except BadCommand as refusal:
            return f"? {refusal}"

    def run(
        self, commands: Iterable[bytes] | None = None, write: Callable[[bytes], object] | None = None
    ) -> None:
        """Answer commands until ``quit`` or the end of the input, by default on standard input and output.

        The policy's prints go to standard error. If it fails, the program ends with status 1 and writes there
        the policy's traceback and a line with the command.
        """
        if commands is None:
            # A separate descriptor, as for the output below: the policy may run programs that read and print.
            commands = open(os.dup(0), "rb")  # noqa: SIM115 (open until the end)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        if write is None:
            # Unbuffered: each reply is sent before the next command is read.
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
                # Without the frames of this package.
                traceback.print_exception(error.with_traceback(_from_policy(error)))
                what = f"{type(error).__name__}: {error}".splitlines()[0]
                raise SystemExit(f"the policy failed at {text.strip()}: {what}") from None
            if reply is not None:
                write(f"{reply}\n\n".encode())
            if self.over:
                return

    def _process(self, words: list[str]) -> str:
        """Process a command. Return its answer, empty for most; BadCommand."""
        verb = words[0]
        if verb != "quit" and (other := self._other_game(words)):
            raise BadCommand(f"this bot plays {self.game.name}, and the match is one of {other}")
        if verb == "quit":
            self.over = True
        elif verb == "time_left":
            if len(words) != 2 or not words[1].isdecimal():
                raise BadCommand("expected time_left and milliseconds")
            self.time_left = int(words[1])
        elif verb in self._verbs:
            if self._match is not None:
                # Another match begins.
                self._match, self._said = None, {}
            self._said[verb] = words[1:]
        elif verb.startswith("gen_"):
            return self.answer_request(self._match_in_progress(), " ".join(words))
        else:
            self._match_in_progress().hear(" ".join(words))
        return ""

    def _other_game(self, words: list[str]) -> str:
        """Return the name of another game whose match has begun, by its first command, or ""."""
        begins = not self._said and not self._other
        if begins and words[: len(self._first_words)] != self._first_words:
            self._other = _game_begun_by(words)
        return self._other

    def _match_in_progress(self) -> Hearing:
        """Return the match in progress, begun after the greeting; BadCommand if the greeting is missing."""
        if self._match is None:
            game, seat = _announced_game(self.game, self._said)
            self._match = hearing_of(game, seat)
            self.observer = observer_of(game)
            self.begin(self._match)
        return self._match


class PolicyBot(ProtocolBot):
    """A `ProtocolBot` whose decisions are a policy's."""

    def __init__(self, policy: Any, game: str | AnyGame = "planning", **options: Any) -> None:
        self.policy: Policy = policy_of(policy)
        super().__init__(game, **options)

    def begin(self, match: Hearing) -> None:  # noqa: ARG002
        begin(self.policy)

    def decide(self, match: Hearing) -> Action:
        trial, seat, observer = KnownPlay(match), match.seat, self.observer
        done = len(trial.actions)
        # A decision may take several steps, such as the Chef's gift of two cards.
        while len(trial.actions) == done:
            mask = mask_of(observer.legal(trial, seat), observer.actions)
            answer = self.policy(observer.vector(trial, seat), mask)
            try:
                action = check_action(answer, observer.actions, f"seat {seat}")
                observer.act(trial, seat, action)
            except (TypeError, ValueError) as error:
                raise BadAnswer(str(error)) from None
            except IllegalAction as error:
                name = observer.action_name(action)
                raise BadAnswer(f"{action} ({name}) is not legal: {error}") from None
        return trial.actions[done]


def _from_policy(error: BaseException) -> Any:
    """Return the traceback of a policy's exception, without the frames of this package."""
    trace = error.__traceback__
    here = Path(__file__).parent
    while trace and trace.tb_next and Path(trace.tb_frame.f_code.co_filename).parent == here:
        trace = trace.tb_next
    return trace


def _announced_game(base: AnyGame, said: Mapping[str, Sequence[str]]) -> tuple[AnyGame, Seat]:
    """Return the game of a greeting, and the bot's seat; BadCommand if it does not match `base`.

    Options that are not in the greeting are as in `base`.
    """
    game = base
    try:
        if options := base.options_told(said):
            game = type(base)(**{**base.options, **options})
    except (ValueError, IndexError):
        raise BadCommand("the greeting has missing or wrong words") from None
    except ConfigError as error:
        raise BadCommand(str(error)) from None
    for seat in range(game.seats):
        if all(said.get(verb) == words for verb, words in _greeting_words(game, seat).items()):
            return game, seat
    missing = [verb for verb in _greeting_words(game, 0) if verb not in said]
    if missing:
        raise BadCommand(f"{missing[0]} comes first")
    raise BadCommand(f"this is a bot for {game!r}, which is not what was announced")


def _first_words(game: AnyGame) -> list[str]:
    """Return the words of a match's first command that identify the game: ``set_rules codepiece``."""
    verb, *words = next(iter(game.greeting()))[0].split()
    return [verb, *words[:1]] if verb == _RULES else [verb]


def _game_begun_by(words: Sequence[str]) -> str:
    """Return the name of the game whose matches begin with such a command, or ""."""
    if words[0] == _RULES:
        return words[1] if len(words) > 1 else ""
    for name in names():
        # A third-party game that cannot be loaded does not concern this bot.
        with suppress(Exception):
            if _first_words(make(name, {})) == [words[0]]:
                return name
    return ""


def _greeting_words(game: AnyGame, seat: Seat) -> dict[str, list[str]]:
    """Return by command of the greeting the words after it."""
    commands = (wording[seat].split() for wording in game.greeting())
    return {words[0]: words[1:] for words in commands}
