"""How players of one name are told apart: by digests of functions, of objects and of programs.

A function's digest covers its code, defaults, enclosed values and the globals that it reads; an object's its
class and its attributes; both cover what these reach in turn: functions, classes, modules and objects. Code
of installed packages counts by its name. What changes while a player plays, such as a counter or a cache, is
state and no part of the program, and so are random generators. A program's digest covers the words of its
command and the files that they name. Line numbers and file names are left out, so that a notebook's cell that
runs again makes the same function.
"""

from __future__ import annotations

import dis
import random
import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

from arbiter.sandbox.program_files import digest_of_file

if TYPE_CHECKING:
    from arbiter.match.spec import Player

DIGITS = 16
MOST_PARTS = 100_000
"""Of a player; one with more has no digest."""
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))
_OWN_NAMES = ("arbiter", "rating")

Place: TypeAlias = tuple[str, ...]
"""The names that lead from a player to one of its parts: globals, attributes, keys."""
_STATE: dict[str, set[Place]] = {}
"""Places that have changed during a match, by the name of the function or class."""


class ProgramDigest:
    """Reads a player before it plays; `digest` reads it again, to leave out what has changed meanwhile."""

    def __init__(self, player: Player, policy: Any) -> None:
        self._policy = policy
        self._before: dict[Place, str] = {}
        self._fixed: str | None = None
        if player.command:
            self._fixed = _digest(["program", *_words(player), *sorted(map(str, player.env.items()))])
        elif policy is None:
            self._fixed = _digest(["random"])
        else:
            known: Any = policy if isinstance(policy, FunctionType) else type(policy)
            self._state = _STATE.setdefault(f"{known.__module__}.{known.__qualname__}", set())
            self._before = _read(policy)

    def find_state(self) -> set[Place]:
        """Note and return the places that have changed since the first look."""
        if self._fixed is not None:
            return set()
        after = _read(self._policy)
        if not after:
            # It can no longer be read.
            self._before = {}
            return set()
        places = self._before.keys() | after.keys()
        self.add_state({place for place in places if self._before.get(place) != after.get(place)})
        return self._state

    def add_state(self, places: Set[Place]) -> None:
        """Note places that have changed in another process."""
        if self._fixed is None:
            self._state |= places

    def digest(self) -> str:
        """Return the digest in `DIGITS` hex digits; "" if the player cannot be read."""
        if self._fixed is not None:
            return self._fixed
        state = self.find_state()
        if not self._before:
            return ""
        return _digest(
            part
            for place, text in sorted(self._before.items())
            if not any(place[:length] in state for length in range(1, len(place) + 1))
            for part in (*place, text)
        )


def _digest(parts: Iterator[str] | Sequence[str]) -> str:
    return sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:DIGITS]


def _words(player: Player) -> Iterator[str]:
    """Yield the words of a command, each file that it names by its content; the interpreter by its name."""
    for number, word in enumerate(player.command):
        if word in player.files:
            yield digest_of_file(word)
        else:
            yield word if number else Path(word).name


def _read(policy: Any) -> dict[Place, str]:
    """Return the parts of a player by their places, as texts that are equal for equal programs.

    {} if it cannot be read.
    """
    reader = _Reader()
    try:
        reader.read_all(policy)
    except Exception:
        # Of the user's own properties, or an endless nesting.
        return {}
    return reader.parts


class _Reader:
    """Fills `parts`; each value is read at the shortest of the places that lead to it."""

    def __init__(self) -> None:
        self.parts: dict[Place, str] = {}
        self._seen: dict[int, Any] = {}
        self._waiting: deque[tuple[Any, Place]] = deque()

    def read_all(self, value: Any) -> None:
        """Add a value and all that it reaches; OverflowError for more than `MOST_PARTS`."""
        self._waiting.append((value, ()))
        while self._waiting:
            self._read(*self._waiting.popleft())
            if len(self.parts) > MOST_PARTS:
                raise OverflowError

    def _read(self, value: Any, place: Place) -> None:
        """Add a value, and append what it leads to."""
        kind = type(value)
        text = kind.__qualname__
        if isinstance(value, _PLAIN):
            self.parts[place] = f"{text} {value!r}"
            return
        if id(value) in self._seen:
            self.parts[place] = text
            return
        # Kept, so that no other value gets its id.
        self._seen[id(value)] = value
        self.parts[place] = text
        if isinstance(value, ModuleType):
            self.parts[place] += f" {value.__name__}"
        elif isinstance(value, FunctionType):
            self._read_function(value, place)
        elif isinstance(value, type):
            self._read_class(value, place)
        elif isinstance(value, MethodType):
            self._append({"function": value.__func__, "self": value.__self__}, place)
        elif isinstance(value, partial):
            self._append({"function": value.func, "args": value.args, "keywords": value.keywords}, place)
        elif isinstance(value, property | staticmethod | classmethod):
            names = ("fget", "fset", "__func__")
            self._append({name: getattr(value, name, None) for name in names}, place)
        elif isinstance(value, random.Random) or kind.__module__.startswith("numpy.random"):
            pass
        elif isinstance(value, Mapping):
            self.parts[place] += f" {[self._text(key) for key in value]}"
            self._append({self._text(key): part for key, part in value.items()}, place)
        elif isinstance(value, Set):
            self.parts[place] += f" {sorted(map(self._text, value))}"
        elif isinstance(value, Sequence) and all(isinstance(part, _PLAIN) for part in value):
            self.parts[place] += f" {_digest([*map(repr, value)])}"
        elif isinstance(value, Sequence):
            self.parts[place] += f" {len(value)}"
            self._append({str(number): part for number, part in enumerate(value)}, place)
        elif hasattr(value, "__array__"):
            self._read_array(value, place)
        else:
            self._read_object(value, place)

    def _append(self, parts: Mapping[str, Any], place: Place) -> None:
        self._waiting.extend((part, (*place, name)) for name, part in parts.items())

    def _text(self, value: Any) -> str:
        """Return a key or a member of a set as a text."""
        return repr(value) if isinstance(value, _PLAIN) else _digest([*_read(value).values()])

    def _read_function(self, function: FunctionType, place: Place) -> None:
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        reached = {name: _content(cell) for name, cell in cells}
        reached |= {"defaults": function.__defaults__, "keywords": function.__kwdefaults__, **vars(function)}
        if _is_installed(function.__module__):
            self.parts[place] += f" {function.__module__}.{function.__qualname__}"
        else:
            self.parts[place] += " ".join(_code_parts(function.__code__))
            reached |= _globals_of(function)
        self._append(reached, place)

    def _read_class(self, kind: type, place: Place) -> None:
        self.parts[place] += f" {kind.__qualname__}"
        if _is_installed(kind.__module__):
            self.parts[place] += kind.__module__
            return
        self._append({"bases": kind.__bases__}, place)
        # Methods, and values as defaults of attributes; not what Python adds, such as __doc__.
        named = vars(kind).items()
        own = {name: part for name, part in named if isinstance(part, FunctionType) or name[:2] != "__"}
        self._append(own, place)

    def _read_array(self, value: Any, place: Place) -> None:
        """Add the numbers of an array, a tensor of torch or a data frame."""
        import numpy as np

        array = np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)
        self.parts[place] += f" {array.dtype} {array.shape}"
        if array.dtype.hasobject:
            self._append({"items": array.tolist()}, place)
        else:
            self.parts[place] += sha256(array.tobytes()).hexdigest()

    def _read_object(self, value: Any, place: Place) -> None:
        """Add an object's class and its attributes; of one without, what would be pickled."""
        self._append({"class": type(value)}, place)
        slots = [name for kind in type(value).__mro__ for name in _slots(kind)]
        named = {name: getattr(value, name) for name in slots if hasattr(value, name)}
        named |= getattr(value, "__dict__", {})
        if named or not _is_installed(type(value).__module__):
            self._append(named, place)
            return
        try:
            _, *state = value.__reduce_ex__(2)
        except Exception:
            # A lock, an open file: only its class is known.
            return
        if isinstance(state, list):
            self._append(
                {str(at): [*part] if isinstance(part, Iterator) else part for at, part in enumerate(state)},
                place,
            )


def _slots(kind: type) -> Sequence[str]:
    slots = vars(kind).get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _code_parts(code: CodeType) -> Iterator[str]:
    yield from (code.co_code.hex(), *code.co_names, *code.co_varnames)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code_parts(constant)
        else:
            yield repr(sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant)


def _globals_of(function: FunctionType) -> dict[str, Any]:
    """Return the globals that a function reads, those of the user's modules that it names included."""
    read, names = _names_in(function.__code__)
    known = function.__globals__
    found = {name: known[name] for name in sorted(read) if name in known}
    waiting, seen = [*found.items()], set[int]()
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, ModuleType) and not _is_installed(value.__name__) and id(value) not in seen:
            seen.add(id(value))
            inner = {f"{name}.{one}": vars(value)[one] for one in sorted(names & vars(value).keys())}
            found |= inner
            waiting += inner.items()
    return found


@lru_cache(maxsize=256)
def _names_in(code: CodeType) -> tuple[Set[str], Set[str]]:
    """Return the globals that code reads, and all its names, with those of the functions within."""
    own = {at.argval for at in dis.get_instructions(code) if at.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    inner = [_names_in(part) for part in code.co_consts if isinstance(part, CodeType)]
    return own.union(*(read for read, _ in inner)), {*code.co_names}.union(*(names for _, names in inner))


def _is_installed(module: str | None) -> bool:
    """Return True for a module of Python, this package or an installed one, which counts by its name."""
    if module is None or module == "__main__":
        return False
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names or top in _OWN_NAMES:
        return True
    file = getattr(sys.modules.get(module), "__file__", None)
    return file is not None and not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)
