"""The reviewing program, one process for each seat: it gets the seat's commands and evaluates answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from arbiter.errors import BotCheckFailed
from arbiter.match.clock import MS, SECOND, time_left
from arbiter.sandbox.launcher import Launcher
from arbiter.table.single_bot import SingleBot
from arbiter.trials.review.gen_values import REQUEST, read_values

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from arbiter.games.game import AnyGame, Command, Seat
    from arbiter.match.protocol import Answer
    from arbiter.match.spec import Limits, Player
    from arbiter.replay.decision_loss import OptionValue

ANSWERS = 6
"""Requests for each decision: the spread of the answers is the uncertainty."""
PATIENCE = 10
"""A reply may take this many times the thinking time, plus `LEAST_NS`."""
LEAST_NS = 10 * SECOND


class Evaluator:
    """The processes of one program, with `thinking_ns` for each in a match.

    Methods raise BotCheckFailed if the program's reply cannot be used, and VoidMatch if our machine fails.
    Call `close` at the end, or use it in a ``with``.
    """

    def __init__(self, player: Player, limits: Limits, thinking_ns: int) -> None:
        self.name = player.name
        self._player, self._limits = player, limits
        # Each answer gets the time of a move in a match of that time.
        self._whole_ns = self._share_ns = thinking_ns // ANSWERS
        self._launchers: dict[Seat, Launcher] = {}
        self._bots: dict[Seat, SingleBot] = {}
        self._used_ns: dict[Seat, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def begin(self, part: int = 1) -> None:
        """Stop the processes before a match, or a deal with 1/`part` of the time; commands start new ones."""
        self._share_ns = max(self._whole_ns // part, MS)
        for bot in self._bots.values():
            bot.stop()
        self._bots, self._used_ns = {}, {}

    def send_news(self, seat: Seat, command: Command) -> None:
        """Send a seat a command that requests no decision; BotCheckFailed if it is refused."""
        answer = self._exchange(seat, command)
        if not answer.accepted:
            raise BotCheckFailed(f"{self.name} refuses {command[:60]!r}: {_refusal_text(answer)}")

    def send_time(self, seat: Seat) -> None:
        """Send a seat its time left; also before the first cards, since some programs plan by it."""
        used = self._used_ns.get(seat, 0)
        # Never 0: a program without time would guess.
        left = max(self._share_ns - used // ANSWERS, self._share_ns // 20)
        self.send_news(seat, time_left(left))

    def value(
        self, game: AnyGame, state: Any, seat: Seat, times: int = ANSWERS, *, again: bool = False
    ) -> list[Mapping[str, OptionValue]]:
        """Request the values of a seat's answers `times`, `again` for the same decision; BotCheckFailed."""
        if not again:
            # The time marks a new decision; without it, further requests belong to the last one.
            self.send_time(seat)
        found = []
        for _ in range(times):
            answer = self._exchange(seat, REQUEST)
            if not answer.accepted:
                raise BotCheckFailed(f"{self.name} does not answer {REQUEST}: {_refusal_text(answer)}")
            try:
                found.append(read_values(game, state, seat, answer.text.decode(errors="backslashreplace")))
            except BotCheckFailed as wrong:
                asked = game.request(state, seat)
                raise BotCheckFailed(f"{self.name} answers {REQUEST} for {asked}: {wrong}") from None
        return found

    def close(self) -> None:
        """Stop all processes and close their launchers."""
        try:
            self.begin()
        finally:
            launchers, self._launchers = self._launchers, {}
            for launcher in launchers.values():
                launcher.close()

    def _exchange(self, seat: Seat, command: Command) -> Answer:
        """Send a seat a line, to a new process if it has none, and return the reply; BotCheckFailed."""
        if seat not in self._bots:
            launcher = self._launchers.setdefault(seat, Launcher())
            self._bots[seat] = SingleBot(launcher, self._player, self._limits, seat)
        bot = self._bots[seat]
        bot.forget_output()
        heard = bot.send(f"{command}\n".encode(), 1, PATIENCE * self._share_ns + LEAST_NS)
        if (fault := heard.reply.fault) is not None:
            errors = bot.new_errors().decode(errors="replace").strip().splitlines()
            last = f"; it wrote: {errors[-1][:200]}" if errors else ""
            raise BotCheckFailed(f"{self.name} fails at {command[:60]!r}: {fault.detail}{last}")
        if command == REQUEST:
            self._used_ns[seat] = self._used_ns.get(seat, 0) + heard.reply.wall_ns
        return heard.reply.answer


def _refusal_text(answer: Answer) -> str:
    return f"? {answer.text[:60].decode(errors='backslashreplace')}".rstrip()
