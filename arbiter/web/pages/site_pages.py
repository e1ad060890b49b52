"""Pages of a site beside those of its seasons, each with its JSON: regression tests of a store, and attacks.

What the site has not, is not found.
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
from arbiter.web.http.http_errors import Refusal, nothing_here
from arbiter.web.http.request_guard import given, number_of
from arbiter.web.rendering.templates import render

if TYPE_CHECKING:
    from arbiter.web.pages.regression_watch import Trials

TESTS, ATTACKS = "/tests", "/attacks"
MOST_PAGES = 10**6
router = APIRouter()


@router.get(TESTS)
def list_tests(request: Request, page: Annotated[int, Query(ge=1, le=MOST_PAGES)] = 1) -> schema.TrialList:
    """The regression tests of a store, the last begun first, at most 100 a page."""
    trials: Trials | None = request.app.state.trials
    found = None if trials is None else trials.page(page)
    if found is None:
        raise nothing_here()
    return found


@router.get(f"{TESTS}/{{name}}")
def read_test(request: Request, name: str) -> schema.TrialInFull:
    """Return a regression test: its figures, its LLR from block to block, its worst matches."""
    trials: Trials | None = request.app.state.trials
    try:
        found = None if trials is None else trials.test(given(name))
    except StoreError:
        message = "the test cannot be read now"
        raise Refusal(503, "unavailable", message, "the organiser's log says why") from None
    if found is None:
        raise nothing_here()
    return found


@router.get(ATTACKS)
def read_attacks(request: Request) -> AttackRecord:
    """Return what attacks came to on the organiser's machine, tier by tier, and what no tier closes."""
    found: AttackRecord | None = request.app.state.attacks
    if found is None:
        raise nothing_here()
    return found


def _tests(request: Request) -> Mapping[str, object]:
    return {"tests": list_tests(request, number_of(request.query_params.get("page", "1")) or 1)}


def _test(request: Request) -> Mapping[str, object]:
    return {"test": read_test(request, request.path_params["name"])}


def _attacks(request: Request) -> Mapping[str, object]:
    """Rows, one an attack: what came of it by tier, and of its attempts, where it has several."""
    found, rows = read_attacks(request), dict[str, dict[str, Any]]()
    for one in found["attacks"]:
        row = rows.setdefault(
            one["name"], {"name": one["name"], "tries": one["tries"], "by": {}, "attempts": {}}
        )
        row["by"][one["tier"]] = one
        for met in one["attempts"] if len(one["attempts"]) > 1 else ():
            row["attempts"].setdefault(met["attempt"], {})[one["tier"]] = met
    return {"record": found, "through": broken_promises(found), "table": list(rows.values())}


def _page(path: str, template: str, values_of: Callable[[Request], Mapping[str, object]]) -> Route:
    def show(request: Request) -> Response:
        as_json = f"/api/v1{request.scope['path']}"
        text = render(template, None, as_json=as_json, **values_of(request))
        return HTMLResponse(text, headers={"cache-control": "no-cache"})

    return Route(path, show)


ROUTES = [
    _page(TESTS, "tests", _tests),
    _page(f"{TESTS}/{{name}}", "test", _test),
    _page(ATTACKS, "attacks", _attacks),
]
"""The pages of what these addresses have as JSON."""
