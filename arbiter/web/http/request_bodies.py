"""Bodies of requests: read for whom it is, as far as it may be, and no longer than it may take.

Whatever reads a body reads it through here. What programs send is read once their token is known to be alive,
so that nothing of anybody else's is parsed or kept; pages ask for the session before they read a form. An
archive has its season's own bound, and is streamed to the disk, whether a program or a form sends it.
"""

from __future__ import annotations

import asyncio
import logging
import re
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from arbiter.contest.submissions.archive_storage import ArchiveTooLarge, Upload, prepare_folder, remove
from arbiter.contest.submissions.languages import inspection_digest
from arbiter.errors import StoreError
from arbiter.season.roster import folder_of
from arbiter.store.submissions import QuotaExceeded, RateLimited
from arbiter.store.versions import DROPPED, REFUSED
from arbiter.web.http.authentication import by_token, token_in
from arbiter.web.http.http_errors import Refusal, no_token, too_many
from arbiter.web.http.request_guard import has_body, number_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterator

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from arbiter.season.config.keys import Submissions
    from arbiter.store.versions import Submission
    from arbiter.web.http.authentication import Caller
    from arbiter.web.http.watched_seasons import Seasons

MOST_BYTES = 64_000
"""Of every body but an archive."""
SECONDS, BYTES_A_SECOND = 30.0, 16_000
"""A body has so long, and a second more for each so many bytes that have come."""
ARCHIVES = re.compile(r"/api/v1/seasons/[^/]+/submissions|/me/submissions")
API = "/api/"
LENGTH_DIGITS = 19
CLOSE = {"connection": "close"}
FIELD_BYTES = 16_384
"""Of the fields before a file, and of what stands around it."""
MOST_FIELDS = 20
BOUNDARY = re.compile(r'multipart/form-data;.*\bboundary="?([^";\s]{1,70})"?', re.IGNORECASE)
NAME = re.compile(rb'\bname="([^"]{1,100})"')
LOG = logging.getLogger("arbiter.web")
Terms = TypeVar("Terms")
AT_ONCE = 100
"""Uploads of all authors; of each there is one."""
WRITTEN_BYTES = 262_144
"""Collected before they are written."""
RETRY_SECONDS = 10


class Bodies:
    """Bounds the bodies of requests; where there are `seasons`, programs need a token that is alive."""

    def __init__(self, app: ASGIApp, seasons: Seasons | None, most: int = MOST_BYTES) -> None:
        """`most` bytes are of every body but an archive."""
        self._app, self._seasons, self._most = app, seasons, most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and has_body(scope):
            receive = _Body(scope, receive, self._seasons, self._most).receive
        await self._app(scope, receive, send)


class _Body:
    def __init__(self, scope: Scope, receive: Receive, seasons: Seasons | None, most: int) -> None:
        self._request, self._receive, self._seasons = Request(scope), receive, seasons
        self._most = None if ARCHIVES.fullmatch(scope["path"]) else most
        self._began = asyncio.get_running_loop().time()
        self._size, self._admitted, self._whole = 0, False, False

    async def receive(self) -> Message:
        """The next piece; Refusal where there is to be none."""
        if self._whole:
            return await self._receive()
        if not self._admitted:
            await self._admit()
        until = self._began + SECONDS + self._size / BYTES_A_SECOND
        try:
            async with asyncio.timeout_at(until):
                piece = await self._receive()
        except TimeoutError:
            message = f"the body did not come within {SECONDS:.0f} s"
            raise Refusal(408, "too_slow", message, headers=CLOSE) from None
        if piece["type"] == "http.disconnect":
            raise Refusal(400, "no_request", "the body did not come whole")
        self._add(len(piece.get("body", b"")))
        self._whole = not piece.get("more_body", False)
        return piece

    async def _admit(self) -> None:
        """Judge what is known before the body; the token first."""
        if self._seasons is not None and self._request.scope["path"].startswith(API):
            token = token_in(self._request)
            if token is None or await run_in_threadpool(by_token, self._seasons, token) is None:
                raise no_token()
        self._add(length_of(self._request))
        self._size, self._admitted = 0, True

    def _add(self, size: int) -> None:
        self._size += size
        if self._most is not None and self._size > self._most:
            message, more = f"a request has at most {self._most} bytes", {"limit": self._most}
            raise Refusal(413, "too_large", message, headers=CLOSE, more=more)


def length_of(request: Request) -> int:
    """Return the length that a body declares; 0 where it declares none."""
    return number_of(request.headers.get("content-length", ""), LENGTH_DIGITS) or 0


async def read_fields(request: Request) -> dict[str, str]:
    """The fields of a form without a file; Refusal for one that is none."""
    body = await request.body()
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise no_form() from None
    return dict(pairs)


def no_form() -> Refusal:
    return Refusal(400, "no_request", "this form was not sent from this site")


class FileForm:
    """A form whose last part is a file: first its `fields`, then the `file`, neither kept in memory whole."""

    def __init__(self, request: Request) -> None:
        """Refusal for a form that can have no file."""
        found = BOUNDARY.match(request.headers.get("content-type", ""))
        if found is None:
            raise no_form()
        self._mark = b"\r\n--" + found[1].encode("latin-1", "replace")
        self._stream = request.stream()
        # The first boundary has no line before it.
        self._waiting = bytearray(b"\r\n")

    async def fields(self) -> dict[str, str]:
        """The fields before the file; Refusal where there is no file behind them."""
        found: dict[str, str] = {}
        await self._up_to(self._mark)
        while len(found) < MOST_FIELDS:
            head = await self._up_to(b"\r\n\r\n")
            name = NAME.search(head)
            if name is None:
                break
            if b"filename=" in head:
                return found
            value = await self._up_to(self._mark)
            found[name[1].decode(errors="replace")] = value.decode(errors="replace")
        raise no_form()

    async def file(self) -> AsyncIterator[bytes]:
        """Yield what the file holds; Refusal where its end is missing."""
        while (at := self._waiting.find(self._mark)) < 0:
            # What may be the beginning of the mark waits.
            sure = max(len(self._waiting) - len(self._mark) + 1, 0)
            yield bytes(self._waiting[:sure])
            del self._waiting[:sure]
            await self._more()
        yield bytes(self._waiting[:at])

    async def _up_to(self, mark: bytes) -> bytes:
        """Take what comes before a mark, and the mark."""
        while (at := self._waiting.find(mark)) < 0:
            if len(self._waiting) > FIELD_BYTES:
                raise no_form()
            await self._more()
        found = bytes(self._waiting[:at])
        del self._waiting[: at + len(mark)]
        return found

    async def _more(self) -> None:
        async for chunk in self._stream:
            if chunk:
                self._waiting += chunk
                return
        raise no_form()


class Uploads:
    def __init__(self) -> None:
        self._under_way: dict[tuple[str, str], int] = {}

    async def take(
        self,
        caller: Caller,
        chunks: AsyncIterable[bytes],
        ask_again: Callable[[], Caller | None],
        length: int = 0,
    ) -> tuple[Submission, bool]:
        """Keep an archive as it comes; True where it is to be inspected. Refusal says why it is not taken.

        `ask_again` says who asks once it has come, None where the token is dead by then; `length` is how long
        it says that it is.
        """
        terms = await run_in_threadpool(open_terms, caller)
        try:
            if length > terms.max_bytes:
                raise ArchiveTooLarge
            with self._place(caller, terms.max_bytes):
                arriving = await run_in_threadpool(Upload, folder_of(caller.state.config), terms.max_bytes)
                kept = False
                try:
                    await _write(arriving, chunks)
                    if await run_in_threadpool(ask_again) is None:
                        raise no_token()
                    made, kept = await run_in_threadpool(_keep, arriving, caller, terms)
                    return made, kept
                finally:
                    if not kept:
                        arriving.drop()
        except ArchiveTooLarge:
            message, more = f"an archive has at most {terms.max_bytes} bytes", {"limit": terms.max_bytes}
            raise Refusal(413, "too_large", message, headers=CLOSE, more=more) from None
        except RateLimited as error:
            message = f"{terms.per_day} new archives in 24 hours are taken from an author"
            raise too_many(message, terms.per_day, error.seconds) from None
        except QuotaExceeded as error:
            message = (
                f"your versions take {error.taken:,} of {terms.total:,} bytes, and this one does not fit"
            )
            hint = "drop versions that never played, on the page of each"
            raise Refusal(409, "no_room", message, hint, more={"limit": terms.total}) from None
        except StoreError as error:
            LOG.error("an upload failed: %s", error)
            raise

    @contextmanager
    def _place(self, caller: Caller, size: int) -> Iterator[None]:
        """Room for one more upload of this size; Refusal where there is none."""
        key = caller.state.name, caller.author.name
        if key in self._under_way:
            raise too_many("another archive of yours is under way", 1, RETRY_SECONDS)
        if len(self._under_way) >= AT_ONCE:
            raise too_many("too many archives are under way", AT_ONCE, RETRY_SECONDS)
        coming = sum(self._under_way.values())
        if not prepare_folder(folder_of(caller.state.config), coming + size):
            LOG.error("%s: the disk has no room for uploads", caller.state.name)
            raise too_many("there is no room for an archive now", size, 60, "the organiser has to make some")
        self._under_way[key] = size
        try:
            yield
        finally:
            del self._under_way[key]


async def _write(arriving: Upload, chunks: AsyncIterable[bytes]) -> None:
    """Write what comes; Refusal for nothing."""
    waiting = bytearray()
    async for chunk in chunks:
        waiting += chunk
        if len(waiting) >= WRITTEN_BYTES:
            await run_in_threadpool(arriving.write, bytes(waiting))
            waiting.clear()
    await run_in_threadpool(arriving.write, bytes(waiting))
    if not arriving.size:
        raise Refusal(422, "invalid", "the archive is empty", "send a ZIP file as the body")


def _keep(arriving: Upload, caller: Caller, terms: Submissions) -> tuple[Submission, bool]:
    """Make what has come a submission; True for one that is to be inspected."""
    arriving.keep()
    sent = caller.author.name, arriving.sha256, arriving.name, terms.per_day, arriving.size, terms.total
    made, kept = caller.state.stored.submissions.add(*sent, who=caller.author.who)
    if made.state == DROPPED:
        message = f"this archive was your version {made.version}, which you dropped"
        raise Refusal(409, "dropped", message, "change something in it to send it as a new version")
    if made.state != REFUSED or made.under == inspection_digest(caller.state.config):
        return made, kept
    # What it was refused for may be mended: its verdict was made under other terms.
    more = arriving.name, arriving.size, terms.per_day, terms.total, caller.author.who
    if (anew := caller.state.stored.submissions.resubmit(made, *more)) is None:
        return made, False
    remove(caller.state.config, made.file)
    return anew, True


def open_terms(caller: Caller) -> Submissions:
    """Return the terms of archives now; Refusal where none are taken."""
    terms = still_open(caller, caller.state.config.submissions, "archives")
    if caller.state.stored.seed_told() is not None:
        raise Refusal(409, "closed", "the season is over")
    if terms.until is not None and terms.until <= datetime.now(UTC):
        raise Refusal(409, "closed", f"archives were taken until {terms.until.isoformat(timespec='minutes')}")
    return terms


def still_open(caller: Caller, terms: Terms | None, what: str) -> Terms:
    """Return the terms of what a season takes; Refusal where it takes none, or nothing more."""
    if terms is None:
        raise Refusal(409, "closed", f"this season takes no {what}")
    if caller.state.stored.running.read().closed is not None:
        raise Refusal(409, "closed", "the season is closed")
    return terms
