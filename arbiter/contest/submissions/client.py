"""A client that sends programs and requests to a site; only the standard library.

Redirects are not followed, since they would forward the token. Failures of TLS and answers of a proxy in the
site's place become messages with a remedy.
"""

from __future__ import annotations

import http.client
import io
import json
import re
import socket
import ssl
import stat
import threading
import time
import zipfile
from contextlib import closing, contextmanager, suppress
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urlsplit

from arbiter.errors import ArbiterError, ConfigError
from arbiter.sandbox.program_files import is_by_product
from arbiter.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import IO

SECONDS = 60.0
"""The timeout of a connection and of each read."""
LOOK_SECONDS = 1.0
PATIENCE_SECONDS = 120.0
"""How long to wait for a site that stops answering before the verdict."""
LONGEST_ANSWER = 4_000_000
LEFT_OUT = "__pycache__"
EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The time of all files in an archive, so that the same folder gives the same archive."""


OVER = ("accepted", "refused", "dropped", "done", "cancelled")
"""Final states of submissions and requests."""
NO_WAY = (502, 503, 504)
"""Statuses of a proxy that cannot reach the site, which may be restarting."""
_LONGEST = 200
_TITLE = re.compile(r"<title[^>]*>([^<]*)</title", re.IGNORECASE)
_OTHER_NAME = "give the address with the name that the certificate is for"
_DATES = {9: "is the date of this machine right?", 10: "the organiser has to renew it"}
_FIXES = {**_DATES, 62: _OTHER_NAME, 64: _OTHER_NAME}
"""Remedies by OpenSSL's certificate error (X509_V_ERR_*)."""
_TRUST = "if the organiser gave you the site's certificate, SSL_CERT_FILE=FILE trusts it"
_NO_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE", "PACKET_LENGTH_TOO_LONG")


class SiteUnreachable(ArbiterError):
    exit_code = 1


class SiteProblem(NamedTuple):
    """A message: what is wrong, and the remedy."""

    said: str
    fix: str


class SiteAnswer(NamedTuple):
    """An answer's status and JSON; `words` if it came from a proxy instead of the site."""

    status: int
    shape: dict[str, Any]
    words: SiteProblem | None = None

    def error(self) -> str:
        """Return the site's message, hint and seconds to wait on one line, or the status without one."""
        error = self.shape.get("error")
        if not isinstance(error, dict):
            return f"status {self.status}"
        words = [str(error[key]) for key in ("message", "hint") if error.get(key)]
        words += [f"try again in {error['seconds']} s"] if "seconds" in error else []
        return printable("; ".join(words)) or f"status {self.status}"


class SiteAddress:
    """The address of a site, to send requests to: `path` is what follows the port."""

    def __init__(self, url: str) -> None:
        """Parse an address; ConfigError if it is invalid."""
        parts = urlsplit(url)
        try:
            self._port = parts.port
        except ValueError:
            parts = urlsplit("")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(f"not the address of a site: {url!r}", hint="write http://127.0.0.1:8000/")
        self.url, self.path = url, parts.path.rstrip("/")
        self._secure, self._host = parts.scheme == "https", parts.hostname

    def ask(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: IO[bytes] | None = None,
        size: int = 0,
        longest: int = LONGEST_ANSWER,
        seconds: float | None = None,
    ) -> SiteAnswer:
        """Send a request and return the answer.

        SiteUnreachable if there is no answer, or none of at most `longest` bytes that ends within `seconds`.
        """
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        fields = {"accept": "application/json", **headers}
        if body is not None:
            fields |= {"content-length": str(size)}
        late = threading.Event()
        try:
            with closing(kind(self._host, self._port, timeout=SECONDS)) as connection:
                connection.connect()
                with _end_after(connection.sock, seconds, late):
                    # A site that refuses early does not read the rest of the body.
                    with suppress(BrokenPipeError, ConnectionResetError, ssl.SSLEOFError):
                        connection.request(method, path, body, fields)
                    response = connection.getresponse()
                    text = response.read(longest + 1)
            if late.is_set():
                raise TimeoutError
        except (OSError, http.client.HTTPException) as error:
            if late.is_set():
                raise SiteUnreachable(f"{self.url}: no whole answer within {seconds:g} s") from None
            if isinstance(error, ssl.SSLError):
                words = explain_tls_error(error)
                raise SiteUnreachable(f"{self.url}: {words.said}; {words.fix}") from None
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise SiteUnreachable(f"no site answers at {self.url}: {printable(reason)}") from None
        if len(text) > longest:
            raise SiteUnreachable(f"{self.url}: its answer has more than {longest} bytes")
        try:
            shape = json.loads(text)
        except (ValueError, RecursionError):
            shape = None
        if isinstance(shape, dict) and not 300 <= response.status < 400:
            return SiteAnswer(response.status, shape)
        location = response.headers.get("location", "")
        return SiteAnswer(response.status, {}, explain_proxy_answer(response.status, text, location, size))


@contextmanager
def _end_after(connected: socket.socket, seconds: float | None, late: threading.Event) -> Iterator[None]:
    """End a connection after some seconds in this block, and set `late`: a timeout is only for each read."""

    def end() -> None:
        """Set `late` and shut the connection down."""
        late.set()
        with suppress(OSError):
            # Not the method of an SSL socket, which a read in another thread does not survive.
            socket.socket.shutdown(connected, socket.SHUT_RDWR)

    timer = None if seconds is None else threading.Timer(seconds, end)
    if timer is not None:
        timer.daemon = True
        timer.start()
    try:
        yield
    finally:
        if timer is not None:
            timer.cancel()


class Site:
    """A season of a site, for the owner of a token: its submissions, or `what` else (requests)."""

    def __init__(self, url: str, season: str, token: str, what: str = "submissions") -> None:
        """ConfigError for an invalid address or token."""
        self._address = SiteAddress(url)
        if not token.isascii() or not token.isprintable() or not token or " " in token:
            raise ConfigError("not a token: copy what `arbiter authors add` printed")
        self.url, self.season, self._token = url, season, token
        self._base = f"{self._address.path}/api/v1/seasons/{quote(season, safe='')}/{what}"

    def send(self, archive: IO[bytes], size: int) -> dict[str, Any]:
        """Send an archive; return its id, version and state, ConfigError if anything is refused."""
        answer = self._send_request("PUT", "", archive, size)
        if answer.status in (200, 202) and "id" in answer.shape:
            return answer.shape
        raise self._refusal_error(answer)

    def ask(self, wish: Mapping[str, Any]) -> dict[str, Any]:
        """Request matches; return the request. ConfigError if it, the token or the season is refused."""
        body = json.dumps(wish).encode()
        answer = self._send_request("POST", "", io.BytesIO(body), len(body), "application/json")
        if answer.status == 202 and "id" in answer.shape:
            return answer.shape
        raise self._refusal_error(answer)

    def states(self, number: object) -> Iterator[dict[str, Any]]:
        """Poll a submission or request and yield it until it is over; ArbiterError for a refusal.

        A site that does not answer is asked again for `PATIENCE_SECONDS`.
        """
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                answer = self._send_request("GET", f"/{number}")
            except SiteUnreachable:
                if time.monotonic() > until:
                    raise
            else:
                if answer.status == 200 and "state" in answer.shape:
                    yield answer.shape
                    if answer.shape.get("state") in OVER:
                        return
                    until = time.monotonic() + PATIENCE_SECONDS
                elif answer.status not in (429, *NO_WAY) or time.monotonic() > until:
                    raise self._refusal_error(answer)
            time.sleep(LOOK_SECONDS)

    def _refusal_error(self, answer: SiteAnswer) -> ArbiterError:
        """Return, for the caller to raise, a ConfigError, or SiteUnreachable for a status of 500 or more."""
        where = f"{self.url}: "
        if answer.words is not None:
            text = f"{where}{answer.words.said}; {answer.words.fix}"
            return SiteUnreachable(text) if answer.status >= 500 else ConfigError(text)
        if answer.status == 401:
            return ConfigError(f"{where}the token is unknown there, or was revoked")
        if answer.status == 404:
            return ConfigError(f"{where}no season {self.season!r} for this token")
        if answer.status >= 500:
            return SiteUnreachable(f"{where}{answer.error()}")
        return ConfigError(f"{where}{answer.error()}")

    def _send_request(
        self,
        method: str,
        end: str,
        body: IO[bytes] | None = None,
        size: int = 0,
        kind_of: str = "application/zip",
    ) -> SiteAnswer:
        """Send a request with the token to the season's address and `end`; return the answer."""
        headers = {"authorization": f"Bearer {self._token}"} | (
            {} if body is None else {"content-type": kind_of}
        )
        return self._address.ask(method, self._base + end, headers, body, size)


def pack(path: Path, into: IO[bytes]) -> None:
    """Write a folder as an archive, or a ZIP file unchanged; ConfigError for anything else.

    Names that start with a dot, Python's caches and logs are left out.
    """
    try:
        if path.is_dir():
            _pack_folder(path, into)
        elif zipfile.is_zipfile(path):
            into.write(path.read_bytes())
        else:
            what = "is not a ZIP file" if path.exists() else "no such file or folder"
            raise ConfigError(what, str(path), "name a folder with the program, or a ZIP file")
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", str(path)) from None


def _pack_folder(folder: Path, into: IO[bytes]) -> None:
    """Write the files of a folder as a ZIP file; ConfigError if it has links or devices, or no files."""
    found = [
        file
        for file in sorted(folder.rglob("*"))
        if not any(part.startswith(".") or part == LEFT_OUT for part in file.relative_to(folder).parts)
    ]
    found = [file for file in found if file.is_dir() or not is_by_product(file.name)]
    files = [file for file in found if stat.S_ISREG(file.lstat().st_mode)]
    strays = [file for file in found if file not in files and not file.is_dir()]
    strays += [file for file in found if file.is_symlink() and file not in strays]
    if strays:
        raise ConfigError("is not a regular file", str(strays[0]), "put a copy of the file there")
    if not files:
        raise ConfigError(
            "the folder has no files", str(folder), "put the program there; hidden files are left out"
        )
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            entry = zipfile.ZipInfo(file.relative_to(folder).as_posix(), EARLIEST)
            entry.external_attr = (stat.S_IFREG | (0o755 if file.stat().st_mode & 0o100 else 0o644)) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, file.read_bytes())


def explain_tls_error(error: ssl.SSLError) -> SiteProblem:
    """Return what a TLS error means, with a remedy: certificate refused, no TLS at that port, another."""
    if isinstance(error, ssl.SSLCertVerificationError):
        why = printable(error.verify_message).rstrip(".")
        return SiteProblem(f"its certificate is not accepted: {why}", _FIXES.get(error.verify_code, _TRUST))
    if error.reason in _NO_TLS:
        return SiteProblem(
            "that port does not use TLS", "is it http:// instead of https://, or another port?"
        )
    why = (error.reason or "the connection was closed").replace("_", " ").lower()
    return SiteProblem(f"TLS failed: {printable(why)}", "ask the organiser")


def explain_proxy_answer(status: int, text: bytes, location: str, size: int) -> SiteProblem:
    """Explain by status and title an answer to `size` bytes that is no site's; it redirects to `location`."""
    name = _html_title(text) or f"status {status}"
    if status == 413:
        said = f"the site's proxy refuses an archive of {size} bytes ({name})"
        return SiteProblem(
            said, "send a smaller one, or ask for a higher limit (nginx's client_max_body_size)"
        )
    if status in NO_WAY:
        return SiteProblem(f"the proxy cannot reach the site ({name})", "try again later")
    if 300 <= status < 400:
        leads = printable(location[:_LONGEST]) or "nowhere"
        return SiteProblem(f"redirects to {leads} ({name})", "give the site's own address")
    if status == 400 and "HTTPS" in name:
        return SiteProblem(f"that port uses TLS ({name})", "write https:// instead of http://")
    fix = "give the address from the organiser"
    if status == 404:
        return SiteProblem(f"no site at this address ({name})", f"{fix}, without the path of a page")
    return SiteProblem(f"the server is not an arbiter site ({name})", fix)


def _html_title(text: bytes) -> str:
    """Return the title of an HTML page on one line, or ""."""
    found = _TITLE.search(text[:10_000].decode(errors="replace"))
    return "" if found is None else printable(" ".join(unescape(found[1]).split())[:_LONGEST])
