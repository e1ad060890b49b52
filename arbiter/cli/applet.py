"""`applet`: the interactive referee in a browser, on loopback."""

from __future__ import annotations

import os
import time
import webbrowser
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from arbiter.cli.options import require_extra
from arbiter.cli.output import note, say
from arbiter.cli.table_setup import make_occupant, set_up_match, set_up_record, set_up_table, table_options
from arbiter.errors import ConfigError
from arbiter.table.interactive.debugging import DebuggedBot
from arbiter.table.interactive.setup import LaidTable

if TYPE_CHECKING:
    from arbiter.table.interactive.session import Session
    from arbiter.web.applet.get_routes import ChangeEvents
    from arbiter.web.applet.saved_tables import SavedTables
    from arbiter.web.http.http_server import Server

ALONE_SECONDS = 300.0
"""Seconds after the last page has closed until the applet ends."""
LAST_LOOK_SECONDS = 1.0
"""Time for the page to receive how the bots ended."""
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")
"""Variables that a graphical session sets; without one a browser would open in the terminal."""
END_SECONDS = 2.0
LOOK_SECONDS = 0.2


@click.command()
@table_options
@click.option("--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="0: any free port.")
@click.option("--no-browser", is_flag=True, help="Only print the link.")
def applet(port: int, no_browser: bool, **given: Any) -> None:
    """The console in a browser, with cards to click.

    The printed link contains a key that allows starting programs as you: keep it secret. The options are
    those of `arbiter console`; without any, the table is set up in the browser.

    Example: arbiter applet --game planning --seat human --seat "bot:python3 bots/python/planning_greedy.py"
    """
    with require_extra("applet", "web"):
        from arbiter.web.applet.access_guard import random_loopback_address
        from arbiter.web.applet.app import make_app
        from arbiter.web.applet.get_routes import ChangeEvents
        from arbiter.web.applet.post_routes import Readers
        from arbiter.web.applet.saved_tables import SavedTables, saved_tables_file
        from arbiter.web.applet.schema import explanation
        from arbiter.web.http import http_server
        from arbiter.web.http.traffic import Log
    from arbiter.table.interactive.session import Session

    remembered = SavedTables(saved_tables_file())
    if remembered.note:
        note(remembered.note)
    laid = _first_table(given, remembered)
    listening = [http_server.bind_socket("127.0.0.1", port)]
    session, log = Session(explanation), Log()
    news = ChangeEvents(session)
    own, apart = listening[0].getsockname()[1], ""
    if not no_browser and any(map(os.environ.get, SCREENS)):
        # A system with a single loopback address opens that one.
        with suppress(ConfigError):
            listening.append(http_server.bind_socket(random_loopback_address(), own))
        apart = listening[-1].getsockname()[0]
    readers = Readers(make_occupant, set_up_record, set_up_match)
    app, guard = make_app(session, news, readers, remembered, own, apart)
    web, _ = http_server.split_cores()
    server = http_server.Server(app, listening, web, log, news.close)
    try:
        server.start()
        server.ready.wait()
        server.check()
        link = f"http://127.0.0.1:{own}/?key={guard.key}"
        with suppress(KeyboardInterrupt):
            for occupant in laid.occupants:
                if isinstance(occupant, DebuggedBot):
                    occupant.write = session.notes.append
            session.begin(laid.setup, laid.occupants, laid.moves or ())
            say(f"open {link}")
            if apart:
                # Other users can see the browser's command line: the ticket in it works once.
                webbrowser.open(f"http://{apart}:{own}/?key={guard.make_ticket()}")
            _run(server, session, news)
    finally:
        session.close()
        server.stop(END_SECONDS)
        log.close()
    for seat, said in session.ended:
        if said:
            note(f"seat {seat}: {said}")


def _first_table(given: dict[str, Any], remembered: SavedTables) -> LaidTable:
    """Return the table of the options, else the last saved one, else a small one; notes go to stderr."""
    from arbiter.web.applet.table_forms import table_of

    if any(value not in (None, ()) for value in given.values()):
        return set_up_table(**given)
    if remembered.tables:
        try:
            setup, occupants, notes = table_of(remembered.tables[0], make_occupant)
        except ConfigError as error:
            note(f"the last table cannot be restored: {error.problems[0].text()}")
        else:
            for text in notes:
                note(text)
            return LaidTable(setup, occupants)
    return set_up_table("planning", ("human",))


def _run(server: Server, session: Session, news: ChangeEvents) -> None:
    """Wait until the user quits or no page is connected; ServerFailed if the server ends first."""
    while not session.closed.is_set():
        server.check()
        if news.alone_seconds > ALONE_SECONDS:
            note("no page connected for some minutes: quitting")
            return
        time.sleep(LOOK_SECONDS)
    time.sleep(LAST_LOOK_SECONDS)
