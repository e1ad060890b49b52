"""The examples of docs/howto/ci.md: every step that they run is run, in a repository as they expect it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "howto" / "ci.md"
BOTS = ROOT / "bots" / "python"
EXPRESSION = re.compile(r"\$\{\{\s*([\w.]+)\s*\}\}")
SUITE = """
game: {name: codepiece, dealers: [0]}
bot: [python3, bot.py]
isolation: plain
checks:
  - {check: no-faults, blocks: 1}
"""

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
    pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed"),
]


def example(name: str) -> str:
    found = re.search(
        rf"^```yaml file={re.escape(name)}\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL
    )
    assert found is not None
    return found[1]


@pytest.fixture
def repository(tmp_path: Path) -> tuple[Path, str]:
    """A bot that grew from playing by lot to playing by rules, and the commit before that."""
    folder = tmp_path / "repository"
    folder.mkdir()

    def git(*words: str) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
        done = subprocess.run(["git", *who, *words], cwd=folder, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    git("init", "-q")
    for module in ("kit.py", "worlds.py"):
        shutil.copy(BOTS / module, folder)
    keys = yaml.safe_load(example("regress.yaml"))
    # A game with few matches a block.
    keys |= {"game": {"name": "codepiece", "dealers": [0]}, "max_blocks": 16, "isolation": "plain"}
    (folder / "regress.yaml").write_text(yaml.safe_dump(keys))
    (folder / "suite.yaml").write_text(SUITE)
    for bot in ("codepiece_random.py", "codepiece_rules.py"):
        shutil.copy(BOTS / bot, folder / "bot.py")
        git("add", ".")
        git("commit", "-q", "-m", bot)
    return folder, git("rev-parse", "HEAD~1")


def run(script: str, folder: Path, **variables: str) -> None:
    """A step as the runner would run it, but for the installation, which is this one."""
    lines = [line for line in script.splitlines() if not line.startswith("pip install ")]
    env = {**os.environ, **variables}
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", "\n".join(lines)],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"


def verdict_of(folder: Path) -> str:
    suite = ET.parse(folder / "regress.xml").getroot()
    assert suite.get("failures") == "0"
    return str(suite.findtext("testcase/system-out"))


def test_the_github_workflow(repository: tuple[Path, str]) -> None:
    folder, before = repository
    jobs: dict[str, Any] = yaml.safe_load(example(".github/workflows/bot.yml"))["jobs"]
    summary = folder / "step-summary.md"
    parts = jobs["play"]["strategy"]["matrix"]["slice"]
    values = {"github.event.pull_request.base.sha": before, "github.run_id": "1234567"}

    def steps(job: str, part: object) -> None:
        known = {**values, "matrix.slice": str(part)}
        for step in jobs[job]["steps"]:
            assert ("run" in step) != ("uses" in step)
            script = EXPRESSION.sub(lambda found: known[found[1]], step.get("run", ""))
            if not (script.startswith("git worktree") and (folder / "base").exists()):
                run(script, folder, GITHUB_STEP_SUMMARY=str(summary))

    steps("suite", None)
    for part in parts:
        steps("play", part)
    assert len(list(folder.glob("part*.sqlite"))) == len(parts)
    steps("verdict", None)
    assert verdict_of(folder).startswith("better: ")
    assert summary.read_text().startswith("### ✅ better: ")
    assert (folder / "worst").is_dir()


def test_the_gitlab_pipeline(repository: tuple[Path, str]) -> None:
    folder, before = repository
    jobs: dict[str, Any] = yaml.safe_load(example(".gitlab-ci.yml"))
    parts = jobs["play"]["parallel"]
    variables = {
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": before,
        "CI_PIPELINE_ID": "99",
        "CI_NODE_TOTAL": str(parts),
    }
    for script in jobs["suite"]["script"]:
        run(script, folder)
    for part in range(1, parts + 1):
        for script in jobs["play"]["script"]:
            if not (script.startswith("git worktree") and (folder / "base").exists()):
                run(script, folder, **variables, CI_NODE_INDEX=str(part))
    for script in jobs["verdict"]["script"]:
        run(script, folder)
    assert verdict_of(folder).startswith("better: ")
    named = {jobs[job]["artifacts"]["reports"]["junit"] for job in ("suite", "verdict")}
    assert all((folder / name).exists() for name in named)
