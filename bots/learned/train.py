#!/usr/bin/env python3
"""Train a learned player by self-play on `arbiter.envs.batch`: deep Monte Carlo, on one core.

    python bots/learned/train.py --game planning --minutes 25 --seed 1 --out weights.npz --curve curve.svg

Many matches are played side by side by a network against itself, which mostly does what it values most and
sometimes something else. What came of every deal then teaches it the value of all that was done in it. Every
now and then the player is measured, as it would play in a tournament, on deals that never change.

`--minutes` are minutes of CPU time, measuring included. With `--rounds` the same seed gives the same weights,
on the same machine with the same versions of NumPy and torch.
"""

import argparse
import os
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import curve  # noqa: E402
import features_chefs_hat  # noqa: E402
import features_codepiece  # noqa: E402
import features_dou_dizhu  # noqa: E402
import features_planning  # noqa: E402
import numpy as np  # noqa: E402
import self_play_chefs_hat  # noqa: E402
import self_play_codepiece  # noqa: E402
import self_play_dou_dizhu  # noqa: E402
import self_play_planning  # noqa: E402
import torch  # noqa: E402
import yardstick  # noqa: E402
from learner import Learner, outcome_missed, success_missed, tricks_missed  # noqa: E402

from arbiter import envs  # noqa: E402

MEASURES = 8
"""How often the player is measured in a training."""


class PlanningCourse:
    """Two networks, for declarations and for cards, which learn from whole matches."""

    title = "Planning"
    unit, top, marks = "points a match", 100, (("three random players", 0), ("three greedy players", 1))
    explore = (0.08, 0.02)
    weight = 1.0
    """How much a point of the others counts against one's own: places are what tournaments rate."""

    def __init__(self, seed, matches=128):
        cells, outputs = features_planning.SEEN_CELLS, features_planning.NUMBERS + 1
        self.learners = {
            "declare": Learner(cells, features_planning.DECLARATION_CELLS, (128, 32), outputs, 2 * seed),
            "play": Learner(cells, features_planning.CARD_CELLS, (128, 32), outputs, 2 * seed + 1),
        }
        batch = envs.batch("planning", n=matches, seed=f"learn/{seed}")
        self.matches = self_play_planning.Matches(batch, self.weight)

    def round(self, chance, explore, rate):
        """A match in every place, and what is learned from it; in words how it went."""
        networks = {name: learner.network for name, learner in self.learners.items()}
        samples, points = self.matches.play(networks, chance, explore)
        for name, learner in self.learners.items():
            learner.fit(samples[name], tricks_missed, rate, chance)
        return f"{points:.1f} points a match among itself"

    def arrays(self):
        """What the player needs beside the weights."""
        return {"weight": np.array(self.weight)}

    def measure(self, weights):
        """Points a match against each of the fixed opponents."""
        return [yardstick.planning(weights, name, rounds=6)[:, 0].sum() for name in ("random", "greedy")]


class DouDizhuCourse:
    """One network for all three roles, which learns from the deals that end."""

    title = "Dou Dizhu"
    unit, top, marks = "% of deals won", 100, (("random", 0), ("smallest", 1), ("fewest-turns", 2))
    explore = (0.05, 0.01)

    def __init__(self, seed, matches=256):
        cells = features_dou_dizhu.SEEN_CELLS, features_dou_dizhu.PLAY_CELLS
        self.learners = {"play": Learner(*cells, (256, 128), 1, seed)}
        batch = envs.batch("dou_dizhu", n=matches, seed=f"learn/{seed}", landlords=[0])
        self.matches = self_play_dou_dizhu.Matches(batch)

    def round(self, chance, explore, rate):
        """Some decisions in every deal, and what is learned from those that ended; in words how it went."""
        learner = self.learners["play"]
        samples, landlords = self.matches.play(learner.network, chance, explore)
        learner.fit(samples, success_missed, rate, chance)
        return f"landlords win {landlords:.1%} among itself"

    def arrays(self):
        """What the player needs beside the weights: nothing."""
        return {}

    def measure(self, weights):
        """The share of deals won against each of the fixed opponents, the mean of both sides, in per cent."""
        names = ("random", "smallest", "fewest_turns")
        return [100 * yardstick.dou_dizhu(weights, name, deals=60)[0].mean() for name in names]


class ChefsHatCourse:
    """Two networks, for what comes before the play and for discards, which learn from deals that end."""

    title = "Chef's Hat"
    unit, top, marks = "% of rivals beaten", 100, (("larger-value", 0), ("keep-jokers", 1))
    explore = (0.05, 0.01)

    def __init__(self, seed, matches=512):
        cells = features_chefs_hat.SEEN_CELLS, features_chefs_hat.ACTION_CELLS
        self.learners = {
            name: Learner(*cells, (192, 64), features_chefs_hat.OUTPUTS, 2 * seed + number)
            for number, name in enumerate(("open", "play"))
        }
        batch = envs.batch("chefs_hat", n=matches, seed=f"learn/{seed}")
        self.matches = self_play_chefs_hat.Matches(batch, np.random.default_rng(seed))

    def round(self, chance, explore, rate):
        """Some decisions in every match, and what is learned from deals that ended; in words how it went."""
        networks = {name: learner.network for name, learner in self.learners.items()}
        samples, kept = self.matches.play(networks, explore)
        for name, learner in self.learners.items():
            learner.fit(samples[name], outcome_missed, 2 * rate, chance)
        return f"{kept:.1%} of Chefs stay it among itself"

    def arrays(self):
        """What the player needs beside the weights."""
        return {"chances": self.matches.chances()}

    def measure(self, weights):
        """The share of three rivals that it beats in a match, by who they are, in per cent."""
        names = ("larger_value", "keep_jokers")
        return [100 * yardstick.chefs_hat(weights, name, rounds=20)[:, 2].mean() for name in names]


class CodepieceCourse:
    """Three networks, for bids, trumps and cards, which learn from the deals that end."""

    title = "Codepiece"
    unit, top, marks = "% of matches won", 100, (("aces", 0), ("high", 1))
    explore = (0.05, 0.01)
    dealers = (0, 1, 2, 3)

    def __init__(self, seed, matches=256):
        made = features_codepiece
        self.learners = {
            "bid": Learner(made.BID_CELLS, made.BID_DONE, (128, 64), made.OUTCOMES, 3 * seed),
            "trump": Learner(made.TRUMP_CELLS, made.TRUMP_DONE, (128, 32), 1, 3 * seed + 1),
            "play": Learner(made.PLAY_CELLS, made.PLAY_DONE, (256, 128), 1, 3 * seed + 2),
        }
        batch = envs.batch("codepiece", n=matches, seed=f"learn/{seed}", dealers=self.dealers)
        self.matches = self_play_codepiece.Matches(batch, self.dealers)

    def round(self, chance, explore, rate):
        """Some decisions in every match, and what is learned from deals that ended; in words how it went."""
        networks = {name: learner.network for name, learner in self.learners.items()}
        samples, made = self.matches.play(networks, chance, explore)
        for name, learner in self.learners.items():
            learner.fit(samples[name], outcome_missed if name == "bid" else success_missed, rate, chance)
        return f"{made:.1%} of bids are made among itself"

    def arrays(self):
        """What the player needs beside the weights: nothing."""
        return {}

    def measure(self, weights):
        """The share of matches won against each of the fixed opponents, in per cent."""
        return [100 * yardstick.codepiece(weights, name, rounds=40).mean() for name in ("aces", "high")]


COURSES = {
    "planning": PlanningCourse,
    "codepiece": CodepieceCourse,
    "dou_dizhu": DouDizhuCourse,
    "chefs_hat": ChefsHatCourse,
}


def save(course, file):
    """The weights in half the bits, which is all that a player needs of them."""
    weights = {
        f"{name}.{part}": array.astype(np.float16)
        for name, learner in course.learners.items()
        for part, array in learner.network.weights.items()
    }
    np.savez_compressed(file, **weights, **course.arrays())


def train(options):
    """Learn until the time or the rounds are over; figures of the curve, as (minutes, [figure, ...])."""
    sizes = {"matches": options.matches} if options.matches else {}
    course, chance = COURSES[options.game](options.seed, **sizes), np.random.default_rng(options.seed)
    done, rounds, figures = 0.0, 0, []
    while done < 1:
        explore = np.interp(done, (0, 1), course.explore)
        rate = options.rate * (0.02 + 0.98 * np.cos(done * np.pi / 2) ** 2)
        words = course.round(chance, explore, rate)
        rounds += 1
        minutes = time.process_time() / 60
        done = rounds / options.rounds if options.rounds else minutes / options.minutes
        if done >= len(figures) / MEASURES or done >= 1:
            save(course, options.out)
            figures.append((minutes, course.measure(options.out) if options.curve else []))
            told = ", ".join(f"{figure:.1f}" for figure in figures[-1][1])
            print(f"{minutes:6.1f} min  round {rounds}  {words}; {told}", flush=True)
    return figures


def main(words=None):
    """Command line."""
    line = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    line.add_argument("--game", required=True, choices=sorted(COURSES))
    line.add_argument(
        "--minutes", type=float, default=25, metavar="N", help="minutes of CPU time (default 25)"
    )
    line.add_argument("--rounds", type=int, metavar="N", help="rounds of self-play, in place of --minutes")
    line.add_argument(
        "--matches",
        type=int,
        metavar="N",
        help="played side by side (default 128, Dou Dizhu 256, Chef's Hat 512)",
    )
    line.add_argument("--seed", type=int, default=1, metavar="N", help="seed of everything (default 1)")
    line.add_argument(
        "--rate", type=float, default=1e-3, metavar="R", help="first learning rate (default 0.001)"
    )
    line.add_argument("--out", type=Path, required=True, metavar="FILE", help="where the weights go, .npz")
    line.add_argument("--curve", type=Path, metavar="FILE", help="where the learning curve goes, .svg")
    options = line.parse_args(words)
    torch.set_num_threads(1)
    figures = train(options)
    if options.curve:
        course = COURSES[options.game]
        title = f"What the learned player of {course.title} makes on fixed deals while it learns"
        options.curve.write_text(curve.drawn(title, course.unit, course.top, course.marks, figures))


if __name__ == "__main__":
    main()
