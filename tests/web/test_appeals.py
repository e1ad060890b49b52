"""An appeal: the question on the organiser's page, and the evidence of a seat's runs for its author."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from arbiter.contest.message_texts import ids_in
from arbiter.match.packing import pack_match
from arbiter.match.record import Fault
from arbiter.match.spec import SITS_OUT
from arbiter.replay.time_account import times_json
from arbiter.season import administration
from arbiter.season.results import SeasonResults
from arbiter.store import OrderKind
from arbiter.web.views.late_reply import LateRule, first_rule, late_words
from tests.docs.pages import ROOT
from tests.fixtures.site import Authored, archive
from tests.fixtures.zoo import TIMEOUT, Kept

if TYPE_CHECKING:
    from pathlib import Path

    from arbiter.match.record import MatchRecord
    from tests.fixtures.commands import Run

PART = TIMEOUT.replace("/", "-")
OWN = f"/me/matches/{PART}/evidence"
SENT, ENDED = "2026-01-02T03:04:05.678+00:00", "2026-01-02T03:04:07.000+00:00"
HOST = {"name": "hall-b", "cores": 3, "kernel": "6.1", "schedstat": True, "steal_ns": 1_250_000}
LATE = {"wall_ns": 3_050_000_000, "cpu_ns": 250_000_000, "delay_ns": 50_000_000, "charged_ns": 3_000_000_000,
        "left_ns": -1_000_000}  # fmt: skip
KIT = {"source/bot.py": "b" * 64, "source/planning_kit.py": "c" * 64}


def with_author(match: MatchRecord) -> MatchRecord:
    """The late match as one of ann, with what newer records have."""
    assert match.forfeit is not None
    players = (*match.players[:2], "ann@1", match.players[3])
    forfeit = replace(match.forfeit, player="ann@1", sent=SENT, ended=ENDED, times=LATE)
    return replace(match, players=players, forfeit=forfeit, host=HOST)


def replay(kept: Kept) -> None:
    """Annul the late match, and store another run without the fault."""
    results = SeasonResults(kept.config, kept.season)
    administration.annul(results, [TIMEOUT], "the machine hung", replay=True)
    after = replace(kept.match(TIMEOUT), forfeit=None, points=(0, 1, 2, 3))
    administration.replace_match(results, pack_match(after), OrderKind.REPLAYED, lambda _: True)


@pytest.fixture
def appealed(site: Authored) -> Authored:
    """A site on which ann lost a match by a late reply, which was played again, and asks about it."""
    site.kept.change(TIMEOUT, with_author)
    replay(site.kept)
    number = site.send("ann", archive())["id"]
    site.kept.season.submissions.accept(number, [], {"command": ["python3"], "read": [], "files": KIT})
    site.log_in("ann")
    site.post("/me/questions", text=f"I was not late in {PART.upper()}, nor in r999/t01/m0!")
    return site


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page)))


def test_an_author_gets_the_same_file_as_the_command_for_each_run_of_the_own_seat_alone(
    appealed: Authored, arbiter: Run, tmp_path: Path
) -> None:
    for run in ("1", "2"):
        answer = appealed.client.get(f"{OWN}?run={run}")
        out = tmp_path / run
        words = ("evidence", appealed.kept.file, TIMEOUT, "--seat", "ann", "--run", run, "--output", out)
        assert arbiter(*words)[0] == 0
        assert (answer.status_code, answer.content) == (200, out.read_bytes())
    assert appealed.client.get(OWN).content == answer.content
    for address, name in (
        (f"{OWN}?run=2", f"evidence-{PART}-run-2-seat-2.html"),
        (OWN, f"evidence-{PART}-run-2-seat-2.html"),
        (f"/me/matches/{PART}/log?run=1", f"{PART}-run-1.log.txt"),
    ):
        sent = appealed.client.get(address).headers["content-disposition"]
        assert sent == f'attachment; filename="{name}"'
    for other in ("?seat=0", "?run=3", "?run=x", "?seat=x"):
        assert appealed.client.get(f"{OWN}{other}").status_code == 404
    appealed.log_in("ben")
    assert appealed.client.get(OWN).status_code == 404


def test_the_evidence_of_a_replaced_run_has_its_fault_its_moments_the_machine_and_the_kit(
    appealed: Authored,
) -> None:
    first, last = (text_of(appealed.client.get(f"{OWN}?run={run}").text) for run in (1, 2))
    assert "run 1 of 2" in first
    for page in (first, last):
        assert re.search(r"Run 1 was replaced by run 2: played again on .*, because the machine hung;", page)
        for file, digest in KIT.items():
            assert f"the program's file {file.removeprefix('source/')} {digest}" in page
    fault = f"By the server's clock: sent {SENT}, fault found {ENDED}."
    assert (fault in first, fault in last) == (True, False)
    assert "It has 3 cores and kernel 6.1; time spent waiting for a busy processor is measured" in first
    assert "that the hypervisor took from the machine during the match: 1.25 ms" in first
    assert "hall-b" not in first
    for sentence in (
        (
            "computed for 250.00 ms, waited for a busy processor for 50.00 ms (not charged), and did neither"
            " for 2750.00 ms (charged): then it slept"
        ),
        (
            "at most 1.25 ms, in the whole match, less than 1 % of the time in which it did neither. The rule"
            " of decision that fits first: for most of the charge it neither computed nor waited, and the"
        ),
    ):
        assert (sentence in first, sentence in last) == (True, False)
    assert f"arbiter evidence CONFIG {TIMEOUT} --seat 2 --run 1" in first


@pytest.mark.parametrize(
    ("cpu", "idle", "taken", "allowed", "rule"),
    [
        (900, 100, 500, 999, LateRule.COMPUTED),
        (899, 101, 0, 999, LateRule.STILL_MORE),
        (300, 700, 349, 700, LateRule.IDLE),
        (300, 700, 350, 650, LateRule.NOT_MORE),
        (500, 500, 1, 998, LateRule.STILL_MORE),
        (300, 700, None, 999, None),
        (300, 700, 400, None, None),
    ],
)
def test_the_first_rule_that_fits_decides_on_a_late_reply(
    cpu: int, idle: int, taken: int | None, allowed: int | None, rule: LateRule | None
) -> None:
    assert first_rule(cpu, idle, 1000, taken, allowed) is rule


@pytest.mark.parametrize(
    ("cpu", "taken", "rule", "even_if", "share"),
    [
        (2_999_910_000, 10_000_000, LateRule.COMPUTED, False, False),
        (1_600_000_000, 900_000_000, LateRule.NOT_MORE, True, True),
    ],
)
def test_the_evidence_of_a_late_reply_ends_with_the_decision(
    kept: Kept, cpu: int, taken: int, rule: LateRule, even_if: bool, share: bool
) -> None:
    late = {**LATE, "wall_ns": 3_000_000_000, "cpu_ns": cpu, "delay_ns": 0}
    match = with_author(kept.match(TIMEOUT))
    assert match.forfeit is not None
    match = replace(match, forfeit=replace(match.forfeit, times=late), host={**HOST, "steal_ns": taken})
    *_, lost, verdict = late_words(kept.config.limits.time, match, times_json(match, 2))
    assert verdict == f"The rule of decision that fits first: {rule.condition}. So {rule.decision}"
    assert ("Even if" in lost, "% of the time in which it did neither" in lost) == (even_if, share)


def test_the_evidence_of_a_match_lost_by_void_plays_has_their_public_reasons(site: Authored) -> None:
    starved = "the bot in seat 2 got too little of the machine in 12 s to be judged"
    starved += ": others took 7.6 s of its cores"

    def lost(match: MatchRecord) -> MatchRecord:
        mine = with_author(match)
        assert mine.forfeit is not None
        return replace(mine, forfeit=replace(mine.forfeit, fault=Fault.CRASH, reason=SITS_OUT, times=None))

    site.kept.change(TIMEOUT, lost)
    for why in (starved, starved, "cannot start /home/olga/bot.py of player p1: it is gone"):
        site.kept.season.voids.add(TIMEOUT, why, ["ann@1"])
    site.log_in("ann")
    page = text_of(site.client.get(OWN).text)
    told = f"decided so after 3 void plays: {starved} (2 times); a reason that only the organiser sees."
    assert (told in page, "/home/olga" in page) == (True, False)
    site.log_in("olga")
    admin = text_of(site.client.get("/admin").text)
    assert re.search(
        r"the referee decided that \S*\s*ann@1\S*\s* loses after 3 void plays: the bot in seat 2", admin
    )


def test_the_manual_has_the_rules_of_the_evidence() -> None:
    manual = (ROOT / "docs/howto/appeals.md").read_text(encoding="utf-8")
    assert "\n".join(f"| {rule.condition} | {rule.decision} |" for rule in LateRule) in manual


def test_the_command_shows_a_replaced_run_and_the_author_reads_its_log(
    appealed: Authored, arbiter: Run
) -> None:
    file = appealed.kept.file
    shown = arbiter("show", file, TIMEOUT, "--run", "1")[1]
    assert "run 1 of 2; --run N shows another one" in shown
    assert f"when     sent {SENT}, fault found {ENDED}" in shown
    assert "forfeits" not in arbiter("show", file, TIMEOUT)[1]
    code, _, error = arbiter("show", file, TIMEOUT, "--run", "3")
    assert (code, f"{TIMEOUT} has 2 runs, no run 3" in error) == (2, True)
    log = appealed.client.get(f"/me/matches/{PART}/log?run=1").text
    assert f"the last command: sent {SENT}" in log


def test_the_organisers_page_links_an_appeal_to_its_match_and_to_the_evidence_of_each_run(
    appealed: Authored,
) -> None:
    page = appealed.client.get(f"/seasons/small/matches/{PART}?run=1").text
    assert f'href="{OWN}?season=small&amp;run=1"' in page
    appealed.log_in("olga")
    page = appealed.client.get("/admin").text
    assert f'<a href="/seasons/small/matches/{PART}">{TIMEOUT}</a>, evidence of' in page
    links = re.findall(rf'"({OWN}[^"]*)"', html.unescape(page))
    assert [text_of(appealed.client.get(link).text).count("in seat 2") > 0 for link in links] == [True, True]
    assert "r999-t01-m0" not in page
    form = appealed.client.get(re.findall(r'"(/admin\?[^"#]*)#annul"', html.unescape(page))[0]).text
    assert f'name="match" value="{TIMEOUT}"' in form


def test_ids_in_answers_lead_to_their_matches(appealed: Authored) -> None:
    appealed.log_in("olga")
    text = f"See {TIMEOUT}, not r999/t01/m0, and [{TIMEOUT}](https://example.org/{TIMEOUT})."
    appealed.post("/admin/answer", "/admin", question="1", text=text, public="yes")
    link = f'<a href="/seasons/small/matches/{PART}">'
    front = appealed.client.get("/seasons/small").text
    for shown in (
        f"See {link}{TIMEOUT}</a>, not r999",
        f"late in {link}{PART.upper()}</a>",
        f">{TIMEOUT}</a>.",
    ):
        assert shown in front
    assert front.count(f"{link}{TIMEOUT}</a>") == 1
    assert f"{link}{TIMEOUT}</a>, evidence of" in appealed.client.get("/admin").text


def test_an_unknown_match_in_a_question_is_reported_at_once(appealed: Authored) -> None:
    asked = {"text": f"r999/t01/m0 or {TIMEOUT}?"}
    address = "/api/v1/seasons/small/questions"
    answer = appealed.client.post(address, json=asked, headers=appealed.headers("ann"))
    assert answer.json()["missing"] == ["r999/t01/m0"]
    assert appealed.post("/me/questions", text="r999/t01/m0?").headers["location"] == "/me#questions"


def test_an_author_appeals_from_the_match_and_reads_which_match_does_not_exist(appealed: Authored) -> None:
    match = html.unescape(appealed.client.get(f"/seasons/small/matches/{PART}").text)
    me = appealed.client.get(re.findall(r'"(/me[^"]*)#questions"', match)[0]).text
    assert f'rows="3">Match {TIMEOUT}: </textarea>' in me
    assert f"match={PART}#questions" in me
    assert "The site shows no match r999/t01/m0:" in me
    rules = html.unescape(appealed.client.get("/seasons/small/rules").text)
    assert all(f"{rule.condition}: {rule.decision}." in rules for rule in LateRule)
    assert ids_in("R1 T1 M2, round 12, table 3, match 0+; r001-t01-m1") == [
        "r001/t01/m2",
        "r012/t03/m0+",
        "r001/t01/m1",
    ]
