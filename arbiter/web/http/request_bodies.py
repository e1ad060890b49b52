"""Request bodies, with limits on sender, size and duration.

All bodies are read through here. Requests to the API are read once their token is verified, so that nothing
from strangers is parsed or kept; pages check the session before they read a form. An archive has the limit of
its season and is streamed to disk, from programs and from forms.
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

from arbiter.contest.submissions.archive_storage import (
    ArchiveTooLarge,
    Upload,
    prepare_folder,
    store_archive,
)
from arbiter.errors import StoreError
from arbiter.season.roster import folder_of
from arbiter.store.submissions import NO_LIMIT, QuotaExceeded, RateLimited
from arbiter.store.versions import DROPPED
from arbiter.web.http.authentication import caller_by_token, token_in
from arbiter.web.http.http_errors import Refusal, token_required, too_many
from arbiter.web.http.request_guard import has_body, number_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterator

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from arbiter.season.config.keys import Submissions
    from arbiter.store.versions import Submission
    from arbiter.web.http.authentication import Caller
    from arbiter.web.http.watched_seasons import Seasons

MOST_BYTES = 64_000
"""Of every body except an archive."""
SECONDS, BYTES_A_SECOND = 30.0, 16_000
"""The time limit of a body, extended by a second per `BYTES_A_SECOND` received."""
ARCHIVES = re.compile(r"/api/v1/seasons/[^/]+(/authors/[^/]+)?/submissions|/(me|admin)/submissions")
API = "/api/"
LENGTH_DIGITS = 19
CLOSE = {"connection": "close"}
FIELD_BYTES = 16_384
"""Of each field before a file, and of each part's headers."""
MOST_FIELDS = 20
BOUNDARY = re.compile(r'multipart/form-data;.*\bboundary="?([^";\s]{1,70})"?', re.IGNORECASE)
NAME = re.compile(rb'\bname="([^"]{1,100})"')
LOG = logging.getLogger("arbiter.web")
Terms = TypeVar("Terms")
AT_ONCE = 100
"""Concurrent uploads of all authors, at most one each."""
WRITTEN_BYTES = 262_144
"""Buffered before they are written."""
RETRY_SECONDS = 10


class BodyLimits:
    """ASGI middleware that limits request bodies; with `seasons`, programs need a valid token."""

    def __init__(self, app: ASGIApp, seasons: Seasons | None, most: int = MOST_BYTES) -> None:
        """`most` is the limit in bytes of every body except an archive."""
        self._app, self._seasons, self._most = app, seasons, most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and has_body(scope):
            receive = _Body(scope, receive, self._seasons, self._most).receive
        await self._app(scope, receive, send)


class _Body:
    """The body of one request, received within its limits."""

    def __init__(self, scope: Scope, receive: Receive, seasons: Seasons | None, most: int) -> None:
        self._request, self._receive, self._seasons = Request(scope), receive, seasons
        self._most = None if ARCHIVES.fullmatch(scope["path"]) else most
        self._began = asyncio.get_running_loop().time()
        self._size, self._admitted, self._whole = 0, False, False

    async def receive(self) -> Message:
        """Return the next message; Refusal if the sender, the size or the duration is not permitted."""
        if self._whole:
            return await self._receive()
        if not self._admitted:
            await self._admit()
        until = self._began + SECONDS + self._size / BYTES_A_SECOND
        try:
            async with asyncio.timeout_at(until):
                piece = await self._receive()
        except TimeoutError:
            message = f"the body did not arrive within {SECONDS:.0f} s"
            raise Refusal(408, "too_slow", message, headers=CLOSE) from None
        if piece["type"] == "http.disconnect":
            raise Refusal(400, "no_request", "the body is incomplete")
        self._add_size(len(piece.get("body", b"")))
        self._whole = not piece.get("more_body", False)
        return piece

    async def _admit(self) -> None:
        """Check the token and the declared length before the body is read; Refusal."""
        if self._seasons is not None and self._request.scope["path"].startswith(API):
            token = token_in(self._request)
            if token is None or await run_in_threadpool(caller_by_token, self._seasons, token) is None:
                raise token_required()
        self._add_size(length_of(self._request))
        self._size, self._admitted = 0, True

    def _add_size(self, size: int) -> None:
        """Add bytes to the body's size; Refusal beyond the limit."""
        self._size += size
        if self._most is not None and self._size > self._most:
            message, more = f"a request has at most {self._most} bytes", {"limit": self._most}
            raise Refusal(413, "too_large", message, headers=CLOSE, more=more)


def length_of(request: Request) -> int:
    """Return the declared length of a body; 0 without one."""
    return number_of(request.headers.get("content-length", ""), LENGTH_DIGITS) or 0


async def read_fields(request: Request) -> dict[str, str]:
    """Return the fields of a form without a file; Refusal for an invalid form."""
    body = await request.body()
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise invalid_form() from None
    return dict(pairs)


def invalid_form() -> Refusal:
    return Refusal(400, "no_request", "this form was not sent from this site")


class FileForm:
    """A multipart form whose last part is a file, streamed: read its `fields` first, then its `file`."""

    def __init__(self, request: Request) -> None:
        """Raise Refusal if the request is not a multipart form."""
        found = BOUNDARY.match(request.headers.get("content-type", ""))
        if found is None:
            raise invalid_form()
        self._mark = b"\r\n--" + found[1].encode("latin-1", "replace")
        self._stream = request.stream()
        # The first boundary has no line break before it.
        self._waiting = bytearray(b"\r\n")

    async def fields(self) -> dict[str, str]:
        """Return the fields before the file; Refusal if no file follows."""
        found: dict[str, str] = {}
        await self._read_until(self._mark)
        while len(found) < MOST_FIELDS:
            head = await self._read_until(b"\r\n\r\n")
            name = NAME.search(head)
            if name is None:
                break
            if b"filename=" in head:
                return found
            value = await self._read_until(self._mark)
            found[name[1].decode(errors="replace")] = value.decode(errors="replace")
        raise invalid_form()

    async def file(self) -> AsyncIterator[bytes]:
        """Yield the content of the file; Refusal if the body ends before the final boundary."""
        while (at := self._waiting.find(self._mark)) < 0:
            # A possible beginning of the mark stays buffered.
            sure = max(len(self._waiting) - len(self._mark) + 1, 0)
            yield bytes(self._waiting[:sure])
            del self._waiting[:sure]
            await self._receive_more()
        yield bytes(self._waiting[:at])

    async def _read_until(self, mark: bytes) -> bytes:
        """Consume all up to and including a mark; return what precedes it. Refusal if that is too long."""
        while (at := self._waiting.find(mark)) < 0:
            if len(self._waiting) > FIELD_BYTES:
                raise invalid_form()
            await self._receive_more()
        found = bytes(self._waiting[:at])
        del self._waiting[: at + len(mark)]
        return found

    async def _receive_more(self) -> None:
        """Wait for more bytes of the body; Refusal if it has ended."""
        async for chunk in self._stream:
            if chunk:
                self._waiting += chunk
                return
        raise invalid_form()


class Uploads:
    """Archives under way, and the room reserved for them."""

    def __init__(self) -> None:
        self._under_way: dict[tuple[str, str], int] = {}

    async def take(
        self,
        caller: Caller,
        chunks: AsyncIterable[bytes],
        ask_again: Callable[[], Caller | None],
        length: int = 0,
    ) -> tuple[Submission, bool]:
        """Store an archive from a stream; return its submission, and True if it needs an inspection.

        `ask_again` authenticates once the archive is complete and returns None for a token that has expired;
        `length` is the declared size in bytes. Refusal gives the reason for rejecting the archive.
        """
        terms = await run_in_threadpool(open_terms, caller)
        try:
            if length > terms.max_bytes:
                raise ArchiveTooLarge
            with self._reserve(caller, terms.max_bytes):
                arriving = await run_in_threadpool(Upload, folder_of(caller.state.config), terms.max_bytes)
                kept = False
                try:
                    await _write(arriving, chunks)
                    if await run_in_threadpool(ask_again) is None:
                        raise token_required()
                    made, kept = await run_in_threadpool(_store, arriving, caller, terms)
                    return made, kept
                finally:
                    if not kept:
                        arriving.drop()
        except ArchiveTooLarge:
            message, more = f"an archive has at most {terms.max_bytes} bytes", {"limit": terms.max_bytes}
            raise Refusal(413, "too_large", message, headers=CLOSE, more=more) from None
        except RateLimited as error:
            message = f"the limit of {terms.per_day} new archives in 24 hours is reached"
            raise too_many(message, terms.per_day, error.seconds) from None
        except QuotaExceeded as error:
            message = (
                f"your versions take {error.taken:,} of {terms.total:,} bytes, and this one does not fit"
            )
            hint = "drop versions that never played on their pages"
            raise Refusal(409, "no_room", message, hint, more={"limit": terms.total}) from None
        except StoreError as error:
            LOG.error("an upload failed: %s", error)
            raise

    @contextmanager
    def _reserve(self, caller: Caller, size: int) -> Iterator[None]:
        """Reserve room on disk within the block; Refusal without room, or if the author uploads already."""
        key = caller.state.name, caller.author.name
        if key in self._under_way:
            raise too_many("you are already uploading another archive", 1, RETRY_SECONDS)
        if len(self._under_way) >= AT_ONCE:
            raise too_many("too many archives are being uploaded", AT_ONCE, RETRY_SECONDS)
        coming = sum(self._under_way.values())
        if not prepare_folder(folder_of(caller.state.config), coming + size):
            LOG.error("%s: the disk has no room for uploads", caller.state.name)
            raise too_many("the disk has no room for an archive", size, 60, "ask the organiser to free space")
        self._under_way[key] = size
        try:
            yield
        finally:
            del self._under_way[key]


async def _write(arriving: Upload, chunks: AsyncIterable[bytes]) -> None:
    """Write the chunks to the file; Refusal for an empty archive."""
    waiting = bytearray()
    async for chunk in chunks:
        waiting += chunk
        if len(waiting) >= WRITTEN_BYTES:
            await run_in_threadpool(arriving.write, bytes(waiting))
            waiting.clear()
    await run_in_threadpool(arriving.write, bytes(waiting))
    if not arriving.size:
        raise Refusal(422, "invalid", "the archive is empty", "send a ZIP file as the body")


def _store(arriving: Upload, caller: Caller, terms: Submissions) -> tuple[Submission, bool]:
    """Store an archive as a submission; return it, and if it needs an inspection. Refusal if once dropped."""
    limit = terms.per_day if caller.by is None else NO_LIMIT
    state = caller.state
    made, kept = store_archive(arriving, state.config, state.stored, caller.author.name, caller.who, limit)
    if made.state == DROPPED:
        message = f"this archive was your version {made.version}, which you dropped"
        raise Refusal(409, "dropped", message, "change the archive to send it as a new version")
    return made, kept


def open_terms(caller: Caller) -> Submissions:
    """Look up the current terms of archives; Refusal if none are accepted.

    An organiser who acts for an author may send one after `until`.
    """
    terms = check_open(caller, caller.state.config.submissions, "archives")
    if caller.state.stored.seed_told() is not None:
        raise Refusal(409, "closed", "the season is over")
    if caller.by is None and terms.until is not None and terms.until <= datetime.now(UTC):
        message = f"archives were accepted until {terms.until.isoformat(timespec='minutes')}"
        raise Refusal(409, "closed", message)
    return terms


def check_open(caller: Caller, terms: Terms | None, what: str) -> Terms:
    """Return `terms`; Refusal if they are None, or if the season is closed by its store."""
    if terms is None:
        raise Refusal(409, "closed", f"this season accepts no {what}")
    if caller.state.stored.running.read().closed is not None:
        raise Refusal(409, "closed", "the season is closed")
    return terms
