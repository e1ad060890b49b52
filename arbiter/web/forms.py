"""Forms as browsers send them, read as they come and bounded: fields, and at the end perhaps a file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from arbiter.web.refusals import Refusal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

MOST_BYTES = 16_384
"""Of the fields before a file, and of what stands around it."""
MOST_FIELDS = 20
BOUNDARY = re.compile(r'multipart/form-data;.*\bboundary="?([^";\s]{1,70})"?', re.IGNORECASE)
NAME = re.compile(rb'\bname="([^"]{1,100})"')


async def read_fields(request: Request) -> dict[str, str]:
    """The fields of a form without a file; Refusal for one that is none."""
    body = await request.body()
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise no_form() from None
    return dict(pairs)


def no_form() -> Refusal:
    """What was sent is no form of ours."""
    return Refusal(400, "no_request", "this is no form of this site")


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
        """What the file holds; Refusal where its end is missing."""
        while (at := self._waiting.find(self._mark)) < 0:
            # What may be the beginning of the mark waits.
            sure = max(len(self._waiting) - len(self._mark) + 1, 0)
            yield bytes(self._waiting[:sure])
            del self._waiting[:sure]
            await self._more()
        yield bytes(self._waiting[:at])

    async def _up_to(self, mark: bytes) -> bytes:
        """What comes before a mark, which is taken away with it."""
        while (at := self._waiting.find(mark)) < 0:
            if len(self._waiting) > MOST_BYTES:
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
