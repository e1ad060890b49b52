"""Compression of cached answers and static files, once for all clients that accept gzip.

A compressed answer has a different ETag. Answers with tokens and other private ones are never compressed:
their length could reveal secrets next to text that an attacker controls.

Static files are served from a folder named by the hash of all of them, so browsers can cache them permanently
and relative imports stay valid.
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
"""The smallest body in bytes that is compressed."""
LEVEL = 5
"""Of zlib. Higher levels take twice as long for 5 % less."""
GZIP = 16 + zlib.MAX_WBITS
FORMS = ("text/", "application/json", "application/atom+xml")
VARY = (b"vary", b"accept-encoding")
LISTED = frozenset({"/seasons", "/api/v1/seasons", "/api/v1/openapi.json", "/metrics"})
"""Paths of public answers that are not cached."""
JOINED = ("match.js", "applet/visitor.js")
"""Modules with many imports, which are sent as one bundle."""
FOR_GOOD = {"cache-control": "public, max-age=31536000, immutable", "vary": "accept-encoding"}


def compress(body: bytes, kind: str) -> bytes | None:
    """Return the gzipped body; None for a small one, and for types that do not compress."""
    if len(body) < LEAST or not kind.startswith(FORMS):
        return None
    made = zlib.compressobj(LEVEL, wbits=GZIP)
    return made.compress(body) + made.flush()


def accepts_gzip(scope: Scope) -> bool:
    accepted = b",".join(value for name, value in scope["headers"] if name == b"accept-encoding")
    return any(
        word.partition(";")[0].strip().lower() in ("gzip", "x-gzip")
        and re.search(r";\s*q=0(\.0*)?\s*$", word) is None
        for word in accepted.decode("latin-1").split(",")
    )


def has_etag(scope: Scope, tag: bytes) -> bool:
    """Return True if the client has the answer with this ETag."""
    tags = b",".join(value for name, value in scope["headers"] if name == b"if-none-match")
    return tag in (one.strip().removeprefix(b"W/") for one in tags.split(b","))


class Compression:
    """ASGI middleware that compresses answers of the paths in `LISTED`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._compressed = app, GZipMiddleware(app, LEAST, LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_listed = scope["type"] == "http" and scope["path"] in LISTED
        await (self._compressed if is_listed else self._app)(scope, receive, send)


class Asset(NamedTuple):
    kind: str
    whole: bytes
    compressed: bytes | None


@lru_cache(maxsize=1)
def assets() -> tuple[str, dict[str, Asset]]:
    """Read the static files; return the name of their folder, and the files by name."""
    found: dict[str, Asset] = {}
    digest = hashlib.sha256()
    for path in sorted(path for path in STATIC.rglob("*") if path.is_file()):
        name = path.relative_to(STATIC).as_posix()
        whole = join_modules(path).encode() if name in JOINED else path.read_bytes()
        kind = guess_type(name)[0] or "application/octet-stream"
        found[name] = Asset(kind, whole, compress(whole, kind))
        digest.update(f"{name} {len(whole)}\n".encode() + whole)
    return digest.hexdigest()[:16], found


def static_url() -> str:
    return f"/static/{assets()[0]}"


def send_asset(request: Request) -> Response:
    """Send a static file; redirect from its plain path, or another version's, to the current one. 404."""
    folder, found = assets()
    first, _, rest = request.path_params["name"].partition("/")
    if first != folder or rest not in found:
        name = rest if rest in found else request.path_params["name"]
        if name not in found:
            raise HTTPException(404)
        return RedirectResponse(f"{static_url()}/{name}", 307, {"cache-control": "no-cache"})
    asset = found[rest]
    if asset.compressed is None or not accepts_gzip(request.scope):
        return Response(asset.whole, media_type=asset.kind, headers=FOR_GOOD)
    return Response(asset.compressed, media_type=asset.kind, headers=FOR_GOOD | {"content-encoding": "gzip"})
