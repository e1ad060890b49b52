"""An applet in this process, and a page of its owner's that has come in."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.web.browser.looking import complaints_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from playwright.sync_api import Page

    from arbiter.match.position import Position
    from arbiter.table.interactive.session import Session

ASKED = ".rp-pick:not([aria-disabled]), .ap-words button"
"""What can be answered with one click."""
SHOWN = """revision => {
  const at = document.getElementById("applet");
  return at.dataset.busy === "false" && Number(at.dataset.revision) >= revision;
}"""


class Sitting(NamedTuple):
    """The table, its owner's page, and what the page complained about."""

    session: Session
    page: Page
    complaints: list[str]

    @property
    def position(self) -> Position:
        """The position that is shown."""
        assert self.session.seen is not None
        return self.session.seen.position

    def press(self, name: str) -> None:
        """Click a button by its name."""
        self.page.get_by_role("button", name=name, exact=True).click()

    def wait_for(self, words: str, within: str = "#applet") -> None:
        """Wait until some words are there to see."""
        self.page.locator(within).get_by_text(words).first.wait_for()

    def settled(self) -> Page:
        """The page once it shows how the table stands now."""
        while True:
            revision = self.session.revision
            self.page.wait_for_function(SHOWN, arg=revision)
            if self.session.revision == revision and not self.session.running:
                return self.page


@contextmanager
def sitting(
    new_page: Callable[..., Page],
    *seats: str,
    game: str | None = "planning",
    options: Sequence[str] = (),
    **more: Any,
) -> Iterator[Sitting]:
    """A table with these in the seats, and random players in the others; `more` are options of the command."""
    from arbiter.cli.table_setup import set_up_table
    from arbiter.table.interactive.session import Session
    from arbiter.web.applet.schema import explanation

    nothing = (
        "deals_file config store_url match_id record_file replay_file until debug time start_time memory"
    )
    given: dict[str, Any] = dict.fromkeys(nothing.split()) | {
        "game_name": game, "seats": seats, "options": tuple(options), "names": (), "seed": "1", "isolation": "plain",
    }  # fmt: skip
    laid = set_up_table(**(given | more))
    session = Session(explanation)
    try:
        session.begin(laid.setup, laid.occupants, laid.moves or ())
        with TemporaryDirectory() as folder, _served(session, Path(folder)) as link:
            page = new_page(viewport={"width": 1280, "height": 900})
            page.set_default_timeout(60_000)
            complaints = complaints_of(page)
            page.goto(link)
            page.locator(".rp-table").wait_for()
            yield Sitting(session, page, complaints)
            page.goto("about:blank")
    finally:
        session.close()


@contextmanager
def _served(session: Session, folder: Path) -> Iterator[str]:
    """The link to an applet on a free port of loopback."""
    import uvicorn

    from arbiter.cli.table_setup import make_occupant, set_up_match, set_up_record
    from arbiter.web.applet.app import make_app
    from arbiter.web.applet.get_routes import ChangeEvents
    from arbiter.web.applet.post_routes import Readers
    from arbiter.web.applet.saved_tables import SavedTables
    from arbiter.web.http.http_server import bind_socket

    listening = bind_socket("127.0.0.1", 0)
    port = listening.getsockname()[1]
    events = ChangeEvents(session)
    readers = Readers(make_occupant, set_up_record, set_up_match)
    app, guard = make_app(session, events, readers, SavedTables(folder / "applet.json"), port)
    config = uvicorn.Config(app, log_level="error", lifespan="off", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}/?key={guard.key}"
    finally:
        events.close()
        server.should_exit = True
        thread.join()
