"""The documentation does what it says: every command block is run, every link leads somewhere."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages import ROOT, blocks

PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
WALKED = ROOT / "docs" / "howto" / "add-a-game.md"
"""Run by a test of its own, since it needs a package of its own."""
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def pages_with(language: str) -> list[Path]:
    return [page for page in PAGES if any(kind == language for kind, _, _ in blocks(page))]


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    """A folder in which a reader's commands find the shipped bots and configs."""
    (tmp_path / "bots").symlink_to(ROOT / "bots")
    shutil.copytree(ROOT / "configs", tmp_path / "configs", ignore=shutil.ignore_patterns("*.sqlite*"))
    return tmp_path


@pytest.mark.process
@pytest.mark.parametrize("page", [page for page in pages_with("console") if page != WALKED], ids=name)
def test_the_commands_of_a_page_work(page: Path, workplace: Path) -> None:
    for kind, file, text in blocks(page):
        if file:
            path = workplace / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        elif kind == "console":
            for line in text.splitlines():
                run(line.removeprefix("$ "), workplace)


def run(line: str, folder: Path) -> None:
    words = shlex.split(line)
    program = Path(words[0]).name
    if program == "make":
        # Not `make test` within itself: that the target is there is what can be shown here.
        words, folder = ["make", "--dry-run", *words[1:]], ROOT
    elif program == "python":
        words = [sys.executable, *words[1:]]
    else:
        words = [sys.executable, "-m", program, *words[1:]]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{line}\n{done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert "://" in target or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", pages_with("python"), ids=name)
def test_python_examples_compile(page: Path) -> None:
    for kind, _, text in blocks(page):
        if kind == "python":
            compile(text, name(page), "exec")
