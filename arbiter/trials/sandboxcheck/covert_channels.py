"""What no tier closes: ways from bot to bot, measured at a table here, or elsewhere.

A way is measured by two bots that know what is to be said: what comes through is counted as Shannon does, so
that wrong bits cost what it takes to mend them.
"""

from __future__ import annotations

import math
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.sandbox.tiers import stage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.trials.sandboxcheck.attack_folder import Place

TELLING = ("say_by_threads", "hear_by_threads")
"""Attackers of the scripts that are for measuring alone."""
DEALS = [[13, 0], [12, 0]]
TIME = "20s"
BY_CHANCE = 1e-5
"""How rarely so much is right where nothing is said; else nothing was heard."""
FILE_BYTES = 512 << 10
HEARD = re.compile(r"(\d+) of (\d+) bits in (\d+) us")
SPENT = re.compile(r"(\d+) in (\d+) us")


class OpenWay(NamedTuple):
    """A way from bot to bot, its bits a second or None, and `say`, which has them or another figure in words.

    `tier` is that under which it was measured here, "" where it was measured elsewhere.
    """

    name: str
    whom: str
    tier: str
    bits_per_second: float | None
    say: str


CACHE = "lines of shared pages in the processor's cache"
THREADS = "numbers of new threads"
TURNS, LATER = "from turn to turn at a table", "from match to match on a core"
ELSEWHERE = (
    OpenWay(CACHE, TURNS, "", 7e6, "501 of 512 bits in 66 µs"),
    OpenWay(f"{CACHE}, left behind", LATER, "", None, "16 bits a match: 225 of 240 in a season"),
    OpenWay(f"{CACHE}, on another core", "between matches played at once", "", 1000, "125 of 128 bits"),
    OpenWay("the moment at which a match ends", LATER, "", None, "8 bits a match, for 1 s of its clock"),
    OpenWay("numbers of new pipes", LATER, "", None, "6 bits a match (estimated)"),
    OpenWay("how long who is to move thinks", "to all at the table", "", None, "what its own clock costs it"),
)  # fmt: skip
"""On Linux 6.18, x86_64, two cores, by an attacker's new programs; docs/explanation/isolation.md says how."""

UNSTAGED = (
    OpenWay("names looked up in vain", LATER, "", 230_000, "0 of 256 wrong"),
    OpenWay(THREADS, TURNS, "", 5000, "at most: a thread takes 0.2 ms"),
)
"""The same where there is no stage."""


def channels(place: Place, tier: str) -> list[OpenWay]:
    """What can be measured here under a tier, each in a match; then what was measured elsewhere alone."""
    here = list(_measure(place, tier))
    elsewhere = ELSEWHERE + (() if stage().available else UNSTAGED)
    return here + [one for one in elsewhere if not any(found.name.startswith(one.name) for found in here)]


def _measure(place: Place, tier: str) -> Iterator[OpenWay]:
    if not place.missing and os.uname().machine == "x86_64" and (file := _shared_file()):
        for how, words in ("its own counter", ()), ("the clock alone", ("clock",)):
            program = place.program("cache")
            speaker, hearer = (place.player("", program, does, file, *words) for does in ("speak", "hear"))
            told = _played(place, tier, speaker, hearer)
            yield _of_cache(told, tier, f"{CACHE}, timed by {how}")
    told = _played(place, tier, *map(place.attack, TELLING))
    yield _of_threads(told, tier)


def _shared_file() -> str:
    """The C library, of which all programs share the pages; "" where it cannot be found."""
    with open("/proc/self/maps") as maps:
        names = [line.split(maxsplit=5)[5].strip() for line in maps if "/libc" in line or "/ld-musl" in line]
    return next((name for name in names if Path(name).stat().st_size >= FILE_BYTES), "")


def _played(place: Place, tier: str, speaker: dict[str, Any], hearer: dict[str, Any]) -> dict[str, Any]:
    """The record of a match in which seat 1 speaks and seat 2 hears; empty where it failed."""
    players = place.others()
    players[1], players[2] = speaker | {"name": "speaker"}, hearer | {"name": "hearer"}
    # On one core, as in a season.
    told = place.ask(place.job(tier, players, deals=DEALS, time=TIME, core=min(os.sched_getaffinity(0))))
    record: dict[str, Any] = told.get("record") or {}
    return {} if record.get("forfeit") else record


def _of_cache(record: dict[str, Any], tier: str, name: str) -> OpenWay:
    """The best of the turns."""
    found = [(int(right), int(all_), int(us)) for right, all_, us in HEARD.findall(_tail(record, 2))]
    if not found:
        return _unheard(name, tier, "the match was not played to its end")
    right, all_, us = max(found, key=lambda turn: _bits(turn[0], turn[1], 2) / turn[2])
    bits = _bits(right, all_, 2)
    if not bits:
        return _unheard(name, tier, f"{right} of {all_} bits were right, as chance may be")
    say = f"{right} of {all_} bits in {us} µs, the best of {len(found)} turns"
    return OpenWay(name, TURNS, tier, _rounded(bits, us), say)


def _of_threads(record: dict[str, Any], tier: str) -> OpenWay:
    """Of all turns of the hearer between which the speaker has had one."""
    said, heard = ([tuple(map(int, one)) for one in SPENT.findall(_tail(record, seat))] for seat in (1, 2))
    right = all_ = us = 0
    since: list[tuple[int, ...]] = []
    before = None
    for move in record.get("moves", ()):
        request, seat = move["request"], move["seat"]
        if not request.startswith("gen_move"):
            continue
        if seat == 1 and said:
            since.append(said.pop(0))
        elif seat == 2 and heard:
            number, spent = heard.pop(0)
            if before is not None and len(since) == 1:
                all_ += 1
                right += number - before - 1 == since[0][0]
                us += spent + since[0][1]
            before, since = number, []
    if not all_:
        return _unheard(THREADS, tier, "the match was not played to its end")
    bits = _bits(right, all_, 4)
    if not bits:
        return _unheard(THREADS, tier, f"{right} of {all_} turns were right, as chance may be")
    return OpenWay(
        THREADS, TURNS, tier, _rounded(bits, us), f"{right} of {all_} turns of 2 bits in {us / 1000:.1f} ms"
    )


def _unheard(name: str, tier: str, why: str) -> OpenWay:
    return OpenWay(name, TURNS, tier, 0.0, why)


def _bits(right: int, all_: int, symbols: int) -> float:
    """What came through, in bits; 0 where so much is right by chance.

    Mutual information of a channel that errs alike in every way, as if each symbol were as frequent.
    """
    as_good = sum(math.comb(all_, wrong) * (symbols - 1) ** wrong for wrong in range(all_ - right + 1))
    if as_good / symbols**all_ > BY_CHANCE:
        return 0.0
    wrong = 1 - right / all_
    lost = (
        0.0 if not wrong else -wrong * math.log2(wrong / (symbols - 1)) - (1 - wrong) * math.log2(1 - wrong)
    )
    return all_ * (math.log2(symbols) - lost)


def _rounded(bits: float, us: int) -> float:
    """Bits a second, of which two figures mean something."""
    return float(f"{bits * 1e6 / us:.2g}")


def _tail(record: dict[str, Any], seat: int) -> str:
    return str(record["bots"][seat]["stderr_tail"]) if record else ""
