"""One browser, several seasons: each token adds one, every key is new at each login, a logout ends them all."""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from arbiter.contest.submissions.author_accounts import add_authors, hash_of
from arbiter.season.config import load
from arbiter.season.season import Season
from arbiter.store import Store
from arbiter.web.http.authentication import SEPARATOR, SESSION
from tests.fixtures.site import TERMS, Authored, archive, proof, visiting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fixtures.zoo import Kept


@pytest.fixture(params=["sqlite:///other.sqlite", "sqlite:///small.sqlite"])
def site(kept: Kept, request: pytest.FixtureRequest) -> Iterator[Authored]:
    """Seasons small and other, in two stores or in one; ann is an author of both, and olga an organiser of other."""
    kept.file.write_text(kept.file.read_text() + TERMS)
    other = kept.file.with_name("other.yaml")
    other.write_text(
        f"store: {request.param}\n" + kept.file.read_text().replace("season: small", "season: other")
    )
    config = load(other)
    with closing(Store(config.store)) as store:
        begun = Season.open(config, store).stored
        tokens = dict(add_authors(load(kept.file), kept.season, ["ann"], False, "test"))
        tokens["ann in other"] = dict(add_authors(config, begun, ["ann"], False, "test"))["ann"]
        tokens |= dict(add_authors(config, begun, ["olga"], True, "test"))
        with visiting(kept.file, other, follow_redirects=False) as client:
            yield Authored(client, kept, tokens)


def seasons_of(site: Authored) -> set[str]:
    """For which seasons the login's page says that the browser is logged in."""
    return set(re.findall(r'href="/(?:me|admin)\?season=(\w+)"', site.client.get("/login").text))


def test_the_list_of_seasons_says_who_leads_and_shows_those_that_have_begun_first(site: Authored) -> None:
    page = site.client.get("/seasons").text
    first = site.client.get("/api/v1/seasons/small/standings").json()["first"]
    assert re.findall(r'<h2 id="season-\d"><a href="/seasons/(\w+)"', page) == ["small", "other"]
    assert f"<bdi>{first['players'][0]}</bdi> is ahead after 2 rounds" in page
    assert '<a class="button" href="/seasons/small/matches">Replays</a>' in page
    assert '<a class="button" href="/me?season=other">Take part</a>' in page
    assert '<a href="/login">Log in</a>' in page


def test_a_second_token_adds_its_season(site: Authored) -> None:
    assert site.log_in("ann").headers["location"] == "/me"
    assert site.log_in("ann in other").headers["location"] == "/me?season=other"
    assert seasons_of(site) == {"small", "other"}
    for season in ("small", "other"):
        page = site.client.get(f"/me?season={season}").text
        assert f'<a href="/me?season={season}" aria-current="page">' in page
        assert f'action="/me/submissions?season={season}"' in page


def test_what_is_sent_goes_to_the_season_of_its_form(site: Authored) -> None:
    site.log_in("ann")
    site.log_in("ann in other")
    files = {"archive": ("a.zip", archive(), "application/zip")}
    fields = {"proof": proof(site.client.get("/me?season=other"))}
    answer = site.client.post("/me/submissions?season=other", data=fields, files=files)
    assert re.fullmatch(r"/me/submissions/\d+\?season=other", answer.headers["location"])
    assert site.client.get(answer.headers["location"]).status_code == 200
    assert site.kept.season.submissions.of("ann") == []


def test_a_season_for_which_nobody_is_logged_in_asks_for_its_token(site: Authored) -> None:
    site.log_in("ann")
    assert site.client.get("/me?season=other").headers["location"] == "/login"
    assert site.client.get("/me?season=small").status_code == 200
    assert seasons_of(site) == {"small"}
    assert site.upload(archive()).headers["location"].startswith("/me/submissions/")


def test_another_token_of_a_season_takes_the_place_of_the_first(site: Authored) -> None:
    site.log_in("ann in other")
    site.log_in("ann")
    assert site.log_in("olga").headers["location"] == "/admin?season=other"
    assert site.client.get("/admin?season=other").status_code == 200
    assert site.client.get("/admin?season=small").status_code == 404
    assert site.client.cookies[SESSION].count(SEPARATOR) == 1


def test_every_key_is_new_at_each_login_and_a_logout_ends_them_all(site: Authored) -> None:
    site.log_in("ann")
    first = site.client.cookies[SESSION]
    site.log_in("ann in other")
    both = site.client.cookies[SESSION]
    assert first not in both.split(SEPARATOR)
    assert site.kept.season.authors.by_session(hash_of(first)) is None
    site.client.post("/logout", data={"proof": proof(site.client.get("/me"))})
    site.client.cookies.set(SESSION, both)
    assert site.client.get("/me?season=small").status_code == 303
    assert site.client.get("/me?season=other").status_code == 303
