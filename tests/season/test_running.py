"""Seasons that organisers paused or closed: what is still planned and played."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.errors import ConfigError
from arbiter.season.administration import close
from arbiter.season.config import load
from arbiter.season.season import Season
from tests.fixtures.zoo import Kept, play_match

if TYPE_CHECKING:
    from tests.fixtures.commands import Run


class Nobody:
    """Slots that nobody may use."""

    at_once = 1


def finish(kept: Kept) -> Season:
    """The kept season with the round that was under way."""
    opened_season = Season(kept.config, kept.season)
    plan = opened_season.rounds.plan()
    assert plan is not None
    for spec in plan.missing:
        kept.season.add_match(play_match(kept.config, spec))
    opened_season.rounds.finish(3)
    return opened_season


def test_a_paused_season_is_not_played(kept: Kept) -> None:
    kept.season.running.pause("olga")
    slots: Any = Nobody()
    with pytest.raises(ConfigError, match=r"small is paused since .*arbiter resume"):
        list(Season(kept.config, kept.season).play(slots))


def test_a_closed_season_ends_with_the_round_under_way(kept: Kept) -> None:
    kept.season.running.close("olga")
    season = finish(kept)
    assert season.rounds.plan() is None
    slots: Any = Nobody()
    (event,) = season.play(slots)
    assert type(event).__name__ == "SeasonComplete"
    assert kept.season.seed_told() == 3


def test_a_season_that_is_closed_between_rounds_ends_at_once_where_nobody_plays_it(kept: Kept) -> None:
    finish(kept)
    close(kept.season, "olga")
    assert kept.season.seed_told() == 3


def test_a_season_that_is_closed_while_it_is_played_is_ended_by_its_coordinator(kept: Kept) -> None:
    finish(kept)
    with kept.store.hold("small"):
        close(kept.season, "olga")
    assert kept.season.seed_told() is None


def test_a_season_that_is_closed_during_a_round_shows_no_seed_before_its_end(kept: Kept) -> None:
    close(kept.season, "olga")
    assert kept.season.seed_told() is None


def test_a_paused_season_that_is_closed_is_played_to_its_end(kept: Kept) -> None:
    kept.season.running.pause("olga")
    kept.season.running.close("olga")
    finish(kept)
    slots: Any = Nobody()
    (event,) = Season(kept.config, kept.season).play(slots)
    assert type(event).__name__ == "SeasonComplete"


def test_a_season_goes_on_at_the_command(arbiter: Run, kept: Kept) -> None:
    kept.season.running.pause("olga")
    assert "paused since" in arbiter("status", kept.file)[1]
    assert arbiter("resume", kept.file)[0] == 0
    assert json.loads(arbiter("status", kept.file, "--format", "json")[1])["paused"] is None
    with kept.store.hold("small"):
        assert "plays small already" in arbiter("resume", kept.file)[2]
    assert [(deed.who, deed.verb) for deed in kept.season.audit.last(9)] == [
        ("@console", "resume"),
        ("olga", "pause"),
    ]


def test_a_season_is_paused_at_the_command(arbiter: Run, kept: Kept) -> None:
    assert arbiter("pause", kept.file) == (0, "", "")
    assert kept.season.running.read().paused is not None
    assert "small is paused since" in arbiter("pause", kept.file)[2]
    assert [deed.verb for deed in kept.season.audit.last(9)] == ["pause"]


def test_a_season_that_was_stopped_is_ordered_to_go_on(arbiter: Run, kept: Kept) -> None:
    with kept.store.hold("small"):
        assert arbiter("stop", kept.file)[0] == 0
    stopped = kept.season.running.last_order()
    assert not stopped.goes_on
    assert arbiter("resume", kept.file) == (0, "", "")
    assert kept.season.running.last_order() > stopped
    assert kept.season.running.last_order().goes_on


def test_an_order_to_replay_a_match_makes_a_season_go_on_unless_it_is_stopped(
    arbiter: Run, kept: Kept
) -> None:
    before, match = kept.season.running.last_order(), min(kept.season.match_ids(1))
    assert arbiter("annul", kept.file, match, "--replay", "--because", "its machine was stopped")[0] == 0
    ordered = kept.season.running.last_order()
    assert ordered > before
    assert ordered.goes_on
    assert arbiter("pause", kept.file)[0] == 0
    assert not kept.season.running.last_order().goes_on
    assert arbiter("annul", kept.file, match, "--undo", "--because", "wrong match")[0] == 0
    assert arbiter("annul", kept.file, match, "--replay", "--because", "the right one")[0] == 0
    assert not kept.season.running.last_order().goes_on


def change(kept: Kept, old: str, new: str) -> Season:
    """The season with another line in its file, its last round complete."""
    finish(kept)
    kept.file.write_text(kept.file.read_text().replace(old, new))
    return Season(load(kept.file), kept.season)


def test_a_change_of_the_file_is_asked_about_and_accepted_once(arbiter: Run, kept: Kept) -> None:
    changed = change(kept, "time: 60s+100ms", "time: 30s")
    for _ in range(2):
        with pytest.raises(ConfigError, match=r"time: 60s\+100ms -> 30s .*arbiter accept"):
            changed.rounds.plan()
    asked = [deed.because for deed in kept.season.audit.last(9)]
    assert asked == ["time: 60s+100ms -> 30s"]
    assert json.loads(arbiter("status", kept.file, "--format", "json")[1])["asks"] == asked[0]
    assert kept.season.running.accept("olga") == asked[0]
    assert kept.season.running.accept("olga") is None
    plan = changed.rounds.plan()
    assert plan is not None
    assert (plan.stored.number, plan.accepted) == (4, asked[0])


def test_what_was_accepted_is_that_change_and_no_other(kept: Kept) -> None:
    changed = change(kept, "time: 60s+100ms", "time: 30s")
    with pytest.raises(ConfigError):
        changed.rounds.plan()
    kept.season.running.accept("olga")
    kept.file.write_text(kept.file.read_text().replace("time: 30s", "time: 31s"))
    with pytest.raises(ConfigError, match="-> 31s"):
        Season(load(kept.file), kept.season).rounds.plan()
    question = kept.season.running.question()
    assert question is not None
    assert question.because == "time: 60s+100ms -> 31s"


def test_a_change_that_was_taken_back_is_asked_about_no_more(kept: Kept) -> None:
    with pytest.raises(ConfigError):
        change(kept, "time: 60s+100ms", "time: 30s").rounds.plan()
    assert kept.season.running.question() is not None
    kept.season.add_round(4, kept.config.digest, [], {}, planned_at=datetime.now(UTC) + timedelta(minutes=1))
    assert kept.season.running.question() is None


def test_a_change_is_accepted_at_the_command_before_anybody_asks(arbiter: Run, kept: Kept) -> None:
    finish(kept)
    assert "small: nothing to accept" in arbiter("accept", kept.file)[2]
    text = kept.file.read_text().replace("  - {name: p5, command: [python3]}\n", "")
    kept.file.write_text(text + "isolation: plain\n")
    with kept.store.hold("small"):
        code, out, err = arbiter("accept", kept.file)
    assert (code, "p5 is withdrawn" in out) == (0, True)
    assert "to stop after the matches in flight; a site then continues by itself" in err
    assert kept.season.is_asked_to_stop()
    plan = Season(load(kept.file), kept.season).rounds.plan()
    assert plan is not None
    assert plan.stored.number == 4


def test_accept_prints_a_moved_deadline_before_and_after(arbiter: Run, kept: Kept) -> None:
    finish(kept)
    text = kept.file.read_text()

    def accepted(until: str) -> str:
        kept.file.write_text(f"{text}until: {until}\n")
        code, out, _ = arbiter("accept", kept.file)
        assert code == 0
        return out

    assert accepted("2099-01-01T18:00") == "deadline moved: until: not recorded -> 2099-01-01 18:00:00\n"
    assert (
        accepted("2099-01-08T18:00") == "deadline moved: until: 2099-01-01 18:00:00 -> 2099-01-08 18:00:00\n"
    )
    assert accepted("2099-01-08T18:00") == ""
    Season.open(load(kept.file), kept.store)
    assert [(entry.verb, entry.subject) for entry in kept.season.audit.last(9, verb="deadline")] == [
        ("deadline", "until")
    ] * 2
    kept.file.write_text(text)
    assert arbiter("accept", kept.file)[1] == "deadline moved: until: 2099-01-08 18:00:00 -> none\n"
