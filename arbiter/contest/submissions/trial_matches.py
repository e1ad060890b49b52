"""Tries a program under its season's terms: check-bot, a match against itself, one against others."""

from __future__ import annotations

import os
import threading
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from arbiter.contest.submissions.inspection_steps import Refused, longest_trial
from arbiter.errors import VoidMatch
from arbiter.match.record import Fault
from arbiter.match.spec import COPY_MARK, MatchSpec
from arbiter.sandbox.awake_time import Awake
from arbiter.sandbox.launcher import Launcher
from arbiter.season.round_plan import draw_seed
from arbiter.season.schedule import agreed_limits
from arbiter.table import Conductor
from arbiter.trials.botcheck import Subject, check_bot
from arbiter.trials.botcheck.cures import fix_of_record
from arbiter.trials.botcheck.verdicts import failed_step
from arbiter.trials.botcheck.whole_match import play

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeVar

    from arbiter.games.game import AnyGame
    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import Limits, Player
    from arbiter.trials.botcheck import Step

    Result = TypeVar("Result")

LOOK_SECONDS = 0.2
ENDS = ("starts", "opening", "matches")
"""The steps that fail if the program exits."""
ADVICE = "advice {}:"
"""Marks a failed step that cannot occur in a match of the season; it is no reason to refuse."""
TRIES = 2
"""Attempts, if the machine fails."""


class TriedProgram(NamedTuple):
    """A program on trial, and the time it has taken."""

    game: AnyGame
    player: Player
    limits: Limits
    awake: Awake
    seed: str

    @classmethod
    def of(cls, game: AnyGame, player: Player, limits: Limits) -> TriedProgram:
        """Begin a trial: start its clock and draw a random seed."""
        return cls(game, player, limits, Awake(), draw_seed("auto"))

    def as_subject(self, launcher: Launcher) -> Subject:
        return Subject(self.game, self.player, self.limits, launcher, sent=True, seed=self.seed)


def check(trial: TriedProgram) -> str:
    """Run check-bot and return a line for each step; Refused for a fault, VoidMatch if the machine failed."""

    def run_check_bot(launcher: Launcher) -> str:
        steps = list(check_bot(trial.as_subject(launcher)))
        output = "\n".join(step.text(ADVICE) for step in steps)
        for step in steps:
            if step.fails:
                raise _refusal_of_step(step, output)
        return output

    return _run_with_launcher(trial, run_check_bot)


def play_matches(trial: TriedProgram, house: Sequence[Player]) -> str:
    """Play a match against itself, then one against house bots or random players; return the results as text.

    Refused for a fault of the program, VoidMatch if the machine failed. Deals are random each time, so that
    the program cannot distinguish a trial.
    """
    name = trial.player.name
    copies = [trial.player] + [
        replace(trial.player, name=f"{name}{COPY_MARK}{number}") for number in range(2, trial.game.seats + 1)
    ]
    itself = _run_with_launcher(
        trial, lambda launcher: _result_text(trial, _play_match(trial, copies, launcher), copies)
    )
    if not house:
        met = _run_with_launcher(trial, lambda launcher: _play_random(trial, launcher))
        return f"against itself: {itself}\nagainst random players: {met}"
    others = [
        one if number < len(house) else replace(one, name=f"{one.name}{COPY_MARK}{number // len(house) + 1}")
        for number, one in enumerate(house[seat % len(house)] for seat in range(trial.game.seats - 1))
    ]
    seated = [trial.player, *others]
    met = _run_with_launcher(
        trial, lambda launcher: _result_text(trial, _play_match(trial, seated, launcher), [trial.player])
    )
    return f"against itself: {itself}\nagainst {', '.join(one.name for one in others)}: {met}"


def _play_match(trial: TriedProgram, players: Sequence[Player], launcher: Launcher) -> MatchRecord:
    """Play a match of these players in processes of the launcher, on a random seed."""
    spec = MatchSpec(
        id="trial",
        season="",
        round=None,
        table=None,
        rotation=0,
        game=trial.game.name,
        options=trial.game.options,
        seed=draw_seed("auto"),
        players=tuple(players),
        limits=agreed_limits(trial.limits, players),
    )
    return Conductor(launcher).play(spec)


def _result_text(trial: TriedProgram, record: MatchRecord, own: Sequence[Player]) -> str:
    """Return the result of a match as text; Refused for a fault of one of `own`."""
    forfeit = record.forfeit
    if forfeit is None:
        return f"complete, {' : '.join(map(str, record.points or ()))}"
    if forfeit.player not in [player.name for player in own]:
        return f"ended by a fault of {forfeit.player}, which does not count here"
    said = f"{forfeit.fault}: {forfeit.detail} (sent '{forfeit.command}')"
    fix = fix_of_record(record, trial.game, trial.player.folder, trial.limits.isolation)
    stderr = record.bots[forfeit.seat].stderr
    raise Refused(said, fix, stderr, ending=stderr if forfeit.fault is Fault.CRASH else "")


def _refusal_of_step(step: Step, output: str) -> Refused:
    ending = "\n".join(step.stderr) if step.name in ENDS else ""
    return Refused(f"{step.name}: {step.detail}", step.fix, output, ending=ending)


def _play_random(trial: TriedProgram, launcher: Launcher) -> str:
    """Play a match against random players and return the result as text; Refused for a fault."""
    subject = trial.as_subject(launcher)
    played = play(subject, 0, seed=draw_seed("auto"))
    step = failed_step(subject, played, ())
    if step is not None:
        raise _refusal_of_step(step, step.text())
    return f"complete, {' : '.join(map(str, played.record.points or ()))}"


def _run_with_launcher(trial: TriedProgram, do: Callable[[Launcher], Result]) -> Result:
    """Call `do` with a new launcher; Refused if the trial takes too long. Retry if the machine fails."""
    for tries_left in reversed(range(TRIES)):
        with _on_one_core(), closing(Launcher()) as launcher, _end_when_overdue(trial, launcher):
            try:
                return do(launcher)
            except VoidMatch:
                if launcher.abandoned:
                    seconds = longest_trial(trial.limits)
                    took = f"check and matches took longer than {seconds:.0f} s in all"
                    raise Refused(took, "answer sooner") from None
                if not tries_left:
                    raise
    raise AssertionError("the last try returns or raises")


@contextmanager
def _on_one_core() -> Iterator[None]:
    """Bind this thread and its children to one core in the block: bots see no difference from a match."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


@contextmanager
def _end_when_overdue(trial: TriedProgram, launcher: Launcher) -> Iterator[None]:
    """Kill the bots of a launcher if the trial takes too long."""
    over, most = threading.Event(), longest_trial(trial.limits)

    def abandon_when_overdue() -> None:
        while trial.awake.seconds < most:
            if over.wait(LOOK_SECONDS):
                return
        launcher.abandon()

    watching = threading.Thread(target=abandon_when_overdue, daemon=True)
    watching.start()
    try:
        yield
    finally:
        over.set()
        watching.join()
