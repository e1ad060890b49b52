"""The JSON that the pages' scripts receive, as an OpenAPI document of schemas, from which their types are generated."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import TypeAdapter

from arbiter.replay.match_review import Review
from arbiter.replay.schema import Replay
from arbiter.web.applet.get_routes import Bots, Cards, GameChoices, Passed, Saved
from arbiter.web.applet.schema import Bare, TableState
from arbiter.web.pages.visitor_tables import NewVisit, VisitState

TYPES = (Replay, Review, Bare, TableState, Passed, GameChoices, Bots, Cards, Saved, NewVisit, VisitState)

if __name__ == "__main__":
    adapters: list[tuple[str, Literal["serialization"], TypeAdapter[Any]]]
    adapters = [(one.__name__, "serialization", TypeAdapter(one)) for one in TYPES]
    _, shared = TypeAdapter.json_schemas(adapters, ref_template="#/components/schemas/{model}")
    info = {"title": "types of the scripts", "version": "1"}
    document = {"openapi": "3.1.0", "info": info, "paths": {}, "components": {"schemas": shared["$defs"]}}
    print(json.dumps(document))
