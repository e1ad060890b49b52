"""A season played to its events, in memory: everything that happens is told once, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arbiter.errors import VoidMatch
from arbiter.match.record import Fault, Forfeit
from arbiter.season import administration
from arbiter.season.config import load
from arbiter.season.events import (
    ChangesAccepted,
    MatchStored,
    MatchVoid,
    RoundComplete,
    RoundPlanned,
    RoundsOver,
    SeasonComplete,
    StillSuspended,
    Stopped,
    Suspended,
)
from arbiter.season.season import Season
from arbiter.store import Store
from tests.fixtures.executor import Scripted
from tests.fixtures.records import by_name, record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec
    from arbiter.season.events import Event

CONFIG = (
    "game: planning\nisolation: plain\nrounds: 3\nseed: abc\nopening_rounds: 9\nsuspend_after: 2\nhouse_bots: [p7]\nplayers:\n"
    + "".join(f"  - {{name: p{n}, command: [python3], house: {str(n == 7).lower()}}}\n" for n in range(8))
)


@pytest.fixture
def store() -> Iterator[Store]:
    made = Store("sqlite://")
    yield made
    made.close()


def opened(folder: Path, store: Store, old: str = "", new: str = "") -> Season:
    """The season of the config, `old` in it replaced."""
    path = folder / "s.yaml"
    path.write_text(CONFIG.replace(old, new) if old else CONFIG)
    return Season.open(load(path), store)


def kinds(events: list[Event]) -> list[str]:
    """The names of the events, of many matches in a row one."""
    names = [type(event).__name__ for event in events]
    return [name for at, name in enumerate(names) if name != "MatchStored" or names[at - 1] != name]


class Faulty:
    """p3 forfeits all its matches, and one match is void the first time."""

    def __init__(self, void: str = "", times: int = 1) -> None:
        self._voids = [void] * times

    def __call__(self, spec: MatchSpec) -> MatchRecord:
        if spec.id in self._voids:
            self._voids.remove(spec.id)
            raise VoidMatch("no memory")
        names = tuple(player.name for player in spec.players)
        if "p3" not in names:
            return by_name(spec, {"p7#2": 1, "p7#3": 2})
        where = {"players": names, "table": spec.table, "rotation": spec.rotation}
        fault = Forfeit(names.index("p3"), "p3", Fault.CRASH, "ended", "gen_move", "")
        return record(spec.id, spec.round or 0, points=None, forfeit=fault, **where)


def test_a_whole_season_is_told(tmp_path: Path, store: Store) -> None:
    opened_season = opened(tmp_path, store)
    events = list(opened_season.play(Scripted(Faulty("r001/t01/m2"))))
    stored = [event.match.summary.id for event in events if isinstance(event, MatchStored)]
    assert len(stored) == len(set(stored)) == len(opened_season.stored.summaries())
    assert [event for event in events if isinstance(event, MatchVoid)] == [
        MatchVoid("r001/t01/m2", "no memory")
    ]
    assert [event for event in events if isinstance(event, Suspended)] == [
        Suspended("p3", 2, "its last 4 matches ended by its own fault")
    ]
    planned = [event for event in events if isinstance(event, RoundPlanned)]
    assert [(event.number, event.rounds, event.missing, event.total, event.at_once) for event in planned] == [
        (number, 3, 8, 8, 1) for number in (1, 2, 3)
    ]
    # The seed is a short one, which its hash would tell.
    assert [event.commitment for event in planned] == [None, None, None]
    complete = [event for event in events if isinstance(event, RoundComplete)]
    assert [event.standings["rounds_played"] for event in complete] == [1, 2, 3]
    assert complete[-1].standings == opened_season.results.standings()
    assert kinds(events)[0] == "RoundPlanned"
    assert kinds(events)[-5:] == [
        "RoundComplete",
        "RoundPlanned",
        "MatchStored",
        "RoundComplete",
        "SeasonComplete",
    ]
    assert events[-1] == SeasonComplete(3, "abc")
    assert list(opened_season.play(Scripted(Faulty()))) == [SeasonComplete(3, "abc")]


def test_who_is_suspended_is_told_when_it_begins_and_later_as_a_number(tmp_path: Path, store: Store) -> None:
    told = []
    for number in range(3):
        if number == 1:
            administration.suspend(opened(tmp_path, store).results, "p4", "why not")
        events = opened(tmp_path, store).play(Scripted(Faulty()), only_one=True)
        told.append([event for event in events if isinstance(event, Suspended | StillSuspended)])
    first = Suspended("p3", 2, "its last 4 matches ended by its own fault"), Suspended("p4", 2, "why not")
    assert told == [[], [*first], [StillSuspended(2)]]


def test_one_round_ends_with_its_standings(tmp_path: Path, store: Store) -> None:
    events = list(opened(tmp_path, store).play(Scripted(Faulty()), only_one=True))
    assert kinds(events) == ["RoundPlanned", "MatchStored", "RoundComplete"]


def test_fewer_rounds_than_the_config_has_leave_the_season_open(tmp_path: Path, store: Store) -> None:
    opened_season = opened(tmp_path, store)
    assert list(opened_season.play(Scripted(Faulty()), rounds=2))[-1] == RoundsOver(2, 3)


def test_a_wish_to_stop_ends_the_events(tmp_path: Path, store: Store) -> None:
    opened_season = opened(tmp_path, store)
    events: list[Event] = []
    for event in opened_season.play(Scripted(Faulty())):
        events.append(event)
        if isinstance(event, RoundComplete):
            opened_season.stored.ask_to_stop()
    assert kinds(events) == ["RoundPlanned", "MatchStored", "RoundComplete", "Stopped"]
    assert not opened_season.stored.asked_to_stop()
    goes_on = list(opened_season.play(Scripted(Faulty())))
    assert isinstance(events[-1], Stopped)
    assert goes_on[-1] == SeasonComplete(3, "abc")


def test_a_match_that_is_void_twice_ends_the_events_with_the_error(tmp_path: Path, store: Store) -> None:
    events: list[Event] = []
    with pytest.raises(VoidMatch, match="was void twice in a row"):
        events.extend(opened(tmp_path, store).play(Scripted(Faulty("r001/t01/m2", times=2))))
    assert sum(isinstance(event, MatchVoid) for event in events) == 2


def test_an_accepted_change_is_told_first(tmp_path: Path, store: Store) -> None:
    list(opened(tmp_path, store).play(Scripted(Faulty()), only_one=True))
    opened_season = opened(tmp_path, store, "suspend_after: 2", "suspend_after: 3")
    events = list(opened_season.play(Scripted(Faulty()), accept_changes=True, only_one=True))
    assert events[0] == ChangesAccepted("suspend_after: 2 -> 3")
    # It is still suspended: its own entry has not changed.
    assert kinds(events)[1:] == ["Suspended", "RoundPlanned", "MatchStored", "RoundComplete"]


def test_who_plays_again_because_of_a_change_is_told(tmp_path: Path, store: Store) -> None:
    list(opened(tmp_path, store).play(Scripted(Faulty()), only_one=True))
    opened_season = opened(tmp_path, store, "{name: p3,", "{name: p3, env: {A: b},")
    events = list(opened_season.play(Scripted(Faulty()), accept_changes=True, only_one=True))
    (accepted,) = [event for event in events if isinstance(event, ChangesAccepted)]
    assert accepted.what.endswith("; p3 is no longer suspended")
    assert "Suspended" not in kinds(events)
