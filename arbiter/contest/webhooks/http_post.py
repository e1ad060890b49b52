"""One signed HTTP request to a receiver, limited in time and in the size of its answer; no redirects."""

from __future__ import annotations

import hmac
import http.client
import io
import socket
import ssl
import time
from contextlib import closing
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from arbiter import __version__
from arbiter.contest.webhooks.address_guard import Unreachable, resolve_allowed
from arbiter.errors import ConfigError
from arbiter.season.config.webhook_settings import read_secret
from arbiter.text import printable

if TYPE_CHECKING:
    from arbiter.contest.webhooks.address_guard import Place
    from arbiter.season.config.webhook_settings import Webhook

SECONDS = 10.0
"""From name resolution to the end of the response headers."""
LONGEST_ANSWER = 65_536
"""The most bytes read of an answer."""
GONE = 410
LONGEST_PAUSE = 3600
"""The longest accepted Retry-After, in seconds."""
LONGEST_PROBLEM = 300
_DIGITS = 6


class Receipt(NamedTuple):
    """The result of a request: the answer's status, None without one; the problem, or "".

    `pause` is the receiver's Retry-After, in seconds.
    """

    status: int | None
    problem: str
    pause: int = 0

    @property
    def ok(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


def signature(secret: bytes, body: bytes) -> str:
    """Return the value of the signature header: ``sha256=`` and the body's HMAC in hex."""
    return f"sha256={hmac.new(secret, body, sha256).hexdigest()}"


def post(webhook: Webhook, event: str, delivery: str, body: bytes) -> Receipt:
    """Send a body to a webhook; every failure is in the returned receipt."""
    try:
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"arbiter/{__version__}",
            "Connection": "close",
            "X-Arbiter-Event": event,
            "X-Arbiter-Delivery": delivery,
            "X-Arbiter-Signature": signature(read_secret(webhook.secret_file), body),
        }
        return _send(webhook, body, headers, time.monotonic() + SECONDS)
    except Unreachable as error:
        return _failure_receipt(str(error))
    except ConfigError as error:
        return _failure_receipt(error.problems[0].text())
    except TimeoutError:
        return _failure_receipt(f"no answer within {SECONDS:.0f} s")
    except ssl.SSLCertVerificationError as error:
        return _failure_receipt(f"its certificate is not trusted: {error.verify_message}")
    except OSError as error:
        return _failure_receipt(error.strerror or str(error) or type(error).__name__)
    except (http.client.HTTPException, ValueError) as error:
        # Python's own message may contain what was sent.
        return _failure_receipt(f"its answer is not HTTP ({type(error).__name__})")


def _failure_receipt(problem: str) -> Receipt:
    return Receipt(None, printable(" ".join(problem.split()))[:LONGEST_PROBLEM])


def _send(webhook: Webhook, body: bytes, headers: dict[str, str], until: float) -> Receipt:
    """Connect to an allowed address, send the body and read the answer, all before `until`."""
    parts = urlsplit(webhook.url)
    secure, host = parts.scheme == "https", parts.hostname or ""
    port = parts.port or (443 if secure else 80)
    connection: http.client.HTTPConnection = _Connection(
        host, port, resolve_allowed(host, port, webhook.local, _seconds_left(until)), secure, until
    )
    with closing(connection):
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request("POST", target, body, headers)
        with closing(connection.getresponse()) as answer:
            return _receipt(answer)


def _receipt(answer: http.client.HTTPResponse) -> Receipt:
    """Return an answer as a receipt; only a status of 2xx is no problem."""
    status = answer.status
    if 200 <= status < 300:
        return Receipt(status, "")
    words = f"status {status}"
    if 300 <= status < 400:
        words += ": redirections are not followed"
    asked = answer.headers.get("Retry-After", "")
    pause = int(asked) if asked.isascii() and asked.isdigit() and len(asked) <= _DIGITS else 0
    return Receipt(status, words, min(pause, LONGEST_PAUSE))


def _seconds_left(until: float) -> float:
    """Return the seconds left; TimeoutError if the deadline has passed."""
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


class _Connection(http.client.HTTPConnection):
    """A connection to one of the checked addresses, with one deadline for everything."""

    def __init__(self, host: str, port: int, places: list[Place], secure: bool, until: float) -> None:
        super().__init__(host, port)
        self._places, self._secure, self._until = places, secure, until
        self.response_class = self._make_response  # type: ignore[assignment]  # called like the class
        if secure:
            # So that `Host` has no port for the default one.
            self.default_port = http.client.HTTPS_PORT

    def connect(self) -> None:
        """Connect to the first address that answers, with TLS if `secure`; OSError if all fail."""
        self.sock = _connect_first(self._places, self._until)
        if self._secure:
            context = ssl.create_default_context()
            self.sock.settimeout(_seconds_left(self._until))
            try:
                self.sock = context.wrap_socket(self.sock, server_hostname=self.host)
            except BaseException:
                self.sock.close()
                raise
        # For sending.
        self.sock.settimeout(_seconds_left(self._until))

    def _make_response(self, sock: socket.socket, *given: Any, **named: Any) -> http.client.HTTPResponse:
        """Return a response that reads within the deadline and `LONGEST_ANSWER`."""
        answer = http.client.HTTPResponse(sock, *given, **named)
        answer.fp.close()
        answer.fp = io.BufferedReader(_AnswerBytes(sock, self._until))
        return answer


def _connect_first(places: list[Place], until: float) -> socket.socket:
    """Connect to the first place that answers before `until`; raise the last OSError if none does."""
    problem: OSError = OSError("it has no address")
    for family, place in places:
        made = socket.socket(family, socket.SOCK_STREAM)
        try:
            made.settimeout(_seconds_left(until))
            made.connect(place)
        except OSError as error:
            made.close()
            problem = error
        else:
            return made
    raise problem


class _AnswerBytes(io.RawIOBase):
    """The bytes received by a socket, up to a deadline and a number of bytes."""

    def __init__(self, sock: socket.socket, until: float) -> None:
        super().__init__()
        self._sock, self._until, self._bytes = sock, until, LONGEST_ANSWER

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Receive into the buffer; return the number of bytes, 0 at the limit; TimeoutError when late."""
        with memoryview(buffer) as view:
            room = view[: self._bytes]
            if not len(room):
                return 0
            self._sock.settimeout(_seconds_left(self._until))
            count = self._sock.recv_into(room)
        self._bytes -= count
        return count
