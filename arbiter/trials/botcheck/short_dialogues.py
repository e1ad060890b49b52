"""Short dialogues with a fresh process: the opening by itself, odd input, the ways to end.

The commands are those that seat 0 receives up to its first decision in the check's match. A bot may need
time to clean up on a busy machine, so wall time does not decide whether it ends: it fails if it sleeps
instead of ending, or continues to compute.
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
from arbiter.trials.botcheck.verdicts import Step, escaped, passed, shown_lines
from arbiter.trials.botcheck.whole_match import BLANK, SURPLUS_NS

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.games.game import AnyGame, Command
    from arbiter.match.exchange import Reply
    from arbiter.table.single_bot import RawReply, SingleBot
    from arbiter.trials.botcheck.whole_match import Subject


UNKNOWN = "no_such_command 1"
REFUSES_ALL = "read its reply; compare each line's first word, without its line end, with the game's commands"
PATIENCE_NS = 5 * SECOND
"""The longest wait for a reply to an odd line."""
AGAIN_NS = SECOND // 2
"""The same when a dialogue is repeated."""
LOOK_SECONDS = 0.05
STIRS_NS = 10 * MS
"""CPU time up to which a bot counts as asleep: a thread may wake up now and then."""
KILL_SECONDS = 30.0
"""Time for the kernel to end a bot and free its memory."""


class Script(NamedTuple):
    """The commands to seat 0 up to its first decision, and the position in which it decides.

    `opening` is the number of commands in the greeting.
    """

    commands: tuple[Command, ...]
    opening: int
    position: Position


def script_of(game: AnyGame, seed: str, left_ns: int) -> Script:
    """Play a game in memory up to seat 0's first decision, with random others, and return its script."""
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
    """The short dialogues of one subject; each public method starts a new process."""

    def __init__(self, subject: Subject, patience_ns: int = PATIENCE_NS) -> None:
        self._subject = subject
        limits = subject.limits
        self._script = script_of(subject.game, subject.seed, limits.time.budget_ns)
        self._patience = min(limits.time.budget_ns, patience_ns)
        self._start = limits.time.budget_ns if limits.start_ns is None else limits.start_ns
        self._refused: tuple[int, ...] = ()
        self.answers_well = False
        """True if the plain dialogue of `opening` ended with a legal answer."""
        self.refuses_all = False
        """True if every reply in it was ``?``."""

    def opening(self) -> Step:
        """Check that the greeting is answered; refusals are only reported, since a match tolerates them."""
        name, script = "opening", self._script
        with self._subject.run(0) as bot:
            refused: dict[int, RawReply] = {}
            for number, command in enumerate(script.commands[:-1]):
                heard = self._send_line(bot, f"{command}\n", number == 0)
                if (fault := heard.reply.fault) is not None:
                    fix = SURVIVE if fault.kind == Fault.CRASH else "answer it with = and an empty line"
                    return self._fail(bot, name, command, heard, fix)
                if not heard.reply.answer.accepted:
                    refused[number] = heard
            reply = self._send_line(bot, f"{script.commands[-1]}\n").reply
            self.answers_well = self._is_legal(reply)
            self._refused = tuple(refused)
            refusal = reply.fault is None and not reply.answer.accepted
            self.refuses_all = refusal and len(refused) == len(script.commands) - 1
            if self.refuses_all:
                said = escaped(refused[0].reply.answer.raw.partition(b"\n")[0])
                detail = f"it refuses (?) every command, {script.commands[-1]} too, the first with '{said}'"
                return self._fail(bot, name, script.commands[0], refused[0], REFUSES_ALL, detail)
        answered = ", ".join(command.split(" ")[0] for command in script.commands[: script.opening])
        detail = f"answered {answered}"
        if refused:
            words = ", ".join(script.commands[number].split(" ")[0] for number in refused)
            detail += f"; refused (?) {words}, which is tolerated"
        return passed(name, detail)

    def answers_plain_lines(self) -> bool:
        """Repeat the plain dialogue; True if it ends with a legal answer."""
        self.answers_well = False
        self.opening()
        return self.answers_well

    def answers_twice(self) -> bool:
        """Send the first two commands; True if both are answered."""
        with self._subject.run(0) as bot:
            heard = [
                self._send_line(bot, f"{command}\n", at == 0)
                for at, command in enumerate(self._script.commands[:2])
            ]
            return all(one.reply.fault is None for one in heard)

    def unknown_command(self) -> Step:
        """Check that a command that no game has is answered with ``?``, and the next one too."""
        name = "unknown-command"
        fix = "answer every unknown command with ? and a word, then an empty line"
        with self._subject.run(0) as bot:
            first = self._script.commands[0]
            self._send_line(bot, f"{first}\n", starting=True)
            heard = self._send_line(bot, f"{UNKNOWN}\n")
            if heard.reply.fault is not None:
                return self._fail(bot, name, UNKNOWN, heard, fix)
            if heard.reply.answer.accepted:
                detail = "it accepted (=) an unknown command"
                return self._fail(bot, name, UNKNOWN, heard, fix, detail)
            after = self._send_line(bot, f"{first}\n")
            if after.reply.fault is not None:
                return self._fail(bot, name, f"{UNKNOWN}, then {first}", after, fix)
            return passed(name, f"answered '{escaped(heard.raw)}'")

    def blank_lines(self) -> Step:
        """Check that blank lines before commands are ignored: no reply to them, no end."""
        fix = "ignore blank lines: no reply, no end of the program"
        return self._odd_lines("blank-lines", "{}\n", fix, blank=BLANK)

    def line_ends(self) -> Step:
        """Check that lines ending with carriage return and newline are understood."""
        return self._odd_lines(
            "line-ends", "{}\r\n", "strip blanks and \\r from the end of a line before you use it"
        )

    def ends(self, how: Callable[[SingleBot], Step], answers: bool) -> Step:
        """Start a process, end it by `how`, and return the step; one that `answers` first gets a command."""
        with self._subject.run(0) as bot:
            if answers:
                self._send_line(bot, f"{self._script.commands[0]}\n", starting=True)
            return how(bot)

    def _odd_lines(self, name: str, form: str, fix: str, blank: bytes = b"") -> Step:
        """Hold the dialogue, each command written as `form`; check that the answers are as usual.

        `blank` is sent before some commands and must be ignored.
        """
        script = self._script
        with self._subject.run(0) as bot:
            for number, command in enumerate(script.commands):
                line = sent = form.format(command)
                if blank and number in (0, 1, len(script.commands) - 1):
                    sent = f"{blank.decode()}, then {line}"
                    if surplus := self._unanswered(bot, blank):
                        return Step(name, False, escaped(blank), escaped(surplus), fix, "a reply to nothing")
                heard = self._send_line(bot, line, number == 0)
                answer = heard.reply.answer
                if heard.reply.fault is not None:
                    return self._fail(bot, name, sent, heard, fix)
                asked = command == script.commands[-1]
                if not answer.accepted and (asked or number not in self._refused):
                    return self._fail(bot, name, sent, heard, fix, "it refused what it otherwise accepts")
            try:
                self._parse(heard.reply)
            except ArbiterError as error:
                return self._fail(bot, name, sent, heard, fix, str(error))
            return passed(name)

    def _parse(self, reply: Reply) -> None:
        """Raise ArbiterError if the answer to the script's request is not legal."""
        position = self._script.position
        position.parse(words_of(reply.answer, position.answer_words))

    def _is_legal(self, reply: Reply) -> bool:
        """True if a reply is an accepted and legal answer to the script's request."""
        try:
            self._parse(reply)
        except ArbiterError:
            return False
        return reply.fault is None and reply.answer.accepted

    def _unanswered(self, bot: SingleBot, payload: bytes) -> bytes:
        """Write a line to be ignored, wait until it has been read, and return any reply."""
        until = time.monotonic_ns() + self._patience
        bot.write(payload)
        surplus = bot.read_for(SURPLUS_NS)
        while not (surplus or bot.has_read_all or bot.wait(0)) and time.monotonic_ns() < until:
            surplus = bot.read_for(SURPLUS_NS)
        return surplus

    def _send_line(self, bot: SingleBot, line: str, starting: bool = False) -> RawReply:
        """Send a line and return the reply; a `starting` bot gets the time for its start."""
        return bot.send(line.encode(), 1, self._start if starting else self._patience)

    def _fail(
        self, bot: SingleBot, name: str, sent: str, heard: RawReply, fix: str, detail: str = ""
    ) -> Step:
        """Stop the bot and return its failed step."""
        fault = heard.reply.fault
        public = detail or (fault.reason if fault is not None else "")
        detail = detail or (fault.detail if fault is not None else "")
        stderr = shown_lines(bot.stop().stderr)
        return Step(
            name, False, escaped(sent.encode()), escaped(heard.raw), fix, detail, stderr, public=public
        )


class Patience(NamedTuple):
    """The time that a bot may take to end, in seconds: asleep without a break, CPU time, and wall time."""

    asleep: float = 3.0
    computing: float = 10.0
    most: float = 60.0


PATIENCE = Patience()


def end_by_quit(bot: SingleBot) -> Step:
    """Send ``quit`` and check that the bot ends."""
    bot.write(b"quit\n")
    return _check_ended(bot, "quit", "quit", "leave the loop when quit comes")


def end_by_eof(bot: SingleBot) -> Step:
    """Close the bot's input and check that it ends."""
    bot.end_input()
    return _check_ended(bot, "end-of-input", "end of input", "end the program when reading returns nothing")


def end_by_kill(bot: SingleBot) -> Step:
    """Kill the bot and check that it and all its processes end."""
    family, began = bot.family(), time.monotonic()
    bot.stop()
    seconds = time.monotonic() - began
    if seconds > KILL_SECONDS:
        detail = f"it still ran {seconds:.1f} s after it was killed"
        return Step("kill", False, "SIGKILL", "", "start no processes", detail)
    also = f", with {len(family)} of its processes" if family else ""
    return passed("kill", f"ended after {seconds * 1000:.0f} ms{also}")


def _check_ended(bot: SingleBot, name: str, sent: str, fix: str) -> Step:
    """Wait for the bot's end and return the step, failed if it still runs."""
    began = time.monotonic()
    if still := _wait_until_ended(bot, PATIENCE):
        return Step(name, False, sent, "", fix, f"it still runs: {still}")
    seconds = time.monotonic() - began
    late = name == "quit" and seconds > QUIT_SECONDS
    more = f"; with end: quit a match waits {QUIT_SECONDS:g} s, then kills it" if late else ""
    return passed(name, f"ended after {seconds * 1000:.0f} ms{more}")


def _wait_until_ended(bot: SingleBot, patience: Patience) -> str:
    """Wait until the bot has ended, and return ""; after the `patience` return what it does instead."""
    awake, stirred = Awake(), 0.0
    first = counted = bot.cpu_ns
    while bot.wait(LOOK_SECONDS) is None:
        # A full pipe must not stop it.
        bot.read_for(MS)
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
