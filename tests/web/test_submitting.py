"""Programs sent to a real server on loopback, by clients that mean ill too; and killed at any moment."""

from __future__ import annotations

import json
import os
import signal
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from hashlib import sha256
from threading import Barrier
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.contest.submissions.archive_storage import archive_of, folder_of
from arbiter.contest.submissions.author_accounts import add_authors
from arbiter.season.config import load
from arbiter.season.season import Season
from arbiter.store import Store
from tests.fixtures.commands import RANDOM
from tests.fixtures.served_site import PATIENCE, Served, pour, serving
from tests.fixtures.site import archive, until

if TYPE_CHECKING:
    from pathlib import Path


pytestmark = pytest.mark.process
ADDRESS = "/api/v1/seasons/s/submissions"
FAST = """
import arbiter.web.http.request_bodies, arbiter.web.http.connections
arbiter.web.http.connections.STALL_SECONDS = 0.5
arbiter.web.http.request_bodies.SECONDS = 3.0
"""


class Contest:
    """A season that takes programs, with two authors."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "s.yaml"
        command = json.dumps(RANDOM.split())
        house = f"  - {{name: random, command: {command}, house: true}}\n"
        game = "{name: planning, deals: [[1, 0]]}"
        terms = "submissions: {max_size: 1MB}\nhouse_bots: [random]\n"
        self.file.write_text(f"game: {game}\n{terms}players:\n{house}")
        self.config = load(self.file)
        with closing(Store(self.config.store)) as store:
            season = Season.open(self.config, store).stored
            self.tokens = dict(add_authors(self.config, season, ["ann", "ben"], False, "test"))

    def files(self) -> list[str]:
        folder = folder_of(self.config)
        return sorted(file.suffix for file in folder.iterdir() if file.is_file()) if folder.exists() else []

    def head(self, *lines: str, name: str = "ann") -> bytes:
        first = [f"PUT {ADDRESS} HTTP/1.1", "host: localhost", f"authorization: Bearer {self.tokens[name]}"]
        return "\r\n".join([*first, *lines, "", ""]).encode()

    def states(self) -> list[str]:
        with closing(Store(self.config.store)) as store:
            season = store.season("s")
            assert season is not None
            return [one.state for one in season.submissions.of("ann")]


@pytest.fixture
def contest(tmp_path: Path) -> Contest:
    return Contest(tmp_path)


def ask(served: Served, contest: Contest, method: str, end: str = "", body: bytes | None = None) -> Any:
    headers = {"authorization": f"Bearer {contest.tokens['ann']}"}
    request = urllib.request.Request(served.address.rstrip("/") + ADDRESS + end, body, headers, method=method)
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.load(answer)


def test_slow_and_endless_bodies_are_ended_and_leave_nothing(contest: Contest, tmp_path: Path) -> None:
    with serving(contest.file, folder=tmp_path, code=FAST) as served:
        # A body that stalls.
        assert b" 408 " in served.tell(contest.head("content-length: 100") + b"PK")
        # One that comes drop by drop, chunk by chunk, without end.
        with served.connect() as client:
            client.sendall(contest.head("transfer-encoding: chunked"))
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
            client.sendall(contest.head("transfer-encoding: chunked"))
            assert pour(client, b"10000\r\n" + b"x" * 0x10000 + b"\r\n", 100_000_000) < 20_000_000
        until(lambda: contest.files() == [])
        assert ask(served, contest, "GET") == {"submissions": []}


def test_one_upload_at_a_time_is_taken_from_an_author(contest: Contest, tmp_path: Path) -> None:
    with serving(contest.file, folder=tmp_path) as served, served.connect() as client:
        client.sendall(contest.head("content-length: 100") + b"PK")
        until(lambda: contest.files() == [".part"])
        other = served.tell(contest.head("content-length: 3", "connection: close") + b"abc")
        assert b" 429 " in other
        assert b'"seconds":10' in other
        # Another author's is taken meanwhile.
        mine = served.tell(contest.head("content-length: 3", "connection: close", name="ben") + b"abc")
        assert b" 202 " in mine


def test_of_sixty_uploads_at_once_none_is_lost(contest: Contest, tmp_path: Path) -> None:
    names = [f"author {number:02d}" for number in range(60)]
    with closing(Store(contest.config.store)) as store:
        season = store.season("s")
        assert season is not None
        contest.tokens |= dict(add_authors(contest.config, season, names, False, "test"))
        with serving(contest.file, folder=tmp_path) as served, ThreadPoolExecutor(60) as threads:
            ready = Barrier(60)

            def send(name: str) -> bytes:
                body = archive(name)
                length = f"content-length: {len(body)}"
                ready.wait()
                return served.tell(contest.head(length, "connection: close", name=name) + body)

            answers = list(threads.map(send, names))
        assert [answer for answer in answers if b" 202 " not in answer] == []
        for name in names:
            (found,) = season.submissions.of(name)
            assert found.sha256 == sha256(archive(name)).hexdigest()
            assert archive_of(contest.config, found.file).read_bytes() == archive(name)


def test_what_is_cut_off_is_gone(contest: Contest, tmp_path: Path) -> None:
    with serving(contest.file, folder=tmp_path) as served:
        with served.connect() as client:
            client.sendall(contest.head("content-length: 100") + b"PK")
            until(lambda: contest.files() == [".part"])
        until(lambda: contest.files() == [])
        assert ask(served, contest, "GET") == {"submissions": []}


def child_of(process: int) -> int:
    """The one child of a process, as soon as it has one."""
    found: list[int] = []

    def look() -> bool:
        for task in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{task}/children") as file:
                found.extend(map(int, file.read().split()))
        return bool(found)

    until(look)
    return found[0]


def test_a_server_that_is_killed_goes_on_where_it_was(contest: Contest, tmp_path: Path) -> None:
    with serving(contest.file, folder=tmp_path) as served:
        inspector = child_of(served.process.pid)
        made = ask(served, contest, "PUT", body=archive("print('hello')"))
        inspection = child_of(inspector)
        served.process.send_signal(signal.SIGKILL)
        served.process.wait()
        until(lambda: not alive(inspector) and not alive(inspection))
    with serving(contest.file, folder=tmp_path) as served:
        until(lambda: ask(served, contest, "GET", f"/{made['id']}")["state"] == "refused")
        found = ask(served, contest, "GET", f"/{made['id']}")
    assert [step["name"] for step in found["steps"]] == ["unpacked", "built", "checked"]
    assert contest.states() == ["refused"]
    assert contest.files() == [".zip"]


def alive(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
