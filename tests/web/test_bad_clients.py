"""Clients that are slow, greedy or malformed: each gets a clear status, and nothing is held for it."""

from __future__ import annotations

import re
import socket
import struct
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.fixtures.served_site import PATIENCE, Served, everything, pour, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SHORTER = """
from arbiter.web.http import concurrency_limits, connections, live_events
connections.HEADER_SECONDS = connections.STALL_SECONDS = 0.5
connections.MOST, connections.MOST_OF_ADDRESS = 60, 40
address_of = connections.address_of
# Of loopback, one address that stands for another machine.
connections.address_of = lambda client: "else" if client[0] == "127.9.9.9" else address_of(client)
live_events.MOST_OF_ADDRESS = 20
concurrency_limits.MOST = 10
"""
"""Of whoever waits for a limit, so that the tests are quick; what happens then is the same."""
EVENTS = b"GET /api/v1/seasons/small/events HTTP/1.1\r\nHost: localhost\r\n\r\n"

# They share a server.
pytestmark = pytest.mark.process
ELSEWHERE = "127.9.9.9"


@pytest.fixture(scope="module")
def served(original_season: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(
        original_season / "small.yaml", folder=tmp_path_factory.mktemp("serve"), code=SHORTER
    ) as served:
        yield served
    assert "Traceback" not in served.log()


@pytest.fixture(autouse=True)
def _nothing_is_held(served: Served) -> Iterator[None]:
    """After each test the server still answers, and has closed what was opened."""
    yield
    while b"arbiter_listeners 0\n" not in served.tell(b"GET /metrics HTTP/1.0\r\n\r\n"):
        pass
    assert b" 200 " in served.tell(b"GET /healthz HTTP/1.0\r\n\r\n")
    while served.open_files() > 40:
        served.tell(b"GET /healthz HTTP/1.0\r\n\r\n")


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


@contextmanager
def connected(served: Served, *addresses: str, each: int) -> Iterator[list[socket.socket]]:
    """So many connections from each of this machine's addresses."""
    with ExitStack() as stack:
        at = "127.0.0.1", served.port
        yield [
            stack.enter_context(socket.create_connection(at, PATIENCE, (address, 0)))
            for address in addresses
            for _ in range(each)
        ]


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (b"GET /seasons/small HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n", 408),
        (b"", 408),
        (b"PUT /seasons HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf", 405),
        (b"GET /seasons HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", 400),
        (b"nonsense\r\n\r\n", 400),
        (b"GET /a\x00b HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"GET /" + b"a" * 9000 + b" HTTP/1.0\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nCookie: " + b"a" * 100_000, 431),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"a: b\r\n" * 20_000, 431),
        (b"GET /../../etc/passwd HTTP/1.0\r\n\r\n", 404),
        (b"GET /static/%2e%2e/site.py HTTP/1.0\r\n\r\n", 404),
        (b"GET /seasons/%00 HTTP/1.0\r\n\r\n", 404),
        (b"GET /api/v1/seasons/small/matches?limit=1e9 HTTP/1.0\r\n\r\n", 422),
        (b"DELETE /seasons/small HTTP/1.0\r\n\r\n", 405),
        (b"BREW /seasons/small HTTP/1.0\r\n\r\n", 405),
        (b"OPTIONS * HTTP/1.0\r\n\r\n", 404),
        (b"GET http://elsewhere/ HTTP/1.0\r\n\r\n", 404),
        (b"CONNECT elsewhere:443 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 404),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: odd\r\n\r\n", 501),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", 400),
    ],
    ids=[
        "half of the headers", "nothing", "half of a body", "chunks without end", "nonsense", "a NUL",
        "a long address", "a long header", "many headers", "dots", "escaped dots", "an escaped NUL", "a large limit",
        "DELETE", "BREW", "OPTIONS *", "a proxy's request", "CONNECT", "no host", "an odd encoding",
        "a negative length",
    ],
)  # fmt: skip
def test_a_bad_request_gets_a_clear_status_and_an_end(served: Served, request_: bytes, expected: int) -> None:
    assert status(served.tell(request_)) == expected


def test_a_listener_that_never_reads_is_let_go(served: Served) -> None:
    clients = [served.connect() for _ in range(10)]
    for client in clients:
        client.sendall(EVENTS)
    for client in clients:
        # It goes away without a word.
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()


def test_an_answer_that_nobody_takes_is_given_up(served: Served) -> None:
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(60)
        client.connect(("127.0.0.1", served.port))
        # Pipelined, these answers are more than the kernel takes for a client.
        request = b"GET /api/v1/seasons/small/history HTTP/1.1\r\nHost: localhost\r\n\r\n"
        most = 100_000 * len(request)
        assert pour(client, request, most) < most


def test_pipelined_requests_are_answered_in_order(served: Served) -> None:
    many = b"".join(
        b"GET /seasons/small/rounds/%d HTTP/1.1\r\nHost: localhost\r\n\r\n" % number
        for number in (1, 2, 99, 3)
    )
    answer = served.tell(many + b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    assert re.findall(rb"HTTP/1.1 (\d+)", answer) == [b"200", b"200", b"404", b"200", b"200"]


def test_nonsense_behind_a_request_does_not_disturb_its_answer(served: Served) -> None:
    answer = served.tell(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n\x00\x01nonsense\r\n\r\n")
    assert answer.count(b"HTTP/1.1 ") <= 2
    assert b"ok\n" in answer or answer == b""


@pytest.mark.parametrize("odd", [b"-1", b"9" * 4000, b"\xff\xfe", b"1e9", b"None"])
def test_an_absurd_last_event_id_gets_the_present(served: Served, odd: bytes) -> None:
    with served.connect() as client:
        client.sendall(EVENTS[:-2] + b"Last-Event-ID: " + odd + b"\r\n\r\n")
        found = b""
        while b"event: " not in found:
            found += client.recv(4096)
    assert b"event: state" in found


def test_listeners_from_one_address_are_bounded(served: Served) -> None:
    with ExitStack() as stack:
        found = []
        for _ in range(25):
            # Each asks at once: a connection that waits for the others is closed.
            client = stack.enter_context(served.connect())
            client.sendall(EVENTS)
            found.append(status(client.recv(4096)))
        assert (found.count(200), found.count(429)) == (20, 5)


@pytest.mark.parametrize("path", [b"/login", b"/api/v1/seasons/small/pause", b"/seasons/small"])
def test_a_body_in_crumbs_is_not_read(served: Served, path: bytes) -> None:
    """Nor is it behind an answer: its reading costs a thousand times as much as its sending."""
    with served.connect() as client:
        head = b"POST %s HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        client.sendall(head % path)
        assert pour(client, b"1\r\nx\r\n" * 1000, 50_000_000) < 50_000_000


def test_a_body_in_crumbs_is_told_so(served: Served) -> None:
    head = b"POST /login HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    answer = served.tell(head + b"1\r\nx\r\n" * 300)
    assert (status(answer), b"chunks of the body are too small" in answer) == (400, True)


def test_more_drips_than_there_are_places_keep_nobody_out(served: Served) -> None:
    with connected(served, "127.0.0.1", each=30) as clients:
        for client in clients:
            client.sendall(b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx")
        for path in (b"/seasons", b"/seasons/small/matches", b"/healthz"):
            assert status(served.tell(b"GET " + path + b" HTTP/1.0\r\n\r\n")) == 200


def test_one_address_does_not_hold_all_connections(served: Served) -> None:
    # This machine has many addresses, and counts as one.
    own = ("127.0.0.1", "127.0.0.2", "127.3.4.5", "127.0.0.1", "127.0.0.2")
    with connected(served, *own, each=10) as clients:
        with connected(served, ELSEWHERE, each=1) as (other,):
            other.sendall(b"GET /seasons HTTP/1.0\r\n\r\n")
            assert status(everything(other)) == 200
        assert [status(everything(client)) for client in clients[40:]] == [429] * 10


def test_connections_are_bounded(served: Served) -> None:
    with connected(served, "127.0.0.1", ELSEWHERE, each=40) as clients:
        answers = [everything(client) for client in clients]
    found = [status(answer) for answer in answers if answer]
    assert set(found) == {408, 429}
    assert found.count(429) >= 20
    assert all(b"retry-after: 5" in answer for answer in answers if answer and status(answer) == 429)
