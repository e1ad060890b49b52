"""A throw-away friend: what it gains its friend, and who tells of it."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.season.config import load
from arbiter.season.season import Season
from arbiter.season.snapshot.reader import read_state
from arbiter.season.snapshot.season_figures import standings as standings_of
from arbiter.season.snapshot.standing_marks import favour_in_words, warnings
from arbiter.season.verify import verify
from arbiter.season.verify_findings import FindingKind
from arbiter.store import Store
from arbiter.web.rendering.templates import render
from tests.fixtures.executor import Scripted
from tests.fixtures.throw_away import DEALS, ThrowAway

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.fixtures.commands import Run

pytestmark = pytest.mark.slow


FRIENDS = ThrowAway("p0", "p1")
ROUNDS = 16
SAID = "faults of p0 favour p1 beyond chance: "


def thrown(folder: Path, *lines: str) -> Season:
    """A season of four equals, one of them another's throw-away friend."""
    file = folder / "s.yaml"
    terms = f"season: s\ngame: {DEALS}\nrounds: {ROUNDS}\nopening_rounds: 99\nseed: a table of friends\n"
    players = "".join(f"  - {{name: p{n}, command: [python3]}}\n" for n in range(4))
    house = "  - {name: h0, command: [python3], house: true}\n"
    text = "".join(f"{line}\n" for line in lines)
    file.write_text(f"{terms}{text}house_bots: [h0]\nplayers:\n{players}{house}")
    config = load(file)
    opened_season = Season.open(config, Store(config.store))
    list(opened_season.play(Scripted(FRIENDS)))
    return opened_season


def lead(opened_season: Season) -> float:
    """By how many Elo the friend stands above the mean of the two others, who play as well."""
    elo = {row["player"]: row["elo"] for row in opened_season.results.standings()["players"]}
    return float(elo["p1"] - (elo["p2"] + elo["p3"]) / 2)


@pytest.fixture(scope="module")
def opened_season(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Season]:
    """Under the contest's rule, and nobody suspended for faults."""
    made = thrown(tmp_path_factory.mktemp("thrown"), "after_fault: end", "suspend_after: 0")
    yield made


def test_under_end_a_throw_away_friend_is_worth_hundreds_of_elo(opened_season: Season) -> None:
    assert lead(opened_season) > 300


def test_played_once_more_it_is_worth_far_less(opened_season: Season, tmp_path: Path) -> None:
    again = thrown(tmp_path, "after_fault: substitute", "suspend_after: 0")
    assert lead(again) < lead(opened_season) / 2


def test_the_share_of_its_faults_suspends_it_though_no_row_of_them_is_long_enough(tmp_path: Path) -> None:
    suspended = thrown(tmp_path, "after_fault: end", "suspend_after: 30")
    assert suspended.results.standings()["suspended"]["p0"].endswith(
        " of its last 32 matches ended by its own fault"
    )
    assert not suspended.results.standings()["suspended"]["p0"].startswith("its last")


def test_the_standings_name_whom_the_faults_favour(opened_season: Season) -> None:
    standings: Any = opened_season.results.standings()
    (found,) = standings["favours"]
    assert (found["faulty"], found["favoured"]) == ("p0", "p1")
    (said,) = [text for text in warnings(standings, {}) if text.startswith("faults of")]
    assert said == favour_in_words(found)
    assert said.startswith(SAID)


def test_the_command_says_so(opened_season: Season, arbiter: Run) -> None:
    out = arbiter("standings", opened_season.config.file)[1]
    assert f"note: {SAID}" in out


def test_the_site_says_so_though_the_faulty_is_suspended(opened_season: Season) -> None:
    shape = standings_of(read_state(opened_season.config, opened_season.stored))
    shape["suspended"] = {"p0": "its last 16 matches ended by its own fault"}
    page = render("standings_body", standings=shape, season={"round": None}, base="/seasons/s")
    assert SAID in " ".join(page.split())


def test_a_verification_computes_the_same_and_misses_it_nowhere(opened_season: Season) -> None:
    assert [
        str(one)
        for one in verify(opened_season.config, opened_season.stored)
        if one.kind is not FindingKind.UNCHECKED
    ] == []


def test_scores_that_are_not_those_of_the_play_are_found(opened_season: Season) -> None:
    from arbiter.season.schedule import match_specs
    from arbiter.season.verify_findings import match_differences

    spec = next(
        iter(
            match_specs(
                opened_season.config, opened_season.stored.seed, 1, opened_season.stored.rounds()[0].tables
            )
        )
    )
    record = opened_season.stored.match(spec.id)
    assert record is not None
    assert record.scores is not None
    changed = replace(record, scores=tuple(tuple(reversed(row)) for row in record.scores))
    said = list(match_differences(opened_season.config.game, spec, changed, same_config=True))
    assert [text.partition(":")[0] for text in said] == ["scores"]
    assert list(match_differences(opened_season.config.game, spec, replace(record, scores=None), True)) == []


def test_records_of_earlier_versions_have_no_scores_and_keep_their_shape(opened_season: Season) -> None:
    record = opened_season.stored.match("r001/t01/m0")
    assert record is not None
    earlier = replace(record, scores=None)
    assert "scores" not in {**earlier.to_json(), **earlier.summary().to_json()}
    assert type(earlier).from_json(earlier.to_json()) == earlier
    with closing(Store("sqlite://")) as store:
        kept = store.make_season("s", "planning", "x")
        kept.add_match(record)
        kept.add_match(replace(earlier, id="r001/t01/m1"))
        assert [match.scores for match in kept.summaries()] == [record.scores, None]
