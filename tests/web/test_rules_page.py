"""The page of a season's rules: what is asked of a bot, in words and as JSON, and what to begin with."""

from __future__ import annotations

import html
import io
import json
import re
import zipfile
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from arbiter.contest.submissions.build_recipe import KNOWN, MAKES_PROGRAMS
from arbiter.contest.submissions.languages import Language
from arbiter.games import find, make
from arbiter.games.planning import Planning
from arbiter.games.samples import GAMES, PROTOCOL, manual_of
from arbiter.games.samples.sample_languages import LANGUAGES
from arbiter.table.llm.prompt_forms import rules_of
from arbiter.web.rendering.templates import sections
from arbiter.web.views.sample_trick import sample_trick
from tests.fixtures.site import Authored, authored, visiting
from tests.fixtures.zoo import CLEAN, TIMEOUT

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from tests.fixtures.zoo import Kept

RULES = "/seasons/small/rules"


def test_the_rules_say_what_is_played_and_what_a_bot_gets(site: Authored) -> None:
    page, shape = site.client.get(RULES).text, site.client.get(f"/api/v1{RULES}").json()
    assert shape["game"]["name"] == "planning"
    assert (
        shape["limits"]["time_says"]
        == "1 min for a match, and 100 ms more after each request that was answered"
    )
    for said in (
        "1 min for a match, and 100 ms more",
        "400 MB of memory",
        "follow suit if you can",
        "gen_declare",
    ):
        assert said in page
    assert {"option": "deals", "value": [[1, 0], [3, 1]]}.items() <= shape["game"]["options"][2].items()


def test_the_rules_begin_with_how_the_game_is_played_and_a_trick(site: Authored) -> None:
    page = site.client.get(RULES).text
    heads = re.findall(r'<h2 id="(\w+)"', page)
    trick = page[page.index('<figure class="trick">') : page.index("</figure>")]
    assert heads == ["play", "task"]
    assert page.index("</figure>") < page.index("follow suit if you can") < page.index('id="task"')
    assert len(re.findall(r"Seat [0-3] plays \w+ of \w+<", trick)) == 4
    assert re.search(r"Seat [0-3] takes the trick", trick)


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_a_trick_to_show(name: str) -> None:
    trick = sample_trick(make(name, {}))
    assert trick is not None
    assert trick.taker in {step.seat for step in trick.plays if step.faces}


def test_a_model_reads_a_manual_without_links_to_files() -> None:
    texts = [rules_of(make(name, {})) for name in GAMES]
    assert all("How a bot talks is the same in every game" in text for text in texts)
    assert [link for text in texts for link in re.findall(r"\]\((?!https://)[^)]*\)", text)] == []


def test_a_substitute_is_explained_where_it_appears(kept: Kept) -> None:
    kept.season.add_match(replace(kept.match(CLEAN), id=f"{CLEAN}+", substitute=1))
    kept.season.add_match(replace(kept.match(TIMEOUT), id=f"{TIMEOUT}+", substitute=2))
    with visiting(kept.file) as client:
        table, match, ended = (
            client.get(f"/seasons/small/{page}").text
            for page in (
                "rounds/1",
                f"matches/{CLEAN.replace('/', '-')}+",
                f"matches/{TIMEOUT.replace('/', '-')}",
            )
        )
    assert f'A <a href="{RULES}#substitute">substitute</a> is a house bot' in table
    assert f"has the seat of the player whose fault ended {CLEAN}." in match
    assert re.search(
        r"Played once more for the others.* with a substitute in seat 2, .* \(<a [^>]*>.*\+</a>\)\.", ended
    )


def test_an_author_is_led_to_appeals_and_the_comparison_of_programs(site: Authored) -> None:
    rules = site.client.get(RULES).text
    site.log_in("ann")
    page = site.client.get("/me").text
    for place in ("appeals", "comparison"):
        assert (f'id="{place}"' in rules, f'href="{RULES}#{place}"' in page) == (True, True)


def test_every_name_that_a_submission_may_have_stands_there(site: Authored) -> None:
    page, shape = site.client.get(RULES).text, site.client.get(f"/api/v1{RULES}").json()
    assert [one["name"] for one in shape["submissions"]["files"]] == list(KNOWN)
    assert all(f"<code>{name}</code>" in page for name in (*KNOWN, *MAKES_PROGRAMS, "bot.yaml"))


def test_the_machines_languages_and_libraries_are_told_without_their_places(
    site: Authored, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [Language("python3", "/opt/secret/bin/python3", "3.11.2", {"numpy": "1.26.4"})]
    monkeypatch.setattr("arbiter.web.views.rules.languages", lambda _: found)
    page, shape = site.client.get(RULES).text, site.client.get(f"/api/v1{RULES}").json()
    assert shape["languages"] == [{"word": "python3", "version": "3.11.2", "libraries": {"numpy": "1.26.4"}}]
    assert "numpy 1.26.4" in page
    assert "/opt/secret" not in page


def test_where_nothing_is_built_only_what_needs_no_build_is_named(kept: Kept) -> None:
    with authored(kept, "submissions: {builds: false}\n") as site:
        page = site.client.get(RULES).text
    assert "<code>bot.py</code>" in page
    assert "main.cpp" not in page


def test_a_season_that_takes_no_programs_has_rules_too(onlooker: TestClient) -> None:
    page = onlooker.get(RULES)
    assert (page.status_code, "How to begin" in page.text) == (200, False)
    assert onlooker.get(f"/api/v1{RULES}").json()["submissions"] is None
    assert onlooker.get("/seasons/none/rules").status_code == 404


def test_the_starter_kit_is_led_to_and_fits_the_seasons_terms(site: Authored) -> None:
    assert f'href="{RULES}"' in site.client.get("/seasons/small").text
    address = site.client.get(f"/api/v1{RULES}").json()["starter"]
    assert f'href="{address}"' in site.client.get(RULES).text
    answer = site.client.get(address)
    assert answer.headers["content-type"] == "application/zip"
    assert len(answer.content) <= 10_000
    check = site.client.get(f"/api/v1{RULES}").json()["check"]
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        readme = archive.read("README.md").decode()
    assert "--time 60s+100ms --option 'deals=[[1, 0], [3, 1]]' --" in check
    assert re.search(r" --site-version python3=3\.[\d.]+ -- python3 bot\.py$", check)
    assert check in readme
    assert site.client.get("/seasons/none/rules/starter.zip").status_code == 404


def test_kits_are_in_the_languages_that_the_machine_has(site: Authored) -> None:
    kits = {one["language"]: one["address"] for one in site.client.get(f"/api/v1{RULES}").json()["kits"]}
    assert kits["Python"].endswith("/rules/starter.zip?language=python")
    page = html.unescape(site.client.get(RULES).text)
    assert [address for address in kits.values() if f'href="{address}"' not in page] == []
    with zipfile.ZipFile(io.BytesIO(site.client.get(kits["Python"]).content)) as archive:
        assert json.loads(archive.read("bot.yaml").decode().removeprefix("command: ")) == [
            "python3",
            "bot.py",
        ]
    for unknown in ("cobol", "..%2f"):
        assert site.client.get(f"{RULES}/starter.zip?language={unknown}").status_code == 404


def test_where_nothing_is_built_kits_need_no_build(kept: Kept) -> None:
    with authored(kept, "submissions: {builds: false}\n") as site:
        kits = site.client.get(f"/api/v1{RULES}").json()["kits"]
    built = {language.title for language in LANGUAGES.values() if language.build}
    assert kits
    assert not built & {one["language"] for one in kits}


@pytest.mark.process
def test_a_plugins_manual_is_shown_and_its_html_is_text(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "# x\n\n## Rules\n\n<script>alert(1)</script> [docs](../a.md) [web](https://a.example/) ![p](b.png)\n\n"
    monkeypatch.setattr(Planning, "manual", f"{text}| a |\n|:-:|\n| `b` |\n")
    with authored(kept) as site:
        page = site.client.get(RULES).text
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page
    assert 'docs <a href="https://a.example/">web</a>' in page
    assert not {"<img", "style="} & {word for word in ("<img", "style=") if word in page}


@pytest.mark.parametrize("name", [*GAMES, PROTOCOL])
def test_each_manual_begins_with_rules_and_shows_no_link_that_leads_nowhere(name: str) -> None:
    found = sections(manual_of(name))
    assert found[0].title == ("Replies" if name == PROTOCOL else "Rules")
    assert not any(re.search('href="(?!https://)', one.body) for one in found)
    assert name == PROTOCOL or find(name).title


@pytest.mark.parametrize("manual", ["", "All that there is to say.\n"])
def test_a_manual_without_chapters_is_no_failure(manual: str) -> None:
    assert sections(manual) == ()
