"""Answers made of a view and a state of a season, with their cache keys and ETags."""

from __future__ import annotations

import hashlib
import json
import logging
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from arbiter.errors import ArbiterError
from arbiter.web.http.http_errors import NOTHING, error_response
from arbiter.web.rendering.compression import compress
from arbiter.web.rendering.template_filters import part
from arbiter.web.rendering.templates import render
from arbiter.web.views.registry import File

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.season.snapshot.season_state import SeasonState
    from arbiter.season.snapshot.viewer import Viewer
    from arbiter.web.http.query_params import Value
    from arbiter.web.views.registry import View

LOG = logging.getLogger("arbiter.web")
Offers: TypeAlias = "Mapping[str, bool]"
"""Features of a site: `visitors` may play house bots of the season, `attacks` have a page."""
API = "/api/v1"
OVERHEAD = 500
"""Bytes of a cached answer besides its body."""


class AnswerKey(NamedTuple):
    """The cache key of an answer, the same for all spellings of a URL; `is_plain` without a query.

    `viewer` is the author or organiser for whom it is made.
    """

    view: View
    is_json: bool
    is_plain: bool
    values: tuple[Value, ...]
    shown: tuple[str | None, ...]
    viewer: Viewer | None = None


class SentAnswer(NamedTuple):
    """An answer ready to send; `tag` is the hash of its body, `compressed` the gzipped body or None."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes
    tag: bytes
    compressed: bytes | None

    @property
    def size(self) -> int:
        return len(self.body) + len(self.compressed or b"") + OVERHEAD


def make_answer(asked: AnswerKey, state: SeasonState, offers: Offers) -> SentAnswer:
    """Return the answer for a key; on failure an error page, and unexpected errors are logged."""
    try:
        response = _make_response(asked, state, offers)
    except Exception as error:
        if not isinstance(error, ArbiterError | HTTPException):
            LOG.exception("an answer failed: %s", asked.view.path)
        response = error_response(error, asked.is_json, state)
    body = bytes(response.body)
    tag = hashlib.sha256(body).hexdigest()[:20].encode()
    compressed = compress(body, response.media_type or "") if response.status_code == 200 else None
    return SentAnswer(response.status_code, tuple(response.raw_headers), body, tag, compressed)


def is_personal(asked: AnswerKey, state: SeasonState) -> bool:
    """Return True if the answer depends on its viewer."""
    return asked.view.personal is not None and asked.view.personal(state, asked.viewer, *asked.values)


def _make_response(asked: AnswerKey, state: SeasonState, offers: Offers) -> Response:
    """Compute a view's page, JSON or file; HTTPException 404 if there is nothing."""
    view = asked.view
    whose = {} if view.personal is None else {"viewer": asked.viewer}
    figures = view.figures(state, *asked.values, **whose)
    if figures is None:
        raise HTTPException(404, NOTHING)
    if isinstance(figures, File):
        way = "attachment" if figures.is_attached else "inline"
        headers = {"content-disposition": f"{way}; filename*=UTF-8''{part(figures.name)}"}
        return Response(figures.body, headers=headers, media_type=figures.kind)
    if asked.is_json:
        text = json.dumps(figures, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return Response(text, media_type="application/json")
    shown = {one.name: text for one, text in zip(view.page_only, asked.shown, strict=True)}
    as_json = _json_path(asked, state)
    return HTMLResponse(
        render(view.template, state, **offers, as_json=as_json, **shown, **view.shown(state, figures))
    )


def _json_path(asked: AnswerKey, state: SeasonState) -> str | None:
    """Return the API's path of what a page shows; None if it does not exist."""
    if not asked.view.description:
        return None
    values = zip(asked.view.in_path, asked.values, strict=False)
    named = {one.name: one.encode(str(value)) for one, value in values}
    return f"{API}/seasons/{part(state.name)}{asked.view.path.format_map(named)}"
