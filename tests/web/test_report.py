"""A season in one file: what it holds, what it may run, what it does not tell."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from contextlib import closing
from hashlib import sha256
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from arbiter.replay.emblem import dealt
from arbiter.replay.visibility import Reader, replay_of
from arbiter.season.config import load
from arbiter.season.snapshot.reader import read_state
from arbiter.store import Store
from arbiter.web.rendering.template_filters import whole
from arbiter.web.views import report_file
from arbiter.web.views.report_file import make_report
from tests.fixtures.long_season import NAMES, TOLD, make_long_season
from tests.fixtures.zoo import DEALT, SEED

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fixtures.commands import Run
    from tests.fixtures.zoo import Kept


class Parsed(HTMLParser):
    """What stands in a file: addresses, inline scripts and styles, rows of tables by the heading above them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.run: list[tuple[str, str]] = []
        self.styled: list[str] = []
        self.policy = ""
        self.tags: set[str] = set()
        self.rows: dict[str, list[list[str]]] = {}
        self._within = self._id = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.add(tag)
        self.addresses += [
            value or "" for key, value in attrs if key in ("src", "href", "action", "data", "poster")
        ]
        self.styled += [value or "" for key, value in attrs if key == "style" or key.startswith("on")]
        if given.get("http-equiv"):
            self.policy = given["content"] or ""
        if tag == "h2":
            self._id = given.get("id") or ""
        if tag == "tr":
            self.rows.setdefault(self._id, []).append([])
        if tag in ("td", "th") and self.rows.get(self._id):
            self.rows[self._id][-1].append("")
        if tag in ("script", "style"):
            self._within = given.get("type") or tag
            self.run.append((self._within, ""))

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self._within = ""
        if tag == "table":
            self.rows[self._id] = [[" ".join(cell.split()) for cell in row] for row in self.rows[self._id]]
            self._id = ""

    def handle_data(self, data: str) -> None:
        if self._within:
            self.run[-1] = (self._within, self.run[-1][1] + data)
        elif self.rows.get(self._id) and self.rows[self._id][-1]:
            self.rows[self._id][-1][-1] += data


def report_of(file: Path, matches: int | None = 0) -> str:
    config = load(file)
    with closing(Store(config.store, create=False)) as store:
        season = store.season(config.season)
        assert season is not None
        return make_report(read_state(config, season), matches)


@pytest.fixture(scope="module")
def long_season(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report of a season of ten rounds of 16 players, which is over."""
    return report_of(make_long_season(tmp_path_factory.mktemp("long"), 10))


@pytest.mark.slow
def test_a_hundred_rounds_of_sixteen_players_would_take_less_than_two_megabytes(long_season: str) -> None:
    # What does not grow with the rounds are 82 kB.
    assert len(long_season.encode()) < 82_000 + (2_000_000 - 82_000) / 10
    assert long_season.count('<details class="round">') == 10


def test_it_leads_nowhere_and_runs_what_its_policy_names_alone(shown: Kept) -> None:
    text = report_of(shown.file)
    file = Parsed(text)
    assert {address for address in file.addresses if not address.startswith("#")} == {"data:,"}
    assert not file.styled
    assert not re.search(r"url\(|@import|https?:(?!//www\.w3\.org/)", text)
    hashes = [f"'sha256-{b64encode(sha256(body.encode()).digest()).decode()}'" for kind, body in file.run if kind != "application/json"]  # fmt: skip
    directives = dict(directive.split(" ", 1) for directive in file.policy.split("; "))
    assert sorted(hashes) == sorted(f"{directives['script-src']} {directives['style-src']}".split())
    assert directives["default-src"] == "'none'"


def test_a_row_a_player_tells_the_figures_of_the_command(shown: Kept) -> None:
    stored = shown.season.standings(2)
    assert stored is not None
    head, *rows = Parsed(report_of(shown.file)).rows["standings"]
    assert len(rows) == len(stored["players"])
    ranked = [row for row in stored["players"] if not row["player"].startswith("random")]
    others = [row for row in stored["players"] if row not in ranked]
    for number, (cells, row) in enumerate(zip(rows, [*ranked, *others], strict=True), 1):
        cell = dict(zip(head, cells, strict=True))
        assert cell["Rank"] == (str(number) if row in ranked else "–")
        for heading, key in (("Matches", "matches"), ("Won", "wins"), ("Drawn", "draws"), ("Lost", "losses"), ("Points", "points")):  # fmt: skip
            assert cell[heading] == f"{row[key]:.0f}"
        assert cell["Elo"] == whole(row["elo"])
        assert cell["95 % interval"] == f"{whole(row['low'])} to {whole(row['high'])}"
        assert cell["Player"].split()[0] == row["player"]


@pytest.mark.slow
def test_the_seed_is_told_when_the_season_is_over_and_no_sooner_and_words_of_others_are_text(
    long_season: str, shown: Kept
) -> None:
    assert SEED in long_season
    assert SEED not in report_of(shown.file, None)
    file = Parsed(long_season)
    assert not file.tags & {"img", "b"}
    assert {row[1] for row in file.rows["standings"]} >= {*NAMES}
    assert {row[-1] for row in file.rows["faults"][1:]} == {TOLD}


@pytest.mark.parametrize(("matches", "first"), [(0, None), (2, -2), (None, 0)])
def test_it_holds_as_many_replays_as_asked_for_as_the_public_may_see_them(
    matches: int | None, first: int | None, shown: Kept
) -> None:
    text = report_of(shown.file, matches)
    held = [json.loads(body) for kind, body in Parsed(text).run if kind == "application/json"]
    short = text[text.index('<h2 id="short"') : text.index('<h2 id="standings"')]
    chosen = [] if first is None else shown.season.summaries()[first:]
    last = {match.id for match in chosen}
    worth = {name.replace("-", "/") for name in re.findall(r'href="#([^"]+)"', short)}
    assert (len(worth) >= 2, worth - {one["id"] for one in held}) == (bool(chosen), set())
    held = [one for one in held if one["id"] in last]
    wanted = []
    for match in chosen:
        record, complete = shown.match(match.id), (match.round or 0) < 3
        seats = range(len(record.players) if complete else 0)
        viewer = [Reader("public"), *(Reader("seat", seat, author=False) for seat in seats)]
        with dealt(DEALT):
            wanted += [json.loads(json.dumps(replay_of(record, reader, complete))) for reader in viewer]
    assert held == wanted


def test_a_season_without_a_complete_round_has_a_report(shown: Kept, tmp_path: Path) -> None:
    config = tmp_path / "new.yaml"
    config.write_text(shown.file.read_text().replace("season: small", "season: new"))
    loaded = load(config)
    with closing(Store(loaded.store)) as store:
        text = make_report(read_state(loaded, store.make_season("new", "planning", SEED)))
    assert "No round is complete yet" in text


def test_the_command_writes_a_whole_file_and_says_where(shown: Kept, tmp_path: Path, arbiter: Run) -> None:
    out = tmp_path / "report.html"
    assert arbiter("report", shown.file, "--output", out) == (0, "", f"arbiter: wrote the report to {out}\n")
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [path.name for path in tmp_path.glob("*.html*")] == ["report.html"]


@pytest.mark.parametrize(
    ("more", "said", "code"),
    [
        (("--output", "none/report.html"), "No such file or directory", 2),
        (("--output", "."), "is a folder: name a file", 2),
        (("--output", "r.html", "--matches", "-1"), "expected a number or all, got '-1'", 2),
        (("--output", "r.html", "--store", "sqlite:///none.sqlite"), "there is no store none.sqlite", 5),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_in_a_line(
    more: tuple[str, ...], said: str, code: int, shown: Kept,
    arbiter: Run, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(shown.file.parent)
    told = arbiter("report", shown.file.name, *more)
    assert (told[0], said in told[2].splitlines()[-1]) == (code, True), told
    assert not list(shown.file.parent.glob("*.html"))


def test_beyond_its_limit_it_leaves_out_the_earliest_lists_and_says_how_to_get_them(
    shown: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = report_of(shown.file)
    limit = len(whole.encode()) - 1
    monkeypatch.setattr(report_file, "MOST_BYTES", limit)
    text = report_of(shown.file)
    assert len(text.encode()) <= limit
    rounds = text.split('<details class="round">')[1:]
    assert ["<table" in round_.partition("</details>")[0] for round_ in rounds] == [False, True, True]
    assert "the matches of round 1 are left out" in text
    assert "arbiter matches small.yaml --round 1" in text


def test_beyond_its_limit_it_leaves_out_the_earliest_replays_but_not_if_all_are_asked_for(
    shown: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = report_of(shown.file, None)
    limit = len(whole.encode()) // 2
    monkeypatch.setattr(report_file, "MOST_BYTES", limit)
    text = report_of(shown.file, 19)
    assert len(text.encode()) <= limit
    held = re.findall(r'<details class="replay" name="replay" id="([^"]+)"', text)
    stored = [match.id.replace("/", "-") for match in shown.season.summaries()]
    assert 0 < len(held) < len(stored)
    assert held == stored[-len(held) :]
    assert f"{len(stored) - len(held)} earlier replays are left out" in text
    assert len(report_of(shown.file, None)) == len(whole)
