"""A table in memory, and a browser of its owner that has come in."""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyio.from_thread import start_blocking_portal
from starlette.testclient import TestClient

from arbiter.cli.table_setup import lay_match, lay_record, occupant_of
from arbiter.games.planning import Planning
from arbiter.match.clock import TimeControl
from arbiter.match.spec import Limits
from arbiter.table.interactive.occupants import Occupant, Person, RandomPlayer
from arbiter.table.interactive.session import Session
from arbiter.table.interactive.setup import Setup
from arbiter.web.applet.app import make_app
from arbiter.web.applet.get_routes import News
from arbiter.web.applet.post_routes import Readers
from arbiter.web.applet.saved_tables import Remembered
from arbiter.web.applet.schema import explanation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arbiter.games.game import AnyGame
    from arbiter.match.record import Move

PORT = 8123
APART = "127.9.8.7"
VERBS = (
    "/step", "/play", "/stop", "/undo", "/redo", "/again", "/skip", "/decide", "/send", "/macro", "/quit",
    "/table", "/load", "/match", "/seat", "/deal",
)  # fmt: skip
GAME = Planning(deals=[(1, 0), (2, 1)])
READERS = Readers(occupant_of, lay_record, lay_match)
LIMITS = Limits(TimeControl.parse("10s"), 10**9, 10**8)


class Owner:
    """A browser that has come in with the key: `get` and `post` as the page does it."""

    def __init__(self, session: Session, remembered: Remembered) -> None:
        self.session, self.remembered = session, remembered
        app, self.door = make_app(session, News(session), READERS, self.remembered, PORT, APART)
        self.browser = TestClient(app, base_url=f"http://127.0.0.1:{PORT}", raise_server_exceptions=False)
        page = self.browser.get(f"/?key={self.door.key}").text
        found = re.search(r'<meta name="csrf" content="(.*?)">', page)
        assert found is not None
        self.browser.headers["X-CSRF-Token"] = found[1]

    def get(self, path: str) -> Any:
        """The JSON of an answer that is well."""
        answer = self.browser.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def ask(self, path: str, body: object = None) -> tuple[int, Any]:
        """The status and the JSON of what is answered to a verb."""
        answer = self.browser.post(path, json={} if body is None else body)
        return answer.status_code, answer.json()

    def post(self, path: str, body: object = None) -> Any:
        """The state after a verb that is well."""
        status, told = self.ask(path, body)
        assert status == 200, told
        return told

    def wait(self) -> Any:
        """The state once nothing is under way."""
        assert self.session.wait(60)
        return self.get("/state")


@contextmanager
def seated(
    *occupants: Occupant,
    game: AnyGame = GAME,
    seed: str = "1",
    moves: Sequence[Move] = (),
    file: Path = Path("/dev/null/nothing"),
) -> Iterator[Owner]:
    """A match of a game with these in the seats, by default a person and random players."""
    session = Session(explanation)
    # However busy the machine is.
    session.patience = 60.0
    try:
        session.begin(Setup(game, seed, LIMITS), list(occupants or (Person(),)), moves)
        owner = Owner(session, Remembered(file))
        # Or each request would begin a thread and an event loop of its own.
        with start_blocking_portal() as owner.browser.portal:
            yield owner
    finally:
        session.close()


def random_players(game: AnyGame = GAME) -> list[Occupant]:
    """One in each seat."""
    return [RandomPlayer() for _ in range(game.seats)]
