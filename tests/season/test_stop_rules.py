"""Seasons that end when they have played enough: their intervals are narrow, or their models' money is spent."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from arbiter.errors import ConfigError, ProviderOutage, VoidMatch
from arbiter.match.record import BotReport
from arbiter.match.token_usage import BilledTokens
from arbiter.season.administration import annul, undo_annulment
from arbiter.season.config import load
from arbiter.season.events import MatchStored, RoundComplete, SeasonComplete, StopRuleMet
from arbiter.season.season import Season
from arbiter.season.snapshot import season_figures
from arbiter.season.snapshot.season_state import SeasonState
from arbiter.season.stop_rules import narrow_enough
from tests.fixtures.executor import OneByOne, Scripted
from tests.fixtures.made_up_seasons import play
from tests.fixtures.records import by_name

if TYPE_CHECKING:
    from pathlib import Path

    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec
    from arbiter.season.events import Event
    from arbiter.store import Store
    from tests.fixtures.made_up_seasons import Opened, Outcome

FILE = """\
game: planning
rounds: {rounds}
seed: abc
stop_when: {stop}
prices: {{p0: {{input: 1000000, output: 0}}}}
currency: EUR
{more}
players:
  - {{name: p0, model: {{endpoint: "http://127.0.0.1:9/v1", name: m}}}}
  - {{name: p1, command: [python3]}}
  - {{name: p2, command: [python3]}}
  - {{name: p3, command: [python3]}}
"""


@pytest.fixture
def opened(tmp_path: Path, store: Store) -> Opened:
    path = tmp_path / "s.yaml"

    def open_season(stop: str, rounds: int = 30, more: str = "", old: str = "", new: str = "") -> Season:
        path.write_text(FILE.format(stop=stop, rounds=rounds, more=more).replace(old, new))
        return Season.open(load(path), store)

    return open_season


def asking(spec: MatchSpec, tokens: int = 1) -> MatchRecord:
    """A match by lot, in which the model's one decision takes so many tokens: each costs 1."""
    lot = random.Random(spec.id)
    played = by_name(spec, {f"p{number}": lot.randrange(9) for number in range(4)})
    calls = [{"decision": 1, "tokens": 0, "asked": tokens}]
    kept = {"calls": calls, "tokens": 0, "broken_off": 0, "asked": tokens}
    bots = [BotReport(name, model=kept if name == "p0" else None) for name in played.players]
    return replace(played, bots=tuple(bots))


def last_of(opened_season: Season, outcome: Outcome = asking) -> Event:
    return play(opened_season, outcome)[-1]


def spent(opened_season: Season) -> int:
    stored = sum(use.input for match in opened_season.results.matches() for _, use in match.uses())
    return stored + sum(of.input for of in opened_season.stored.unstored_tokens.all().values())


def test_no_round_begins_that_would_cost_more_than_is_left_and_a_larger_cost_goes_on(opened: Opened) -> None:
    said = "8.00 of 11.00 EUR are spent, and round 2 cost 4.00: round 3 needs a larger cost in stop_when"
    assert last_of(opened("{cost: 11}")) == StopRuleMet(said)
    assert play(opened("{cost: 11}"), asking) == [StopRuleMet(said)]
    opened_season = opened("{cost: 12}")
    assert isinstance(last_of(opened_season), StopRuleMet)
    assert (opened_season.stored.complete, spent(opened_season)) == (3, 12)


def test_within_a_round_no_match_begins_that_would_go_beyond_the_cost_and_the_rest_follows_a_larger_one(
    opened: Opened,
) -> None:
    opened_season = opened("{cost: 2.5}")
    for _ in range(3):
        executor = OneByOne(asking)
        for event in opened_season.play(executor):
            if isinstance(event, MatchStored):
                executor.play_one()
    assert spent(opened_season) == 2
    assert isinstance(event, StopRuleMet)
    assert event.reason.startswith("2.00 of 2.50 EUR are spent, and a match cost up to 1.00: round 1 needs")
    assert any(isinstance(event, RoundComplete) for event in opened("{cost: 5}").play(Scripted(asking)))


def test_what_void_matches_cost_is_spent(opened: Opened) -> None:
    failures = [BilledTokens(1, 0)]

    def outcome(spec: MatchSpec) -> MatchRecord:
        if not failures:
            return asking(spec)
        void = ProviderOutage("HTTP 503")
        void.billed = {"p0": failures.pop()}
        raise void

    opened_season = opened("{cost: 8.5}")
    assert isinstance(last_of(opened_season, outcome), StopRuleMet)
    assert opened_season.stored.unstored_tokens.all() == {"p0": BilledTokens(1, 0)}
    # Two rounds cost 8.
    assert (opened_season.stored.complete, spent(opened_season)) == (1, 5)


def test_voids_alone_may_spend_it_all(opened: Opened) -> None:
    def outcome(_: MatchSpec) -> MatchRecord:
        void = ProviderOutage("HTTP 503")
        void.billed = {"p0": BilledTokens(3, 0)}
        raise void

    opened_season = opened("{cost: 5}")
    with pytest.raises(VoidMatch):
        play(opened_season, outcome)
    assert spent(opened_season) >= 5
    assert isinstance(last_of(opened_season), StopRuleMet)
    assert not opened_season.results.matches()


def test_annulled_matches_and_those_played_again_have_cost_what_they_cost(opened: Opened) -> None:
    opened_season = opened("{cost: 100}", rounds=1)
    last_of(opened_season)
    first, second = "r001/t01/m0", "r001/t01/m1"
    annul(opened_season.results, [first], "a wrong deal", replay=True)
    annul(opened_season.results, [second], "a wrong deal")
    last_of(opened_season, lambda spec: asking(spec, 10))
    undo_annulment(opened_season.results, [first])
    shown = season_figures.standings(SeasonState.of(opened_season.config, opened_season.stored))
    costs = shown["costs"]
    assert (costs["currency"], costs["counted"]) == ("EUR", 3)
    assert costs["uncounted"] == 1 + 10
    said = last_of(opened("{cost: 14.5}", rounds=2))
    assert isinstance(said, StopRuleMet)
    assert said.reason.startswith("14.00 of 14.50")


def test_a_corrected_price_counts_for_all_that_was_played(opened: Opened) -> None:
    opened_season = opened("{cost: 100}", rounds=1)
    last_of(opened_season)
    cheaper = opened("{cost: 100}", rounds=1, old="input: 1000000", new="input: 500000")
    assert cheaper.config.digest == opened_season.config.digest
    rows = season_figures.standings(SeasonState.of(cheaper.config, cheaper.stored))["players"]
    (row,) = [row for row in rows if row["player"] == "p0"]
    assert (row["cost"], row["cost_a_match"], row["legal_first"]) == (2, 0.5, 1)


def test_who_has_played_and_has_no_price_is_named_before_more_is_played(opened: Opened) -> None:
    last_of(opened("{cost: 5}"))
    another = opened("{cost: 50}", old="p0", new="p9")
    with pytest.raises(ConfigError, match="stop_when: cost: p0 has played, and has no price"):
        play(another, asking, accept_changes=True)


def test_rounds_are_played_until_everybodys_interval_is_as_narrow_as_asked(opened: Opened) -> None:
    opened_season = opened("{elo: 150}")
    event = last_of(opened_season)
    assert isinstance(event, StopRuleMet)
    widths = [
        max(row["high"] - row["low"] for row in opened_season.results.standings(number)["players"]) / 2
        for number in range(1, opened_season.stored.complete + 1)
    ]
    assert widths[-1] <= 150 < min(widths[:-1])
    assert (
        f"after round {len(widths)} all intervals are within ±150 Elo, the widest ±{widths[-1]:.1f}"
        in event.reason
    )
    assert play(opened_season, asking) == [event]
    narrower = opened("{elo: 120}")
    assert isinstance(last_of(narrower), StopRuleMet | SeasonComplete)
    assert narrower.stored.complete > len(widths)


def test_a_single_round_after_which_all_intervals_are_narrow_says_so(opened: Opened) -> None:
    opened_season = opened("{elo: 1000}")
    *_, before, last = opened_season.play(Scripted(asking), only_one=True)
    assert isinstance(before, RoundComplete)
    assert isinstance(last, StopRuleMet)


@pytest.mark.parametrize(
    ("halves", "suspended", "is_narrow"),
    [
        ({"p0": 50.0, "p1": 49.0, "p2": 1.0}, (), True),
        ({"p0": 50.1, "p1": 49.0, "p2": 1.0}, (), False),
        ({"p0": 50.1, "p1": 49.0, "p2": 1.0}, ("p0",), True),
        ({"p0": 50.0, "p1": 49.0, "p2": 99.0, "p3": 99.0}, (), False),
        ({"p0": 50.0, "p1": 49.0, "p2": None}, (), False),
        ({"p0": 50.0, "p1": 49.0}, (), False),
    ],
)
def test_the_intervals_of_anchors_and_of_those_who_sit_out_may_be_wide(
    opened: Opened,
    halves: dict[str, float | None],
    suspended: tuple[str, ...],
    is_narrow: bool,
) -> None:
    config = opened("{elo: 50}", more="anchors: {p3: 100}").config
    rows = [
        {"player": name, "low": None if half is None else -half, "high": half}
        for name, half in halves.items()
    ]
    assert bool(narrow_enough(config, {"rounds_played": 3, "players": rows}, suspended)) == is_narrow


def test_anchors_fix_the_scale_and_who_changes_them_is_asked(opened: Opened) -> None:
    opened_season = opened("{elo: 1}", rounds=2, more="anchors: {p1: 300, p2: 100}")
    last_of(opened_season)
    rows = {row["player"]: row for row in opened_season.results.standings()["players"]}
    assert rows["p1"]["elo"] + rows["p2"]["elo"] == pytest.approx(400)
    other = opened("{elo: 1}", rounds=3, more="anchors: {p1: 300, p2: 200}")
    with pytest.raises(ConfigError, match="anchors: p2: 100 -> 200"):
        last_of(other)
