"""The report of all questions: the command, what is kept of it, and the organiser's page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.cli.progress import Bar
from arbiter.contest.integrity.integrity_report import connected_groups
from tests.contest.integrity.disguise import disguised
from tests.docs.pages import ROOT
from tests.fixtures.commands import arbiter
from tests.fixtures.site import HOSTILE, Authored, site
from tests.fixtures.zoo import kept, original_season
from tests.web.test_copies import OWN, take

if TYPE_CHECKING:
    from tests.fixtures.commands import Run
    from tests.fixtures.zoo import Kept

__all__ = ["arbiter", "kept", "original_season", "site"]

API = "/api/v1/seasons/small/integrity"


SMALL_REACH = (
    "0 of 15 pairs were at 8 tables or more together, and apart; no test before round 16,"
    " for most pairs at this rate not before round 20 (the season has 4)"
)
UNTESTED = {
    "soft_play": {"pairs": 12, "met": 0, "able": 0, "least": 8, "earliest": 16, "typical": None, "say": "0 of 12; no test before round 16"},
    "twins": {"pairs": 12, "able": 0, "say": "0 of 12"},
    "copies": {"programs": 1, "able": 0, "lacking": ["ann@1"], "say": "0 of 1"},
}  # fmt: skip


def reported() -> dict[str, Any]:
    """A report with a question of each kind, whose names and answers are hostile."""
    side = {"name": "ann", "version": 1, "key": "ann@1"}
    answer = {"kind": "gen_move", "answer": HOSTILE, "same": 0, "others": 9, "matches": ["r001/t01/m0"] * 2, "moves": [3, 3]}  # fmt: skip
    kind = {"kind": "gen_move", "compared": 90, "alike": 88, "expected": 40.0}
    figures = {"effect": 9.1, "se": 1.2, "q": 0.004, "loss": 8.0, "loss_se": 2.0, "spread": 1.0}
    return {
        "format": "arbiter-integrity/1",
        "season": "small",
        "round": 3,
        "made": "2026-11-01T10:00:00+00:00",
        "soft_play": [
            {"helper": HOSTILE, "helped": "p1", **figures, "together": 9, "apart": 30, "reviewed": None, "say": f"Why? {HOSTILE}"}
        ],
        "twins": [
            {"players": [HOSTILE, "p2"], "alike": 88, "compared": 90, "expected": 40.0, "p": 1e-9, "kinds": [kind], "examples": [answer], "say": f"Do {HOSTILE} and p2?"}
        ],
        "copies": [
            {
                "players": [side, {**side, "name": HOSTILE, "key": "sample:x/y"}],
                "similarity": 0.97, "jaccard": 0.9, "common": 200, "stands_out": 9.0,
                "files": [["bot.py"], ["bot.py"]], "left_out": [[], []], "say": f"Have {HOSTILE} one source?",
            }
        ],
    }  # fmt: skip


def test_a_season_without_a_question_says_what_could_be_asked_and_shows_a_bar_meanwhile(
    kept: Kept, arbiter: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[object] = []
    monkeypatch.setattr(Bar, "show", lambda _, title, total: told.append((title, total)))
    monkeypatch.setattr(Bar, "step", lambda _: told.append("step"))
    code, out, err = arbiter("integrity", kept.file)
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "small: after 2 rounds",
        f"soft play: {SMALL_REACH}",
        "twins: nothing to ask; 21 of 21 pairs could be compared",
        "copies: 0 of 6 programs could be compared; too little source to compare: p0, p1, p2, p3, ...",
    ]
    matches = len(kept.season.summaries(kept.season.complete))
    assert told == [("reading", matches), *["step"] * matches]


def test_a_store_that_is_not_there_is_said_before_matches_are_read(
    kept: Kept, arbiter: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Bar, "step", pytest.fail)
    code, out, err = arbiter("integrity", kept.file, "--against", "sqlite:///gone.sqlite")
    assert (code, out) == (5, "")
    assert err == "arbiter: there is no store gone.sqlite yet: play a round first\n"


def test_what_is_found_is_printed_kept_and_shown_to_the_organiser(site: Authored, arbiter: Run) -> None:
    take(site, "ann", OWN)
    take(site, "ben", disguised(OWN))
    code, out, err = arbiter("integrity", site.kept.file)
    assert (code, err) == (0, "")
    assert "copies: 1 question" in out
    report = json.loads(arbiter("integrity", site.kept.file, "--format", "json")[1])
    assert site.client.get(API, headers=site.headers("olga")).json() == report
    site.log_in("olga")
    page = site.client.get("/admin/integrity").text
    (row,) = report["copies"]
    assert row["say"] in out
    assert '<a href="/admin/copies/ann%401/ben%401">Side by side</a>' in page
    assert site.client.get("/admin/copies/ann%401/ben%401").status_code == 200


@pytest.mark.parametrize("reach", [{}, {"reach": UNTESTED}], ids=["without reach", "untested"])
def test_the_page_calls_clean_only_what_could_be_asked(site: Authored, reach: dict[str, Any]) -> None:
    empty: dict[str, Any] = {"soft_play": [], "twins": [], "copies": []}
    site.kept.season.questions.keep({**reported(), **empty, **reach})
    site.log_in("olga")
    page = site.client.get("/admin/integrity").text
    assert "No two" not in page
    assert "no player does better" not in page
    assert ("no test before round 16" in page) == bool(reach)


def test_copies_and_twins_of_one_family_are_one_group(site: Authored, arbiter: Run) -> None:
    sample = (ROOT / "bots" / "python" / "planning_pimc.py").read_text()
    for name in ("ann", "ben"):
        take(site, name, disguised(sample))
    code, out, _ = arbiter("integrity", site.kept.file)
    assert (code, out.count("group of 3, 3 questions: @planning_pimc.py, ann@1, ben@1\n")) == (0, 1)
    site.log_in("olga")
    page = site.client.get("/admin/integrity").text
    assert page.count("<h3><bdi>@planning_pimc.py</bdi>, <bdi>ann@1</bdi>, <bdi>ben@1</bdi></h3>") == 1
    assert page.count("Side by side") == 3


def test_families_are_connected_components() -> None:
    twin, copy = reported()["twins"][0], reported()["copies"][0]

    def pair(*names: str) -> Any:
        return {**copy, "players": [{**copy["players"][0], "key": name} for name in names]}

    deciding: Any = [{**twin, "players": ["b", "c"]}, {**twin, "players": ["x", "y"]}]
    assert connected_groups(deciding, [pair("a", "b"), pair("c", "d"), pair("p", "@q")]) == [
        {"members": ["a", "b", "c", "d"], "twins": [0], "copies": [0, 1]},
        {"members": ["@q", "p"], "twins": [], "copies": [2]},
        {"members": ["x", "y"], "twins": [1], "copies": []},
    ]


def test_whose_files_are_not_here_is_said(site: Authored, arbiter: Run) -> None:
    site.accept("ann")
    code, out, err = arbiter("integrity", site.kept.file)
    assert (code, "copies: 0 of 7 programs could be compared" in out) == (0, True)
    assert err == "arbiter: not compared, as their files are missing: ann@1\n"


def test_nobody_but_an_organiser_reads_the_questions(site: Authored) -> None:
    site.kept.season.questions.keep(reported())
    assert site.client.get("/admin/integrity").headers["location"] == "/login"
    site.log_in("ann")
    assert site.client.get("/admin/integrity").status_code == 404
    assert site.client.get(API, headers=site.headers("ann")).status_code == 404


def test_hostile_names_in_a_question_are_shown_as_texts(site: Authored) -> None:
    site.kept.season.questions.keep(reported())
    site.log_in("olga")
    page = site.client.get("/admin/integrity").text
    assert "<script>alert" not in page
    assert "<img" not in page
    assert page.count("&lt;script&gt;alert(1)") >= 5
    assert 'href="/admin/copies/ann%401/sample%3Ax%2Fy"' in page


def test_no_link_leads_to_a_program_of_another_store(site: Authored) -> None:
    report = reported()
    report["copies"][0]["players"][1] |= {"season": "spring", "key": "ben@1@spring"}
    site.kept.season.questions.keep(report)
    site.log_in("olga")
    page = site.client.get("/admin/integrity").text
    assert "The store of one of them is not on this site." in page
    assert "/admin/copies/" not in page


@pytest.mark.parametrize("stored", [None, {"format": "arbiter-integrity/0"}])
def test_where_nobody_has_asked_page_and_api_say_how_to(
    site: Authored, stored: dict[str, Any] | None
) -> None:
    if stored is not None:
        site.kept.season.questions.keep(stored)
    answer = site.client.get(API, headers=site.headers("olga"))
    assert (answer.status_code, "arbiter integrity" in answer.text) == (404, True)
    site.log_in("olga")
    assert "arbiter integrity CONFIG" in site.client.get("/admin/integrity").text
    assert 'href="/admin/integrity"' in site.client.get("/admin").text
