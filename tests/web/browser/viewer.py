"""A site on loopback for pages under test: the package's static files, and pages given as text."""

from __future__ import annotations

import json
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import jinja2

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WEB = Path(__file__).parents[2] / "arbiter" / "web"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
STYLE = """
:root { color-scheme: light dark; }
body { background: #fff; color: #111; font: 16px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 72rem; padding: 16px; }
@media (prefers-color-scheme: dark) { body { background: #15181d; color: #e8eaed; } }
"""
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Match</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css"><link rel="stylesheet" href="/static/replay.css">
<script type="module" src="/static/match.js"></script></head><body><main>{body}</main></body></html>"""


def match_page(replay: dict[str, Any], **changes: Any) -> str:
    """The page of a match made from the fragment; its replay is at /replay.json."""
    templates = jinja2.Environment(loader=jinja2.FileSystemLoader(WEB / "templates"), autoescape=True)
    points, fault = replay["result"]["points"], replay["result"]["fault"]
    players = [player | {"points": points and points[player["seat"]]} for player in replay["players"]]
    hidden = any(deal["hands"] is None or None in deal["hands"] for deal in replay["deals"])
    match = {"game": replay["game"]["name"], "players": players, "fault": fault, "complete": not hidden}
    match |= {key: replay[key] for key in ("id", "season", "round")}
    context = {"match": match, "replay_url": "/replay.json", "config": "spring.yaml"} | changes
    return PAGE.replace("{body}", templates.get_template("match_body.html").render(context))


class Site:
    """Serves `pages` (text or bytes by path) and /static/; `base` is its address."""

    def __init__(self) -> None:
        self.pages: dict[str, str] = {"/style.css": STYLE}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, self.pages))
        self.base = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def hold(self, replay: dict[str, Any], own: Sequence[dict[str, Any]] = (), **changes: Any) -> str:
        """Puts a match's page, replay, and the seats' own ones there; its address."""
        for seat, seen in enumerate(own):
            self.pages[f"/replay.json?reader=seat:{seat}"] = json.dumps(seen)
        self.pages["/match"] = match_page(replay, **changes)
        self.pages["/replay.json"] = json.dumps(replay)
        return f"{self.base}/match"


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, pages: Mapping[str, str], *args: Any, **kwargs: Any) -> None:
        self._pages = pages
        super().__init__(*args, directory=str(WEB), **kwargs)

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        text = self._pages.get(self.path) or self._pages.get(path)
        if text is None:
            if path.startswith("/static/"):
                super().do_GET()
            else:
                self.send_error(404)
            return
        body = text.encode()
        kinds = {"css": "text/css", "js": "text/javascript", "json": "application/json"}
        self.send_response(200)
        self.send_header("Content-Type", f"{kinds.get(path.rpartition('.')[2], 'text/html')}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        """A test's output is no place for requests."""
