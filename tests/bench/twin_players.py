"""Twins planted among ten others, in seasons in memory: after how many rounds they are asked about, and who else is.

    python -m tests.bench.twin_players [GAME ...] [--rounds 20] [--seasons 3]
    python -m tests.bench.twin_players --store PATH     # whoever a played season asks about, after any round
    python -m tests.bench.twin_players --level          # strangers who share just as much as they may

Three twins of one program are planted, and each is looked at as if the others were not there: ``same``, the
program itself; ``number``, with one number changed; ``tenth``, with a tenth of its decisions drawn by lot from all
others. About half of the ten others are programs with much chance.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from arbiter.contest.integrity.similar_play import add_round
from arbiter.games import make
from arbiter.games.information_state import BadCommand, Hearing
from arbiter.season.config.settings_diff import registered_name
from arbiter.store import Store
from arbiter.testing import match_spec, play_in_memory
from rating.likeness import ALPHA, KNOWN, GivenAnswer, Likeness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from arbiter.games.game import AnyGame, Seat
    from arbiter.match.record import MatchRecord
    from arbiter.testing import Bot

    Program = tuple[Callable[[], Bot], float]
    Field = tuple[AnyGame, Mapping[str, Program], Mapping[str, Program]]

BOTS = Path(__file__).parents[2] / "bots"
TWINS = ("same", "number", "tenth")
PLANTED = "planted"


class Otherwise:
    """A bot that is another one but for a share of its decisions, which are drawn by lot from all others."""

    def __init__(self, bot: Bot, game: AnyGame, seat: Seat, share: float, lot: Random) -> None:
        self._bot, self._share, self._lot = bot, share, lot
        module, _, name = game.hearing.partition(":")
        kind = getattr(import_module(module), name) if name else Hearing
        self._hearing: Hearing = kind(game, seat)

    def __call__(self, command: str) -> bytes | None:
        reply, heard = self._bot(command), self._hearing
        if not command.startswith("gen_"):
            with suppress(BadCommand):  # such as the greeting
                heard.hear(command)
        elif self._lot.random() < self._share:
            heard.asked(command)
            words = [
                heard.game.action_text(heard.state, heard.seat, one) for one in heard.state.legal(heard.seat)
            ]
            if others := [word for word in words if reply != b"= %s\n\n" % word.encode()]:
                return b"= %s\n\n" % self._lot.choice(others).encode()
        return reply


def planning(module: str, name: str, seed: int = 1, **options: Any) -> Bot:
    session = import_module("planning_kit").Session(getattr(import_module(module), name)(seed, **options))
    return lambda command: f"{session.answer(command)}\n\n".encode()


def other(module: str, name: str = "Bot", seed: int = 1, **changed: Any) -> Bot:
    """A bot of `bots` for another game; `changed` are numbers of its module."""
    program = import_module(module)
    bot = getattr(program, name)(seed)
    own = {key: getattr(program, key) for key in changed}

    def reply(command: str) -> bytes:
        vars(program).update(changed)
        first, *words = command.split()
        text = bot.reply(command) if hasattr(bot, "reply") else bot.answer(first, words)
        vars(program).update(own)
        return b"?\n\n" if text is None else f"= {text}".rstrip().encode() + b"\n\n"

    return reply


def fields() -> dict[str, Field]:
    """By game: the ten others, and the planted program with its twins; of each the share of its lots."""
    p = partial(partial, planning)
    o = partial(partial, other)
    greedy = p("planning_greedy", "Greedy", worlds=30)
    rules, turns = o("codepiece_rules"), o("dou_dizhu_fewest_turns")
    keep = o("chefs_hat_keep_jokers")
    return {
        "planning": (
            make("planning", {}),
            {
                "fair-share": (p("planning_fair_share", "FairShare"), 0),
                "count": (p("planning_count", "Count"), 0),
                "learned": (p("planning_learned", "Learned"), 0),
                "pimc": (p("planning_pimc", "Pimc", worlds=15, clock=None), 0),
                "pimc-30": (p("planning_pimc", "Pimc", 2, worlds=10, clock=None), 0.3),
                "count-30": (p("planning_count", "Count", 3), 0.3),
                "learned-30": (p("planning_learned", "Learned", 2), 0.3),
                "count-60": (p("planning_count", "Count", 4), 0.6),
                "random": (p("planning_fair_share", "FairShare", 2), 1),
                "random-2": (p("planning_fair_share", "FairShare", 3), 1),
            },
            {
                PLANTED: (greedy, 0),
                "same": (greedy, 0),
                "number": (p("planning_greedy", "Greedy", worlds=30, tilt=0.1), 0),
                "tenth": (greedy, 0.1),
            },
        ),
        "codepiece": (
            make("codepiece", {"partners": "same"}),
            {
                "aces": (o("codepiece_aces"), 0),
                "high": (o("codepiece_high"), 0),
                "small-bids": (o("codepiece_small_bids"), 0),
                "learned": (o("codepiece_learned", "Learned"), 0),
                "high-20": (o("codepiece_high", "Bot", 3), 0.2),
                "aces-30": (o("codepiece_aces", "Bot", 2), 0.3),
                "high-30": (o("codepiece_high", "Bot", 2), 0.3),
                "learned-30": (o("codepiece_learned", "Learned", 2), 0.3),
                "learned-60": (o("codepiece_learned", "Learned", 3), 0.6),
                "random": (o("codepiece_small_bids", "Bot", 3), 1),
            },
            {
                PLANTED: (rules, 0),
                "same": (rules, 0),
                "number": (o("codepiece_rules", SPREAD=1.8), 0),
                "tenth": (rules, 0.1),
            },
        ),
        "dou_dizhu": (
            make("dou_dizhu", {"landlords": [0, 1, 2, 0, 1, 2]}),
            {
                "random": (o("dou_dizhu_random"), 0),
                "sides": (o("dou_dizhu_sides"), 0),
                "longest": (o("dou_dizhu_longest"), 0),
                "lowest": (o("dou_dizhu_lowest"), 0),
                "smallest": (o("dou_dizhu_smallest"), 0),
                "learned": (o("dou_dizhu_learned"), 0),
                "sides-30": (o("dou_dizhu_sides"), 0.3),
                "longest-30": (o("dou_dizhu_longest"), 0.3),
                "smallest-30": (o("dou_dizhu_smallest"), 0.3),
                "learned-30": (o("dou_dizhu_learned"), 0.3),
            },
            {
                PLANTED: (turns, 0),
                "same": (turns, 0),
                "number": (o("dou_dizhu_fewest_turns", STRONG=0.6), 0),
                "tenth": (turns, 0.1),
            },
        ),
        "chefs_hat": (
            make("chefs_hat", {"matches": 3}),
            {
                "random": (o("chefs_hat_random"), 0),
                "larger-value": (o("chefs_hat_larger_value"), 0),
                "most-cards": (o("chefs_hat_most_cards"), 0),
                "one-by-one": (o("chefs_hat_one_by_one"), 0),
                "learned": (o("chefs_hat_learned"), 0),
                "larger-value-30": (o("chefs_hat_larger_value"), 0.3),
                "most-cards-30": (o("chefs_hat_most_cards"), 0.3),
                "one-by-one-30": (o("chefs_hat_one_by_one"), 0.3),
                "learned-30": (o("chefs_hat_learned"), 0.3),
                "random-2": (o("chefs_hat_random", "Bot", 2), 0),
            },
            {
                PLANTED: (keep, 0),
                "same": (keep, 0),
                "number": (o("chefs_hat_keep_jokers", NEAR_THE_END=4), 0),
                "tenth": (keep, 0.1),
            },
        ),
    }


def play_rounds(field: Field, rounds: int, seed: int) -> Iterator[list[MatchRecord]]:
    """The records of each round, tables drawn by lot; some players sit at two tables where it has to be."""
    game, others, planted = field
    programs = {**others, **planted}
    lot = Random(seed)
    for number in range(1, rounds + 1):
        order = lot.sample(sorted(programs), len(programs))
        order += order[: -len(order) % game.table_size]
        records = []
        for start in range(0, len(order), game.table_size):
            for rotation, places in enumerate(game.seatings):
                names = [order[start + place] for place in places]
                spec = match_spec(
                    game, seed=f"twins {seed}", round_number=number, names=names, rotation=rotation
                )
                spec = replace(spec, id=f"r{number:03}/t{start // game.table_size + 1:02}/m{rotation}")
                bots = [seated(game, seat, *programs[name], spec.id) for seat, name in enumerate(names)]
                records.append(play_in_memory(game, bots, spec))
                assert records[-1].forfeit is None, records[-1].forfeit
        yield records


def seated(game: AnyGame, seat: Seat, program: Callable[[], Bot], share: float, match: str) -> Bot:
    """A bot for one match; with a share of lots, those of its seat in it."""
    return Otherwise(program(), game, seat, share, Random(f"{match} {seat}")) if share else program()


class Without(Likeness):
    """A likeness of all but a few players."""

    def __init__(self, without: set[str]) -> None:
        super().__init__(registered_name)
        self._without = without

    def add(self, kind: str, choices: int, answers: Mapping[str, GivenAnswer]) -> None:
        some = {name: said for name, said in answers.items() if name not in self._without}
        if len(some) > 1:
            super().add(kind, choices, some)


def measure_season(field: Field, rounds: int, seed: int) -> tuple[dict[str, int | None], set[str], float]:
    """The round from which on each twin is asked about, other pairs that ever are, and CPU ms a match."""
    first: dict[str, int | None] = dict.fromkeys(TWINS)
    alarms: set[str] = set()
    likenesses = {twin: Without({*TWINS} - {twin}) for twin in TWINS}
    spent, matches = 0.0, 0
    for number, records in enumerate(play_rounds(field, rounds, seed), 1):
        for twin, likeness in likenesses.items():
            start = time.process_time()
            add_round(likeness, records)
            spent, matches = spent + time.process_time() - start, matches + len(records)
            found = {(alike.first, alike.second) for alike in likeness.found()}
            sought = (PLANTED, twin) if twin > PLANTED else (twin, PLANTED)
            first[twin] = (first[twin] or number) if sought in found else None
            alarms |= {" + ".join(pair) for pair in found - {sought}}
    return first, alarms, 1e3 * spent / matches


def stored(path: str) -> dict[str, Any]:
    """Who a season in a store asks about after any round, all players being of different owners."""
    with closing(Store(f"sqlite:///{path}", create=False)) as store:
        season = store.season(store.seasons()[0])
        assert season is not None
        likeness, named, matches, start = Likeness(registered_name), set(), 0, time.process_time()
        for number in season.match_rounds():
            records = list(season.records(number))
            add_round(likeness, records)
            matches += len(records)
            named |= {f"{alike.first} + {alike.second}" for alike in likeness.found()}
        spent = time.process_time() - start
        return {
            "season": season.name,
            "rounds": len(season.match_rounds()),
            "matches": matches,
            "named": sorted(named),
            "cpu_ms_per_match": round(1e3 * spent / matches, 2),
        }


def level(seasons: int = 1000, players: int = 4, questions: int = 400) -> dict[str, float]:
    """The share of seasons in which strangers are named, looked at after each tenth question.

    Two follow one lead so often that they share just `KNOWN`, the others answer by lot; `uneven`, each 20
    questions, such as a round's, have a share of their own, from 0.4 to 1, of the same mean.
    """
    shares = {}
    for name in ("even", "uneven"):
        alarms = 0
        for number in range(seasons):
            rng, likeness, named = Random(f"{name} {number}"), Likeness(registered_name), False
            for question in range(questions):
                if question % 20 == 0:
                    shared = KNOWN if name == "even" else rng.uniform(2 * KNOWN - 1, 1)
                lead = rng.randrange(8)
                answers = {
                    f"p{n}": lead if rng.random() < shared**0.5 else rng.randrange(8) for n in range(2)
                } | {f"p{n}": rng.randrange(8) for n in range(2, players)}
                given = {one: GivenAnswer(str(answer), "", 0) for one, answer in answers.items()}
                likeness.add("play", 8, given)
                if question % 10 == 9:
                    named = named or bool(likeness.found())
            alarms += named
        shares[name] = alarms / seasons
    return shares | {"alpha": ALPHA}


def main() -> None:
    line = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    line.add_argument("games", nargs="*", metavar="GAME")
    line.add_argument("--rounds", type=int, default=20)
    line.add_argument("--seasons", type=int, default=3)
    line.add_argument("--store", metavar="PATH")
    line.add_argument("--level", action="store_true")
    chosen = line.parse_args()
    if chosen.store or chosen.level:
        print(json.dumps(stored(chosen.store) if chosen.store else level()))
        return
    sys.path += [str(BOTS / folder) for folder in ("python", "learned")]
    known = fields()
    for game in chosen.games or known:
        for seed in range(1, chosen.seasons + 1):
            first, alarms, cost = measure_season(known[game], chosen.rounds, seed)
            row = {"game": game, "season": seed, "found": first, "others": sorted(alarms)}
            print(json.dumps({**row, "cpu_ms_per_match": round(cost, 2)}), flush=True)


if __name__ == "__main__":
    main()
