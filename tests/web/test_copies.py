"""Two programs side by side: for organisers, with passages that lead across, whatever stands in the sources."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from arbiter.contest.integrity.program_sources import LARGEST
from arbiter.season.config.submission_settings import SOURCE
from arbiter.season.roster import folder_of
from arbiter.web.pages.source_compare import MOST_LINES
from tests.contest.integrity.disguise import disguised
from tests.docs.pages import ROOT
from tests.fixtures.site import Authored

if TYPE_CHECKING:
    from httpx2 import Response

PIMC = (ROOT / "bots" / "python" / "planning_pimc.py").read_text()
OWN = (ROOT / "tests" / "fixtures" / "zoo.py").read_text()
"""None of what ships."""
API = "/api/v1/seasons/small/copies"


def take(site: Authored, author: str, text: str, name: str = "bot.py") -> None:
    """An author's next version plays, and lies on the shelf."""
    number = site.accept(author, text[:99])
    found = site.kept.season.submissions.one(number)
    assert found is not None
    place = folder_of(site.kept.config) / found.file / SOURCE
    place.mkdir(parents=True)
    (place / name).write_text(text)


@pytest.fixture
def pair(site: Authored) -> Authored:
    """An organiser looks on two authors with one source."""
    take(site, "ann", OWN)
    take(site, "ben", disguised(OWN))
    site.log_in("olga")
    return site


def shown(site: Authored, one: str = "ann%401", other: str = "ben%401") -> Response:
    return site.client.get(f"/admin/copies/{one}/{other}")


def test_every_passage_leads_across_and_back(pair: Authored) -> None:
    page = shown(pair).text
    left, right = (
        set(re.findall(rf'<a id="{side}(\d+)" href="#{other}\1"', page)) for side, other in ("ab", "ba")
    )
    assert left == right == {str(number) for number in range(1, len(left) + 1)} != set()
    assert "Have these two a common source?" in page


def test_what_the_page_shows_is_there_as_data(pair: Authored) -> None:
    told = pair.client.get(f"{API}/ann%401/ben%401", headers=pair.headers("olga")).json()
    assert [half["side"]["key"] for half in told["halves"]] == ["ann@1", "ben@1"]
    assert all(half["covered"] > 0.9 for half in told["halves"])
    lines = told["halves"][0]["files"][0]["lines"]
    assert "\n".join(lines) == OWN
    for passage in told["passages"]:
        for half, place in zip(told["halves"], passage["places"], strict=True):
            assert 1 <= place["first"] <= place["last"] <= len(half["files"][place["file"]]["lines"])


def test_a_sample_and_a_version_that_plays_no_more_are_shown(pair: Authored) -> None:
    take(pair, "ann", disguised(PIMC))
    for page in (shown(pair).text, shown(pair, "ann%402", "%40planning_pimc.py").text):
        assert 'id="a1"' in page
    for said in ("ann@2", "the sample planning_pimc.py", "made from the sample?"):
        assert said in page


def test_of_two_authors_what_was_handed_out_is_pale_and_no_passage(site: Authored) -> None:
    for author in ("ann", "ben"):
        take(site, author, PIMC)
    site.log_in("olga")
    assert "No passage of one is in the other." in shown(site).text


def test_sources_that_cannot_be_read_are_said_to_be_none(pair: Authored) -> None:
    take(pair, "ann", "#" * (LARGEST + 1))
    page = shown(pair, "ann%402").text
    assert "Nothing is compared: of ann@2 no source could be read." in page
    assert "Not compared: bot.py (it has 262,145 bytes; the limit is 262,144)." in page


def test_a_page_has_bounds_whatever_was_sent(site: Authored) -> None:
    take(site, "ann", OWN + "\n" * 20_000 + OWN)
    take(site, "ben", OWN)
    site.log_in("olga")
    page = shown(site)
    assert page.text.count("<tr") < 2 * MOST_LINES + 100
    assert "Only the first lines are shown" in page.text


@pytest.mark.parametrize(
    "keys", [("ann%401", "ann%401"), ("ann%401", "eve%401"), ("%40none.py", "ann%401"), ("ann", "%40%40")]
)
def test_what_is_not_there_is_not_found(pair: Authored, keys: tuple[str, str]) -> None:
    assert shown(pair, *keys).status_code == 404
    assert pair.client.get(f"{API}/{keys[0]}/{keys[1]}", headers=pair.headers("olga")).status_code == 404
