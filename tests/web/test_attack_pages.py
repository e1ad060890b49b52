"""The page of attacks: what a record says, to everybody, and nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from arbiter.trials.sandboxcheck.attack_suite import AttackResult
from arbiter.web.http.request_guard import POLICY
from tests.fixtures.commands import arbiter
from tests.fixtures.site import visiting
from tests.trials.sandboxcheck.made_attack_record import LOOK, SPAWN, STAGE, made_record

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fixtures.commands import Run
    from tests.fixtures.zoo import Kept

__all__ = ["arbiter"]


def test_a_record_is_shown_as_a_page_and_as_json() -> None:
    found = made_record()
    with visiting(attacks=found) as client:
        page = client.get("/attacks")
        assert client.get("/api/v1/attacks").json() == found
        assert client.get("/", follow_redirects=False).headers["location"] == "/attacks"
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
    found = made_record(AttackResult(SPAWN, "landlock", {"": "goes on"}, isolation=STAGE))
    with visiting(attacks=found) as client:
        page = client.get("/attacks").text
    assert "<h1>1 of 1 attacks got through</h1>" in page
    assert '<p class="wrong">spawn (landlock)</p>' in page


def test_a_machine_of_plain_alone_promises_nothing() -> None:
    found = made_record(AttackResult(LOOK, "plain", {"list a folder": "allowed", "its own time": "allowed"}))
    with visiting(attacks=found) as client:
        assert "<h1>No protection against attacks is promised</h1>" in client.get("/attacks").text


def test_the_rules_of_a_season_lead_to_it(kept: Kept) -> None:
    for found, leads in (made_record(), True), (None, False):
        with visiting(kept.file, attacks=found) as client:
            assert ('href="/attacks"' in client.get("/seasons/small/rules").text) == leads
            assert client.get("/attacks").status_code == (200 if leads else 404)
            assert client.get("/api/v1/attacks").status_code == (200 if leads else 404)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON"),
        (json.dumps({"format": "other"}), "is not a record of attacks (arbiter-attack/1)"),
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
