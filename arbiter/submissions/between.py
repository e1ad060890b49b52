"""What stands between an author and a site, in words: failing TLS, a proxy that answers in its place."""

from __future__ import annotations

import re
import ssl
from html import unescape
from typing import NamedTuple

from arbiter.text import printable

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


class Words(NamedTuple):
    """What is wrong, and what helps."""

    said: str
    fix: str


def of_tls(error: ssl.SSLError) -> Words:
    """Why there is no TLS with a site."""
    if isinstance(error, ssl.SSLCertVerificationError):
        why = printable(error.verify_message).rstrip(".")
        return Words(f"its certificate is not accepted: {why}", _FIXES.get(error.verify_code, _TRUST))
    if error.reason in _NO_TLS:
        return Words("no TLS is spoken at that port", "is it http:// in place of https://, or another port?")
    why = (error.reason or "the connection was closed").replace("_", " ").lower()
    return Words(f"TLS failed: {printable(why)}", "ask the organiser")


def of_proxy(status: int, text: bytes, location: str, size: int) -> Words:
    """What an answer says that is no site's; `size` bytes were sent, and `location` is where it leads."""
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
    return Words(f"what answers is no arbiter site ({name})", fix)


def _title(text: bytes) -> str:
    """The title of a page in HTML, on one line; "" where there is none."""
    found = _TITLE.search(text[:10_000].decode(errors="replace"))
    return "" if found is None else printable(" ".join(unescape(found[1]).split())[:_LONGEST])
