"""Names of authors: no two that a reader would take for one.

What a name looks like is made by a plain rule: compatibility forms, case, accents and spaces are taken
away, letters of other alphabets that look like Latin ones become these, and alike become ``0`` and ``o``;
``1``, ``i``, ``l`` and ``|``; ``rn`` and ``m``; ``vv`` and ``w``. Besides, the letters of a name are of one
alphabet, since no table has all pairs.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from arbiter.config.values import check_name
from arbiter.errors import ConfigError
from arbiter.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

_CYRILLIC = dict(zip("авгеһзіјкмнопрстухѕьԁԛԝӏ", "abreh3ijkmhonpctyxsbdqwl", strict=True))
_GREEK = dict(zip("αβγεζηικμνοπρτυχω", "abyeznikmvonptuxw", strict=True))
_ARMENIAN = dict(zip("օսոհցյզ", "ounhgjq", strict=True))
_LATIN = {"ı": "l", "i": "l", "1": "l", "|": "l", "0": "o", "ɑ": "a", "ɡ": "g", "ø": "o", "ł": "l", "đ": "d"}
_TO_LATIN = str.maketrans({**_CYRILLIC, **_GREEK, **_ARMENIAN})
_ALIKE = str.maketrans(_LATIN)
_WRITTEN_TOGETHER = frozenset({"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "LATIN"})
"""Scripts that stand in one name in East Asia."""


def settled_name(text: str) -> str:
    """A name as it is kept; ConfigError for one that is none, or mixes alphabets."""
    name = unicodedata.normalize("NFKC", text)
    check_name(name)
    if printable(name) != name:
        raise ConfigError(f"not a name: {text!r} has characters that nobody sees", hint="leave them out")
    scripts = {unicodedata.name(mark, "?").split()[0] for mark in name if mark.isalpha()}
    if len(scripts) > 1 and not scripts <= _WRITTEN_TOGETHER:
        words = " and ".join(sorted(script.capitalize() for script in scripts))
        raise ConfigError(f"{name} mixes letters: {words}", hint="take those of one alphabet")
    return name


def looks(name: str) -> str:
    """What a reader may take a name for: equal for names that look alike."""
    text = unicodedata.normalize("NFKC", name).casefold()
    bare = "".join(
        mark
        for mark in unicodedata.normalize("NFD", text)
        if unicodedata.category(mark) not in ("Mn", "Me", "Cf", "Zs")
    )
    return bare.translate(_TO_LATIN).translate(_ALIKE).replace("rn", "m").replace("vv", "w")


def refuse_alike(name: str, taken: Iterable[str]) -> None:
    """ConfigError where a name is taken, or looks like one that is."""
    for other in taken:
        if looks(other) == looks(name):
            what = "is taken" if other == name else f"looks like {other}, which is taken"
            raise ConfigError(f"the name {name} {what}", hint="take another one")
