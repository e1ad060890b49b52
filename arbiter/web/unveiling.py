"""What organisers are shown of a season whose results are held back: all of it, at the same addresses.

They are known by a token or by a session, as elsewhere. Nobody keeps what is made for them.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from arbiter.errors import ArbiterError
from arbiter.web.keeping import season_of
from arbiter.web.refusals import PRIVATE
from arbiter.web.seasons import SHOWN
from arbiter.web.sessions import anybody_in, says_who

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from arbiter.picture.state import State
    from arbiter.web.seasons import Seasons

MOST_ASKED = 20
"""Requests of whom it is looked up at once who they are: it takes no place, but threads that all need."""
OURS = [(name.lower().encode(), value.encode()) for name, value in PRIVATE.items()]


class Unveiled:
    """Makes answers for organisers of the whole state by `site`; everything else is handed on to `kept`."""

    def __init__(self, kept: ASGIApp, site: ASGIApp, seasons: Seasons) -> None:
        self._kept, self._site, self._seasons = kept, site, seasons
        self._asking = asyncio.Semaphore(MOST_ASKED)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        season = season_of(scope)
        whole = None
        if season is not None and says_who(scope):
            async with self._asking:
                whole = await run_in_threadpool(self._whole, season, Request(scope))
        if whole is None:
            await self._kept(scope, receive, send)
            return

        async def privately(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *OURS]}
            await send(message)

        before = SHOWN.set(whole)
        try:
            await self._site(scope, receive, privately)
        finally:
            SHOWN.reset(before)

    def _whole(self, season: str, request: Request) -> State | None:
        """The whole state for an organiser of a season of which others see less; else None."""
        watched = self._seasons.watched.get(season)
        try:
            state = None if watched is None else watched.show()
            if state is None or state.frozen is None:
                return None
            caller = anybody_in(self._seasons, request, season)
        except ArbiterError:
            # The page says so.
            return None
        if caller is None or not caller.author.organiser or caller.state.name != season:
            return None
        return caller.state
