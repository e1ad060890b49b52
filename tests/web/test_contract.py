"""The API and its OpenAPI document: whatever a client makes of it, no answer is a failure of ours."""

from __future__ import annotations

import shutil
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("schemathesis", reason="needs schemathesis: pip install 'arbiter-cards[dev]'")
import schemathesis
from hypothesis import given
from hypothesis import strategies as st
from schemathesis.checks import response_schema_conformance

from arbiter.contest.submissions.author_accounts import add_authors
from arbiter.season.config import load
from arbiter.season.season import Season
from arbiter.store import Store
from arbiter.trials.regression.runner import open_experiment
from arbiter.web.http.watched_seasons import Seasons
from arbiter.web.pages.regression_watch import Trials
from arbiter.web.site import make_site
from tests.fixtures.profiles import examples
from tests.fixtures.records import play_trial
from tests.fixtures.simulated_regression import InMemory, experiment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


schemathesis.serializer.alias("application/zip", "application/octet-stream")


@pytest.fixture(scope="module")
def folder(original_season: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A season of one's own that takes programs."""
    copy = tmp_path_factory.mktemp("contract") / "season"
    shutil.copytree(original_season, copy)
    file = copy / "small.yaml"
    file.write_text(file.read_text() + "submissions: {max_size: 1KB, per_day: 2}\n")
    return copy


@pytest.fixture(scope="module")
def schema(folder: Path) -> Iterator[Any]:
    """The document as a client reads it; real names stand in it, so that more than 404 is found."""
    test = experiment(folder=folder, max_blocks=2)
    with closing(Store(test.store)) as store:
        play_trial(test, open_experiment(test, store), InMemory(), 1)
    REAL["name"] = [test.name, "regress-nobody"]
    with closing(Seasons([folder / "small.yaml"])) as seasons, closing(Trials(test.store)) as trials:
        found = schemathesis.openapi.from_asgi("/api/v1/openapi.json", make_site(seasons, trials=trials))
        close(found.raw_schema)
        yield found


def close(schema: Any) -> None:
    """Let nothing have a key that its schema does not name."""
    if isinstance(schema, dict) and schema.get("type") == "object" and "properties" in schema:
        schema.setdefault("additionalProperties", False)
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        close(part)


@pytest.fixture(scope="module")
def tokens(folder: Path) -> list[str]:
    """Nobody's token, an author's, an organiser's."""
    config = load(folder / "small.yaml")
    with closing(Store(config.store)) as store:
        stored = Season.open(config, store).stored
        given = add_authors(config, stored, ["ann"], False, "test")
        given += add_authors(config, stored, ["olga"], True, "test")
        stored.submissions.accept(stored.submissions.add("ann", "0" * 64, "x", 9)[0].id, [], PROGRAM)
    return ["dead", *(token for _, token in given)]


REAL: dict[str, list[int] | list[str]] = {
    "season": ["small"],
    "player": ["p0", "random", "p9"],
    "match": ["r001-t01-m0", "r001-t01-m1", "r003-t01-m0"],
    "number": [1, 3, 99],
    "one": ["@planning_pimc.py", "p0"],
    "other": ["@planning_greedy.py", "p1", "p9"],
}
"""Names that there are, and next to them some that there are not."""
PROGRAM = {"command": ["python3", "bot.py"], "read": [], "files": {"source/bot.py": "0" * 64}}


def test_a_parameter_that_an_address_does_not_have_is_refused(schema: Any, tokens: list[str]) -> None:
    for path, methods in schema.raw_schema["paths"].items():
        if "get" in methods:
            named = {
                "season": "small",
                "number": "1",
                "player": "p0",
                "match": "r001-t01-m0",
                "table": "t01",
                "one": "p0",
                "other": "p1",
                "name": str(REAL["name"][0]),
            }
            case = schema[path]["GET"].Case(path_parameters=named, query={"odd": "1"})
            case.headers["Authorization"] = f"Bearer {tokens[-1]}"
            answer = case.call()
            assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid"), path
            assert "odd" in answer.json()["error"]["message"], path


def test_bounds_of_what_may_be_asked_are_documented(schema: Any) -> None:
    told = schema.raw_schema["paths"]["/seasons/{season}/matches"]["get"]["parameters"]
    found = {one["name"]: one["schema"] for one in told if one["in"] == "query"}
    assert set(found) == {"round", "player", "against", "tag", "limit", "cursor"}
    assert found["limit"] == {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}


@examples(100)
@given(data=st.data())
def test_no_answer_is_a_failure_of_ours(schema: Any, tokens: list[str], data: st.DataObject) -> None:
    operations = [operation.ok() for operation in schema.get_all_operations()]
    # News do not end.
    operation = data.draw(st.sampled_from([one for one in operations if not one.path.endswith("/events")]))
    case = data.draw(operation.as_strategy())
    for name, values in REAL.items():
        if name in (case.path_parameters or {}) and data.draw(st.booleans()):
            case.path_parameters[name] = data.draw(st.sampled_from(values))
    case.headers["Authorization"] = f"Bearer {data.draw(st.sampled_from(tokens))}"
    answer = case.call()
    assert answer.status_code < 500, answer.text
    case.validate_response(answer, checks=[response_schema_conformance])
    if answer.status_code not in (200, 201, 202):
        assert set(answer.json()["error"]) - {"limit", "seconds"} == {"code", "message", "hint"}
