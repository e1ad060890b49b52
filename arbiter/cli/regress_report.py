"""The report of a regression test that has ended: for people, as JSON, Markdown and JUnit."""

from __future__ import annotations

import json
import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.cli.again import play_command
from arbiter.cli.documents import Case, check_path, junit, record_name, write_records
from arbiter.cli.output import counted, faults_text, number, result_text, say
from arbiter.errors import BotCheckFailed, ConfigError, Problem
from arbiter.export.whole_files import write_whole
from arbiter.regress.blocks import block_specs, version_at
from arbiter.regress.identity import BASE, CANDIDATE
from arbiter.regress.trial import FIELD, worst
from arbiter.text import markdown, markdown_code, markdown_link
from rating.sequential.runs import FIRST_LOOK

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arbiter.match import MatchRecord, Player
    from arbiter.regress.trial import ScoredMatch, Trial
    from arbiter.store import SeasonStore

PRINTED = 3
"""Of the worst matches those that are printed, so that the verdict stays on the screen."""


class EndedTest(NamedTuple):
    """A test that has ended: where it stands, the seed of its deals, how long this run of it took, and the
    records of the candidate's worst matches.
    """

    trial: Trial
    seed: str
    seconds: float
    records: Mapping[str, MatchRecord]

    @classmethod
    def of(cls, trial: Trial, season: SeasonStore, seconds: float) -> EndedTest:
        """A test with the records of its worst matches, from the season that holds them."""
        names = [played.match.id for played in worst(trial)]
        found = {name: record for name in names if (record := season.match(name))}
        return cls(trial, season.seed, seconds, found)


def headline(ended: EndedTest) -> str:
    """The verdict in one line."""
    trial = ended.trial
    test, lenient = trial.experiment.test, trial.experiment.non_regression
    levels = f"{test.elo1:+g} rather than {test.elo0:+g}"
    levels += " normalised Elo" if test.scale == "normalized" else " Elo"
    match trial.verdict:
        case "candidate_faulty":
            return f"candidate faulty: {_fault_line(trial, CANDIDATE)}"
        case "base_faulty":
            beside, who = ("the base", BASE) if trial.faults_of(BASE) else ("the field", FIELD)
            fault = _fault_line(trial, who)
            return f"base faulty: nothing can be said while {beside} makes faults: {fault}"
        case "identical_play":
            text = f"identical play: all of {counted(trial.report.blocks, 'block')} ended exactly level"
            shown = f"; {test.elo0:g} Elo would have shown in {100 * (1 - test.alpha):g} % of such tests"
            return text + shown if lenient else text
        case "better":
            return f"{'no regression' if lenient else 'better'}: the {test.measure} speak for {levels}"
        case "not_better":
            # Not "a regression": between the bounds a candidate may end on either side.
            word = "not shown to be no worse" if lenient else "not better"
            return f"{word}: the {test.measure} speak against {levels}"
    return f"undecided after {counted(trial.blocks_taken, 'block')}: the budget is spent"


def tally(trial: Trial, version: str = CANDIDATE) -> tuple[int, int, int]:
    """Return how many matches of a version were won, level and lost."""
    of = [played for played in trial.played if version_at(played.match.players) == version]
    ahead = [(each.score > 0.5) - (each.score < 0.5) for each in of if each.score is not None]
    return ahead.count(1), ahead.count(0), ahead.count(-1)


def rows(trial: Trial) -> list[tuple[str, str]]:
    """The figures behind the verdict, as labels and texts."""
    experiment, report = trial.experiment, trial.report
    test, (low, high) = experiment.test, report.bounds
    level = trial.verdict == "identical_play"
    found = []
    if not level:
        # Without variance neither an interval nor a ratio means anything.
        found.append(("Elo", elo_text(trial)))
        if test.scale == "normalized":
            found.append(("nElo", number(report.nelo, 1)))
        if test.measure == "points" and trial.run.blocks:
            mean, worth = trial.run.margins / trial.run.blocks, test.elo_of_a_point(trial.run)
            results = "Elo {elo:+.1f} (95 %: {low:+.1f} to {high:+.1f})".format(**by_results(trial))
            found.append(("points", f"{mean:+.2f} a match; one more is worth {worth:.1f} Elo"))
            found.append(("results", results))
        bounds = f"{low:.2f} speaks for {test.elo0:+g}, {high:.2f} for {test.elo1:+g}"
        found.append(("LLR", f"{report.llr:.2f}; {bounds}"))
    found.append(
        ("blocks", f"{report.blocks}, of {experiment.block_size} matches each{_which_blocks(trial)}")
    )
    told = "{} won, {} level, {} lost" + (" against the field" if experiment.field else "")
    versions = (CANDIDATE, BASE, FIELD) if experiment.field else (CANDIDATE, BASE)
    playing = (CANDIDATE, BASE) if experiment.field else (CANDIDATE,)
    found += [(version, told.format(*tally(trial, version))) for version in playing]
    faults = [f"{name}: {faults_text(made)}" for name in versions if (made := trial.faults_of(name))]
    found.append(("faults", "; ".join(faults) or "none"))
    if experiment.attempt > 1:
        found.append(("attempt", f"{experiment.attempt}; each has the risks of one, all together more"))
    return found


def by_results(trial: Trial) -> dict[str, float]:
    """Return the strength by results alone, whatever is measured; the stop rule is not allowed for."""
    low, middle, high = trial.experiment.test.elo_of_results(trial.run)
    return {"elo": middle, "low": low, "high": high}


def elo_text(trial: Trial) -> str:
    """``+33.1 (95 %: +12.0 to +54.9)``."""
    report = trial.report
    if report.elo is None or report.low is None or report.high is None:
        return "-"
    return f"{report.elo:+.1f} (95 %: {report.low:+.1f} to {report.high:+.1f})"


def print_ended(ended: EndedTest) -> None:
    """Print the verdict, its figures and the worst matches, for people."""
    trial = ended.trial
    say(headline(ended))
    for label, text in rows(trial):
        say(f"  {label:<10} {text}")
    found = _worst_with_commands(ended)
    if trial.exit_code == 0 or not found:
        return
    say(f"\n{_what_is_worst(trial)}, each with the command that plays it again:")
    for played, again in found[:PRINTED]:
        say(f"\n{played.match.id}: {result_text(played.match)}\n  {again}")


def _worst_with_commands(ended: EndedTest) -> list[tuple[ScoredMatch, str]]:
    """The candidate's worst matches, its faults first, each with the command that plays it again."""
    found = worst(ended.trial)
    blocks = {int(played.match.id[1:].partition("/")[0]) for played in found}
    specs = [spec for block in blocks for spec in block_specs(ended.trial.experiment, ended.seed, block)]
    by_id = {spec.id: spec for spec in specs}
    return [(played, play_command(by_id[played.match.id])) for played in found]


def _what_is_worst(trial: Trial) -> str:
    return "The faults" if trial.exit_code == BotCheckFailed.exit_code else "The candidate's worst matches"


def _which_blocks(trial: Trial) -> str:
    """Return what the number of blocks leaves out."""
    uneven = trial.run.blocks - trial.run.level
    text = f"; {len(trial.left_out)} more left out" if trial.left_out else ""
    if trial.verdict == "out_of_budget" and uneven < FIRST_LOOK:
        text += f"; {uneven} were not level, and before {FIRST_LOOK} of those nothing is decided"
    return text


def _fault_line(trial: Trial, version: str) -> str:
    return next((str(fault) for fault in trial.faults if fault.version == version), "")


@dataclass(frozen=True, slots=True)
class Documents:
    """The paths of the documents asked for, written however a test ends.

    ConfigError where one could not be written; of `records`, a folder, that is known at the end only.
    """

    junit: str | None
    summary: str | None
    json: str | None
    records: str | None

    def __post_init__(self) -> None:
        for path in (self.junit, self.summary, self.json):
            check_path(path)

    @property
    def paths(self) -> list[str]:
        """Those that are written."""
        paths = (self.junit, self.summary, self.json, self.records)
        return [path for path in paths if path is not None]

    def ended(self, ended: EndedTest) -> None:
        """Write the documents of a verdict; ConfigError at the end names those that could not be written."""
        trial, linked = ended.trial, None
        if self.records is not None and self.summary is not None:
            linked = os.path.relpath(self.records, Path(self.summary).absolute().parent)
        details = "\n".join(f"{label}: {text}" for label, text in rows(trial))
        case = _case(headline(ended), trial.exit_code, details, ended.seconds)
        if problems := self._write(case, summary(ended, linked), shape(ended), ended.records):
            raise ConfigError(problems)

    def failed(self, message: str, code: int, seconds: float) -> None:
        """Write the documents of a test without a verdict; a failure here is not raised beside that one."""
        text = f"### ❌ no verdict\n\nexit {code}: {markdown(message)}\n"
        found = {"verdict": None, "exit": code, "error": message}
        self._write(_case(message, code, message, seconds), text, found, None)

    def _write(
        self, case: Case, summary: str, shape: Mapping[str, Any], records: Mapping[str, MatchRecord] | None
    ) -> list[Problem]:
        """Write those asked for; what keeps one from being written costs no other."""
        writing: list[tuple[str | None, Callable[[str, Any], None], Any]] = [
            (self.junit, write_whole, junit("arbiter regress", [case], case.seconds)),
            (self.summary, write_whole, summary),
            (self.json, write_whole, json.dumps(shape, indent=1) + "\n"),
            (None if records is None else self.records, write_records, records),
        ]
        problems: list[Problem] = []
        for path, write, what in writing:
            try:
                if path is not None:
                    write(path, what)
            except ConfigError as error:
                problems += [Problem((error.file,), problem.message) for problem in error.problems]
        return problems


def _case(line: str, code: int, details: str, seconds: float) -> Case:
    """The one case of the JUnit file, which fails exactly when the exit code is not 0."""
    return Case("arbiter", "regress", seconds, bool(code), line, details, f"exit {code}")


def shape(ended: EndedTest) -> dict[str, Any]:
    """The JSON document."""
    trial = ended.trial
    experiment, report = trial.experiment, trial.report
    test = experiment.test
    versions = (CANDIDATE, BASE, FIELD) if experiment.field else (CANDIDATE, BASE)
    won, drawn, lost = tally(trial)
    # Without variance neither a ratio nor an interval means anything.
    level = trial.verdict == "identical_play"
    return {
        "verdict": trial.verdict,
        "exit": trial.exit_code,
        "llr": None if level else report.llr,
        "bounds": list(report.bounds),
        "elo": report.elo,
        "low": None if level else report.low,
        "high": None if level else report.high,
        "measure": test.measure,
        "by_results": None if level else by_results(trial),
        "nelo": report.nelo,
        "blocks": report.blocks,
        "matches": report.matches,
        "won": won,
        "drawn": drawn,
        "lost": lost,
        "faults": {version: trial.faults_of(version) for version in versions},
        "left_out": trial.left_out,
        "worst": [
            {"match": played.match.id, "score": played.score, "again": again}
            for played, again in _worst_with_commands(ended)
        ],
        "test": {
            "elo0": test.elo0,
            "elo1": test.elo1,
            "alpha": test.alpha,
            "beta": test.beta,
            "bounds": test.scale,
            "max_blocks": test.most_blocks,
            "non_regression": experiment.non_regression,
        },
        "game": {"name": experiment.game.name, **experiment.game.options},
        "candidate": list(experiment.candidate.command),
        "base": list(experiment.base.command),
        "field": [player.name for player in experiment.field],
        "seed": ended.seed,
        "name": experiment.name,
        "attempt": experiment.attempt,
        "from_store": trial.from_store,
        "seconds": round(ended.seconds, 3),
    }


def summary(ended: EndedTest, records: str | None = None) -> str:
    """The summary for a page of CI; matches are links where their `records` lie in a folder."""
    trial = ended.trial
    mark = "✅" if trial.exit_code == 0 else "❌"
    lines = [f"### {mark} {markdown(headline(ended))}", "", "| | |", "|---|---|"]
    lines += [f"| {label} | {markdown(text)} |" for label, text in rows(trial)]
    experiment = trial.experiment
    versions = [markdown_code(_command(player)) for player in (experiment.candidate, experiment.base)]
    lines += ["", " against ".join(versions)]
    found = _worst_with_commands(ended)
    if found:
        heading = ["| match | points | play it again |", "|---|---|---|"]
        lines += ["", f"{_what_is_worst(trial)}:", "", *heading]
    for played, again in found:
        name, result = played.match.id, markdown(result_text(played.match))
        shown = markdown_link(name, f"{records}/{record_name(name)}") if records else markdown(name)
        lines.append(f"| {shown} | {result} | {markdown_code(again, table=True)} |")
    return "\n".join(lines) + "\n"


def _command(player: Player) -> str:
    return shlex.join([*(f"{key}={value}" for key, value in player.env.items()), *player.command])
