"""The pages of the documentation, the blocks of code in them, and which of them a change concerns."""

from __future__ import annotations

import os
import re
import subprocess
from functools import cache
from pathlib import Path

import grimp
import pytest

from arbiter.cli import COMMANDS
from tests.fixtures.profiles import PROFILE

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ (arbiter|rating) ([\w-]+)", re.MULTILINE)
_IMPORT = re.compile(r"^[ \"]*(?:from|import) ((?:arbiter|rating)[\w.]*)(?: import (\w+))?", re.MULTILINE)
_PROSE = re.compile(r"[^/]+\.md$|docs/|findings/|\.github/|tests/(?!docs/|fixtures/|conftest\.py)")
_WHOLE = ("arbiter/games", "arbiter/envs")
"""Packages that import their modules by name: each counts as one."""
_START_OTHERS = {"serve", "arena"}
"""Commands that start other commands in processes."""
_LONG = {
    f"docs/{name}.md"
    for name in (
        "howto/add-a-game",
        "howto/before-you-trust-a-machine",
        "howto/coding-agents",
        "howto/final",
        "howto/marks-by-rung",
        "howto/train-a-bot",
        "howto/what-to-improve-next",
        "howto/write-a-bot",
        "reference/commands",
    )
}
"""Pages whose commands take 3 to 6 CPU seconds each, a third of those of all pages."""


def blocks(page: Path) -> list[tuple[str, str, str]]:
    """Language, file name and text of each code block."""
    return _BLOCK.findall(page.read_text(encoding="utf-8"))


def skip_unless_concerned(page: Path) -> None:
    """Skip the running of a page that no change concerns.

    Changes are counted from where the branch leaves origin/main up to the files as they are now. Where there are
    none, as in a clean clone of main, or where git cannot tell, all pages but the long ones run. The profile
    `thorough` runs all.
    """
    if PROFILE == "thorough":
        return
    changed = _changed(os.environ.get("ARBITER_TEST_SINCE"))
    concerned = str(page.relative_to(ROOT)) not in _LONG if changed is None else concerns(page, changed)
    if not concerned:
        pytest.skip("a long page, or no change concerns it; `make test-thorough` runs all")


def concerns(page: Path, changed: frozenset[str]) -> bool:
    """Whether the page, a package that its commands or its Python import, or what all pages use is among the changed
    files.
    """
    code = {path for path in changed if path.startswith(("arbiter/", "rating/"))}
    if str(page.relative_to(ROOT)) in changed or any(not _PROSE.match(path) for path in changed - code):
        return True
    if code and any(
        command in _START_OTHERS for _, command in _COMMAND.findall(page.read_text(encoding="utf-8"))
    ):
        return True
    return bool(code) and not _parts_of(page).isdisjoint(map(_part, code))


@cache
def _changed(since: str | None) -> frozenset[str] | None:
    base = since or _git("merge-base", "HEAD", "origin/main")
    differ = base and _git("diff", "--name-only", "--no-renames", base)
    new = _git("ls-files", "-o", "--exclude-standard")
    if differ is None or new is None:
        return None
    return (frozenset(f"{differ}\n{new}".split("\n")) - {""}) or None


def _git(*words: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-c", f"safe.directory={ROOT}", *words],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _part(path: str) -> str:
    """The package that a file of the code belongs to; each command is a part of its own."""
    for whole in _WHOLE:
        if path.startswith(f"{whole}/"):
            return whole
    if path.startswith("arbiter/cli/"):
        return path
    folder = Path(path).parent
    while not (ROOT / folder / "__init__.py").exists() and folder.name:
        folder = folder.parent
    return str(folder)


@cache
def _graph() -> grimp.ImportGraph:
    return grimp.build_graph("arbiter", "rating", exclude_type_checking_imports=True, cache_dir=None)


def _parts_of(page: Path) -> set[str]:
    text = page.read_text(encoding="utf-8")
    modules = {
        "arbiter.games",
        *(name for found in _IMPORT.findall(text) for name in (found[0], ".".join(found))),
    }
    for program, command in _COMMAND.findall(text):
        modules.add("rating.cli.commands" if program == "rating" else f"arbiter.cli.{COMMANDS[command][0]}")
    graph = _graph()
    if re.search(r"^import arbiter$", text, re.MULTILINE):
        # Imported by name, at first use.
        modules |= graph.find_children("arbiter.python")
    used = {one for name in modules & graph.modules for one in (name, *graph.find_upstream_modules(name))}
    paths = (name.replace(".", "/") for name in used)
    return {_part(f"{path}/__init__.py" if (ROOT / path).is_dir() else f"{path}.py") for path in paths}
