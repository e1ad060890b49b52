"""An answer made of a view and one state of a season: its key, its body, its tag."""

from __future__ import annotations

import hashlib
import json
import logging
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from arbiter.errors import ArbiterError
from arbiter.web.http.http_errors import NOTHING, answer_failure
from arbiter.web.rendering.compression import packed
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
"""What a site has besides a season: `visitors` may play its house bots, `attacks` have a page."""
API = "/api/v1"
OVERHEAD = 500
"""Bytes that keeping an answer takes beside it."""


class AnswerKey(NamedTuple):
    """The key of an answer, however its address is put; `is_plain` without a query.

    `viewer` are those of an author, or organiser, for whom it is made.
    """

    view: View
    is_json: bool
    is_plain: bool
    values: tuple[Value, ...]
    shown: tuple[str | None, ...]
    viewer: Viewer | None = None


class SentAnswer(NamedTuple):
    """An answer as it is sent; `tag` tells its bytes. `packed` is its body compressed, if it is."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes
    tag: bytes
    packed: bytes | None

    @property
    def size(self) -> int:
        return len(self.body) + len(self.packed or b"") + OVERHEAD


def make_answer(asked: AnswerKey, state: SeasonState, offers: Offers) -> SentAnswer:
    """The answer, with what the site offers besides. What fails is an answer, too."""
    try:
        response = _make(asked, state, offers)
    except Exception as error:
        if not isinstance(error, ArbiterError | HTTPException):
            LOG.exception("an answer failed: %s", asked.view.path)
        response = answer_failure(error, asked.is_json, state)
    body = bytes(response.body)
    tag = hashlib.sha256(body).hexdigest()[:20].encode()
    small = packed(body, response.media_type or "") if response.status_code == 200 else None
    return SentAnswer(response.status_code, tuple(response.raw_headers), body, tag, small)


def is_personal(asked: AnswerKey, state: SeasonState) -> bool:
    """True where the answer is another one for the eyes that it is asked with."""
    return asked.view.personal is not None and asked.view.personal(state, asked.viewer, *asked.values)


def _make(asked: AnswerKey, state: SeasonState, offers: Offers) -> Response:
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
    shown = {one.name: text for one, text in zip(view.shows, asked.shown, strict=True)}
    as_json = _address_of_json(asked, state)
    return HTMLResponse(
        render(view.template, state, **offers, as_json=as_json, **shown, **view.shown(state, figures))
    )


def _address_of_json(asked: AnswerKey, state: SeasonState) -> str | None:
    """Where the API has what a page shows; None where it has not."""
    if not asked.view.says:
        return None
    written = zip(asked.view.of, asked.values, strict=False)
    named = {one.name: one.written(str(value)) for one, value in written}
    return f"{API}/seasons/{part(state.name)}{asked.view.path.format_map(named)}"
