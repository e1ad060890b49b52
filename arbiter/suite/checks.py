"""The checks of a suite, one after the other: each passes or fails, and says why in a line."""

from __future__ import annotations

import math
import tempfile
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, NamedTuple

from arbiter.botcheck import check_in_worker
from arbiter.match import original
from arbiter.regress.blocks import Meeting, block_score, block_specs, match_score
from arbiter.regress.identity import BASE, CANDIDATE
from arbiter.regress.run import play_blocks
from arbiter.regress.trial import ScoredMatch, faults_in, worst_of
from arbiter.store import Store
from arbiter.store.address import address_of
from arbiter.suite.evidence import Shown, names_of, shown, told
from arbiter.suite.recorded import difference

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arbiter.executors import Slots
    from arbiter.match import MatchSummary
    from arbiter.store import SeasonStore
    from arbiter.suite.suite_file import Check, Suite

LEVEL = 0.95
"""Confidence of the interval that is shown."""


class Made(NamedTuple):
    """What came of a check: a line about it and, where it failed, its worst matches; the last lines of the
    bot's standard error where there is no match.
    """

    ok: bool
    detail: str
    shown: tuple[Shown, ...] = ()
    stderr: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a check."""

    name: str
    made: Made
    seconds: float

    @property
    def ok(self) -> bool:
        return self.made.ok


def run_checks(suite: Suite, executor: Slots) -> Iterator[CheckResult]:
    """Each check as soon as it has been made; VoidMatch where our machine fails."""
    for check in suite.checks:
        begun = time.monotonic()
        made = _KINDS[check.kind](suite, check, executor)
        yield CheckResult(check.name, made, time.monotonic() - begun)


def _check_bot(suite: Suite, check: Check, executor: Slots) -> Made:
    """All required steps of `arbiter check-bot`."""
    game = suite.game
    steps = executor.submit(check_in_worker, game.name, game.options, suite.bot, check.limits).result()
    failed = [step for step in steps if step.fails]
    if failed:
        names = ", ".join(step.name for step in failed)
        return Made(
            False, f"fails {names}: {failed[0].detail}; fix: {failed[0].fix}", stderr=failed[0].stderr
        )
    return Made(True, f"{sum(step.ok is True for step in steps)} steps")


def _beats(suite: Suite, check: Check, executor: Slots) -> Made:
    """The mean result over some blocks is high enough; the interval is from the blocks' means."""
    names = names_of(suite.bot, check.opponent)
    with _play(suite, check, executor) as (meeting, season, played):
        faults = faults_in(played)
        if theirs := [fault.match for fault in faults if fault.version == BASE]:
            text = f"nothing can be said: the opponent {names[BASE]} made {len(theirs)} faults"
            return Made(False, text, tuple(shown(meeting, season, names, theirs)))
        by_block = groupby(played, key=attrgetter("round"))
        scores = [block_score(False, matches).score or 0.0 for _, matches in by_block]
        score = fmean(scores)
        text = f"{100 * score:.1f} %{_margin(scores)} of {len(scores)} blocks"
        text += f"; {100 * check.at_least:g} % is enough"
        if faults:
            text += f"; {len(faults)} matches lost by faults, first {told(faults[0], names)}"
        if score >= check.at_least:
            return Made(True, text)
        scored = [ScoredMatch(match, match_score(match)) for match in played]
        bad = worst_of(faults, scored)
        return Made(False, text, tuple(shown(meeting, season, names, [each.match for each in bad])))


def _margin(scores: Sequence[float]) -> str:
    """Half the width of the 95 % interval, in percent."""
    from scipy.special import stdtrit

    if len(scores) < 2:
        return ""
    half = float(stdtrit(len(scores) - 1, 0.5 + LEVEL / 2.0)) * stdev(scores) / math.sqrt(len(scores))
    return f" ± {100 * half:.1f}"


def _no_faults(suite: Suite, check: Check, executor: Slots) -> Made:
    """No fault of the bot's own, against itself or an opponent."""
    with _play(suite, check, executor) as (meeting, season, played):
        own = (CANDIDATE, BASE) if check.opponent is None else (CANDIDATE,)
        every = faults_in(played)
        faults = [fault for fault in every if fault.version in own]
        if faults:
            names = names_of(suite.bot, check.opponent)
            text = f"{len(faults)} of {len(played)} matches end by its fault, first {told(faults[0], names)}"
            return Made(False, text, tuple(shown(meeting, season, names, [bad.match for bad in faults])))
        most = max(
            bot.charged_ns
            for record in season.records()
            for bot in record.bots
            if original(bot.player) in own
        )
        text = f"none in {len(played)} matches; at most {most / 1e6:.0f} ms charged in one"
        return Made(True, text + (f"; {len(every)} ended by the opponent's" if every else ""))


def _replays(suite: Suite, check: Check, executor: Slots) -> Made:
    """The bot makes every move of a recorded match again."""
    record = check.record
    assert record is not None
    found = executor.submit(difference, record, check.seat, suite.bot, check.limits).result()
    moves = sum(move.seat == check.seat for move in record.moves)
    return Made(not found, found or f"{moves} moves of seat {check.seat}")


_KINDS = {"check-bot": _check_bot, "beats": _beats, "no-faults": _no_faults, "replays": _replays}


@contextmanager
def _play(
    suite: Suite, check: Check, executor: Slots
) -> Iterator[tuple[Meeting, SeasonStore, list[MatchSummary]]]:
    """The check's blocks, played into a store that is gone afterwards, and all their matches in order."""
    opponent = check.opponent or replace(suite.bot, name=BASE)
    meeting = Meeting("suite", suite.game, opponent, suite.bot, (), check.limits)
    with (
        tempfile.TemporaryDirectory(prefix="arbiter-suite-") as folder,
        closing(Store(address_of(Path(folder) / "suite.sqlite"))) as store,
    ):
        season = store.make_season(meeting.name, suite.game.name, suite.seed)
        specs, blocks = partial(block_specs, meeting), range(1, check.blocks + 1)
        for _ in play_blocks(season, specs, blocks, executor, executor.size + 1):
            pass
        yield meeting, season, season.summaries()
