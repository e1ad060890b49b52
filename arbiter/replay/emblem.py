"""The emblem of a player: a colour and a shape, the same everywhere.

emblem("ada@2") == emblem("ada")

A season deals the twelve colours of `web/static/style.css` (classes ``p0`` to ``p11``) to its players in
turn; outside of one the colour is derived from the name, as the shape always is.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from arbiter.replay.schema import Emblem

COLOURS: Final = 12
SIZE: Final = 20
"""Side of the square in which shapes are drawn."""
_SALT = 206
"""The first number with which the shipped bots of a table have different colours."""
_OUTLINES = (
    "M10 1a9 9 0 1 0 .01 0z",
    "M4 1h12a3 3 0 0 1 3 3v12a3 3 0 0 1-3 3H4a3 3 0 0 1-3-3V4a3 3 0 0 1 3-3z",
    "M10 0l10 10-10 10L0 10z",
    "M10 0l8.7 5v10L10 20l-8.7-5V5z",
    "M2 1h16v9c0 5-4 8-8 10-4-2-8-5-8-10z",
    "M6 1h8v5h5v8h-5v5H6v-5H1V6h5z",
    "M10 0l10 7.5L16.2 19H3.8L0 7.5z",
    "M1 1h10a8 8 0 0 1 8 8v10H9a8 8 0 0 1-8-8z",
)
_HOLES = (
    "",
    "M10 7a3 3 0 1 0 .01 0z",
    "M5 8.5h10v3H5z",
    "M8.5 5h3v10h-3z",
    "M6.5 8a2 2 0 1 0 .01 0zm7 0a2 2 0 1 0 .01 0z",
    "M5 11.5l5-5 5 5-1.9 1.9-3.1-3.1-3.1 3.1z",
)


_DEALT: ContextVar[Mapping[str, int] | None] = ContextVar("dealt", default=None)


def deal_colours(names: Iterable[str]) -> dict[str, int]:
    """Return the colours of players without their versions, in this order: the first repeats after twelve."""
    return {family: place % COLOURS for place, family in enumerate(dict.fromkeys(map(_family, names)))}


@contextmanager
def dealt(colours: Mapping[str, int] | None) -> Iterator[None]:
    """Within it `emblem` takes the colours that `deal_colours` returned for a season."""
    token = _DEALT.set(colours)
    try:
        yield
    finally:
        _DEALT.reset(token)


def emblem(name: str) -> Emblem:
    """Return the colour and the shape of a name; versions and copies of a player share them."""
    family = _family(name)
    drawn = _derived(family)
    return {**drawn, "colour": (_DEALT.get() or {}).get(family, drawn["colour"])}


def emblems(names: Sequence[str], sides: Sequence[int | None]) -> list[Emblem]:
    """Return the emblems at a table, by seat; partners share a colour, unlike the other sides' one."""
    own = [emblem(name) for name in names]
    of: dict[int, int] = {}
    for side in dict.fromkeys(side for side in sides if side is not None):
        mine = [one["colour"] for one, where in zip(own, sides, strict=True) if where == side]
        of[side] = next((colour for colour in mine if colour not in of.values()), mine[0])
    return [
        one if side is None else {**one, "colour": of[side]} for one, side in zip(own, sides, strict=True)
    ]


@lru_cache(maxsize=4096)
def _family(name: str) -> str:
    return name.partition("@")[0].partition("#")[0] or name


@lru_cache(maxsize=4096)
def _derived(family: str) -> Emblem:
    drawn = sha256(f"{_SALT} {family}".encode(errors="surrogatepass")).digest()
    shape = _OUTLINES[drawn[1] % len(_OUTLINES)] + _HOLES[drawn[2] % len(_HOLES)]
    return {"colour": drawn[0] % COLOURS, "shape": shape}
