"""Programs sent to a real server on loopback, by clients that mean ill too; and killed at any moment."""

from __future__ import annotations

import json
import os
import signal
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from hashlib import sha256
from threading import Barrier
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.contest.submissions.archive_storage import archive_of
from arbiter.contest.submissions.author_accounts import add_authors
from arbiter.season.roster import folder_of
from tests.fixtures.served_site import PATIENCE, Served, pour, serving
from tests.fixtures.site import ADDRESS, Authored, archive, until

if TYPE_CHECKING:
    from pathlib import Path


pytestmark = pytest.mark.process
FAST = """
import arbiter.web.http.request_bodies, arbiter.web.http.connections
arbiter.web.http.connections.STALL_SECONDS = 0.5
arbiter.web.http.request_bodies.SECONDS = 3.0
"""


def files(site: Authored) -> list[str]:
    folder = folder_of(site.kept.config)
    return sorted(file.suffix for file in folder.iterdir() if file.is_file()) if folder.exists() else []


def head(site: Authored, *lines: str, name: str = "ann") -> bytes:
    first = [f"PUT {ADDRESS} HTTP/1.1", "host: localhost", f"authorization: Bearer {site.tokens[name]}"]
    return "\r\n".join([*first, *lines, "", ""]).encode()


def ask(served: Served, site: Authored, method: str, end: str = "", body: bytes | None = None) -> Any:
    address = served.address.rstrip("/") + ADDRESS + end
    request = urllib.request.Request(address, body, site.headers("ann"), method=method)
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.load(answer)


def test_slow_and_endless_bodies_are_ended_and_leave_nothing(site: Authored, tmp_path: Path) -> None:
    with serving(site.kept.file, folder=tmp_path, code=FAST) as served:
        # A body that stalls.
        assert b" 408 " in served.tell(head(site, "content-length: 100") + b"PK")
        # One that comes drop by drop, chunk by chunk, without end.
        with served.connect() as client:
            client.sendall(head(site, "transfer-encoding: chunked"))
            client.settimeout(0.05)
            answer = b""
            end = time.monotonic() + PATIENCE
            while b"\r\n\r\n" not in answer and time.monotonic() < end:
                try:
                    client.sendall(b"1\r\nx\r\n")
                    answer += client.recv(4096)
                except TimeoutError:
                    continue
                except (BrokenPipeError, ConnectionResetError):
                    break
        assert b" 408 " in answer
        # One that never ends, as fast as it can.
        with served.connect() as client:
            client.sendall(head(site, "transfer-encoding: chunked"))
            assert pour(client, b"10000\r\n" + b"x" * 0x10000 + b"\r\n", 100_000_000) < 20_000_000
        until(lambda: files(site) == [])
        assert ask(served, site, "GET") == {"submissions": []}


def test_one_upload_at_a_time_is_taken_and_what_is_cut_off_is_gone(site: Authored, tmp_path: Path) -> None:
    with serving(site.kept.file, folder=tmp_path) as served:
        with served.connect() as client:
            client.sendall(head(site, "content-length: 100") + b"PK")
            until(lambda: files(site) == [".part"])
            other = served.tell(head(site, "content-length: 3", "connection: close") + b"abc")
            assert b" 429 " in other
            assert b'"seconds":10' in other
            # Another author's is taken meanwhile.
            mine = served.tell(head(site, "content-length: 3", "connection: close", name="ben") + b"abc")
            assert b" 202 " in mine
        until(lambda: files(site) == [".zip"])
        assert ask(served, site, "GET") == {"submissions": []}


def test_of_sixty_uploads_at_once_none_is_lost(site: Authored, tmp_path: Path) -> None:
    names, config, season = (
        [f"author {number:02d}" for number in range(60)],
        site.kept.config,
        site.kept.season,
    )
    site.tokens |= dict(add_authors(config, season, names, False, "test"))
    with serving(site.kept.file, folder=tmp_path) as served, ThreadPoolExecutor(60) as threads:
        ready = Barrier(60)

        def send(name: str) -> bytes:
            body = archive(name)
            ready.wait()
            return served.tell(
                head(site, f"content-length: {len(body)}", "connection: close", name=name) + body
            )

        answers = list(threads.map(send, names))
    assert [answer for answer in answers if b" 202 " not in answer] == []
    for name in names:
        (found,) = season.submissions.of(name)
        assert found.sha256 == sha256(archive(name)).hexdigest()
        assert archive_of(config, found.file).read_bytes() == archive(name)


def child_of(process: int) -> int:
    """The one child of a process, as soon as it has one."""
    found: list[int] = []

    def look() -> bool:
        for task in os.listdir(f"/proc/{process}/task"):
            # A thread may end meanwhile.
            with suppress(FileNotFoundError), open(f"/proc/{process}/task/{task}/children") as file:
                found.extend(map(int, file.read().split()))
        return bool(found)

    until(look)
    return found[0]


def test_a_server_that_is_killed_goes_on_where_it_was(site: Authored, tmp_path: Path) -> None:
    with serving(site.kept.file, folder=tmp_path) as served:
        inspector = child_of(served.process.pid)
        made = ask(served, site, "PUT", body=archive("print('hello')"))
        inspection = child_of(inspector)
        served.process.send_signal(signal.SIGKILL)
        served.process.wait()
        until(lambda: not alive(inspector) and not alive(inspection))
    with serving(site.kept.file, folder=tmp_path) as served:
        until(lambda: ask(served, site, "GET", f"/{made['id']}")["state"] == "refused")
        found = ask(served, site, "GET", f"/{made['id']}")
    assert [step["name"] for step in found["steps"]] == ["unpacked", "built", "checked"]
    assert [one.state for one in site.kept.season.submissions.of("ann")] == ["refused"]
    assert files(site) == [".zip"]


def alive(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
