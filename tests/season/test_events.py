"""A season played to its events, in memory: everything that happens is told once, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter.errors import VoidMatch
from arbiter.season import administration
from arbiter.season.events import (
    ChangesAccepted,
    MatchStored,
    MatchVoid,
    RoundComplete,
    RoundPlanned,
    SeasonComplete,
    StillSuspended,
    Stopped,
    Suspended,
)
from tests.fixtures.executor import Scripted
from tests.fixtures.made_up_seasons import of_kind, play, players
from tests.fixtures.records import by_name, forfeited

if TYPE_CHECKING:
    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec
    from arbiter.season.events import Event
    from tests.fixtures.made_up_seasons import Opened

CONFIG = (
    "game: planning\nisolation: plain\nrounds: 3\nseed: abc\nopening_rounds: 9\nsuspend_after: 2\nhouse_bots: [p7]\n"
    f"players:\n{players(7)}  - {{name: p7, command: [python3], house: true}}\n"
)


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
        return forfeited(by_name(spec, {"p7#2": 1, "p7#3": 2}), "p3")


def test_a_whole_season_is_told(opened: Opened) -> None:
    opened_season = opened()
    events = play(opened_season, Faulty("r001/t01/m2"))
    stored = [event.match.summary.id for event in events if isinstance(event, MatchStored)]
    assert len(stored) == len(set(stored)) == len(opened_season.stored.summaries())
    assert of_kind(MatchVoid, events) == [MatchVoid("r001/t01/m2", "no memory")]
    assert of_kind(Suspended, events) == [Suspended("p3", 2, "its last 4 matches ended by its own fault")]
    planned = of_kind(RoundPlanned, events)
    assert [(event.number, event.rounds, event.missing, event.total, event.at_once) for event in planned] == [
        (number, 3, 8, 8, 1) for number in (1, 2, 3)
    ]
    # The seed is a short one, which its hash would tell.
    assert [event.commitment for event in planned] == [None, None, None]
    complete = of_kind(RoundComplete, events)
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
    assert play(opened_season, Faulty()) == [SeasonComplete(3, "abc")]


def test_who_is_suspended_is_told_when_it_begins_and_later_as_a_number(opened: Opened) -> None:
    told = []
    for number in range(3):
        if number == 1:
            administration.suspend(opened().results, "p4", "why not")
        events = opened().play(Scripted(Faulty()), only_one=True)
        told.append([event for event in events if isinstance(event, Suspended | StillSuspended)])
    first = Suspended("p3", 2, "its last 4 matches ended by its own fault"), Suspended("p4", 2, "why not")
    assert told == [[], [*first], [StillSuspended(2)]]


def test_a_wish_to_stop_ends_the_events(opened: Opened) -> None:
    opened_season = opened()
    events: list[Event] = []
    for event in opened_season.play(Scripted(Faulty())):
        events.append(event)
        if isinstance(event, RoundComplete):
            opened_season.stored.ask_to_stop()
    assert kinds(events) == ["RoundPlanned", "MatchStored", "RoundComplete", "Stopped"]
    assert not opened_season.stored.is_asked_to_stop()
    goes_on = play(opened_season, Faulty())
    assert isinstance(events[-1], Stopped)
    assert goes_on[-1] == SeasonComplete(3, "abc")


def test_an_accepted_change_is_told_first(opened: Opened) -> None:
    play(opened(), Faulty(), only_one=True)
    opened_season = opened("suspend_after: 2", "suspend_after: 3")
    events = play(opened_season, Faulty(), accept_changes=True, only_one=True)
    assert events[0] == ChangesAccepted("suspend_after: 2 -> 3")
    # It is still suspended: its own entry has not changed.
    assert kinds(events)[1:] == ["Suspended", "RoundPlanned", "MatchStored", "RoundComplete"]


def test_who_plays_again_because_of_a_change_is_told(opened: Opened) -> None:
    play(opened(), Faulty(), only_one=True)
    opened_season = opened("{name: p3,", "{name: p3, env: {A: b},")
    events = play(opened_season, Faulty(), accept_changes=True, only_one=True)
    (accepted,) = of_kind(ChangesAccepted, events)
    assert accepted.what.endswith("; p3 is no longer suspended")
    assert "Suspended" not in kinds(events)
