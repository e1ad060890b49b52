"""The addresses of a season's views below it, each with names that a small season has."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arbiter.web.views import View

SAMPLES: dict[str, Sequence[str]] = {
    "number": ("1", "2", "3"),
    "player": ("p0", "random"),
    "other": ("p1",),
    "match": ("r001-t01-m0", "r002-t01-m0"),
    "table": ("t01",),
}
"""Values of what a path names."""


def addresses(views: Iterable[View], **instead: Sequence[str]) -> list[str]:
    """Every view at every sample; `instead` are other samples."""
    samples = {**SAMPLES, **instead}
    return [
        view.path.format_map(dict(zip(names, values, strict=True)))
        for view in views
        for names in [[one.name for one in view.of]]
        for values in product(*(samples[name] for name in names))
    ]
