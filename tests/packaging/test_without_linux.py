"""Where Linux's calls are missing: ratings, environments, `arbiter.testing` and data sets work, and what needs
Linux says so in one line.

All of it is tried in one other process, from which those calls were taken away (tests/packaging/without_linux.py).
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

for package in ("gymnasium", "pettingzoo", "pandas", "pyarrow"):
    pytest.importorskip(package, reason=f"needs {package}: pip install 'arbiter-cards[dev]'")

ROOT = Path(__file__).parents[2]
TRIALS = """
import json, sys
from pathlib import Path
from tests.packaging.without_linux import hide

hide()
folder, outcomes = Path(sys.argv[1]), {}


def trial(function):
    try:
        outcomes[function.__name__] = function() or "ok"
    except Exception as error:
        outcomes[function.__name__] = f"{type(error).__name__}: {error}"


def first(seen, mask):
    return int(mask.argmax())


@trial
def ratings():
    from rating.cli import main
    main(["fit", "tests/golden/export.csv", "--format", "json"], standalone_mode=False)


@trial
def aec():
    from arbiter import envs
    env = envs.aec("planning", deals=[[2, 0]], dataset=str(folder / "aec.csv"))
    env.reset(seed=1)
    for agent in env.agent_iter():
        ids = env.legal_ids(agent)
        env.step(ids[0] if ids else None)
    env.close()


@trial
def parallel():
    from arbiter import envs
    env = envs.parallel("codepiece", dataset=str(folder / "parallel.parquet"))
    seen, _ = env.reset(seed=1)
    while env.agents:
        seen, *_ = env.step({agent: first(**{"seen": 0, "mask": seen[agent]["action_mask"]}) for agent in env.agents})
    env.close()


@trial
def dou_dizhu_v4():
    from arbiter.envs import dou_dizhu_v4
    env = dou_dizhu_v4.env()
    env.reset(seed=1)
    while not env.terminations[env.agent_selection]:
        env.step(env.legal_ids(env.agent_selection)[0])


@trial
def single():
    from arbiter import envs
    env, over = envs.single("chefs_hat", ["random", first, "random"], matches=1), False
    _, info = env.reset(seed=1)
    while not over:
        _, _, over, _, info = env.step(info["legal_ids"][0] if info["legal_ids"] else 0)


@trial
def batch():
    from arbiter import envs
    games = envs.batch("dou_dizhu", n=4)
    over = [False]
    while not any(over):
        ids, starts = games.legal_ids()
        _, over = games.step(ids[starts[:-1]])


@trial
def chefs_hat():
    import gymnasium
    from arbiter import envs
    env = gymnasium.make(envs.CHEFS_HAT, matches=1, dataset=str(folder / "game.pkl")).unwrapped
    env.reset(seed=1)
    while not env.over:
        env.step(env.legal_ids()[0])
    env.close()


@trial
def engine():
    from arbiter.envs.codepiece import Engine
    game = Engine(seed=1)
    state, _ = game.init_game()
    while not game.is_over():
        state, _ = game.step(state["legal_actions"][0])


@trial
def policy_bot():
    from arbiter.envs import PolicyBot
    answer = PolicyBot(first, "codepiece").answer("quit")
    return None if answer == "=" else answer


@trial
def testing():
    from arbiter.games import make
    from arbiter.testing import check_game, play_by_policy, random_policy
    game = make("codepiece", {"dealers": [0]})
    check_game(game, matches=1)
    record = play_by_policy(game, random_policy("x"))
    (folder / "match.json").write_text(json.dumps(record.to_json()))


@trial
def data_set():
    from arbiter.cli import exit_code
    words = ["export", str(folder / "match.json"), "--as", "events-parquet", "--output", str(folder / "x.parquet")]
    return None if exit_code(words) == 0 else "failed"


@trial
def seasons():
    from arbiter.cli import exit_code
    season = sys.argv[2] + "/small.yaml"
    commands = (
        ["init", str(folder / "new")],
        ["check-config", season],
        ["export", season, "--as", "events-csv", "--output", str(folder / "events.csv")],
        ["standings", season],
        ["matches", season],
        ["show", season, "r001/t01/m0"],
        ["status", season],
        ["verify", season],
        ["report", season, "--output", str(folder / "season.html")],
    )
    return ", ".join(command[0] for command in commands if exit_code(command) != 0)


@trial
def python():
    import arbiter
    results = arbiter.play("planning", [first, "random", "random", "random"], options={"deals": [[2, 0]]})
    arbiter.fit(results + arbiter.play("planning", [first] * 4, options={"deals": [[2, 0]]}))
    arbiter.compare("codepiece", first, "random", max_blocks=1)
    with arbiter.open_season(sys.argv[2] + "/small.yaml") as season:
        season.replay("r001/t01/m0")


@trial
def programs_in_python():
    import arbiter
    arbiter.play("planning", [first, first, first, "python3 bot.py"])


@trial
def bots_in_an_environment():
    from arbiter import envs
    envs.single("planning", "python3 bot.py")


@trial
def bots_by_command():
    from arbiter.cli import exit_code
    commands = (
        ["play", "--game", "planning", "--bot", "python3", "--bot", "python3"],
        ["check-bot", "--game", "planning", "--", "python3"],
        ["serve", "x.yaml"],
    )
    return [exit_code(command) for command in commands]


print(json.dumps(outcomes))
"""
LINUX_ALONE = "bots can be started only on Linux (docs/howto/macos-and-windows.md lists what works elsewhere)"


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory, original_season: Path) -> tuple[dict[str, Any], str]:
    """What came of each trial, and standard error."""
    folder = tmp_path_factory.mktemp("elsewhere")
    words = [sys.executable, "-c", TRIALS, str(folder), str(original_season)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    outcomes: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return outcomes, done.stderr


WORK = (
    "ratings", "aec", "parallel", "dou_dizhu_v4", "single", "batch", "chefs_hat", "engine", "policy_bot",
    "testing", "data_set", "seasons", "python",
)  # fmt: skip


@pytest.mark.process
@pytest.mark.parametrize("name", WORK)
def test_what_starts_no_bots_works(name: str, tried: tuple[dict[str, Any], str]) -> None:
    assert tried[0][name] == "ok"


@pytest.mark.process
def test_an_environment_with_programs_says_what_it_needs(tried: tuple[dict[str, Any], str]) -> None:
    assert tried[0]["bots_in_an_environment"] == f"ConfigError: {LINUX_ALONE}"
    assert tried[0]["programs_in_python"] == f"ConfigError: players: {LINUX_ALONE}"


@pytest.mark.process
def test_commands_that_start_bots_say_so_in_one_line(tried: tuple[dict[str, Any], str]) -> None:
    assert tried[0]["bots_by_command"] == [2, 2, 2]
    needs = "arbiter: this command needs Linux (docs/howto/macos-and-windows.md lists what works here)"
    assert tried[1].splitlines()[-3:] == [needs] * 3
    assert "Traceback" not in tried[1]
