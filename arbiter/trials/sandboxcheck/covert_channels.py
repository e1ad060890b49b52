"""Covert channels from bot to bot that no tier closes, measured at a table here, or elsewhere.

Two bots that know the message measure a channel. Its capacity is Shannon's mutual information, so that wrong
bits count as the cost of correcting them.
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

    from arbiter.trials.sandboxcheck.attack_folder import AttackFolder

TELLING = ("say_by_threads", "hear_by_threads")
"""Attackers used only for measuring."""
DEALS = [[13, 0], [12, 0]]
TIME = "20s"
BY_CHANCE = 1e-5
"""A result counts only if chance alone gives it with at most this probability."""
FILE_BYTES = 512 << 10
HEARD = re.compile(r"(\d+) of (\d+) bits in (\d+) us")
SPENT = re.compile(r"(\d+) in (\d+) us")


class CovertChannel(NamedTuple):
    """A channel from bot to bot, its bits per second or None, and `say`, a figure in words.

    `tier` is the tier under which it was measured here, "" if it was measured elsewhere.
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
    CovertChannel(CACHE, TURNS, "", 7e6, "501 of 512 bits in 66 µs"),
    CovertChannel(f"{CACHE}, left behind", LATER, "", None, "16 bits a match: 225 of 240 in a season"),
    CovertChannel(f"{CACHE}, on another core", "between matches played at once", "", 1000, "125 of 128 bits"),
    CovertChannel("the moment a match ends", LATER, "", None, "8 bits a match, for 1 s of its clock"),
    CovertChannel("numbers of new pipes", LATER, "", None, "6 bits a match (estimated)"),
    CovertChannel("thinking time of a move", "to all at the table", "", None, "limited by its own clock"),
)  # fmt: skip
"""On Linux 6.18, x86_64, two cores, by an attacker's new programs; see docs/explanation/isolation.md."""

UNSTAGED = (
    CovertChannel("names looked up in vain", LATER, "", 230_000, "0 of 256 wrong"),
    CovertChannel(THREADS, TURNS, "", 5000, "at most: a thread takes 0.2 ms"),
)
"""The same without a stage."""


def measure_channels(place: AttackFolder, tier: str) -> list[CovertChannel]:
    """Measure channels here under a tier, each in a match; return them and those measured only elsewhere."""
    here = list(_play_channels(place, tier))
    elsewhere = ELSEWHERE + (() if stage().available else UNSTAGED)
    return here + [one for one in elsewhere if not any(found.name.startswith(one.name) for found in here)]


def _play_channels(place: AttackFolder, tier: str) -> Iterator[CovertChannel]:
    """Play a match for each channel that this machine has, and yield the channels."""
    if not place.missing and os.uname().machine == "x86_64" and (file := _shared_file()):
        for how, words in ("its own counter", ()), ("the clock alone", ("clock",)):
            program = place.program("cache")
            speaker, hearer = (place.player("", program, does, file, *words) for does in ("speak", "hear"))
            told = _play_match(place, tier, speaker, hearer)
            yield _cache_channel(told, tier, f"{CACHE}, timed by {how}")
    told = _play_match(place, tier, *map(place.attack, TELLING))
    yield _threads_channel(told, tier)


def _shared_file() -> str:
    """Find the file of the C library, whose pages all programs share; "" if not found."""
    with open("/proc/self/maps") as maps:
        names = [line.split(maxsplit=5)[5].strip() for line in maps if "/libc" in line or "/ld-musl" in line]
    return next((name for name in names if Path(name).stat().st_size >= FILE_BYTES), "")


def _play_match(
    place: AttackFolder, tier: str, speaker: dict[str, Any], hearer: dict[str, Any]
) -> dict[str, Any]:
    """Play a match in which seat 1 sends and seat 2 receives; return its record, empty if it failed."""
    players = place.others()
    players[1], players[2] = speaker | {"name": "speaker"}, hearer | {"name": "hearer"}
    # On one core, as in a season.
    told = place.ask(place.job(tier, players, deals=DEALS, time=TIME, core=min(os.sched_getaffinity(0))))
    record: dict[str, Any] = told.get("record") or {}
    return {} if record.get("forfeit") else record


def _cache_channel(record: dict[str, Any], tier: str, name: str) -> CovertChannel:
    """Return the channel measured by the receiver's best turn; 0 bits if chance explains it."""
    found = [(int(right), int(all_), int(us)) for right, all_, us in HEARD.findall(_stderr(record, 2))]
    if not found:
        return _failed_channel(name, tier, "the match was not played to its end")
    right, all_, us = max(found, key=lambda turn: _bits(turn[0], turn[1], 2) / turn[2])
    bits = _bits(right, all_, 2)
    if not bits:
        return _failed_channel(name, tier, f"{right} of {all_} bits were right, as chance may be")
    say = f"{right} of {all_} bits in {us} µs, the best of {len(found)} turns"
    return CovertChannel(name, TURNS, tier, _rounded(bits, us), say)


def _threads_channel(record: dict[str, Any], tier: str) -> CovertChannel:
    """Return the channel over all turns of the receiver between which the sender had one."""
    said, heard = ([tuple(map(int, one)) for one in SPENT.findall(_stderr(record, seat))] for seat in (1, 2))
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
        return _failed_channel(THREADS, tier, "the match was not played to its end")
    bits = _bits(right, all_, 4)
    if not bits:
        return _failed_channel(THREADS, tier, f"{right} of {all_} turns were right, as chance may be")
    return CovertChannel(
        THREADS, TURNS, tier, _rounded(bits, us), f"{right} of {all_} turns of 2 bits in {us / 1000:.1f} ms"
    )


def _failed_channel(name: str, tier: str, why: str) -> CovertChannel:
    return CovertChannel(name, TURNS, tier, 0.0, why)


def _bits(right: int, all_: int, symbols: int) -> float:
    """Return the transmitted bits, by mutual information, with uniform symbols; 0 if chance explains them."""
    as_good = sum(math.comb(all_, wrong) * (symbols - 1) ** wrong for wrong in range(all_ - right + 1))
    if as_good / symbols**all_ > BY_CHANCE:
        return 0.0
    wrong = 1 - right / all_
    lost = (
        0.0 if not wrong else -wrong * math.log2(wrong / (symbols - 1)) - (1 - wrong) * math.log2(1 - wrong)
    )
    return all_ * (math.log2(symbols) - lost)


def _rounded(bits: float, us: int) -> float:
    """Return bits per second, rounded to two significant digits."""
    return float(f"{bits * 1e6 / us:.2g}")


def _stderr(record: dict[str, Any], seat: int) -> str:
    return str(record["bots"][seat]["stderr_tail"]) if record else ""
