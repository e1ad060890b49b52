#!/usr/bin/env python3
"""A function of Kaggle's form plays: `agent(observation, configuration)`, the last function of FILE."""

import argparse
import sys
import types
from pathlib import Path

from arbiter.envs.protocol_bot import KnownPlay, ProtocolBot


class Struct(dict):
    """A dictionary whose entries are attributes too."""

    __getattr__ = dict.__getitem__


class KaggleBot(ProtocolBot):
    """Shows a function the environment's vector and the legal ids; it answers an id or {"submission": id}."""

    def __init__(self, file, game):
        super().__init__(game)
        module = types.ModuleType("agent")
        module.__file__ = str(file)
        sys.path.insert(0, str(Path(file).resolve().parent))
        exec(compile(Path(file).read_text(), str(file), "exec"), module.__dict__)
        self.function = [value for value in vars(module).values() if isinstance(value, types.FunctionType)][
            -1
        ]
        # As Kaggle does, a function may take the observation alone.
        self.arguments = self.function.__code__.co_argcount

    def begin(self, _):
        self.step = 0

    def decide(self, match):
        trial, seat, observer = KnownPlay(match), match.seat, self.observer
        done = len(trial.actions)
        # A decision may take several steps, such as the Chef's gift of two cards.
        while len(trial.actions) == done:
            legal = [int(number) for number in observer.legal(trial, seat)]
            observation = Struct(
                playerId=seat,
                currentPlayer=seat,
                step=self.step,
                remainingOverageTime=(self.time_left or 0) / 1000,
                legalActions=legal,
                legalActionStrings=[observer.action_name(number) for number in legal],
                vector=observer.vector(trial, seat).tolist(),
            )
            configuration = Struct(game=self.game.name, seats=self.game.seats, ids=observer.actions)
            answer = self.function(*(observation, configuration)[: self.arguments])
            observer.act(trial, seat, answer["submission"] if isinstance(answer, dict) else answer)
            self.step += 1
        return trial.actions[done]


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("file")
    options.add_argument("--game", default="planning")
    KaggleBot(**vars(options.parse_args())).run()
