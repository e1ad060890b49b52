"""One request: what it holds, what is made of the answer, what bounds it."""

from __future__ import annotations

import hmac
import socket
import threading
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from arbiter.contest.webhooks import http_post
from arbiter.contest.webhooks.http_post import Receipt, post
from arbiter.season.config.webhook_settings import Webhook
from tests.docs.pages import ROOT, blocks
from tests.fixtures.receiving import SECRET, Got, Receiver, answer, make_certificate


def ask(url: str, secret: Path, local: bool = True, body: bytes = b"{}") -> Receipt:
    """What comes of a request to a webhook."""
    return post(Webhook(url, secret, local=local), "round", "1d", body)


def test_a_request_is_signed_and_named(receiver: Receiver, secret: Path) -> None:
    secret.write_bytes(SECRET + b"\r\n")
    receipt = ask(f"{receiver.url}a/b?c=d", secret, body=b'{"a": 1}')
    (got,) = receiver.got
    assert (receipt.ok, receipt.status, receipt.problem) == (True, 204, "")
    assert (got.path, got.body, got.headers["content-type"]) == ("/a/b?c=d", b'{"a": 1}', "application/json")
    assert (got.headers["x-arbiter-event"], got.headers["x-arbiter-delivery"]) == ("round", "1d")
    signed = hmac.new(SECRET, b'{"a": 1}', sha256).hexdigest()
    assert got.headers["x-arbiter-signature"] == f"sha256={signed}"


def test_no_redirection_is_followed(receiver: Receiver, secret: Path) -> None:
    receiver.answer = lambda _: answer(307, f"Location: {receiver.url}elsewhere")
    receipt = ask(receiver.url, secret)
    assert (receipt.ok, receipt.problem) == (False, "status 307: redirections are not followed")
    assert len(receiver.got) == 1


@pytest.mark.parametrize(
    ("retry_after", "pause"), [("7", 7), ("999999", 3600), ("9999999", 0), ("-1", 0), ("soon", 0), ("٣", 0)]
)
def test_a_receiver_may_ask_to_be_left_alone(
    receiver: Receiver, secret: Path, retry_after: str, pause: int
) -> None:
    receiver.answer = lambda _: answer(429, f"Retry-After: {retry_after}")
    receipt = ask(receiver.url, secret)
    assert (receipt.status, receipt.problem, receipt.pause) == (429, "status 429", pause)


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (b"", "Remote end closed connection without response"),
        (b"hello\r\n\r\n", "its answer is not HTTP (BadStatusLine)"),
        (b"HTTP/1.1 999999 X\r\n\r\n", "its answer is not HTTP (BadStatusLine)"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: x\r\n" * 101, "its answer is not HTTP (HTTPException)"),
        (b"x" * 10**6, "its answer is not HTTP (BadStatusLine)"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 10**4, "its answer is not HTTP (BadStatusLine)"),
    ],
)
def test_what_is_no_answer_is_a_problem_of_one_line(
    receiver: Receiver, secret: Path, said: bytes, problem: str
) -> None:
    receiver.answer = lambda _: said
    receipt = ask(receiver.url, secret)
    assert (receipt.ok, receipt.status, receipt.problem) == (False, None, problem)


def test_not_more_than_so_much_of_an_answer_is_read(
    receiver: Receiver, secret: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    plain = http_post._AnswerBytes.readinto

    def counted(bounded: Any, buffer: Any) -> int:
        read.append(plain(bounded, buffer))
        return read[-1]

    monkeypatch.setattr(http_post._AnswerBytes, "readinto", counted)
    headers = b"".join(b"X: " + b"x" * 60_000 + b"\r\n" for _ in range(50))
    receiver.answer = lambda _: b"HTTP/1.1 200 OK\r\n" + headers
    ask(receiver.url, secret)
    assert 60_000 < sum(read) <= http_post.LONGEST_ANSWER


def test_a_receiver_that_says_nothing_is_not_waited_for(
    receiver: Receiver, secret: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_post, "SECONDS", 0.2)
    over = threading.Event()

    def hang(_: Got) -> bytes:
        over.wait(60)
        return b""

    receiver.answer = hang
    assert ask(receiver.url, secret).problem == "no answer within 0 s"
    over.set()


def test_crumbs_do_not_make_it_wait_longer(secret: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte comes in time, and all of them never."""
    monkeypatch.setattr(http_post, "SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def crumble() -> None:
            client, _ = listening.accept()
            with client:
                try:
                    client.sendall(b"HTTP/1.1 200 OK\r\n")
                    while True:
                        client.sendall(b"x")
                        # The reader's pace: a crumb each time that it has taken one.
                        client.settimeout(0.05)
                        try:
                            if not client.recv(65536):
                                return
                        except TimeoutError:
                            pass
                except OSError:
                    return

        thread = threading.Thread(target=crumble, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        assert ask(url, secret).problem == "no answer within 0 s"
        thread.join(60)
        assert not thread.is_alive()


def test_nobody_at_the_address_is_a_problem(secret: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    assert ask(f"http://127.0.0.1:{port}/", secret).problem == "Connection refused"


def test_this_machine_is_not_asked_unless_the_file_says_so(receiver: Receiver, secret: Path) -> None:
    receipt = ask(receiver.url, secret, local=False)
    assert receipt.problem == "127.0.0.1 is an address of this machine or its network (local: true allows it)"
    assert receiver.got == []


def test_a_name_is_looked_up_once(receiver: Receiver, secret: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or it could mean one address for the check and another one for the connection."""
    port = receiver.server_address[1]
    answers = [[(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answers.pop(0))
    assert ask(f"http://news.example:{port}/", secret).ok
    assert receiver.got[0].headers["host"] == f"news.example:{port}"


def test_a_secret_that_cannot_be_used_is_a_problem(receiver: Receiver, secret: Path) -> None:
    secret.unlink()
    assert "No such file or directory" in ask(receiver.url, secret).problem
    assert receiver.got == []


@pytest.mark.process
def test_a_certificate_is_checked(
    receiver: Receiver, secret: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = make_certificate(tmp_path)
    own = receiver.secure(certificate)
    assert ask(own, secret).problem.startswith("its certificate is not trusted: self-signed")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.with_suffix(".crt")))
    assert ask(own, secret).ok
    other = ask(own.replace("localhost", "127.0.0.1"), secret)
    assert other.problem.startswith("its certificate is not trusted: IP address mismatch")


def test_the_documented_check_knows_a_genuine_request(
    receiver: Receiver, secret: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = ROOT / "docs" / "howto" / "webhooks.md"
    (code,) = (text for kind, _, text in blocks(page) if kind == "python")
    secret.write_bytes(SECRET + b"\n")
    monkeypatch.chdir(secret.rename(secret.with_name("hook.secret")).parent)
    named: dict[str, Any] = {}
    exec(code, named)
    assert ask(receiver.url, Path("hook.secret"), body=b'{"a": 1}').ok
    (got,) = receiver.got
    headers = {"X-Arbiter-Signature": got.headers["x-arbiter-signature"]}
    assert named["is_genuine"](headers, got.body)
    assert not named["is_genuine"](headers, got.body + b" ")
    assert not named["is_genuine"]({}, got.body)
