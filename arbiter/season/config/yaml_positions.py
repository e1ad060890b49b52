"""A YAML file as plain values with their positions."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import yaml

from arbiter.errors import ConfigError, Problem

if TYPE_CHECKING:
    from pathlib import Path

Path_ = tuple[str | int, ...]
MAX_NODES = 100_000
"""Values in a file: a hundred times those of a large season; it bounds the expansion of aliases."""
MAX_DEPTH = 50
_FAST = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The loader in C, if PyYAML has it."""
_READ_OTHERWISE = re.compile("[\t\r?\x85\u2028\u2029\ufeff]")
"""Characters that the two loaders of PyYAML do not always read alike."""
FAST_SIZE, FAST_LEVELS = 2_000_000, 10_000
"""Characters, and brackets with dashes, in a text for the loader in C: nested twice as deep it crashes."""

_MISPLACED = re.compile(r"expected the node content, but found '(.*)'")


@dataclass(slots=True)
class Document:
    """The `value` of a YAML file; `places` has line and column (from 1) of each path.

    A mapping's entry has the position of its key.
    """

    value: Any = None
    places: dict[Path_, tuple[int, int]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    unread: set[Path_] = field(default_factory=set)
    """The paths of values that could not be read and are None; `problems` has the reasons."""

    def place(self, path: Path_) -> tuple[int, int]:
        """Return the line and column of a path, or of its nearest parent."""
        while path and path not in self.places:
            path = path[:-1]
        return self.places.get(path, (1, 1))


_OTHER_FILES = {
    ".sqlite": "a store: name the season's file, or show its tests with arbiter serve --tests",
    ".jsonl": "a file of matches: read it with arbiter show, review or export, or with rating fit",
}
"""Hints for files of other kinds, by suffix."""


def read_document(file: Path) -> Document:
    """Read a file; ConfigError if it cannot be read or is no YAML; duplicate keys are problems."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", str(file)) from None
    except UnicodeDecodeError:
        raise ConfigError("is not UTF-8 text", str(file), _OTHER_FILES.get(file.suffix, "")) from None
    try:
        document = _read_text(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        message = _plainly(error.problem or str(error))
        hint = _OTHER_FILES.get(file.suffix, "")
        raise ConfigError([Problem((), message, hint, line, column)], str(file)) from None
    except RecursionError:
        raise ConfigError("is nested too deeply, or an alias contains itself", str(file)) from None
    except yaml.YAMLError as error:
        raise ConfigError(str(error).splitlines()[0], str(file)) from None
    if not isinstance(document.value, dict):
        raise ConfigError("is not a mapping of keys", str(file), hint="see the tutorial for a small one")
    return document


def _read_text(text: str) -> Document:
    """Read a text with the loader in C where both read alike, else with the other, which has the messages."""
    levels = text.count("[") + text.count("{") + text.count("- ")
    if len(text) <= FAST_SIZE and levels <= FAST_LEVELS and not _READ_OTHERWISE.search(text):
        with suppress(yaml.YAMLError):
            return _load_text(_FAST, text)
    return _load_text(yaml.SafeLoader, text)


def _load_text(kind: Any, text: str) -> Document:
    document = Document()
    # Invalid characters are refused here already.
    loader = kind(text)
    try:
        node = loader.get_single_node()
        if node is not None:
            document.value = _NodeReader(loader, document).read(node, ())
    finally:
        loader.dispose()
    return document


def _plainly(message: str) -> str:
    """Return PyYAML's message about brackets in plain words; others unchanged."""
    found = _MISPLACED.fullmatch(message)
    if found is None:
        return message
    if found[1] == "<stream end>":
        return "expected a value, got the end of the file (is a bracket left open?)"
    return f"expected a value, got {found[1]!r} (is a bracket too many, or a quote missing?)"


class _NodeReader:
    """Turns nodes into values, a bounded number of them with aliases expanded."""

    def __init__(self, loader: Any, document: Document) -> None:
        self._loader, self._document = loader, document
        self._count = 0

    def read(self, node: yaml.Node, path: Path_) -> Any:
        """Return the value at `path`, None with a problem if it is invalid.

        YAMLError above `MAX_NODES`; RecursionError below `MAX_DEPTH`, as PyYAML raises it far below.
        """
        self._count += 1
        if self._count > MAX_NODES:
            raise yaml.YAMLError("has too many values (do aliases name each other?)")
        if len(path) > MAX_DEPTH:
            raise RecursionError
        mark = node.start_mark
        self._document.places.setdefault(path, (mark.line + 1, mark.column + 1))
        if isinstance(node, yaml.MappingNode):
            self._loader.flatten_mapping(node)
            return self._read_mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.read(item, (*path, number)) for number, item in enumerate(node.value)]
        try:
            return self._loader.construct_object(node)
        except (ValueError, OverflowError, AttributeError, LookupError) as error:
            # PyYAML raises many exceptions for a value that does not match its tag; only ValueError explains.
            tag = node.tag.rpartition(":")[2]
            what = str(error) if isinstance(error, ValueError) else f"this is no {tag}"
            place = self._document.places[path]
            problem = Problem(path, f"cannot be read as YAML: {what}", "quote it", *place)
            self._document.problems.append(problem)
            self._document.unread.add(path)
            return None

    def _read_mapping(self, node: yaml.MappingNode, path: Path_) -> dict[Any, Any]:
        """Return a mapping's values; duplicate keys, and keys that are no words, become problems."""
        values: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            key = self.read(key_node, (*path, f"key {self._count}"))
            mark = key_node.start_mark
            if isinstance(key, list | dict):
                place = mark.line + 1, mark.column + 1
                self._document.problems.append(Problem(path, "a key must be a word", "", *place))
                continue
            here = (*path, key if isinstance(key, int) else str(key))
            if key in values:
                line = self._document.places[here][0]
                message = f"duplicate key, first given in line {line}"
                self._document.problems.append(Problem(here, message, "", mark.line + 1, mark.column + 1))
                continue
            self._document.places[here] = (mark.line + 1, mark.column + 1)
            values[key] = self.read(value_node, here)
        return values
