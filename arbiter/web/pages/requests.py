"""Pages of an author's requests: state, matches and boards; the forms to make and to cancel them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from arbiter.contest.requests.request import RequestForm
from arbiter.web.api import requests
from arbiter.web.http.http_errors import NOTHING, PRIVATE, Refusal
from arbiter.web.http.request_guard import number_of, unescape_slashes
from arbiter.web.pages.login import OWN, POST, own_page, private_form, private_page, redirect_to
from arbiter.web.rendering.template_filters import match_of_part, match_part, part
from arbiter.web.views.cached_views import find, read_address

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

    from arbiter.season.snapshot.season_state import SeasonState
    from arbiter.store.request_queue import Request as Stored
    from arbiter.web.http.authentication import Caller

BASE = "/seasons/{season}/requests/{number}"
SHOWN = {"match", "boards", "board", "round"}
"""The views of a season that a request shares."""


def _add_request(caller: Caller, request: Request, fields: Mapping[str, str]) -> Response:
    """Store the request of the form, and redirect to its page; Refusal for invalid fields."""
    version, matches = (number_of(fields.get(key, "").strip()) for key in ("version", "matches"))
    kind = fields.get("kind", "")
    if kind not in ("match", "gauntlet", "regress") or version is None:
        raise Refusal(422, "invalid", "choose a version and what to play")
    against = [name for name in fields.get("against", "").replace(",", " ").split() if name]
    made = requests.add_request(caller, RequestForm(kind, version, against, None, matches))  # type: ignore[arg-type]
    return redirect_to(_base_path(caller, made.id), caller, request)


def _cancel_request(caller: Caller, request: Request, _: Mapping[str, str]) -> Response:
    """Cancel the request of the path, and redirect to its page."""
    number = requests.cancel(request.path_params["number"], caller)["id"]
    return redirect_to(_base_path(caller, number), caller, request)


def _base_path(caller: Caller, number: int) -> str:
    return f"/seasons/{part(caller.state.name)}/requests/{number}"


def _request_page(caller: Caller, request: Request) -> Response:
    found = _find_request(caller, request)
    one, below = requests.request_details(found, caller, request), _base_path(caller, found.id)
    return own_page("request", caller, request, one=one, author_of=found.author, below=below)


def _replay_json(caller: Caller, request: Request) -> Response:
    reader = request.query_params.get("reader", "public")
    return JSONResponse(
        requests.read_replay(*_names_in_path(request), caller, request, reader), headers=PRIVATE
    )


def _match_log(caller: Caller, request: Request) -> Response:
    return requests.read_log(*_names_in_path(request), caller, request)


def _names_in_path(request: Request) -> tuple[str, str]:
    """Return the number of the request and the match from the path."""
    return request.path_params["number"], request.path_params["match"]


def _player_redirect(caller: Caller, request: Request) -> Response:
    name = unescape_slashes(request.path_params["player"])
    return RedirectResponse(f"/seasons/{part(caller.state.name)}/players/{part(name)}", 303, OWN)


def _view_page(caller: Caller, request: Request) -> Response:
    """Show a match or a board of a request with the views of a season; 404 for other paths."""
    stored = _find_request(caller, request)
    state = requests.state_of(stored, caller, request)
    found = find(f"/seasons/{part(state.name)}/{request.path_params['rest']}")
    if found is None or found.view.template not in SHOWN:
        raise HTTPException(404, NOTHING)
    asked, _ = read_address(found, request.scope["query_string"], state)
    view, base = found.view, _base_path(caller, stored.id)
    figures = view.figures(state, *asked.values)
    if not isinstance(figures, dict):
        raise HTTPException(404, NOTHING)
    values = view.shown(state, figures)
    if view.template == "match":
        values = {**values, **_match_values(state, stored, found.named[0], base)}
    return own_page(view.template, caller, request, base=base, asked=stored.id, **values)


def _match_values(state: SeasonState, stored: Stored, name: str, base: str) -> dict[str, object]:
    """Return the values that differ from a season's match page: the URLs of the replay and of the log."""
    match_id = match_of_part(name)
    at = f"{base}/matches/{match_part(match_id)}"
    record = state.record(match_id)
    log = record is not None and bool(requests.own_seats(stored, record))
    return {"replay_url": f"{at}/replay", "review_url": None, "log_url": f"{at}/log" if log else None}


def _find_request(caller: Caller, request: Request) -> Stored:
    return requests.find_request(caller, request.path_params["number"])


ROUTES = [
    Route("/me/requests", private_form(_add_request), methods=POST),
    Route("/me/requests/{number}/cancel", private_form(_cancel_request), methods=POST),
    Route(BASE, private_page(_request_page)),
    Route(f"{BASE}/matches/{{match}}/replay", private_page(_replay_json)),
    Route(f"{BASE}/matches/{{match}}/log", private_page(_match_log)),
    Route(f"{BASE}/players/{{player:path}}", private_page(_player_redirect)),
    Route(f"{BASE}/{{rest:path}}", private_page(_view_page)),
]
