"""What the pages' scripts are told, as an OpenAPI document of schemas alone: their types are made of it."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import TypeAdapter

from arbiter.replay.match_review import Review
from arbiter.replay.schema import Replay
from arbiter.web.applet.get_routes import Bots, Cards, GameChoices, Passed, Saved
from arbiter.web.applet.schema import Bare, TableState
from arbiter.web.pages.visitor_tables import Begun, VisitState

TOLD = (Replay, Review, Bare, TableState, Passed, GameChoices, Bots, Cards, Saved, Begun, VisitState)

if __name__ == "__main__":
    adapters: list[tuple[str, Literal["serialization"], TypeAdapter[Any]]]
    adapters = [(told.__name__, "serialization", TypeAdapter(told)) for told in TOLD]
    _, shared = TypeAdapter.json_schemas(adapters, ref_template="#/components/schemas/{model}")
    info = {"title": "what scripts are told", "version": "1"}
    document = {"openapi": "3.1.0", "info": info, "paths": {}, "components": {"schemas": shared["$defs"]}}
    print(json.dumps(document))
