"""The documentation does what it says: every command block is run, every link leads somewhere."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import ExitStack, redirect_stdout
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from click.testing import CliRunner

from arbiter.cli import exit_code
from rating.cli import main as rating
from tests.docs.pages import ROOT, blocks, concerns, skip_unless_concerned
from tests.fixtures.commands import COMPILED
from tests.fixtures.served_site import serving

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
IN_PYTHON = ROOT / "docs" / "tutorial" / "in-python.md"
"""Its Python is run, too, and prints the texts below it."""
WALKED = ROOT / "docs" / "howto" / "add-a-game.md"
"""Run by a test of its own, since it needs a package of its own."""
NEEDS = {
    IN_PYTHON: "gymnasium",
    ROOT / "docs" / "howto" / "train-with-torch.md": "sb3_contrib",
    ROOT / "docs" / "howto" / "train-the-learned-bot.md": "torch",
}
"""Packages that not all who run the tests have: where they are missing, these pages are skipped."""
SHORTER = {
    # Two bots a match instead of four, who know nearly all cards: the better one wins nearly always.
    r"^game: \{name: planning, deals: \[\[3, 0\].*": (
        "game: {name: planning, seats: 2, deck: 123456 AB, deals: [[6, 0], [6, 1], [6, 0]]}"
    ),
    r"^game: planning\b.*": "game: {name: planning, deals: [[3, 0], [4, 1]]}",
    r"^game: \{name: chefs_hat, matches: 3": "game: {name: chefs_hat, matches: 1",
    # Of the league one table: it keeps its first two players, beginner, greedy-5 and the house bot.
    r"^  - name: pimc-10\n.*\n": "",
    r"^  # A new version is.*\n.*\n.*\n.*\n": "",
    r"^MATCHES, RATE = \d+": "MATCHES, RATE = 20",
    r"\bdeals=100\b": "deals=2",
    r"\brounds=10\b": "rounds=1",
    r"^STEPS = [\d_]+": "STEPS = 1",
    r"\brounds=30\b": "rounds=2",
    r"\bblocks: 25$": "blocks: 1",
    r"\bblocks: 4\b": "blocks: 2",
    r"\bmarks\.py bots/python/planning_greedy\.py": "marks.py",
    r"--budget 2s\b": "--budget 100ms",
    r"^arbiter attack\b": "arbiter attack --only fork_bomb",
    r"\bat_least: 50$": "at_least: 20",
    r"^iterations: 100\b": "iterations: 2",
    r"--matches 30\b": "--matches 6",
    r"^test: \{elo1: 60\}": "test: {elo1: 60, max_blocks: 2}",
    # Shipped bots but the learned need no packages, and start twice as quickly where none are looked for.
    r"\[python3, (?=\S*bots/(?!learned))": "[python3, -S, ",
    r"\bpython3 (?=bots/(?!learned))": "python3 -S ",
}
"""What takes long in the files of readers, and what shows as well that their commands work."""
if COMPILED.exists():
    # Players of seasons: which program plays matters to no command, but to `review`, which asks pimc.
    SHORTER[
        r"(\bname: \S+,?\s+(?:version: \d+,?\s+)?command: \[)python3, (?:-S, )?(\S*bots/)python/planning_greedy\.py[^\]]*"
    ] = r"\1\2cpp/build/planning_random"
    SHORTER[r"\bpython3,? -S,? (\S*bots/)python/planning_random\.py"] = r"\1cpp/build/planning_random"
TOGETHER = re.compile(r"^isolation: auto\b|^(?=game: )(?!(?s:.*)^isolation: )", re.MULTILINE)
"""In seasons of all pages but the tutorials: a system in memory takes longer to make than their matches to play."""
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def pages_with(language: str) -> list[Path]:
    return [page for page in PAGES if any(kind == language for kind, _, _ in blocks(page))]


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.fixture
def workplace(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder, the current one, in which a reader's commands find the shipped bots and configs, and one core."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[os.getpid() % len(cores)]})
    (tmp_path / "bots").symlink_to(ROOT / "bots")
    shutil.copytree(ROOT / "configs", tmp_path / "configs", ignore=shutil.ignore_patterns("*.sqlite*"))
    shorten(page, tmp_path / "configs")
    monkeypatch.chdir(tmp_path)
    with open(os.devnull) as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        yield tmp_path


# A page is many commands: beside other work it takes longer than other tests may.
@pytest.mark.timeout(600)
@pytest.mark.process
@pytest.mark.parametrize("page", [page for page in pages_with("console") if page != WALKED], ids=name)
def test_the_commands_of_a_page_work(page: Path, workplace: Path) -> None:
    skip_unless_concerned(page)
    if page in NEEDS and find_spec(NEEDS[page]) is None:
        pytest.skip(f"{name(page)} needs {NEEDS[page]}")
    space: dict[str, object] = {}
    printed = ""
    with Terminal() as terminal:
        for kind, file, text in blocks(page):
            if page == IN_PYTHON and kind == "python":
                with redirect_stdout(StringIO()) as output:
                    exec(compile(text, "example.py", "exec"), space)
                printed = output.getvalue()
            elif page == IN_PYTHON and kind == "text":
                assert printed == text
            elif file:
                path = workplace / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(shortened(page, text))
            elif kind == "console":
                for line in text.splitlines():
                    assert terminal.run(shortened(page, line.removeprefix("$ "))) == 0, line
                    if line.startswith("$ arbiter init "):
                        shorten(page, workplace / line.split()[-1])


def shorten(page: Path, folder: Path) -> None:
    for config in folder.glob("*.yaml"):
        config.write_text(shortened(page, config.read_text()))


def shortened(page: Path, text: str) -> str:
    for long, short in SHORTER.items():
        text = re.sub(long, short, text, flags=re.MULTILINE)
    if "tutorial" in page.parts:
        return text
    return TOGETHER.sub(lambda found: "isolation: plain" + ("" if found[0] else "\n"), text)


class Terminal(ExitStack):
    """A reader's terminal: what runs in its background, such as a site, ends with it."""

    _site = "http://127.0.0.1:8000/"
    _own = _site

    def run(self, line: str) -> int:
        """The exit code of a line; its output goes where ``>`` says."""
        command, _, file = line.replace(self._site, self._own).partition(" > ")
        if command.endswith(" &"):
            words = shlex.split(command.removesuffix(" &"))
            self._own = self.enter_context(serving(*words[2:], folder=Path())).address
            return 0
        if not file:
            return run(command)
        with open(file, "w") as output, redirect_stdout(output):
            return run(command)


def run(line: str) -> int:
    """The exit code of a command, which is run in this process where it is one of ours."""
    program, *words = shlex.split(line)
    match Path(program).name:
        case "arbiter" if words[0] == "serve":
            with serving(*words[1:], folder=Path()) as served:
                assert served.said.startswith("serving http://127.0.0.1:")
            return served.process.wait()
        case "arbiter" if words[0] == "applet":
            with serving(*words[1:], "--no-browser", folder=Path(), command="applet") as served:
                assert served.said.startswith("open http://127.0.0.1:")
            return served.process.wait()
        case "arbiter":
            return exit_code(words)
        case "rating":
            return CliRunner().invoke(rating, words).exit_code
        case "make":
            # Not `make test` within itself: that the target is there is what can be shown here.
            return subprocess.run(["make", "--dry-run", *words], cwd=ROOT, check=False).returncode
        case "python":
            return subprocess.run([sys.executable, *words], check=False).returncode
    raise AssertionError(f"no command of these pages: {line}")


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ("docs/howto/webhooks.md", True),
        ("docs/howto/ci.md", False),
        ("tests/web/test_pages.py", False),
        ("tests/fixtures/site.py", True),
        ("configs/demo.yaml", True),
        ("Makefile", True),
        ("arbiter/cli/notify.py", True),
        ("arbiter/cli/tune.py", False),
        ("arbiter/games/planning/game.py", True),
        ("arbiter/contest/webhooks/sender.py", True),
        ("arbiter/web/templates/base.html", False),
        ("arbiter/envs/core/planning.c", False),
    ],
)
def test_a_page_is_run_where_a_change_concerns_it(changed: str, expected: bool) -> None:
    assert concerns(ROOT / "docs" / "howto" / "webhooks.md", frozenset({changed})) is expected


def test_a_page_that_starts_a_site_is_run_after_each_change_of_the_packages() -> None:
    page = ROOT / "docs" / "howto" / "publish-a-season.md"
    assert concerns(page, frozenset({"arbiter/web/templates/base.html"}))
    assert not concerns(page, frozenset({"README.md"}))


def test_the_sources_to_cite_are_linked_from_the_pages() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "reference").glob("*.md"))
    sources = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["references"]
    assert "Zha" in {author.get("family-names") for source in sources for author in source["authors"]}
    for source in sources:
        assert {"type", "title", "authors", "year"} <= set(source)
        assert f"]({source.get('url') or 'https://doi.org/' + source['doi']})" in pages


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert "://" in target or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", pages_with("python"), ids=name)
def test_python_examples_compile(page: Path) -> None:
    for kind, _, text in blocks(page):
        if kind == "python":
            compile(text, name(page), "exec")
