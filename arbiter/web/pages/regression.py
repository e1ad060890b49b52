"""The addresses of regression tests: all of a store, and one of them, as pages and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from arbiter.errors import StoreError
from arbiter.web.api import schema
from arbiter.web.http.http_errors import Refusal, nothing_here
from arbiter.web.http.request_guard import given, number_of
from arbiter.web.rendering.templates import render

if TYPE_CHECKING:
    from arbiter.web.pages.regression_watch import Trials

LIST = "/tests"
ONE = f"{LIST}/{{name}}"
MOST_PAGES = 10**6
AGAIN = {"cache-control": "no-cache"}
router = APIRouter()


@router.get(LIST)
def list_tests(request: Request, page: Annotated[int, Query(ge=1, le=MOST_PAGES)] = 1) -> schema.TrialList:
    """The regression tests of a store, the last begun first, at most 100 a page."""
    return _page(request.app.state.trials, page)


@router.get(ONE)
def read_test(name: str, request: Request) -> schema.TrialInFull:
    """Return a regression test: its figures, its LLR from block to block, its worst matches."""
    return _test(request.app.state.trials, given(name))


def trial_routes(trials: Trials) -> list[Route]:
    """The pages of tests."""

    def show_list(request: Request) -> Response:
        page = number_of(request.query_params.get("page", "1")) or 1
        text = render("tests", tests=_page(trials, page), as_json=f"/api/v1{LIST}")
        return HTMLResponse(text, headers=AGAIN)

    def show_one(request: Request) -> Response:
        name = given(request.path_params["name"])
        text = render("test", test=_test(trials, name), as_json=f"/api/v1{LIST}/{name}")
        return HTMLResponse(text, headers=AGAIN)

    return [Route(LIST, show_list), Route(ONE, show_one)]


def _page(trials: Trials | None, number: int) -> schema.TrialList:
    found = None if trials is None else trials.page(number)
    if found is None:
        raise nothing_here()
    return found


def _test(trials: Trials | None, name: str) -> schema.TrialInFull:
    try:
        found = None if trials is None else trials.test(name)
    except StoreError:
        raise Refusal(
            503, "unavailable", "the test cannot be read now", "the organiser's log says why"
        ) from None
    if found is None:
        raise nothing_here()
    return found
