"""Lists of the matches that a player lost, and of those that a fault ended."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from arbiter.cli.match_filter import MatchFilter, find_names
from arbiter.errors import ConfigError
from arbiter.match.record import Fault, MatchSummary
from tests.fixtures.replays import faulty, match_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fixtures.commands import Run

PLAYERS = ("ann@2", "ben", "cleo", "dan")
WON = MatchSummary("m1", 1, 1, 0, PLAYERS, (9, 1, 2, 3))
LOST = MatchSummary("m2", 1, 1, 0, PLAYERS, (1, 9, 2, 3))
OWN_FAULT = MatchSummary("m3", 1, 1, 0, PLAYERS, None, faulty=0, fault=Fault.CRASH)
OTHERS_FAULT = MatchSummary("m4", 1, 1, 0, PLAYERS, None, faulty=1, fault=Fault.CRASH)


@pytest.mark.parametrize(
    ("lost", "forfeits", "listed"),
    [
        (None, False, ["m1", "m2", "m3", "m4"]),
        ("ann", False, ["m2", "m3"]),
        ("ann@2", False, ["m2", "m3"]),
        ("ann@1", False, []),
        (None, True, ["m3", "m4"]),
        ("ann", True, ["m3"]),
    ],
)
def test_a_match_is_lost_by_a_fault_or_with_fewer_points(
    lost: str | None, forfeits: bool, listed: list[str]
) -> None:
    wanted = MatchFilter(lost, forfeits)
    assert [match.id for match in (WON, LOST, OWN_FAULT, OTHERS_FAULT) if wanted.accepts(match)] == listed


def test_a_name_without_a_version_is_all_of_them() -> None:
    rated = ["ann@1", "ann@2", "anna", "dora#2"]
    assert find_names("ann", rated) == ("ann@1", "ann@2")
    assert find_names("ann@2", rated) == ("ann@2",)
    assert find_names("dora", rated) == ("dora#2",)
    with pytest.raises(ConfigError, match="did you mean ann"):
        find_names("anne", rated)


def test_a_file_lists_forfeits_with_their_numbers(arbiter: Run, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    whole = match_of("planning")
    records = (whole, faulty(whole, 2), whole)
    path.write_text("".join(json.dumps(record.to_json()) + "\n" for record in records))
    code, out, _ = arbiter("show", path, "--forfeits")
    assert (code, [line.split()[0] for line in out.splitlines() if "r001/" in line]) == (0, ["2"])
    name = whole.players[faulty(whole, 2).forfeit.seat]  # type: ignore[union-attr]
    assert "  2   r001/t01/m0" in arbiter("show", path, "--lost", name)[1]
    assert arbiter("show", path, "--lost", "nobody")[0] == 2
    assert "arbiter show" in arbiter("matches", path)[2]
    assert "read it with arbiter show" in arbiter("standings", path)[2]
