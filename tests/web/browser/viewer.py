"""A site for the viewer alone: the package's static files, and pages given as text, under the service's own policy."""

from __future__ import annotations

import json
import re
from mimetypes import guess_type
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
from starlette.responses import FileResponse, Response

from arbiter.replay.visibility import Reader, replay_of
from arbiter.web.http.request_guard import Guard
from tests.fixtures.replays import faulty, match_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeAlias

    from arbiter.match.record import MatchRecord
    from arbiter.replay.schema import Replay

    Show: TypeAlias = Callable[..., Any]

WEB = Path(__file__).parents[3] / "arbiter" / "web"
STYLE = """
:root { color-scheme: light dark; }
body { background: #fff; color: #111; font: 16px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 72rem; padding: 16px; }
@media (prefers-color-scheme: dark) { body { background: #15181d; color: #e8eaed; } }
"""
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Match</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css"><link rel="stylesheet" href="/static/replay.css">
<script type="module" src="/static/match.js"></script></head><body><main>{body}</main></body></html>"""


def match_page(replay: Mapping[str, Any], **changes: Any) -> str:
    """The page of a match made from the fragment; its replay is at /replay.json."""
    templates = jinja2.Environment(loader=jinja2.FileSystemLoader(WEB / "templates"), autoescape=True)
    points, fault = replay["result"]["points"], replay["result"]["fault"]
    players = [player | {"points": points and points[player["seat"]]} for player in replay["players"]]
    hidden = any(deal["hands"] is None or None in deal["hands"] for deal in replay["deals"])
    match = {"game": replay["game"]["name"], "players": players, "fault": fault, "complete": not hidden}
    match |= {key: replay[key] for key in ("id", "season", "round")}
    context = {"match": match, "replay_url": "/replay.json", "config": "spring.yaml"} | changes
    return PAGE.replace("{body}", templates.get_template("match_body.html").render(context))


class Viewer:
    """Pages by path; `base` is the address of the site that has them."""

    def __init__(self) -> None:
        self.pages: dict[str, str] = {"/style.css": STYLE}
        self.base = ""
        self.app = Guard(self._app)

    def hold(self, replay: Mapping[str, Any], own: Sequence[Mapping[str, Any]] = (), **changes: Any) -> str:
        """Puts a match's page, replay, and the seats' own ones there; its address."""
        for seat, seen in enumerate(own):
            self.pages[f"/replay.json?reader=seat:{seat}"] = json.dumps(seen)
        self.pages["/match"] = match_page(replay, **changes)
        self.pages["/replay.json"] = json.dumps(replay)
        return f"{self.base}/match"

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        path, query = scope["path"], scope["query_string"].decode()
        text = self.pages.get(f"{path}?{query}") or self.pages.get(path)
        answer = Response("", 404)
        if text is not None:
            answer = Response(text, media_type=guess_type(path)[0] or "text/html")
        elif path.startswith("/static/"):
            answer = FileResponse(WEB / path[1:])
        await answer(scope, receive, send)


def full(name: str, seed: int = 1) -> Replay:
    return replay_of(match_of(name, seed=seed), Reader("full"))


def own(record: MatchRecord) -> list[Replay]:
    """As each seat saw the match."""
    return [replay_of(record, Reader("seat", seat)) for seat in range(len(record.players))]


def early(name: str) -> Replay:
    """As the public sees a match whose round is under way."""
    return replay_of(match_of(name), Reader("public"), complete=False)


def with_fault(text: str = "9C: it is not in hand") -> Replay:
    return replay_of(faulty(match_of("planning"), 30, text), Reader("full"))


def place(page: Any) -> tuple[int, int]:
    """The deal, from 1, and the event on show."""
    deal, event = re.findall(r"Deal (\d+) .* event (\d+)", page.inner_text(".rp-where"))[0]
    return int(deal), int(event)
