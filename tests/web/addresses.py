"""The addresses of a season's views below it, each with names that a small season has; a walk along all links."""

from __future__ import annotations

import html
import re
from itertools import product
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from starlette.testclient import TestClient

    from arbiter.web.views.registry import View

SAMPLES: dict[str, Sequence[str]] = {
    "number": ("1", "2", "3"),
    "player": ("p0", "random"),
    "other": ("p1",),
    "match": ("r001-t01-m0", "r002-t01-m0"),
    "table": ("t01",),
}
"""Values of what a path names."""
HREF = re.compile(r'(?:href|action|data-url)="([^"#]+)')


def addresses(views: Iterable[View], **instead: Sequence[str]) -> list[str]:
    """Every view at every sample; `instead` are other samples."""
    samples = {**SAMPLES, **instead}
    return [
        view.path.format_map(dict(zip(names, values, strict=True)))
        for view in views
        for names in [[one.name for one in view.in_path]]
        for values in product(*(samples[name] for name in names))
    ]


def walk(visitor: TestClient, begin: Iterable[str]) -> dict[str, str]:
    """Follow every link from these addresses: the text of each page and each answer of the API, by address."""
    known = {"/seasons", *begin}
    waiting, sent = sorted(known), {}
    while waiting:
        address = waiting.pop()
        answer = visitor.get(address)
        # What a page is asked beside its figures, the API does not know.
        assert answer.status_code == 200 or (address[:4], answer.status_code) == ("/api", 422), address
        sent[address] = answer.text
        found = {html.unescape(link) for link in HREF.findall(answer.text) if not address.startswith("/api")}
        # The parts of a query stand on the page that they lead from.
        found = {link if link[0] == "/" else f"{urlsplit(address).path}{link}" for link in found if link != "data:,"}  # fmt: skip
        is_file = "." in address.rsplit("/", 1)[-1].partition("?")[0]
        if address.startswith("/seasons/") and "/live" not in address and not is_file:
            found.add(f"/api/v1{address}")
        waiting += sorted(found - known)
        known |= found
    return sent
