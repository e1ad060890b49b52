"""The applet and its OpenAPI document: whatever is posted, no answer is a failure of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("starlette", reason="needs starlette: pip install 'arbiter-cards[web]'")
pytest.importorskip("schemathesis", reason="needs schemathesis: pip install 'arbiter-cards[dev]'")
import schemathesis
from hypothesis import given
from hypothesis import strategies as st
from schemathesis.checks import response_schema_conformance

from tests.fixtures.applet import PORT, seated
from tests.fixtures.profiles import examples

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ENDLESS = ("/events", "/quit")
"""What has no end, or ends all."""


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The document as its owner reads it."""
    file: Path = tmp_path_factory.mktemp("state") / "applet.json"
    with seated(file=file) as owner:
        own = {"host": f"127.0.0.1:{PORT}", "x-csrf-token": owner.guard.key}
        headers = [(name.encode(), value.encode()) for name, value in own.items()]

        async def let_in(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] == "http":
                others = [(name, value) for name, value in scope["headers"] if name.decode() not in own]
                scope = {**scope, "headers": [*others, *headers]}
            await owner.browser.app(scope, receive, send)

        yield schemathesis.openapi.from_asgi("/openapi.json", let_in)


@examples(200)
@given(data=st.data())
def test_no_answer_is_a_failure_of_ours(schema: Any, data: st.DataObject) -> None:
    operations = [operation.ok() for operation in schema.get_all_operations()]
    operation = data.draw(st.sampled_from([one for one in operations if one.path not in ENDLESS]))
    case = data.draw(operation.as_strategy())
    answer = case.call()
    assert answer.status_code < 500, answer.text
    if answer.status_code == 200:
        case.validate_response(answer, checks=[response_schema_conformance])
    # The page is one for people, with the key and without.
    if answer.status_code != 200 and operation.path != "/":
        assert set(answer.json()["error"]) == {"code", "message", "hint", "field"}
