"""Limit BLAS to one thread while fitting.

The matrices here are small: with a thread per core, each waiting for the others, a fit of 66 ms took 3.2 s
on a busy machine.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_depth = _modules = 0
_controller: Any = None
_limits: list[Any] = []


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit every loaded BLAS of this process to one thread within the block.

    Blocks nest, and several threads may be inside: the last to leave restores the old numbers. A BLAS loaded
    within a block (by a first import of scipy.linalg) is limited when the next block is entered.
    """
    global _controller, _depth, _modules
    with _lock:
        imported = len(sys.modules) != _modules
        if imported:
            # Only an import loads a library; searching for libraries takes longer than many fits.
            _modules, _controller = len(sys.modules), ThreadpoolController()
        if imported or not _depth:
            _limits.append(_controller.limit(limits=1, user_api="blas"))
        _depth += 1
    try:
        yield
    finally:
        with _lock:
            _depth -= 1
            while not _depth and _limits:
                _limits.pop().restore_original_limits()
