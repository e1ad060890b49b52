"""What is shown of matches as they end: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stderr
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from arbiter.cli.output import note
from arbiter.cli.progress import Bar, Journal, progress_text, show_progress
from arbiter.match.packing import pack_match
from arbiter.match.record import Fault, Forfeit
from arbiter.season.administration import OrderOutcome
from arbiter.season.events import (
    MatchStored,
    ReplaysRated,
    RoundAwaited,
    RoundComplete,
    RoundPlanned,
    RoundsOver,
)
from tests.fixtures.records import record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.season.events import Event

FORFEIT = Forfeit(2, "c", Fault.CRASH, "it exited with status 3", "gen_move", "")
STANDINGS = {"rounds_played": 1, "players": [{"player": "a", "elo": 12.0}]}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def lines(self) -> list[str]:
        """What stands there in the end: a line that is cleared is gone."""
        text = re.sub(r"\x1b\[1A", "", self.getvalue())
        shown = [re.split(r"\r?\x1b\[2K", line)[-1] for line in text.replace("\r\n", "\n").split("\n")]
        return [text for line in shown if (text := re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", line).strip())]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    return Terminal()


def season_events(rounds: int, total: int, there: int = 0, first: int = 1) -> Iterator[Event]:
    """The events of the rounds from `first` on; `there` matches of that one are stored already."""
    for number in range(first, rounds + 1):
        missing = total - (there if number == first else 0)
        yield RoundPlanned(number, rounds, missing, total, 2, None)
        for match in range(missing):
            yield MatchStored(pack_match(record(f"r{number:03d}/t01/m{match}", number)))
        yield RoundComplete(STANDINGS | {"rounds_played": number}, missing, 1.0)
    yield RoundsOver(rounds, rounds + 1)


def test_replays_end_with_what_their_decision_changed() -> None:
    def outcome(elo: float, points: int) -> OrderOutcome:
        then = [{"player": "a", "elo": 12.4, "points": 3}, {"player": "b", "elo": 0.0, "points": 2}]
        now = [{"player": "b", "elo": elo, "points": points}, {"player": "a", "elo": 12.0, "points": 3}]
        return OrderOutcome(("r001/t01/m0",), {"players": then}, {"players": now[:: 1 if elo > 12 else -1]})

    with redirect_stderr(io.StringIO()) as shown:
        show_progress([ReplaysRated(outcome(20.0, 5)), ReplaysRated(outcome(0.3, 2))], "small", Journal(None))
    assert shown.getvalue().splitlines() == [
        "arbiter: standings before the decision -> now:",
        "arbiter:   b: rank 2 -> 1, Elo 0 -> 20, points 2 -> 5",
        "arbiter:   a: rank 1 -> 2, Elo 12 -> 12, points 3 -> 3",
        "arbiter: standings before the decision and now: no rank, rating or points changed",
    ]


@pytest.mark.parametrize(
    ("done", "total", "played_matches", "seconds", "text"),
    [
        (0, 1600, 0, 5, "0 of 1600 matches"),
        (45, 1600, 45, 22.5, "45 of 1600 matches, 120 a minute, 12 min 58 s left"),
        (1, 9, 1, 240, "1 of 9 matches, 0.2 a minute, 32 min left"),
        (801, 1600, 1, 2, "801 of 1600 matches, 30 a minute, 26 min 38 s left"),
        (9, 9, 9, 9, "9 of 9 matches, 60 a minute"),
        (1, 2, 1, 0, "1 of 2 matches, 60000 a minute, 1 s left"),
    ],
)
def test_figures_tell_pace_and_time_left(
    done: int, total: int, played_matches: int, seconds: float, text: str
) -> None:
    assert progress_text(done, total, played_matches, seconds) == text


def test_a_bar_over_the_whole_season_goes_on_from_round_to_round(terminal: Terminal) -> None:
    with redirect_stderr(terminal):
        show_progress(season_events(4, 6, there=2, first=2), "s", Journal(None), whole=True)
    first, *rounds, bar, last = terminal.lines()
    assert first == "arbiter: s, round 2: 4 matches, 2 at once (2 are stored already)"
    assert [line.partition(":")[0] + line.partition(":")[2] for line in rounds] == [
        f"arbiter round {number}: {6 if number > 2 else 4} matches in 1 s; a leads with 12 Elo"
        for number in (2, 3, 4)
    ]
    assert re.fullmatch(r"round 4 of 4 ━+ 24 of 24 matches, \d+ a minute", bar)
    assert last == "arbiter: 4 of 5 rounds of s are complete"


def test_a_bar_over_a_round_counts_its_matches_alone(terminal: Terminal) -> None:
    with redirect_stderr(terminal):
        show_progress(season_events(2, 6, there=2, first=2), "s", Journal(None), each_match=True)
    assert re.fullmatch(r"round 2 of 2 ━+ 6 of 6 matches, \d+ a minute", terminal.lines()[1])


def test_while_a_round_is_waited_for_no_bar_moves(terminal: Terminal) -> None:
    moment = datetime(2026, 12, 1, 18, tzinfo=UTC)
    first, second = list(season_events(2, 2))[:4], list(season_events(2, 2))[4:]
    with redirect_stderr(terminal):
        show_progress([*first, RoundAwaited(2, moment), *second], "s", Journal(None), whole=True)
    waited = next(k for k, line in enumerate(terminal.lines()) if "round 2 begins at 2026-12-01" in line)
    assert "round 1 of 2" in terminal.lines()[waited - 1]
    assert "round 2 of 2" in terminal.lines()[-2]


def test_on_a_terminal_forfeits_and_notes_stand_above_the_bar(terminal: Terminal) -> None:
    with redirect_stderr(terminal), Bar() as bar:
        bar.show("round 1", 3)
        bar.show_match(record("r001/t01/m0").summary())
        bar.show_match(record("r001/t01/m1", points=None, forfeit=FORFEIT).summary())
        note("something else")
    forfeit, told, last = terminal.lines()
    assert forfeit == "r001/t01/m1: c forfeits (crash): it exited with status 3"
    assert told == "arbiter: something else"
    assert last.startswith("round 1 ")
    assert "2 of 3 matches" in last


@pytest.mark.parametrize(("each", "lines"), [(True, 2), (False, 1)])
def test_elsewhere_there_are_lines_of_matches_or_of_forfeits_alone(
    each: bool, lines: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with Bar(each) as bar:
        bar.show("round 1", 3)
        bar.show_match(record("r001/t01/m0").summary())
        bar.show_match(record("r001/t01/m1", points=None, forfeit=FORFEIT).summary())
    assert len(capsys.readouterr().err.splitlines()) == lines
