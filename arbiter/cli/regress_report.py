"""The report of a finished regression test: text, JSON, Markdown and JUnit."""

from __future__ import annotations

import json
import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from arbiter.cli.ci_reports import Case, check_writable, file_name, junit, write_records
from arbiter.cli.output import result_text, say
from arbiter.cli.rerun_command import play_command
from arbiter.errors import BotCheckFailed, ConfigError, Problem
from arbiter.replay.export.atomic_files import write_atomically
from arbiter.text import markdown, markdown_code, markdown_link
from arbiter.trials.regression import choice_text
from arbiter.trials.regression.best_of_n import ChoiceTrial
from arbiter.trials.regression.blocks import block_specs
from arbiter.trials.regression.figures import figures
from arbiter.trials.regression.report_text import headline, rows
from arbiter.trials.regression.trial_state import Trial

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec, Player
    from arbiter.store import SeasonStore
    from arbiter.trials.regression.trial_state import ScoredMatch

PRINTED = 3
"""Number of worst matches that are printed, so that the verdict stays on the screen."""


SITE = re.compile(r"https?://[^\s<>\\?#]+", re.IGNORECASE)
"""Addresses of sites that need no escaping in Markdown."""


class EndedTest(NamedTuple):
    """A finished test: its state, the seed of its deals, the time of this run in seconds, the records of the
    candidate's worst matches by id, and the address of its page, None without --report.
    """

    trial: Trial | ChoiceTrial
    seed: str
    seconds: float
    records: Mapping[str, MatchRecord]
    page: str | None = None

    @classmethod
    def of(
        cls, trial: Trial | ChoiceTrial, season: SeasonStore, seconds: float, page: str | None = None
    ) -> EndedTest:
        """Return a finished test with the records of its worst matches, read from its season."""
        names = [played.match.id for played in trial.worst()]
        found = {name: record for name in names if (record := season.match(name))}
        return cls(trial, season.seed, seconds, found, page)


class TrialText(NamedTuple):
    """The verdict of a trial in one line, and its figures: as labelled rows, and as JSON."""

    headline: str
    rows: list[tuple[str, str]]
    figures: Mapping[str, Any]

    @classmethod
    def of(cls, trial: Trial | ChoiceTrial) -> TrialText:
        if isinstance(trial, ChoiceTrial):
            return cls(choice_text.headline(trial), choice_text.rows(trial), choice_text.figures(trial))
        return cls(headline(trial), rows(trial), figures(trial))


def page_url(site: str, name: str) -> str:
    """Return the address of a test's page on a site; ConfigError if `site` is not an address."""
    if SITE.fullmatch(site) is None or not site.isprintable():
        hint = "give the address of arbiter serve --tests, such as https://cards.example.org"
        raise ConfigError(f"--report: expected the address of a site, got {site!r}", hint=hint)
    return f"{site.rstrip('/')}/tests/{quote(name, safe='')}"


def print_report(ended: EndedTest) -> None:
    trial, told = ended.trial, TrialText.of(ended.trial)
    say(told.headline)
    shown = [*told.rows, *([] if ended.page is None else [("page", ended.page)])]
    width = max(10, *(len(label) for label, _ in shown))
    for label, text in shown:
        say(f"  {label:<{width}} {text}")
    if (
        isinstance(trial, Trial)
        and trial.verdict == "out_of_budget"
        and 2 * trial.run.level > trial.run.blocks
        and trial.experiment.test.measure == "results"
    ):
        say("Most blocks are level: --measure points compares by how many points.")
    if trial.verdict == "out_of_budget":
        several = isinstance(trial, ChoiceTrial)
        meaning = "more blocks may still find one" if several else "the candidate is not shown to be better"
        say(f"Exit {trial.exit_code}: {meaning}.")
    found = _worst_with_commands(ended)
    if trial.exit_code == 0 or not found:
        return
    say(f"\n{_worst_heading(trial)}, each with the command that replays it:")
    for played, again in found[:PRINTED]:
        of = f"{trial.name_of(played.match.table or 1)}: " if isinstance(trial, ChoiceTrial) else ""
        say(f"\n{of}{played.match.id}: {result_text(played.match)}\n  {again}")


def _worst_with_commands(ended: EndedTest) -> list[tuple[ScoredMatch, str]]:
    """Return the candidate's worst matches, faults first, each with the command that replays it."""
    found, experiment = ended.trial.worst(), ended.trial.experiment
    by_id: dict[str, MatchSpec] = {}
    for block, table in {(played.match.round or 0, played.match.table) for played in found}:
        at = table if experiment.candidates else None
        specs = block_specs(experiment.meeting_at(table), ended.seed, block, at)
        by_id |= {spec.id: spec for spec in specs}
    return [(played, play_command(by_id[played.match.id])) for played in found]


def _worst_heading(trial: Trial | ChoiceTrial) -> str:
    return "The faults" if trial.exit_code == BotCheckFailed.exit_code else "The candidate's worst matches"


@dataclass(frozen=True, slots=True)
class Documents:
    """The paths of the requested documents, which are written however a test ends.

    ConfigError if one cannot be written; for the folder `records`, this is found at the end only.
    """

    junit: str | None
    summary: str | None
    json: str | None
    records: str | None

    def __post_init__(self) -> None:
        for path in (self.junit, self.summary, self.json):
            check_writable(path)

    @property
    def paths(self) -> list[str]:
        paths = (self.junit, self.summary, self.json, self.records)
        return [path for path in paths if path is not None]

    def write_verdict(self, ended: EndedTest) -> None:
        """Write the documents of a verdict; ConfigError at the end lists the failures."""
        trial, linked = ended.trial, None
        if self.records is not None and self.summary is not None:
            linked = os.path.relpath(self.records, Path(self.summary).absolute().parent)
        told = TrialText.of(trial)
        details = "\n".join(f"{label}: {text}" for label, text in told.rows)
        case = _case(told.headline, trial.exit_code, details, ended.seconds)
        if problems := self._write(case, summary(ended, linked), report_json(ended), ended.records):
            raise ConfigError(problems)

    def write_failure(self, message: str, code: int, seconds: float) -> None:
        """Write the documents of a test without a verdict; failures to write are ignored."""
        text = f"### ❌ no verdict\n\nexit {code}: {markdown(message)}\n"
        found = {"verdict": None, "exit": code, "error": message}
        self._write(_case(message, code, message, seconds), text, found, None)

    def _write(
        self,
        case: Case,
        summary: str,
        figures_json: Mapping[str, Any],
        records: Mapping[str, MatchRecord] | None,
    ) -> list[Problem]:
        """Write the requested documents, and return the problems of failed ones."""
        writing: list[tuple[str | None, Callable[[str, Any], None], Any]] = [
            (self.junit, write_atomically, junit("arbiter regress", [case], case.seconds)),
            (self.summary, write_atomically, summary),
            (self.json, write_atomically, json.dumps(figures_json, indent=1) + "\n"),
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
    """Return the case of the JUnit file, which fails if the exit code is not 0."""
    return Case("arbiter", "regress", seconds, bool(code), line, details, f"exit {code}")


def report_json(ended: EndedTest) -> dict[str, Any]:
    trial = ended.trial
    found = _worst_with_commands(ended)
    return {
        **TrialText.of(trial).figures,
        "exit": trial.exit_code,
        "worst": [
            {"match": played.match.id, "score": played.score, "again": again} for played, again in found
        ],
        "seed": ended.seed,
        "page": ended.page,
        "from_store": trial.from_store,
        "seconds": round(ended.seconds, 3),
    }


def summary(ended: EndedTest, records: str | None = None) -> str:
    """Return the summary in Markdown; matches link to their files in the folder `records`, if given."""
    trial, told = ended.trial, TrialText.of(ended.trial)
    mark = "✅" if trial.exit_code == 0 else "❌"
    lines = [f"### {mark} {markdown(told.headline)}", "", "| | |", "|---|---|"]
    lines += [f"| {markdown(label)} | {markdown(text)} |" for label, text in told.rows]
    experiment = trial.experiment
    tried = experiment.candidates or (experiment.candidate,)
    versions = [
        ", ".join(markdown_code(_command(player)) for player in side) for side in (tried, (experiment.base,))
    ]
    lines += ["", " against ".join(versions)]
    if ended.page is not None:
        lines += ["", f"[The test from block to block](<{ended.page}>)"]
    found = _worst_with_commands(ended)
    if found:
        heading = ["| match | points | replay it |", "|---|---|---|"]
        lines += ["", f"{_worst_heading(trial)}:", "", *heading]
    for played, again in found:
        name, result = played.match.id, markdown(result_text(played.match))
        shown = markdown_link(name, f"{records}/{file_name(name)}") if records else markdown(name)
        lines.append(f"| {shown} | {result} | {markdown_code(again, table=True)} |")
    return "\n".join(lines) + "\n"


def _command(player: Player) -> str:
    return shlex.join([*(f"{key}={value}" for key, value in player.env.items()), *player.command])
