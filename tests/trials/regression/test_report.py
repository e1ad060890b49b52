"""What a regression test says at its end: text, Markdown, JUnit, JSON, and how to play a match again."""

from __future__ import annotations

import json
import shlex
import xml.etree.ElementTree as ET
from contextlib import closing
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.cli.bot_arguments import parse_players
from arbiter.cli.ci_reports import Case, junit
from arbiter.cli.regress_report import Documents, EndedTest, page_url, print_report, report_json, summary
from arbiter.cli.rerun_command import play_command
from arbiter.errors import ConfigError
from arbiter.store import Store
from arbiter.trials.regression.blocks import block_specs
from arbiter.trials.regression.report_text import awaited_evidence
from arbiter.trials.regression.runner import open_experiment
from arbiter.trials.regression.trial_state import Trial
from tests.fixtures.records import play_trial
from tests.fixtures.simulated_regression import COMMAND, SMALL, InMemory, alike, experiment, seats_of, skilled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from arbiter.match.spec import MatchSpec

KEYS = {"verdict", "llr", "bounds", "elo", "low", "high", "blocks", "matches", "faults"}


def ended(table: InMemory, **keys: Any) -> EndedTest:
    test = experiment(**keys)
    with closing(Store("sqlite://")) as store:
        season = open_experiment(test, store)
        return EndedTest.of(play_trial(test, season, table), season, 61.5)


def once(version: str) -> Callable[[MatchSpec], list[int]]:
    return lambda spec: seats_of(version)(spec)[:1] if spec.id == "b0002/m1" else []


ENDS: dict[str, Any] = {
    "better": (InMemory(skilled("candidate")), {"elo1": 30.0}, 0),
    "not_better": (InMemory(skilled("base")), {"elo1": 30.0}, 1),
    "out_of_budget": (InMemory(), {"max_blocks": 4, "bounds": "normalized"}, 1),
    "identical_play": (InMemory(alike), {}, 1),
    "candidate_faulty": (InMemory(faulty=once("candidate")), {"faults": "fail"}, 3),
    "base_faulty": (InMemory(skilled("candidate"), once("base")), {"elo1": 30.0}, 3),
}


@pytest.fixture(scope="module")
def end_of() -> Callable[[str], EndedTest]:
    """A test that ended by a verdict, played when it is first asked for."""

    @cache
    def end(verdict: str) -> EndedTest:
        table, keys, _ = ENDS[verdict]
        return ended(table, **keys)

    return end


@pytest.mark.parametrize("verdict", ENDS)
def test_each_verdict_in_every_form_agrees_with_the_exit_code(
    verdict: str,
    end_of: Callable[[str], EndedTest],
    capsys: pytest.CaptureFixture[str],
    golden: Callable[[str, str], None],
    tmp_path: Path,
) -> None:
    end, code = end_of(verdict), ENDS[verdict][2]
    assert (end.trial.verdict, end.trial.exit_code) == (verdict, code)
    print_report(end)
    text = capsys.readouterr().out
    golden(f"regress_{verdict}.txt", f"{text}\n----\n\n{summary(end, 'records')}")
    files = {name: str(tmp_path / name) for name in ("junit.xml", "summary.md", "out.json", "records")}
    Documents(*files.values()).write_verdict(end)
    found = json.loads((tmp_path / "out.json").read_text())
    assert found.keys() >= KEYS
    assert (found["verdict"], found["exit"], found["seconds"]) == (verdict, code, 61.5)
    suite = ET.parse(tmp_path / "junit.xml").getroot()
    assert suite.get("failures") == str(int(code != 0))
    assert (suite.find("testcase/failure") is not None) == (code != 0)
    assert (tmp_path / "summary.md").read_text().startswith("### ❌" if code else "### ✅")
    records = sorted(path.name for path in (tmp_path / "records").iterdir())
    assert records == sorted(f"{entry['match'].replace('/', '-')}.json" for entry in found["worst"])


def test_a_test_without_a_verdict_says_what_it_waits_for(end_of: Callable[[str], EndedTest]) -> None:
    trial = end_of("out_of_budget").trial
    assert isinstance(trial, Trial)
    said = awaited_evidence(trial)
    assert "of 20 (better) or LLR" in said
    assert said.endswith("(not better), and for 12 more blocks that are not level")


def test_a_candidate_that_is_not_shown_to_be_no_worse_is_called_no_regression_nowhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    end = ended(InMemory(skilled("base")), non_regression=True, elo0=-100.0)
    assert end.trial.verdict == "not_better"
    print_report(end)
    Documents(str(tmp_path / "j.xml"), None, None, None).write_verdict(end)
    texts = [capsys.readouterr().out, (tmp_path / "j.xml").read_text(), summary(end)]
    assert all("not shown to be no worse: the results are against" in text for text in texts)
    assert not any("regression" in text.replace("arbiter regress", "") for text in texts)


def test_by_points_both_strengths_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    end = ended(InMemory(skilled("candidate")), measure="points", elo1=30.0)
    print_report(end)
    text, found = capsys.readouterr().out, report_json(end)
    assert text.startswith("better: the points favour +30 rather than +0 Elo")
    assert "a match; one point is about" in text
    assert f"results    Elo {found['by_results']['elo']:+.1f}" in text
    assert found["measure"] == "points"


@pytest.mark.parametrize("site", ["https://cards.example.org", "http://127.0.0.1:8000/", "HTTPS://x/under/"])
def test_the_page_url_a_test_is_linked_in_every_form(
    site: str, end_of: Callable[[str], EndedTest], capsys: pytest.CaptureFixture[str]
) -> None:
    end = end_of("better")
    page = page_url(site, end.trial.experiment.name)
    assert page == f"{site.rstrip('/')}/tests/{end.trial.experiment.name}"
    assert report_json(end)["page"] is None
    assert "/tests/" not in summary(end)
    end = end._replace(page=page)
    print_report(end)
    assert f"\n  page       {page}\n" in capsys.readouterr().out
    assert report_json(end)["page"] == page
    assert f"\n\n[The test from block to block](<{page}>)\n" in summary(end)


@pytest.mark.parametrize(
    "site",
    [
        "",
        "cards.example.org",
        "ftp://x",
        "https://",
        "https://x y",
        "https://x/>",
        "https://x/?a=1",
        "https://x\u202e",
    ],
)
def test_what_is_no_site_is_refused(site: str) -> None:
    with pytest.raises(
        ConfigError, match=r"--report: expected the address of a site, got .*https://cards\.example\.org"
    ):
        page_url(site, "regress-1")


@pytest.mark.parametrize("code", [2, 4, 5, 130])
def test_without_a_verdict_the_documents_say_why(code: int, tmp_path: Path) -> None:
    Documents(str(tmp_path / "j.xml"), str(tmp_path / "s.md"), str(tmp_path / "o.json"), None).write_failure(
        "the store | is gone", code, 1.0
    )
    failure = ET.parse(tmp_path / "j.xml").getroot().find("testcase/failure")
    assert failure is not None
    assert (failure.get("message"), failure.get("type")) == ("the store | is gone", f"exit {code}")
    assert json.loads((tmp_path / "o.json").read_text()) == {
        "verdict": None,
        "exit": code,
        "error": "the store | is gone",
    }
    assert "the store \\| is gone" in (tmp_path / "s.md").read_text()


def test_text_of_a_bots_making_cannot_break_the_documents() -> None:
    evil = "\x1b[2J<&\ud800]]>\x00"
    case = Case("arbiter", evil, 0.0, True, evil, evil)
    failure = ET.fromstring(junit("suite", [case], 0.0)).find("testcase/failure")
    assert failure is not None
    assert "\x1b" not in str(failure.get("message"))


def test_the_worst_matches_are_faults_and_then_the_heaviest_losses(tmp_path: Path) -> None:
    end = ended(InMemory(skilled("base"), once("candidate")), elo1=30.0)
    worst = report_json(end)["worst"]
    assert worst[0]["match"] == "b0002/m1"
    scores = [entry["score"] for entry in worst]
    assert scores == sorted(scores)
    assert list(end.records) == [entry["match"] for entry in worst]


def test_a_match_can_be_played_again_by_the_command_that_is_given() -> None:
    test = experiment(
        SMALL | {"seats": 2, "deck": "23456789TJQKA CD"},
        time="2s+10ms",
        start_time="500ms",
        memory="200MB",
        clock="wall",
        candidate={"command": [*COMMAND, "it's"], "env": {"LEVEL": "a b"}},
    )
    spec = next(iter(block_specs(test, "s", 3)))
    words = shlex.split(play_command(spec))
    assert words[:8] == ["arbiter", "play", "--game", "planning", "--seed", "s", "--round", "3"]
    options = [words[n + 1] for n, word in enumerate(words) if word == "--option"]
    assert options == ["seats=2", "deck=23456789TJQKA CD", "deals=[[2, 1], [1, 0]]"]
    pairs = dict(zip(words[8::2], words[9::2], strict=True))
    assert {key: pairs[key] for key in ("--time", "--start-time", "--memory", "--clock")} == {
        "--time": "2s+10ms",
        "--start-time": "500ms",
        "--memory": "200MB",
        "--clock": "wall",
    }
    bots = [words[n + 1] for n, word in enumerate(words) if word == "--bot"]
    assert shlex.split(bots[0]) == ["candidate=LEVEL=a b", *COMMAND, "it's"]
    assert "--delivery" not in words
    (candidate, _) = parse_players([bots[0], bots[0]])
    assert (candidate.env, candidate.command) == (spec.players[0].env, spec.players[0].command)


@pytest.mark.parametrize("text", ["a|b", "x`y", "[link](http://a)", "<b>", "# h", "candidate#2"])
def test_markdown_shows_what_was_said_as_it_is(text: str, tmp_path: Path) -> None:
    end = ended(InMemory(), max_blocks=1, candidate=[*COMMAND, text])
    (line,) = [line for line in summary(end).splitlines() if " against " in line]
    fence = "``" if "`" in text else "`"
    assert line.startswith(fence)
    assert text.replace("'", "") in line


def test_a_document_that_cannot_be_written_costs_neither_the_others_nor_the_verdict(tmp_path: Path) -> None:
    end = ended(InMemory(alike))
    (tmp_path / "file").touch()
    documents = Documents(None, "/dev/full", str(tmp_path / "out.json"), str(tmp_path / "file" / "records"))
    with pytest.raises(ConfigError) as error:
        documents.write_verdict(end)
    assert [problem.path[0] for problem in error.value.problems] == [
        "/dev/full",
        str(tmp_path / "file" / "records"),
    ]
    assert json.loads((tmp_path / "out.json").read_text())["verdict"] == "identical_play"


@pytest.mark.parametrize(
    ("path", "words"),
    [("", "empty file name"), (".", "it is a folder"), ("no/such/file", "there is no folder")],
)
def test_where_nothing_can_be_written_is_said_beforehand(path: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        Documents(path, None, None, None)
