"""Ends a command on Ctrl-C, SIGTERM or a closed terminal, wherever it is just then."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from types import FrameType

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
AGAIN_SECONDS = 0.01
"""After a signal was lost: long enough to be out of where it was."""


def hear_signals() -> None:
    """Have a signal to end raise KeyboardInterrupt in the main thread, once, and again where Python loses it.

    An exception in a finalizer, of an abandoned generator say, or in a hook of a fork is dropped by Python.
    """
    for number in ENDING:
        signal.signal(number, _terminated)
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _interrupt)
        sys.unraisablehook = _dropped


def _terminated(number: int, frame: FrameType | None) -> NoReturn:
    """End in good order, once: a closed terminal sends several of them, and Ctrl-C is pressed twice."""
    for ending in ENDING:
        # Not SIG_IGN: of one that has already come Python would say so, with a traceback.
        signal.signal(ending, lambda _number, _frame: None)
    _interrupt(number, frame)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001
    raise KeyboardInterrupt


def _dropped(lost: sys.UnraisableHookArgs) -> None:
    """What Python calls for an exception that it drops: raise an interrupt again, where it will be heard."""
    if lost.exc_type is KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)
    else:
        sys.__unraisablehook__(lost)
