"""What is sent compressed, once for all who take it so: answers that are kept, styles and scripts.

The tag of a compressed answer is another one than that of the same answer as it is. Answers with tokens, and
others that nobody keeps, are never compressed: their length would tell what stands beside what was asked.

Styles and scripts lie in a folder whose name is the hash of all of them. So whoever has one keeps it for
good, while what they import of each other is where it was.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from functools import lru_cache
from mimetypes import guess_type
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import RedirectResponse, Response

from arbiter.web.rendering.script_bundle import join_modules

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

STATIC = Path(__file__).parents[1] / "static"
LEAST = 1000
"""Bytes of an answer that is worth it."""
LEVEL = 5
"""Of zlib. Higher ones take twice as long for a twentieth less."""
GZIP = 16 + zlib.MAX_WBITS
FORMS = ("text/", "application/json", "application/atom+xml")
VARY = (b"vary", b"accept-encoding")
LISTED = frozenset({"/seasons", "/api/v1/seasons", "/api/v1/openapi.json", "/metrics"})
"""Addresses of what is for everybody and is not kept."""
JOINED = ("match.js", "applet/visitor.js")
"""Modules that import many, and are sent with them as one."""
FOR_GOOD = {"cache-control": "public, max-age=31536000, immutable", "vary": "accept-encoding"}


def packed(body: bytes, kind: str) -> bytes | None:
    """The same compressed; None for what is small, or of no form that would be smaller."""
    if len(body) < LEAST or not kind.startswith(FORMS):
        return None
    made = zlib.compressobj(LEVEL, wbits=GZIP)
    return made.compress(body) + made.flush()


def takes_packed(scope: Scope) -> bool:
    """True where whoever asks takes gzip."""
    said = b",".join(value for name, value in scope["headers"] if name == b"accept-encoding").decode(
        "latin-1"
    )
    return any(
        word.partition(";")[0].strip().lower() in ("gzip", "x-gzip")
        and re.search(r";\s*q=0(\.0*)?\s*$", word) is None
        for word in said.split(",")
    )


def has_it(scope: Scope, tag: bytes) -> bool:
    """True where whoever asks has the answer of this tag, as it says."""
    said = b",".join(value for name, value in scope["headers"] if name == b"if-none-match")
    return tag in (one.strip().removeprefix(b"W/") for one in said.split(b","))


class Packing:
    """Compresses what is `LISTED`; everything else is handed on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._packing = app, GZipMiddleware(app, LEAST, LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_listed = scope["type"] == "http" and scope["path"] in LISTED
        await (self._packing if is_listed else self._app)(scope, receive, send)


class Asset(NamedTuple):
    kind: str
    whole: bytes
    packed: bytes | None


@lru_cache(maxsize=1)
def assets() -> tuple[str, dict[str, Asset]]:
    """The name of the folder, and all files by their names in it."""
    found: dict[str, Asset] = {}
    digest = hashlib.sha256()
    for path in sorted(path for path in STATIC.rglob("*") if path.is_file()):
        name = path.relative_to(STATIC).as_posix()
        whole = join_modules(path).encode() if name in JOINED else path.read_bytes()
        kind = guess_type(name)[0] or "application/octet-stream"
        found[name] = Asset(kind, whole, packed(whole, kind))
        digest.update(f"{name} {len(whole)}\n".encode() + whole)
    return digest.hexdigest()[:16], found


def assets_at() -> str:
    return f"/static/{assets()[0]}"


def send_asset(request: Request) -> Response:
    """A file; from its plain name, or that in another version's folder, to its address."""
    folder, found = assets()
    first, _, rest = request.path_params["name"].partition("/")
    if first != folder or rest not in found:
        name = rest if rest in found else request.path_params["name"]
        if name not in found:
            raise HTTPException(404)
        return RedirectResponse(f"{assets_at()}/{name}", 307, {"cache-control": "no-cache"})
    asset = found[rest]
    if asset.packed is None or not takes_packed(request.scope):
        return Response(asset.whole, media_type=asset.kind, headers=FOR_GOOD)
    return Response(asset.packed, media_type=asset.kind, headers=FOR_GOOD | {"content-encoding": "gzip"})
