"""The examples of docs/howto/ci.md: every step that they run is run, in a repository as they expect it.

Bash reads every step; the commands of `arbiter` in it run in this process.
"""

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

from arbiter.cli import exit_code
from tests.docs.pages import ROOT, skip_unless_concerned

PAGE = ROOT / "docs" / "howto" / "ci.md"
EXPRESSION = re.compile(r"\$\{\{\s*([\w.]+)\s*\}\}")
GAME = {"name": "planning", "seats": 2, "deck": "12 A", "deals": [[1, 0]]}
BOT = """
import sys
card = ""
for line in sys.stdin:
    words = line.split()
    if words[0] == "set_cards":
        card = words[2]
    answer = {"gen_declare": " DECLARES", "gen_move": " " + card}.get(words[0], "")
    print("=" + answer, end="\\n\\n", flush=True)
"""
"""Plays its only card, of which the 2 takes the trick."""
VERSIONS = {
    "declares nothing": BOT.replace("DECLARES", "0"),
    "declares what it takes": BOT.replace('" DECLARES"', '" 1" if card == "2A" else " 0"'),
}
SUITE = {
    "game": GAME,
    "bot": ["python3", "bot.py"],
    "isolation": "plain",
    "checks": [{"check": "no-faults", "blocks": 1}],
}

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
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, str]:
    """A bot that has learned to declare, and the commit before that."""
    skip_unless_concerned(PAGE)
    folder = tmp_path / "repository"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def git(*words: str) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
        done = subprocess.run(["git", *who, *words], cwd=folder, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    git("init", "-q")
    keys = yaml.safe_load(example("regress.yaml"))
    # As little to play as will do for a verdict.
    keys |= {"game": GAME, "max_blocks": 16, "isolation": "plain", "workers": 1}
    (folder / "regress.yaml").write_text(yaml.safe_dump(keys))
    (folder / "suite.yaml").write_text(yaml.safe_dump(SUITE))
    for subject, text in VERSIONS.items():
        (folder / "bot.py").write_text(text)
        git("add", ".")
        git("commit", "-q", "-m", subject)
    return folder, git("rev-parse", "HEAD~1")


def run(script: str, **variables: str) -> None:
    """A step as the runner would run it, but for the installation, which is this one."""
    lines = [line for line in script.splitlines() if not line.startswith("pip install ")]
    read, write = os.pipe()
    # Tells the words of the step's command as bash has expanded them.
    lines.insert(0, f"arbiter() {{ printf '%s\\0' \"$@\" >&{write}; }}")
    env = {**os.environ, **variables}
    command = ["bash", "-eo", "pipefail", "-c", "\n".join(lines)]
    done = subprocess.run(command, env=env, pass_fds=[write], capture_output=True, text=True, check=False)
    os.close(write)
    assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
    with open(read) as pipe:
        words = pipe.read().split("\0")[:-1]
    assert not words or exit_code(words) == 0, script


def verdict_of(folder: Path) -> str:
    suite = ET.parse(folder / "regress.xml").getroot()
    assert suite.get("failures") == "0"
    return str(suite.findtext("testcase/system-out"))


def test_the_github_workflow(repository: tuple[Path, str]) -> None:
    folder, before = repository
    jobs: dict[str, Any] = yaml.safe_load(example(".github/workflows/bot.yml"))["jobs"]
    summary = folder / "step-summary.md"
    known = {"github.event.pull_request.base.sha": before}
    for job in ("suite", "regress"):
        for step in jobs[job]["steps"]:
            assert ("run" in step) != ("uses" in step)
            script = EXPRESSION.sub(lambda found: known[found[1]], step.get("run", ""))
            run(script, GITHUB_STEP_SUMMARY=str(summary))
    assert verdict_of(folder).startswith("better: ")
    assert summary.read_text().startswith("### ✅ better: ")
    assert (folder / "worst").is_dir()


def test_the_gitlab_pipeline(repository: tuple[Path, str]) -> None:
    folder, before = repository
    jobs: dict[str, Any] = yaml.safe_load(example(".gitlab-ci.yml"))
    for job in ("suite", "regress"):
        for script in jobs[job]["script"]:
            run(script, CI_MERGE_REQUEST_DIFF_BASE_SHA=before)
        assert (folder / jobs[job]["artifacts"]["reports"]["junit"]).exists()
    assert verdict_of(folder).startswith("better: ")
