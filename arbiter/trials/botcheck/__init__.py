"""Check an author's bot in named steps.

    for step in check_bot(Subject(game, player, limits, launcher)):
        print(step.text())

The bot plays whole matches, one in each seat, conducted by the referee with random players in memory, so
that a bot passes only if a tournament accepts it. A fault in a match counts for the step that names its
cause (`verdicts`): a missing empty line is not also a timeout. Short dialogues (`short_dialogues`) add what
no match has: unknown commands, odd line ends, the ways to end. A step that a fault makes pointless is left
out, with the reason; a step by which no match under the subject's limits can fail is advice (`is_required`).
"""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from arbiter.games import make
from arbiter.match.clock import SECOND
from arbiter.match.record import Fault
from arbiter.sandbox.cgroup import SLACK_BYTES
from arbiter.sandbox.launcher import Launcher
from arbiter.trials.botcheck.cures import FIXES, FIXES_OF_SENT, READ_MORE
from arbiter.trials.botcheck.hidden_folders import folders_to_read
from arbiter.trials.botcheck.probes import (
    blame_line_end,
    check_batched,
    check_same_seed,
    is_cause,
    keeps_line_ends,
)
from arbiter.trials.botcheck.short_dialogues import AGAIN_NS, Dialogue, end_by_eof, end_by_kill, end_by_quit
from arbiter.trials.botcheck.verdicts import Step, failed_step, left_out, passed
from arbiter.trials.botcheck.whole_match import SEED, BotMatch, Subject, play

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from arbiter.match.spec import Limits, Player

__all__ = ["STEPS", "Step", "Subject", "check_bot", "check_in_worker", "is_required"]

STEPS = (
    "starts", "empty-line", "flushes", "only-replies", "opening", "unknown-command", "blank-lines",
    "line-ends", "rules", "matches", "time", "memory", "same-seed", "batched", "quit", "end-of-input",
    "kill",
)  # fmt: skip
"""All steps in order."""
WIRE = STEPS[1:4]
ODD: Mapping[str, tuple[Callable[[Dialogue], Step], Callable[[Dialogue], bool]]] = {
    "unknown-command": (Dialogue.unknown_command, Dialogue.answers_twice),
    "blank-lines": (Dialogue.blank_lines, Dialogue.answers_plain_lines),
    "line-ends": (Dialogue.line_ends, Dialogue.answers_plain_lines),
}
"""The dialogues with odd lines, and the test whether a bot passes without them."""
ADVISORY = frozenset({"unknown-command", "blank-lines", "line-ends", "same-seed", "end-of-input"})
"""Steps about what no referee sends or requires."""


def is_required(name: str, player: Player, limits: Limits) -> bool:
    """True if a match of the player under these limits can fail by what a step tests."""
    if name == "batched":
        return limits.delivery == "batched" and player.batched
    if name == "quit":
        return limits.end == "quit"
    return name not in ADVISORY


def check_bot(subject: Subject) -> Iterator[Step]:
    """Play matches and dialogues with the bot; yield each step in order. VoidMatch if our machine fails."""
    for step in _play_steps(subject):
        yield replace(step, required=is_required(step.name, subject.player, subject.limits))


def check_in_worker(
    game: str, options: Mapping[str, Any], player: Player, limits: Limits, seed: str = SEED
) -> list[Step]:
    """Return all steps of one player, checked in this process, such as a worker on its own core."""
    with closing(Launcher()) as launcher:
        return list(check_bot(Subject(make(game, options), player, limits, launcher, seed=seed)))


def _play_steps(subject: Subject) -> Iterator[Step]:
    """Play the bot in every seat, unless it fails before; yield the start's step, then the others."""
    game = subject.game
    opening = [wording[0].split(" ")[0] for wording in game.greeting()]
    played = [play(subject, 0)]
    fault = failed_step(subject, played[0], opening)
    # Without a first reply the dialogues are pointless.
    mute = fault if not played[0].first_ns else None
    if fault is not None and fault.name == "starts":
        folders = [] if subject.sent else folders_to_read(subject)
        yield replace(fault, fix=READ_MORE.format(", ".join(folders))) if folders else fault
    else:
        yield _start_step(subject, played[0])
    timed_out = played[0].record.forfeit is not None and played[0].record.forfeit.fault is Fault.TIMEOUT
    if mute is None and not timed_out:
        played += [play(subject, seat) for seat in range(1, game.seats)]
    faults: dict[str, Step] = {}
    for match in played:
        if (found := failed_step(subject, match, opening)) is not None:
            faults.setdefault(found.name, found)
    yield from _steps_after_start(subject, played, faults, mute)


def _steps_after_start(
    subject: Subject, played: Sequence[BotMatch], faults: dict[str, Step], mute: Step | None
) -> Iterator[Step]:
    """Yield the other steps, with further processes; `mute` is the fault that prevented the first reply."""
    dialogue = Dialogue(subject)
    unknown = f"the first command had no good reply (see {mute.name})" if mute is not None else ""
    for name in WIRE:
        yield faults.get(name) or (left_out(name, unknown) if unknown else passed(name))
    opening = faults.get("opening") or (left_out("opening", unknown) if unknown else dialogue.opening())
    # A cause is reported once; its consequences refer to it.
    cause = ""
    if dialogue.refuses_all:
        cause = "it refuses every command (see opening)"
        faults = {name: left_out(name, cause) for name in faults}
    elif not unknown and keeps_line_ends(subject, played[0]):
        cause = f"it reads the line end as part of the last word (see {', '.join(faults)})"
        faults = {name: blame_line_end(fault) for name, fault in faults.items()}
        opening = faults.get("opening") or (opening if opening.ok else left_out("opening", cause))
    elif opening.ok is False and "opening" not in faults:
        same = opening.sent.split(" ")[0]
        affected = [name for name, fault in faults.items() if fault.sent.split(" ")[0] == same]
        if "memory" in affected:
            opening = left_out("opening", "see memory")
        else:
            faults |= {name: left_out(name, "see opening") for name in affected}
    yield opening
    yield left_out("unknown-command", unknown) if unknown else _odd_step("unknown-command", subject, dialogue)
    silent = unknown or ("" if opening.ok else "the opening is not answered (see opening)")
    if not silent and not dialogue.answers_well:
        # Odd lines prove nothing if plain ones are answered no better.
        see = f"see {', '.join(faults)}" if faults else "though it had one in a match"
        silent = f"the first request has no good answer without odd lines either ({see})"
    for name in ("blank-lines", "line-ends"):
        yield left_out(name, silent) if silent else _odd_step(name, subject, dialogue)
    see = "opening" if dialogue.refuses_all else ", ".join(faults)
    ended = f"a match ended before its end (see {see})" if faults else ""
    if not unknown:
        faults.setdefault("memory", _check_memory(subject, played))
    decisions = sum(len(match.own_moves) for match in played)
    summaries = {
        "rules": f"{decisions} decisions" if decisions else "",
        "matches": "" if ended else f"in each of the {subject.game.seats} seats",
        "time": _times_text(subject, played) if decisions else "",
        "memory": "",
    }
    for name, summary in summaries.items():
        yield faults.get(name) or (passed(name, summary) if summary else left_out(name, unknown or ended))
    if ended:
        yield from (left_out(name, unknown or ended) for name in ("same-seed", "batched"))
    else:
        again = play(subject, 0)
        alike = check_same_seed(subject, played[0], again)
        in_batches, match = check_batched(subject, played[0], bool(alike.ok))
        if alike.ok and in_batches.ok:
            alike = check_same_seed(subject, played[0], match)
        yield alike
        yield in_batches
    for name, ending in zip(STEPS[-3:], (end_by_quit, end_by_eof, end_by_kill), strict=True):
        left = mute is not None and mute.name == "starts"
        ended_so = left_out(name, unknown) if left else dialogue.ends(ending, mute is None)
        why = cause or unknown
        yield left_out(name, why) if why and name == "quit" and ended_so.ok is False else ended_so


def _odd_step(name: str, subject: Subject, dialogue: Dialogue) -> Step:
    """Hold a dialogue with odd lines; return its step, left out if the bot can also fail without them."""
    talk, plain = ODD[name]
    step, again = talk(dialogue), Dialogue(subject, AGAIN_NS)
    if step.ok is False and not is_cause(lambda: plain(again), lambda: talk(again).ok is False):
        return left_out(name, f"it also fails without odd lines, or not every time: {step.detail}")
    return step


def _start_step(subject: Subject, match: BotMatch) -> Step:
    """Return the step of a successful start, or of a start whose fault counts for another step."""
    limit = subject.limits.start_ns
    detail = f"first reply after {match.first_ns / 1e6:.0f} ms" if match.first_ns else ""
    if detail and limit is not None:
        detail += f" (limit {limit / SECOND:g} s), under {subject.limits.isolation}"
    if family := match.family:
        started = Counter(one.name for one in family)
        names = ", ".join(f"{number} x {name}" if number > 1 else name for name, number in started.items())
        detail += (
            f"; it also runs {names}, whose time and memory count; a script that starts a bot ends better "
        )
        detail += "with exec, as in exec python3 bot.py"
    return passed("starts", detail)


def _times_text(subject: Subject, played: Sequence[BotMatch]) -> str:
    most = max(match.record.bots[match.seat].charged_ns for match in played)
    slowest = max(
        (move.wall_ns for match in played for move in match.record.moves if move.seat == match.seat),
        default=0,
    )
    match_ns = subject.limits.time.match_ns
    limit = "" if match_ns is None else f" (limit {match_ns / SECOND:g} s)"
    return f"at most {most / SECOND:.3f} s a match{limit}, {slowest / 1e6:.1f} ms a decision"


def _check_memory(subject: Subject, played: Sequence[BotMatch]) -> Step:
    """Return the step of matches without a fault of memory: a peak between two checks is seen only here."""

    def total(match: BotMatch) -> int:
        return match.process.end.peak_memory_bytes + sum(one.peak_memory_bytes for one in match.family)

    most = max(played, key=total)
    beyond = total(most) - subject.limits.memory_bytes
    detail = f"at most {total(most) / 1e6:.0f} MB (limit {subject.limits.memory_bytes / 1e6:.0f} MB)"
    if most.family:
        # Memory that they share counts for each.
        return passed("memory", f"{detail}, its {len(most.family) + 1} processes together")
    if beyond > SLACK_BYTES:
        fix = (FIXES_OF_SENT if subject.sent else FIXES)["memory"]
        return Step("memory", False, fix=fix, detail=f"{detail}, for a moment between two checks")
    return passed("memory", detail + f"; {SLACK_BYTES >> 20} MB more are allowed" * (beyond > 0))
