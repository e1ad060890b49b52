"""Measures how strong the Python bots are, by figures of each game, all bots in this one process.

    python -m tests.bench.measure_bots planning --count 20 greedy random random random
    python -m tests.bench.measure_bots codepiece --count 200 pimc rules
    python -m tests.bench.measure_bots dou_dizhu --count 2000 smallest random
    python -m tests.bench.measure_bots chefs_hat --count 500 keep_jokers larger_value

Planning: each round deals one match and plays it in all rotations of the table; mean points a match, the error over
rounds. Codepiece: each match of four deals is played twice, each bot holding both seats of a side and then of the
other; the share of pairs won by who has more points in both, a draw is half. Dou Dizhu: deals won, the first bot
once as landlord against two of the second and once the other way about. Chef's Hat: two bots of each kind play a
game of three matches in all four rotations; the share of places that the first kind takes from the second, by the
points of games and by the order of single matches, the error over games. Errors are one standard error.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from arbiter.games.cards import Stream
from arbiter.games.chefs_hat import ChefsHat
from arbiter.games.codepiece import Codepiece
from arbiter.games.dou_dizhu import DouDizhu
from arbiter.testing import Said, match_spec, play_in_memory
from tests.bots.planning_referee import Memory, Rules, play
from tests.fixtures.bot_programs import BOTS, Voice

sys.path.insert(0, str(BOTS / "python"))

import planning_greedy  # found through the line above
import planning_kit as kit
import planning_pimc

Maker = Callable[[int], Any]
"""Makes a bot from its seed; two random bots must not be one."""


class Random(kit.Bot):
    """Random legal play, the kit's equivalent of planning_random.py."""

    def declare(self, table: kit.Table) -> int:
        return self.rng.randrange(table.size + 1)

    def move(self, table: kit.Table) -> str:
        return self.rng.choice(table.legal())


PLANNING: dict[str, Maker] = {
    "random": Random,
    "greedy": planning_greedy.Greedy,
    "pimc": lambda seed: planning_pimc.Pimc(seed, clock=None),
}
NAMES = {
    "planning": tuple(PLANNING),
    "codepiece": ("random", "small_bids", "aces", "high", "rules", "pimc"),
    "dou_dizhu": ("random", "sides", "lowest", "longest", "smallest", "fewest_turns"),
    "chefs_hat": ("random", "one_by_one", "most_cards", "larger_value", "keep_jokers"),
}


def maker(game: str, name: str) -> Maker:
    if game == "planning":
        return PLANNING[name]
    made: Maker = import_module(f"{game}_{name}").Bot
    return (lambda seed: made(seed, clock=False)) if (game, name) == ("codepiece", "pimc") else made  # type: ignore[call-arg]


class Timed(Memory):
    """A kit session as a seat, with the CPU time that it has used."""

    seconds = 0.0

    def ask(self, commands: list[str]) -> list[str]:
        start = time.process_time()
        replies = super().ask(commands)
        self.seconds += time.process_time() - start
        return replies


def planning(names: Sequence[str], rounds: int) -> list[tuple[float, float, float]]:
    """(mean points, standard error, CPU seconds per match) of each bot at a table."""
    rules = Rules(seats=len(names), deals=[(cards, (cards - 1) % len(names)) for cards in range(1, 14)])
    means: list[list[float]] = [[] for _ in names]
    seconds = [0.0] * len(names)
    for number in range(1, rounds + 1):
        hands = rules.hands(number)
        points = [0] * len(names)
        for shift in range(len(names)):
            seats = [Timed(kit.Session(PLANNING[name](1000 * number + i))) for i, name in enumerate(names)]
            order = seats[-shift:] + seats[:-shift] if shift else seats
            result = play(rules, order, hands)
            for i, seat in enumerate(seats):
                points[i] += result.points[order.index(seat)]
                seconds[i] += seat.seconds
        for i, total in enumerate(points):
            means[i].append(total / len(names))
    return [(*_mean(of), used / rounds / len(names)) for of, used in zip(means, seconds, strict=True)]


def codepiece(first: Maker, second: Maker, pairs: int) -> tuple[list[int], list[float]]:
    """What the first gained in each pair of matches; and CPU seconds that a bot of either used for a deal."""
    outcomes, seconds = [], [0.0, 0.0]
    game = Codepiece(partners="same")
    for pair in range(pairs):
        gained = 0
        for places in game.seatings:
            bots = [Voice((first, second)[place](1 + seat // 2)) for seat, place in enumerate(places)]
            spec = match_spec(game, seed=f"measure-{pair}", names=[str(place) for place in places])
            gained += points_of(game, bots, spec)[places.index(0)]
            for bot, place in zip(bots, places, strict=True):
                seconds[place] += bot.seconds / pairs / 16
        outcomes.append(gained)
    return outcomes, seconds


def dou_dizhu(landlord: str, peasants: str, deals: int, seed: object = 1) -> int:
    """How many of the deals the landlord wins, who sits in each seat in turn."""
    won = 0
    for number in range(deals):
        game = DouDizhu([number % 3])
        deal = game.next_deal(0, Stream("measure", seed, number), None)
        assert deal is not None
        names = [landlord if seat == number % 3 else peasants for seat in range(3)]
        bots = [Voice(maker("dou_dizhu", name)(3 * number + seat)) for seat, name in enumerate(names)]
        won += points_of(game.given([deal]), bots)[number % 3] > 0
    return won


class Share(NamedTuple):
    """The first kind's share of places with its standard error, by games and by single matches."""

    games: float
    games_error: float
    matches: float
    matches_error: float


def chefs_hat(first: str, second: str, games: int, rules: str = "book") -> Share:
    game = ChefsHat(rules)
    by_games, by_matches = [], []
    for number in range(games):
        whole, single = [], []
        for shift in range(4):
            order = [(place - shift) % 4 for place in range(4)]
            # Opposite or neighbouring seats in turn.
            kinds = [first, second, first, second] if number % 2 else [first, first, second, second]
            bots = [Voice(maker("chefs_hat", kinds[place])(1000 * number + place)) for place in order]
            ours = [kinds[place] == first for place in order]
            said: list[Said] = []
            spec = match_spec(game, seed=f"measure {number}", rotation=shift)
            whole += places_won(points_of(game, bots, spec, said), ours)
            for seat, command, _ in said:
                if seat == 0 and command.startswith("end_deal"):
                    single += places_won([int(word) for word in command.split()[1:]], ours)
        by_games.append(statistics.mean(whole))
        by_matches.append(statistics.mean(single))
    return Share(*_mean(by_games), *_mean(by_matches))


def places_won(points: Sequence[int], ours: Sequence[bool]) -> list[float]:
    """A result for each pair of one of ours and one of theirs."""
    return [
        (points[one] > points[other]) + (points[one] == points[other]) / 2
        for one in range(4)
        if ours[one]
        for other in range(4)
        if not ours[other]
    ]


def points_of(
    game: Any, bots: list[Voice], spec: Any = None, said: list[Said] | None = None
) -> tuple[int, ...]:
    record = play_in_memory(game, bots, spec, transcript=said)
    assert record.points is not None, record.forfeit
    return record.points


def _mean(of: Sequence[float]) -> tuple[float, float]:
    """The mean, and its standard error."""
    return statistics.mean(of), (statistics.stdev(of) if len(of) > 1 else 0.0) / len(of) ** 0.5


def main() -> None:
    line = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    line.add_argument("game", choices=NAMES)
    line.add_argument("bots", nargs="+", help="two names; of Planning as many as sit at the table")
    line.add_argument("--count", type=int, default=100, help="rounds, pairs, deals or games")
    line.add_argument("--seed", default="1", help="of Dou Dizhu")
    line.add_argument("--rules", choices=("book", "gym2"), default="book", help="of Chef's Hat")
    given = line.parse_args()
    names, count = given.bots, given.count
    if wrong := set(names) - set(NAMES[given.game]):
        line.error(f"{', '.join(sorted(wrong))}: known of {given.game}: {', '.join(NAMES[given.game])}")
    if given.game == "planning":
        print("bot     points  error  CPU s/match")
        for name, (mean, error, seconds) in zip(names, planning(names, count), strict=True):
            print(f"{name:<7} {mean:6.2f} {error:6.2f} {seconds:12.3f}")
        return
    if len(names) != 2:
        line.error(f"{given.game} takes two bots, got {len(names)}")
    first, second = names
    if given.game == "codepiece":
        gained, used = codepiece(maker("codepiece", first), maker("codepiece", second), count)
        mean, error = _mean([(points > 0) + (points == 0) / 2 for points in gained])
        print(f"{first} wins {mean:.1%} ± {error:.1%} of {count} pairs against {second},")
        print(f"{sum(gained) / count / 8:+.2f} points a deal; CPU s a deal {used[0]:.3f}, {used[1]:.3f}")
    elif given.game == "dou_dizhu":
        for side, landlord, peasants in (("landlord", first, second), ("peasants", second, first)):
            start = time.process_time()
            won = dou_dizhu(landlord, peasants, count, given.seed) / count
            share = won if side == "landlord" else 1 - won
            error, ms = (won * (1 - won) / count) ** 0.5, (time.process_time() - start) * 1000 / count
            print(f"{first} as {side} against {second}: {share:.1%} ± {error:.1%}, {ms:.1f} ms a deal")
    else:
        found = chefs_hat(first, second, count, given.rules)
        print(f"{first} takes from {second}, in per cent of the places:")
        print(f"  by games   {100 * found.games:5.1f} ± {100 * found.games_error:.1f}")
        print(f"  by matches {100 * found.matches:5.1f} ± {100 * found.matches_error:.1f}")


if __name__ == "__main__":
    main()
