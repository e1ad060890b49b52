"""What the page of a match gives to take home: its replay with the command that plays it, an author's own log."""

from __future__ import annotations

import html
import re
import shlex
from typing import TYPE_CHECKING

import pytest

from tests.fixtures.site import Authored, visiting
from tests.fixtures.zoo import BROKEN_ROUND, Kept
from tests.web.test_authors_api import seat_of_ann

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.testclient import TestClient

    from tests.fixtures.commands import Run

MATCHES = "/seasons/small/matches"
PEOPLE = [word for seat in range(4) for word in ("--seat", f"{seat}=human")]


@pytest.mark.parametrize("match", ["r001-t02-m0", "r001-t01-m2"])
def test_a_seasons_replay_goes_through_the_moves_of_its_store(
    visitor: TestClient,
    kept: Kept,
    arbiter: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    match: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    page = html.unescape(visitor.get(f"{MATCHES}/{match}").text)
    link = re.search(r'<a href="(\S+)" download="(\S+)">Download', page)
    home, store = (
        re.search(rf'<code id="{name}-line".*?>(.*?)</code>', page) for name in ("home", "console")
    )
    assert link is not None
    assert home is not None
    assert store is not None
    (tmp_path / link[2]).write_bytes(visitor.get(link[1]).content)
    at_home, from_store = (shlex.split(found[1])[1:] for found in (home, store))
    assert at_home[at_home.index("--seat") + 1] == "0=bot:python3 bot.py"
    assert at_home[at_home.index("--time") + 1] == "60s+100ms"
    at_home = [*at_home[: at_home.index("--seat")], *PEOPLE]
    from_store[from_store.index("--config") + 1] = str(kept.file)
    played = [arbiter(*words, script="hands\nstate\n") for words in (at_home, [*from_store, *PEOPLE])]
    record = kept.season.match(match.replace("-", "/"))
    assert record is not None
    assert f"fed {len(record.moves)} of {len(record.moves)} recorded decisions" in played[0][1]
    assert played[0] == played[1]


def test_while_its_round_is_played_a_match_cannot_be_taken_home(visitor: TestClient, kept: Kept) -> None:
    early = next(one.id for one in kept.season.summaries() if one.round == BROKEN_ROUND)
    page = visitor.get(f"{MATCHES}/{early.replace('/', '-')}").text
    assert "Download the replay (JSON)" in page
    assert "--from-replay" not in page


def test_the_page_of_a_match_links_an_author_to_the_own_log(site: Authored) -> None:
    link = '<a href="/me/matches/r001-t02-m0/log?season=small">the log of your seat</a>'
    seat_of_ann(site, "r001/t02/m0", "")
    assert link in site.client.get(f"{MATCHES}/r001-t02-m0").text
    assert "the log of your seat" not in site.client.get(f"{MATCHES}/r001-t01-m0").text
    address = link.split('"')[1]
    assert site.client.get(address).headers["location"] == "/login"
    site.log_in("ann")
    assert "match r001/t02/m0, seat 1: ann@2" in site.client.get(address).text


def test_the_log_of_another_season_is_not_given_in_its_place(site: Authored) -> None:
    seat_of_ann(site, "r001/t02/m0", "")
    site.log_in("ann")
    assert site.client.get("/me/matches/r001-t02-m0/log?season=large").headers["location"] == "/login"
    assert site.client.get("/me/matches/r001-t02-m0/log").status_code == 200


def test_a_match_is_played_at_home_under_the_limits_of_its_round(kept: Kept) -> None:
    kept.file.write_text(kept.file.read_text().replace("time: 60s+100ms", "time: 5s"))
    with visiting(kept.file) as client:
        assert "m0.json --time 60s+100ms --seat" in client.get(f"{MATCHES}/r001-t02-m0").text
