"""Find causes by playing with and without them.

A bot may fail at random, so one match with a cause and one without prove nothing. A cause is reported only
if the fault occurs every time with it and never without it, in `PAIRS` further matches of each.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from arbiter.match.clock import SECOND
from arbiter.match.record import Fault
from arbiter.trials.botcheck.cures import BATCHES, LINE_END, SEED, UNBATCHED
from arbiter.trials.botcheck.verdicts import Step, failed_step, passed
from arbiter.trials.botcheck.whole_match import ANSWERS, play

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.trials.botcheck.whole_match import BotMatch, Subject

PAIRS = 6
"""A bot that fails in half of all matches, without this cause, is misjudged in at most one check of 4,096."""
MOST_BLANKED = 6
"""Maximum number of commands tried with a blank before the line end."""
PATIENCE_NS = 1 * SECOND
"""The minimum time budget when a match with a timeout is repeated."""


def is_cause(passes: Callable[[], bool], fails: Callable[[], bool]) -> bool:
    """Call both, `PAIRS` times: True if a bot always passes without the suspected cause and fails with it."""
    return all(passes() and fails() for _ in range(PAIRS))


def keeps_line_ends(subject: Subject, plain: BotMatch) -> bool:
    """Play again, with a blank before some line ends: True if a failing bot then continues.

    A bot does so that splits lines at blanks and leaves the line end on the last word. Only the lines at
    which it fails get a blank, one after the other: in others the blank would add a word.
    """
    forfeit = plain.record.forfeit
    if forfeit is None or not (plain.waited or forfeit.fault in ANSWERS or forfeit.fault is Fault.CRASH):
        return False
    decided = len(plain.own_moves)

    def plays_on(match: BotMatch) -> bool:
        """True if the bot forfeits nothing, or decides where it first did not."""
        return match.record.forfeit is None or len(match.own_moves) > decided == 0

    blanked: list[str] = []
    match = plain
    while match.record.forfeit is not None and not plays_on(match):
        command = match.refused[0] if match.refused else match.record.forfeit.command
        name = command.split(" ")[0]
        if name in blanked or len(blanked) == MOST_BLANKED:
            return False
        blanked.append(name)
        match = play(subject, 0, blanked=blanked)
    hasty = _with_less_time(subject, plain)
    return is_cause(lambda: plays_on(play(subject, 0, blanked=blanked)), lambda: not plays_on(play(hasty, 0)))


def blame_line_end(fault: Step) -> Step:
    """Return the failed step with a line end on the last word as its cause, and the fix."""
    cause = "with a blank before its line end it continues, so it reads the line end as part of the last word"
    return replace(fault, detail=f"{fault.detail}; {cause}", fix=LINE_END)


def check_same_seed(subject: Subject, first: BotMatch, again: BotMatch) -> Step:
    """Compare two plays of the same match; only advice, since no match is played twice."""
    if (found := failed_step(subject, again, ())) is not None:
        return replace(found, name="same-seed", detail=f"when the same match is played again, {found.detail}")
    if (difference := _first_difference(first, again)) is None:
        return passed("same-seed", "the same match twice, card for card")
    number, request, before, after = difference
    detail = f"the same match was played differently: decision {number} was {before}, then {after}"
    return Step("same-seed", False, request, f"= {after}", SEED, detail)


def check_batched(subject: Subject, strict: BotMatch, same: bool) -> tuple[Step, BotMatch]:
    """Play a match in batched delivery; return its step and the match.

    It is compared with the strict match if that was played the `same` way twice.
    """
    match = play(subject, 0, "batched")
    fix, then = (
        (BATCHES, "") if subject.sent else (f"{BATCHES}; until then {UNBATCHED}", "; set batched: true")
    )
    if (found := failed_step(subject, match, ())) is not None:
        hasty = _with_less_time(subject, match, strict.record.bots[strict.seat].charged_ns)
        if is_cause(
            lambda: play(subject, 0).record.forfeit is None,
            lambda: play(hasty, 0, "batched").record.forfeit is not None,
        ):
            return replace(found, name="batched", fix=fix), match
        return replace(
            found, name="batched", detail=f"not every time, and not because of the delivery: {found.detail}"
        ), match
    if not same:
        return passed("batched", f"played to its end{then}"), match
    if (difference := _first_difference(strict, match)) is None:
        return passed("batched", f"the same match as in strict delivery{then}"), match
    if not is_cause(
        lambda: play(subject, 0).own_moves == strict.own_moves,
        lambda: play(subject, 0, "batched").own_moves != strict.own_moves,
    ):
        return passed("batched", f"played to its end{then}"), match
    number, request, before, after = difference
    detail = f"decision {number} was {before} in strict delivery and {after} in batched"
    return Step("batched", False, request, f"= {after}", fix, detail), match


def _with_less_time(subject: Subject, like: BotMatch, needs_ns: int = 0) -> Subject:
    """Return the subject, with less time if `like` timed out: at least three times `needs_ns`."""
    forfeit, limits = like.record.forfeit, subject.limits
    if forfeit is None or forfeit.fault is not Fault.TIMEOUT:
        return subject
    budget_ns = min(limits.time.budget_ns, max(PATIENCE_NS, 3 * needs_ns))
    return subject._replace(limits=replace(limits, time=replace(limits.time, budget_ns=budget_ns)))


def _first_difference(one: BotMatch, other: BotMatch) -> tuple[int, str, str, str] | None:
    """Return the first differing decision of two matches: its number, its request, and both answers."""
    decisions = enumerate(zip(one.own_moves, other.own_moves, strict=False), 1)
    return next(((n, a[1], a[2], b[2]) for n, (a, b) in decisions if a != b), None)
