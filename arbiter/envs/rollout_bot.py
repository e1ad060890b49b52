"""A bot for any game that plays the answer of highest value by rollouts.

    python -m arbiter.envs.rollout_bot --game codepiece --rollouts 2000

It plays in seasons, and reviews matches by `gen_values`. Without a number of rollouts it does as many as the
time allows: the rest of the clock, or `--budget` for a match.
"""

from __future__ import annotations

import argparse
from time import process_time
from typing import Any

from arbiter.envs.argument_checks import check_number
from arbiter.envs.protocol_bot import ProtocolBot
from arbiter.envs.rollouts import BatchPolicy, Rolled, Rollouts
from arbiter.errors import ConfigError
from arbiter.games import names
from arbiter.games.cards import Stream
from arbiter.games.game import Action, AnyGame, Command
from arbiter.games.information_state import Hearing

VALUES = "gen_values"
MOST_VALUED = 200
_UNTIMED = 1000
"""The number of rollouts if neither a number nor a time is known."""
_SAFETY, _LEAST = 0.7, 20
_LATER = 3
"""The assumed number of later deals if only the play ends a match."""
_MOST_DEALS = 100
_START = 1e-5
"""The initial estimate of a rollout's seconds per card in hand."""


class RolloutBot(ProtocolBot):
    """A `ProtocolBot` that plays the answer of highest value by `Rollouts`.

    `rollouts` is their number per decision, `budget` seconds of CPU time for a match; without either the
    clock decides. With a number of rollouts the bot is deterministic.
    """

    def __init__(
        self,
        game: str | AnyGame = "planning",
        *,
        rollouts: int | None = None,
        budget: float | None = None,
        policy: BatchPolicy | None = None,
        seed: int = 0,
        **options: Any,
    ) -> None:
        super().__init__(game, **options)
        if rollouts is not None:
            check_number(rollouts, "a number of rollouts is an integer from 1", least=1)
        self._rollouts, self._budget, self._policy, self._seed = rollouts, budget, policy, seed
        self._cost = _START
        self._further = False

    def answer(self, line: str) -> str | None:
        """See `ProtocolBot.answer`; `time_left` marks a new request for `gen_values`."""
        # After `time_left` without news, questions are about another request.
        self._further |= line.startswith("time_left")
        return super().answer(line)

    def begin(self, match: Hearing) -> None:
        self._search = Rollouts(match, self._policy, self._seed)
        self._spent, self._later = 0.0, _later_hand_sizes(match)

    def decide(self, match: Hearing) -> Action:
        return next(iter(self._value_answers(match, halving=True)))

    def answer_request(self, match: Hearing, request: Command) -> str:
        """Answer a request; to ``gen_values``, the value of each answer."""
        if request != VALUES:
            return super().answer_request(match, request)
        match.asked(match.due_request(further=self._further))
        self._further = False
        said = []
        for action, (points, win) in list(self._value_answers(match, halving=False).items())[:MOST_VALUED]:
            word = match.game.action_text(match.state, match.seat, action).replace(" ", "_")
            said.append(f"{word}:{points:.4f}" + ("" if win is None else f":{win:.4f}"))
        return " ".join(said)

    def _value_answers(self, match: Hearing, *, halving: bool) -> dict[Action, Rolled]:
        """Return the values of the answers, by as many rollouts as the number or the time allows.

        With `halving` as in `Rollouts.values`, and 0 without rollouts for a single answer.
        """
        if halving and len(answers := self._search.answers()) == 1:
            return dict.fromkeys(answers, Rolled(0.0, None))
        if self._rollouts is not None:
            return self._search.values(self._rollouts, halving=halving)
        began, held = process_time(), max(len(match.game.hand(match.state, match.seat)), 1)
        number = _UNTIMED
        if self._budget is not None or self.time_left is not None:
            left = (self.time_left or 0) / 1000 if self._budget is None else self._budget - self._spent
            # The work of a decision grows with the square of the hand: more answers, longer play.
            later = self._later[len(match.played) + 1 :]
            share = held * (held + 1) / (_relative_work(held) + sum(map(_relative_work, later)))
            number = int(max(left, 0) * _SAFETY * share / (self._cost * held))
        number = max(number, _LEAST)
        values = self._search.values(number, halving=halving)
        took = process_time() - began
        self._spent += took
        self._cost += (took / number / held - self._cost) / 4
        return values


def _relative_work(held: int) -> float:
    """Return the relative work of playing a hand of `held` cards: the sum of k (k + 1)."""
    return held * (held + 1) * (held + 2) / 3


def _later_hand_sizes(match: Hearing) -> list[int]:
    """Return the largest hand of each planned deal."""
    sizes: list[int] = []
    game = match.game
    for number in range(_LATER if game.endless else _MOST_DEALS):
        deal = game.deal(number, Stream("arbiter-rollouts", number), None)
        if deal is None:
            break
        sizes.append(max(map(len, deal.hands)))
    return sizes


def main() -> None:
    """Play as a bot on standard input and output, with the options of the command line."""
    line = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    line.add_argument("--game", default="planning", choices=names(), help="what it plays")
    line.add_argument("--rollouts", type=int, metavar="N", help="rollouts a decision")
    line.add_argument("--budget", type=int, metavar="MS", help="milliseconds of CPU time for a match")
    line.add_argument("--seed", type=int, default=0, metavar="K")
    chosen = line.parse_args()
    budget = None if chosen.budget is None else chosen.budget / 1000
    try:
        bot = RolloutBot(chosen.game, rollouts=chosen.rollouts, budget=budget, seed=chosen.seed)
    except (ConfigError, ValueError) as error:
        raise SystemExit(str(error)) from None
    bot.run()


if __name__ == "__main__":
    main()
