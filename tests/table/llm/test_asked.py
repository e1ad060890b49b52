"""A model asked for one decision before a round: what came back, and which settings its endpoint heeds."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.fixtures.commands import arbiter
from tests.fixtures.provider import Served, legal_answer, text

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fixtures.commands import Run
    from tests.fixtures.provider import FakeProvider

__all__ = ["arbiter"]


@pytest.fixture
def season_file(tmp_path: Path, provider: FakeProvider) -> Path:
    model = f"{{endpoint: '{provider.endpoint}', name: fake, prompt: {{legal: true}}}}"
    players = [f"  - {{name: p{number}, version: 1, model: {model}}}\n" for number in range(1, 5)]
    prices = "prices: {p1: {input: 1, output: 1000}}\ncurrency: EUR\n"
    file = tmp_path / "season.yaml"
    file.write_text(f"game: planning\ntime: 10s\n{prices}players:\n{''.join(players)}")
    return file


def test_an_asked_model_is_shown_with_its_answer_tokens_price_time_and_heeded_settings(
    arbiter: Run, season_file: Path, provider: FakeProvider
) -> None:
    def answer(body: dict[str, Any]) -> Served:
        if "response_format" in body:
            return Served(
                status=400, raw=b'{"error": {"type": "invalid_request_error", "param": "response_format"}}'
            )
        if "stop" in body:
            return text("by")
        return (
            replace(legal_answer(body), prompt_tokens=900)
            if body["messages"][0]["role"] == "system"
            else text("the sea is wide")
        )

    provider.answer = answer
    code, said, _ = arbiter("check-config", season_file, "--ask")
    assert code == 0
    assert "p1@1, fake: = 0 after 1 attempt: 900 tokens in, 6 out, 0.006900 EUR, " in said
    assert "last answer: I thought about it. ANSWER: 0" in said
    assert (
        "limit of tokens: yes, seed: ignored, stop: yes, schema: HTTP 400 Bad Request: invalid_request_error, param response_format"
        in said
    )
    (first, *_) = json.loads(arbiter("check-config", season_file, "--ask", "--format", "json")[1])["asked"]
    assert (first["reply"], first["output"], first["outage"], first["served_as"]) == ("= 0", 6, "", "fake-1")


def test_a_model_that_does_not_answer_is_named_with_the_reason_and_the_listed_names(
    arbiter: Run, season_file: Path, provider: FakeProvider
) -> None:
    provider.answer = lambda _: Served(status=404, raw=b'{"error": {"code": "model_not_found"}}')
    code, said, failed = arbiter("check-config", season_file, "--ask")
    assert code == 4
    assert "its endpoint lists: fake" in said
    assert "p4@1: " in failed
    assert "HTTP 404 Not Found: model_not_found, check the model's name and the endpoint" in failed
