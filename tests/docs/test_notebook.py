"""Replays in notebooks, and the notebook of the documentation.

Its cells are run in order in one namespace, the last value of each being shown as a notebook would: nbclient with a
kernel is some thirty packages more, and would test Jupyter, which has tests of its own.
"""

from __future__ import annotations

import ast
import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.errors import ConfigError, StoreError
from arbiter.games import find, names
from arbiter.notebook import ShownReplay
from arbiter.replay.visibility import Reader, replay_of
from arbiter.testing import match_spec, play_by_policy, random_policy
from arbiter.text import unmarked
from tests.docs.pages import skip_unless_concerned
from tests.fixtures.replays import faulty

if TYPE_CHECKING:
    from arbiter.match.record import MatchRecord

for package in ("gymnasium", "pettingzoo"):
    pytest.importorskip(package, reason=f"needs {package}: pip install 'arbiter-cards[envs]'")

from arbiter import envs  # noqa: E402  (after the check that it is there)
from arbiter.envs.argument_checks import NoMatch  # noqa: E402

HOWTO = Path(__file__).parents[2] / "docs" / "howto"
NOTEBOOK = HOWTO / "notebook.ipynb"


class Elements(HTMLParser):
    """The elements of a page with their attributes and the text within; as a browser takes it apart."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None], list[str]]] = []
        self._within = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs), []))
        self._within = True

    def handle_endtag(self, tag: str) -> None:
        self._within = False

    def handle_data(self, data: str) -> None:
        if self._within:
            self.found[-1][2].append(data)

    def texts(self, tag: str) -> list[str]:
        return ["".join(text) for name, _, text in self.found if name == tag]


def play_match(name: str = "planning", **more: Any) -> MatchRecord:
    game = find(name)()
    return play_by_policy(game, random_policy(3), match_spec(game, seed="3", **more))


def framed(replay: ShownReplay) -> tuple[dict[str, str | None], Elements]:
    [(tag, attributes, _)] = Elements(replay._repr_html_()).found
    page = attributes["srcdoc"]
    assert tag == "iframe"
    assert page == replay.page()
    return attributes, Elements(page)


@pytest.mark.parametrize("game", names())
def test_a_replay_is_a_page_in_a_frame_with_all_that_it_takes(game: str) -> None:
    record = play_match(game)
    attributes, page = framed(ShownReplay(record))
    assert attributes["sandbox"] == "allow-scripts"
    data, script = page.texts("script")
    assert json.loads(data) == json.loads(json.dumps(replay_of(record, Reader("full"))))
    policies = [one for _, one, _ in page.found if one.get("http-equiv") == "Content-Security-Policy"]
    for text in (script, *page.texts("style")):
        assert f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" in str(policies[0]["content"])
    assert "default-src 'none'" in str(policies[0]["content"])
    assert not [one for _, one, _ in page.found if {"src", "href"} & one.keys()]
    assert len(attributes["srcdoc"] or "") < 350_000


def test_a_reader_sees_what_it_may() -> None:
    record = play_match()
    replay = ShownReplay(record, reader="seat:2").replay
    assert replay == unmarked(dict(replay_of(record, Reader("seat", 2))))
    assert replay["deals"][0]["hands"][0] is None
    for wrong in ("seat:4", "all"):
        with pytest.raises(ConfigError, match=f"no reader {wrong!r}"):
            ShownReplay(record, reader=wrong)


def test_a_record_or_a_replay_may_come_from_a_file() -> None:
    record = play_match("codepiece")
    shape = json.loads(json.dumps(record.to_json()))
    assert ShownReplay(shape).replay == ShownReplay(record).replay
    shown = json.loads(json.dumps(ShownReplay(record).replay))
    assert ShownReplay(shown).replay is shown
    for wrong in (
        {},
        {"format": "arbiter-replay/2"},
        {"deals": 5},
        {**shape, "forfeit": "x"},
        {**shape, "deals": 5},
    ):
        with pytest.raises(StoreError, match="cannot be"):
            ShownReplay(wrong)
    others: tuple[object, ...] = ([], None, "match.json")
    for other in others:
        with pytest.raises(ConfigError, match="expected a match record or a replay"):
            ShownReplay(other)


def test_names_and_faults_end_nothing_that_they_stand_in() -> None:
    nasty = ("</script><script>alert(1)</script>", "'><img src=x>", "&quot;<!--", "\ud800\x00")
    record = faulty(play_match(), 9)
    changed = json.loads(json.dumps(record.to_json())) | {"players": list(nasty), "id": nasty[1]}
    changed["forfeit"]["detail"] = changed["forfeit"]["player"] = nasty[0]
    replay = ShownReplay(changed)
    _, page = framed(replay)
    assert [tag for tag, _, _ in page.found] == [
        "html",
        "meta",
        "meta",
        "meta",
        "title",
        "style",
        "main",
        "script",
        "script",
    ]
    assert [one["name"] for one in json.loads(page.texts("script")[0])["players"]] == list(nasty)
    replay._repr_html_().encode()


# From an environment.


@pytest.mark.parametrize("game", names())
def test_the_match_of_an_environment_is_a_record(game: str) -> None:
    for env in (envs.aec(game), envs.single(game)):
        with pytest.raises(NoMatch, match="play one to its end"):
            env.record()
        env.reset(seed=4)
        with pytest.raises(NoMatch, match="play one to its end"):
            env.record()
        while not env.play.over:
            env.step(env.observer.legal(env.play, env.play.turn)[0])
        record = env.record()
        assert record.points == env.play.totals
        assert ShownReplay(record).replay["result"]["points"] == list(env.play.totals)


def test_a_match_that_an_illegal_move_ended_is_no_whole_one() -> None:
    env = envs.aec("codepiece")
    env.reset(seed=1)
    env.step(60)
    with pytest.raises(NoMatch, match="no complete match"):
        env.record()


# The notebook of the documentation.


def cells(kind: str) -> list[str]:
    return [
        "".join(cell["source"])
        for cell in json.loads(NOTEBOOK.read_text())["cells"]
        if cell["cell_type"] == kind
    ]


def shown(value: object) -> str:
    """What a notebook shows of the last value of a cell."""
    if value is None:
        return ""
    as_html = getattr(value, "_repr_html_", None)
    return as_html() if as_html else repr(value)


def run(code: str, space: dict[str, Any]) -> str:
    *body, last = ast.parse(code).body
    if not isinstance(last, ast.Expr):
        body, last = [*body, last], ast.Expr(ast.Constant(None))
    exec(compile(ast.Module(body, []), str(NOTEBOOK), "exec"), space)
    ended = ast.fix_missing_locations(ast.Expression(last.value))
    return shown(eval(compile(ended, str(NOTEBOOK), "eval"), space))


@pytest.mark.slow
def test_the_notebook_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    skip_unless_concerned(NOTEBOOK)
    monkeypatch.chdir(tmp_path)
    space: dict[str, Any] = {"__name__": "__main__"}
    out = [run(code, space) for code in cells("code")]
    tables = [text for text in out if text.startswith("<svg ")]
    assert len(tables) == 3
    assert "is to declare" in tables[0]
    assert "is to play" in tables[1]
    assert "win" in tables[2]
    assert (tmp_path / "table.svg").read_text().startswith("<svg ")
    assert "95 % interval" in capsys.readouterr().out
    assert "'better than chance'" in out
    assert any(text.startswith("<p>better: the results favour +100") for text in out)
    assert out[-1].startswith("<iframe ")


def test_the_notebook_is_kept_without_outputs_and_leads_to_pages() -> None:
    kept = json.loads(NOTEBOOK.read_text())
    assert (kept["nbformat"], kept["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in kept["cells"]}) == len(kept["cells"])
    for cell in kept["cells"]:
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)
    links = re.findall(r"\]\(([^)#\s]+)", "\n".join(cells("markdown")))
    assert len(links) > 2
    assert all((HOWTO / link).exists() for link in links)
    for page in (HOWTO / "train-a-bot.md", HOWTO.parent / "reference" / "environments.md"):
        assert "notebook.ipynb)" in page.read_text()
