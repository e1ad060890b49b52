"""The names under which a site is known: a request that asks for another one is not answered.

A page of another site can have its own name lead to this machine, and then read here as if it were the same
site. It cannot do so with an address in figures, so these are answered, and so are this machine's own names.
"""

from __future__ import annotations

import re
import socket
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from arbiter.errors import ConfigError
from arbiter.web.refusals import Refusal, early_answer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import ASGIApp, Receive, Scope, Send

HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\s:/@\[\]\\?#]+)(:[0-9]{1,5})?")
USUAL_PORTS = {"http": ":80", "https": ":443"}


class Hosts:
    """The names of a site, and under which of them it is encrypted."""

    def __init__(self, listens_at: str = "", public: Iterable[str] = ()) -> None:
        """`listens_at` is a name or an address of this machine; `public` are addresses such as
        ``https://cards.example.org``, ConfigError for one that is none.
        """
        self._schemes = dict(map(_parts, public))
        own = socket.gethostname()
        names = {"localhost", own, f"{own}.local", listens_at}
        self._names = {name.lower() for name in names if name} | set(map(name_of, self._schemes))

    def answers(self, host: str) -> bool:
        """True for the value of a header ``Host`` that asks for this site."""
        name = name_of(host)
        return name in self._names or _is_address(name)

    def scheme_of(self, host: str) -> str | None:
        """``http`` or ``https`` where a public address says so; None where none does."""
        return self._schemes.get(host.lower())


class Named:
    """Answers requests for the names of a site; others are told that this is another one."""

    def __init__(self, app: ASGIApp, hosts: Hosts) -> None:
        self._app, self._hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        host = Headers(scope=scope).get("host") if scope["type"] == "http" else None
        if host is None:
            # Every browser names one.
            await self._app(scope, receive, send)
        elif not self._hosts.answers(host):
            message = "this site has another name"
            refusal = Refusal(421, "other_site", message, "its organiser names it with serve --public-url")
            await early_answer(scope, refusal)(scope, receive, send)
        else:
            scheme = self._hosts.scheme_of(host) or scope["scheme"]
            await self._app({**scope, "scheme": scheme}, receive, send)


def name_of(host: str) -> str:
    """The name in the value of a header ``Host``; "" for what is none."""
    found = HOST.fullmatch(host)
    return found[1].lower().rstrip(".") if found else ""


def _is_address(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _parts(address: str) -> tuple[str, str]:
    """Host and scheme of a public address."""
    try:
        found = urlsplit(address)
        host = found.netloc.encode("idna").decode().lower()
    except ValueError:
        found, host = urlsplit(""), ""
    if (
        found.scheme not in ("http", "https")
        or not name_of(host)
        or found.path not in ("", "/")
        or found.query
    ):
        message = f"--public-url: {address} is no address of a whole site"
        raise ConfigError(message, hint="give scheme and name, as in https://cards.example.org")
    return host.removesuffix(USUAL_PORTS[found.scheme]), found.scheme
