"""Pages and the API of a season: what is shown, what is not, by a calendar too, and what happens to odd addresses."""

from __future__ import annotations

import json
import re
from contextlib import ExitStack
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from arbiter.web.http.request_guard import POLICY
from arbiter.web.rendering.compression import static_url
from arbiter.web.rendering.template_filters import part, percent, sentence, soon, typeset, whole
from tests.fixtures.site import visiting
from tests.fixtures.zoo import Kept

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from starlette.testclient import TestClient

    from tests.fixtures.commands import Run


def test_standings_are_those_that_the_command_prints_officially(
    onlooker: TestClient, shown: Kept, arbiter: Run
) -> None:
    shape = onlooker.get("/api/v1/seasons/small/standings").json()
    printed = json.loads(arbiter("standings", shown.file, "--official", "--format", "json")[1])
    official = [row for row in shape["players"] if row["rank"] is not None]
    assert printed == {**shape, "players": official}
    assert all(row["rank_low"] <= row["rank"] <= row["rank_high"] <= len(official) for row in official)
    others = shape["players"][len(official) :]
    assert {(row["player"].partition("#")[0], row["rank"]) for row in others} == {("random", None)}


def test_who_leads_is_said_and_who_has_no_rank_is_shown_apart(onlooker: TestClient) -> None:
    page = onlooker.get("/seasons/small").text
    first = onlooker.get("/api/v1/seasons/small/standings").json()["first"]
    assert f"<bdi>{first['players'][0]}</bdi> is ahead after 2 rounds; its true rank is between 1 and" in page
    assert (first["over"], first["apart"]) == (False, False)
    assert "is rated but not ranked" in onlooker.get("/seasons/small/players/random").text
    assert page.count('<td class="n">–</td>') == 2
    standings, cross = (
        onlooker.get(f"/api/v1/seasons/small/{what}").json() for what in ("standings", "crosstable")
    )
    assert cross["players"] == [row["player"] for row in standings["players"]]


def test_a_crosstable_begins_with_its_surest_pair_and_marks_its_diagonal(onlooker: TestClient) -> None:
    table = onlooker.get("/api/v1/seasons/small/crosstable").json()
    page = onlooker.get("/seasons/small/crosstable").text
    surest = max(cell["los"] for row in table["cells"] for cell in row if cell)
    assert f"with a probability of {100 * surest:.1f}" in page
    assert page.count('class="self"') == len(table["players"])


def test_a_crosstable_shows_the_row_of_one_player(onlooker: TestClient) -> None:
    table = onlooker.get("/api/v1/seasons/small/crosstable").json()
    row = table["cells"][table["players"].index("p0")]
    page = onlooker.get("/seasons/small/crosstable?player=p0").text
    assert page.count('<th scope="row">') == sum(cell is not None for cell in row)
    assert "p0 against" in page
    assert "p0 against" not in onlooker.get("/seasons/small/crosstable?player=nobody").text


def test_players_have_the_colours_that_the_season_deals_on_pages_and_in_replays(onlooker: TestClient) -> None:
    page = onlooker.get("/seasons/small/standings").text
    shown = re.findall(r'/players/([\w%]+)"><svg class="pm p(\d+)"', page)
    assert {(f"p{n}", str(n)) for n in range(6)} <= set(shown)
    replay = onlooker.get("/api/v1/seasons/small/matches/r001-t01-m0/replay").json()
    assert {(part(one["name"]), str(one["mark"]["colour"])) for one in replay["players"]} <= set(shown)


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/seasons/none", 404), ("/seasons/small/players/none", 404), ("/seasons/small/rounds/99", 404),
        ("/seasons/small/rounds/x", 404), ("/seasons/small/rounds/%00", 404), ("/seasons/small/rounds/1e9", 404),
        ("/seasons/small?after_round=99", 404), ("/seasons/small?after_round=-1", 404),
        ("/seasons/small/matches/r001-t99-m0", 404), ("/seasons/..%2F..%2Fetc", 404), ("/%ff", 404),
        ("/static/../site.py", 404), ("/static/..%2Fsite.py", 404), ("/seasons/" + "x" * 3000, 414),
        ("/api/v1/seasons/none", 404), ("/api/v1/seasons/small/matches?limit=1000000000", 422),
        ("/api/v1/seasons/small/matches?cursor=-1", 422), ("/api/v1/seasons/small/matches?cursor=%2B1", 422),
        ("/api/v1/seasons/small/history?player=p1", 422), ("/api/v1/seasons?x=1", 422),
        ("/api/v1/seasons/small/events?x=1", 422), ("/api/v1/seasons/small/rounds/x", 422),
    ],
)  # fmt: skip
def test_odd_addresses_get_a_clear_status(onlooker: TestClient, address: str, status: int) -> None:
    answer = onlooker.get(address, follow_redirects=False)
    assert answer.status_code == status
    assert answer.headers["content-security-policy"] == POLICY
    assert "Traceback" not in answer.text
    if address.startswith("/api"):
        assert set(answer.json()["error"]) == {"code", "message", "hint"}


def test_a_match_is_found_by_its_id_as_json_has_it(onlooker: TestClient) -> None:
    for address in ("/seasons/small/matches/{}", "/api/v1/seasons/small/matches/{}/replay"):
        both = [onlooker.get(address.format(name)) for name in ("r001/t01/m0", "r001-t01-m0")]
        assert [answer.status_code for answer in both] == [200, 200]
        assert both[0].content == both[1].content


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "TRACE"])
def test_nothing_can_be_written(onlooker: TestClient, method: str) -> None:
    for address in ("/seasons/small", "/api/v1/seasons/small"):
        assert onlooker.request(method, address).status_code == 405


PACKED = {"accept-encoding": "gzip"}
WHOLE = {"accept-encoding": "identity"}


def test_style_and_scripts_come_compressed(onlooker: TestClient) -> None:
    whole = onlooker.get(f"{static_url()}/style.css", headers=WHOLE)
    packed = onlooker.get(f"{static_url()}/style.css", headers=PACKED)
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.text == whole.text
    assert {answer.headers["vary"] for answer in (whole, packed)} == {"accept-encoding"}


def test_whoever_has_a_script_keeps_it_for_good(onlooker: TestClient) -> None:
    sources = re.findall(r'(?:src|href)="(/static/[^"]+)"', onlooker.get("/seasons/small/live").text)
    kept = {onlooker.get(source).headers["cache-control"] for source in sources}
    assert kept == {"public, max-age=31536000, immutable"}


@pytest.mark.parametrize("name", ["style.css", "replay/dom.js", "0123456789abcdef/style.css"])
def test_an_address_of_another_version_leads_to_the_file_of_this_one(onlooker: TestClient, name: str) -> None:
    answer = onlooker.get(f"/static/{name}", follow_redirects=False)
    assert answer.headers["location"] == f"{static_url()}/{name.removeprefix('0123456789abcdef/')}"
    assert answer.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("page", ["/seasons/small/crosstable", "/api/v1/seasons/small/matches", "/seasons"])
def test_pages_and_answers_come_compressed_to_who_takes_it(onlooker: TestClient, page: str) -> None:
    whole, packed = onlooker.get(page, headers=WHOLE), onlooker.get(page, headers=PACKED)
    assert "content-encoding" not in whole.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.text == whole.text
    assert int(packed.headers["content-length"]) < int(whole.headers["content-length"]) / 2
    assert {answer.headers["vary"].lower() for answer in (whole, packed)} == {"accept-encoding"}


@pytest.mark.parametrize("form", ["gzip;q=0", "br", "identity", "gzip; q=0.0, br"])
def test_nothing_is_compressed_for_who_does_not_take_it(onlooker: TestClient, form: str) -> None:
    answer = onlooker.get("/seasons/small/crosstable", headers={"accept-encoding": form})
    assert "content-encoding" not in answer.headers


def test_the_tag_of_a_compressed_page_is_another_one(onlooker: TestClient) -> None:
    tags = [onlooker.get("/seasons/small", headers=form).headers["etag"] for form in (WHOLE, PACKED)]
    for tag, form, status in ((0, WHOLE, 304), (1, PACKED, 304), (0, PACKED, 200), (1, WHOLE, 200)):
        answer = onlooker.get("/seasons/small", headers={**form, "if-none-match": tags[tag]})
        assert answer.status_code == status
    weak = onlooker.get("/seasons/small", headers={**PACKED, "if-none-match": f'"x", W/{tags[1]}'})
    assert (weak.status_code, weak.content) == (304, b"")


def test_a_match_and_its_page_take_at_most_eight_requests(onlooker: TestClient) -> None:
    text = onlooker.get("/seasons/small/matches/r001-t02-m0").text
    sources = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', text))
    for source in sources:
        assert not re.search(r"^import ", onlooker.get(source).text, re.MULTILINE)
    # The page itself, and its replay.
    assert 2 + len(sources) <= 8


@pytest.fixture
def first(kept: Kept) -> datetime:
    """When round 1 was planned; the round that was under way is complete now."""
    kept.play()
    planned = kept.season.rounds()[0].planned
    assert planned is not None
    return planned


@pytest.fixture
def visit(kept: Kept) -> Iterator[Callable[[str], TestClient]]:
    """A client of a site over the season whose file has these lines, too."""
    with ExitStack() as stack:

        def visited(lines: str) -> TestClient:
            kept.file.write_text(f"{lines}\n{kept.file.read_text()}")
            return stack.enter_context(visiting(kept.file))

        yield visited


def test_the_next_round_is_told_with_its_moment(first: datetime, visit: Callable[[str], TestClient]) -> None:
    client = visit("every: 30m")
    begins = first + timedelta(minutes=90)
    season = client.get("/api/v1/seasons/small").json()
    assert season["next"] == {"round": 4, "begins": begins.isoformat()}
    for page in ("/small", "/small/live", ""):
        text = client.get(f"/seasons{page}").text
        assert f'Round 4 begins <time data-soon datetime="{begins.isoformat(timespec="seconds")}">' in text


def test_a_season_with_an_end_does_not_say_of_how_many_rounds(
    first: datetime, visit: Callable[[str], TestClient]
) -> None:
    client = visit("until: 2999-01-01T00:00+00:00")
    assert client.get("/api/v1/seasons/small").json()["until"] == "2999-01-01T00:00:00+00:00"
    text = client.get("/seasons/small").text
    assert "The last round ends before <time" in text
    assert "3 rounds complete" in text


@pytest.mark.parametrize("lines", ["", "every: 30m"])
def test_nothing_is_told_of_rounds_without_a_moment(
    kept: Kept, visit: Callable[[str], TestClient], lines: str
) -> None:
    """Without a calendar they follow at once; and here one is under way."""
    assert visit(lines).get("/api/v1/seasons/small").json()["next"] is None


def test_a_season_that_is_over_says_so(
    kept: Kept, first: datetime, visit: Callable[[str], TestClient]
) -> None:
    kept.season.publish_seed(3)
    client = visit("every: 30m")
    for page in ("", "/live"):
        assert "The season is over." in client.get(f"/seasons/small{page}").text


def test_a_season_that_is_closed_tells_of_no_further_round(
    kept: Kept, first: datetime, visit: Callable[[str], TestClient]
) -> None:
    kept.season.running.close("olga")
    assert visit("every: 30m").get("/api/v1/seasons/small").json()["next"] is None


def test_numbers_for_people_have_true_minus_signs_and_thin_spaces() -> None:
    assert [whole(-12.4), whole(-0.2), whole(None), percent(0.5)] == [
        "\u221212",
        "0",
        "\u2013",
        "50.0\u202f%",
    ]
    assert typeset("-2.94 at 95 %, 3-4 of r001-t01-m0") == "\u22122.94 at 95\u202f%, 3-4 of r001-t01-m0"
    assert typeset("<b> -1") == "&lt;b&gt; \u22121"


def test_a_moment_that_is_awaited_reads_well_without_scripts() -> None:
    assert soon("2026-12-01T18:00:00+00:00") == (
        '<time data-soon datetime="2026-12-01T18:00:00+00:00">at 2026-12-01 18:00 UTC</time>'
    )


def test_matches_come_with_the_newest_round_first(onlooker: TestClient) -> None:
    page = onlooker.get("/seasons/small/matches").text
    assert re.findall(r'scope="rowgroup" colspan="3">Round (\d)', page) == ["3", "2", "1"]


def test_a_result_begins_with_a_capital_and_words_the_fault() -> None:
    assert sentence("\u2068p3\u2069 forfeits: malformed", True) == "<bdi>p3</bdi> forfeits: a malformed reply"
    assert sentence("all draw with 3 points", True) == "All draw with 3 points"
