"""`arbiter submit`: what is packed, what is said, how it ends; what a proxy before a site makes of it."""

from __future__ import annotations

import io
import json
import socket
import ssl
import zipfile
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from arbiter.contest.submissions import client
from arbiter.contest.submissions.client import explain_tls_error, pack
from arbiter.errors import ConfigError
from tests.fixtures.receiving import Got, Receiver, answer, make_certificate, receiving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.fixtures.commands import Run


MADE = {"id": 7, "version": 2, "state": "received"}


def step(name: str, ok: bool = True, **more: str) -> dict[str, Any]:
    return {"name": name, "ok": ok, "detail": "", "fix": "", "output": "", **more}


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    folder = tmp_path / "bot"
    (folder / "lib").mkdir(parents=True)
    (folder / "bot.py").write_text("print(1)")
    (folder / "lib" / "x.py").write_text("1")
    return folder


class Told(NamedTuple):
    """A site that gives prepared answers, one after the other, and keeps what it was asked."""

    receiver: Receiver
    answers: list[tuple[int, Any]]

    @property
    def url(self) -> str:
        return self.receiver.url

    def next_answer(self, _: Got) -> bytes:
        status, shape = self.answers.pop(0)
        body = shape if isinstance(shape, bytes) else json.dumps(shape).encode()
        return answer(status, *["Location: http://evil.example/"] * (status == 302), body=body)


@pytest.fixture
def answering_site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Told]:
    monkeypatch.setattr(client, "LOOK_SECONDS", 0.0)
    monkeypatch.setenv("ARBITER_TOKEN", "secret")
    with receiving() as receiver:
        told = Told(receiver, [])
        receiver.answer = told.next_answer
        yield told


def test_each_state_and_the_verdict_are_printed(arbiter: Run, answering_site: Told, bot: Path) -> None:
    steps = [step("unpacked", detail="2 files"), step("built"), step("checked"), step("matches")]
    answering_site.answers[:] = [
        (202, MADE),
        (200, MADE | {"steps": []}),
        (200, MADE | {"state": "unpacked", "steps": steps[:1]}),
        (503, {}),
        (502, b"<html><title>502 Bad Gateway</title></html>"),
        (200, MADE | {"state": "accepted", "steps": steps, "joins_round": 4}),
    ]
    code, out, err = arbiter("submit", answering_site.url, bot, "--season", "a/b ü")
    assert (code, err) == (0, "")
    assert out.splitlines()[1:] == [
        "received",
        "unpacked: 2 files",
        "built",
        "checked",
        "matches",
        "accepted: plays from round 4 on",
    ]
    got = answering_site.receiver.got[0]
    assert (got.method, got.path) == ("PUT", "/api/v1/seasons/a%2Fb%20%C3%BC/submissions")
    assert got.headers["authorization"] == "Bearer secret"
    assert zipfile.ZipFile(io.BytesIO(got.body)).namelist() == ["bot.py", "lib/x.py"]


def test_a_refusal_says_what_helps_and_ends_with_3(arbiter: Run, answering_site: Told, bot: Path) -> None:
    failed = step("built", False, detail="it failed", fix="mend it", output="a\x1b[2J\nb")
    answering_site.answers[:] = [
        (202, MADE),
        (200, MADE | {"state": "refused", "steps": [step("unpacked"), failed]}),
    ]
    code, out, err = arbiter("submit", answering_site.url, bot, "--season", "s")
    assert (code, err) == (3, "arbiter: version 2 is refused\n")
    assert out.splitlines()[2:] == [
        "unpacked",
        "FAIL built: it failed",
        "  fix: mend it",
        "  | a\\x1b[2J",
        "  | b",
        "refused",
    ]


def test_nobody_waits_who_does_not_want_to(arbiter: Run, answering_site: Told, bot: Path) -> None:
    answering_site.answers[:] = [(202, MADE)]
    assert arbiter("submit", answering_site.url, bot, "--season", "s", "--no-wait")[0] == 0
    assert len(answering_site.receiver.got) == 1


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        ((401, {}), 2, "the token is unknown there"),
        ((404, {}), 2, "no season 's' for this token"),
        ((413, {"error": {"message": "at most 10 bytes"}}), 2, "at most 10 bytes"),
        ((429, {"error": {"message": "3 a day", "seconds": 60}}), 2, "3 a day; try again in 60 s"),
        ((409, {"error": {"message": "closed", "hint": "\x1b[2J"}}), 2, "closed; \\x1b[2J"),
        ((500, b"oops"), 1, "status 500"),
        ((302, {}), 2, "redirects to http://evil.example/ (status 302)"),
        ((400, b"[]"), 2, "the server is not an arbiter site (status 400)"),
        (
            (200, b"<TITLE>Log\nin &amp; \x1b[2J</TITLE>"),
            2,
            "the server is not an arbiter site (Log in & \\x1b[2J)",
        ),
        ((200, {}), 2, "status 200"),
        ((404, b"<title>Not Found</title>"), 2, "no site at this address (Not Found)"),
        (
            (502, b"<title>Bad Gateway</title>"),
            1,
            "the proxy cannot reach the site (Bad Gateway)",
        ),
        (
            (413, b"<title>413 Request Entity Too Large</title>"),
            2,
            "the site's proxy refuses an archive of ",
        ),
        (
            (400, b"<title>400 The plain HTTP request was sent to HTTPS port</title>"),
            2,
            "write https:// instead of http://",
        ),
        ((200, b"[" * 100_000), 2, "the server is not an arbiter site (status 200)"),
    ],
)
def test_what_a_site_refuses_is_one_line(
    arbiter: Run, answering_site: Told, bot: Path, given: tuple[int, Any], code: int, said: str
) -> None:
    answering_site.answers[:] = [given]
    found, out, err = arbiter("submit", answering_site.url, bot, "--season", "s")
    assert (found, out, err.count("\n")) == (code, "", 1)
    assert said in err
    assert len(answering_site.receiver.got) == 1


def test_no_site_is_one_line(arbiter: Run, bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARBITER_TOKEN", "secret")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    code, out, err = arbiter("submit", f"http://127.0.0.1:{port}", bot, "--season", "s")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "no site answers" in err


def test_wrong_uses_are_one_line(
    arbiter: Run, bot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARBITER_TOKEN", raising=False)
    empty, no_zip, token = tmp_path / "empty", tmp_path / "bot.txt", tmp_path / "t"
    empty.mkdir()
    no_zip.write_text("x")
    token.write_text("secret\n")
    link = tmp_path / "linked"
    link.mkdir()
    (link / "bot.py").symlink_to(bot / "bot.py")
    good = ["--season", "s", "--token-file", token]
    for words, said in (
        (["http://x/", bot, "--season", "s"], "no token"),
        (["http://x/", bot, "--season", "s", "--token-file", tmp_path / "none"], "cannot be read"),
        (["ftp://x/", bot, *good], "not the address of a site"),
        (["http://x:99999/", bot, *good], "not the address of a site"),
        (["http://x/", tmp_path / "none", *good], "no such file or folder"),
        (["http://x/", no_zip, *good], "is not a ZIP file"),
        (["http://x/", empty, *good], "has no files"),
        (["http://x/", link, *good], "is not a regular file"),
    ):
        code, out, err = arbiter("submit", *words)
        assert (code, out, err.count("\n")) == (2, "", 1), words
        assert said in err


def test_the_same_folder_is_the_same_archive(bot: Path) -> None:
    one, two = io.BytesIO(), io.BytesIO()
    pack(bot, one)
    (bot / "__pycache__").mkdir()
    (bot / "__pycache__" / "bot.pyc").write_bytes(b"1")
    (bot / ".git").write_text("x")
    (bot / "bot.log").write_text("x")
    (bot / "bot.py").write_text("print(1)")
    pack(bot, two)
    assert one.getvalue() == two.getvalue()
    (bot / "bot.py").chmod(0o755)
    three = io.BytesIO()
    pack(bot, three)
    entry = zipfile.ZipFile(three).getinfo("bot.py")
    assert entry.external_attr >> 16 == 0o100755


def test_an_archive_is_sent_as_it_is(tmp_path: Path) -> None:
    file, sent = tmp_path / "bot.zip", io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("bot.py", "1")
    pack(file, sent)
    assert sent.getvalue() == file.read_bytes()
    with pytest.raises(ConfigError):
        pack(tmp_path / "none.zip", sent)


@pytest.mark.process
def test_why_there_is_no_tls_with_a_site_is_one_line(
    arbiter: Run, answering_site: Told, bot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusal(url: str) -> str:
        code, out, err = arbiter("submit", url, bot, "--season", "s")
        assert (code, out, err.count("\n")) == (1, "", 1)
        return err

    plain = answering_site.url.replace("http:", "https:")
    assert "that port does not use TLS; is it http://" in refusal(plain)
    certificate = make_certificate(tmp_path)
    with receiving() as other:
        url = other.secure(certificate)
        err = refusal(url)
        assert "not accepted: self-signed certificate; " in err
        assert "SSL_CERT_FILE=FILE trusts it" in err
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate.with_suffix(".crt")))
        err = refusal(url.replace("localhost", "127.0.0.1"))
        assert "certificate is not valid for '127.0.0.1'; give the address" in err
        other.answer = answering_site.next_answer
        answering_site.answers[:] = [(202, MADE)]
        assert arbiter("submit", url, bot, "--season", "s", "--no-wait")[0] == 0


@pytest.mark.parametrize(
    ("code", "said", "fix"),
    [(9, "certificate is not yet valid", "date"), (10, "certificate has expired", "renew")],
)
def test_a_certificate_out_of_its_time_says_whose_matter_that_is(code: int, said: str, fix: str) -> None:
    error = ssl.SSLCertVerificationError(1, "failed")
    error.verify_code, error.verify_message = code, said
    words = explain_tls_error(error)
    assert (said in words.said, fix in words.fix) == (True, True)
