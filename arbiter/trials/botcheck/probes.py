"""Causes that are found by playing with and without them.

A bot may fail by lot, so one play with a cause and one without prove nothing. A cause is blamed only where
the fault comes with it each time, and without it never, in `PAIRS` further plays of each.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from arbiter.match.clock import SECOND
from arbiter.match.record import Fault
from arbiter.trials.botcheck.cures import BATCHES, LINE_END, SEED, UNBATCHED
from arbiter.trials.botcheck.verdicts import Step, passed, verdict
from arbiter.trials.botcheck.whole_match import ANSWERS, play

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.trials.botcheck.whole_match import BotMatch, Subject

PAIRS = 6
"""A bot that fails in every other play, whatever is done, is blamed in one check of 4,096 at most."""
MOST_BLANKED = 6
"""Commands whose line ends are tried."""
PATIENCE_NS = 1 * SECOND
"""The least time of a match that is played again to see a bot fail to answer once more."""


def is_cause(passes: Callable[[], bool], fails: Callable[[], bool]) -> bool:
    """True if a bot passes without the suspected cause and fails with it, each time."""
    return all(passes() and fails() for _ in range(PAIRS))


def keeps_line_ends(subject: Subject, plain: BotMatch) -> bool:
    """True if a bot that fails plays on where a blank stands before the end of some commands' lines.

    So does one that splits lines at blanks and leaves the line end on the last word. The blanks come before
    the lines that it fails at, one after the other: before others they would be words too many.
    """
    forfeit = plain.record.forfeit
    if forfeit is None or not (plain.waited or forfeit.fault in ANSWERS or forfeit.fault is Fault.CRASH):
        return False
    decided = len(plain.own_moves)

    def plays_on(match: BotMatch) -> bool:
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
    hasty = _hasty(subject, plain)
    return is_cause(lambda: plays_on(play(subject, 0, blanked=blanked)), lambda: not plays_on(play(hasty, 0)))


def with_line_end(fault: Step) -> Step:
    """The fault of a bot that keeps line ends."""
    cause = (
        "with a blank before its line end it goes on, so it takes the line end for a part of the last word"
    )
    return replace(fault, detail=f"{fault.detail}; {cause}", fix=LINE_END)


def same_seed(subject: Subject, first: BotMatch, again: BotMatch) -> Step:
    """Whether the same match was played alike twice; advice, since no match is."""
    if (found := verdict(subject, again, ())) is not None:
        return replace(found, name="same-seed", detail=f"when the same match is played again, {found.detail}")
    if (difference := _first_difference(first, again)) is None:
        return passed("same-seed", "the same match twice, card for card")
    number, request, before, after = difference
    detail = f"the same match was played otherwise: decision {number} was {before}, then {after}"
    return Step("same-seed", False, request, f"= {after}", SEED, detail)


def batched(subject: Subject, strict: BotMatch, same: bool) -> tuple[Step, BotMatch]:
    """A whole match in batched delivery, and its step, compared with the strict one if that was played the
    `same` twice.
    """
    match = play(subject, 0, "batched")
    fix, then = (
        (BATCHES, "") if subject.sent else (f"{BATCHES}; until then {UNBATCHED}", "; set batched: true")
    )
    if (found := verdict(subject, match, ())) is not None:
        hasty = _hasty(subject, match, strict.record.bots[strict.seat].charged_ns)
        if is_cause(
            lambda: play(subject, 0).record.forfeit is None,
            lambda: play(hasty, 0, "batched").record.forfeit is not None,
        ):
            return replace(found, name="batched", fix=fix), match
        return replace(
            found, name="batched", detail=f"not each time, and not for the delivery: {found.detail}"
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


def _hasty(subject: Subject, like: BotMatch, needs_ns: int = 0) -> Subject:
    """The subject with less time, but three times what it `needs_ns`, where a match like this timed out."""
    forfeit, limits = like.record.forfeit, subject.limits
    if forfeit is None or forfeit.fault is not Fault.TIMEOUT:
        return subject
    budget_ns = min(limits.time.budget_ns, max(PATIENCE_NS, 3 * needs_ns))
    return subject._replace(limits=replace(limits, time=replace(limits.time, budget_ns=budget_ns)))


def _first_difference(one: BotMatch, other: BotMatch) -> tuple[int, str, str, str] | None:
    """Return where two courses of a match part: the decision's number, its request, and both answers."""
    decisions = enumerate(zip(one.own_moves, other.own_moves, strict=False), 1)
    return next(((n, a[1], a[2], b[2]) for n, (a, b) in decisions if a != b), None)
