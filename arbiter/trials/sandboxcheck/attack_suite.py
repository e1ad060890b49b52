"""Plays attacks at a table, each in its own way, and finds what each attempt met."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from arbiter.trials.sandboxcheck.damage import (
    LONG,
    MS,
    Told,
    change_of,
    harm_of,
    harm_to_others,
    most_ns,
    taken_ns,
    time_of,
)
from arbiter.trials.sandboxcheck.expectations import GOES_ON, UNTOLD, Attack, Kind, keeps

if TYPE_CHECKING:
    from arbiter.trials.sandboxcheck.attack_folder import Place

LONGER, STRETCHED = "20s", "600ms"
TRIES, MEASURED = 3, 8
THOUGHT_NS = 350 * MS
"""At least, in twelve decisions of 30 ms."""
STEP_KB = 160
"""Of two memories that are the same: the kernel counts up to 32 pages of a kind late."""
CHANGES: Mapping[str, Mapping[str, Any]] = {
    "deaf_to_quit": {"end": "quit"},
    "never_read": {"start_ns": 300 * MS},
}
X86_ALONE = ("raw int80", "raw x32")
SILENCE, SAME = "silence", "the same"


@dataclass(frozen=True, slots=True)
class AttackResult:
    """What came of an attack under a tier, by attempt; `skipped` says why it was not played.

    `harm` is what happened to others, "" if nothing did; `isolation` is that of its last match.
    """

    attack: Attack
    tier: str
    met: Mapping[str, str] = field(default_factory=dict)
    harm: str = ""
    skipped: str = ""
    isolation: Mapping[str, Any] = field(default_factory=dict)

    @property
    def stage(self) -> bool:
        return "system" in self.isolation

    @property
    def groups(self) -> bool:
        return "cgroup" in self.isolation


def play_attack(place: Place, tier: str, attack: Attack) -> AttackResult:
    """Play an attack; what may have failed by the machine's load is played again."""
    if skipped := _cannot_be_played(place, tier, attack):
        return AttackResult(attack, tier, skipped=skipped)
    try:
        met, told, harm = _WAYS[attack.kind](place, tier, attack)
    except _NotPlayed as why:
        return AttackResult(attack, tier, harm=str(why))
    except _NotHere as why:
        return AttackResult(attack, tier, skipped=str(why))
    finally:
        place.tidy()
    isolation = (told["record"] or {}).get("isolation", {})
    return AttackResult(attack, tier, met, harm, isolation=isolation)


class _NotPlayed(Exception):
    """The table failed."""


class _NotHere(Exception):
    """This machine lacks what the attack needs."""


_Way: TypeAlias = Callable[["Place", str, Attack], tuple[dict[str, str], Told, str]]


def _cannot_be_played(place: Place, tier: str, attack: Attack) -> str:
    if place.missing and (attack.kind in ("memory", "share") or attack.name.startswith("raw ")):
        return place.missing
    if attack.name in X86_ALONE and os.uname().machine != "x86_64":
        return "not on this processor: x86_64 alone has it"
    if attack.kind == "survey" and tier == "plain":
        return "plain shows a bot the whole machine"
    return ""


def _one_match(place: Place, tier: str, attack: Attack) -> tuple[dict[str, str], Told, str]:
    expected = attack.promises[0].cells[tier]
    attacker = place.attack(attack.name) if attack.kind == "match" else _no_bot(place, attack.name)
    told = _play(place, tier, attacker, expected, **CHANGES.get(attack.name, {}))
    return {"": _end_of(place, told, expected)}, told, harm_of(told, expected)


def _no_bot(place: Place, name: str) -> Told:
    program, *arguments = name.split()
    own = str(place.folder / "attacker" / program)
    if program.endswith(".py"):
        return place.player("attacker", place.python, "-I", "-S", own)
    return place.player("attacker", program if program in ("true", "cat") else own, *arguments)


def _attempts(place: Place, tier: str, attack: Attack) -> tuple[dict[str, str], Told, str]:
    told = _look(place, tier, place.attack(attack.name))
    harm = harm_of(told, GOES_ON) or (change_of(told) if tier != "plain" else "")
    return _told_of(attack, _tail(told, 1)), told, harm


def _pair(place: Place, tier: str, attack: Attack) -> tuple[dict[str, str], Told, str]:
    first, second = attack.name.split("-")
    players = place.others()
    players[1], players[2] = place.attack(first), place.attack(second) | {"name": "accomplice"}
    told = _ask(place, tier, players)
    if "queue" in first and tier != "plain" and "its own" not in str(told["record"]["isolation"].get("user")):
        raise _NotHere("no stage, or a kernel that counts by number alone: bots share a user")
    return _told_of(attack, _tail(told, 1) + _tail(told, 2)), told, harm_to_others(told)


def _remember(place: Place, tier: str, attack: Attack) -> tuple[dict[str, str], Told, str]:
    place.lay_out_letters()
    numbers, harm = [], ""
    for arguments in (("write=1",), ()):
        told = _look(place, tier, place.attack(attack.name, *arguments))
        harm = harm or harm_of(told, GOES_ON)
        numbers.append(_tail(told, 1).partition("\n")[0])
    if tier != "plain" and _has_stage(told) and numbers[0] != numbers[1]:
        harm = harm or f"matches can be told apart: {numbers[0]}, then {numbers[1].rpartition(': ')[2]}"
    return _told_of(attack, _tail(told, 1)), told, harm


def _memory(place: Place, tier: str, attack: Attack) -> tuple[dict[str, str], Told, str]:
    """The least of three matches before and after: the kernel counts pages in steps."""
    program, (promise,) = place.program("memory"), attack.promises

    def least() -> int:
        tails = [_tail(_look(place, tier, looks), 1) for _ in range(3)]
        if "" in tails:
            raise _NotPlayed("it did not tell how much memory there is")
        return min(int(tail.partition(": ")[2]) for tail in tails)

    looks = place.player("attacker", program, "look")
    before = least()
    told = _ask(
        place, tier, [place.player(f"leaves{seat}", program, "leave") for seat in range(4)], time=LONG
    )
    more = least() - before
    return {promise.attempt: SAME if abs(more) < STEP_KB else f"{more} kB more"}, told, harm_to_others(told)


def _survey(place: Place, tier: str, attack: Attack) -> tuple[dict[str, str], Told, str]:
    """Alone and nice to others, as in a trial; then beside a bot in a shell, after a longer match."""
    if (shell := shutil.which("bash", path="/bin:/usr/bin")) is None:
        raise _NotHere("no bash, of which others would bring files")
    alone = place.others()
    alone[1], waiting = place.attack(attack.name), place.attack(attack.name, "wait=2")
    in_a_shell = place.player("shell", shell, str(place.folder / "rival" / "bot.sh"))
    seen, harm = [], ""
    for players, changes in (
        (alone, {"tried": True}),
        ([in_a_shell, waiting, *alone[2:]], {}),
        ([in_a_shell, *alone[1:]], {}),
    ):
        told = _ask(place, tier, players, time=LONG, **changes)
        if not _has_stage(told):
            raise _NotHere("no stage: a bot sees all of the system")
        seen.append(_pairs(_tail(told, 1)))
        harm = harm or harm_to_others(told)
    tried, played = seen[0], seen[-1]
    return {
        what: UNTOLD if what not in tried else SAME if played.get(what) == tried[what] else "differs"
        for what in (promise.attempt for promise in attack.promises)
    }, told, harm  # fmt: skip


def _share(place: Place, tier: str, attack: Attack) -> tuple[dict[str, str], Told, str]:
    """The least of some matches: the referee's looks come late where the core has other things to do."""
    players = [place.player(f"victim{seat}", place.program("victim"), "30") for seat in range(4)]
    players[1] = place.attack(attack.name)
    cell, least, harm = attack.promises[0].cells[tier], float("inf"), ""
    for _ in range(MEASURED if cell else 1):
        told = _ask(place, tier, players, time=LONGER, deals=[[3, 0]], core=min(os.sched_getaffinity(0)))
        if told["record"]["forfeit"]:
            return {"": _end_of(place, told, cell)}, told, harm_to_others(told)
        taken, thought = told["beside"]["taken"], told["beside"]["thought"]
        if thought < THOUGHT_NS:
            return {"": UNTOLD}, told, ""
        least = min(least, 100 * taken / thought)
        harm = harm_to_others(told)
        if harm or not cell or keeps(cell, f"{least:.1f} %"):
            break
    return {"": f"{least:.1f} %"}, told, harm


def _stretch(place: Place, tier: str, attack: Attack) -> tuple[dict[str, str], Told, str]:
    """The least of some matches: the core may be idle before and after what is measured."""
    players = place.others()
    players[1] = place.attack(attack.name)
    cell, least = attack.promises[0].cells[tier], float("inf")
    for _ in range(TRIES):
        told = _ask(place, tier, players, time=STRETCHED, core=min(os.sched_getaffinity(0)))
        if told["void"] is not None:
            return {"": f"{GOES_ON}: void: {told['void']}"}, told, ""
        bot = told["record"]["bots"][1]
        least = min(least, 100 * (told["held_ns"] + bot["cpu_ns"]) / bot["charged_ns"])
        if (harm := harm_to_others(told)) or keeps(cell, f"{least:.1f} %"):
            break
    return {"": f"{least:.1f} %"}, told, harm


_WAYS: dict[Kind, _Way] = {
    "match": _one_match,
    "program": _one_match,
    "attempts": _attempts,
    "pair": _pair,
    "remember": _remember,
    "memory": _memory,
    "survey": _survey,
    "share": _share,
    "stretch": _stretch,
}


def _ask(place: Place, tier: str, players: list[Told], **changes: Any) -> Told:
    """A match that no fault but an attacker's may end."""
    told = place.ask(place.job(tier, players, **changes))
    problem = told.get("error") or told["void"]
    if not problem and (forfeit := told["record"]["forfeit"]) and forfeit["player"] != "attacker":
        problem = f"{forfeit['player']} forfeits: {forfeit['detail']}"
    if problem:
        raise _NotPlayed(_line(place, f"the match ended: {problem}"))
    return told


def _play(place: Place, tier: str, attacker: Told, expected: str, **changes: Any) -> Told:
    """What came of a match against an attacker in seat 1.

    Played again where time ran out that the attack does not take: what the hypervisor steals is in
    nobody's account.
    """
    players = place.others()
    players[1] = attacker
    changes = {"time": time_of(expected), **changes}
    for _ in range(TRIES):
        told = place.ask(place.job(tier, players, **changes))
        if "error" in told:
            raise _NotPlayed(_line(place, told["error"]))
        if told["void"] is not None:
            break
        forfeit = told["record"]["forfeit"]
        late = forfeit is not None and forfeit["fault"] == "timeout" and "timeout" not in expected
        if not late and taken_ns(told) <= most_ns(expected):
            break
    return told


def _look(place: Place, tier: str, attacker: Told) -> Told:
    """What came of a match in which an attacker looks about: only its own fault may end it."""
    told = _play(place, tier, attacker, GOES_ON)
    if told["void"] is not None:
        raise _NotPlayed(_line(place, f"the match ended: {told['void']}"))
    return told


def _end_of(place: Place, told: Told, expected: str) -> str:
    """How a match ended, in the words of the tables; with the notes where some are expected."""
    if told["void"] is not None:
        return _line(place, f"void: {told['void']}")
    forfeit, bot = told["record"]["forfeit"], told["record"]["bots"][1]
    if forfeit is None:
        return (
            _line(place, f"{GOES_ON}: {'; '.join(bot['notes'])}")
            if expected.startswith(f"{GOES_ON}: ")
            else GOES_ON
        )
    detail = forfeit["detail"] if forfeit["player"] == "attacker" else f"of {forfeit['player']}"
    return _line(place, f"{forfeit['fault']}: {detail}")


def _line(place: Place, text: str) -> str:
    """One line that names no folder of ours."""
    return " ".join(text.replace(f"{place.folder}/", "").split())


def _has_stage(told: Told) -> bool:
    return "system" in told["record"]["isolation"]


def _tail(told: Told, seat: int) -> str:
    return str(told["record"]["bots"][seat]["stderr_tail"])


def _told_of(attack: Attack, tail: str) -> dict[str, str]:
    """What each attempt met; silence where that is what is to be heard."""
    said = _pairs(tail)
    return {
        one.attempt: said.get(one.attempt, SILENCE if SILENCE in one.cells.values() and said else UNTOLD)
        for one in attack.promises
    }


def _pairs(tail: str) -> dict[str, str]:
    return dict(line.rsplit(": ", 1) for line in tail.splitlines() if ": " in line)
