"""A check of an author's bot in named steps.

    for step in check_bot(Subject(game, player, limits, launcher)):
        print(step.text())

Theory of operation. The bot plays whole matches, one in each seat, conducted by the referee with
random players in memory, so that nothing passes which a tournament would refuse. A fault of a
match belongs to the step that names its cause (`verdicts`): a missing empty line is not also a
timeout. Short dialogues (`dialogue`) add what no match has: unknown commands, odd line ends, the
ways to end. A step that makes no sense after a fault is left out, with the reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.botcheck.dialogue import Dialogue
from arbiter.botcheck.matches import BotMatch, Subject, play
from arbiter.botcheck.report import Step, left_out, passed
from arbiter.botcheck.verdicts import verdict
from arbiter.clock import SECOND
from arbiter.match import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["STEPS", "Step", "Subject", "check_bot"]

STEPS = (
    "starts", "empty-line", "flushes", "only-replies", "opening", "unknown-command", "blank-lines",
    "line-ends", "rules", "matches", "time", "memory", "same-seed", "batched", "quit", "end-of-input",
    "kill",
)  # fmt: skip
"""All steps in order."""
WIRE = STEPS[1:4]


def check_bot(subject: Subject) -> Iterator[Step]:
    """Every step in order, each as soon as it is known; VoidMatch if our machine failed."""
    game = subject.game
    opening = [wording[0].split(" ")[0] for wording in game.greeting()]
    played = [play(subject, 0)]
    fault = verdict(subject, played[0], opening)
    # Without a first reply there is nothing to talk about.
    mute = fault if not played[0].first_ns else None
    if fault is not None and fault.name == "starts":
        yield fault
    else:
        yield _started(subject, played[0])
    timed_out = played[0].record.forfeit is not None and played[0].record.forfeit.fault is Fault.TIMEOUT
    if mute is None and not timed_out:
        played += [play(subject, seat) for seat in range(1, game.seats)]
    faults: dict[str, Step] = {}
    for match in played:
        if (found := verdict(subject, match, opening)) is not None:
            faults.setdefault(found.name, found)
    yield from _after_start(subject, played, faults, mute)


def _after_start(
    subject: Subject, played: Sequence[BotMatch], faults: dict[str, Step], mute: Step | None
) -> Iterator[Step]:
    """The other steps; `mute` is the fault by which the first reply failed to come."""
    dialogue = Dialogue(subject)
    unknown = f"the first command had no good reply (see {mute.name})" if mute is not None else ""
    for name in WIRE:
        yield faults.get(name) or (left_out(name, unknown) if unknown else passed(name))
    step = faults.get("opening") or (left_out("opening", unknown) if unknown else dialogue.opening())
    yield step
    yield left_out("unknown-command", unknown) if unknown else dialogue.unknown_command()
    silent = unknown or ("" if step.ok else "the opening is not answered (see opening)")
    if not silent and not dialogue.answers_well:
        # Nothing is learnt from odd lines where plain ones are answered no better.
        see = f"see {', '.join(faults)}" if faults else "though it had one in a match"
        silent = f"the first request has no good answer without odd lines either ({see})"
    for name, talk in (("blank-lines", dialogue.blank_lines), ("line-ends", dialogue.line_ends)):
        yield left_out(name, silent) if silent else talk()
    ended = f"a match ended before its end (see {', '.join(faults)})" if faults else ""
    decisions = sum(len(match.own_moves) for match in played)
    summaries = {
        "rules": f"{decisions} decisions" if decisions else "",
        "matches": "" if ended else f"in each of the {subject.game.seats} seats",
        "time": _times(subject, played) if decisions else "",
        "memory": _memory(subject, played) if not unknown else "",
    }
    for name, summary in summaries.items():
        yield faults.get(name) or (passed(name, summary) if summary else left_out(name, unknown or ended))
    if ended:
        yield from (left_out(name, unknown or ended) for name in ("same-seed", "batched"))
    else:
        again = play(subject, 0)
        same = again.own_moves == played[0].own_moves
        said = "" if same else "the same match was played otherwise, so it cannot be played again"
        yield passed("same-seed", said or "the same match twice, card for card")
        yield _batched(subject, played[0], same)
    endings = (dialogue.quit, dialogue.end_of_input, dialogue.kill)
    for name, ending in zip(STEPS[-3:], endings, strict=True):
        yield left_out(name, unknown) if mute and mute.name == "starts" else ending(mute is None)


def _started(subject: Subject, match: BotMatch) -> Step:
    """The step of a start that went well, or where another step is at fault."""
    limit = subject.limits.start_ns
    detail = f"first reply after {match.first_ns / 1e6:.0f} ms" if match.first_ns else ""
    if detail and limit is not None:
        detail += f" of {limit / SECOND:g} s, under {subject.limits.isolation}"
    if match.children:
        detail += (
            "; a script started it as another process: end the script with exec, other tiers forbid fork"
        )
    return passed("starts", detail)


def _times(subject: Subject, played: Sequence[BotMatch]) -> str:
    most = max(match.record.bots[match.seat].charged_ns for match in played)
    slowest = max(
        (move.wall_ns for match in played for move in match.record.moves if move.seat == match.seat),
        default=0,
    )
    control = subject.limits.time
    of = f" of {control.budget_ns / SECOND:g} s" if not control.per_request else ""
    return f"at most {most / SECOND:.3f} s{of} a match, {slowest / 1e6:.1f} ms a decision"


def _memory(subject: Subject, played: Sequence[BotMatch]) -> str:
    peak = max(match.process.end.peak_memory_bytes for match in played)
    return f"at most {peak / 1e6:.0f} MB of {subject.limits.memory_bytes / 1e6:.0f} MB"


def _batched(subject: Subject, strict: BotMatch, deterministic: bool) -> Step:
    """A whole match in batched delivery, compared with the strict one where the bot is `deterministic`."""
    fix = "read line by line and never mix select() with buffered reading; until then leave batched: false"
    match = play(subject, 0, "batched")
    if (found := verdict(subject, match, ())) is not None:
        return Step("batched", False, found.sent, found.got, fix, found.detail, found.stderr)
    if not deterministic:
        return passed("batched", "played to its end; set batched: true")
    for number, (one, other) in enumerate(zip(strict.own_moves, match.own_moves, strict=True)):
        if one != other:
            detail = f"decision {number + 1} was {one[2]} in strict delivery and {other[2]} in batched"
            return Step("batched", False, other[1], f"= {other[2]}", fix, detail)
    return passed("batched", "the same match as in strict delivery; set batched: true")
