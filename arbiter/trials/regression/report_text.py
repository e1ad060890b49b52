"""A regression test as texts and figures for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.text import counted, faults_text, interval_text, number, signed
from arbiter.trials.regression.program_identity import BASE, CANDIDATE
from arbiter.trials.regression.trial_state import FIELD
from rating.sequential.runs import FIRST_LOOK

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arbiter.trials.regression.trial_state import FaultSeen, Trial


def headline(trial: Trial, detail: bool = True) -> str:
    """Return the verdict in one line; without `detail` it contains no output of a bot."""
    test, lenient = trial.experiment.test, trial.experiment.non_regression
    levels = f"{test.elo1:+g} rather than {test.elo0:+g}"
    levels += " normalised Elo" if test.scale == "normalized" else " Elo"
    match trial.verdict:
        case "candidate_faulty":
            return f"candidate faulty: {_first_fault_text(trial.faults, CANDIDATE, detail)}"
        case "base_faulty":
            return base_faulty_text(trial.faults, detail)
        case "identical_play":
            text = f"identical play: all of {counted(trial.report.blocks, 'block')} ended exactly level"
            shown = f"; {100 * (1 - test.alpha):g} % of such tests would have detected {test.elo0:g} Elo"
            return text + shown if lenient else text
        case "better":
            return f"{'no regression' if lenient else 'better'}: the {test.measure} favour {levels}"
        case "not_better":
            # Not "a regression": between the bounds a candidate may end on either side.
            word = "not shown to be no worse" if lenient else "not better"
            return f"{word}: the {test.measure} are against {levels}"
    return undecided_text(trial.blocks_taken, _uneven(trial), trial.verdict == "out_of_budget")


def undecided_text(blocks: int, uneven: int, spent: bool) -> str:
    """Return the text without a verdict, and why: a spent budget, too few blocks that are not level."""
    text = f"undecided after {counted(blocks, 'block')}"
    if spent:
        text += ": the budget is spent"
    if uneven < FIRST_LOOK:
        text += f"; a verdict needs {FIRST_LOOK} blocks that are not level, and {uneven} {_was(uneven)}"
    return text


def base_faulty_text(faults: Sequence[FaultSeen], detail: bool = True) -> str:
    """Return the verdict that the base, or else the field, makes faults, with the first fault."""
    who = BASE if any(fault.version == BASE for fault in faults) else FIELD
    text = f"base faulty: no verdict is possible while the {who} makes faults"
    return f"{text}: {_first_fault_text(faults, who, detail)}"


def rows(trial: Trial) -> list[tuple[str, str]]:
    """Return the figures behind the verdict as (label, text): Elo, LLR, evidence, blocks, tallies, faults."""
    experiment, report = trial.experiment, trial.report
    test, (low, high) = experiment.test, report.bounds
    level = trial.verdict == "identical_play"
    found = []
    if not level:
        # Without variance, interval and ratio have no meaning.
        found.append(("Elo", elo_text(trial)))
        if test.scale == "normalized":
            found.append(("nElo", number(report.nelo, 1)))
        if test.measure == "points" and trial.run.blocks:
            mean, worth = trial.run.margins / trial.run.blocks, test.elo_of_a_point(trial.run)
            results = "Elo " + interval_text(**by_results(trial))
            found.append(("points", f"{signed(mean, 2)} a match; one point is about {worth:.1f} Elo"))
            found.append(("results", results))
        bounds = f"{low:.2f} decides for {test.elo0:+g}"
        enough = f"; {test.enough_evidence:.4g} decides for {test.elo1:+g}"
        if not test.evidence:
            bounds, enough = f"{bounds}, {high:.2f} for {test.elo1:+g}", ""
        early = trial.verdict in (None, "out_of_budget") and _uneven(trial) < FIRST_LOOK
        after = f", once {FIRST_LOOK} blocks are not level" if early else ""
        found.append(("LLR", f"{report.llr:.2f}; {bounds}{after}"))
        found.append(("evidence", f"e {report.e:.3g}{enough}{after if enough else ''}"))
        if report.blocks:
            ends = " to ".join(signed(end, 1) for end in at_any_time(trial).values())
            sides = (
                f", both sides; the verdict needs {100 * test.alpha:.2g} % on one side"
                if trial.verdict == "better"
                else ""
            )
            found.append(("any time", f"Elo {ends} (95 % at every look{sides})"))
    left = f"; {len(trial.left_out)} more do not count" if trial.left_out else ""
    even = f"; {trial.run.level} level" if trial.run.level and not level else ""
    found.append(("blocks", f"{report.blocks}, of {experiment.block_size} matches each{even}{left}"))
    told = "{} won, {} level, {} lost" + (" against the field" if experiment.field else "")
    versions = (CANDIDATE, BASE, FIELD) if experiment.field else (CANDIDATE, BASE)
    playing = (CANDIDATE, BASE) if experiment.field else (CANDIDATE,)
    found += [(version, told.format(*trial.tally(version))) for version in playing]
    faults = [f"{name}: {faults_text(made)}" for name in versions if (made := trial.faults_of(name))]
    found.append(("faults", "; ".join(faults) or "none"))
    if (member := experiment.settings.get("of_family")) is not None:
        own = f"{100 * test.alpha:.2g} % of its {100 * experiment.settings['alpha']:g} %"
        found.append(("family", f"{experiment.settings['family']}: test {member['number']}, at {own}"))
    if experiment.attempt > 1:
        found.append(("attempt", f"{experiment.attempt}; the risks hold for each attempt alone"))
    return found


def awaited_evidence(trial: Trial) -> str:
    """Return in one line what an undecided test waits for."""
    test, report, (low, high) = trial.experiment.test, trial.report, trial.report.bounds
    better = (
        f"evidence {report.e:.3g} of {test.enough_evidence:.4g}"
        if test.evidence
        else f"LLR {report.llr:.2f} of {high:.2f}"
    )
    text = f"waiting for {better} (better) or LLR {report.llr:.2f} of {low:.2f} (not better)"
    more = FIRST_LOOK - _uneven(trial)
    return (
        f"{text}, and for {counted(more, 'more block')} that {'is' if more == 1 else 'are'} not level"
        if more > 0
        else text
    )


def by_results(trial: Trial) -> dict[str, float]:
    """Return the Elo by results with its 95 % interval, without a correction for the stop rule."""
    low, middle, high = trial.experiment.test.elo_of_results(trial.run)
    return {"elo": middle, "low": low, "high": high}


def at_any_time(trial: Trial) -> dict[str, float]:
    """Return the confidence sequence of the Elo by results, valid at every look."""
    low, high = trial.experiment.test.elo_at_any_time(trial.scores)
    return {"low": low, "high": high}


def elo_text(trial: Trial) -> str:
    """Return ``+33.1 (95 %: +12.0 to +54.9)``, "-" if unknown."""
    report = trial.report
    if report.elo is None or report.low is None or report.high is None:
        return "-"
    return interval_text(report.elo, report.low, report.high)


def _uneven(trial: Trial) -> int:
    return trial.run.blocks - trial.run.level


def _was(times: int) -> str:
    return "was" if times == 1 else "were"


def _first_fault_text(faults: Iterable[FaultSeen], version: str, detail: bool) -> str:
    """Return a version's first fault, with `detail` including the bot's output, or ""."""
    fault = next((fault for fault in faults if fault.version == version), None)
    return "" if fault is None else str(fault) if detail else fault.short_text
