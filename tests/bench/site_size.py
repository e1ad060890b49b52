"""What each page of a large season costs: CPU time of the site, bytes, and its memory.

``python -m tests.bench.site_size [--players 2000] [--rounds 50]`` makes the season (see `big_season`), serves it,
asks for each address once, so that nothing of it is kept, and prints a table and one JSON object.
"""

from __future__ import annotations

import argparse
import http.client
import json
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.bench.big_season import make_big_season
from tests.fixtures.served_site import serving

BIG = "/seasons/big"
PAGES = [
    "", "?after_round=20", "/standings", "/standings?page=12", "/standings?player=player-0500", "/crosstable",
    "/crosstable?show=los", "/crosstable?page=3&columns=9", "/crosstable?page=7", "/history",
    "/history?player=player-0700", "/live", "/live?wall=1", "/rules", "/rounds/25", "/rounds/25?page=3", "/rounds/51",
    "/players/player-0100", "/players/player-1999", "/matches", "/matches?page=1", "/matches?page=500",
    "/matches?player=player-0100", "/matches?player=player-0100&against=player-0200", "/matches?round=30",
    "/matches/r025-t77-m2", "/players/player-0100/vs/player-0200", "/boards/25", "/boards/25/t77", "/feed.atom",
    "/players/player-0100/feed.atom", "/calendar.ics", "/rejudgings",
]  # fmt: skip
ANSWERS = [
    "", "/standings", "/standings?page=12", "/standings?after_round=20", "/crosstable", "/crosstable?page=7", "/history",
    "/history?page=4", "/rounds/25", "/rounds/51", "/players/player-0300", "/players/player-1998", "/matches",
    "/matches?cursor=99000", "/matches?player=player-0101", "/matches?round=31&limit=100", "/matches/r025-t78-m2",
    "/matches/r025-t78-m2/replay", "/rules", "/boards/26", "/boards/26/t03", "/players/player-0101/vs/player-0201",
]  # fmt: skip
ADDRESSES = [
    "/seasons", "/api/v1/seasons", "/metrics", *(BIG + page for page in PAGES), *(f"/api/v1{BIG}{one}" for one in ANSWERS),
]  # fmt: skip


def cpu_ms(pid: int) -> float:
    """CPU time of all threads of a process so far."""
    total = 0
    for file in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        with suppress(OSError):
            total += int(file.read_text().split()[0])
    return total / 1e6


def memory_mb(pid: int, what: str = "VmRSS") -> float:
    """Memory of a process, or the most that it ever had (`VmHWM`), in MB."""
    found = next(
        line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith(what)
    )
    return round(int(found.split()[1]) * 1024 / 1e6, 1)


def ask(port: int, address: str) -> tuple[int, int, int]:
    """Status, bytes as sent, and bytes of what they hold."""
    import gzip

    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    connection.request("GET", address, headers={"accept-encoding": "gzip"})
    answer = connection.getresponse()
    body = answer.read()
    whole = gzip.decompress(body) if answer.headers.get("content-encoding") == "gzip" else body
    connection.close()
    return answer.status, len(body), len(whole)


def measure(file: Path, folder: Path) -> dict[str, Any]:
    """Ask a site for every address once, after its first page, and for each of them what that took."""
    rows = []
    with serving(file, folder=folder) as site:
        pid, port = site.process.pid, site.port
        assert port is not None
        memory = {"served": memory_mb(pid)}
        before = cpu_ms(pid)
        ask(port, "/healthz")
        first = cpu_ms(pid) - before
        memory["first_look"] = memory_mb(pid)
        for address in ADDRESSES:
            # Idle, but for one look a second into the store.
            time.sleep(0.3)
            before = cpu_ms(pid)
            status, sent, whole = ask(port, address)
            rows.append((address, status, round(cpu_ms(pid) - before, 1), sent, whole))
        memory |= {"asked": memory_mb(pid), "most": memory_mb(pid, "VmHWM")}
    return {"first_look_cpu_ms": round(first), "memory_mb": memory, "addresses": rows}


def figures(players: int = 2000, rounds: int = 50, season_file: Path | None = None) -> dict[str, Any]:
    """All of it; the table goes to standard error. `season_file` is the file of one that was made before."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = measure(season_file or make_big_season(folder, players, rounds), folder)
    for address, status, took, sent, whole in found["addresses"]:
        print(f"{address:70} {status} {took:9.1f} ms {sent:12,} B {whole:12,} B whole", file=sys.stderr)
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--players", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--season", type=Path)
    given = parser.parse_args()
    print(json.dumps(figures(given.players, given.rounds, given.season)))


if __name__ == "__main__":
    main()
