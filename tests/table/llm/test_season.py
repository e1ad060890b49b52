"""The shipped season of models and rungs, from its one file: played, checked, shown, and gone on with after an outage."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.docs.pages import ROOT
from tests.fixtures.commands import arbiter
from tests.fixtures.provider import KEY, FakeProvider, Served, legal_answer

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fixtures.commands import Run

__all__ = ["arbiter"]
pytestmark = pytest.mark.process


@pytest.fixture
def season_file(tmp_path: Path, provider: FakeProvider, key: str) -> Path:
    """The file as it is shipped, with this provider and a key, short deals and legal answers for the fake."""
    text = (ROOT / "configs" / "models.yaml").read_text()
    text = text.replace("http://127.0.0.1:8080/v1", provider.endpoint).replace("../bots", str(ROOT / "bots"))
    text = text.replace("game: planning", "game: {name: planning, deals: [[1, 0], [2, 1]]}")
    text = text.replace("{state: conversation}", "{state: conversation, legal: true}")
    text = text.replace("      name: large", f"      name: large\n      key_env: {key}")
    file = tmp_path / "models.yaml"
    file.write_text(text)
    return file


def test_a_season_of_models_and_rungs_is_played_checked_and_shown_after_an_outage(
    arbiter: Run, season_file: Path, provider: FakeProvider, tmp_path: Path
) -> None:
    assert arbiter("check-config", season_file)[0] == 0
    provider.answer = lambda _: Served(status=401)
    code, _, said = arbiter("run-round", season_file)
    assert code == 4
    why = r"in a row.*the provider of player \S+, 127\.0\.0\.1:\d+ failed: HTTP 401 Unauthorized"
    assert re.search(why, said.strip().splitlines()[-1])
    assert "without each player" not in said
    void = re.findall(r"r\d+/t\d+/m\d+", said)[-1]
    lost = arbiter("show", season_file, void, "--prompts")[1]
    assert "decision 1: outage, 0 tokens" in lost
    assert "tries: ['HTTP 401 Unauthorized']" in lost
    assert "Request: gen_declare" in lost
    provider.answer = legal_answer
    standings = json.loads(arbiter("run-round", season_file, "--format", "json")[1])
    assert standings["rounds_played"] == 1
    assert {row["player"] for row in standings["players"]} >= {"thinker@1", "quick@1", "greedy", "count"}
    assert all(row["faults"] == {} for row in standings["players"])
    assert "no differences" in arbiter("verify", season_file)[1]
    record = json.loads(arbiter("show", season_file, "r001/t01/m0", "--format", "json")[1])
    kept = [bot["model"] for bot in record["bots"] if "model" in bot]
    assert {model["name"] for model in kept} == {"large", "small"}
    asked = arbiter("show", season_file, "r001/t01/m0", "--prompts")[1]
    assert "Request: gen_declare" in asked
    assert "ANSWER: " in asked
    page = tmp_path / "report.html"
    assert arbiter("report", season_file, "--output", page, "--matches", "all")[0] == 0
    assert "thinker" in page.read_text()
    assert f"Bearer {KEY}" in provider.authorized
    assert KEY.encode() not in b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
