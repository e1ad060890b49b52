"""The walkthrough to a game of one's own is walked: its package is found, checked and played."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, blocks, skip_unless_concerned

PAGE = ROOT / "docs" / "howto" / "add-a-game.md"
MOST_LINES = 130
POLICY = """
import random

from arbiter import envs
from arbiter.envs.observers import observer_of
from arbiter.games import make
from arbiter.testing import match_spec, play_in_memory

game, seen, chance = make("whist", {"dealers": [0, 3]}), [], random.Random(1)


def policy(observation, action_mask):
    seen.append((observation.tolist(), action_mask.tolist(), chance.choice(action_mask.nonzero()[0])))
    return seen[-1][2]


bots = [envs.PolicyBot(policy, game) for _ in range(4)]
play_in_memory(game, [lambda line, bot=bot: f"{bot.answer(line)}\\n\\n".encode() for bot in bots], match_spec(game, seed="1"))
env = envs.aec(game)
env.reset(seed="1")
same = 0
for observation, mask, chosen in seen:
    shown = env.observe(env.agent_selection)
    same += [shown["observation"].tolist(), shown["action_mask"].tolist()] == [observation, mask]
    env.step(chosen)
print(type(observer_of(game)).__name__, len(seen), same)
"""


COMMANDS = """
import contextlib, io, json, sys
from arbiter.cli import exit_code

def main():
    shown = {}
    for line in sys.argv[1:]:
        words = line.split()[1:]
        with contextlib.redirect_stdout(io.StringIO()) as out:
            code = exit_code(words)
        if code:
            sys.exit(f"{line}: exit code {code}")
        shown[words[0]] = out.getvalue()
    print(json.dumps(shown))

if __name__ == "__main__":
    main()
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page's files in a folder of their own."""
    skip_unless_concerned(PAGE)
    return installed(tmp_path_factory.mktemp("whist"))


def installed(folder: Path) -> Path:
    """The folder with the page's files, and its package installed beside nothing else: as its metadata say."""
    for _, file, text in blocks(PAGE):
        if file:
            path = folder / file
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    # What an installer makes of pyproject.toml, without one: it would need the package index.
    project = tomllib.loads((folder / "whist" / "pyproject.toml").read_text())["project"]
    metadata = folder / "whist" / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 1.0\n")
    lines = [
        line
        for group, entries in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {target}" for name, target in entries.items()))
    ]
    (metadata / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return folder


def run(folder: Path, *words: str) -> str:
    path = os.pathsep.join([str(folder / "whist"), str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


@pytest.mark.process
def test_the_games_keep_every_promise(place: Path) -> None:
    assert "2 passed" in run(place, "pytest", "-q", "-p", "no:cacheprovider", "whist/test_whist.py")


@pytest.mark.process
def test_the_commands_of_the_page_work(place: Path) -> None:
    lines = [
        line.removeprefix("$ ")
        for kind, _, text in blocks(PAGE)
        if kind == "console"
        for line in text.splitlines()
    ]
    (place / "commands.py").write_text(COMMANDS)
    shown = json.loads(run(place, "commands", *lines, "arbiter games"))
    assert "FAIL" not in shown["check-bot"]
    assert re.search(r"^  trump +[CDHS]$", shown["show"], re.MULTILINE)
    assert re.search(r"^  taken +\d+ : \d+$", shown["show"], re.MULTILINE)
    assert "no differences" in shown["verify"]
    assert "whist" in shown["games"]
    assert "duel" in shown["games"], "a game without options"


@pytest.mark.process
def test_a_policy_sees_as_a_bot_what_the_games_own_observer_shows(place: Path) -> None:
    (place / "policy.py").write_text(POLICY)
    shown = run(place, "policy").split()
    assert shown == ["WhistObserver", "104", "104"]


def test_the_game_is_short() -> None:
    (text,) = [text for _, file, text in blocks(PAGE) if file == "whist/whist.py"]
    assert len([line for line in text.splitlines() if line.strip()]) <= MOST_LINES
