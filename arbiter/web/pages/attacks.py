"""What attacks came to on the organiser's machine: a page, and the same as JSON, made once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from arbiter.trials.sandboxcheck.attack_record import AttackRecord, through
from arbiter.web.http.http_errors import nothing_here
from arbiter.web.rendering.templates import render

if TYPE_CHECKING:
    from collections.abc import Mapping

ATTACKS = "/attacks"
HEADERS = {"cache-control": "no-cache"}
router = APIRouter()


@router.get(ATTACKS)
def read_attacks(request: Request) -> AttackRecord:
    """Return what attacks came to on the organiser's machine, tier by tier, and what no tier closes."""
    found: AttackRecord | None = request.app.state.attacks
    if found is None:
        raise nothing_here()
    return found


def attack_routes(found: AttackRecord) -> list[Route]:
    """The page, made once."""
    text = render(
        "attacks", record=found, through=through(found), table=_table(found), as_json=f"/api/v1{ATTACKS}"
    )

    def show(_: Request) -> Response:
        return HTMLResponse(text, headers=HEADERS)

    return [Route(ATTACKS, show)]


def _table(found: AttackRecord) -> list[Mapping[str, Any]]:
    """A row an attack: what came of it by tier, and of its attempts, where it has several."""
    rows: dict[str, dict[str, Any]] = {}
    for one in found["attacks"]:
        row = rows.setdefault(
            one["name"], {"name": one["name"], "tries": one["tries"], "by": {}, "attempts": {}}
        )
        row["by"][one["tier"]] = one
        for met in one["attempts"] if len(one["attempts"]) > 1 else ():
            row["attempts"].setdefault(met["attempt"], {})[one["tier"]] = met
    return list(rows.values())
