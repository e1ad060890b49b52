"""A model at a table: a confined harness, the time that is charged, faults of its own, outages that are none."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.errors import ConfigError, ProviderOutage
from arbiter.games.samples import HARNESS
from arbiter.match.packing import pack, unpack
from arbiter.match.record import MatchRecord, MatchSummary
from arbiter.match.spec import Player
from arbiter.match.token_usage import BilledTokens
from arbiter.sandbox.launcher import Launcher
from arbiter.sandbox.player_command import register
from arbiter.sandbox.tiers import probe
from arbiter.season.config.models import PACKAGE, harness_command
from arbiter.table.conductor import Conductor, start_request
from arbiter.table.single_bot import SingleBot
from tests.fixtures.bot_template import spec_for
from tests.fixtures.commands import BOTS, RANDOM
from tests.fixtures.provider import KEY, FakeProvider, Served, legal_answer, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.match.spec import MatchSpec, ModelEntry

pytestmark = pytest.mark.process

TIERS = [name for name, tier in probe().items() if tier.available]


def model_player(entry: ModelEntry, name: str = "thinker") -> Player:
    player = register(name, harness_command(), Path("/"))
    return replace(player, model=entry, read=(*player.read, str(PACKAGE)))


def match_of(entry: ModelEntry, seat: int = 1, time: str = "10s", **limits: object) -> MatchSpec:
    """A model in one seat, random players in the others."""
    players = [Player(f"random{number}", tuple(RANDOM.split()), str(BOTS)) for number in range(4)]
    players[seat] = model_player(entry)
    return spec_for(tuple(players), time, **limits)


@pytest.fixture(scope="module")
def table() -> Iterator[Conductor]:
    conductor = Conductor()
    yield conductor
    conductor.close()


@pytest.mark.parametrize(
    ("tier", "delivery"), [*((tier, "strict") for tier in TIERS), (TIERS[-1], "batched")]
)
def test_a_model_plays_a_match_from_a_confined_harness(
    table: Conductor, provider: FakeProvider, key: str, tier: str, delivery: str
) -> None:
    entry = provider.entry(key_env=key, legal=True)
    record = table.play(match_of(entry, isolation=tier, delivery=delivery))
    assert record.forfeit is None
    assert record.isolation["tier"] == tier
    moves = [move.action for move in record.moves if move.seat == 1]
    (bot,) = [bot for bot in record.bots if bot.model is not None]
    assert bot.model is not None
    assert [call["text"].rpartition(" ")[2] for call in bot.model["calls"]] == moves
    assert len(provider.bodies) == len(moves)
    assert bot.model["tokens"] == provider.truth
    assert bot.stderr_tail == ""
    assert not any("refused" in note for note in bot.notes)


def test_the_key_is_in_no_record_and_in_no_environment(
    table: Conductor, provider: FakeProvider, key: str
) -> None:
    provider.answer = lambda body: replace(legal_answer(body), thought=(KEY,))
    record = table.play(match_of(provider.entry(key_env=key, legal=True)))
    assert set(provider.authorized) == {f"Bearer {KEY}"}
    assert KEY not in json.dumps(record.to_json())
    request = start_request(model_player(provider.entry(key_env=key)), match_of(provider.entry()).limits)
    assert KEY not in json.dumps(request)
    assert key not in request["env"]


def test_the_record_keeps_what_was_asked_and_answered(table: Conductor, provider: FakeProvider) -> None:
    record = table.play(match_of(provider.entry(legal=True, date="2026-11-01", effort="low")))
    again = unpack(pack(record), record.id)
    assert again.bots[1].model == record.bots[1].model
    assert MatchRecord.from_json(json.loads(json.dumps(record.to_json()))).bots == again.bots
    kept = again.bots[1].model
    assert kept is not None
    assert (kept["name"], kept["date"], kept["effort"], kept["harness"]) == ("fake", "2026-11-01", "low", 1)
    assert kept["calls"][0]["messages"][0]["role"] == "system"
    assert "# Planning" in kept["calls"][0]["messages"][0]["content"]
    assert all(call["same"] == 1 for call in kept["calls"][1:])
    assert "model" not in record.bots[0].to_json()
    identity = "fake, 2026-11-01, effort low, harness 1, whole, legal answers shown, plain names"
    assert f"a language model: {identity}" in record.bots[1].notes
    assert not record.bots[0].notes


def test_a_provider_whose_counts_cannot_be_right_is_named(table: Conductor, provider: FakeProvider) -> None:
    provider.answer = lambda body: replace(legal_answer(body), reported=-1)
    record = table.play(match_of(provider.entry(legal=True)))
    asked = len(provider.bodies)
    note = (
        f"in {asked} of {asked} answers the reported tokens are fewer than the pieces of text, or more than"
    )
    assert f"{note} allowed: the pieces, or the allowed tokens, are counted" in record.bots[1].notes
    assert record.bots[1].model is not None
    assert record.bots[1].model["tokens"] == provider.truth


def test_the_time_of_the_provider_is_not_charged(table: Conductor, provider: FakeProvider) -> None:
    """Each answer takes longer than the whole match may, but for the first move's, whose clock then still runs."""
    slow = iter([0.7, 0.4])
    waiting = threading.Event()

    def answer(body: dict[str, Any]) -> Served:
        waiting.wait(next(slow, 0))
        return legal_answer(body)

    provider.answer = answer
    record = table.play(match_of(provider.entry(legal=True), time="500ms"))
    assert record.forfeit is None
    assert record.bots[1].charged_ns < 500_000_000
    assert record.bots[1].model is not None
    assert record.bots[1].model["calls"][0]["ms"] >= 700


@pytest.mark.parametrize("served", [Served(status=401), text("a b c", silent=1)], ids=["refused", "silent"])
def test_an_outage_is_no_result(table: Conductor, provider: FakeProvider, key: str, served: Served) -> None:
    provider.answer = lambda _: served
    with pytest.raises(
        ProviderOutage, match=r"the provider of player thinker, 127\.0\.0\.1:\d+ failed"
    ) as raised:
        table.play(match_of(provider.entry(key_env=key, deadline_s=0.3)))
    assert KEY not in str(raised.value)
    # The next match is played as if nothing had been.
    provider.answer = legal_answer
    assert table.play(match_of(provider.entry(legal=True))).forfeit is None


def test_what_was_used_before_an_outage_is_told_with_it(table: Conductor, provider: FakeProvider) -> None:
    answers = [
        replace(legal_answer({"messages": [{"content": "Legal answers: TD"}]}), prompt_tokens=100),
        Served(status=401),
    ]
    provider.answer = lambda _: answers.pop(0) if len(answers) > 1 else answers[0]
    with pytest.raises(ProviderOutage) as raised:
        table.play(match_of(provider.entry(attempts=2)))
    outage = pickle.loads(pickle.dumps(raised.value))
    assert outage.billed == {"thinker": BilledTokens(100, provider.truth)}


def test_a_summary_says_what_a_model_used_and_how_often_its_first_answer_was_legal(
    table: Conductor, provider: FakeProvider
) -> None:
    asked = 0

    def answer(body: dict[str, Any]) -> Served:
        nonlocal asked
        asked += 1
        return (
            text("let me see", prompt_tokens=100)
            if asked == 1
            else replace(legal_answer(body), prompt_tokens=50)
        )

    # After a doubt the legal answers stand in the question before.
    provider.answer = lambda body: answer(
        {"messages": [one for one in body["messages"] if "Legal" in one["content"]]}
    )
    record = table.play(match_of(provider.entry(legal=True)))
    decisions = sum(move.seat == 1 for move in record.moves)
    (use,) = record.summary().uses()
    assert use == ("thinker", (1, decisions, decisions - 1, 100 + 50 * decisions, provider.truth))
    assert MatchSummary.from_json(json.loads(json.dumps(record.summary().to_json()))) == record.summary()


def test_a_decision_that_ended_in_a_fault_was_not_legal_at_the_first_try(
    table: Conductor, provider: FakeProvider
) -> None:
    provider.answer = lambda _: text("I do not know")
    (use,) = table.play(match_of(provider.entry(attempts=1))).summary().uses()
    assert (use[1].decisions, use[1].first_try) == (1, 0)


def test_without_its_key_a_match_is_void(table: Conductor, provider: FakeProvider) -> None:
    with pytest.raises(ProviderOutage, match="the environment variable NOT_THERE is not set"):
        table.play(match_of(provider.entry(key_env="NOT_THERE")))


def test_no_rival_has_the_harness_descriptor(
    table: Conductor, provider: FakeProvider, tmp_path: Path
) -> None:
    script = tmp_path / "nosy.py"
    script.write_text(
        "import os, runpy, sys\n"
        "if os.path.exists('/proc/self/fd/3'):\n"
        "    sys.exit('it is open')\n"
        f"runpy.run_path({str(BOTS / 'planning_random.py')!r}, run_name='__main__')\n"
    )
    players = [*match_of(provider.entry(legal=True)).players]
    players[2] = register("nosy", [sys.executable, str(script)], tmp_path)
    record = table.play(spec_for(tuple(players), isolation="plain"))
    assert record.forfeit is None, record.forfeit


def test_a_model_is_asked_in_matches_alone(provider: FakeProvider) -> None:
    launcher = Launcher()
    try:
        with pytest.raises(ConfigError, match="plays only in whole matches"):
            SingleBot(launcher, model_player(provider.entry()), match_of(provider.entry()).limits)
    finally:
        launcher.close()


def test_a_harness_without_a_gateway_says_so() -> None:
    command = [sys.executable, "-I", "-S", str(HARNESS), str(PACKAGE)]
    ended = subprocess.run(command, input=b"", capture_output=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr == b"a model plays only in matches: expected a gateway on descriptor 3\n"
