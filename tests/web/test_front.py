"""The front page of a season, and its duplicate boards: who leads, what happened, the same cards elsewhere."""

from __future__ import annotations

import csv
from statistics import fmean
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from arbiter.match.position import planned_deals
from arbiter.season.snapshot.duplicate_boards import board, round_boards
from arbiter.season.snapshot.front_page import front
from arbiter.season.snapshot.reader import read_state
from tests.fixtures.zoo import Kept

if TYPE_CHECKING:
    from starlette.testclient import TestClient

SEASON = "/api/v1/seasons/small"


def test_the_front_page_says_who_leads_and_what_to_watch(onlooker: TestClient) -> None:
    page = onlooker.get("/seasons/small").text
    found = onlooker.get(SEASON).json()
    assert found["standings"]["first"]["players"][0] in page
    assert f"/matches/{found['closest']['match']['id'].replace('/', '-')}" in page
    assert "Round 2 in short" in page
    assert found["about"] in page


def test_the_closest_match_is_won_by_least(shown: Kept) -> None:
    state = read_state(shown.config, shown.season)
    found = front(state)
    assert found is not None
    assert found["closest"] is not None
    margins = {}
    for match in state.matches:
        if match.round == 2 and match.points is not None and len({*match.points}) > 1:
            best = max(match.points)
            margins[match.id] = best - max(won for won in match.points if won != best)
    assert margins[found["closest"]["match"]["id"]] == min(margins.values())


def test_an_upset_is_won_by_who_was_rated_lower_before_the_round(shown: Kept) -> None:
    state = read_state(shown.config, shown.season)
    found = front(state)
    assert found is not None
    upset = found["upset"]
    assert upset is not None
    elo = {row["player"]: row["elo"] or 0.0 for row in state.standings_after(1)["players"]}
    match = upset["match"]
    assert match["round"] == 2
    won = max(elo.get(match["players"][seat], 0.0) for seat in match["winners"])
    assert won < max(elo.get(name, 0.0) for name in match["players"])


def test_a_round_that_is_not_complete_has_no_board(kept: Kept, visitor: TestClient) -> None:
    kept.play(matches=5)
    state = read_state(kept.config, kept.season)
    assert board(state, 3, 1) is None
    assert round_boards(state, 3) is None
    for path in ("/boards/3", "/boards/3/t01", "/boards/9", "/boards/1/t09", "/boards/1/x"):
        assert visitor.get(f"/seasons/small{path}").status_code == 404


def test_a_cell_of_a_board_is_the_match_with_that_deal(shown: Kept) -> None:
    state = read_state(shown.config, shown.season)
    found = board(state, 2, 1)
    assert found is not None
    assert len(found["deals"]) == len(planned_deals(shown.config.game, "", 2).deals)
    for deal in found["deals"]:
        assert [row["match"] for row in deal["rows"]] == [f"r002/t01/m{shift}" for shift in range(4)]
        for row in deal["rows"]:
            record = shown.season.match(row["match"])
            assert record is not None
            assert [cell["player"] for cell in row["cells"]] == list(record.players)
            scores = record.scores
            assert scores is not None
            before = scores[deal["deal"] - 1] if deal["deal"] else (0,) * 4
            after = scores[deal["deal"]]
            gained = [now - then for now, then in zip(after, before, strict=True)]
            assert [cell["points"] for cell in row["cells"]] == gained
            assert all("declared" in cell["made"] for cell in row["cells"])
            hands = record.deals[deal["deal"]]["hands"]
            assert deal["hands"] is not None
            assert [sorted(hand) for hand in deal["hands"]] == [sorted(hand) for hand in hands]


def test_the_best_and_the_worst_with_the_same_cards_are_marked_and_over_all_rotations_luck_cancels(
    shown: Kept,
) -> None:
    found = board(read_state(shown.config, shown.season), 2, 1)
    assert found is not None
    assert sum(row["ahead"] for row in found["totals"]) == pytest.approx(0, abs=1e-9)
    assert {round(row["par"], 9) for row in found["totals"]} == {round(fmean(found["par"]), 9)}
    for row in found["totals"]:
        assert found["ahead"][row["player"]] == pytest.approx(row["ahead"])
        assert sum(deal["ahead"][row["player"]] for deal in found["deals"]) == pytest.approx(row["ahead"])
    for deal in found["deals"]:
        for seat in range(4):
            cells = [row["cells"][seat] for row in deal["rows"]]
            points = [cell["points"] for cell in cells]
            assert deal["par"][seat] == pytest.approx(fmean(points))
            for cell in cells:
                alone = points.count(cell["points"]) == 1
                assert cell["best"] == (alone and cell["points"] == max(points))
                assert cell["worst"] == (alone and cell["points"] == min(points))


def test_a_match_leads_to_what_others_made_of_its_cards_deal_by_deal(onlooker: TestClient) -> None:
    match = onlooker.get("/seasons/small/matches/r002-t01-m0").text
    assert '<a href="/seasons/small/boards/2/t01">What the others did with the same cards</a>' in match
    page, found = (onlooker.get(f"{of}/seasons/small/boards/2/t01") for of in ("", "/api/v1"))
    first = next(iter(found.json()["ahead"]))
    head = page.text.split('<table class="traveller">')[1].split("</thead>")[0]
    assert head.index(f">{first}<") == min(head.index(f">{name}<") for name in found.json()["ahead"])
    for deal in (1, 2):
        assert f'href="#deal-{deal}"' in page.text and f'<div id="deal-{deal}">' in page.text


def test_an_annulled_match_is_on_no_board(shown: Kept, onlooker: TestClient) -> None:
    state = read_state(shown.config, shown.season)
    state.__dict__["annulled"] = {"r002/t01/m1": "a power cut"}
    found = board(state, 2, 1)
    assert found is not None
    assert "r002/t01/m1" not in str(found)
    assert onlooker.get("/seasons/small/boards/2/t01").status_code == 200


def test_two_players_have_a_page_of_their_own(onlooker: TestClient) -> None:
    found = onlooker.get(f"{SEASON}/players/p0/vs/p1").json()
    assert found["players"] == ["p0", "p1"]
    assert all({"p0", "p1"} <= set(match["players"]) for match in found["matches"])
    cells = onlooker.get(f"{SEASON}/crosstable").json()
    names = cells["players"]
    assert found["cell"] == cells["cells"][names.index("p0")][names.index("p1")]
    page = onlooker.get("/seasons/small/players/p0/vs/p1")
    assert page.status_code == 200
    assert "against" in page.text
    for path in ("p0/vs/p0", "p0/vs/nobody", "nobody/vs/p0"):
        assert onlooker.get(f"/seasons/small/players/{path}").status_code == 404


def test_a_feed_has_an_entry_for_each_complete_round(onlooker: TestClient) -> None:
    answer = onlooker.get("/seasons/small/feed.atom")
    assert answer.headers["content-type"] == "application/atom+xml"
    atom = "{http://www.w3.org/2005/Atom}"
    feed = ElementTree.fromstring(answer.content)
    titles = [entry.findtext(f"{atom}title") for entry in feed.iter(f"{atom}entry")]
    assert titles == ["Round 2 is complete", "Round 1 is complete"]
    own = ElementTree.fromstring(onlooker.get("/seasons/small/players/p0/feed.atom").content)
    assert all(
        "p0 after round" in (entry.findtext(f"{atom}title") or "") for entry in own.iter(f"{atom}entry")
    )
    assert onlooker.get("/seasons/small/players/nobody/feed.atom").status_code == 404


def test_the_calendar_has_the_rounds(onlooker: TestClient) -> None:
    answer = onlooker.get("/seasons/small/calendar.ics")
    assert answer.headers["content-type"].startswith("text/calendar")
    lines = answer.text.split("\r\n")
    assert lines[0] == "BEGIN:VCALENDAR"
    assert "SUMMARY:small: round 1" in lines
    assert all(len(line.encode()) <= 75 for line in lines)


def test_pages_lead_to_their_figures_as_json_and_csv(onlooker: TestClient) -> None:
    for path in (
        "",
        "/standings",
        "/crosstable",
        "/rounds/1",
        "/players/p0",
        "/boards/1/t01",
        "/players/p0/vs/p1",
    ):
        page = onlooker.get(f"/seasons/small{path}").text
        assert f'href="{SEASON}{path}"' in page
    rows = list(csv.DictReader(onlooker.get("/seasons/small/standings.csv").text.splitlines()))
    told = onlooker.get(f"{SEASON}/standings").json()["players"]
    assert [row["player"] for row in rows] == [row["player"] for row in told]
    assert [row["wins"] for row in rows] == [str(row["wins"]) for row in told]
    cells = list(csv.DictReader(onlooker.get("/seasons/small/crosstable.csv").text.splitlines()))
    won = {(cell["player"], cell["opponent"]): (cell["wins"], cell["losses"]) for cell in cells}
    assert all(won[other, name] == (lost, wins) for (name, other), (wins, lost) in won.items())
