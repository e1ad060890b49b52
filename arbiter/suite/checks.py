"""The checks of a suite, one after the other: each passes or fails, and says why in a line."""

from __future__ import annotations

import math
import tempfile
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from arbiter.botcheck import check_in_worker
from arbiter.match import original
from arbiter.regress.experiment import Experiment, block_size
from arbiter.regress.identity import BASE, CANDIDATE
from arbiter.regress.run import play_on, resume
from arbiter.regress.trial import worst
from arbiter.store import Store
from arbiter.store.address import address_of
from arbiter.suite.evidence import Shown, names_of, shown, told
from arbiter.suite.recorded import difference
from rating.sequential.gsprt import Gsprt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.executors import Slots
    from arbiter.regress.trial import Trial
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
    with _play(suite, check, executor) as (trial, season):
        if faults := trial.faults_of(BASE):
            text = f"nothing can be said: the opponent {names[BASE]} made {sum(faults.values())} faults"
            theirs = [fault.match for fault in trial.faults if fault.version == BASE]
            return Made(False, text, tuple(shown(trial, season, names, theirs)))
        run = trial.run
        score = run.total / run.blocks
        text = f"{100 * score:.1f} %{_margin(trial)} of {run.blocks} blocks"
        text += f"; {100 * check.at_least:g} % is enough"
        if lost := sum(trial.faults_of(CANDIDATE).values()):
            text += f"; {lost} matches lost by faults, first {told(trial.faults[0], names)}"
        if score >= check.at_least:
            return Made(True, text)
        return Made(False, text, tuple(shown(trial, season, names, [bad.match for bad in worst(trial)])))


def _margin(trial: Trial) -> str:
    """Half the width of the 95 % interval, in percent."""
    from scipy.special import stdtrit

    run = trial.run
    if run.blocks < 2:
        return ""
    mean = run.total / run.blocks
    variance = max(run.squares / run.blocks - mean**2, 0.0) * run.blocks / (run.blocks - 1)
    half = float(stdtrit(run.blocks - 1, 0.5 + LEVEL / 2.0)) * math.sqrt(variance / run.blocks)
    return f" ± {100 * half:.1f}"


def _no_faults(suite: Suite, check: Check, executor: Slots) -> Made:
    """No fault of the bot's own, against itself or an opponent."""
    with _play(suite, check, executor) as (trial, season):
        own = (CANDIDATE, BASE) if check.opponent is None else (CANDIDATE,)
        faults = [fault for fault in trial.faults if fault.version in own]
        matches = len(season.summaries())
        if faults:
            names = names_of(suite.bot, check.opponent)
            text = f"{len(faults)} of {matches} matches end by its fault, first {told(faults[0], names)}"
            return Made(False, text, tuple(shown(trial, season, names, [fault.match for fault in faults])))
        most = max(
            bot.charged_ns
            for record in season.records()
            for bot in record.bots
            if original(bot.player) in own
        )
        text = f"none in {matches} matches; at most {most / 1e6:.0f} ms charged in one"
        others = len(trial.faults)
        return Made(True, text + (f"; {others} ended by the opponent's" if others else ""))


def _replays(suite: Suite, check: Check, executor: Slots) -> Made:
    """The bot makes every move of a recorded match again."""
    record = check.record
    assert record is not None
    found = executor.submit(difference, record, check.seat, suite.bot, check.limits).result()
    moves = sum(move.seat == check.seat for move in record.moves)
    return Made(not found, found or f"{moves} moves of seat {check.seat}")


_KINDS = {"check-bot": _check_bot, "beats": _beats, "no-faults": _no_faults, "replays": _replays}


@contextmanager
def _play(suite: Suite, check: Check, executor: Slots) -> Iterator[tuple[Trial, SeasonStore]]:
    """A fixed number of blocks, played into a store that is gone afterwards."""
    experiment = _experiment(suite, check)
    with (
        tempfile.TemporaryDirectory(prefix="arbiter-suite-") as folder,
        closing(Store(address_of(Path(folder) / "suite.sqlite"))) as store,
    ):
        season = store.make_season(experiment.name, experiment.game.name, experiment.seed)
        trial = resume(experiment, season)
        for _ in play_on(trial, season, executor, executor.size + 1):
            pass
        yield trial, season


def _experiment(suite: Suite, check: Check) -> Experiment:
    """A comparison of a fixed number of blocks, without a stop rule."""
    blocks = check.blocks
    test = Gsprt(matches=block_size(suite.game, False), first_look=max(blocks, 1) + 1, most_blocks=blocks)
    return Experiment(
        name="suite",
        game=suite.game,
        base=check.opponent or replace(suite.bot, name=BASE),
        candidate=suite.bot,
        field=(),
        limits=check.limits,
        test=test,
        non_regression=False,
        fail_at_once=False,
        seed=suite.seed,
        store="",
        workers=suite.workers,
        settings={},
    )
