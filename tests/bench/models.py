"""Language models at the table, on a fake provider: whether counts agree, outages cost nobody, and what is charged.

    python -m tests.bench.models [PART ...] [--calls 10000] [--outages 1000] [--rounds 100] [--seed 1]

One JSON object on standard output, its parts as they are done on standard error.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from arbiter.errors import ProviderOutage
from arbiter.games import find, names
from arbiter.games.cards import Stream
from arbiter.match.clock import MS, SECOND, TimeControl
from arbiter.match.spec import Limits, MatchSpec, Player
from arbiter.table.conductor import Conductor
from arbiter.table.llm import gateway
from arbiter.table.llm.gateway import Gateway
from tests.fixtures.commands import BOTS, COMPILED, RANDOM
from tests.fixtures.provider import LEGAL, Served, legal_answer, serving, text
from tests.table.llm.faults import faulty
from tests.table.llm.test_table import model_player

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.match.record import MatchRecord

SHORT = {"deals": [[1, 0], [3, 1], [5, 2]]}


def never(_: float) -> bool:
    """A pause that takes no time."""
    return False


def counts(calls: int) -> dict[str, Any]:
    """Questions with faults: the gateway's count beside what the provider has sent."""
    draw = random.Random(1)
    asked = lies = pieces = broken = 0
    with serving() as provider:
        provider.answer = lambda _: faulty(draw)
        while len(provider.bodies) < calls:
            gateway = Gateway(
                provider.entry(attempts=10, move_tokens=10**6, match_tokens=10**8), {}, pause=never
            )
            gateway.open()
            for _ in range(10):
                gateway.answer([{"role": "user", "content": "?"}])
            gateway.end()
            asked += len(gateway.calls)
            pieces += sum(call["pieces"] + call.get("hidden", 0) for call in gateway.calls)
            lies += sum("lie" in call for call in gateway.calls)
            broken += gateway.broken_off
        return {
            "requests": len(provider.bodies),
            "answers": asked,
            "counted": pieces,
            "sent": provider.truth,
            "counted_broken_off": broken,
            "sent_broken_off": provider.broken,
            "lies_found": lies,
            "lies": provider.lies,
        }


def spec_of(
    players: list[Player], game: str, options: dict[str, Any], number: int = 0, rotation: int = 0
) -> MatchSpec:
    limits = Limits(TimeControl.parse("60s"), 20 * SECOND, 400_000_000, isolation="landlock")
    return MatchSpec(
        f"r{number}/m{rotation}", "bench", number or 1, 1, rotation, game, options, "bench", tuple(players), limits
    )  # fmt: skip


def quick_bot(number: int) -> Player:
    if COMPILED.exists():
        return Player(f"random{number}", (str(COMPILED),), str(COMPILED.parent), read=(str(COMPILED.parent),))
    return Player(f"random{number}", tuple(RANDOM.split()), str(BOTS), read=(str(BOTS),))


def outages(number: int) -> dict[str, Any]:
    """Matches in which the provider fails at some question, in every way; how many became results."""
    draw = random.Random(2)
    ways: dict[str, Callable[[], Served]] = {
        "401": lambda: Served(status=401),
        "429": lambda: Served(status=429, headers={"Retry-After": "3600"}),
        "503": lambda: Served(status=503),
        "cut": lambda: text("a b c", cut=2),
        "silence": lambda: text("a b c", silent=1),
        "no stream": lambda: Served(raw=b"<html>"),
    }
    void = results = losses = 0
    gateway.Gateway = partial(Gateway, pause=never)  # type: ignore[misc, assignment]
    conductor = Conductor()
    try:
        with serving() as provider:
            for match in range(number):
                fails, served = draw.randrange(9), draw.choice(list(ways.values()))()
                asked = 0

                def answer(body: dict[str, Any], fails: int = fails, served: Served = served) -> Served:
                    nonlocal asked
                    asked += 1
                    return served if asked > fails else legal_answer(body)

                provider.answer = answer
                entry = provider.entry(legal=True, deadline_s=0.2 if served.silent else 60)
                players = [model_player(entry), *(quick_bot(n) for n in range(3))]
                with suppress(ProviderOutage):
                    record = conductor.play(spec_of(players, "planning", SHORT, match + 1))
                    results += 1
                    losses += record.forfeit is not None
                    continue
                void += 1
    finally:
        gateway.Gateway = Gateway  # type: ignore[misc]
        conductor.close()
    return {"outages": number, "void": void, "results": results, "losses": losses}


def charges() -> dict[str, Any]:
    """What each decision of a harness was charged, in ms, in whole matches of every game."""
    found: dict[str, Any] = {}
    conductor = Conductor()
    with serving() as provider:
        provider.answer = lambda body: legal_answer(body, lambda legal: legal[len(legal) // 2])
        for game in names():
            seats = find(game)().seats
            for state in ("whole", "conversation"):
                entry = provider.entry(legal=True, state=state, match_tokens=10**7)
                players = [model_player(entry, f"m{seat}") for seat in range(seats)]
                record = conductor.play(spec_of(players, game, {}))
                assert record.forfeit is None, record.forfeit
                each = sorted(move.charged_ns / MS for move in record.moves)
                # Beyond the start: of the process, all that it computed.
                cpu = [bot.cpu_ns / MS for bot in record.bots]
                found[f"{game}, {state}"] = {
                    "decisions": len(each),
                    "mean_ms": round(fmean(each), 2),
                    "p99_ms": round(each[len(each) * 99 // 100], 2),
                    "max_ms": round(each[-1], 2),
                    "cpu_with_start_ms_per_decision": round(sum(cpu) / len(each), 2),
                }
    conductor.close()
    return found


def questions() -> dict[str, Any]:
    """The mean and the longest question of whole matches, in tokens at three bytes, by game and form of prompts."""
    found: dict[str, Any] = {}
    conductor = Conductor()
    with serving() as provider:
        provider.answer = lambda body: legal_answer(body, random.choice)
        for game in names():
            for state in ("whole", "conversation"):
                entry = provider.entry(legal=True, state=state, match_tokens=10**7)
                players = [model_player(entry, f"m{seat}") for seat in range(find(game)().seats)]
                record = conductor.play(spec_of(players, game, {}))
                assert record.forfeit is None, record.forfeit
                texts = [
                    "".join(message["content"] for message in body["messages"]) for body in provider.bodies
                ]
                provider.bodies.clear()
                for legal in (True, False):
                    sizes = [len(one if legal else LEGAL.sub("", one)) / 3 for one in texts]
                    found[f"{game}, {state}, legal: {legal}"] = {
                        "mean": round(fmean(sizes)),
                        "most": round(max(sizes)),
                    }
    conductor.close()
    return found


def equals(rounds: int, seed: str) -> dict[str, Any]:
    """Two models that answer alike, at random, in duplicate matches: the mean difference of points, and its error."""
    draw = Stream("bench", seed).draw
    conductor = Conductor()
    differences = []
    with serving() as provider:
        provider.answer = lambda body: legal_answer(body, lambda legal: legal[draw(len(legal))])
        entries = [provider.entry(legal=True), replace(provider.entry(legal=True), name="other")]
        players = [model_player(entry, entry.name) for entry in entries] + [quick_bot(n) for n in range(2)]
        for number in range(1, rounds + 1):
            totals: dict[str, int] = {}
            # By turns one is the other's neighbour on the left, as at tables that are drawn.
            order = [*players[:2][:: 1 if number % 2 else -1], *players[2:]]
            for rotation in range(4):
                seated = [order[(seat - rotation) % 4] for seat in range(4)]
                record: MatchRecord = conductor.play(
                    replace(spec_of(seated, "planning", SHORT, number, rotation), seed=seed)
                )
                assert record.points is not None, record.forfeit
                for name, points in zip(record.players, record.points, strict=True):
                    totals[name] = totals.get(name, 0) + points
            differences.append(totals["fake"] - totals["other"])
    conductor.close()
    se = stdev(differences) / rounds**0.5
    return {"rounds": rounds, "mean_difference": round(fmean(differences), 3), "se": round(se, 3)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--outages", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", default="1")
    parser.add_argument(
        "parts",
        nargs="*",
        metavar="PART",
        help="counts, charges, questions, equals or outages; by default all",
    )
    given = parser.parse_args()
    found: dict[str, Any] = {}
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "counts": partial(counts, given.calls),
        "charges": charges,
        "questions": questions,
        "equals": partial(equals, given.rounds, given.seed),
        "outages": partial(outages, given.outages),
    }
    for name, part in parts.items():
        if given.parts and name not in given.parts:
            continue
        begin = time.process_time()
        found[name] = part() | {"cpu_s": round(time.process_time() - begin, 1)}
        print(json.dumps({name: found[name]}), file=sys.stderr, flush=True)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
