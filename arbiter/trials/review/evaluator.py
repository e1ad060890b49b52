"""The program that reviews, once in each seat: it hears what the seat heard, and values answers."""

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
"""Times that each decision is asked about: how far the answers differ is the uncertainty."""
PATIENCE = 10
"""Times its thinking time, and `LEAST_NS` more, that a program may be silent."""
LEAST_NS = 10 * SECOND


class Reference:
    """The processes of one program, `thinking_ns` for each in a match; `begin` starts them anew.

    What it says of a position is BotCheckFailed where it cannot be used; VoidMatch where our machine fails.
    Call `close` at the end, or use it in a ``with``.
    """

    def __init__(self, player: Player, limits: Limits, thinking_ns: int) -> None:
        self.name = player.name
        self._player, self._limits = player, limits
        # Each answer as if it were a move of a match of that time.
        self._whole_ns = self._share_ns = thinking_ns // ANSWERS
        self._launchers: dict[Seat, Launcher] = {}
        self._bots: dict[Seat, SingleBot] = {}
        self._used_ns: dict[Seat, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def begin(self, part: int = 1) -> None:
        """End what was heard: a match begins, or a deal of it, which has one `part`-th of the time."""
        self._share_ns = max(self._whole_ns // part, MS)
        for bot in self._bots.values():
            bot.stop()
        self._bots, self._used_ns = {}, {}

    def hear(self, seat: Seat, command: Command) -> None:
        """Tell a seat a command that asks for nothing."""
        answer = self._say(seat, command)
        if not answer.accepted:
            raise BotCheckFailed(f"{self.name} refuses {command[:60]!r}: {_shown(answer)}")

    def tell_time(self, seat: Seat) -> None:
        """Tell a seat the time that it has left; before the first cards too, since some plan by it."""
        used = self._used_ns.get(seat, 0)
        # Once it is used up a little is left, so that nothing is guessed.
        left = max(self._share_ns - used // ANSWERS, self._share_ns // 20)
        self.hear(seat, time_left(left))

    def value(
        self, game: AnyGame, state: Any, seat: Seat, times: int = ANSWERS, *, again: bool = False
    ) -> list[Mapping[str, OptionValue]]:
        """Ask a seat that is to act what its answers are worth, so many times; `again`, as before."""
        if not again:
            # Without news it would say that another request has come.
            self.tell_time(seat)
        found = []
        for _ in range(times):
            answer = self._say(seat, REQUEST)
            if not answer.accepted:
                raise BotCheckFailed(f"{self.name} does not answer {REQUEST}: {_shown(answer)}")
            try:
                found.append(read_values(game, state, seat, answer.text.decode(errors="backslashreplace")))
            except BotCheckFailed as wrong:
                asked = game.request(state, seat)
                raise BotCheckFailed(f"{self.name} answers {REQUEST} for {asked}: {wrong}") from None
        return found

    def close(self) -> None:
        """Leave no process behind."""
        try:
            self.begin()
        finally:
            launchers, self._launchers = self._launchers, {}
            for launcher in launchers.values():
                launcher.close()

    def _say(self, seat: Seat, command: Command) -> Answer:
        """Send a seat a line; its reply. BotCheckFailed for one that is none, or does not come."""
        if seat not in self._bots:
            launcher = self._launchers.setdefault(seat, Launcher())
            self._bots[seat] = SingleBot(launcher, self._player, self._limits, seat)
        bot = self._bots[seat]
        bot.forget_output()
        heard = bot.say(f"{command}\n".encode(), 1, PATIENCE * self._share_ns + LEAST_NS)
        if (fault := heard.reply.fault) is not None:
            errors = bot.new_errors().decode(errors="replace").strip().splitlines()
            last = f"; it wrote: {errors[-1][:200]}" if errors else ""
            raise BotCheckFailed(f"{self.name} fails at {command[:60]!r}: {fault.detail}{last}")
        if command == REQUEST:
            self._used_ns[seat] = self._used_ns.get(seat, 0) + heard.reply.wall_ns
        return heard.reply.answer


def _shown(answer: Answer) -> str:
    return f"? {answer.text[:60].decode(errors='backslashreplace')}".rstrip()
