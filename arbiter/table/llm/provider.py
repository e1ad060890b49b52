"""One question to a provider: a request to ``/chat/completions``, and the stream of its answer.

All input is bounded and checked. No error contains the key or quotes the provider, which may repeat it;
redirects are not followed, since they would leak the key.
"""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import threading
from contextlib import closing, contextmanager, suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar
from urllib.parse import urlsplit

from arbiter import __version__
from arbiter.table.llm.provider_errors import LONGEST_ERROR, names_in, reason_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from arbiter.match.spec import ModelEntry

T = TypeVar("T")
Response: TypeAlias = http.client.HTTPResponse

LONGEST_TEXT = 256 * 1024
"""The most characters of an answer with its reasoning; the stream is cut there."""
LONGEST_EVENT, LONGEST_STREAM = 1 << 20, 32 << 20
"""The most bytes of one event, and of all."""
CHUNK = 65_536
PATIENT = frozenset({408, 409, 425, 429})
"""Statuses below 500 after which the question may be repeated."""
_NO_EVENT = "HTTP 200 without an event: the question may be longer than the model's context"
_NO_FINISH = (
    "its stream ended without a finish_reason: the server interrupts questions for others"
    " (llama-cpp-python: set --interrupt_requests false)"
)


class Streamed(NamedTuple):
    """An answer as received.

    `pieces` is the number of deltas with text, of the answer or of reasoning (`thought`); `reported` is the
    provider's count of tokens, `hidden` of these its count of reasoning. `finish` is the provider's
    finish reason, "length" also if it was cut here. `asked` is its count of the question's tokens.
    """

    text: str
    thought: str
    pieces: int
    reported: int | None
    hidden: int
    finish: str
    refused: bool
    model: str
    asked: int | None = None


class ProviderFailure(Exception):
    """A question without an answer; `again` if a retry may help, after `pause` seconds.

    `too_long` if the question may be longer than the model's context. `status` is that of the response, 0
    without one; `pieces` is the number of pieces received.
    """

    def __init__(
        self,
        why: str,
        again: bool = True,
        pause: float | None = None,
        too_long: bool = False,
        pieces: int = 0,
    ) -> None:
        self.again, self.pause, self.too_long, self.pieces = again, pause, too_long, pieces
        self.status = 0
        super().__init__(why)


class _TooLate(ProviderFailure):
    """The time for a question is over."""


class Provider:
    """The provider of one model; one question at a time, which `hang_up` ends from another thread."""

    def __init__(self, entry: ModelEntry, key: str) -> None:
        self._entry, self._key = entry, key
        self._url = urlsplit(entry.endpoint)
        self._lock = threading.Lock()
        self._under_way: Callable[[], None] | None = None
        """Ends the question in progress."""
        self._gone = False

    @property
    def host(self) -> str:
        """Its name and port, as in the config."""
        return self._url.netloc

    def ask(
        self,
        messages: Sequence[Mapping[str, str]],
        allowed: int,
        seconds: float,
        more: Mapping[str, object] | None = None,
    ) -> Streamed:
        """Send a question; return the answer of at most `allowed` tokens, in `seconds`. ProviderFailure.

        `more` are further settings of the request.
        """
        answer = _Answer(allowed)
        body = json.dumps(self._question(messages, allowed) | dict(more or {})).encode()
        try:
            return self._exchange("POST", "/chat/completions", body, seconds, answer.read_response)
        except _TooLate:
            what = "no whole answer" if answer.pieces else "no answer"
            late = f"{what} within {self._entry.deadline_s:g} s"
            raise ProviderFailure(late, again=False, pieces=answer.pieces) from None
        except ProviderFailure as failure:
            failure.pieces = answer.pieces
            raise

    def names(self, seconds: float) -> list[str]:
        """Return the names of models that the endpoint lists, unchecked; [] without any."""
        with suppress(ProviderFailure):
            return self._exchange(
                "GET", "/models", None, seconds, lambda answer: names_in(answer.read(CHUNK))
            )
        return []

    def _exchange(
        self, method: str, path: str, body: bytes | None, seconds: float, read: Callable[[Response], T]
    ) -> T:
        """Send a request; return what `read` makes of its response, in `seconds`. ProviderFailure."""
        if seconds <= 0:
            raise ProviderFailure("its time was over", again=False)
        secure = self._url.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        connection = kind(self._url.hostname or "", self._url.port, timeout=seconds)
        # Stored separately: the connection drops it once the answer begins.
        sockets: list[socket.socket] = []
        ended = threading.Event()

        def shut_down() -> None:
            ended.set()
            for one in (connection.sock, *sockets):
                if one is not None:
                    with suppress(OSError):
                        one.shutdown(socket.SHUT_RDWR)

        # A socket's time-out restarts with each byte.
        timer = threading.Timer(seconds, shut_down)
        timer.daemon = True
        status = 0
        try:
            with closing(connection), self._while_under_way(shut_down):
                timer.start()
                connection.connect()
                sockets.append(connection.sock)
                if ended.is_set():
                    raise TimeoutError
                connection.request(method, f"{self._url.path.rstrip('/')}{path}", body, self._headers())
                with closing(connection.getresponse()) as response:
                    status = response.status
                    if status != HTTPStatus.OK:
                        raise _refusal(response)
                    return read(response)
        except (OSError, http.client.HTTPException, ProviderFailure) as error:
            failure = error if isinstance(error, ProviderFailure) else ProviderFailure(_failure_text(error))
            if ended.is_set() or isinstance(error, TimeoutError):
                failure = _TooLate("too late", again=False)
            failure.status = status
            raise failure from None
        finally:
            timer.cancel()

    @contextmanager
    def _while_under_way(self, end: Callable[[], None]) -> Iterator[None]:
        """Let `hang_up` call `end` within the block; ProviderFailure after `hang_up`."""
        with self._lock:
            if self._gone:
                raise ProviderFailure("the match was over", again=False)
            self._under_way = end
        try:
            yield
        finally:
            with self._lock:
                self._under_way = None

    def hang_up(self) -> None:
        """End the question in progress, and refuse later ones."""
        with self._lock:
            self._gone = True
            if self._under_way is not None:
                self._under_way()

    def _question(self, messages: Sequence[Mapping[str, str]], allowed: int) -> dict[str, Any]:
        """Return a question as JSON, with the model's settings and a limit of `allowed` tokens."""
        entry = self._entry
        body: dict[str, Any] = {
            "model": entry.name,
            "messages": list(messages),
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        # Reasoning models need this name, which other servers often do not know.
        body["max_completion_tokens" if entry.effort else "max_tokens"] = allowed
        if entry.effort:
            body["reasoning_effort"] = entry.effort
        return body

    def _headers(self) -> dict[str, str]:
        """Return the headers of a request, with the key if any."""
        headers = {
            "Content-Type": "application/json",
            "Accept": "text/event-stream",
            "User-Agent": f"arbiter/{__version__}",
            "Connection": "close",
        }
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        return headers


class _Answer:
    """An answer being received."""

    def __init__(self, allowed: int) -> None:
        self._allowed = allowed
        self._text: list[str] = []
        self._thought: list[str] = []
        self._length = 0
        self._finish = self._model = ""
        self._reported: int | None = None
        self._asked: int | None = None
        self._hidden = 0
        self._refused = False
        self.pieces = 0

    def read_response(self, response: http.client.HTTPResponse) -> Streamed:
        """Read a response to its end, or to the limits; ProviderFailure."""
        event: object = _NO_EVENT
        for event in _read_events(response):
            self._receive_event(event)
            if self.pieces > self._allowed or self._length > LONGEST_TEXT:
                self._finish = "length"
                break
        else:
            if event is _NO_EVENT:
                raise ProviderFailure(_NO_EVENT, too_long=True)
            if not self._finish:
                raise ProviderFailure(_NO_FINISH if event is None else "its stream was cut")
        return Streamed(
            "".join(self._text),
            "".join(self._thought),
            self.pieces,
            self._reported,
            self._hidden,
            self._finish,
            self._refused,
            self._model,
            self._asked,
        )

    def _receive_event(self, event: object) -> None:
        """Add an event of the stream to the answer; ProviderFailure if it is an error."""
        if event is None:
            return
        if not isinstance(event, dict):
            raise ProviderFailure("an event of its stream is no object")
        if event.get("error"):
            words = reason_in(event).words
            raise ProviderFailure("an error in its stream" + (words and f": {words}"))
        if isinstance(event.get("model"), str):
            self._model = event["model"][:100]
        choices = event.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            self._receive_choice(choices[0])
        if isinstance(usage := event.get("usage"), dict):
            self._reported = _count(usage.get("completion_tokens"))
            self._asked = _count(usage.get("prompt_tokens"))
            details = usage.get("completion_tokens_details")
            self._hidden = _count(details.get("reasoning_tokens")) or 0 if isinstance(details, dict) else 0

    def _receive_choice(self, choice: Mapping[str, Any]) -> None:
        """Add the text, the reasoning and the reason of the end in a choice to the answer."""
        if isinstance(finish := choice.get("finish_reason"), str):
            self._finish = finish[:40]
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            return
        kept = {
            "content": self._text,
            "reasoning_content": self._thought,
            "reasoning": self._thought,
            "refusal": self._text,
        }
        found = [(name, delta[name]) for name in kept if isinstance(delta.get(name), str) and delta[name]]
        self.pieces += bool(found)
        for name, text in found:
            self._refused |= name == "refusal"
            self._length += len(text)
            kept[name].append(text)


def _read_events(response: http.client.HTTPResponse) -> Iterator[Any]:
    """Yield each event of a stream, None for its end; ProviderFailure for invalid ones."""
    rest, read = b"", 0
    while chunk := response.read1(CHUNK):
        read += len(chunk)
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                data = line[5:].strip()
                if data == b"[DONE]":
                    yield None
                    return
                try:
                    yield json.loads(data)
                except (ValueError, RecursionError):
                    raise ProviderFailure("an event of its stream is no JSON") from None
        if len(rest) > LONGEST_EVENT or read > LONGEST_STREAM:
            raise ProviderFailure("its stream is longer than any answer", again=False)


def _refusal(response: http.client.HTTPResponse) -> ProviderFailure:
    """Return the failure of a status other than 200."""
    status = response.status
    known = {one.value: one.phrase for one in HTTPStatus}
    again = status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in PATIENT
    body = b""
    with suppress(OSError, http.client.HTTPException):
        body = response.read(LONGEST_ERROR)
    words, too_long = reason_in(body, status)
    why = f"HTTP {status} {known.get(status, '')}".rstrip() + (words and f": {words}")
    pause = _seconds(response.getheader("Retry-After"))
    return ProviderFailure(why, again and not too_long, pause, too_long=too_long)


def _seconds(text: str | None) -> float | None:
    """Return the seconds of a header ``Retry-After``; None for other forms, such as a date."""
    return float(text) if text and text.strip().isascii() and text.strip().isdigit() else None


def _count(value: object) -> int | None:
    """Return a reported count; None unless it is a whole number from 0."""
    return value if type(value) is int and value >= 0 else None


def _failure_text(error: Exception) -> str:
    """Return the reason of a failed connection, without any text of the provider."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {error.verify_message}"
    if isinstance(error, http.client.IncompleteRead):
        return "its stream was cut"
    if isinstance(error, http.client.HTTPException):
        return f"no answer by HTTP ({type(error).__name__})"
    return getattr(error, "strerror", None) or type(error).__name__
