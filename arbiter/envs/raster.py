"""Pictures as pixels, with the extra ``render``: resvg paints, Pillow reads what it painted."""

from __future__ import annotations

import atexit
import io
from functools import lru_cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from arbiter.errors import ConfigError

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

FONT = "Aileron"
Pixels: TypeAlias = NDArray[np.uint8]
_PLAIN = str.maketrans(
    {"\N{MINUS SIGN}": "-", "\N{MULTIPLICATION SIGN}": "x", "\N{EN DASH}": "-"}
    | {"\N{RIGHT SINGLE QUOTATION MARK}": "'", "\N{HORIZONTAL ELLIPSIS}": "..."}
    | dict.fromkeys("\N{BLACK CLUB SUIT}\N{BLACK DIAMOND SUIT}\N{BLACK HEART SUIT}\N{BLACK SPADE SUIT}")
    | dict.fromkeys("\N{FIRST STRONG ISOLATE}\N{POP DIRECTIONAL ISOLATE}")
)
"""What Pillow's font has not, by what it has."""


def pixels(svg: str) -> Pixels:
    """An SVG of a given size in the colours of a light page, as uint8 (height, width, 3).

    Written in the font that comes with Pillow, which is the same everywhere and also where there is no other
    one; only what has letters that it has not, such as a name, takes those of the machine. ConfigError
    without the extra ``render``.
    """
    try:
        import resvg_py
        from PIL import Image
    except ImportError as error:
        hint = "pip install 'arbiter-cards[render]'"
        raise ConfigError(f"rgb_array needs the package {error.name}", hint=hint) from None

    plain = svg.translate(_PLAIN)
    fonts: dict[str, Any] = {"font_files": [_font()], "sans_serif_family": FONT, "skip_system_fonts": True}
    painted = (
        resvg_py.svg_to_bytes(svg_string=plain, **fonts) if plain.isascii() else resvg_py.svg_to_bytes(svg)
    )
    return np.array(Image.open(io.BytesIO(bytes(painted))).convert("RGB"))


@lru_cache(maxsize=1)
def _font() -> str:
    """The path of a file with the font, which is there as long as the process is."""
    from PIL import ImageFont

    folder = mkdtemp(prefix="arbiter-")
    atexit.register(rmtree, folder, ignore_errors=True)
    file = Path(folder, "font.ttf")
    file.write_bytes(cast("FreeTypeFont", ImageFont.load_default(12)).font_bytes)
    return str(file)
