"""Pages of a site outside its seasons, with their JSON: regression tests of a store, and attacks.

They answer 404 on a site without tests or attacks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from arbiter.errors import StoreError
from arbiter.trials.sandboxcheck.attack_record import AttackRecord, broken_promises
from arbiter.web.api import schema
from arbiter.web.http.http_errors import Refusal, not_found
from arbiter.web.http.request_guard import number_of, unescape_slashes
from arbiter.web.rendering.template_filters import match_of_part
from arbiter.web.rendering.templates import render

if TYPE_CHECKING:
    from arbiter.web.pages.regression_watch import Trials

TESTS, ATTACKS = "/tests", "/attacks"
MOST_PAGES = 10**6
router = APIRouter()


@router.get(TESTS)
def list_tests(request: Request, page: Annotated[int, Query(ge=1, le=MOST_PAGES)] = 1) -> schema.TrialList:
    """Return the regression tests of a store, the last begun first, at most 100 per page."""
    trials: Trials | None = request.app.state.trials
    found = None if trials is None else trials.page(page)
    if found is None:
        raise not_found()
    return found


@router.get(f"{TESTS}/{{name}}")
def read_test(request: Request, name: str) -> schema.TrialInFull | schema.ChoiceInFull:
    """Return a regression test: its figures, its LLR from block to block, its worst matches."""
    trials: Trials | None = request.app.state.trials
    try:
        found = None if trials is None else trials.test(unescape_slashes(name))
    except StoreError:
        message = "the test cannot be read now"
        raise Refusal(503, "unavailable", message, "the organiser's log has the reason") from None
    if found is None:
        raise not_found()
    return found


@router.get(ATTACKS)
def read_attacks(request: Request) -> AttackRecord:
    """Return the results of attacks on the organiser's machine by tier, and the channels left open."""
    found: AttackRecord | None = request.app.state.attacks
    if found is None:
        raise not_found()
    return found


def _tests_values(request: Request) -> Mapping[str, object]:
    return {"tests": list_tests(request, number_of(request.query_params.get("page", "1")) or 1)}


def _test_values(request: Request) -> Mapping[str, object]:
    return {"test": read_test(request, request.path_params["name"])}


def _show_test_match(request: Request) -> Response:
    """Show one of a test's worst matches."""
    trials: Trials | None = request.app.state.trials
    name, match_id = (unescape_slashes(request.path_params[key]) for key in ("name", "match"))
    match_id = match_of_part(match_id)
    test = read_test(request, name)
    replay = None if trials is None else trials.replay(name, match_id)
    if replay is None:
        raise not_found()
    say = next(one["say"] for one in test["worst"] if one["match"] == match_id)
    text = render("test_match", None, test=test, replay=replay, say=say)
    return HTMLResponse(text, headers={"cache-control": "no-cache"})


def _attacks_values(request: Request) -> Mapping[str, object]:
    """Return the record, its broken promises, and a row per attack with results by tier and attempt."""
    found, rows = read_attacks(request), dict[str, dict[str, Any]]()
    for one in found["attacks"]:
        row = rows.setdefault(
            one["name"], {"name": one["name"], "tries": one["tries"], "by": {}, "attempts": {}}
        )
        row["by"][one["tier"]] = one
        for met in one["attempts"] if len(one["attempts"]) > 1 else ():
            row["attempts"].setdefault(met["attempt"], {})[one["tier"]] = met
    return {"record": found, "through": broken_promises(found), "table": list(rows.values())}


def _route(path: str, template: str, values_of: Callable[[Request], Mapping[str, object]]) -> Route:
    """Return the route of a page, which renders a template with the values read for each request."""

    def show(request: Request) -> Response:
        as_json = f"/api/v1{request.scope['path']}"
        text = render(template, None, as_json=as_json, **values_of(request))
        return HTMLResponse(text, headers={"cache-control": "no-cache"})

    return Route(path, show)


ROUTES = [
    _route(TESTS, "tests", _tests_values),
    _route(f"{TESTS}/{{name}}", "test", _test_values),
    Route(f"{TESTS}/{{name}}/matches/{{match}}", _show_test_match),
    _route(ATTACKS, "attacks", _attacks_values),
]
