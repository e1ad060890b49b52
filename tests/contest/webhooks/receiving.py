"""A receiver of webhooks on this machine, which keeps what it gets and answers as a test wants."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECRET = b"sixteen bytes, or more"


class Got(NamedTuple):
    """A request."""

    path: str
    headers: dict[str, str]
    body: bytes


class Receiver(ThreadingHTTPServer):
    """Answers 204, or what `answer` writes to the socket for a request."""

    daemon_threads = True

    def __init__(self) -> None:
        self.got: list[Got] = []
        self.answer: Callable[[Got], bytes] = lambda _: b"HTTP/1.1 204 No Content\r\n\r\n"
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/"

    def ids(self, path: str = "/") -> list[str]:
        """The ids of the deliveries to a path, each as often as it came."""
        return [one.headers["x-arbiter-delivery"] for one in list(self.got) if one.path == path]


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        got = Got(self.path, headers, self.rfile.read(int(headers["content-length"])))
        self.server.got.append(got)
        self.wfile.write(self.server.answer(got))
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def receiving() -> Iterator[Receiver]:
    server = Receiver()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def answer(status: int, *headers: str) -> bytes:
    """An answer without a body."""
    lines = [f"HTTP/1.1 {status} X", *headers, "Content-Length: 0", "", ""]
    return "\r\n".join(lines).encode()
