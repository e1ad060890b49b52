"""What has to be accepted before a season goes on: once its seed was told, every further round."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arbiter.errors import ConfigError
from arbiter.season.administration import annul
from arbiter.season.events import ChangesAccepted, MatchStored, RoundComplete, RoundsOver, SeasonComplete
from tests.fixtures.executor import Scripted
from tests.fixtures.made_up_seasons import of_kind, play, players
from tests.fixtures.records import by_name

if TYPE_CHECKING:
    from tests.fixtures.made_up_seasons import Opened

CONFIG = f"game: planning\nisolation: plain\nrounds: 2\nseed: abc\nsuspend_after: 0\nplayers:\n{players(8)}"
SHOWN = (
    "the seed was published after round 2: all later cards can be computed from it"
    " (begin another season, or give --accept-changes, or arbiter accept, to go on all the same)"
)
ACCEPTED = ChangesAccepted("round 3 is played although the seed was published after round 2")


def ended(opened: Opened) -> None:
    """A season whose two rounds are complete, so that its seed was told."""
    assert isinstance(play(opened())[-1], SeasonComplete)


def test_rounds_raised_before_the_seed_is_shown_are_free(opened: Opened) -> None:
    play(opened(), only_one=True)
    going = opened("rounds: 2", "rounds: 3")
    assert play(going)[-1] == SeasonComplete(3, "abc")
    assert going.stored.seed_told() == 3


def test_rounds_raised_after_it_ask_once_for_all_of_them(opened: Opened) -> None:
    ended(opened)
    raised = opened("rounds: 2", "rounds: 4")
    with pytest.raises(ConfigError) as caught:
        play(raised)
    assert str(caught.value) == f"{raised.config.file}: {SHOWN}"
    assert len(raised.stored.rounds()) == 2
    events = play(raised, accept_changes=True, only_one=True)
    assert of_kind(ChangesAccepted, events) == [ACCEPTED]
    assert isinstance(events[-1], RoundComplete)
    assert play(opened("rounds: 2", "rounds: 4"))[-1] == (SeasonComplete(4, "abc"))
    with pytest.raises(ConfigError, match="after round 4"):
        play(opened("rounds: 2", "rounds: 5"))


def test_the_round_that_completes_the_season_ends_it(opened: Opened) -> None:
    going = opened()
    assert isinstance(play(going, only_one=True)[-1], RoundComplete)
    assert going.stored.seed_told() is None
    assert play(going, only_one=True)[-1] == SeasonComplete(2, "abc")
    assert going.stored.seed_told() == 2
    with pytest.raises(ConfigError, match="the seed was published after round 2"):
        play(opened("rounds: 2", "rounds: 3"), only_one=True)


def test_the_last_round_ends_the_season_although_somebody_asked_to_stop(opened: Opened) -> None:
    going = opened("rounds: 2", "rounds: 1")
    events = []
    for event in going.play(Scripted(by_name)):
        events.append(event)
        if isinstance(event, RoundComplete):
            going.stored.ask_to_stop()
    assert events[-1] == SeasonComplete(1, "abc")
    assert not going.stored.is_asked_to_stop()


def test_matches_to_be_played_again_leave_the_season_open(opened: Opened) -> None:
    going = opened("rounds: 2", "rounds: 1")
    for event in going.play(Scripted(by_name), only_one=True):
        if isinstance(event, RoundComplete):
            annul(going.results, ["r001/t01/m0"], "a test", replay=True)
    assert going.stored.seed_told() is None
    assert play(going, only_one=True)[-1] == SeasonComplete(1, "abc")


def test_more_rounds_asked_for_by_the_command_ask_too(opened: Opened) -> None:
    ended(opened)
    with pytest.raises(ConfigError, match="the seed was published after round 2"):
        play(opened(), rounds=3)
    events = play(opened(), rounds=3, accept_changes=True)
    assert (events[0], events[-1]) == (ACCEPTED, SeasonComplete(3, "abc"))


def test_a_later_moment_to_end_asks_too_and_is_accepted_for_a_whole_run(opened: Opened) -> None:
    ended(opened)
    later = opened("rounds: 2", "rounds: 2\nuntil: 2999-01-01")
    with pytest.raises(ConfigError, match="the seed was published after round 2"):
        play(later)
    accepted, complete = [], 0
    for event in later.play(Scripted(by_name), accept_changes=True):
        accepted += [event] if isinstance(event, ChangesAccepted) else []
        complete += isinstance(event, RoundComplete)
        if complete == 3:
            later.stored.ask_to_stop()
    assert accepted == [ACCEPTED]
    assert later.stored.seed_told() == 5


def test_a_change_of_the_file_beside_it_is_named_too(opened: Opened) -> None:
    ended(opened)
    both = opened("rounds: 2", "rounds: 3\ntime: 5s")
    with pytest.raises(ConfigError) as caught:
        play(both)
    first, second = str(caught.value).splitlines()
    assert "time: 10s -> 5s" in first
    assert second.endswith(SHOWN)
    accepted = next(iter(both.play(Scripted(by_name), accept_changes=True)))
    assert accepted == ChangesAccepted(f"time: 10s -> 5s; {ACCEPTED.what}")


def test_a_round_begun_with_consent_is_finished_without_asking_again(opened: Opened) -> None:
    ended(opened)
    going = opened("rounds: 2", "rounds: 3").play(Scripted(by_name), accept_changes=True)
    next(event for event in going if isinstance(event, MatchStored))
    going.close()  # type: ignore[attr-defined]
    events = play(opened("rounds: 2", "rounds: 3"))
    assert events[-1] == SeasonComplete(3, "abc")


def test_fewer_rounds_than_the_config_has_tell_no_seed(opened: Opened) -> None:
    going = opened()
    assert play(going, rounds=1)[-1] == RoundsOver(1, 2)
    assert going.stored.seed_told() is None
