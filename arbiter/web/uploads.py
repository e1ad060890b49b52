"""Uploads: streamed to the disk, bounded in size and number, then a submission.

The same way for programs that send an archive as a body and for forms of a browser.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool

from arbiter.errors import StoreError
from arbiter.season.roster import folder_of
from arbiter.store.submissions import NoRoom, TooMany
from arbiter.store.versions import DROPPED
from arbiter.submissions.receiving import Arriving, TooLarge, has_room
from arbiter.web.refusals import Refusal, no_token, too_many

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Callable, Iterator

    from arbiter.config.submissions import Submissions
    from arbiter.store.versions import Submission
    from arbiter.web.callers import Caller

LOG = logging.getLogger("arbiter.web")
AT_ONCE = 100
"""Uploads of all authors; of each there is one."""
WRITTEN_BYTES = 262_144
"""Collected before they are written."""
RETRY_SECONDS = 10


class Uploads:
    """The uploads that are under way."""

    def __init__(self) -> None:
        self._under_way: dict[tuple[str, str], int] = {}

    async def take(
        self,
        caller: Caller,
        chunks: AsyncIterable[bytes],
        ask_again: Callable[[], Caller | None],
        length: int = 0,
    ) -> tuple[Submission, bool]:
        """Keep an archive as it comes; True where it is a new version. Refusal says why it is not taken.

        `ask_again` says who asks once it has come, None where the token is dead by then; `length` is how long
        it says that it is.
        """
        terms = await run_in_threadpool(open_terms, caller)
        if length > terms.max_bytes:
            raise _too_large(terms.max_bytes)
        try:
            with self._place(caller, terms.max_bytes):
                return await self._take(caller, terms, chunks, ask_again)
        except TooLarge:
            raise _too_large(terms.max_bytes) from None
        except TooMany as error:
            message = f"{terms.per_day} new archives in 24 hours are taken from an author"
            raise too_many(message, terms.per_day, error.seconds) from None
        except NoRoom as error:
            message = (
                f"your versions take {error.taken:,} of {terms.total:,} bytes, and this one does not fit"
            )
            hint = "drop versions that never played, on the page of each"
            raise Refusal(409, "no_room", message, hint, more={"limit": terms.total}) from None
        except StoreError as error:
            LOG.error("an upload failed: %s", error)
            raise

    async def _take(
        self,
        caller: Caller,
        terms: Submissions,
        chunks: AsyncIterable[bytes],
        ask_again: Callable[[], Caller | None],
    ) -> tuple[Submission, bool]:
        state, author = caller
        arriving = await run_in_threadpool(Arriving, folder_of(state.config), terms.max_bytes)
        kept = False
        try:
            waiting = bytearray()
            async for chunk in chunks:
                waiting += chunk
                if len(waiting) >= WRITTEN_BYTES:
                    await run_in_threadpool(arriving.write, bytes(waiting))
                    waiting.clear()
            await run_in_threadpool(arriving.write, bytes(waiting))
            if not arriving.size:
                raise Refusal(422, "invalid", "the archive is empty", "send a ZIP file as the body")
            if await run_in_threadpool(ask_again) is None:
                raise no_token()
            await run_in_threadpool(arriving.keep)
            book, digest = state.stored.submissions, arriving.sha256
            sent = author.name, digest, arriving.name, terms.per_day, arriving.size, terms.total
            made, kept = await run_in_threadpool(book.add, *sent)
            if made.state == DROPPED:
                message = f"this archive was your version {made.version}, which you dropped"
                raise Refusal(409, "dropped", message, "change something in it to send it as a new version")
            return made, kept
        finally:
            if not kept:
                arriving.drop()

    @contextmanager
    def _place(self, caller: Caller, size: int) -> Iterator[None]:
        """Room for one more upload of this size; Refusal where there is none."""
        key = caller.state.name, caller.author.name
        if key in self._under_way:
            raise too_many("another archive of yours is under way", 1, RETRY_SECONDS)
        if len(self._under_way) >= AT_ONCE:
            raise too_many("too many archives are under way", AT_ONCE, RETRY_SECONDS)
        coming = sum(self._under_way.values())
        if not has_room(folder_of(caller.state.config), coming + size):
            LOG.error("%s: the disk has no room for uploads", caller.state.name)
            raise too_many("there is no room for an archive now", size, 60, "the organiser has to make some")
        self._under_way[key] = size
        try:
            yield
        finally:
            del self._under_way[key]


def open_terms(caller: Caller) -> Submissions:
    """How archives are sent now; Refusal where none are taken."""
    terms = caller.state.config.submissions
    if terms is None:
        raise Refusal(409, "closed", "this season takes no archives")
    if caller.state.stored.running.read().closed is not None:
        raise Refusal(409, "closed", "the season is closed")
    if caller.state.stored.seed_told() is not None:
        raise Refusal(409, "closed", "the season is over")
    if terms.until is not None and terms.until <= datetime.now(UTC):
        raise Refusal(409, "closed", f"archives were taken until {terms.until.isoformat(timespec='minutes')}")
    return terms


def _too_large(most: int) -> Refusal:
    message = f"an archive has at most {most} bytes"
    return Refusal(413, "too_large", message, headers={"connection": "close"}, more={"limit": most})
