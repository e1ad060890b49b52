"""What a site's pages feel of sixty authors who send programs at once, beside a season that is played.

``python -m tests.bench.uploads`` prints one JSON object: the pages' times before, while the programs come in,
and while they are inspected; what became of the uploads; timeouts of the season's own bots.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import tempfile
import time
import urllib.request
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from arbiter.cli import exit_code
from tests.bench.web import RATE, Load, warm, write_season
from tests.fixtures.served_site import serving

AUTHORS = 60
PADDING = 500_000
"""Bytes of each archive that nothing makes smaller."""
PHASE_SECONDS = 20.0
BOT = Path(__file__).parents[2] / "bots" / "languages" / "bot.py"


def archive() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as into:
        into.writestr("bot.py", BOT.read_text())
        into.writestr("padding", os.urandom(PADDING))
    return packed.getvalue()


def send(port: int, token: str, body: bytes) -> tuple[int, float]:
    """The status of an upload, and the seconds it took."""
    url = f"http://127.0.0.1:{port}/api/v1/seasons/bench/submissions"
    asked = urllib.request.Request(url, data=body, method="PUT", headers={"Authorization": f"Bearer {token}"})
    began = time.perf_counter()
    with urllib.request.urlopen(asked, timeout=120) as answer:
        return answer.status, time.perf_counter() - began


async def measure(port: int, seconds: float) -> dict[str, Any]:
    """Pages' times over some seconds."""
    load = Load(port, listeners=0)
    await load.run(seconds)
    shown = load.figures()
    return {key: shown[key] for key in ("requests", "statuses", "p50_ms", "p99_ms", "most_ms")}


async def phases(port: int, tokens: list[str]) -> dict[str, Any]:
    """Before, during the uploads, and while they are inspected."""
    bodies = [archive() for _ in tokens]
    before = await measure(port, PHASE_SECONDS)
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(AUTHORS) as threads:
        sent = [loop.run_in_executor(threads, send, port, *of) for of in zip(tokens, bodies, strict=True)]
        during = await measure(port, 5.0)
        answers = await asyncio.gather(*sent)
    inspected = await measure(port, PHASE_SECONDS)
    return {
        "before": before,
        "while_programs_come": during,
        "while_they_are_inspected": inspected,
        "accepted_uploads": sum(status == 202 for status, _ in answers),
        "slowest_upload_s": round(max(seconds for _, seconds in answers), 2),
    }


def figures() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        return measured(Path(name))


def measured(folder: Path) -> dict[str, Any]:
    config = write_season(folder)
    config.write_text("submissions: {}\n" + config.read_text())
    (folder / "class.csv").write_text("name\n" + "".join(f"author {n:02d}\n" for n in range(AUTHORS)))
    with redirect_stdout(io.StringIO()) as out:
        exit_code(["authors", "add", str(config), "--csv", str(folder / "class.csv")])
    tokens = [line.rpartition(",")[2] for line in out.getvalue().splitlines()[-AUTHORS:]]
    with serving(config, "--play", folder=folder) as served:
        port = served.port
        assert port is not None
        warm(port)
        found = asyncio.run(phases(port, tokens))
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/seasons/bench/standings") as answer:
            players = json.load(answer)["players"]
        return {
            "authors": AUTHORS,
            "requests_a_second": RATE,
            **found,
            "matches": sum(row["matches"] for row in players) // 4,
            "faults": sum(sum(row["faults"].values()) for row in players),
        }


if __name__ == "__main__":
    print(json.dumps(figures(), indent=2))
