"""A program sent to a site, from its author's machine; no package beyond the standard library.

Redirections are not followed, since the token would go wherever they lead. What stands between an author
and a site, failing TLS or a proxy that answers in its place, is put into words.
"""

from __future__ import annotations

import http.client
import io
import json
import re
import ssl
import stat
import time
import zipfile
from contextlib import closing, suppress
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
"""Without a byte from the site."""
LOOK_SECONDS = 1.0
PATIENCE_SECONDS = 120.0
"""For a site that does not answer while a verdict is waited for."""
LONGEST_ANSWER = 4_000_000
LEFT_OUT = "__pycache__"
EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The moment of all files of an archive, so that the same folder is the same archive."""


OVER = ("accepted", "refused", "dropped", "done", "cancelled")
"""States of submissions and requests from which nothing follows."""
NO_WAY = (502, 503, 504)
"""Statuses of a proxy that does not reach the site: it may be started again at this moment."""
_LONGEST = 200
_TITLE = re.compile(r"<title[^>]*>([^<]*)</title", re.IGNORECASE)
_OTHER_NAME = "give the address with the name that the certificate is for"
_DATES = {9: "is the date of this machine right?", 10: "the organiser has to renew it"}
_FIXES = {**_DATES, 62: _OTHER_NAME, 64: _OTHER_NAME}
"""By OpenSSL's code of what is wrong with a certificate (X509_V_ERR_*)."""
_TRUST = "if the organiser gave you the site's certificate, SSL_CERT_FILE=FILE trusts it"
_NO_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE", "PACKET_LENGTH_TOO_LONG")


class NoServer(ArbiterError):
    exit_code = 1


class Words(NamedTuple):
    """A message: what is wrong, and what helps."""

    said: str
    fix: str


class SiteAnswer(NamedTuple):
    """An answer's status, and what its JSON says; `words` where it is no site's, but a proxy's."""

    status: int
    shape: dict[str, Any]
    words: Words | None = None

    def error(self) -> str:
        """Return what went wrong, in the site's words."""
        error = self.shape.get("error")
        if not isinstance(error, dict):
            return f"status {self.status}"
        words = [str(error[key]) for key in ("message", "hint") if error.get(key)]
        words += [f"again in {error['seconds']} s"] if "seconds" in error else []
        return printable("; ".join(words)) or f"status {self.status}"


class SiteAddress:
    """Where a site is, and the way to ask it: `path` is what its address has behind the port."""

    def __init__(self, url: str) -> None:
        """ConfigError for an address that is none."""
        parts = urlsplit(url)
        try:
            self._port = parts.port
        except ValueError:
            parts = urlsplit("")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(f"not an address of a site: {url!r}", hint="write http://127.0.0.1:8000/")
        self.url, self.path = url, parts.path.rstrip("/")
        self._secure, self._host = parts.scheme == "https", parts.hostname

    def ask(
        self, method: str, path: str, headers: Mapping[str, str], body: IO[bytes] | None = None, size: int = 0
    ) -> SiteAnswer:
        """The answer to a request; NoServer where there is none."""
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        fields = {"accept": "application/json", **headers}
        if body is not None:
            fields |= {"content-length": str(size)}
        try:
            with closing(kind(self._host, self._port, timeout=SECONDS)) as connection:
                connection.connect()
                # A site that refuses early does not take the rest of a body.
                with suppress(BrokenPipeError, ConnectionResetError, ssl.SSLEOFError):
                    connection.request(method, path, body, fields)
                response = connection.getresponse()
                text = response.read(LONGEST_ANSWER)
        except ssl.SSLError as error:
            words = of_tls(error)
            raise NoServer(f"{self.url}: {words.said}; {words.fix}") from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise NoServer(f"no site answers at {self.url}: {printable(reason)}") from None
        try:
            shape = json.loads(text)
        except (ValueError, RecursionError):
            shape = None
        if isinstance(shape, dict) and not 300 <= response.status < 400:
            return SiteAnswer(response.status, shape)
        location = response.headers.get("location", "")
        return SiteAnswer(response.status, {}, of_proxy(response.status, text, location, size))


class Site:
    """A site with a season, for the owner of a token: what he sends there, or (`what`) asks for."""

    def __init__(self, url: str, season: str, token: str, what: str = "submissions") -> None:
        """ConfigError for an address, or a token, that is none."""
        self._address = SiteAddress(url)
        if not token.isascii() or not token.isprintable() or not token or " " in token:
            raise ConfigError("the token is not one that `arbiter authors add` printed")
        self.url, self.season, self._token = url, season, token
        self._base = f"{self._address.path}/api/v1/seasons/{quote(season, safe='')}/{what}"

    def send(self, archive: IO[bytes], size: int) -> dict[str, Any]:
        """Send an archive; its id, version and state.

        ConfigError where it, the token or the season is wrong.
        """
        answer = self._ask("PUT", "", archive, size)
        if answer.status in (200, 202) and "id" in answer.shape:
            return answer.shape
        raise self._refusal(answer)

    def ask(self, wish: Mapping[str, Any]) -> dict[str, Any]:
        """Ask for matches; the request. ConfigError where it, the token or the season is wrong."""
        body = json.dumps(wish).encode()
        answer = self._ask("POST", "", io.BytesIO(body), len(body), "application/json")
        if answer.status == 202 and "id" in answer.shape:
            return answer.shape
        raise self._refusal(answer)

    def states(self, number: object) -> Iterator[dict[str, Any]]:
        """What was sent or asked for each time it was looked at, until it is over."""
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                answer = self._ask("GET", f"/{number}")
            except NoServer:
                if time.monotonic() > until:
                    raise
            else:
                if answer.status == 200 and "state" in answer.shape:
                    yield answer.shape
                    if answer.shape.get("state") in OVER:
                        return
                    until = time.monotonic() + PATIENCE_SECONDS
                elif answer.status not in (429, *NO_WAY) or time.monotonic() > until:
                    raise self._refusal(answer)
            time.sleep(LOOK_SECONDS)

    def _refusal(self, answer: SiteAnswer) -> ArbiterError:
        where = f"{self.url}: "
        if answer.words is not None:
            text = f"{where}{answer.words.said}; {answer.words.fix}"
            return NoServer(text) if answer.status >= 500 else ConfigError(text)
        if answer.status == 401:
            return ConfigError(f"{where}the token is not known there, or was revoked")
        if answer.status == 404:
            return ConfigError(f"{where}there is no season {self.season!r} for this token")
        if answer.status >= 500:
            return NoServer(f"{where}{answer.error()}")
        return ConfigError(f"{where}{answer.error()}")

    def _ask(
        self,
        method: str,
        end: str,
        body: IO[bytes] | None = None,
        size: int = 0,
        kind_of: str = "application/zip",
    ) -> SiteAnswer:
        headers = {"authorization": f"Bearer {self._token}"} | (
            {} if body is None else {"content-type": kind_of}
        )
        return self._address.ask(method, self._base + end, headers, body, size)


def pack(path: Path, into: IO[bytes]) -> None:
    """Write a folder's files as an archive, or a ZIP file as it is; ConfigError for anything else.

    Left out are names that begin with a dot, what Python keeps, and logs.
    """
    try:
        if path.is_dir():
            _pack_folder(path, into)
        elif zipfile.is_zipfile(path):
            into.write(path.read_bytes())
        else:
            what = "is not a ZIP file" if path.exists() else "there is no such file or folder"
            raise ConfigError(what, str(path), "name a folder with the program, or a ZIP file")
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", str(path)) from None


def _pack_folder(folder: Path, into: IO[bytes]) -> None:
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
        raise ConfigError("the folder holds no files", str(folder))
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            entry = zipfile.ZipInfo(file.relative_to(folder).as_posix(), EARLIEST)
            entry.external_attr = (stat.S_IFREG | (0o755 if file.stat().st_mode & 0o100 else 0o644)) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, file.read_bytes())


def of_tls(error: ssl.SSLError) -> Words:
    """Return why there is no TLS with a site."""
    if isinstance(error, ssl.SSLCertVerificationError):
        why = printable(error.verify_message).rstrip(".")
        return Words(f"its certificate is not accepted: {why}", _FIXES.get(error.verify_code, _TRUST))
    if error.reason in _NO_TLS:
        return Words("no TLS is spoken at that port", "is it http:// in place of https://, or another port?")
    why = (error.reason or "the connection was closed").replace("_", " ").lower()
    return Words(f"TLS failed: {printable(why)}", "ask the organiser")


def of_proxy(status: int, text: bytes, location: str, size: int) -> Words:
    """Return the words for an answer that is no site's: `size` bytes were sent, it leads to `location`."""
    name = _title(text) or f"status {status}"
    if status == 413:
        said = f"the proxy before the site takes no archive of {size} bytes ({name})"
        return Words(
            said, "send a smaller one, or ask for a higher limit there, nginx's client_max_body_size"
        )
    if status in NO_WAY:
        return Words(f"the proxy before the site does not reach it ({name})", "try again later")
    if 300 <= status < 400:
        leads = printable(location[:_LONGEST]) or "nowhere"
        return Words(f"leads elsewhere, to {leads} ({name})", "give the site's own address")
    if status == 400 and "HTTPS" in name:
        return Words(f"TLS is spoken at that port ({name})", "write https:// in place of http://")
    fix = "give the address that the organiser named"
    if status == 404:
        return Words(
            f"there is no site at this address ({name})", f"{fix}, and nothing of a page's behind it"
        )
    return Words(f"what answers is not an arbiter site ({name})", fix)


def _title(text: bytes) -> str:
    """The title of a page in HTML, on one line; "" where there is none."""
    found = _TITLE.search(text[:10_000].decode(errors="replace"))
    return "" if found is None else printable(" ".join(unescape(found[1]).split())[:_LONGEST])
