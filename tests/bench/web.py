"""What a site costs: answers, listeners and memory beside a season that is played, and what bots feel of it.

``python -m tests.bench.web [--minutes 10]`` prints one JSON object. 150 requests a second go to the pages of a
season that `serve --play` plays, 200 listeners hear its news; then innocent bots play on the bots' cores
while the requests go on, as in the bench of the clock.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.bench import site_size
from tests.bench.clock import GAMES, judge
from tests.fixtures.commands import RANDOM

RATE, LISTENERS = 150, 200
PLAYERS = 8
PAGES = [
    "", "/crosstable", "/history", "/live", "/matches", "/rounds/1", "/players/p1",
]  # fmt: skip
PATHS = [
    "/seasons", *(f"/seasons/bench{page}" for page in PAGES),
    *(f"/api/v1/seasons/bench{page}" for page in ("", "/standings", "/matches?limit=50")),
]  # fmt: skip
CONNECTIONS = 20


def write_season(folder: Path) -> Path:
    lines = ["season: bench", "game: planning", "rounds: 10000", "time: 60s", "isolation: plain", "players:"]
    lines += [
        f"  - {{name: p{number}, command: {json.dumps([*RANDOM.split(), '--seed', str(number)])}}}"
        for number in range(PLAYERS)
    ]
    path = folder / "bench.yaml"
    path.write_text("\n".join(lines))
    return path


class Load:
    """Requests at a steady rate over some connections, and listeners beside them."""

    def __init__(self, port: int, listeners: int = LISTENERS) -> None:
        self._port, self._listeners = port, listeners
        self.took: list[float] = []
        self.statuses: dict[int, int] = {}
        self.heard = [0] * listeners

    async def run(self, seconds: float) -> None:
        """Ask and listen for a while; each request has its own moment, whether the one before is answered or not."""
        listening = [asyncio.create_task(self._listen(k)) for k in range(self._listeners)]
        moments: asyncio.Queue[tuple[float, str] | None] = asyncio.Queue()
        asking = [asyncio.create_task(self._ask(moments)) for _ in range(CONNECTIONS)]
        began = time.perf_counter()
        for number in range(int(RATE * seconds)):
            due = began + number / RATE
            await asyncio.sleep(max(due - time.perf_counter(), 0))
            moments.put_nowait((due, PATHS[number % len(PATHS)]))
        for _ in asking:
            moments.put_nowait(None)
        await asyncio.gather(*asking)
        for task in listening:
            task.cancel()
        await asyncio.gather(*listening, return_exceptions=True)

    async def _ask(self, moments: asyncio.Queue[tuple[float, str] | None]) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        while (asked := await moments.get()) is not None:
            due, path = asked
            for _ in range(2):
                try:
                    status = await self._once(reader, writer, path)
                    break
                except (ConnectionError, asyncio.IncompleteReadError):
                    # An idle connection was closed.
                    reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
            self.took.append(time.perf_counter() - due)
            self.statuses[status] = self.statuses.get(status, 0) + 1
        writer.close()

    async def _once(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> int:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                await reader.readexactly(int(line.partition(b":")[2]))
        return int(head.split(b" ", 2)[1])

    async def _listen(self, number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            writer.write(b"GET /api/v1/seasons/bench/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            while line := await reader.readline():
                self.heard[number] += line.startswith(b"event:")
        finally:
            writer.close()

    def figures(self) -> dict[str, Any]:
        took = sorted(self.took)
        return {
            "requests": len(took),
            "statuses": self.statuses,
            "p50_ms": round(1000 * took[len(took) // 2], 1),
            "p99_ms": round(1000 * took[len(took) * 99 // 100], 1),
            "most_ms": round(1000 * took[-1], 1),
            "listeners": self._listeners,
            "events_heard_least": min(self.heard, default=0),
            "events_heard_most": max(self.heard, default=0),
        }


def resident_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)


def cpu_seconds(pid: int) -> float:
    """CPU time of a process without its children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def figures(minutes: float) -> dict[str, Any]:
    """All of it; `minutes` is how long requests and listeners go on beside the season."""
    sizes = site_size.figures()
    folder = Path(tempfile.mkdtemp())
    words = [sys.executable, "-m", "arbiter", "serve", str(write_season(folder)), "--play", "--port", "0"]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        assert process.stdout is not None
        port = urlsplit(process.stdout.readline().partition(" ")[2].strip()).port
        assert port is not None
        warm(port)
        memory = [resident_mb(process.pid)]
        done = threading.Event()

        def watch() -> None:
            while not done.wait(max(6 * minutes, 1)):
                memory.append(resident_mb(process.pid))

        threading.Thread(target=watch, daemon=True).start()
        load = Load(port)
        began = cpu_seconds(process.pid)
        asyncio.run(load.run(60 * minutes))
        used = cpu_seconds(process.pid) - began
        done.set()
        # The season stops, the requests go on, and bots that are innocent take its cores.
        for child in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
            with suppress(ProcessLookupError):
                os.kill(int(child), signal.SIGTERM)
        return {
            "of_any_size": sizes,
            "minutes": minutes,
            "beside_a_season": load.figures(),
            "web_cpu_s_per_s": round(used / (60 * minutes), 3),
            "memory_mb": memory,
            "clock": clock(port),
        }
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder)


def warm(port: int) -> None:
    """Each page once, as soon as the first round is over."""
    load = Load(port)

    async def ask() -> None:
        while load.statuses.get(200, 0) < len(PATHS):
            load.statuses.clear()
            moments: asyncio.Queue[tuple[float, str] | None] = asyncio.Queue()
            for path in PATHS:
                moments.put_nowait((time.perf_counter(), path))
            moments.put_nowait(None)
            await load._ask(moments)
            await asyncio.sleep(0.5)

    asyncio.run(ask())


def clock(port: int) -> dict[str, Any]:
    """False timeouts of innocent bots, one match at a time on the bots' cores, alone and beside requests."""
    cores = os.sched_getaffinity(0)
    found: dict[str, Any] = {"games": GAMES}
    # Whoever asks is elsewhere in real life: here he shares the web's core.
    pin = f"import os; os.sched_setaffinity(0, {{{max(cores)}}})"
    code = f"{pin}; import asyncio; from tests.bench.web import Load; asyncio.run(Load({port}).run(3600))"
    try:
        for name in ("alone", "beside_requests"):
            asking = None if name == "alone" else subprocess.Popen([sys.executable, "-c", code])
            os.sched_setaffinity(0, set(sorted(cores)[:-1]) or cores)
            judged = judge("adjusted", 1)
            os.sched_setaffinity(0, cores)
            found[name] = {
                "false_timeouts": judged.timeouts + judged.voids,
                "charged_per_burned": round(judged.charged_per_burned, 3),
            }
            if asking is not None:
                asking.kill()
                asking.wait()
    finally:
        os.sched_setaffinity(0, cores)
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=0.5)
    print(json.dumps(figures(parser.parse_args().minutes), indent=2))


if __name__ == "__main__":
    main()
