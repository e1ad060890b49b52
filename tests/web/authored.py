"""A site whose season takes programs, authors with their tokens; a request as the site hears it, message by message."""

from __future__ import annotations

import asyncio
import io
import zipfile
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from starlette.testclient import TestClient

from arbiter.contest.submissions.author_accounts import add_authors
from arbiter.season.config import load
from arbiter.web.http.watched_seasons import Seasons
from arbiter.web.site import make_site
from tests.fixtures.zoo import Kept

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from httpx2 import Response
    from starlette.types import ASGIApp, Message, Scope

TERMS = "submissions: {max_size: 10KB, per_day: 3}\n"
ADDRESS = "/api/v1/seasons/small/submissions"


def archive(text: str = "print(1)") -> bytes:
    """A good archive; the text makes it another one, the moment does not."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        file.writestr(zipfile.ZipInfo("bot.py"), text)
    return made.getvalue()


@dataclass
class Authored:
    """The site, the season behind it, and by name the authors' tokens."""

    client: TestClient
    kept: Kept
    tokens: dict[str, str] = field(default_factory=dict)

    def headers(self, name: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens[name]}"}

    def put(self, name: str, body: Any) -> Response:
        return self.client.put(ADDRESS, content=body, headers=self.headers(name))

    def send(self, name: str, body: bytes) -> Any:
        answer = self.put(name, body)
        assert answer.status_code in (200, 202), answer.text
        return answer.json()

    def accept(self, name: str, text: str = "1") -> Any:
        """The number of a version that is sent and accepted."""
        number = self.send(name, archive(text))["id"]
        program = {"command": ["python3"], "read": [], "files": {}}
        self.kept.season.submissions.accept(number, [], program)
        return number


@contextmanager
def visiting(*files: Path, follow_redirects: bool = True, **more: Any) -> Iterator[TestClient]:
    """A client of a site over the seasons of these files; `more` as `make_site` takes it."""
    with (
        closing(Seasons(files)) as seasons,
        TestClient(
            make_site(seasons, **more), raise_server_exceptions=False, follow_redirects=follow_redirects
        ) as client,
    ):
        yield client


@contextmanager
def authored(kept: Kept, terms: str = TERMS) -> Iterator[Authored]:
    kept.file.write_text(kept.file.read_text() + terms)
    config = load(kept.file)
    tokens = dict(add_authors(config, kept.season, ["ann", "ben"], False, "test"))
    tokens |= dict(add_authors(config, kept.season, ["olga"], True, "test"))
    with visiting(kept.file, follow_redirects=False) as client:
        yield Authored(client, kept, tokens)


@pytest.fixture
def site(kept: Kept) -> Iterator[Authored]:
    with authored(kept) as made:
        yield made


class Asked:
    """A request whose body comes in `pieces`; then its client stays until `gone` is set, which it is at first."""

    def __init__(
        self,
        method: str,
        path: str,
        headers: Iterable[tuple[str, str]] = (),
        pieces: Iterable[bytes] = (),
        address: str = "10.0.0.1",
    ) -> None:
        path, _, query = path.partition("?")
        self._pieces = list(pieces)
        self.taken, self.status, self.headers, self.body = 0, 0, dict[str, str](), b""
        self.waiting, self.gone = asyncio.Event(), asyncio.Event()
        told = {name for name, _ in headers}
        length = (
            []
            if told & {"transfer-encoding", "content-length"}
            else [("content-length", str(sum(map(len, self._pieces))))]
        )
        host = [] if "host" in told else [("host", "testserver")]
        every = [*host, *length, *headers]
        self.scope: Scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http", "root_path": "",
            "method": method, "path": path, "raw_path": path.encode(), "query_string": query.encode(),
            "headers": [(name.lower().encode(), value.encode()) for name, value in every],
            "client": (address, 1), "server": ("testserver", 80),
        }  # fmt: skip

    async def receive(self) -> Message:
        await asyncio.sleep(0)
        if self.taken < len(self._pieces):
            self.taken += 1
            return {
                "type": "http.request",
                "body": self._pieces[self.taken - 1],
                "more_body": self.taken < len(self._pieces),
            }
        self.waiting.set()
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.body += message["body"]

    async def of(self, site: ASGIApp) -> Asked:
        """The same, once it is answered."""
        await site(self.scope, self.receive, self.send)
        return self


def ask(site: ASGIApp, *arguments: Any, **more: Any) -> Asked:
    """A request that is answered."""

    async def asked() -> Asked:
        return await Asked(*arguments, **more).of(site)

    return asyncio.run(asked())
