"""What a regression test has to say when it ends, for people; its worst matches."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from arbiter.cli.again import play_command
from arbiter.cli.output import counted, faults_text, number, result_text, say
from arbiter.errors import BotCheckFailed
from arbiter.regress import BASE, CANDIDATE
from arbiter.regress.blocks import block_specs, version_at
from arbiter.regress.trial import FIELD, worst
from rating.sequential.runs import FIRST_LOOK

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arbiter.match import MatchRecord
    from arbiter.regress import Trial
    from arbiter.regress.trial import ScoredMatch
    from arbiter.store import SeasonStore

PRINTED = 3
"""Of the worst matches those that are printed, so that the verdict stays on the screen."""


class Ended(NamedTuple):
    """A test that has ended: where it stands, the seed of its deals, how long this run of it took, the
    records of the candidate's worst matches, and of a test put together the blocks that are missing.
    """

    trial: Trial
    seed: str
    seconds: float
    records: Mapping[str, MatchRecord]
    missing: Sequence[int] = ()

    @classmethod
    def of(
        cls,
        trial: Trial,
        seed: str,
        seconds: float,
        seasons: Sequence[SeasonStore],
        missing: Sequence[int] = (),
    ) -> Ended:
        """A test with the records of its worst matches, from the seasons that hold them."""
        records = {}
        for played in worst(trial):
            name = played.match.id
            found = next((record for season in seasons if (record := season.match(name))), None)
            if found is not None:
                records[name] = found
        return cls(trial, seed, seconds, records, missing)


def headline(ended: Ended) -> str:
    """The verdict in one line."""
    trial = ended.trial
    test, report = trial.experiment.test, trial.report
    if trial.verdict == "candidate_faulty":
        return f"candidate faulty: {_fault_line(trial, CANDIDATE)}"
    if trial.verdict == "base_faulty":
        beside = "the base" if trial.faults_of(BASE) else "the field"
        line = _fault_line(trial, BASE if trial.faults_of(BASE) else FIELD)
        return f"base faulty: nothing can be said while {beside} makes faults: {line}"
    if trial.verdict == "identical_play":
        text = f"identical play: all of {counted(report.blocks, 'block')} ended exactly level"
        if trial.experiment.non_regression:
            text += f"; {test.elo0:g} Elo would have shown in {100 * (1 - test.alpha):g} % of such tests"
        return text
    levels = f"{test.elo1:+g} rather than {test.elo0:+g} Elo"
    if trial.experiment.test.scale == "normalized":
        levels = levels.replace("Elo", "normalised Elo")
    if trial.verdict == "better":
        word = "no regression" if trial.experiment.non_regression else "better"
        return f"{word}: the {test.measure} speak for {levels}"
    if trial.verdict == "not_better":
        # Not "a regression": between the bounds a candidate may end on either side.
        word = "not shown to be no worse" if trial.experiment.non_regression else "not better"
        return f"{word}: the {test.measure} speak against {levels}"
    taken = counted(trial.blocks_taken, "block")
    if ended.missing:
        return f"undecided: {taken} are there, and {len(ended.missing)} are missing"
    if test.most_blocks is None or trial.blocks_taken < test.most_blocks:
        return f"undecided: {taken} are there"
    return f"undecided after {taken}: the budget is spent"


def tally(trial: Trial, version: str = CANDIDATE) -> tuple[int, int, int]:
    """How many matches of a version were won, level and lost."""
    of = [played for played in trial.played if version_at(played.match.players) == version]
    scores = [played.score for played in of if played.score is not None]
    return (
        sum(score > 0.5 for score in scores),
        sum(score == 0.5 for score in scores),
        sum(score < 0.5 for score in scores),
    )


def rows(trial: Trial) -> list[tuple[str, str]]:
    """The figures behind the verdict, as labels and texts."""
    test, report = trial.experiment.test, trial.report
    low, high = report.bounds
    won, drawn, lost = tally(trial)
    found = [
        ("Elo", elo_text(trial)),
        ("LLR", f"{report.llr:.2f}; {low:.2f} speaks for {test.elo0:+g}, {high:.2f} for {test.elo1:+g}"),
        ("blocks", f"{report.blocks}, of {trial.experiment.block_size} matches each{_which_blocks(trial)}"),
        ("candidate", f"{won} won, {drawn} level, {lost} lost"),
        ("faults", _faults(trial)),
    ]
    if trial.experiment.field:
        base = tally(trial, BASE)
        found[3] = ("candidate", f"{won} won, {drawn} level, {lost} lost against the field")
        found.insert(4, ("base", "{} won, {} level, {} lost against the field".format(*base)))
    if trial.experiment.attempt > 1:
        found.append(("attempt", f"{trial.experiment.attempt}; each has the risks of one, all together more"))
    if trial.verdict == "identical_play":
        # Without variance neither an interval nor a ratio means anything.
        return found[2:]
    if test.measure == "points" and trial.run.blocks:
        mean, worth = trial.run.margins / trial.run.blocks, test.elo_of_a_point(trial.run)
        found.insert(1, ("points", f"{mean:+.2f} a match; one more is worth {worth:.1f} Elo"))
        found.insert(
            2, ("results", "Elo {elo:+.1f} (95 %: {low:+.1f} to {high:+.1f})".format(**by_results(trial)))
        )
    if test.scale == "normalized":
        found.insert(1, ("nElo", number(report.nelo, 1)))
    return found


def by_results(trial: Trial) -> dict[str, float]:
    """What the results alone tell of the strength, whatever is measured; the stop rule is not allowed for."""
    low, middle, high = trial.experiment.test.elo_of_results(trial.run)
    return {"elo": middle, "low": low, "high": high}


def elo_text(trial: Trial) -> str:
    """``+33.1 (95 %: +12.0 to +54.9)``."""
    report = trial.report
    if report.elo is None or report.low is None or report.high is None:
        return "-"
    return f"{report.elo:+.1f} (95 %: {report.low:+.1f} to {report.high:+.1f})"


def print_ended(ended: Ended) -> None:
    """Print the verdict, its figures and the worst matches, for people."""
    trial = ended.trial
    say(headline(ended))
    for label, text in rows(trial):
        say(f"  {label:<10} {text}")
    found = worst_with_commands(ended)
    if trial.exit_code == 0 or not found:
        return
    say(f"\n{what_is_worst(trial)}, each with the command that plays it again:")
    for played, again in found[:PRINTED]:
        say(f"\n{played.match.id}: {result_text(played.match)}\n  {again}")


def worst_with_commands(ended: Ended) -> list[tuple[ScoredMatch, str]]:
    """The candidate's worst matches, its faults first, each with the command that plays it again."""
    found = worst(ended.trial)
    blocks = {int(played.match.id[1:].partition("/")[0]) for played in found}
    specs = [spec for block in blocks for spec in block_specs(ended.trial.experiment, ended.seed, block)]
    by_id = {spec.id: spec for spec in specs}
    return [(played, play_command(by_id[played.match.id])) for played in found]


def what_is_worst(trial: Trial) -> str:
    """The heading of the matches that `worst` names."""
    return "The faults" if trial.exit_code == BotCheckFailed.exit_code else "The candidate's worst matches"


def _which_blocks(trial: Trial) -> str:
    """What the number of blocks leaves out."""
    uneven = trial.run.blocks - trial.run.level
    text = f"; {len(trial.left_out)} more left out" if trial.left_out else ""
    if trial.verdict == "out_of_budget" and uneven < FIRST_LOOK:
        text += f"; {uneven} were not level, and before {FIRST_LOOK} of those nothing is decided"
    return text


def _faults(trial: Trial) -> str:
    versions = (CANDIDATE, BASE, FIELD)
    texts = [f"{name}: {faults_text(found)}" for name in versions if (found := trial.faults_of(name))]
    return "; ".join(texts) or "none"


def _fault_line(trial: Trial, version: str) -> str:
    fault = next((fault for fault in trial.faults if fault.version == version), None)
    return "" if fault is None else str(fault)
