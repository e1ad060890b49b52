"""A request as the site hears it, message by message."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import ASGIApp, Message, Scope


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
