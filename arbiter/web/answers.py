"""Answers made of a state: what an address asks for, and its page or JSON as bytes."""

from __future__ import annotations

import hashlib
import json
import logging
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from arbiter.errors import ArbiterError
from arbiter.web.failures import as_json, as_page
from arbiter.web.pages import render
from arbiter.web.queries import Wrong, check_names
from arbiter.web.refusals import NOTHING, Refusal
from arbiter.web.security import given
from arbiter.web.views import ANSWERS, PAGES, File

if TYPE_CHECKING:
    from arbiter.picture.state import State
    from arbiter.web.queries import Value
    from arbiter.web.views import View

LOG = logging.getLogger("arbiter.web")
API = "/api/v1"


class Found(NamedTuple):
    """What an address leads to: a view of a season, and what the path names below it."""

    season: str
    view: View
    is_json: bool
    named: str


class Asked(NamedTuple):
    """What tells an answer from others, however its address is put; `is_plain` without a query."""

    view: View
    is_json: bool
    is_plain: bool
    values: tuple[Value, ...]
    shown: tuple[str | None, ...]


class Answer(NamedTuple):
    """An answer as it is sent; `tag` tells its bytes."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes
    tag: bytes


def find(path: str) -> Found | None:
    """The view at an address; None where there is none."""
    is_json = path.startswith(API)
    parts = path.removeprefix(API).split("/")
    if parts[:2] != ["", "seasons"] or len(parts) == 2:
        return None
    views, below = ANSWERS if is_json else PAGES, tuple(parts[3:])
    view = views.get(below) or views.get((*below[:1], "*", *below[2:]))
    named = below[1] if len(below) > 1 else ""
    return None if view is None else Found(given(parts[2]), view, is_json, given(named))


def read_address(found: Found, query: bytes, state: State) -> tuple[Asked, bool]:
    """What is asked for, and whether the season has something to it, so that it is worth keeping.

    What the API does not know, it refuses; to a page it is as good as nothing, and so is a blank.
    """
    view, is_json = found.view, found.is_json
    texts = dict(parse_qsl(query.decode("latin-1"), keep_blank_values=is_json))
    try:
        if is_json:
            check_names(texts, [one.name for one in view.asks])
        asked = [one.read(texts[one.name]) if one.name in texts else one.default for one in view.asks]
        named = [] if view.of is None else [view.of.read(found.named)]
    except Wrong as error:
        raise (Refusal(422, "invalid", str(error)) if is_json else HTTPException(404)) from None
    has_answers = all(one.has_answer(value, state) for one, value in zip(view.asks, asked, strict=True))
    choices = [(one, None if is_json else texts.get(one.name)) for one in view.shows]
    shown = tuple(text if one.has_answer(text, state) else None for one, text in choices)
    is_plain = not any(shown) and asked == [one.default for one in view.asks]
    return Asked(view, is_json, is_plain, (*named, *asked), shown), has_answers


def make_answer(asked: Asked, state: State, visitors: bool) -> Answer:
    """The answer; `visitors` may play house bots of the season. What fails is an answer, too."""
    try:
        response = _make(asked, state, visitors)
    except Exception as error:
        if not isinstance(error, ArbiterError | HTTPException):
            LOG.exception("an answer failed: %s", asked.view.path)
        response = (as_json if asked.is_json else as_page)(error)
    return answer_of(response)


def answer_of(response: Response) -> Answer:
    """A response as it is kept and sent."""
    body = bytes(response.body)
    tag = b'"%s"' % hashlib.sha256(body).hexdigest()[:20].encode()
    return Answer(response.status_code, tuple(response.raw_headers), body, tag)


def _make(asked: Asked, state: State, visitors: bool) -> Response:
    view = asked.view
    figures = view.figures(state, *asked.values)
    if figures is None:
        raise HTTPException(404, NOTHING)
    if isinstance(figures, File):
        headers = {"content-disposition": f'attachment; filename="{figures.name}"'}
        return Response(figures.body, headers=headers, media_type=figures.kind)
    if asked.is_json:
        text = json.dumps(figures, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return Response(text, media_type="application/json")
    if view.values is not None:
        figures = view.values(state, figures)
    elif view.says:
        figures = {view.template: figures}
    shown = {one.name: text for one, text in zip(view.shows, asked.shown, strict=True)}
    return HTMLResponse(render(view.template, state, visitors=visitors, **shown, **figures))
