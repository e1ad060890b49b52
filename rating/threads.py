"""One BLAS thread while fitting.

The matrices here are small: a fit of 66 ms took 3.2 s on a busy machine because OpenBLAS started a thread per
core and they waited for each other. numpy and scipy wheels each carry an OpenBLAS of their own, so this looks
up every BLAS that the process has loaded (/proc/self/maps; elsewhere nothing is done) and calls its thread
setter, and puts the old number back afterwards. A BLAS that is not recognised is left alone: slower, never
wrong. One that is loaded within a block (by a first import of scipy.linalg) is found by the next block that
is entered, nested ones included: enter one after such an import.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

__all__ = ["one_thread"]

_NAMES = [
    (f"{prefix}openblas_get_num_threads{suffix}", f"{prefix}openblas_set_num_threads{suffix}")
    for prefix in ("scipy_", "")
    for suffix in ("", "64_", "_64")
] + [
    ("MKL_Get_Max_Threads", "MKL_Set_Num_Threads"),
    ("bli_thread_get_num_threads", "bli_thread_set_num_threads"),
]

_WORDS = ("blas", "mkl_rt", "blis")

_lock = threading.RLock()
_depth = 0
_before: list[tuple[Callable[[int], object], int]] = []
_limited: set[str] = set()
_loaded: list[str] = []
_modules = 0


def _libraries() -> list[str]:
    """Paths of the BLAS libraries that this process has loaded."""
    try:
        maps = Path("/proc/self/maps").read_text()
    except OSError:
        return []
    lines = [line for line in maps.splitlines() if any(word in line for word in _WORDS)]
    paths = {line.split(maxsplit=5)[5] for line in lines if ".so" in line}
    return sorted(path for path in paths if any(word in Path(path).name for word in _WORDS))


@lru_cache(maxsize=32)
def _switches(path: str) -> tuple[Callable[[], int], Callable[[int], object]] | None:
    """The getter and setter of one library's number of threads."""
    try:
        library = ctypes.CDLL(path)
    except OSError:
        return None
    for getter, setter in _NAMES:
        if hasattr(library, getter) and hasattr(library, setter):
            get, put = getattr(library, getter), getattr(library, setter)
            get.argtypes, get.restype = [], ctypes.c_int
            put.argtypes, put.restype = [ctypes.c_int], None
            return get, put
    return None


@contextmanager
def one_thread() -> Iterator[None]:
    """Within, every loaded BLAS uses one thread; nests, and threads may share it (the last one out
    restores).
    """
    global _depth, _loaded, _modules
    with _lock:
        new = len(sys.modules) != _modules
        if new:
            # Only an import loads a library; to look takes longer than many a fit.
            _modules, _loaded = len(sys.modules), _libraries()
        if new or _depth == 0:
            for path in _loaded:
                found = _switches(path)
                if found is not None and path not in _limited:
                    get, put = found
                    _limited.add(path)
                    _before.append((put, get()))
                    put(1)
        _depth += 1
    try:
        yield
    finally:
        with _lock:
            _depth -= 1
            if _depth == 0:
                _limited.clear()
                while _before:
                    put, number = _before.pop()
                    put(number)
