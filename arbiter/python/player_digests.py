"""How players of one name are told apart: by digests of functions, of objects and of programs.

A function's digest covers its code, its defaults, what it encloses, and the functions of its module that it
names; an object's its class and its public plain attributes, as they are when it first plays; a program's
the words of its command and the files that they name. Line numbers and file names are left out, so that a
notebook's cell that runs again makes the same function.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import partial
from hashlib import sha256
from pathlib import Path
from types import CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from arbiter.sandbox.program_files import digest_of_file

if TYPE_CHECKING:
    from arbiter.match.spec import Player

DIGITS = 16
MOST_ITEMS = 10_000
"""Of a container; a longer one counts by its length."""
_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_STORED = ("STORE_DEREF", "STORE_GLOBAL", "DELETE_DEREF")
"""Operations by which a function changes a variable outside: a counter is no part of the program."""
_OF_OBJECTS: WeakKeyDictionary[Any, str] = WeakKeyDictionary()


def digest_of_player(player: Player, policy: Any) -> str:
    """Return the digest of a function, an object, a program or the random player, in `DIGITS` hex digits.

    "" for an object whose attributes cannot be read.
    """
    if player.command:
        return _digest(["program", *_words(player), *sorted(map(str, player.env.items()))])
    if policy is None:
        return _digest(["random"])
    try:
        if isinstance(policy, FunctionType | MethodType | partial):
            return _digest(_parts(policy, {}))
        try:
            known = _OF_OBJECTS.get(policy)
        except TypeError:
            # It has no hash, or takes no weak reference.
            return _digest(_parts(policy, {}))
        return known or _OF_OBJECTS.setdefault(policy, _digest(_parts(policy, {})))
    except Exception:
        # Of the user's own properties, or an endless nesting.
        return ""


def _digest(parts: Iterator[str] | Sequence[str]) -> str:
    return sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:DIGITS]


def _words(player: Player) -> Iterator[str]:
    """Yield the words of a command, each file that it names by its content; the interpreter by its name."""
    for number, word in enumerate(player.command):
        if word in player.files:
            yield digest_of_file(word)
        else:
            yield word if number else Path(word).name


def _parts(value: Any, seen: dict[int, Any]) -> Iterator[str]:
    """Yield what describes a value, as texts that are equal for equal programs."""
    yield type(value).__qualname__
    if isinstance(value, _PLAIN):
        yield repr(value)
        return
    if id(value) in seen:
        return
    # Kept, so that no other value gets its id.
    seen[id(value)] = value
    if isinstance(value, CodeType):
        yield from (value.co_code.hex(), *value.co_names, *value.co_varnames)
        for constant in value.co_consts:
            yield from _parts(constant, seen)
    elif isinstance(value, FunctionType):
        yield from _parts_of_function(value, seen)
    elif isinstance(value, MethodType):
        yield from _parts(value.__func__, seen)
        yield from _parts(value.__self__, seen)
    elif isinstance(value, partial):
        yield from _parts((value.func, value.args, value.keywords), seen)
    elif isinstance(value, type):
        for name, part in vars(value).items():
            if isinstance(part, FunctionType):
                yield name
                yield from _parts(part, seen)
    elif isinstance(value, Mapping):
        yield from _parts_of_items(value.items(), seen)
    elif isinstance(value, Sequence | Set):
        yield from _parts_of_items(value, seen)
    elif hasattr(value, "tobytes"):
        yield from (str(getattr(value, "dtype", "")), str(getattr(value, "shape", "")))
        yield sha256(value.tobytes()).hexdigest()
    else:
        yield from _parts_of_object(value, seen)


def _parts_of_function(function: FunctionType, seen: dict[int, Any]) -> Iterator[str]:
    code = function.__code__
    yield from _parts(code, seen)
    yield from _parts((function.__defaults__, function.__kwdefaults__), seen)
    changed = {at.argval for at in dis.get_instructions(code) if at.opname in _STORED}
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        if name not in changed:
            yield from _parts(_content(cell), seen)
    for name in code.co_names:
        helper = function.__globals__.get(name)
        if isinstance(helper, FunctionType) and helper.__module__ == function.__module__:
            yield from _parts(helper, seen)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _parts_of_items(items: Any, seen: dict[int, Any]) -> Iterator[str]:
    """Yield the parts of a container's items, those of a set in any order."""
    yield str(len(items))
    if len(items) <= MOST_ITEMS:
        listed = ("\1".join(_parts(item, seen)) for item in items)
        yield from sorted(listed) if isinstance(items, Set) else listed


def _parts_of_object(value: Any, seen: dict[int, Any]) -> Iterator[str]:
    """Yield the class of an object, and its public attributes that are plain values or containers."""
    yield from _parts(type(value), seen)
    for name, part in sorted(getattr(value, "__dict__", {}).items()):
        plain = isinstance(part, (*_PLAIN, Mapping, Sequence, Set)) or hasattr(part, "tobytes")
        if plain and not name.startswith("_"):
            yield name
            yield from _parts(part, seen)
