"""Play attacks at a table, each kind in its own way, and find what happened to each attempt."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from arbiter.trials.sandboxcheck.damage import (
    LONG,
    MS,
    MatchReport,
    change_of,
    charged_and_kill_ns,
    harm_of,
    harm_to_others,
    most_ns,
    time_of,
)
from arbiter.trials.sandboxcheck.expectations import GOES_ON, UNTOLD, Attack, Kind, is_as_promised

if TYPE_CHECKING:
    from arbiter.trials.sandboxcheck.attack_folder import AttackFolder

LONGER, STRETCHED = "20s", "600ms"
TRIES, MEASURED = 3, 8
THOUGHT_NS = 350 * MS
"""Minimum thinking time in twelve decisions of 30 ms."""
STEP_KB = 160
"""Amounts of memory that differ by less are equal: the kernel counts up to 32 pages of a kind late."""
CHANGES: Mapping[str, Mapping[str, Any]] = {
    "deaf_to_quit": {"end": "quit"},
    "never_read": {"start_ns": 300 * MS},
}
X86_ALONE = ("raw int80", "raw x32")
SILENCE, SAME = "silence", "the same"


@dataclass(frozen=True, slots=True)
class AttackResult:
    """What happened to each attempt of an attack under a tier; `skipped` is why it was not played.

    `harm` is the harm to others, "" for none; `isolation` is that of its last match.
    """

    attack: Attack
    tier: str
    met: Mapping[str, str] = field(default_factory=dict)
    harm: str = ""
    skipped: str = ""
    isolation: Mapping[str, Any] = field(default_factory=dict)

    @property
    def stage(self) -> bool:
        """True if bots were on a stage in the last match."""
        return "system" in self.isolation

    @property
    def groups(self) -> bool:
        """True if bots were in control groups in the last match."""
        return "cgroup" in self.isolation


def play_attack(place: AttackFolder, tier: str, attack: Attack) -> AttackResult:
    """Play an attack and delete what it left; repeat matches that the machine's load may have spoilt."""
    if skipped := _skip_reason(place, tier, attack):
        return AttackResult(attack, tier, skipped=skipped)
    try:
        met, told, harm = _WAYS[attack.kind](place, tier, attack)
    except _NotPlayed as why:
        return AttackResult(attack, tier, harm=str(why))
    except _NotHere as why:
        return AttackResult(attack, tier, skipped=str(why))
    finally:
        place.remove_leftovers()
    isolation = (told["record"] or {}).get("isolation", {})
    return AttackResult(attack, tier, met, harm, isolation=isolation)


class _NotPlayed(Exception):
    """The table failed."""


class _NotHere(Exception):
    """This machine lacks what the attack needs."""


_Way: TypeAlias = Callable[["AttackFolder", str, Attack], tuple[dict[str, str], MatchReport, str]]


def _skip_reason(place: AttackFolder, tier: str, attack: Attack) -> str:
    """Return why an attack cannot be played on this machine or under this tier, or ""."""
    if place.missing and (attack.kind in ("memory", "share") or attack.name.startswith("raw ")):
        return place.missing
    if attack.name in X86_ALONE and os.uname().machine != "x86_64":
        return "not on this processor: only x86_64 has it"
    if attack.kind == "survey" and tier == "plain":
        return "plain shows a bot the whole machine"
    return ""


def _play_match(place: AttackFolder, tier: str, attack: Attack) -> tuple[dict[str, str], MatchReport, str]:
    """Play a match with an attacker; return how it ended, its report, and the harm."""
    expected = attack.promises[0].cells[tier]
    attacker = place.attack(attack.name) if attack.kind == "match" else _player_of_program(place, attack.name)
    told = _play_attacker(place, tier, attacker, expected, **CHANGES.get(attack.name, {}))
    return {"": _end_text(place, told, expected)}, told, harm_of(told, expected)


def _player_of_program(place: AttackFolder, name: str) -> MatchReport:
    """Return the player of a command: a file of the attacker's folder, or ``true`` or ``cat``."""
    program, *arguments = name.split()
    own = str(place.folder / "attacker" / program)
    if program.endswith(".py"):
        return place.player("attacker", place.python, "-I", "-S", own)
    return place.player("attacker", program if program in ("true", "cat") else own, *arguments)


def _play_attempts(place: AttackFolder, tier: str, attack: Attack) -> tuple[dict[str, str], MatchReport, str]:
    """Play a match in which an attacker makes attempts and reports each."""
    told = _explore(place, tier, place.attack(attack.name))
    harm = harm_of(told, GOES_ON) or (change_of(told) if tier != "plain" else "")
    return _outcomes(attack, _stderr(told, 1)), told, harm


def _play_pair(place: AttackFolder, tier: str, attack: Attack) -> tuple[dict[str, str], MatchReport, str]:
    """Play a match with two attackers that help each other; _NotHere if bots share a user."""
    first, second = attack.name.split("-")
    players = place.others()
    players[1], players[2] = place.attack(first), place.attack(second) | {"name": "accomplice"}
    told = _play(place, tier, players)
    if "queue" in first and tier != "plain" and "its own" not in str(told["record"]["isolation"].get("user")):
        raise _NotHere("no stage, or a kernel that counts by uid alone: bots share a user")
    return _outcomes(attack, _stderr(told, 1) + _stderr(told, 2)), told, harm_to_others(told)


def _play_twice(place: AttackFolder, tier: str, attack: Attack) -> tuple[dict[str, str], MatchReport, str]:
    """Play a match that leaves marks, then a match that looks for them; differing reports are harm."""
    place.write_unread_files()
    numbers, harm = [], ""
    for arguments in (("write=1",), ()):
        told = _explore(place, tier, place.attack(attack.name, *arguments))
        harm = harm or harm_of(told, GOES_ON)
        numbers.append(_stderr(told, 1).partition("\n")[0])
    if tier != "plain" and _has_stage(told) and numbers[0] != numbers[1]:
        harm = harm or f"matches can be distinguished: {numbers[0]}, then {numbers[1].rpartition(': ')[2]}"
    return _outcomes(attack, _stderr(told, 1)), told, harm


def _play_memory(place: AttackFolder, tier: str, attack: Attack) -> tuple[dict[str, str], MatchReport, str]:
    """Compare the minimum of three matches before and after: the kernel counts pages in steps."""
    program, (promise,) = place.program("memory"), attack.promises

    def measure_least_bytes() -> int:
        """Play three matches; return the least memory that the attacker reports, in kB; _NotPlayed."""
        tails = [_stderr(_explore(place, tier, looks), 1) for _ in range(3)]
        if "" in tails:
            raise _NotPlayed("it did not report the amount of memory")
        return min(int(tail.partition(": ")[2]) for tail in tails)

    looks = place.player("attacker", program, "look")
    before = measure_least_bytes()
    told = _play(
        place, tier, [place.player(f"leaves{seat}", program, "leave") for seat in range(4)], time=LONG
    )
    more = measure_least_bytes() - before
    return {promise.attempt: SAME if abs(more) < STEP_KB else f"{more} kB more"}, told, harm_to_others(told)


def _play_survey(place: AttackFolder, tier: str, attack: Attack) -> tuple[dict[str, str], MatchReport, str]:
    """Compare what a bot sees alone, at low priority, and beside a bot in a shell after a match."""
    if (shell := shutil.which("bash", path="/bin:/usr/bin")) is None:
        raise _NotHere("no bash, whose files would appear beside a bot in a shell")
    alone = place.others()
    alone[1], waiting = place.attack(attack.name), place.attack(attack.name, "wait=2")
    in_a_shell = place.player("shell", shell, str(place.folder / "rival" / "bot.sh"))
    seen, harm = [], ""
    for players, changes in (
        (alone, {"tried": True}),
        ([in_a_shell, waiting, *alone[2:]], {}),
        ([in_a_shell, *alone[1:]], {}),
    ):
        told = _play(place, tier, players, time=LONG, **changes)
        if not _has_stage(told):
            raise _NotHere("no stage: a bot sees all of the system")
        seen.append(_parse_reports(_stderr(told, 1)))
        harm = harm or harm_to_others(told)
    tried, played = seen[0], seen[-1]
    return {
        what: UNTOLD if what not in tried else SAME if played.get(what) == tried[what] else "differs"
        for what in (promise.attempt for promise in attack.promises)
    }, told, harm  # fmt: skip


def _play_share(place: AttackFolder, tier: str, attack: Attack) -> tuple[dict[str, str], MatchReport, str]:
    """Take the minimum over some matches: on a busy core the referee looks late."""
    players = [place.player(f"victim{seat}", place.program("victim"), "30") for seat in range(4)]
    players[1] = place.attack(attack.name)
    cell, least, harm = attack.promises[0].cells[tier], float("inf"), ""
    for _ in range(MEASURED if cell else 1):
        told = _play(place, tier, players, time=LONGER, deals=[[3, 0]], core=min(os.sched_getaffinity(0)))
        if told["record"]["forfeit"]:
            return {"": _end_text(place, told, cell)}, told, harm_to_others(told)
        taken, thought = told["beside"]["taken"], told["beside"]["thought"]
        if thought < THOUGHT_NS:
            return {"": UNTOLD}, told, ""
        least = min(least, 100 * taken / thought)
        harm = harm_to_others(told)
        if harm or not cell or is_as_promised(cell, f"{least:.1f} %"):
            break
    return {"": f"{least:.1f} %"}, told, harm


def _play_stretch(place: AttackFolder, tier: str, attack: Attack) -> tuple[dict[str, str], MatchReport, str]:
    """Take the minimum over some matches: the core may be idle before and after the measurement."""
    players = place.others()
    players[1] = place.attack(attack.name)
    cell, least = attack.promises[0].cells[tier], float("inf")
    for _ in range(TRIES):
        told = _play(place, tier, players, time=STRETCHED, core=min(os.sched_getaffinity(0)))
        if told["void"] is not None:
            return {"": f"{GOES_ON}: void: {told['void']}"}, told, ""
        bot = told["record"]["bots"][1]
        least = min(least, 100 * (told["held_ns"] + bot["cpu_ns"]) / bot["charged_ns"])
        if (harm := harm_to_others(told)) or is_as_promised(cell, f"{least:.1f} %"):
            break
    return {"": f"{least:.1f} %"}, told, harm


_WAYS: dict[Kind, _Way] = {
    "match": _play_match,
    "program": _play_match,
    "attempts": _play_attempts,
    "pair": _play_pair,
    "remember": _play_twice,
    "memory": _play_memory,
    "survey": _play_survey,
    "share": _play_share,
    "stretch": _play_stretch,
}


def _play(place: AttackFolder, tier: str, players: list[MatchReport], **changes: Any) -> MatchReport:
    """Play a match that only an attacker's fault may end, else _NotPlayed; return its report."""
    told = place.ask(place.job(tier, players, **changes))
    problem = told.get("error") or told["void"]
    if not problem and (forfeit := told["record"]["forfeit"]) and forfeit["player"] != "attacker":
        problem = f"{forfeit['player']} forfeits: {forfeit['detail']}"
    if problem:
        raise _NotPlayed(_line(place, f"the match ended: {problem}"))
    return told


def _play_attacker(
    place: AttackFolder, tier: str, attacker: MatchReport, expected: str, **changes: Any
) -> MatchReport:
    """Play a match against an attacker in seat 1; _NotPlayed if the worker fails.

    It is repeated if time ran out that the attack does not take: time stolen by the hypervisor is in no
    account.
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
        if not late and charged_and_kill_ns(told) <= most_ns(expected):
            break
    return told


def _explore(place: AttackFolder, tier: str, attacker: MatchReport) -> MatchReport:
    """Play a match with an exploring attacker, which only its own fault may end, else _NotPlayed."""
    told = _play_attacker(place, tier, attacker, GOES_ON)
    if told["void"] is not None:
        raise _NotPlayed(_line(place, f"the match ended: {told['void']}"))
    return told


def _end_text(place: AttackFolder, told: MatchReport, expected: str) -> str:
    """Return how a match ended, in the words of the tables, with its notes if some are expected."""
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


def _line(place: AttackFolder, text: str) -> str:
    """Return the text as one line without the name of our folder."""
    return " ".join(text.replace(f"{place.folder}/", "").split())


def _has_stage(told: MatchReport) -> bool:
    return "system" in told["record"]["isolation"]


def _stderr(told: MatchReport, seat: int) -> str:
    return str(told["record"]["bots"][seat]["stderr_tail"])


def _outcomes(attack: Attack, tail: str) -> dict[str, str]:
    """Return what happened to each attempt; "silence" if that is a possible promise and nothing came."""
    said = _parse_reports(tail)
    return {
        one.attempt: said.get(one.attempt, SILENCE if SILENCE in one.cells.values() and said else UNTOLD)
        for one in attack.promises
    }


def _parse_reports(tail: str) -> dict[str, str]:
    """Return the results by attempt from lines ``ATTEMPT: RESULT``."""
    return dict(line.rsplit(": ", 1) for line in tail.splitlines() if ": " in line)
