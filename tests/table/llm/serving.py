"""A provider of language models on this machine, which answers as a test wants: with texts, and with faults."""

from __future__ import annotations

import json
import re
import ssl
import subprocess
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from arbiter.match.spec import ModelEntry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

KEY = "sk-a-key-that-nobody-may-see"
LEGAL = re.compile(r"^Legal answers: (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Served:
    """One answer: its pieces, how it ends, and what goes wrong.

    `cut` breaks the stream off after so many pieces; `silent` says no more after them; `reported` is added to
    the count that is reported, None reports none; `asked` is reported of the question.
    """

    pieces: tuple[str, ...] = ()
    thought: tuple[str, ...] = ()
    finish: str = "stop"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None
    silent: int | None = None
    reported: int | None = 0
    hidden: int = 0
    asked: int | None = None
    raw: bytes | None = None
    refused: bool = False


def text(words: str, **more: Any) -> Served:
    """A text in pieces, a word each, as its tokens."""
    return Served(tuple(re.findall(r"\s*\S+", words)), **more)


def legal_answer(body: Mapping[str, Any], choose: Callable[[list[str]], str] = min) -> Served:
    """One of the legal answers that the prompt names."""
    found = LEGAL.findall(body["messages"][-1]["content"])
    return text(f"I thought about it.\nANSWER: {choose(found[-1].split(', '))}")


class FakeProvider(ThreadingHTTPServer):
    """Answers by `answer`, from the request's body; `truth` are the tokens of answers that arrived whole."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    scheme = "http"

    def __init__(self) -> None:
        self.answer: Callable[[dict[str, Any]], Served] = legal_answer
        self.bodies: list[dict[str, Any]] = []
        self.authorized: list[str | None] = []
        self.truth = self.broken = self.lies = 0
        self.silent, self.ended = threading.Event(), threading.Event()
        self.lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)

    def secure(self, folder: Path) -> Path:
        """Answer by TLS from now on, with a certificate of its own; return that."""
        certificate, key = folder / "certificate.pem", folder / "key.pem"
        words = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1"
        words += f" -addext subjectAltName=IP:127.0.0.1 -keyout {key} -out {certificate}"
        subprocess.run(words.split(), check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self.scheme = "https"
        return certificate

    @property
    def endpoint(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.server_address[1]}/v1"

    def entry(self, **changes: Any) -> ModelEntry:
        """A model that this provider has."""
        return replace(ModelEntry(self.endpoint, "fake"), **changes)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Who asks may go away at any moment."""


class _Handler(BaseHTTPRequestHandler):
    server: FakeProvider

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server = self.server
        with server.lock:
            server.bodies.append(body)
            server.authorized.append(self.headers["Authorization"])
            served = server.answer(body) if self.path == "/v1/chat/completions" else Served(status=404)
        self.close_connection = True
        if served.status != 200:
            self.send_response(served.status)
            for name, value in served.headers.items():
                self.send_header(name, value)
            self.end_headers()
            # As providers do, and nobody may repeat it.
            self.wfile.write(
                json.dumps({"error": {"message": f"no: {self.headers['Authorization']}"}}).encode()
            )
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        if served.raw is not None:
            self.wfile.write(served.raw)
            return
        self._stream(served)

    def _stream(self, served: Served) -> None:
        server, sent = self.server, 0
        kinds = [("reasoning_content", one) for one in served.thought]
        kinds += [("refusal" if served.refused else "content", one) for one in served.pieces]
        for name, piece in kinds:
            if sent == served.silent:
                self._be_silent()
            if sent == served.cut:
                with server.lock:
                    server.broken += sent
                return
            self._event({"choices": [{"index": 0, "delta": {name: piece}, "finish_reason": None}]})
            sent += 1
        if sent == served.silent:
            self._be_silent()
        self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": served.finish}]})
        if served.reported is not None:
            usage: dict[str, Any] = {"completion_tokens": sent + served.hidden + served.reported}
            usage["completion_tokens_details"] = {"reasoning_tokens": served.hidden}
            if served.asked is not None:
                usage["prompt_tokens"] = served.asked
            self._event({"choices": [], "usage": usage})
        with server.lock:
            server.truth += sent + served.hidden
            server.lies += served.reported not in (None, 0)
        self.wfile.write(b"data: [DONE]\n\n")

    def _be_silent(self) -> None:
        self.server.silent.set()
        self.server.ended.wait()

    def _event(self, event: Mapping[str, Any]) -> None:
        self.wfile.write(f"data: {json.dumps({'model': 'fake-1', **event})}\n\n".encode())

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[FakeProvider]:
    """A provider while it is there."""
    server = FakeProvider()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.ended.set()
        server.shutdown()
        thread.join()
        server.server_close()
