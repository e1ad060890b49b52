"""`arbiter submit` through a real nginx: its limit of a body, a site that is not there, certificates."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import subprocess
from typing import TYPE_CHECKING, NamedTuple

import pytest

from arbiter.submissions.sending import of_tls
from tests.commands import arbiter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]

__all__ = ["arbiter"]
pytestmark = pytest.mark.process

CONFIG = """daemon off; master_process off; pid {folder}/pid; error_log stderr;
events {{ worker_connections 64; }}
http {{
  access_log off; client_max_body_size 10k;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{ listen 127.0.0.1:{plain}; location / {{ proxy_pass http://127.0.0.1:{nobody}; }} }}
  server {{
    listen 127.0.0.1:{tls} ssl; ssl_certificate cert.pem; ssl_certificate_key key.pem;
    location / {{ proxy_pass http://127.0.0.1:{nobody}; }}
  }}
}}
"""


class Proxy(NamedTuple):
    """Where nginx answers without TLS and with it, and its own certificate."""

    plain: int
    tls: int
    certificate: Path


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """nginx before a site that is not there."""
    if not (shutil.which("nginx") and shutil.which("openssl")):
        pytest.skip("needs nginx and openssl")
    folder = tmp_path_factory.mktemp("nginx")
    made = "req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost"
    names = ["-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(["openssl", *made.split(), *names], cwd=folder, check=True, capture_output=True)
    taken = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
    plain, tls, nobody = (one.getsockname()[1] for one in taken)
    for one in taken:
        one.close()
    file = folder / "nginx.conf"
    file.write_text(CONFIG.format(folder=folder, plain=plain, tls=tls, nobody=nobody))
    process = subprocess.Popen(["nginx", "-p", folder, "-c", file], stderr=subprocess.DEVNULL)
    try:
        while not _answers(tls):
            assert process.poll() is None
        yield Proxy(plain, tls, folder / "cert.pem")
    finally:
        process.terminate()
        process.wait()


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except ConnectionRefusedError:
        return False
    return True


@pytest.fixture
def submit(arbiter: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str]]:
    """Sends a program of so many bytes; the exit code and the one line that is said."""
    monkeypatch.setenv("ARBITER_TOKEN", "secret")

    def run(url: str, size: int = 10) -> tuple[int, str]:
        (tmp_path / "bot").mkdir()
        (tmp_path / "bot" / "bot.py").write_bytes(os.urandom(size))
        code, out, err = arbiter("submit", url, tmp_path / "bot", "--season", "s")
        assert (out, err.count("\n")) == ("", 1)
        return code, err

    return run


@pytest.mark.parametrize("secure", [False, True])
def test_an_archive_above_the_proxys_limit_is_told_so(
    submit: Callable[..., tuple[int, str]], proxy: Proxy, monkeypatch: pytest.MonkeyPatch, secure: bool
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(proxy.certificate))
    url = f"https://localhost:{proxy.tls}/" if secure else f"http://127.0.0.1:{proxy.plain}/"
    code, said = submit(url, 3_000_000)
    assert code == 2
    assert "the proxy before the site takes no archive of 3001" in said
    assert "client_max_body_size" in said


def test_a_site_that_is_not_there_is_told_apart_from_its_proxy(
    submit: Callable[..., tuple[int, str]], proxy: Proxy
) -> None:
    code, said = submit(f"http://127.0.0.1:{proxy.plain}/")
    assert (code, "does not reach it (502 Bad Gateway); try again later" in said) == (1, True)


def test_a_certificate_that_nobody_vouches_for_is_named(
    submit: Callable[..., tuple[int, str]], proxy: Proxy
) -> None:
    code, said = submit(f"https://localhost:{proxy.tls}/")
    assert code == 1
    assert "its certificate is not accepted: self-signed certificate; " in said
    assert "SSL_CERT_FILE=FILE trusts it" in said


def test_a_certificate_for_another_name_is_named(
    submit: Callable[..., tuple[int, str]], proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(proxy.certificate))
    code, said = submit(f"https://127.0.0.1:{proxy.tls}/")
    assert (code, "certificate is not valid for '127.0.0.1'; give the address" in said) == (1, True)


def test_tls_where_there_is_none_is_named(submit: Callable[..., tuple[int, str]], proxy: Proxy) -> None:
    code, said = submit(f"https://127.0.0.1:{proxy.plain}/")
    assert (code, "no TLS is spoken at that port; is it http://" in said) == (1, True)


def test_no_tls_where_there_is_some_is_named(submit: Callable[..., tuple[int, str]], proxy: Proxy) -> None:
    code, said = submit(f"http://127.0.0.1:{proxy.tls}/")
    assert (code, "write https:// in place of http://" in said) == (2, True)


@pytest.mark.parametrize(
    ("code", "said", "fix"),
    [(9, "certificate is not yet valid", "date"), (10, "certificate has expired", "renew")],
)
def test_a_certificate_out_of_its_time_says_whose_matter_that_is(code: int, said: str, fix: str) -> None:
    error = ssl.SSLCertVerificationError(1, "failed")
    error.verify_code, error.verify_message = code, said
    words = of_tls(error)
    assert (said in words.said, fix in words.fix) == (True, True)
