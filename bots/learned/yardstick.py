#!/usr/bin/env python3
"""How good a learned player is: matches on fixed deals against bots of ../python, under the real referee.

python bots/learned/yardstick.py --game dou_dizhu --rounds 500 smallest fewest_turns
"""

import argparse
import sys
from importlib import import_module
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "python"))

import chefs_hat_learned
import codepiece_learned
import dou_dizhu_learned
import numpy as np
import planning_kit
import planning_learned

from arbiter.games import make
from arbiter.testing import match_spec, play_in_memory


class Chance(planning_kit.Bot):
    """Declares and plays at random."""

    def declare(self, table):
        return self.rng.randrange(table.size + 1)

    def move(self, table):
        return self.rng.choice(table.legal())


def planning(weights, opponent, rounds):
    """Points by deal of the player and of three opponents, (13, 2); each round is played from every seat."""
    learned, game = planning_learned.Learned(weights=weights), make("planning", {})
    won = np.zeros((len(game.programme), 2))
    for number in range(1, rounds + 1):
        for seat in range(game.seats):
            heard = Heard(learned)
            bots = [heard if s == seat else Heard(_planning(opponent, s)) for s in range(game.seats)]
            play_in_memory(game, bots, match_spec(game, seed="yardstick", round_number=number))
            points = np.diff([*heard.points, heard.session.table.points], axis=0)
            won[:, 0] += points[:, seat]
            won[:, 1] += (points.sum(axis=1) - points[:, seat]) / (game.seats - 1)
    return won / rounds / game.seats


def _planning(name, seed):
    """A bot by its name."""
    if name == "random":
        return Chance(seed)
    module = import_module(f"planning_{name}")
    return module.Pimc(seed, clock=None) if name == "pimc" else module.Greedy(seed)


class Heard:
    """A bot that the kit leads, as bytes to bytes; `points` are those before each deal."""

    def __init__(self, bot):
        self.session, self.points = planning_kit.Session(bot), []

    def __call__(self, line):
        if line.startswith("set_cards"):
            self.points.append(list(self.session.table.points))
        return f"{self.session.answer(line)}\n\n".encode()


def codepiece(weights, opponent, rounds):
    """What two of the player made of matches against two of an opponent: 1, 1/2 or 0, (rounds, 2).

    Each round is played from both sides with the same cards.
    """
    learned = [codepiece_learned.Learned(seed, weights) for seed in (1, 2)]
    module = import_module(f"codepiece_{opponent}")
    more = {"clock": False} if opponent == "pimc" else {}
    others = [module.Bot(seed, **more) for seed in (3, 4)]
    game, won = make("codepiece", {}), np.zeros((rounds, 2))
    for number in range(1, rounds + 1):
        spec = match_spec(game, seed="yardstick", round_number=number)
        for side in (0, 1):
            order = [learned, others] if side == 0 else [others, learned]
            bots = [_kit(order[seat % 2][seat // 2]) for seat in range(game.seats)]
            points = play_in_memory(game, bots, spec).points
            won[number - 1, side] = (np.sign(points[side] - points[1 - side]) + 1) / 2
    return won


def _kit(bot):
    """A bot that replies with what stands behind "=", as bytes to bytes."""
    return lambda line: f"= {bot.reply(line)}".rstrip().encode() + b"\n\n"


def dou_dizhu(weights, opponent, deals):
    """Whether the player won each deal, (deals, 2), as landlord against two and as both peasants.

    And how many of the six highest cards, twos and jokers, the landlord was dealt, (deals,).
    """
    learned = [dou_dizhu_learned.Bot(seed, weights) for seed in (1, 2)]
    others = [import_module(f"dou_dizhu_{opponent}").Bot(seed) for seed in (3, 4)]
    won, high = np.zeros((deals, 2)), np.zeros(deals, int)
    for number in range(1, deals + 1):
        landlord = number % 3
        game = make("dou_dizhu", {"landlords": [landlord]})
        spec = match_spec(game, seed="yardstick", round_number=number)
        for role, order in enumerate(((learned[0], *others), (others[0], *learned))):
            bots = [_plain(order[(seat - landlord) % 3]) for seat in range(3)]
            record = play_in_memory(game, bots, spec)
            won[number - 1, role] = (record.points[landlord] > 0) == (role == 0)
        high[number - 1] = sum(card in "2BR" for card in record.deals[0]["hands"][landlord])
    return won, high


def chefs_hat(weights, opponent, rounds):
    """By round, (rounds, 3): points a match of the player and of three opponents, and what share it beats.

    Each round is played from every seat; who is level counts half.
    """
    learned, game = chefs_hat_learned.Bot(weights=weights), make("chefs_hat", {})
    others = [import_module(f"chefs_hat_{opponent}").Bot(seed) for seed in range(game.seats)]
    found = np.zeros((rounds, game.seats, 3))
    for number in range(1, rounds + 1):
        for seat in range(game.seats):
            bots = [_plain(learned if s == seat else others[s]) for s in range(game.seats)]
            record = play_in_memory(game, bots, match_spec(game, seed="yardstick", round_number=number))
            mine, rivals = record.points[seat], np.delete(record.points, seat)
            found[number - 1, seat] = mine, rivals.mean(), (1 + np.sign(mine - rivals)).mean() / 2
    return found.mean(axis=1)


def _plain(bot):
    """A bot that is asked by command and words, as bytes to bytes."""

    def answer(line):
        command, *words = line.split()
        return f"= {bot.answer(command, words)}".rstrip().encode() + b"\n\n"

    return answer


def main():
    """Command line."""
    line = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    line.add_argument(
        "opponents",
        nargs="+",
        metavar="BOT",
        help="random, greedy, pimc; random, high, ...; random, smallest, ...",
    )
    line.add_argument("--game", required=True, choices=("planning", "codepiece", "dou_dizhu", "chefs_hat"))
    line.add_argument("--rounds", type=int, default=50, metavar="N", help="rounds, or deals (default 50)")
    options = line.parse_args()
    for name in options.opponents:
        if options.game == "planning":
            won = planning(planning_learned.WEIGHTS, name, options.rounds)
            print("{}: {:.1f} points a match, theirs {:.1f}".format(name, *won.sum(axis=0)))
            for size, (mine, theirs) in enumerate(won, start=1):
                print(f"  {size:2} cards: {mine:5.2f}, theirs {theirs:5.2f}, {mine - theirs:+.2f}")
        elif options.game == "chefs_hat":
            found = chefs_hat(chefs_hat_learned.WEIGHTS, name, options.rounds)
            (mine, theirs, share), error = found.mean(axis=0), found.std(axis=0) / len(found) ** 0.5
            told = f"{mine:.2f} points a match, +- {error[0]:.2f}, theirs {theirs:.2f}"
            print(f"{name}: {told}; ahead of {share:.1%} of them, +- {error[2]:.1%}")
        elif options.game == "codepiece":
            won = codepiece(codepiece_learned.WEIGHTS, name, options.rounds).mean(axis=1)
            print(f"{name}: {won.mean():.1%} of matches won, +- {won.std() / len(won) ** 0.5:.1%}")
        else:
            won, high = dou_dizhu(dou_dizhu_learned.WEIGHTS, name, options.rounds)
            error = (won.std(axis=0) / len(won) ** 0.5).tolist()
            for side, part, sure in zip(("landlord", "peasants"), won.mean(axis=0), error, strict=True):
                print(f"{name}: {part:.1%} of deals won as {side}, +- {sure:.1%}")
            for least, most in ((0, 1), (2, 2), (3, 3), (4, 6)):
                these = won[(least <= high) & (high <= most)]
                cards = f"{least} to {most}" if least < most else f"{least}"
                told = "landlord with {} of 2BR: {:.1%} won, {:.1%} against it".format(
                    cards, *these.mean(axis=0)
                )
                print(f"  {told}, of {len(these)}")


if __name__ == "__main__":
    main()
