"""`applet`: the referee by hand in a browser, on loopback."""

from __future__ import annotations

import os
import time
import webbrowser
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from arbiter.byhand.debugging import DebuggedBot
from arbiter.byhand.setup import LaidTable
from arbiter.cli.laying import lay, lay_match, lay_record, laying_options, occupant_of
from arbiter.cli.options import needing
from arbiter.cli.output import note, say
from arbiter.errors import ConfigError

if TYPE_CHECKING:
    from arbiter.applet.reading import News
    from arbiter.applet.shelf import Remembered
    from arbiter.byhand.session import Session
    from arbiter.web.serving import Server

ALONE_SECONDS = 300.0
"""Without a page that listens, after there was one, until the applet ends."""
LAST_LOOK_SECONDS = 1.0
"""The time for the page to learn how the bots ended."""
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")
"""Variables of a screen; without one a browser would take the terminal."""
END_SECONDS = 2.0
LOOK_SECONDS = 0.2


@click.command()
@laying_options
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="0 takes one that is free."
)
@click.option("--no-browser", is_flag=True, help="Only print the link.")
def applet(port: int, no_browser: bool, **given: Any) -> None:
    """Conduct a match in a browser: bots and people in the seats, any command to any bot, raw replies.

    The link that it prints has a key, with which programs can be started as you. The options are those of
    `arbiter console`; without any the table is set in the browser.

    Example: arbiter applet --game planning --seat human --seat "bot:python3 bots/python/planning_greedy.py"
    """
    with needing("applet", "web"):
        from arbiter.applet.app import make_app
        from arbiter.applet.door import address_apart
        from arbiter.applet.posting import Readers
        from arbiter.applet.reading import News
        from arbiter.applet.shapes import explanation
        from arbiter.applet.shelf import Remembered, place
        from arbiter.web import serving
        from arbiter.web.traffic import Log
    from arbiter.byhand.session import Session

    remembered = Remembered(place())
    if remembered.note:
        note(remembered.note)
    laid = _laid(given, remembered)
    listening = [serving.bound_socket("127.0.0.1", port)]
    session, log = Session(explanation), Log()
    news = News(session)
    own, apart = listening[0].getsockname()[1], ""
    if not no_browser and any(map(os.environ.get, SCREENS)):
        # A system that has but one address of loopback has no other, and opens that.
        with suppress(ConfigError):
            listening.append(serving.bound_socket(address_apart(), own))
        apart = listening[-1].getsockname()[0]
    readers = Readers(occupant_of, lay_record, lay_match)
    app, door = make_app(session, news, readers, remembered, own, apart)
    web, _ = serving.share_cores()
    server = serving.Server(app, listening, web, log, news.close)
    try:
        server.start()
        server.ready.wait()
        server.check()
        link = f"http://127.0.0.1:{own}/?key={door.key}"
        with suppress(KeyboardInterrupt):
            for occupant in laid.occupants:
                if isinstance(occupant, DebuggedBot):
                    occupant.write = session.notes.append
            session.begin(laid.setup, laid.occupants, laid.moves or ())
            say(f"open {link}")
            if apart:
                # The address stands where other users of this machine can read it: it opens the door once.
                webbrowser.open(f"http://{apart}:{own}/?key={door.ticket()}")
            _run(server, session, news)
    finally:
        session.close()
        server.stop(END_SECONDS)
        log.close()
    for seat, said in session.ended:
        if said:
            note(f"seat {seat}: {said}")


def _laid(given: dict[str, Any], remembered: Remembered) -> LaidTable:
    """The table that the options describe; if they say nothing that set last, or a small one."""
    from arbiter.applet.forms import table_of

    if any(value not in (None, ()) for value in given.values()):
        return lay(**given)
    if remembered.tables:
        try:
            setup, occupants, notes = table_of(remembered.tables[0], occupant_of)
        except ConfigError as error:
            note(f"the table that was set last cannot be set again: {error.problems[0].text()}")
        else:
            for text in notes:
                note(text)
            return LaidTable(setup, occupants)
    return lay("planning", ("human",))


def _run(server: Server, session: Session, news: News) -> None:
    """Until somebody quits, nobody listens any more, or a signal; ServerFailed if the server ends before."""
    while not session.closed.is_set():
        server.check()
        if news.alone_seconds > ALONE_SECONDS:
            note("no page has listened for some minutes: the bots get quit")
            return
        time.sleep(LOOK_SECONDS)
    time.sleep(LAST_LOOK_SECONDS)
