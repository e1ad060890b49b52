"""The page of attacks: what a record says, to everybody, and nothing else."""

from __future__ import annotations

import json
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from arbiter.trials.sandboxcheck.attack_suite import AttackResult
from arbiter.web.http.request_guard import POLICY
from arbiter.web.http.watched_seasons import Seasons
from arbiter.web.site import make_site
from tests.fixtures.commands import arbiter
from tests.trials.sandboxcheck.made_attack_record import LOOK, SPAWN, STAGE, made_record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from arbiter.trials.sandboxcheck.attack_record import AttackRecord
    from tests.fixtures.commands import Run
    from tests.fixtures.zoo import Kept

__all__ = ["arbiter"]
HOSTILE = "<script>alert(1)</script>\u202e"


@contextmanager
def site_of(found: AttackRecord | None, *files: Path) -> Iterator[TestClient]:
    with closing(Seasons(files)) as seasons:
        yield TestClient(make_site(seasons, attacks=found), follow_redirects=False)


def test_a_record_is_shown_as_a_page_and_as_json() -> None:
    found = made_record()
    with site_of(found) as client:
        page = client.get("/attacks")
        assert client.get("/api/v1/attacks").json() == found
        assert client.get("/").headers["location"] == "/attacks"
        assert 'href="/attacks"' in client.get("/seasons").text
    assert page.headers["content-security-policy"] == POLICY
    assert f"<h1>None of {len(found['attacks'])} attacks got through</h1>" in page.text
    for said in (
        "Stopped</span>: crash: PermissionError",
        "Open</span>: 1 of 2 attempts",
        "look: 2 attempts",
        "7000000",
    ):
        assert said in page.text
    assert 'href="/api/v1/attacks"' in page.text


def test_what_got_through_stands_first() -> None:
    with site_of(made_record(AttackResult(SPAWN, "landlock", {"": "goes on"}, isolation=STAGE))) as client:
        page = client.get("/attacks").text
    assert "<h1>1 of 1 attacks got through</h1>" in page
    assert '<p class="wrong">spawn (landlock)</p>' in page


def test_a_machine_of_plain_alone_promises_nothing() -> None:
    with site_of(
        made_record(AttackResult(LOOK, "plain", {"list a folder": "allowed", "its own time": "allowed"}))
    ) as client:
        assert "<h1>Nothing is promised against attacks</h1>" in client.get("/attacks").text


def test_hostile_words_are_text() -> None:
    found = made_record()
    for row in found["attacks"]:
        for key in ("name", "tries", "tier", "stopped_by", "harm", "skipped"):
            row[key] = HOSTILE  # type: ignore[literal-required]
        for one in row["attempts"]:
            one["met"] = one["attempt"] = one["promised"] = HOSTILE
    found["machine"]["kernel"] = found["machine"]["processor"] = HOSTILE
    found["tiers"] = {HOSTILE: {**found["tiers"]["plain"], "say": HOSTILE}}
    for way in found["open"]:
        way["channel"] = way["whom"] = way["say"] = way["tier"] = HOSTILE
    with site_of(found) as client:
        page = client.get("/attacks").text
    assert "<script>alert" not in page
    assert "\u202e" not in page


def test_the_rules_of_a_season_lead_to_it(kept: Kept) -> None:
    for found, leads in (made_record(), True), (None, False):
        with site_of(found, kept.file) as client:
            assert ('href="/attacks"' in client.get("/seasons/small/rules").text) == leads
            assert client.get("/attacks").status_code == (200 if leads else 404)
            assert client.get("/api/v1/attacks").status_code == (200 if leads else 404)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is no JSON"),
        (json.dumps({"format": "other"}), "is no record of attacks (arbiter-attack/1)"),
        (" " * 2_000_001, "has more than 2000000 characters"),
    ],
)
def test_a_file_that_is_none_is_refused_in_a_line(text: str, said: str, arbiter: Run, tmp_path: Path) -> None:
    file = tmp_path / "attacks.json"
    file.write_text(text)
    code, _, err = arbiter("serve", "--attacks", file, "--port", "0")
    assert code == 2
    assert err.startswith(f"{file}: {said}")
    assert err.count("\n") == 1
