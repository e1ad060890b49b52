"""Queries brought to one form, so that each answer is made and kept once, whatever else an address says.

What a page does not know is dropped. What it knows, but with a value that nothing answers to, is handed on as
it is: such an answer is not kept.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from arbiter.web.security import number_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arbiter.picture.state import State

MOST_LIMIT = 1000
EYES = "^(public|seat:[0-9])$"
"""Whose eyes a replay can be asked for."""


class Odd(Exception):
    """A value that nothing of the season answers to."""


def _up_to(most: Callable[[State], int]) -> Callable[[str, State], str]:
    def number(text: str, state: State) -> str:
        found = number_of(text)
        if found is None or found > most(state):
            raise Odd
        return str(found)

    return number


def _name(text: str, state: State) -> str:
    if text not in state.names:
        raise Odd
    return text


def _either(word: str) -> Callable[[str, State], str]:
    """The one word that changes anything."""
    return lambda text, _: text if text == word else ""


def _eyes(text: str, _: State) -> str:
    if not re.fullmatch(EYES, text):
        raise Odd
    return "" if text == "public" else text


ROUND = _up_to(lambda state: len(state.rounds))
OF_MATCHES = {"round": ROUND, "player": _name, "against": _name}
INDEX = _up_to(lambda state: len(state.matches))
REPLAY = "matches/replay"  # of one match
PAGES = {
    "": {"after_round": ROUND},
    "crosstable": {"show": _either("los")},
    "history": {"player": lambda text, state: text if text in state.names else ""},
    "matches": {**OF_MATCHES, "page": _up_to(lambda state: max(1, len(state.matches)))},
    "live": {"wall": _either("1")},
}
API: dict[str, dict[str, Callable[[str, State], str]]] = {
    "standings": {"after_round": ROUND},
    "matches": {**OF_MATCHES, "limit": _up_to(lambda _: MOST_LIMIT), "cursor": INDEX},
    REPLAY: {"reader": _eyes},
}


def tidy(query: bytes, below: Sequence[str], is_api: bool, state: State) -> bytes | None:
    """The query of an address in one form; `below` is what its path has below the season.

    None for one that has no answer worth keeping.
    """
    place = "/".join([*below[:1], *below[2:]])
    known = (API if is_api else PAGES).get(place, {}) if len(below) < 2 or place == REPLAY else {}
    if not query or not known:
        return b""
    given = dict(parse_qsl(query.decode("latin-1"), keep_blank_values=True))
    try:
        # To a page a blank is as good as nothing.
        found = {
            name: value_of(given[name], state)
            for name, value_of in known.items()
            if name in given and (is_api or given[name])
        }
    except Odd:
        return None
    return urlencode({name: value for name, value in found.items() if value}).encode()
