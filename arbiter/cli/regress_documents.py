"""A regression test's documents for programs and CI: JSON, Markdown, JUnit, records."""

from __future__ import annotations

import json
import os
import shlex
import xml.etree.ElementTree as ET
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.cli.output import result_text
from arbiter.cli.regress_report import by_results, headline, rows, tally, what_is_worst, worst_with_commands
from arbiter.errors import ConfigError, Problem
from arbiter.export.whole_files import write_whole
from arbiter.regress import BASE, CANDIDATE
from arbiter.regress.trial import FIELD
from arbiter.text import markdown, markdown_code, markdown_link, xml_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.cli.regress_report import Ended
    from arbiter.match import MatchRecord
    from arbiter.regress import Trial


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

    def ended(self, ended: Ended) -> None:
        """Write the documents of a verdict; ConfigError at the end names those that could not be written."""
        trial = ended.trial
        linked = None
        if self.records is not None and self.summary is not None:
            linked = os.path.relpath(self.records, Path(self.summary).absolute().parent)
        texts = [
            (self.junit, junit(headline(ended), trial.exit_code, details(trial), ended.seconds)),
            (self.summary, summary(ended, linked)),
            (self.json, json.dumps(shape(ended), indent=1) + "\n"),
        ]
        problems: list[Problem] = []
        for path, text in texts:
            if path is not None:
                try:
                    write_whole(path, text)
                except ConfigError as error:
                    problems += [Problem((path,), problem.message) for problem in error.problems]
        if self.records is not None:
            try:
                write_records(self.records, ended.records)
            except ConfigError as error:
                problems += [Problem((error.file,), problem.message) for problem in error.problems]
        if problems:
            raise ConfigError(problems)

    def failed(self, message: str, code: int, seconds: float) -> None:
        """Write the documents of a test without a verdict; a failure here is not raised beside that one."""
        shown = {"verdict": None, "exit": code, "error": message}
        texts = [
            (self.junit, junit(message, code, message, seconds)),
            (self.summary, f"### ❌ no verdict\n\nexit {code}: {markdown(message)}\n"),
            (self.json, json.dumps(shown, indent=1) + "\n"),
        ]
        for path, text in texts:
            if path is not None:
                with suppress(ConfigError):
                    write_whole(path, text)


def shape(ended: Ended) -> dict[str, Any]:
    """The JSON document."""
    trial = ended.trial
    experiment, report = trial.experiment, trial.report
    test = experiment.test
    versions = (CANDIDATE, BASE, *([FIELD] if experiment.field else []))
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
        "missing": list(ended.missing),
        "worst": [
            {"match": played.match.id, "score": played.score, "again": again}
            for played, again in worst_with_commands(ended)
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


def summary(ended: Ended, records: str | None = None) -> str:
    """The summary for a page of CI; matches are links where their `records` lie in a folder."""
    trial = ended.trial
    mark = "✅" if trial.exit_code == 0 else "❌"
    lines = [f"### {mark} {markdown(headline(ended))}", "", "| | |", "|---|---|"]
    lines += [f"| {label} | {markdown(text)} |" for label, text in rows(trial)]
    lines += [
        "",
        f"{markdown_code(_command(trial, CANDIDATE))} against {markdown_code(_command(trial, BASE))}",
    ]
    found = worst_with_commands(ended)
    if found:
        lines += [
            "",
            f"{what_is_worst(trial)}:",
            "",
            "| match | points | play it again |",
            "|---|---|---|",
        ]
    for played, again in found:
        name = played.match.id
        shown = markdown_link(name, f"{records}/{record_name(name)}") if records else markdown(name)
        lines.append(
            f"| {shown} | {markdown(result_text(played.match))} | {markdown_code(again, table=True)} |"
        )
    return "\n".join(lines) + "\n"


def junit(text: str, exit_code: int, details: str, seconds: float) -> str:
    """One test case, which fails exactly when the exit code is not 0."""
    suite = ET.Element("testsuite", name="arbiter regress", tests="1", failures=str(int(exit_code != 0)))
    suite.set("time", f"{seconds:.3f}")
    case = ET.SubElement(suite, "testcase", classname="arbiter", name="regress", time=f"{seconds:.3f}")
    if exit_code:
        failure = ET.SubElement(case, "failure", message=xml_text(text), type=f"exit {exit_code}")
        failure.text = xml_text(details)
    else:
        ET.SubElement(case, "system-out").text = xml_text(f"{text}\n{details}")
    return document(suite)


def document(root: ET.Element) -> str:
    """An XML document in lines."""
    ET.indent(root)
    return "<?xml version='1.0' encoding='UTF-8'?>\n" + ET.tostring(root, encoding="unicode") + "\n"


def details(trial: Trial) -> str:
    """The rows of the summary, a line each."""
    return "\n".join(f"{label}: {text}" for label, text in rows(trial))


def write_records(folder: str, records: Mapping[str, MatchRecord]) -> None:
    """Write each record to a file of a folder, which is made if need be; ConfigError where that fails."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"cannot be made: {error.strerror}", folder) from None
    for name, record in records.items():
        write_whole(str(Path(folder) / record_name(name)), json.dumps(record.to_json(), indent=1) + "\n")


def record_name(match: str) -> str:
    """The file of a match's record."""
    return match.replace("/", "-") + ".json"


def check_path(path: str | None) -> None:
    """ConfigError where no file could be written there."""
    if path is None:
        return
    place = Path(path).absolute()
    if not path or place.is_dir():
        raise ConfigError("cannot be written: it is a folder" if path else "a file's name is empty", path)
    if not place.parent.is_dir():
        raise ConfigError("cannot be written: there is no such folder", path)
    if not os.access(place if place.exists() else place.parent, os.W_OK):
        raise ConfigError("cannot be written: permission denied", path)


def _command(trial: Trial, version: str) -> str:
    player = trial.experiment.candidate if version == CANDIDATE else trial.experiment.base
    return shlex.join([*(f"{key}={value}" for key, value in player.env.items()), *player.command])
