"""A policy as a bot in memory, at the referee of tournaments: what it does wrong is a fault of its seat."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.envs.protocol_bot import BadAnswer, PolicyBot
from arbiter.errors import MalformedReply
from arbiter.match.record import Fault

if TYPE_CHECKING:
    from arbiter.games.game import AnyGame

MOST_CHARACTERS = 200
"""The characters kept of an error's message."""
PACKAGE = Path(__file__).parents[1]


class PolicySeat:
    """A `Bot` (see `arbiter.match.in_memory`) that decides by a policy; see `arbiter.envs.policies`.

    An answer that is not a legal id is the fault ``illegal``, an exception ``crash``; its class, message and
    line are the fault's private text. `error` is the last exception, or None.
    """

    def __init__(self, policy: Any, game: AnyGame) -> None:
        self._bot = PolicyBot(policy, game)
        self.error: Exception | None = None

    def __call__(self, command: str) -> bytes:
        try:
            reply = self._bot.answer(command)
        except BadAnswer as error:
            self.error = error
            raise MalformedReply(Fault.ILLEGAL, str(error)[:MOST_CHARACTERS]) from None
        except Exception as error:
            self.error = error
            raise MalformedReply(Fault.CRASH, "its function raised", private=describe(error)) from None
        return f"{reply}\n\n".encode()


def describe(error: Exception) -> str:
    """Return class, message and place of an exception in one line: ``ValueError: no card (bot.py:3)``."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not Path(frame.filename).is_relative_to(PACKAGE)]
    message = " ".join(str(error).split())[:MOST_CHARACTERS]
    text = f"{type(error).__name__}: {message}".rstrip(": ")
    if not own:
        return text
    # The first frame outside is the function's own; later ones may be a library's.
    written = [frame for frame in own if not frame.filename.startswith((sys.prefix, sys.base_prefix))]
    place = (written or own)[-1]
    return f"{text} ({Path(place.filename).name}:{place.lineno})"
