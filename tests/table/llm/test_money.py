"""A season of four models and two rungs, from one file: it ends by what it costs, or by its intervals, and its pages say
what each model is and costs."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.table.llm import HARNESS
from tests.docs.pages import ROOT
from tests.fixtures.commands import RANDOM, arbiter
from tests.fixtures.provider import FakeProvider, Served, legal_answer
from tests.fixtures.site import visiting

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fixtures.commands import Run

__all__ = ["arbiter"]
pytestmark = pytest.mark.process

BOTS = ROOT / "bots" / "python"
FILE = """\
season: four
game: {{name: planning, deals: [[1, 0], [2, 1]]}}
rounds: 9
seed: four models and two rungs of a ladder
time: 10s
isolation: plain
stop_when: {stop}
prices:
  m0: {{input: 2, output: 10}}
  m1: {{input: 1, output: 0}}
  m2: {{input: 1, output: 0}}
  m3@7: {{input: 1, output: 0}}
currency: EUR
anchors: {{greedy: 197, count: -93}}
house_bots: [random]
players:
  - {{name: m0, model: {{endpoint: "{endpoint}", name: large, date: "2026-11-01", effort: high, prompt: {{legal: true}}}}}}
  - {{name: m1, model: {{endpoint: "{endpoint}", name: b, prompt: {{legal: true, names: exchanged}}}}}}
  - {{name: m2, model: {{endpoint: "{endpoint}", name: c, prompt: {{legal: true}}}}}}
  - {{name: m3, version: 7, model: {{endpoint: "{endpoint}", name: d, prompt: {{legal: true}}}}}}
  - {{name: greedy, command: [python3, {bots}/planning_greedy.py]}}
  - {{name: count, command: [python3, {bots}/planning_count.py]}}
  - {{name: random, command: {random}, house: true}}
"""
MODELS = {"m0", "m1", "m2", "m3@7"}


class Four:
    """The season's file, to be written anew, and what its commands say."""

    def __init__(self, run: Run, file: Path, provider: FakeProvider) -> None:
        self.run, self.file, self._provider = run, file, provider
        provider.answer = self.answer

    @staticmethod
    def answer(body: dict[str, Any]) -> Served:
        return replace(legal_answer(body), prompt_tokens=1000)

    def play(self, stop: str, command: str = "run-season") -> tuple[dict[str, Any], str]:
        """The standings, and the last line about the run."""
        where = {"endpoint": self._provider.endpoint, "bots": BOTS, "random": RANDOM.split()}
        self.file.write_text(FILE.format(stop=stop, **where))
        code, out, err = self.run(command, self.file, "--format", "json")
        assert code == 0, err
        return json.loads(out), err.strip().splitlines()[-1]


@pytest.fixture
def four(arbiter: Run, tmp_path: Path, provider: FakeProvider) -> Four:
    return Four(arbiter, tmp_path / "four.yaml", provider)


def test_it_ends_by_its_intervals_or_its_money_and_its_pages_say_what_each_model_is_and_costs(
    four: Four, provider: FakeProvider
) -> None:
    first, said = four.play("{elo: 3000, cost: 1000}")
    assert first["rounds_played"] == 1
    assert re.search(r"after round 1 all intervals are within ±3000 Elo, the widest ±[\d.]+ of m", said)
    rows = {row["player"]: row for row in first["players"]}
    assert rows["greedy"]["elo"] + rows["count"]["elo"] == pytest.approx(197 - 93)
    assert {name for name, row in rows.items() if "cost" in row} == MODELS
    used = rows["m0"]["model"]
    assert used["decisions"] == used["first_try"] == used["input"] / 1000
    assert rows["m0"]["cost"] == pytest.approx((2 * used["input"] + 10 * used["output"]) / 1e6)
    total = sum(rows[name]["cost"] for name in MODELS)
    assert first["costs"] == {"currency": "EUR", "counted": pytest.approx(total), "uncounted": 0}
    assert sum(rows[name]["model"]["output"] for name in MODELS) == provider.truth

    asked = len(provider.bodies)
    after, said = four.play(f"{{cost: {total * 1.5}}}")
    assert (after["rounds_played"], len(provider.bodies)) == (1, asked)
    assert re.search(
        r"four: 0\.\d+ of 0\.\d+ EUR are spent, and round 1 cost 0\.\d+: round 2 needs a larger cost in stop_when",
        said,
    )

    with visiting(four.file) as client:
        table = client.get("/seasons/four/standings").text
        assert "Cost, EUR" in table
        assert "Legal first</th>" in table
        assert f">{rows['m0']['cost']:.4f}<" in table
        assert ">100.0&#8239;%<" in table
        page = re.sub(r"<[^>]*>", "", client.get("/seasons/four/players/m0").text)
        assert "large, 2026-11-01 (served as fake-1)" in page
        assert re.search(
            rf"Effort\s*high\s*Harness\s*{HARNESS}\s*Prompts\s*the whole deal each time, legal", page
        )
        assert f"{used['input'] / used['matches']:,.0f} input" in page
        assert f"{used['decisions']} of {used['decisions']} decisions" in page
        assert "other names for suits" in client.get("/seasons/four/players/m1").text
        assert "Language model" not in client.get("/seasons/four/players/greedy").text
        match = client.get("/api/v1/seasons/four/matches?player=m0").json()["matches"][0]
        paid = next(one["cost"] for one in match["models"] if match["players"][one["seat"]] == "m0")
        assert f"{paid:.4f} EUR" in client.get(f"/seasons/four/matches/{match['id'].replace('/', '-')}").text
        sheet = client.get("/seasons/four/standings.csv").text
        assert sheet.splitlines()[0].endswith("cost,cost_a_match,legal_first")
    assert f"{paid:.4f} EUR; legal at the first try in" in four.run("show", four.file, match["id"])[1]
    assert "no differences" in four.run("verify", four.file)[1]
    # A narrower bound goes on.
    widest = max(rows[name]["high"] - rows[name]["elo"] for name in MODELS)
    after, _ = four.play(f"{{elo: {widest - 1}, cost: 1000}}", "run-round")
    assert after["rounds_played"] == 2
