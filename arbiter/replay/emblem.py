"""The emblem of a player: a colour and a shape derived from its name, the same everywhere.

emblem("ada@2") == emblem("ada")

Twelve colours of `web/static/style.css` (classes ``p0`` to ``p11``) paint them.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

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


@lru_cache(maxsize=4096)
def emblem(name: str) -> Emblem:
    """Return the colour and the shape of a name; versions and copies of a player share them."""
    family = name.partition("@")[0].partition("#")[0] or name
    drawn = sha256(f"{_SALT} {family}".encode(errors="surrogatepass")).digest()
    shape = _OUTLINES[drawn[1] % len(_OUTLINES)] + _HOLES[drawn[2] % len(_HOLES)]
    return {"colour": drawn[0] % COLOURS, "shape": shape}


def emblems(names: Sequence[str], sides: Sequence[int | None]) -> list[Emblem]:
    """Return the emblems at a table, by seat; partners share one, in a colour unlike the other sides'."""
    of: dict[int, Emblem] = {}
    for side in dict.fromkeys(side for side in sides if side is not None):
        own = [emblem(name) for name, where in zip(names, sides, strict=True) if where == side]
        taken = {other["colour"] for other in of.values()}
        of[side] = next((one for one in own if one["colour"] not in taken), own[0])
    return [emblem(name) if side is None else of[side] for name, side in zip(names, sides, strict=True)]
