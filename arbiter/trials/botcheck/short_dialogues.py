"""Short dialogues with a fresh process: the opening by itself, odd input, the ways to end.

The commands are those that seat 0 hears up to its first decision of the check's match. A bot that ends may
have much to put away, on a machine that is busy with others. So it is not the wall clock that decides: a bot
fails when it sleeps instead of ending, or goes on computing.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from arbiter.errors import ArbiterError
from arbiter.match.clock import MS, SECOND, time_left
from arbiter.match.in_memory import random_policy
from arbiter.match.position import Position
from arbiter.match.protocol import words_of
from arbiter.match.record import Fault
from arbiter.sandbox.awake_time import Awake
from arbiter.table.conductor import QUIT_SECONDS
from arbiter.trials.botcheck.cures import SURVIVE
from arbiter.trials.botcheck.verdicts import Step, escaped, last_lines, passed
from arbiter.trials.botcheck.whole_match import BLANK, SURPLUS_NS

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.games.game import AnyGame, Command
    from arbiter.match.exchange import Reply
    from arbiter.table.single_bot import Heard, SingleBot
    from arbiter.trials.botcheck.whole_match import Subject


UNKNOWN = "no_such_command 1"
REFUSES_ALL = (
    "see what it says; compare each line's first word, without its line end, with the game's commands"
)
PATIENCE_NS = 5 * SECOND
"""The longest wait for a reply to an odd line, whatever the time of a match."""
AGAIN_NS = SECOND // 2
"""The same, where a dialogue is held again."""
LOOK_SECONDS = 0.05
STIRS_NS = 10 * MS
"""CPU time within which a bot still counts as asleep: a thread that wakes up now and then."""
KILL_SECONDS = 30.0
"""For the kernel to end a bot with all its memory."""


class Script(NamedTuple):
    """The lines that seat 0 hears up to its first decision, and the position in which it decides.

    `opening` is how many of the commands are the greeting.
    """

    commands: tuple[Command, ...]
    opening: int
    position: Position


def script_of(game: AnyGame, seed: str, left_ns: int) -> Script:
    """The commands to seat 0; seats that decide before it do so at random."""
    position, policy = Position.opening(game, seed), random_policy(seed)
    heard: list[Command] = []
    while True:
        heard += [spoken.command for spoken in position.news if spoken.seat == 0]
        seat = position.to_act
        assert seat is not None, "seat 0 decides nothing in the first deal of this game"
        if seat == 0:
            commands = (*heard, time_left(left_ns), position.request)
            return Script(commands, len(list(game.greeting())), position)
        position = position.apply(policy(position.state, seat))


class Dialogue:
    """The short dialogues of one subject; each public method is a step, with a process of its own."""

    def __init__(self, subject: Subject, patience_ns: int = PATIENCE_NS) -> None:
        self._subject = subject
        limits = subject.limits
        self._script = script_of(subject.game, subject.seed, limits.time.budget_ns)
        self._patience = min(limits.time.budget_ns, patience_ns)
        self._start = limits.time.budget_ns if limits.start_ns is None else limits.start_ns
        self._refused: tuple[int, ...] = ()
        self.answers_well = False
        """True when the plain dialogue of `opening` ended with a legal answer."""
        self.refuses_all = False
        """True when nothing but ``?`` came there."""

    def opening(self) -> Step:
        """The greeting is answered. Refusals are tolerated in a match, so they are only reported."""
        name, script = "opening", self._script
        with self._subject.run(0) as bot:
            refused: dict[int, Heard] = {}
            for number, command in enumerate(script.commands[:-1]):
                heard = self._say(bot, f"{command}\n", number == 0)
                if (fault := heard.reply.fault) is not None:
                    fix = SURVIVE if fault.kind == Fault.CRASH else "answer it with = and an empty line"
                    return self._failed(bot, name, command, heard, fix)
                if not heard.reply.answer.accepted:
                    refused[number] = heard
            reply = self._say(bot, f"{script.commands[-1]}\n").reply
            self.answers_well = self._is_legal(reply)
            self._refused = tuple(refused)
            refusal = reply.fault is None and not reply.answer.accepted
            self.refuses_all = refusal and len(refused) == len(script.commands) - 1
            if self.refuses_all:
                said = escaped(refused[0].reply.answer.raw.partition(b"\n")[0])
                detail = f"it refuses (?) every command, {script.commands[-1]} too, the first with '{said}'"
                return self._failed(bot, name, script.commands[0], refused[0], REFUSES_ALL, detail)
        answered = ", ".join(command.split(" ")[0] for command in script.commands[: script.opening])
        detail = f"answered {answered}"
        if refused:
            words = ", ".join(script.commands[number].split(" ")[0] for number in refused)
            detail += f"; refused (?) {words}, which is tolerated"
        return passed(name, detail)

    def answers_plain_lines(self) -> bool:
        """True when the plain dialogue, once more, ends with a legal answer."""
        self.answers_well = False
        self.opening()
        return self.answers_well

    def goes_on(self) -> bool:
        """True when the first two commands are answered."""
        with self._subject.run(0) as bot:
            heard = [
                self._say(bot, f"{command}\n", at == 0)
                for at, command in enumerate(self._script.commands[:2])
            ]
            return all(one.reply.fault is None for one in heard)

    def unknown_command(self) -> Step:
        """A command that no game has is answered with ``?``, and the bot goes on."""
        name = "unknown-command"
        fix = "answer every command that you do not know with ? and a word, then an empty line"
        with self._subject.run(0) as bot:
            first = self._script.commands[0]
            self._say(bot, f"{first}\n", starting=True)
            heard = self._say(bot, f"{UNKNOWN}\n")
            if heard.reply.fault is not None:
                return self._failed(bot, name, UNKNOWN, heard, fix)
            if heard.reply.answer.accepted:
                detail = "it said = to a command that there is not"
                return self._failed(bot, name, UNKNOWN, heard, fix, detail)
            after = self._say(bot, f"{first}\n")
            if after.reply.fault is not None:
                return self._failed(bot, name, f"{UNKNOWN}, then {first}", after, fix)
            return passed(name, f"answered '{escaped(heard.raw)}'")

    def blank_lines(self) -> Step:
        """Blank lines before every command are ignored: no reply to them, no end."""
        fix = "ignore blank lines: no reply, no end of the program"
        return self._odd_lines("blank-lines", "{}\n", fix, blank=BLANK)

    def line_ends(self) -> Step:
        """Lines that end with carriage return and newline are understood."""
        return self._odd_lines(
            "line-ends", "{}\r\n", "strip blanks and \\r from the end of a line before you use it"
        )

    def ends(self, how: Callable[[SingleBot], Step], answers: bool) -> Step:
        """A process ended by one of `endings`; it has answered its first command if it `answers` at all."""
        with self._subject.run(0) as bot:
            if answers:
                self._say(bot, f"{self._script.commands[0]}\n", starting=True)
            return how(bot)

    def _odd_lines(self, name: str, form: str, fix: str, blank: bytes = b"") -> Step:
        """The whole dialogue, each command written as `form`; the answers are as usual.

        `blank` goes before some commands, by itself, and is to be ignored.
        """
        script = self._script
        with self._subject.run(0) as bot:
            for number, command in enumerate(script.commands):
                line = sent = form.format(command)
                if blank and number in (0, 1, len(script.commands) - 1):
                    sent = f"{blank.decode()}, then {line}"
                    if surplus := self._unanswered(bot, blank):
                        return Step(name, False, escaped(blank), escaped(surplus), fix, "a reply to nothing")
                heard = self._say(bot, line, number == 0)
                answer = heard.reply.answer
                if heard.reply.fault is not None:
                    return self._failed(bot, name, sent, heard, fix)
                asked = command == script.commands[-1]
                if not answer.accepted and (asked or number not in self._refused):
                    return self._failed(bot, name, sent, heard, fix, "it refused what it takes otherwise")
            try:
                self._parse(heard.reply)
            except ArbiterError as error:
                return self._failed(bot, name, sent, heard, fix, str(error))
            return passed(name)

    def _parse(self, reply: Reply) -> None:
        """ArbiterError where the answer to the script's request is not legal."""
        position = self._script.position
        position.parse(words_of(reply.answer, position.answer_words))

    def _is_legal(self, reply: Reply) -> bool:
        """True when the script's request is answered as the referee wants it."""
        try:
            self._parse(reply)
        except ArbiterError:
            return False
        return reply.fault is None and reply.answer.accepted

    def _unanswered(self, bot: SingleBot, payload: bytes) -> bytes:
        """Write what is to be ignored and wait until it has been read; whatever came in reply."""
        until = time.monotonic_ns() + self._patience
        bot.write(payload)
        surplus = bot.listen(SURPLUS_NS)
        while not (surplus or bot.has_read_all or bot.wait(0)) and time.monotonic_ns() < until:
            surplus = bot.listen(SURPLUS_NS)
        return surplus

    def _say(self, bot: SingleBot, line: str, starting: bool = False) -> Heard:
        return bot.say(line.encode(), 1, self._start if starting else self._patience)

    def _failed(self, bot: SingleBot, name: str, sent: str, heard: Heard, fix: str, detail: str = "") -> Step:
        fault = heard.reply.fault
        public = detail or (fault.reason if fault is not None else "")
        detail = detail or (fault.detail if fault is not None else "")
        stderr = last_lines(bot.stop().stderr)
        return Step(
            name, False, escaped(sent.encode()), escaped(heard.raw), fix, detail, stderr, public=public
        )


class Patience(NamedTuple):
    """The time that a bot may take to end, in seconds: asleep in one piece, of CPU time, and at most."""

    asleep: float = 3.0
    computing: float = 10.0
    most: float = 60.0


PATIENCE = Patience()


def on_quit(bot: SingleBot) -> Step:
    """The bot ends on ``quit``."""
    bot.write(b"quit\n")
    return _ends(bot, "quit", "quit", "leave the loop when quit comes")


def with_input(bot: SingleBot) -> Step:
    """The bot ends when its input does."""
    bot.end_input()
    return _ends(bot, "end-of-input", "end of input", "end the program when reading returns nothing")


def by_kill(bot: SingleBot) -> Step:
    """A kill ends the bot and everything that it has started."""
    family, began = bot.family(), time.monotonic()
    bot.stop()
    seconds = time.monotonic() - began
    if seconds > KILL_SECONDS:
        detail = f"it still ran {seconds:.1f} s after it was killed"
        return Step("kill", False, "SIGKILL", "", "start no processes", detail)
    more = f", with {len(family)} that it had started, which the tier landlock does not let it"
    also = more if family else ""
    return passed("kill", f"ended after {seconds * 1000:.0f} ms{also}")


def _ends(bot: SingleBot, name: str, sent: str, fix: str) -> Step:
    began = time.monotonic()
    if still := _goes_on(bot, PATIENCE):
        return Step(name, False, sent, "", fix, f"it still runs: {still}")
    seconds = time.monotonic() - began
    late = name == "quit" and seconds > QUIT_SECONDS
    more = f"; with end: quit a match waits {QUIT_SECONDS:g} s, then kills it" if late else ""
    return passed(name, f"ended after {seconds * 1000:.0f} ms{more}")


def _goes_on(bot: SingleBot, patience: Patience) -> str:
    """Return what a bot does instead of ending, "" once it has ended."""
    awake, stirred = Awake(), 0.0
    first = counted = bot.cpu_ns
    while bot.wait(LOOK_SECONDS) is None:
        # What it writes must not keep it.
        bot.listen(MS)
        bot.drain_stderr()
        now, cpu = awake.seconds, bot.cpu_ns
        if cpu - counted > STIRS_NS or not bot.sleeps:
            stirred, counted = now, cpu
        if now - stirred > patience.asleep:
            return f"it has slept for {now - stirred:.1f} s"
        if cpu - first > patience.computing * SECOND:
            return f"it has computed for {(cpu - first) / SECOND:.1f} s since"
        if now > patience.most:
            return f"after {now:.0f} s"
    return ""
