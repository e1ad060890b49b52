"""What has to be accepted before a season goes on: once its seed was told, every further round."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arbiter.errors import ConfigError
from arbiter.season.administration import annul
from arbiter.season.config import load
from arbiter.season.events import ChangesAccepted, MatchStored, RoundComplete, RoundsOver, SeasonComplete
from arbiter.season.season import Season
from arbiter.store import Store
from tests.fixtures.executor import Scripted
from tests.fixtures.records import by_name

if TYPE_CHECKING:
    from pathlib import Path

CONFIG = "game: planning\nisolation: plain\nrounds: 2\nseed: abc\nsuspend_after: 0\nplayers:\n" + "".join(
    f"  - {{name: p{n}, command: [python3]}}\n" for n in range(8)
)
SHOWN = (
    "the seed was shown after round 2: those who know it know every further card"
    " (begin another season, or give --accept-changes, or arbiter accept, to go on all the same)"
)
ACCEPTED = ChangesAccepted("round 3 is played though the seed was shown after round 2")


def open_season(folder: Path, store: Store, old: str = "", new: str = "") -> Season:
    """The season of the config, `old` in it replaced."""
    path = folder / "s.yaml"
    path.write_text(CONFIG.replace(old, new) if old else CONFIG)
    return Season.open(load(path), store)


def ended(folder: Path, store: Store) -> None:
    """A season whose two rounds are complete, so that its seed was told."""
    assert isinstance(list(open_season(folder, store).play(Scripted(by_name)))[-1], SeasonComplete)


def test_rounds_raised_before_the_seed_is_shown_are_free(tmp_path: Path, store: Store) -> None:
    list(open_season(tmp_path, store).play(Scripted(by_name), only_one=True))
    going = open_season(tmp_path, store, "rounds: 2", "rounds: 3")
    assert list(going.play(Scripted(by_name)))[-1] == SeasonComplete(3, "abc")
    assert going.stored.seed_told() == 3


def test_rounds_raised_after_it_ask_once_for_all_of_them(tmp_path: Path, store: Store) -> None:
    ended(tmp_path, store)
    raised = open_season(tmp_path, store, "rounds: 2", "rounds: 4")
    with pytest.raises(ConfigError) as caught:
        list(raised.play(Scripted(by_name)))
    assert str(caught.value) == f"{tmp_path / 's.yaml'}: {SHOWN}"
    assert len(raised.stored.rounds()) == 2
    events = list(raised.play(Scripted(by_name), accept_changes=True, only_one=True))
    assert [event for event in events if isinstance(event, ChangesAccepted)] == [ACCEPTED]
    assert isinstance(events[-1], RoundComplete)
    assert list(open_season(tmp_path, store, "rounds: 2", "rounds: 4").play(Scripted(by_name)))[-1] == (
        SeasonComplete(4, "abc")
    )
    with pytest.raises(ConfigError, match="after round 4"):
        list(open_season(tmp_path, store, "rounds: 2", "rounds: 5").play(Scripted(by_name)))


def test_the_round_that_completes_the_season_ends_it(tmp_path: Path, store: Store) -> None:
    going = open_season(tmp_path, store)
    assert isinstance(list(going.play(Scripted(by_name), only_one=True))[-1], RoundComplete)
    assert going.stored.seed_told() is None
    assert list(going.play(Scripted(by_name), only_one=True))[-1] == SeasonComplete(2, "abc")
    assert going.stored.seed_told() == 2
    with pytest.raises(ConfigError, match="the seed was shown after round 2"):
        list(open_season(tmp_path, store, "rounds: 2", "rounds: 3").play(Scripted(by_name), only_one=True))


def test_the_last_round_ends_the_season_although_somebody_asked_to_stop(tmp_path: Path, store: Store) -> None:
    going = open_season(tmp_path, store, "rounds: 2", "rounds: 1")
    events = []
    for event in going.play(Scripted(by_name)):
        events.append(event)
        if isinstance(event, RoundComplete):
            going.stored.ask_to_stop()
    assert events[-1] == SeasonComplete(1, "abc")
    assert not going.stored.asked_to_stop()


def test_matches_to_be_played_again_leave_the_season_open(tmp_path: Path, store: Store) -> None:
    going = open_season(tmp_path, store, "rounds: 2", "rounds: 1")
    for event in going.play(Scripted(by_name), only_one=True):
        if isinstance(event, RoundComplete):
            annul(going.results, ["r001/t01/m0"], "a test", replay=True)
    assert going.stored.seed_told() is None
    assert list(going.play(Scripted(by_name), only_one=True))[-1] == SeasonComplete(1, "abc")


def test_more_rounds_asked_for_by_the_command_ask_too(tmp_path: Path, store: Store) -> None:
    ended(tmp_path, store)
    with pytest.raises(ConfigError, match="the seed was shown after round 2"):
        list(open_season(tmp_path, store).play(Scripted(by_name), rounds=3))
    events = list(open_season(tmp_path, store).play(Scripted(by_name), rounds=3, accept_changes=True))
    assert (events[0], events[-1]) == (ACCEPTED, SeasonComplete(3, "abc"))


def test_a_later_moment_to_end_asks_too_and_is_accepted_for_a_whole_run(tmp_path: Path, store: Store) -> None:
    ended(tmp_path, store)
    later = open_season(tmp_path, store, "rounds: 2", "rounds: 2\nuntil: 2999-01-01")
    with pytest.raises(ConfigError, match="the seed was shown after round 2"):
        list(later.play(Scripted(by_name)))
    accepted, complete = [], 0
    for event in later.play(Scripted(by_name), accept_changes=True):
        accepted += [event] if isinstance(event, ChangesAccepted) else []
        complete += isinstance(event, RoundComplete)
        if complete == 3:
            later.stored.ask_to_stop()
    assert accepted == [ACCEPTED]
    assert later.stored.seed_told() == 5


def test_a_change_of_the_file_beside_it_is_named_too(tmp_path: Path, store: Store) -> None:
    ended(tmp_path, store)
    both = open_season(tmp_path, store, "rounds: 2", "rounds: 3\ntime: 5s")
    with pytest.raises(ConfigError) as caught:
        list(both.play(Scripted(by_name)))
    first, second = str(caught.value).splitlines()
    assert "time: 10s -> 5s" in first
    assert second.endswith(SHOWN)
    accepted = next(iter(both.play(Scripted(by_name), accept_changes=True)))
    assert accepted == ChangesAccepted(f"time: 10s -> 5s; {ACCEPTED.what}")


def test_a_round_begun_with_consent_is_finished_without_asking_again(tmp_path: Path, store: Store) -> None:
    ended(tmp_path, store)
    going = open_season(tmp_path, store, "rounds: 2", "rounds: 3").play(
        Scripted(by_name), accept_changes=True
    )
    next(event for event in going if isinstance(event, MatchStored))
    going.close()  # type: ignore[attr-defined]
    events = list(open_season(tmp_path, store, "rounds: 2", "rounds: 3").play(Scripted(by_name)))
    assert events[-1] == SeasonComplete(3, "abc")


def test_fewer_rounds_than_the_config_has_tell_no_seed(tmp_path: Path, store: Store) -> None:
    going = open_season(tmp_path, store)
    assert list(going.play(Scripted(by_name), rounds=1))[-1] == RoundsOver(1, 2)
    assert going.stored.seed_told() is None
